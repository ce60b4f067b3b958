//! The rows against what a real driver (535.309.01, version 12020) exports and answers.

use cleave_api::cuda::symbols::DEBUGGER_DATA;
use cleave_api::procaddress::{Answer, PER_THREAD_DEFAULT_STREAM, resolve};
use cleave_api::{CUDA_TABLE, NVML_TABLE, Row};
use std::collections::HashSet;
use std::path::Path;

const DRIVER: u32 = 12020;

fn lines(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/cuda-535").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let split = |line: &str| line.split(['\t', ' ']).map(str::to_owned).collect();
    text.lines().map(split).collect()
}

fn names(table: &[Row]) -> HashSet<&str> {
    table.iter().map(|row| row.name).collect()
}

fn answer(base: &str, version: u32, flags: u64) -> String {
    match resolve(base, version, flags, DRIVER) {
        Answer::Found(row) => row.name.to_owned(),
        Answer::UnknownName => "NOTFOUND st=1".to_owned(),
        Answer::VersionTooLow => "NOTFOUND st=2".to_owned(),
    }
}

#[test]
fn every_since_is_reproduced() {
    let rows = lines("since-535.tsv");
    assert_eq!(rows.len(), 590);
    for line in &rows[1..] {
        let (symbol, base) = (&line[0], &line[1]);
        let (since, flag): (u32, u64) = (line[2].parse().unwrap(), line[3].parse().unwrap());
        let row =
            CUDA_TABLE.iter().find(|row| row.name == symbol).unwrap_or_else(|| panic!("no row {symbol}"));
        assert_eq!((row.since, row.base()), (since, base.as_str()), "{symbol}");
        assert_eq!(row.is_per_thread(), flag == PER_THREAD_DEFAULT_STREAM, "{symbol}");
        assert_eq!(answer(base, since, flag), *symbol);
        assert_ne!(answer(base, since - 10, flag), *symbol);
    }
}

#[test]
fn every_look_up_is_reproduced() {
    let rows = lines("procaddress-535.tsv");
    assert_eq!(rows.len(), 1210);
    for line in &rows {
        let expected = match line[3].as_str() {
            "NOTFOUND" => format!("NOTFOUND {}", line[4]),
            symbol => symbol.to_owned(),
        };
        let (version, flags) = (line[1].parse().unwrap(), line[2].parse().unwrap());
        assert_eq!(answer(&line[0], version, flags), expected, "{line:?}");
    }
}

#[test]
fn no_symbol_is_answered_that_the_driver_does_not_answer() {
    let known: HashSet<String> = lines("since-535.tsv").into_iter().map(|line| line[0].clone()).collect();
    let answered = CUDA_TABLE.iter().filter(|row| cleave_api::procaddress::visible(row, DRIVER));
    let extra: Vec<&str> = answered.map(|row| row.name).filter(|name| !known.contains(*name)).collect();
    assert!(extra.is_empty(), "{extra:?}");
}

#[test]
fn every_exported_function_is_a_row() {
    let rows = names(CUDA_TABLE);
    for line in lines("exports-libcuda.txt") {
        match line[1].as_str() {
            "T" => assert!(rows.contains(line[0].as_str()), "no row {}", line[0]),
            "B" => assert!(DEBUGGER_DATA.contains(&line[0].as_str()), "no data symbol {}", line[0]),
            kind => panic!("{}: unexpected kind {kind}", line[0]),
        }
    }
}

#[test]
fn every_exported_nvml_function_is_a_row() {
    let rows = names(NVML_TABLE);
    for line in lines("exports-nvml.txt") {
        assert!(rows.contains(line[0].as_str()), "no row {}", line[0]);
    }
}
