//! Text in columns.

/// Lines of cells, each column as wide as its widest cell. Numbers are to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
        cells.chain([head[column]]).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let right: Vec<bool> = (0..head.len())
        .map(|column| {
            !rows.is_empty() && rows.iter().all(|row| row.get(column).is_some_and(|cell| numeric(cell)))
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).zip(&right).map(|((cell, &width), &right)| {
            if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let line = padded.collect::<Vec<String>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    let mut text = line(&mut head.iter().copied());
    rows.iter().for_each(|row| text.push_str(&line(&mut row.iter().map(String::as_str))));
    text
}

/// Digits, then a unit perhaps; a name that begins with a digit is none.
fn numeric(cell: &str) -> bool {
    let word = cell.split([' ', '/', '(']).next().unwrap_or_default();
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    word.starts_with(|c: char| c.is_ascii_digit()) && !unit.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["1".into(), "a".into()], vec!["234".into(), "bcd".into()]];
        assert_eq!(table(&["PID", "NAME"], &rows), "PID  NAME\n  1  a\n234  bcd\n");
        assert_eq!(table(&["A", "B"], &[]), "A  B\n");
        for (cell, expected) in [
            ("4G", true),
            ("1.5 GiB/2 GiB", true),
            ("30% (x)", true),
            ("77*", true),
            ("6f0db2ca", false),
            ("", false),
        ] {
            assert_eq!(numeric(cell), expected, "{cell}");
        }
    }
}
