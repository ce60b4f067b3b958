//! What is shown of a grant, and what of it fits: a narrow terminal shows fewer columns, the most wanted ones last to go.

use cleave_node::amount::show;
use ratatui::text::{Line, Span};

use super::graph::Glyphs;
use super::rows::{Row, clean};
use super::tone::{Palette, Tone};

/// Between two columns.
const GAP: usize = 2;
/// The widest a name is shown, unless there is room.
const NAME: usize = 24;
/// A graph narrower than this says nothing; there is nothing to show in a wider one.
const GRAPH: (usize, usize) = (10, 60);
const BAR: usize = 8;
/// The rank of what is never left out.
const ALWAYS: u8 = u8::MAX;

struct Column {
    head: &'static str,
    /// The lower, the sooner it is left out.
    rank: u8,
    right: bool,
    what: What,
}

enum What {
    Name,
    /// What is out of the ordinary, in a word.
    State,
    /// The same in a letter, where there is no room for all words.
    Mark,
    Text(fn(&Row) -> (String, Tone)),
    History,
    MemoryBar,
}

/// Whose cells also tell whose work goes first.
const POLICY: &str = "POLICY";

const COLUMNS: &[Column] = &[
    Column { head: "", rank: 11, right: false, what: What::Mark },
    Column { head: "TENANT", rank: ALWAYS, right: false, what: What::Name },
    Column { head: "ASKED", rank: 9, right: true, what: What::Text(|row| (row.asked(), Tone::Plain)) },
    Column { head: "GOT", rank: ALWAYS, right: true, what: What::Text(got) },
    Column { head: "LAST MINUTE", rank: 4, right: false, what: What::History },
    Column {
        head: "WAITS",
        rank: 6,
        right: true,
        what: What::Text(|row| (percent(row.grant.waiting_percent), Tone::Plain)),
    },
    Column { head: "MEMORY", rank: 8, right: true, what: What::Text(memory) },
    Column { head: "", rank: 1, right: false, what: What::MemoryBar },
    Column { head: "COPIES", rank: 0, right: true, what: What::Text(copies) },
    Column { head: "PRIO", rank: 3, right: true, what: What::Text(priority) },
    Column { head: POLICY, rank: 5, right: false, what: What::Text(|row| (row.policy(), Tone::Plain)) },
    Column {
        head: "USER",
        rank: 2,
        right: false,
        what: What::Text(|row| (clean(&row.tenant.user), Tone::Plain)),
    },
    Column { head: "", rank: 7, right: false, what: What::State },
];

fn percent(value: f64) -> String {
    // As wide as the widest there is: columns stay where they are.
    format!("{value:>3.0}%")
}

fn got(row: &Row) -> (String, Tone) {
    let tone = if row.falls_short() { Tone::Warn } else { Tone::Strong };
    (percent(row.grant.got_percent), tone)
}

fn memory(row: &Row) -> (String, Tone) {
    let tone = if row.grant.used > row.grant.memory { Tone::Bad } else { Tone::Plain };
    (of(row.grant.used, row.grant.memory), tone)
}

/// To the device, and from it.
fn copies(row: &Row) -> (String, Tone) {
    let [into, out] = [row.grant.copy_in_percent, row.grant.copy_out_percent];
    if into.max(out) < 0.5 {
        ("-".into(), Tone::Quiet)
    } else {
        (format!("{into:.0}/{out:.0}%"), Tone::Plain)
    }
}

fn priority(row: &Row) -> (String, Tone) {
    (row.priority(), if row.grant.priority == 0 { Tone::Quiet } else { Tone::Plain })
}

/// `1.0/2.0 GiB`, or `512 MiB/2.0 GiB`.
pub fn of(part: u64, whole: u64) -> String {
    let [part, whole] = [part, whole].map(show);
    match (part.split_once(' '), whole.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}/{whole}"),
        _ => format!("{part}/{whole}"),
    }
}

/// The columns that fit, with their widths; the same for all devices, so that they stand under each other.
pub struct Table {
    columns: Vec<(&'static Column, usize)>,
    glyphs: Glyphs,
    palette: Palette,
}

impl Table {
    pub fn new(rows: &[Row], width: usize, glyphs: Glyphs, palette: Palette) -> Table {
        let natural = |column: &'static Column| {
            let widest =
                |text: &dyn Fn(&Row) -> String| rows.iter().map(|row| wide(&text(row))).max().unwrap_or(0);
            let cells = match column.what {
                What::Name => widest(&|row| clean(&row.tenant.name)).min(NAME),
                What::State => widest(&|row| row.state().0),
                What::Mark => widest(&|row| row.mark().0),
                What::Text(text) => widest(&|row| text(row).0),
                What::History => GRAPH.0,
                What::MemoryBar => BAR,
            };
            // A column in which nothing stands is none.
            (column, if cells == 0 { 0 } else { cells.max(column.head.len()) })
        };
        let all: Vec<_> = COLUMNS.iter().map(natural).filter(|(_, width)| *width > 0).collect();
        let unmarked = all.iter().copied().filter(|(column, _)| !matches!(column.what, What::Mark));
        let unmarked = fitting(unmarked.collect(), width);
        let has = |wanted: &Column| unmarked.iter().any(|(column, _)| std::ptr::eq(*column, wanted));
        let telling = |column: &Column| matches!(column.what, What::State) || column.head == POLICY;
        let told = all.iter().filter(|(column, _)| telling(column)).all(|(column, _)| has(column));
        let mut columns = if told { unmarked } else { fitting(all, width) };
        // What is left over goes to the graph; what is missing comes from the name.
        let (spare, missing) =
            (width.saturating_sub(needed(&columns)), needed(&columns).saturating_sub(width));
        for (column, width) in &mut columns {
            match column.what {
                What::History => *width = (*width + spare).min(GRAPH.1),
                What::Name => *width = width.saturating_sub(missing),
                _ => {}
            }
        }
        Table { columns, glyphs, palette }
    }

    pub fn head(&self) -> Line<'static> {
        let cells = self.columns.iter().map(|(column, width)| {
            vec![Span::styled(self.fit(column.head, *width, column.right), self.palette.style(Tone::Quiet))]
        });
        line(cells)
    }

    pub fn row(&self, row: &Row) -> Line<'static> {
        let styled = |text: String, tone: Tone| Span::styled(text, self.palette.style(tone));
        let cells = self.columns.iter().map(|(column, width)| match column.what {
            What::Name => vec![styled(self.fit(&clean(&row.tenant.name), *width, false), Tone::Strong)],
            What::State => {
                let (text, tone) = row.state();
                vec![styled(self.fit(&clean(&text), *width, false), tone)]
            }
            What::Mark => {
                let (text, tone) = row.mark();
                vec![styled(self.fit(&text, *width, false), tone)]
            }
            What::Text(text) => {
                let (text, tone) = text(row);
                vec![styled(self.fit(&text, *width, column.right), tone)]
            }
            What::History => vec![styled(self.glyphs.history(&row.grant.history, *width), Tone::Compute)],
            What::MemoryBar => {
                let had = row.grant.used as f64 / row.grant.memory.max(1) as f64;
                let [had, _, rest] = self.glyphs.bar(*width, had, 0.0);
                vec![styled(had, Tone::Memory), styled(rest, Tone::Quiet)]
            }
        });
        line(cells)
    }

    /// A text in so many columns of the terminal, cut where it is longer.
    fn fit(&self, text: &str, width: usize, right: bool) -> String {
        let text = cut(text, width, self.glyphs);
        let space = " ".repeat(width.saturating_sub(wide(&text)));
        if right { space + &text } else { text + &space }
    }
}

/// The most wanted of these that fit side by side, in their order.
fn fitting(columns: Vec<(&'static Column, usize)>, width: usize) -> Vec<(&'static Column, usize)> {
    let mut wanted: Vec<usize> = (0..columns.len()).collect();
    wanted.sort_by_key(|&number| std::cmp::Reverse(columns[number].0.rank));
    let mut kept = Vec::new();
    let mut used = 0;
    for number in wanted {
        let (column, own) = columns[number];
        let more = if kept.is_empty() { own } else { own + GAP };
        if column.rank == ALWAYS || used + more <= width {
            used += more;
            kept.push(number);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|number| columns[number]).collect()
}

/// How wide these are side by side.
fn needed(columns: &[(&Column, usize)]) -> usize {
    columns.iter().map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP)
}

fn line(cells: impl Iterator<Item = Vec<Span<'static>>>) -> Line<'static> {
    let mut spans = Vec::new();
    for (number, cell) in cells.enumerate() {
        if number > 0 {
            spans.push(Span::raw(" ".repeat(GAP)));
        }
        spans.extend(cell);
    }
    Line::from(spans)
}

/// Columns of the terminal that a text takes; some letters take two.
pub fn wide(text: &str) -> usize {
    Span::raw(text).width()
}

/// The beginning of a text that is too long.
pub fn cut(text: &str, width: usize, glyphs: Glyphs) -> String {
    if wide(text) <= width {
        return text.into();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if wide(&kept) >= width {
            kept.pop();
            break;
        }
    }
    if width > 0 {
        kept.push(glyphs.cut());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_to_the_column() {
        let cut = |text: &str, width| cut(text, width, Glyphs::Blocks);
        assert_eq!(cut("train", 5), "train");
        assert_eq!(cut("training", 5), "trai…");
        assert_eq!(cut("学習ジョブ", 5), "学習…");
        assert_eq!(cut("学習ジョブ", 6), "学習…");
        assert_eq!(cut("ab", 1), "…");
        assert_eq!(cut("ab", 0), "");
    }

    #[test]
    fn a_unit_is_said_once() {
        assert_eq!(of(1 << 30, 2 << 30), "1.0/2.0 GiB");
        assert_eq!(of(512 << 20, 2 << 30), "512 MiB/2.0 GiB");
    }
}
