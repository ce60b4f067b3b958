//! Tables for scripts: a line for each device, each grant, each process that is nobody's tenant.

use cleave_node::amount::show;
use cleave_node::protocol::Status;

use super::graph::Glyphs;
use super::rows::{Order, clean, sections, short};
use crate::table::table;

/// Seconds of the last minute that are shown.
const SECONDS: usize = 20;

pub fn text(status: &Status, order: Order, glyphs: Glyphs) -> String {
    let percent = |value: f64| format!("{value:.0}%");
    let devices: Vec<Vec<String>> = status
        .devices
        .iter()
        .map(|device| {
            let unmanaged =
                device.unmanaged.iter().fold(0, |sum: u64, process| sum.saturating_add(process.memory));
            vec![
                device.uuid.clone(),
                clean(&device.name),
                percent(device.busy_percent),
                show(device.used),
                show(device.granted),
                show(device.total),
                show(unmanaged),
            ]
        })
        .collect();
    let tenants: Vec<Vec<String>> = sections(status, order)
        .iter()
        .flat_map(|section| &section.rows)
        .map(|row| {
            let grant = row.grant;
            vec![
                row.tenant.id.clone(),
                clean(&row.tenant.name),
                clean(&row.tenant.user),
                short(&grant.device).into(),
                row.asked(),
                percent(grant.got_percent),
                percent(grant.waiting_percent),
                percent(grant.copy_in_percent),
                percent(grant.copy_out_percent),
                show(grant.used),
                show(grant.memory),
                row.priority(),
                row.policy(),
                Some(row.state().0).filter(|state| !state.is_empty()).unwrap_or_else(|| "running".into()),
                glyphs.history(&grant.history, SECONDS).trim_start().into(),
            ]
        })
        .collect();
    let strangers: Vec<Vec<String>> = status
        .devices
        .iter()
        .flat_map(|device| device.unmanaged.iter().map(move |process| (device, process)))
        .map(|(device, process)| {
            vec![
                process.pid.to_string(),
                clean(&process.name),
                short(&device.uuid).into(),
                show(process.memory),
            ]
        })
        .collect();
    let mut parts =
        vec![table(&["DEVICE", "NAME", "BUSY", "USED", "GRANTED", "TOTAL", "UNMANAGED"], &devices)];
    parts.push(match tenants.is_empty() {
        true => "no tenants\n".into(),
        false => table(
            &[
                "TENANT",
                "NAME",
                "USER",
                "DEVICE",
                "ASKED",
                "GOT",
                "WAITS",
                "COPY IN",
                "COPY OUT",
                "USED",
                "GRANTED",
                "PRIORITY",
                "POLICY",
                "STATE",
                "LAST SECONDS",
            ],
            &tenants,
        ),
    });
    if !strangers.is_empty() {
        parts.push(table(&["UNMANAGED PID", "PROCESS", "DEVICE", "MEMORY"], &strangers));
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::top::rows::Sort;
    use crate::top::sample;

    #[test]
    fn a_line_for_each() {
        let text = text(&sample::status(), Order { sort: Sort::Got, reversed: false }, Glyphs::Ascii);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("DEVICE"), "{text}");
        let names: Vec<&str> =
            lines[5..9].iter().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!(names, ["train", "infer", "batch", "stuck"], "{text}");
        for part in ["+2", "fixed latency", "paused", "not preemptible", "4711", "1.2 GiB", "@"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        let mut empty = sample::status();
        empty.tenants.clear();
        assert!(super::text(&empty, Order::default(), Glyphs::Ascii).contains("\nno tenants\n"));
    }
}
