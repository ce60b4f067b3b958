use cleave_sched::sim::Curve;

/// Cells across and down.
const WIDTH: usize = 66;
const HEIGHT: usize = 21;

/// One mark per curve, the first curve drawn last so that it is seen.
const MARKS: [char; 9] = ['●', 'o', 'x', '+', '*', '=', '~', '^', '%'];

/// What is shown: demand to the right, allocated percent upwards.
struct Frame {
    left: usize,
    right: usize,
    bottom: f64,
    top: f64,
}

/// One curve from the beginning; several where they part, with what would be allocated if nothing was refused as dots.
pub fn plot(curves: &[(&str, &Curve)]) -> String {
    let right =
        curves.iter().filter_map(|(_, curve)| curve.points().last()).map(|(x, _)| x).max().unwrap_or(0);
    if right == 0 {
        return String::new();
    }
    let frame = if curves.len() == 1 {
        Frame { left: 0, right, bottom: 0.0, top: 100.0 }
    } else {
        Frame::where_they_part(curves, right)
    };
    let mut cells = vec![vec![' '; WIDTH]; HEIGHT];
    let mut draw = |x: usize, y: f64, mark: char| {
        if let Some((row, column)) = frame.cell(x, y) {
            cells[row][column] = mark;
        }
    };
    (0..=right).for_each(|x| draw(x, (x as f64).min(100.0), '·'));
    for ((_, curve), mark) in curves.iter().zip(MARKS).rev() {
        curve.points().for_each(|(x, y)| draw(x, y, mark));
    }
    frame.text(&cells, curves)
}

impl Frame {
    /// The last two fifths of the demand, and all that is allocated there.
    fn where_they_part(curves: &[(&str, &Curve)], right: usize) -> Frame {
        let left = right * 3 / 5;
        let values = || {
            curves.iter().flat_map(|(_, curve)| curve.points()).filter(|(x, _)| *x >= left).map(|(_, y)| y)
        };
        let bottom = values().fold(100.0, f64::min).floor();
        let top = values().fold(bottom + 1.0, f64::max).ceil();
        Frame { left, right, bottom, top }
    }

    fn cell(&self, x: usize, y: f64) -> Option<(usize, usize)> {
        let column = x.checked_sub(self.left)? * (WIDTH - 1) / (self.right - self.left).max(1);
        let up = (y - self.bottom) / (self.top - self.bottom) * (HEIGHT - 1) as f64;
        let inside = column < WIDTH && (0.0..HEIGHT as f64 - 0.5).contains(&up);
        inside.then(|| (HEIGHT - 1 - up.round() as usize, column))
    }

    fn text(&self, cells: &[Vec<char>], curves: &[(&str, &Curve)]) -> String {
        let mut text = String::from("allocated %\n");
        for (at, line) in cells.iter().enumerate() {
            let value = self.top - at as f64 * (self.top - self.bottom) / (HEIGHT - 1) as f64;
            let label = if at % 2 == 0 { format!("{value:>5.1}") } else { " ".repeat(5) };
            text += format!("{label} |{}", line.iter().collect::<String>()).trim_end();
            text.push('\n');
        }
        let left = self.left.to_string();
        let gap = WIDTH - left.len();
        text += &format!("      +{}\n       {left}{:>gap$}\n", "-".repeat(WIDTH), self.right);
        let legend = curves.iter().zip(MARKS).map(|((name, _), mark)| format!("{mark} {name}"));
        text + &format!("       arrived demand %   {}\n", legend.collect::<Vec<_>>().join("   "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fall_into_the_frame_or_are_left_out() {
        let frame = Frame { left: 50, right: 130, bottom: 80.0, top: 100.0 };
        assert_eq!(frame.cell(50, 100.0), Some((0, 0)));
        assert_eq!(frame.cell(130, 80.0), Some((HEIGHT - 1, WIDTH - 1)));
        assert_eq!(frame.cell(49, 90.0), None);
        assert_eq!(frame.cell(131, 90.0).map(|(_, column)| column), Some(WIDTH - 1));
        assert_eq!((frame.cell(60, 79.9), frame.cell(60, 103.0)), (None, None));
        assert_eq!(plot(&[]), "");
    }
}
