use std::io::{self, IsTerminal, Write};

/// Cells of the bar.
const WIDTH: u64 = 40;

/// A bar on stderr that fills, if a person is looking.
pub struct Bar {
    name: String,
    total: u64,
    done: u64,
    drawn: Option<u64>,
    seen: bool,
}

impl Bar {
    pub fn new(name: &str, total: u64) -> Bar {
        Bar { name: name.into(), total: total.max(1), done: 0, drawn: None, seen: io::stderr().is_terminal() }
    }

    pub fn advance(&mut self, steps: u64) {
        self.done += steps;
        let percent = (self.done * 100 / self.total).min(100);
        if self.seen && self.drawn != Some(percent) {
            self.drawn = Some(percent);
            let _ = write!(io::stderr(), "\r{}", text(&self.name, percent));
        }
    }

    /// Leaves the line empty for what comes next.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn text(name: &str, percent: u64) -> String {
    let full = (percent * WIDTH / 100) as usize;
    format!("{name:<12} [{}{}] {percent:>3} %", "#".repeat(full), " ".repeat(WIDTH as usize - full))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_bar_fills() {
        assert_eq!(text("fgd", 0), format!("fgd          [{}]   0 %", " ".repeat(40)));
        assert_eq!(text("fgd", 100), format!("fgd          [{}] 100 %", "#".repeat(40)));
    }
}
