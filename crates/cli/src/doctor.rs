//! `cleave doctor`: what is wrong on this machine, why it matters, and how to fix it.

/// The vendor's driver, and what sits between it and programs.
mod driver;
/// Folders and file systems.
mod places;
/// Libraries that others preload.
mod preload;

use std::path::Path;

use clap::Args;
use cleave_node::Home;
use cleave_node::client::{Client, Lost};
use cleave_node::protocol::{Answer, Finding, Request, Severity};
use serde::Serialize;

use crate::{Failure, document};

#[derive(Args)]
#[command(after_help = "Exit status: 0 nothing that prevents work, 1 at least one problem.")]
pub struct Arguments {
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

/// The document of `cleave doctor --json`.
#[derive(Serialize)]
struct Report {
    healthy: bool,
    findings: Vec<Finding>,
}

/// What the checks look at: this machine, or one that a test made up.
struct Machine<'a> {
    /// What stands for `/`.
    root: &'a Path,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

/// The text, and whether all is well.
pub fn run(arguments: &Arguments) -> Result<(String, bool), Failure> {
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let machine = Machine { root: Path::new("/"), variable: &variable };
    let home = Home::find();
    let mut findings = node(&home);
    for finding in
        driver::check(&machine).into_iter().chain(preload::check(&machine)).chain(places::check(&home))
    {
        // The daemon sees some of it too; whoever takes it more seriously is heard.
        match findings.iter_mut().find(|other| other.id == finding.id) {
            None => findings.push(finding),
            Some(other) if other.severity < finding.severity => *other = finding,
            Some(_) => {}
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let healthy = findings.iter().all(|finding| finding.severity < Severity::Problem);
    let report = Report { healthy, findings };
    let text = if arguments.json { document(&report)? } else { report.text() };
    Ok((text, healthy))
}

/// What the daemon finds, or what there is to say without one.
fn node(home: &Home) -> Vec<Finding> {
    match Client::connect(home).and_then(|mut client| client.ask(&Request::Check, |_| ())) {
        Ok(Answer::Checked { findings }) => findings,
        Ok(other) => vec![broken(format!("it answered with {other:?}"))],
        Err(Lost::Broken(error)) => vec![broken(format!("{error:#}"))],
        Err(Lost::NoDaemon(_)) => without(home),
    }
}

fn broken(how: String) -> Finding {
    finding(
        Severity::Problem,
        "node_broken",
        &format!("the daemon cannot be asked: {how}"),
        "nobody gets a grant",
        "see whether it runs, and whether it is of this version",
    )
}

/// Grants that outlived their daemon are kept, and adopted by the next one.
fn without(home: &Home) -> Vec<Finding> {
    let home = home.path().display();
    vec![finding(
        Severity::Note,
        "no_node",
        &format!("no daemon runs at {home}"),
        "`cleave run` starts one that lives as long as its tenants",
        "for one that stays, start `cleave node`",
    )]
}

fn finding(severity: Severity, id: &str, what: &str, why: &str, fix: &str) -> Finding {
    Finding { severity, id: id.into(), what: what.into(), why: why.into(), fix: fix.into() }
}

impl Report {
    fn text(&self) -> String {
        let mut text = String::new();
        for Finding { severity, id, what, why, fix } in &self.findings {
            let severity = match severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Problem => "problem",
            };
            text += &format!("{severity} {id}: {what}\n");
            for (word, rest) in [("why", why), ("fix", fix)] {
                if !rest.is_empty() {
                    text += &format!("    {word}: {rest}\n");
                }
            }
        }
        let count = |wanted| self.findings.iter().filter(|finding| finding.severity == wanted).count();
        let (problems, warnings) = (count(Severity::Problem), count(Severity::Warning));
        text + &match (problems, warnings) {
            (0, 0) => "nothing is wrong\n".into(),
            (0, _) => format!("no problems, warnings: {warnings}\n"),
            _ => format!("problems: {problems}, warnings: {warnings}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_say_what_why_and_how() {
        let found = finding(Severity::Problem, "x_y", "it is so", "it matters", "do this");
        let note = finding(Severity::Note, "z", "good to know", "", "");
        let report = Report { healthy: false, findings: vec![found, note] };
        assert_eq!(
            report.text(),
            "problem x_y: it is so\n    why: it matters\n    fix: do this\nnote z: good to know\nproblems: 1, warnings: 0\n"
        );
        assert_eq!(Report { healthy: true, findings: Vec::new() }.text(), "nothing is wrong\n");
    }
}
