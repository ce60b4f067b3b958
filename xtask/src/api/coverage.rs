use crate::paths;
use cleave_api::columns::Backend;
use cleave_api::row::Family;
use cleave_api::{Row, cuda, nvml};
use std::fmt::Write;
use std::path::PathBuf;

/// Writes `docs/coverage.md`.
pub fn write() -> Result<(), String> {
    let file = file();
    std::fs::write(&file, page()).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// Says whether `docs/coverage.md` is what the rows say.
pub fn check() -> Result<(), String> {
    let file = file();
    let found = std::fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    if found == page() {
        return Ok(());
    }
    Err("docs/coverage.md is out of date: run `cargo xtask api docs`".to_owned())
}

fn file() -> PathBuf {
    paths::root().join("docs/coverage.md")
}

fn page() -> String {
    let mut page = String::from(
        "# API coverage\n\n\
         Written by `cargo xtask api docs` from the rows of `crates/api`; do not edit.\n\n\
         `soft`: the software GPU implements the function. `todo`: it answers \"not supported\" (and libcuda logs the name\n\
         once). `absent`: the software GPU has no such part, and \"not supported\" is the true answer.\n\
         The second column is the CUDA version that first answers the symbol in `cuGetProcAddress`; for NVML, the oldest\n\
         toolkit at hand (11.7 and later) whose header declares it. `–`: exported, never answered by a look-up.\n\n",
    );
    let (cuda, nvml): (Vec<Family>, Vec<Family>) = (cuda::families().collect(), nvml::families().collect());
    counts(&mut page, &[("CUDA driver API", &cuda), ("NVML", &nvml)]);
    for (title, families) in [("CUDA driver API", &cuda), ("NVML", &nvml)] {
        line(&mut page, &format!("\n## {title}"));
        families.iter().for_each(|family| rows(&mut page, family));
    }
    page
}

fn counts(page: &mut String, apis: &[(&str, &[Family])]) {
    line(page, "| | functions | soft | todo | absent |\n|---|---:|---:|---:|---:|");
    for (title, families) in apis {
        let all: Vec<&Row> = families.iter().flat_map(|family| family.rows).collect();
        count(page, &format!("**{title}**"), &all);
        for family in *families {
            count(page, family.name, &family.rows.iter().collect::<Vec<_>>());
        }
    }
}

fn count(page: &mut String, title: &str, rows: &[&Row]) {
    let [soft, todo, absent] = [Backend::Soft, Backend::Todo, Backend::Absent]
        .map(|backend| rows.iter().filter(|row| row.columns.backend == backend).count());
    line(page, &format!("| {title} | {} | {soft} | {todo} | {absent} |", rows.len()));
}

fn rows(page: &mut String, family: &Family) {
    line(page, &format!("\n### {}\n\n| function | since | |\n|---|---:|---|", family.name));
    for row in family.rows {
        let state = match row.columns.backend {
            Backend::Soft => "soft",
            Backend::Todo => "todo",
            Backend::Absent => "absent",
        };
        line(page, &format!("| `{}` | {} | {state} |", row.name, since(row.since)));
    }
}

fn since(version: u32) -> String {
    match version {
        0 => "–".to_owned(),
        _ => format!("{}.{}", version / 1000, version % 1000 / 10),
    }
}

fn line(page: &mut String, text: &str) {
    let _always_fits = writeln!(page, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_counts_every_row() {
        let page = page();
        let listed = page.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(listed, cleave_api::CUDA_TABLE.len() + cleave_api::NVML_TABLE.len());
        assert!(page.contains("| `cuMemAlloc_v2` | 3.2 |"));
    }
}
