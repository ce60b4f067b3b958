use crate::{install, run};
use cleave_api::cuda::symbols::DEBUGGER_DATA;
use cleave_api::{CUDA_TABLE, NVML_TABLE, Row};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

/// Compares the functions a library exports with the rows.
pub fn check(library: &Path) -> Result<(), String> {
    install::program("nm", "binutils").map_err(|e| format!("{e:#}"))?;
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--defined-only", "--format=posix"]).arg(library);
    let listing = run::stdout(&mut nm).map_err(|e| format!("{e:#}"))?;
    let exports = exports(&listing);
    let table = if exports.iter().any(|name| name.starts_with("nvml")) { NVML_TABLE } else { CUDA_TABLE };
    let report = Report::new(&exports, table);
    println!(
        "{} exports, {} rows, {} rows not exported",
        exports.len(),
        table.len(),
        report.not_exported.len()
    );
    for name in &report.not_exported {
        println!("  not exported: {name}");
    }
    if report.no_row.is_empty() {
        return Ok(());
    }
    Err(format!("exported without a row: {}", report.no_row.join(" ")))
}

struct Report<'a> {
    no_row: Vec<&'a str>,
    not_exported: Vec<&'static str>,
}

impl<'a> Report<'a> {
    fn new(exports: &[&'a str], table: &'static [Row]) -> Self {
        let rows: HashSet<&str> = table.iter().map(|row| row.name).collect();
        let found: HashSet<&str> = exports.iter().copied().collect();
        let known = |name: &str| rows.contains(name) || DEBUGGER_DATA.contains(&name);
        Self {
            no_row: exports.iter().copied().filter(|name| !known(name)).collect(),
            not_exported: table.iter().map(|row| row.name).filter(|name| !found.contains(name)).collect(),
        }
    }
}

/// Names of the API in a listing of `nm`, without symbol versions.
fn exports(listing: &str) -> Vec<&str> {
    let names = listing.lines().filter_map(|line| line.split([' ', '@']).next());
    names.filter(|name| name.starts_with("cu") || name.starts_with("nvml")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_without_a_row_is_reported() {
        let exports = exports("cuInit T 10 20\ncuNoSuchThing@@V1 T 30 40\nmalloc T 1 2\n");
        let report = Report::new(&exports, CUDA_TABLE);
        assert_eq!(report.no_row, ["cuNoSuchThing"]);
        assert_eq!(report.not_exported.len(), CUDA_TABLE.len() - 1);
    }
}
