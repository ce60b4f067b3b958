//! What colours mean: no more than the sixteen that every terminal has, and none where people want none.

use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// What is read first.
    Strong,
    /// What is only read when it is looked for.
    Quiet,
    Compute,
    Memory,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub struct Palette {
    colours: bool,
}

impl Palette {
    pub fn new(no_colour: bool) -> Palette {
        Palette { colours: !no_colour }
    }

    pub fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        let (colour, modifier) = match tone {
            Tone::Plain => return plain,
            Tone::Strong => return plain.add_modifier(Modifier::BOLD),
            Tone::Quiet => return plain.add_modifier(Modifier::DIM),
            Tone::Compute => (Color::Green, Modifier::empty()),
            Tone::Memory => (Color::Cyan, Modifier::empty()),
            Tone::Warn => (Color::Yellow, Modifier::BOLD),
            Tone::Bad => (Color::Red, Modifier::BOLD),
        };
        let styled = plain.add_modifier(modifier);
        match (self.colours, tone) {
            (true, _) => styled.fg(colour),
            (false, Tone::Bad) => styled.add_modifier(Modifier::REVERSED),
            (false, _) => styled,
        }
    }
}
