//! `cleave doctor`: what is wrong on this machine, why it matters, and how to fix it.

/// The vendor's driver, and what sits between it and programs.
mod driver;
/// Folders and file systems.
mod places;
/// Libraries that others preload.
mod preload;

use std::fs;
use std::path::Path;

use clap::Args;
use cleave_node::Home;
use cleave_node::client::{self, Client, Lost};
use cleave_node::protocol::{Answer, Finding, Request, Severity};
use serde::Serialize;

use crate::{Failure, document, system_unsafe};

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
    for finding in local(&machine, &home) {
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

/// What can be seen without a daemon.
fn local(machine: &Machine, home: &Home) -> Vec<Finding> {
    let checks = [driver::check(machine), preload::check(machine), places::check(home)];
    checks.into_iter().flatten().chain(cooperative(home)).collect()
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

/// What there is to say where no daemon answers.
fn without(home: &Home) -> Vec<Finding> {
    let place = home.path().display();
    let mut findings = vec![finding(
        Severity::Note,
        "no_node",
        &format!("no daemon runs at {place}"),
        "`cleave run` starts one that lives as long as its tenants",
        "for one that stays, start `cleave node`",
    )];
    let left = fs::read_dir(home.tenants()).map_or(0, Iterator::count);
    if left > 0 {
        findings.push(finding(
            Severity::Warning,
            "tenants_left",
            &format!("tenants without a daemon: {left}, in {}", home.tenants().display()),
            "they keep their limits, but what they hold may be out of date",
            "`cleave ps` and `cleave run` start a daemon that adopts them",
        ));
    }
    findings
}

/// Whether limits are out of reach of programs that this user starts.
fn cooperative(home: &Home) -> Option<Finding> {
    let user = system_unsafe::user();
    let daemon = client::status(home).ok().flatten().map_or(user, |status| status.node.uid);
    (daemon == user || user == 0).then(|| {
        finding(
            Severity::Note,
            "cooperative",
            "tenants of this user run under the daemon's own user, or as root",
            "limits hold for programs that do not fight them; such a tenant could change its own",
            "where that matters, run `cleave node` as root and the tenants as other users",
        )
    })
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
