//! The live view: keys, signals, and what the daemon says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use cleave_node::Home;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::{flag, low_level};

use super::graph::Glyphs;
use super::news::{self, News};
use super::picture::Picture;
use super::rows::{Order, Sort};
use super::screen::Screen;
use super::tone::Palette;
use crate::system_unsafe;

/// How things look on this terminal.
pub struct Looks {
    pub glyphs: Glyphs,
    pub palette: Palette,
}

/// How long a key is waited for before the rest is looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// Lines that a page key moves.
const PAGE: usize = 10;

/// Shows the daemon of `home` until somebody wants it to end.
pub fn run(home: &Home, interval: Duration, order: Order, looks: &Looks) -> Result<()> {
    // The last of these signals that came.
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP] {
        flag::register_usize(number, signal.clone(), number as usize).context("cannot handle signals")?;
    }
    let news = news::listen(home, interval).context("cannot start a thread")?;
    let mut screen = Screen::take().context("cannot use the terminal")?;
    let mut view = View::new(order, interval);
    let mut drawn = None;
    loop {
        if let Some(latest) = news.try_iter().last() {
            view.hear(latest);
            drawn = None;
        }
        let second = unix_ms() / 1000;
        if drawn != Some(second) {
            let mut most = 0;
            screen.terminal.draw(|frame| {
                most = view.picture(looks, second).draw(frame.area(), frame.buffer_mut());
            })?;
            view.scrolled = view.scrolled.min(most);
            drawn = Some(second);
        }
        let wish = match signal.swap(0, Ordering::SeqCst) as i32 {
            0 if !event::poll(LOOK)? => Wish::Nothing,
            0 => view.wish(&event::read()?),
            SIGTSTP => Wish::Stop,
            number => {
                drop(screen);
                // Whoever started it sees that it ended by this signal.
                return low_level::emulate_default_handler(number).context("cannot end by a signal");
            }
        };
        match wish {
            Wish::Nothing => {}
            Wish::Draw => drawn = None,
            Wish::Quit => return Ok(()),
            Wish::Stop => {
                drop(screen);
                low_level::emulate_default_handler(SIGTSTP).context("cannot stop")?;
                screen = Screen::take().context("cannot use the terminal")?;
                drawn = None;
            }
        }
    }
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Nothing,
    Draw,
    Quit,
    /// To be stopped, as Ctrl-Z does it.
    Stop,
}

/// What is shown, and how.
struct View {
    news: Option<News>,
    heard: Instant,
    patience: Duration,
    order: Order,
    scrolled: usize,
    host: String,
    time: String,
}

impl View {
    fn new(order: Order, interval: Duration) -> View {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        View {
            news: None,
            heard: Instant::now(),
            patience: interval * 2 + Duration::from_secs(2),
            order,
            scrolled: 0,
            host: host.trim().into(),
            time: String::new(),
        }
    }

    fn hear(&mut self, news: News) {
        self.news = Some(news);
        self.heard = Instant::now();
    }

    fn picture(&mut self, looks: &Looks, second: u64) -> Picture<'_> {
        let [hour, minute, now] = system_unsafe::time_of_day(second);
        self.time = format!("{hour:02}:{minute:02}:{now:02}");
        let silent = self.heard.elapsed();
        Picture {
            said: match &self.news {
                None => Err("asking"),
                Some(Ok(status)) => Ok(status),
                Some(Err(why)) => Err(why),
            },
            host: &self.host,
            time: &self.time,
            unix_ms: second * 1000,
            silent: (silent > self.patience).then_some(silent.as_secs()),
            order: self.order,
            scrolled: self.scrolled,
            glyphs: looks.glyphs,
            palette: looks.palette,
        }
    }

    fn wish(&mut self, event: &Event) -> Wish {
        let key = match event {
            Event::Resize(..) => return Wish::Draw,
            Event::Key(KeyEvent {
                kind: KeyEventKind::Press | KeyEventKind::Repeat,
                code,
                modifiers,
                ..
            }) => (*code, modifiers.contains(KeyModifiers::CONTROL)),
            _ => return Wish::Nothing,
        };
        let sort = |sort: Sort| Order { sort, reversed: false };
        match key {
            (KeyCode::Char('c'), true) | (KeyCode::Char('q') | KeyCode::Esc, false) => return Wish::Quit,
            (KeyCode::Char('z'), true) => return Wish::Stop,
            (KeyCode::Char('s'), false) => self.order = sort(self.order.sort.next()),
            (KeyCode::Char('n'), false) => self.order = sort(Sort::Name),
            (KeyCode::Char('a'), false) => self.order = sort(Sort::Asked),
            (KeyCode::Char('g'), false) => self.order = sort(Sort::Got),
            (KeyCode::Char('w'), false) => self.order = sort(Sort::Waiting),
            (KeyCode::Char('m'), false) => self.order = sort(Sort::Memory),
            (KeyCode::Char('r'), false) => self.order.reversed = !self.order.reversed,
            (KeyCode::Up, _) => self.scrolled = self.scrolled.saturating_sub(1),
            (KeyCode::PageUp, _) => self.scrolled = self.scrolled.saturating_sub(PAGE),
            (KeyCode::Down, _) => self.scrolled = self.scrolled.saturating_add(1),
            (KeyCode::PageDown, _) => self.scrolled = self.scrolled.saturating_add(PAGE),
            (KeyCode::Home, _) => self.scrolled = 0,
            // The picture knows where its end is.
            (KeyCode::End, _) => self.scrolled = usize::MAX,
            _ => return Wish::Nothing,
        }
        Wish::Draw
    }
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(view: &mut View, code: KeyCode, modifiers: KeyModifiers) -> Wish {
        view.wish(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_do_what_the_help_says() {
        let mut view = View::new(Order::default(), Duration::from_secs(1));
        let none = KeyModifiers::NONE;
        for (code, modifiers) in
            [(KeyCode::Char('q'), none), (KeyCode::Esc, none), (KeyCode::Char('c'), KeyModifiers::CONTROL)]
        {
            assert_eq!(press(&mut view, code, modifiers), Wish::Quit, "{code:?}");
        }
        assert_eq!(press(&mut view, KeyCode::Char('z'), KeyModifiers::CONTROL), Wish::Stop);
        assert_eq!(press(&mut view, KeyCode::Char('x'), none), Wish::Nothing);
        for (key, sort) in [
            ('g', Sort::Got),
            ('m', Sort::Memory),
            ('w', Sort::Waiting),
            ('a', Sort::Asked),
            ('n', Sort::Name),
            ('s', Sort::Asked),
        ] {
            assert_eq!(press(&mut view, KeyCode::Char(key), none), Wish::Draw);
            assert_eq!(view.order.sort, sort, "{key}");
        }
        press(&mut view, KeyCode::Char('r'), none);
        assert!(view.order.reversed);
        for code in
            [KeyCode::End, KeyCode::PageDown, KeyCode::Down, KeyCode::Home, KeyCode::Up, KeyCode::PageUp]
        {
            assert_eq!(press(&mut view, code, none), Wish::Draw);
        }
        assert_eq!(view.scrolled, 0);
        assert_eq!(view.wish(&Event::Resize(1, 1)), Wish::Draw);
    }
}
