//! The presets and their figures.

use cleave_device::key::KEYS;
use cleave_device::preset::PRESETS;
use serde::Serialize;

use super::show::SetupReport;
use crate::table::table;
use crate::{Failure, document};

#[derive(Serialize)]
struct PresetReport {
    name: &'static str,
    description: &'static str,
    setup: SetupReport,
}

pub fn run(json: bool) -> Result<String, Failure> {
    if json {
        let reports: Vec<PresetReport> = PRESETS
            .iter()
            .map(|preset| PresetReport {
                name: preset.name,
                description: preset.what,
                setup: SetupReport::of(&preset.setup()),
            })
            .collect();
        return document(&reports);
    }
    let head: Vec<String> = KEYS.iter().map(|key| key.name.to_uppercase()).collect();
    let head: Vec<&str> =
        ["PRESET"].into_iter().chain(head.iter().map(String::as_str)).chain(["WHAT"]).collect();
    let rows: Vec<Vec<String>> = PRESETS
        .iter()
        .map(|preset| {
            let setup = preset.setup();
            let figures = KEYS.iter().map(|key| key.show(&setup));
            [preset.name.to_string()].into_iter().chain(figures).chain([preset.what.into()]).collect()
        })
        .collect();
    let keys = KEYS.iter().map(|key| vec![key.name.to_string(), key.variable(), key.meaning.to_string()]);
    let keys: Vec<Vec<String>> = keys.collect();
    Ok(format!("{}\n{}", table(&head, &rows), table(&["KEY", "VARIABLE", "MEANING"], &keys)))
}
