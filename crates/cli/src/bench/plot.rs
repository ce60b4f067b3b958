//! A timeline as a picture: what each tenant asked for as a dashed line, what it got as a curve, in the same colour.

use std::fmt::Write;

/// One tenant's line and curve, in percent, a value for each step of time.
pub struct Curve {
    pub name: String,
    pub asked: Vec<f64>,
    pub got: Vec<f64>,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
/// Room for the title and for the numbers of the axes.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 52.0;

/// Told apart also by who does not see all colours.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f"];

/// The picture. `step` is the length of a window in seconds.
pub fn svg(title: &str, step: f64, curves: &[Curve]) -> String {
    let steps = curves.iter().map(|curve| curve.got.len()).max().unwrap_or(0).max(1);
    let values = curves.iter().flat_map(|curve| curve.got.iter().chain(&curve.asked));
    let highest = values.copied().filter(|value| value.is_finite()).fold(10.0, f64::max);
    let top = (highest / 10.0).ceil() * 10.0;
    let x = |at: f64| LEFT + at / steps as f64 * (WIDTH - LEFT - RIGHT);
    let y = |percent: f64| HEIGHT - BOTTOM - percent / top * (HEIGHT - TOP - BOTTOM);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"28\" font-size=\"18\">{}</text>\n",
        escaped(title)
    );
    let mut add = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for percent in (0..=top as u32).step_by(if top > 60.0 { 20 } else { 10 }) {
        let (left, right, y) = (LEFT, WIDTH - RIGHT, y(f64::from(percent)));
        add(format!("<path d=\"M{left} {y:.1}H{right}\" stroke=\"#dddddd\"/>"));
        add(format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            left - 8.0,
            y + 4.0
        ));
    }
    let seconds = steps as f64 * step;
    let every = [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0].into_iter().find(|every| seconds / every <= 16.0);
    let every = every.unwrap_or(seconds / 10.0);
    for tick in 0..=(seconds / every) as u32 {
        let second = f64::from(tick) * every;
        let (x, y) = (x(second / step), HEIGHT - BOTTOM);
        add(format!("<path d=\"M{x:.1} {y}v5\" stroke=\"#444444\"/>"));
        add(format!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{second}</text>", y + 20.0));
    }
    add(format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">seconds; windows of {step} s, in percent of what a tenant does alone</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0
    ));
    for (curve, colour) in curves.iter().zip(COLOURS.into_iter().cycle()) {
        let asked = path(&curve.asked, |at| x(at as f64), y, true);
        add(format!(
            "<path d=\"{asked}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"/>"
        ));
        let got = path(&curve.got, |at| x(at as f64 + 0.5), y, false);
        add(format!("<path d=\"{got}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"));
    }
    let mut at = LEFT;
    for (curve, colour) in curves.iter().zip(COLOURS.into_iter().cycle()) {
        add(format!("<path d=\"M{at:.1} 50h24\" stroke=\"{colour}\" stroke-width=\"3\"/>"));
        add(format!("<text x=\"{:.1}\" y=\"55\">{}</text>", at + 30.0, escaped(&curve.name)));
        at += 56.0 + 7.5 * curve.name.chars().count() as f64;
    }
    add(format!("<text x=\"{LEFT}\" y=\"74\" fill=\"#444444\">dashed: asked for; line: got</text>\n</svg>"));
    text
}

/// A line through the values; `stairs` holds each until the next, to the very end.
fn path(values: &[f64], x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64, stairs: bool) -> String {
    let mut path = String::new();
    for (at, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        // Where nothing is known there is a gap.
        let gap = at.checked_sub(1).is_none_or(|before| !values[before].is_finite());
        let move_or_line = if gap { 'M' } else { 'L' };
        // Writing to a string does not fail.
        let _ = write!(path, "{move_or_line}{:.1} {:.1}", x(at), y(value));
        if stairs {
            let _ = write!(path, "H{:.1}", x(at + 1));
        }
    }
    path
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tenant_has_a_line_a_curve_and_a_name() {
        let curve =
            |name: &str| Curve { name: name.into(), asked: vec![60.0, 60.0], got: vec![59.0, f64::NAN] };
        let svg = svg("a < b", 0.1, &[curve("first"), curve("second & last")]);
        assert!(svg.contains("a &lt; b") && svg.contains(">first<") && svg.contains("second &amp; last"));
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 2);
        assert!(!svg.contains("NaN"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        assert!(!svg("", 0.1, &[]).contains("NaN"));
    }
}
