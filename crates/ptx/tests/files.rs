//! Small PTX files with what becomes of them: `accepted/*.ptx` hold a module and its printed form, `refused/*.ptx` a
//! source and the complaints about it. `UPDATE=1 cargo test` writes the second half anew.

// Helpers of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The line between source and expectation.
const CUT: &str = "//----";

struct Case {
    path: PathBuf,
    source: String,
    expected: String,
}

fn cases(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} holds no cases", folder.display());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let (source, expected) = text.split_once(&format!("{CUT}\n")).unwrap_or((&text, ""));
        Case { source: source.into(), expected: expected.into(), path }
    };
    paths.into_iter().map(read).collect()
}

impl Case {
    fn expect(&self, actual: &str) {
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&self.path, format!("{}{CUT}\n{actual}", self.source)).unwrap();
            return;
        }
        assert_eq!(actual, self.expected, "{}: run with UPDATE=1 if this is right", self.path.display());
    }
}

fn complaints(diagnostics: &[cleave_ptx::Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

#[test]
fn accepted_files_print_as_expected() {
    for case in cases("accepted") {
        let module = cleave_ptx::parse(&case.source)
            .unwrap_or_else(|diagnostics| panic!("{}:\n{}", case.path.display(), complaints(&diagnostics)));
        case.expect(&module.to_string());
    }
}

#[test]
fn refused_files_complain_as_expected() {
    for case in cases("refused") {
        match cleave_ptx::parse(&case.source) {
            Ok(_) => panic!("{} is accepted", case.path.display()),
            Err(diagnostics) => case.expect(&complaints(&diagnostics)),
        }
    }
}

#[test]
fn what_is_printed_parses_to_the_same() {
    for case in cases("accepted") {
        let module = cleave_ptx::parse(&case.source).unwrap();
        let printed = module.to_string();
        let again = cleave_ptx::parse(&printed).unwrap_or_else(|d| panic!("{}", complaints(&d)));
        assert!(module == again, "{} changes when printed", case.path.display());
        assert_eq!(printed, again.to_string());
    }
}

/// Broken sources must be refused or accepted, never crash; what is accepted must survive printing.
#[test]
fn mutated_files_never_crash() {
    let cases: Vec<Case> = cases("accepted").into_iter().chain(cases("refused")).collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..6000 {
        let mut bytes = cases[random.below(cases.len())].source.clone().into_bytes();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &cases, &mut random);
        }
        let source = String::from_utf8_lossy(&bytes);
        let Ok(module) = cleave_ptx::parse(&source) else { continue };
        let printed = module.to_string();
        match cleave_ptx::parse(&printed) {
            Ok(again) => assert!(module == again, "round {round}:\n{source}\nprints as\n{printed}"),
            Err(d) => panic!("round {round}:\n{source}\nprints as\n{printed}\n{}", complaints(&d)),
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, cases: &[Case], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(12)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] = random.below(256) as u8,
        1 => drop(bytes.drain(at..end)),
        2 => bytes.insert(at, b"{}[]();:,.@!%<>=+-*/\"0_$"[random.below(24)]),
        3 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
        4 => bytes.truncate(at),
        _ => {
            // A line of another file in place of one of this file.
            let other = &cases[random.below(cases.len())].source;
            let line = other.lines().nth(random.below(other.lines().count().max(1))).unwrap_or("").as_bytes();
            let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
            let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |p| at + p);
            bytes.splice(start..end, line.iter().copied());
        }
    }
}

/// A small generator (splitmix64): the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}
