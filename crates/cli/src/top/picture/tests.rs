//! What people see, at several sizes.

use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};

use super::*;
use crate::top::rows::Sort;
use crate::top::sample;

fn picture<'a>(said: Result<&'a Status, &'a str>) -> Picture<'a> {
    Picture {
        said,
        host: "gpu-box",
        time: "14:03:27",
        unix_ms: 3 * 3_600_000 + 12 * 60_000,
        silent: None,
        order: Order::default(),
        scrolled: 0,
        glyphs: Glyphs::Blocks,
        palette: Palette::new(false),
    }
}

/// The characters on a terminal of this size.
fn drawn(picture: &Picture, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let draw = |frame: &mut Frame| _ = picture.draw(frame.area(), frame.buffer_mut());
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_string();
    (0..height).map(row).collect()
}

fn shows(lines: &[String], parts: &[&str]) {
    for part in parts {
        assert!(lines.iter().any(|line| line.contains(part)), "{part} in\n{}", lines.join("\n"));
    }
}

#[test]
fn on_a_wide_terminal_there_is_everything() {
    let lines = drawn(&picture(Ok(&sample::status())), 160, 40);
    println!("{}", lines.join("\n"));
    shows(&lines, &["cleave top · gpu-box · 2 devices · 4 tenants · daemon 812 up 3h 12min"]);
    assert!(lines[0].ends_with("14:03:27"));
    shows(
        &lines,
        &["unmanaged  4711 python3 1.2 GiB, 99 Xorg 300 MiB", "21.0 GiB used, 30.0 GiB granted of 40.0 GiB"],
    );
    shows(
        &lines,
        &[
            "LAST MINUTE",
            "COPIES",
            "fixed latency",
            "not preemptible",
            "paused",
            "+2",
            "3/0%",
            "6.0/8.0 GiB",
            "ann",
        ],
    );
    shows(&lines, &["waiting  next (bob) for 2min: no device has 20 GiB free"]);
    let order: Vec<usize> = ["batch", "infer", "train", "stuck"]
        .iter()
        .map(|name| lines.iter().position(|line| line.trim_start().starts_with(name)).unwrap())
        .collect();
    assert!(order.is_sorted(), "device by device, by name: {order:?}");
    let train = &lines[order[2]];
    assert!(train.contains("60%   60%") && train.contains("41%") && train.contains('▅'), "{train}");
}

#[test]
fn narrow_terminals_leave_columns_out_from_the_least_wanted() {
    let status = sample::status();
    let picture = picture(Ok(&status));
    let heads = |width| {
        let lines = drawn(&picture, width, 60);
        lines
            .iter()
            .find(|line| line.contains("TENANT"))
            .unwrap()
            .split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(heads(100), ["TENANT", "ASKED", "GOT", "LAST", "MINUTE", "WAITS", "MEMORY", "PRIO", "POLICY"]);
    assert_eq!(heads(80), ["TENANT", "ASKED", "GOT", "WAITS", "MEMORY", "POLICY"]);
    assert_eq!(heads(50), ["TENANT", "ASKED", "GOT", "WAITS", "MEMORY"]);
    assert_eq!(heads(40), ["TENANT", "ASKED", "GOT", "MEMORY"]);
    assert_eq!(heads(20), ["TENANT", "GOT"]);
}

#[test]
fn on_a_tiny_terminal_what_counts_is_there_and_the_rest_is_scrolled_to() {
    let status = sample::status();
    let mut picture = picture(Ok(&status));
    let top = drawn(&picture, 40, 10);
    println!("{}", top.join("\n"));
    assert_eq!(top[0], "cleave top · gpu-box            14:03:27");
    shows(
        &top,
        &[
            "Example Accelerat",
            "100%  21.0/40.0 GiB",
            "TENANT",
            "60%   60%",
            "6.0/8.0 GiB",
            "q quit   s sort by name",
        ],
    );
    assert!(!top.iter().any(|line| line.contains("stuck")));
    picture.scrolled = 1000;
    let end = drawn(&picture, 40, 10);
    println!("{}", end.join("\n"));
    shows(&end, &["!  stuck", "waiting  next (bob) for 2min: no device…"]);
    assert_eq!(end[0], top[0], "the head stays");
}

#[test]
fn no_size_is_too_small() {
    let status = sample::status();
    for said in [Ok(&status), Err("no daemon runs at /run/cleave")] {
        for width in (1..30).chain([79, 250]) {
            for height in [1, 2, 3, 4, 5, 6, 90] {
                drawn(&picture(said), width, height);
            }
        }
    }
}

#[test]
fn without_a_daemon_it_says_so() {
    let lines = drawn(&picture(Err("no daemon runs at /run/cleave")), 60, 12);
    shows(&lines, &["no daemon, retrying", "no daemon runs at /run/cleave", "q quit", "14:03:27"]);
    let mut silent = picture(Err("x"));
    silent.silent = Some(7);
    shows(&drawn(&silent, 60, 12), &["no answer for 7 s"]);
}

#[test]
fn rows_are_in_the_order_that_was_asked_for() {
    let status = sample::status();
    let mut picture = picture(Ok(&status));
    let mut names = |sort, reversed| {
        picture.order = Order { sort, reversed };
        let lines = drawn(&picture, 160, 40);
        let names = ["batch", "infer", "train"];
        let first = |line: &String| names.iter().find(|name| line.trim_start().starts_with(**name)).copied();
        lines.iter().filter_map(first).collect::<Vec<&str>>()
    };
    assert_eq!(names(Sort::Got, false), ["train", "infer", "batch"]);
    assert_eq!(names(Sort::Got, true), ["batch", "infer", "train"]);
    assert_eq!(names(Sort::Memory, false), ["batch", "train", "infer"]);
    assert_eq!(names(Sort::Waiting, false), ["train", "infer", "batch"]);
    assert_eq!(names(Sort::Asked, false), ["train", "infer", "batch"]);
    assert_eq!(names(Sort::Name, false), ["batch", "infer", "train"]);
}

#[test]
fn colours_are_of_the_sixteen_or_none() {
    use ratatui::style::Color;
    let status = sample::status();
    let mut picture = picture(Ok(&status));
    let colours = |picture: &Picture| {
        let area = Rect::new(0, 0, 160, 40);
        let mut buffer = Buffer::empty(area);
        picture.draw(area, &mut buffer);
        buffer.content.iter().map(|cell| (cell.fg, cell.bg)).collect::<Vec<_>>()
    };
    let known = [Color::Reset, Color::Green, Color::Cyan, Color::Yellow, Color::Red];
    let with = colours(&picture);
    assert!(with.iter().all(|(fg, bg)| known.contains(fg) && *bg == Color::Reset));
    assert!(with.iter().any(|(fg, _)| *fg == Color::Red));
    picture.palette = Palette::new(true);
    assert!(colours(&picture).iter().all(|both| *both == (Color::Reset, Color::Reset)));
}

#[test]
fn names_cannot_write_on_the_terminal() {
    let mut status = sample::status();
    status.tenants[0].name = "\u{1b}[2Jevil\u{202e}".into();
    status.devices[0].unmanaged[0].name = "a\nb".into();
    status.devices[1].name = "学習".repeat(60);
    let lines = drawn(&picture(Ok(&status)), 120, 40);
    shows(&lines, &["?[2Jevil?", "4711 a?b"]);
    status.devices[1].name = "plain".into();
    let lines = drawn(&Picture { glyphs: Glyphs::Ascii, ..picture(Ok(&status)) }, 120, 40);
    assert!(lines.concat().is_ascii(), "{}", lines.join("\n"));
}
