//! The picture: a status and a size in, characters out. Nothing here asks the clock, the terminal or the daemon.

use cleave_node::amount::show;
use cleave_node::protocol::{DeviceStatus, Status, Unmanaged, Waiting};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::columns::{Table, cut, of, wide};
use super::graph::Glyphs;
use super::rows::{Order, Row, Section, clean, sections, short};
use super::tone::{Palette, Tone};

#[cfg(test)]
mod tests;

/// Everything that is to be seen.
pub struct Picture<'a> {
    /// What the daemon said last, or why it said nothing.
    pub said: Result<&'a Status, &'a str>,
    /// The machine's name, and the time of day there.
    pub host: &'a str,
    pub time: &'a str,
    pub unix_ms: u64,
    /// Seconds without an answer, if that is worth a word.
    pub silent: Option<u64>,
    pub order: Order,
    /// Lines that are scrolled past.
    pub scrolled: usize,
    pub glyphs: Glyphs,
    pub palette: Palette,
}

/// Below this there is no room for bars beside their numbers.
const ROOMY: usize = 72;
/// How wide bars of devices are, at most.
const BAR: usize = 40;
const INDENT: usize = 2;

impl Picture<'_> {
    /// Draws it, and tells how far it can be scrolled.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer) -> usize {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        if height == 0 {
            return 0;
        }
        let footed = height > 4;
        let space = height - 1 - usize::from(footed);
        let body = match self.said {
            Err(why) => self.nothing(why, width, space),
            Ok(status) => {
                let full = self.body(status, width, true);
                if full.len() <= space { full } else { self.body(status, width, false) }
            }
        };
        let most = body.len().saturating_sub(space);
        let shown = body.into_iter().skip(self.scrolled.min(most)).take(space);
        shown.zip(area.rows().skip(1)).for_each(|(line, row)| line.render(row, buffer));
        self.head(width).render(Rect { height: 1, ..area }, buffer);
        if footed {
            let last = Rect { y: area.bottom() - 1, height: 1, ..area };
            self.foot(width, most > 0).render(last, buffer);
        }
        most
    }

    fn span(&self, text: impl Into<String>, tone: Tone) -> Span<'static> {
        Span::styled(text.into(), self.palette.style(tone))
    }

    /// Whose devices these are, and when.
    fn head(&self, width: usize) -> Line<'static> {
        let mut parts = vec![("cleave top".to_string(), Tone::Strong), (clean(self.host), Tone::Plain)];
        if let Some(seconds) = self.silent {
            parts.push((format!("no answer for {seconds} s"), Tone::Warn));
        }
        if let Ok(status) = self.said {
            let up = self.unix_ms.saturating_sub(status.node.started_unix_ms) / 1000;
            parts.push((many(status.devices.len(), "device"), Tone::Plain));
            parts.push((many(status.tenants.len(), "tenant"), Tone::Plain));
            parts.push((format!("daemon {} up {}", status.node.pid, age(up)), Tone::Quiet));
        }
        let dot = self.glyphs.dot();
        let mut used = 0;
        let mut spans = Vec::new();
        for (text, tone) in parts {
            let more = wide(&text) + if spans.is_empty() { 0 } else { wide(dot) };
            if used + more + 1 + wide(self.time) > width {
                break;
            }
            if !spans.is_empty() {
                spans.push(self.span(dot, Tone::Quiet));
            }
            used += more;
            spans.push(self.span(text, tone));
        }
        let space = width.saturating_sub(used + wide(self.time));
        spans.push(Span::raw(" ".repeat(space)));
        spans.push(self.span(self.time, Tone::Strong));
        Line::from(spans)
    }

    /// Which keys there are.
    fn foot(&self, width: usize, scrolls: bool) -> Line<'static> {
        let order = format!("sort by {}", self.order.sort.word());
        let order = if self.order.reversed { order + ", reversed" } else { order };
        let arrows = if self.glyphs == Glyphs::Blocks { "↑↓" } else { "arrows" };
        let keys = [("q", "quit"), ("s", &*order), ("r", "reverse"), (arrows, "scroll")];
        let mut spans = Vec::new();
        let mut used = 0;
        for (key, what) in keys.into_iter().take(if scrolls { 4 } else { 3 }) {
            let more = wide(key) + 1 + wide(what) + if used == 0 { 0 } else { 3 };
            if used + more > width {
                break;
            }
            spans.extend((used > 0).then(|| Span::raw("   ")));
            spans.push(self.span(key, Tone::Strong));
            spans.push(self.span(format!(" {what}"), Tone::Quiet));
            used += more;
        }
        Line::from(spans)
    }

    /// Why there is nothing to see, in the middle.
    fn nothing(&self, why: &str, width: usize, height: usize) -> Vec<Line<'static>> {
        let above = height.saturating_sub(2) / 2;
        let text = [("no daemon, retrying", Tone::Warn), (why, Tone::Quiet)];
        let text = text.map(|(text, tone)| {
            Line::from(self.span(cut(&clean(text), width, self.glyphs), tone)).centered()
        });
        std::iter::repeat_n(Line::default(), above).chain(text).collect()
    }

    /// `full`: with bars and air between the parts.
    fn body(&self, status: &Status, width: usize, full: bool) -> Vec<Line<'static>> {
        let indent = if full && width >= ROOMY { INDENT } else { 0 };
        let sections = sections(status, self.order);
        let all: Vec<Row> = sections.iter().flat_map(|section| section.rows.iter().copied()).collect();
        let table = Table::new(&all, width.saturating_sub(indent), self.glyphs, self.palette);
        let mut lines = Vec::new();
        let air = |lines: &mut Vec<Line>| lines.extend(full.then(Line::default));
        for section in &sections {
            air(&mut lines);
            lines.extend(self.device(section, width, indent));
            if section.rows.is_empty() {
                lines.push(indented(indent, self.span("no tenants", Tone::Quiet).into()));
                continue;
            }
            air(&mut lines);
            lines.push(indented(indent, table.head()));
            lines.extend(section.rows.iter().map(|row| indented(indent, table.row(row))));
        }
        if sections.is_empty() {
            lines.push(self.span("the daemon sees no device yet", Tone::Quiet).into());
        }
        let remarks = self.remarks(status, width);
        if !remarks.is_empty() {
            air(&mut lines);
            lines.extend(remarks);
        }
        lines
    }

    fn device(&self, section: &Section, width: usize, indent: usize) -> Vec<Line<'static>> {
        let Some(device) = section.device else {
            let gone = self.span(format!("{} is not seen any more", short(section.uuid)), Tone::Bad);
            return vec![gone.into()];
        };
        let mut lines = if indent > 0 { self.gauges(device, width) } else { vec![self.brief(device, width)] };
        if !device.unmanaged.is_empty() {
            let text = format!("{:indent$}unmanaged  {}", "", strangers(&device.unmanaged));
            lines.push(self.span(cut(&text, width, self.glyphs), Tone::Warn).into());
        }
        lines
    }

    /// A device in three lines.
    fn gauges(&self, device: &DeviceStatus, width: usize) -> Vec<Line<'static>> {
        // What stands beside a bar is as wide as this at most.
        let bar = width.saturating_sub(64).clamp(10, BAR);
        let total = device.total.max(1) as f64;
        let [busy, _, idle] = self.glyphs.bar(bar, device.busy_percent / 100.0, 0.0);
        let [used, aside, free] =
            self.glyphs.bar(bar, device.used as f64 / total, device.granted as f64 / total);
        let name = cut(&clean(&device.name), width.saturating_sub(20), self.glyphs);
        let amounts = format!(
            "  {} used, {} granted of {}",
            show(device.used),
            show(device.granted),
            show(device.total)
        );
        let graph = width.saturating_sub(13 + bar + 8).min(60);
        vec![
            Line::from(vec![
                self.span(name, Tone::Strong),
                self.span(format!("  {}", short(&device.uuid)), Tone::Quiet),
            ]),
            Line::from(vec![
                Span::raw("  compute    "),
                self.span(busy, Tone::Compute),
                self.span(idle, Tone::Quiet),
                self.span(format!("  {:>3.0}%", device.busy_percent), Tone::Strong),
                self.span(
                    format!("  {}", self.glyphs.history(&device.history, graph).trim_start()),
                    Tone::Compute,
                ),
            ]),
            Line::from(vec![
                Span::raw("  memory     "),
                self.span(used, Tone::Memory),
                self.span(aside, Tone::Memory),
                self.span(free, Tone::Quiet),
                Span::raw(amounts),
            ]),
        ]
    }

    /// A device in one line: numbers first, the name has what is left.
    fn brief(&self, device: &DeviceStatus, width: usize) -> Line<'static> {
        let numbers = format!("  {:.0}%  {}", device.busy_percent, of(device.used, device.total));
        let name = cut(&clean(&device.name), width.saturating_sub(wide(&numbers)), self.glyphs);
        let granted = format!("  {} granted", show(device.granted));
        let room = wide(&name) + wide(&numbers) + wide(&granted) <= width;
        let mut spans = vec![self.span(name, Tone::Strong), Span::raw(numbers)];
        spans.extend(room.then(|| self.span(granted, Tone::Quiet)));
        Line::from(spans)
    }

    /// Who waits for room, and what is wrong.
    fn remarks(&self, status: &Status, width: usize) -> Vec<Line<'static>> {
        let waiting = status.waiting.iter().map(|waiting| (self.waiting(waiting), Tone::Plain));
        let trouble = status.tenants.iter().filter_map(|tenant| {
            let trouble = tenant.trouble.as_ref()?;
            Some((format!("{}: {trouble}", tenant.name), Tone::Bad))
        });
        waiting
            .chain(trouble)
            .map(|(text, tone)| self.span(cut(&clean(&text), width, self.glyphs), tone).into())
            .collect()
    }

    fn waiting(&self, waiting: &Waiting) -> String {
        let since = age(self.unix_ms.saturating_sub(waiting.since_unix_ms) / 1000);
        format!("waiting  {} ({}) for {since}: {}", waiting.name, waiting.user, waiting.why)
    }
}

fn indented(by: usize, line: Line<'static>) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(by))];
    spans.extend(line.spans);
    Line::from(spans)
}

/// Those that hold most, first.
fn strangers(unmanaged: &[Unmanaged]) -> String {
    let mut largest: Vec<&Unmanaged> = unmanaged.iter().collect();
    largest.sort_by_key(|process| std::cmp::Reverse(process.memory));
    let name = |process: &Unmanaged| {
        let program = process.name.rsplit('/').next().unwrap_or_default();
        format!("{} {} {}", process.pid, clean(program), show(process.memory))
    };
    largest.into_iter().map(name).collect::<Vec<String>>().join(", ")
}

fn many(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Time that went by, in one or two units.
fn age(seconds: u64) -> String {
    match seconds {
        0..=59 => format!("{seconds}s"),
        60..=3599 => format!("{}min", seconds / 60),
        3600..=86_399 => format!("{}h {}min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds / 3600 % 24),
    }
}
