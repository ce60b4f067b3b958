//! `cleave`: what a person types. It parses, asks the crates below, and prints; each command has a table for people and,
//! with `--json`, a stable document for programs.

/// `cleave defrag`: which moves would free devices.
mod defrag;
/// `cleave sim`: what a policy would do with a trace.
mod sim;
/// `cleave softgpu`: the software GPU of this machine.
mod softgpu;
/// Text in columns.
mod table;
/// `cleave translate`: pods in other words.
mod translate;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Splits a GPU among containers
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show which moves would free devices
    Defrag(defrag::Arguments),
    /// Replay a trace and show what a policy allocates
    Sim(sim::Arguments),
    /// Show the software GPU of this machine and who is on it
    Softgpu(softgpu::Arguments),
    /// Show what pods written for other systems ask for, in Cleave's words, and what would be lost
    Translate(translate::Arguments),
}

/// How a command went wrong.
enum Failure {
    /// It could not be done.
    Error(anyhow::Error),
    /// It was not done, because it would disturb others.
    InUse(String),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<cleave_device::Error> for Failure {
    fn from(error: cleave_device::Error) -> Failure {
        Failure::Error(error.into())
    }
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Defrag(arguments) => defrag::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Softgpu(arguments) => softgpu::run(&arguments),
        // Prints as it goes: a dump may be larger than memory.
        Command::Translate(arguments) => match translate::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
    };
    match done {
        Ok(text) => print(&text),
        // The sentences of errors are complete; their sources are part of them.
        Err(Failure::Error(error)) => fail(1, &error.to_string()),
        Err(Failure::InUse(reason)) => fail(3, &reason),
    }
}

/// A reader that goes away early, as `head` does, is no error.
fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(1, &format!("cannot write: {error}")),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(code: u8, reason: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "cleave: {reason}");
    ExitCode::from(code)
}
