//! Bars and graphs made of characters.

/// Characters that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    Blocks,
    Ascii,
}

/// From least to most; the first is nothing.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 9] = [' ', '.', ':', '-', '=', '+', '*', '#', '@'];

impl Glyphs {
    /// Blocks where the locale's characters are UTF-8. `lookup` tells variables of the environment.
    pub fn of_locale(lookup: &dyn Fn(&str) -> Option<String>) -> Glyphs {
        let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(lookup);
        let locale = named.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Glyphs::Blocks } else { Glyphs::Ascii }
    }

    /// Percent of the last seconds, a character each, the newest at the right end.
    pub fn history(self, percents: &[f32], width: usize) -> String {
        let steps = if self == Glyphs::Blocks { BLOCKS } else { ASCII };
        let shown = &percents[percents.len().saturating_sub(width)..];
        let graph = shown.iter().map(|&percent| {
            // Anything at all is seen.
            let step = if percent < 0.05 { 0.0 } else { (percent / 12.5).ceil().clamp(1.0, 8.0) };
            steps[step as usize]
        });
        " ".repeat(width - shown.len()).chars().chain(graph).collect()
    }

    /// A bar of three parts: had, set aside, and the rest. `had` and `aside` are shares of the whole and begin both at its left end.
    pub fn bar(self, width: usize, had: f64, aside: f64) -> [String; 3] {
        let cells = |share: f64| (share.clamp(0.0, 1.0) * width as f64).round() as usize;
        let had = cells(had).max(usize::from(had > 0.0)).min(width);
        let aside = cells(aside).max(had);
        let [full, half, rest] = if self == Glyphs::Blocks { ["█", "▒", "░"] } else { ["#", "=", "."] };
        [full.repeat(had), half.repeat(aside - had), rest.repeat(width - aside)]
    }

    /// Where a text was cut.
    pub fn cut(self) -> char {
        if self == Glyphs::Blocks { '…' } else { '~' }
    }

    /// Between two things on a line.
    pub fn dot(self) -> &'static str {
        if self == Glyphs::Blocks { " · " } else { " - " }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stands_at_the_right_and_anything_is_seen() {
        let graph = |percents: &[f32], width| Glyphs::Blocks.history(percents, width);
        assert_eq!(graph(&[0.0, 0.1, 12.5, 12.6, 50.0, 100.0, 140.0], 9), "   ▁▁▂▄██");
        assert_eq!(graph(&[0.0, 50.0, 100.0], 2), "▄█");
        assert_eq!(graph(&[100.0, f32::NAN], 0), "");
        assert_eq!(Glyphs::Ascii.history(&[1.0, 100.0], 3), " .@");
    }

    #[test]
    fn bars_are_as_wide_as_they_should_be() {
        let bar = |had, aside| Glyphs::Ascii.bar(10, had, aside).concat();
        assert_eq!(bar(0.25, 0.5), "###==.....");
        assert_eq!(bar(0.001, 0.0), "#.........");
        assert_eq!(bar(0.0, 0.0), "..........");
        assert_eq!(bar(7.0, 0.5), "##########");
        assert_eq!(bar(f64::NAN, f64::INFINITY), "==========");
        assert_eq!(Glyphs::Blocks.bar(0, 1.0, 1.0).concat(), "");
    }

    #[test]
    fn the_first_variable_that_says_something_decides() {
        let of = |pairs: &[(&str, &str)]| {
            Glyphs::of_locale(&|name| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), Glyphs::Blocks);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]), Glyphs::Ascii);
        assert_eq!(of(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")]), Glyphs::Blocks);
        assert_eq!(of(&[]), Glyphs::Ascii);
    }
}
