use cleave_sched::sim::Curve;

/// Cells across and down.
const WIDTH: usize = 66;
const HEIGHT: usize = 21;

/// One mark per curve, the first curve drawn last so that it is seen.
const MARKS: [char; 9] = ['●', 'o', 'x', '+', '*', '=', '~', '^', '%'];

/// Allocated percent upwards, arrived demand to the right; what would be allocated if nothing was refused as dots.
pub fn plot(curves: &[(&str, &Curve)]) -> String {
    let furthest = curves.iter().filter_map(|(_, curve)| curve.points().last()).map(|(x, _)| x).max();
    let Some(furthest) = furthest.filter(|x| *x > 0) else { return String::new() };
    let mut cells = vec![vec![' '; WIDTH]; HEIGHT];
    let column = |x: usize| x * (WIDTH - 1) / furthest;
    let row = |y: f64| {
        let up = (y / 100.0 * (HEIGHT - 1) as f64).round() as usize;
        HEIGHT - 1 - up.min(HEIGHT - 1)
    };
    for x in 0..=furthest {
        cells[row((x as f64).min(100.0))][column(x)] = '·';
    }
    for ((_, curve), mark) in curves.iter().zip(MARKS).rev() {
        for (x, y) in curve.points() {
            cells[row(y)][column(x)] = mark;
        }
    }
    let mut text = String::from("allocated %\n");
    for (at, line) in cells.iter().enumerate() {
        let percent = 100 - at * 100 / (HEIGHT - 1);
        let label = if percent % 10 == 0 { format!("{percent:>4}") } else { "    ".into() };
        text += format!("{label} |{}", line.iter().collect::<String>()).trim_end();
        text.push('\n');
    }
    text += &format!("     +{}\n      0{:>width$}\n", "-".repeat(WIDTH), furthest, width = WIDTH - 1);
    let legend = curves.iter().zip(MARKS).map(|((name, _), mark)| format!("{mark} {name}"));
    text + &format!("      arrived demand %   {}\n", legend.collect::<Vec<_>>().join("   "))
}
