//! The golden files of `tests/dialects`: manifests as people write them, with what they must be understood as.
//!
//! A file begins with comments: `# set KEY=VALUE` for the settings, then what is expected of its pods, in order:
//! `# ask CONTAINER: WORDS`, `# gang: NAME LEAST`, `# lost: PART OF THE SENTENCE`,
//! `# not ours: PART OF THE SENTENCE`, `# refuse: PART OF THE SENTENCE`, or `# nothing`.

use std::fs;
use std::path::{Path, PathBuf};

use cleave_kube::documents::for_each_object;
use cleave_kube::translate::{Outcome, Report, Totals, Translator};
use cleave_kube::tree::Node;
use cleave_kube::{Bounds, Settings, render, words, write};

/// What a file expects, and what came out, in the same words.
struct Case {
    expected: Vec<String>,
    reports: Vec<Report>,
    totals: Totals,
}

fn translate(text: &str, settings: &Settings) -> (Vec<Report>, Totals) {
    let mut translator = Translator::new(settings.clone());
    let mut reports = Vec::new();
    for_each_object(text.as_bytes(), Bounds::default(), &mut |found| {
        reports.extend(translator.take("golden", found));
        true
    });
    reports.extend(translator.finish());
    (reports, translator.totals())
}

fn run(path: &Path) -> Case {
    let text = fs::read_to_string(path).expect("a golden file can be read");
    let mut settings = Settings::default();
    let mut expected = Vec::new();
    for line in text.lines().map_while(|line| line.strip_prefix("# ")) {
        match line.strip_prefix("set ") {
            Some(pair) => {
                let (key, value) = pair.split_once('=').expect("a setting has a =");
                settings.set(key, value).expect("a setting is accepted");
            }
            None => expected.push(line.to_owned()),
        }
    }
    let (reports, totals) = translate(&text, &settings);
    Case { expected, reports, totals }
}

fn observed(reports: &[Report]) -> Vec<String> {
    let mut lines = Vec::new();
    for report in reports {
        match &report.outcome {
            Outcome::Broken(why) => lines.push(format!("broken: {why}")),
            Outcome::Claim(_) => {}
            Outcome::Pods(pods) => {
                for (_, result) in pods {
                    match result {
                        Ok(asked) => {
                            for a in &asked.asks {
                                lines.push(format!("ask {}: {}", a.container, words::line(&a.ask)));
                            }
                            let gang = asked.gang.as_ref();
                            lines.extend(gang.map(|g| format!("gang: {} {}", g.name, g.least)));
                            lines.extend(asked.lost.iter().map(|lost| format!("lost: {lost}")));
                            lines.extend(asked.foreign.iter().map(|foreign| format!("not ours: {foreign}")));
                        }
                        Err(refusal) => lines.push(format!("refuse: {refusal}")),
                    }
                }
            }
        }
    }
    if lines.is_empty() {
        lines.push("nothing".to_owned());
    }
    lines
}

fn matches(expected: &str, seen: &str) -> bool {
    for kind in ["refuse: ", "lost: ", "not ours: "] {
        if let (Some(part), Some(sentence)) = (expected.strip_prefix(kind), seen.strip_prefix(kind)) {
            return sentence.contains(part);
        }
    }
    expected == seen
}

fn files() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects");
    let mut files = Vec::new();
    for folder in fs::read_dir(root).expect("tests/dialects is there") {
        let folder = folder.expect("a folder can be read").path();
        let dialect = folder.file_name().expect("it has a name").to_string_lossy().into_owned();
        for file in fs::read_dir(&folder).expect("a folder of golden files") {
            files.push((dialect.clone(), file.expect("a file").path()));
        }
    }
    files.sort();
    files
}

#[test]
fn every_manifest_is_understood_as_written_down() {
    let mut wrong = Vec::new();
    for (_, path) in files() {
        let case = run(&path);
        let seen = observed(&case.reports);
        let same =
            seen.len() == case.expected.len() && case.expected.iter().zip(&seen).all(|(e, s)| matches(e, s));
        if !same {
            wrong.push(format!("{}\n  expected {:#?}\n  seen {:#?}", path.display(), case.expected, seen));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dialect_has_ten_manifests_of_both_kinds() {
    let files = files();
    for dialect in cleave_kube::dialect::ALL {
        let own: Vec<_> = files.iter().filter(|(d, _)| d == dialect.name).collect();
        assert!(own.len() >= 10, "{} has {} manifests", dialect.name, own.len());
        let refused = |path: &Path| run(path).expected.iter().any(|line| line.starts_with("refuse"));
        assert!(own.iter().any(|(_, path)| refused(path)), "{} has none that is refused", dialect.name);
        assert!(own.iter().any(|(_, path)| !refused(path)), "{} has none that is accepted", dialect.name);
    }
}

/// Init containers run one by one, sidecars beside all that follows: the largest phase counts, not the sum.
#[test]
fn a_pod_needs_what_its_largest_phase_needs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects");
    let case = run(&root.join("hami/init-and-sidecar-and-main.yaml"));
    let Outcome::Pods(pods) = &case.reports[0].outcome else { panic!("a pod") };
    let asked = pods[0].1.as_ref().expect("it is understood");
    assert_eq!(asked.phases, [vec![0], vec![1, 2]]);
    assert_eq!(asked.devices(), 3);
}

/// What no dialect has is said of the claim and of the pod that uses it, to people and to programs, and is counted.
#[test]
fn claims_that_are_not_ours_are_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects");
    let case = run(&root.join("nvidia-dra/another-class-is-not-ours.yaml"));
    let said = "device class \"nic.example.com\" is of no dialect; the claim stays as it is";
    let tables: Vec<String> = case.reports.iter().map(render::table).collect();
    assert!(tables[0].contains(&format!("not ours: {said}")), "{tables:?}");
    assert!(tables[1].contains(&format!("not ours: container main: {said}")), "{tables:?}");
    let json: Vec<String> = case.reports.iter().map(render::json_object).collect();
    assert!(
        json[0].contains(r#""requests":[{"not_ours":{"class":"nic.example.com"},"request":"nic"}]"#),
        "{json:?}"
    );
    assert!(json[1].contains(r#""not_ours":[{"class":"nic.example.com","container":"main"}]"#), "{json:?}");
    assert!(case.reports.iter().all(|report| report.rewritten.is_none()));
    let totals = case.totals;
    assert_eq!((totals.foreign, totals.understood, totals.refused, totals.lost), (2, 0, 0, 0));
    assert!(render::json_totals(&totals).contains(r#""not_ours":2"#));
}

/// Own words → Ask → own words: what is printed asks for exactly the same, and is printed the same again.
#[test]
fn what_is_rewritten_asks_for_the_same() {
    for (_, path) in files() {
        // Claims that are not ours are still used.
        let written = fs::read_to_string(&path).expect("a golden file can be read");
        let claims = written.split("---\n").filter(|part| part.contains("kind: ResourceClaim"));
        let claims: String = claims.map(|claim| format!("{claim}---\n")).collect();
        for report in run(&path).reports {
            let Some(object) = &report.rewritten else { continue };
            for text in [write::yaml(object), write::json(object)] {
                let (again, _) = translate(&format!("{claims}{text}"), &Settings::default());
                let asks = |r: &[Report]| -> Vec<String> {
                    observed(r).into_iter().filter(|line| line.starts_with("ask")).collect()
                };
                assert_eq!(asks(&again), asks(std::slice::from_ref(&report)), "{}\n{text}", path.display());
                let twice: Vec<&Node> = again.iter().filter_map(|r| r.rewritten.as_ref()).collect();
                assert_eq!(twice.len(), 1, "{}\n{text}", path.display());
                assert_eq!(lines(twice[0]), lines(object), "{}", path.display());
            }
        }
    }
}

/// The lines of an object, in no order and without quotes: keys may move, and JSON quotes all strings.
fn lines(object: &Node) -> Vec<String> {
    let mut lines: Vec<String> = write::yaml(object).lines().map(|line| line.replace('"', "")).collect();
    lines.sort();
    lines
}
