//! `cleave`: what a person types. It parses, asks the crates below, and prints; each command has a table for people and,
//! with `--json`, a stable document for programs.

/// Amounts as people write them.
mod amount;
/// `cleave bench`: what tenants get, measured by what they get done.
mod bench;
/// `cleave completions`: what a shell offers after Tab.
mod completions;
/// `cleave defrag`: which moves would free devices.
mod defrag;
/// `cleave doctor`: what is wrong on this machine.
mod doctor;
/// `cleave end`: taking a tenant's grants back.
mod end;
/// Empty libraries of the driver's names.
mod front;
/// `cleave grant`: a grant for a container.
mod grant;
/// `cleave kill`: ending all processes of a tenant.
mod kill;
/// The libraries that ride in tenants.
mod libraries;
/// `cleave man`: the manual.
mod man;
/// `cleave node`: the daemon.
mod node;
/// `cleave pause` and `cleave resume`: a tenant that launches nothing for a while.
mod pause;
/// `cleave ps`: who has what of which device.
mod ps;
/// `cleave run`: a program as a tenant.
mod run;
/// A folder for one test, as the node's tests have it.
#[cfg(test)]
#[path = "../../node/src/scratch.rs"]
mod scratch;
/// `cleave set`: other limits for a running tenant.
mod set;
/// `cleave sim`: what a policy would do with a trace.
mod sim;
/// `cleave softgpu`: the software GPU of this machine.
mod softgpu;
/// The few system calls that the standard library does not have.
#[allow(unsafe_code)]
mod system_unsafe;
/// Text in columns.
mod table;
/// `cleave top`: who has how much of which device, live.
mod top;
/// `cleave translate`: pods in other words.
mod translate;
/// Folders that appear whole or not at all.
mod whole_folder;
/// What a tenant asks for, as people type it.
mod wish;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;

/// Splits a GPU among containers
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure what tenants get of a device
    Bench(bench::Arguments),
    /// Print what a shell needs to complete cleave's words
    Completions(completions::Arguments),
    /// Show which moves would free devices
    Defrag(defrag::Arguments),
    /// Say what is wrong on this machine, why it matters, and how to fix it
    Doctor(doctor::Arguments),
    /// Take a tenant's grants back
    End(end::Arguments),
    /// Make a grant for a container, and print the options that give it to the container
    Grant(grant::Arguments),
    /// End all processes of a tenant
    Kill(kill::Arguments),
    /// Print the manual
    Man(man::Arguments),
    /// Serve this machine: keep track of who has what of its devices
    Node(node::Arguments),
    /// Let a tenant launch nothing until it is resumed
    Pause(pause::Arguments),
    /// Say whether a library is loaded in this process
    #[command(name = run::preflight::WORD, hide = true)]
    Preflight(run::preflight::Arguments),
    /// Show tenants: what they have of which device, what they use, and what they were refused
    Ps(ps::Arguments),
    /// Let a paused tenant go on
    Resume(pause::Resume),
    /// Run a program that sees a smaller GPU, and only that
    Run(run::Arguments),
    /// Give a running tenant other limits
    Set(set::Arguments),
    /// Replay a trace and show what a policy allocates
    Sim(sim::Arguments),
    /// Show the software GPU of this machine and who is on it
    Softgpu(softgpu::Arguments),
    /// Show devices and tenants live: what was asked for, what they got, memory, waiting, the last minute
    Top(top::Arguments),
    /// Show what pods written for other systems ask for, in Cleave's words, and what would be lost
    Translate(translate::Arguments),
}

/// How a command went wrong.
enum Failure {
    /// It could not be done.
    Error(anyhow::Error),
    /// It was not done, because it would disturb others.
    InUse(String),
    /// As a shell says it, with the shell's exit code.
    Code(u8, String),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<run::Missing> for Failure {
    fn from(missing: run::Missing) -> Failure {
        match missing {
            run::Missing::NotFound(reason) => Failure::Code(127, reason),
            run::Missing::NotExecutable(reason) => Failure::Code(126, reason),
        }
    }
}

impl From<cleave_device::Error> for Failure {
    fn from(error: cleave_device::Error) -> Failure {
        // Its sentence names its source already.
        Failure::Error(anyhow::anyhow!("{error}"))
    }
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Defrag(arguments) => defrag::run(&arguments),
        Command::Doctor(arguments) => match doctor::run(&arguments) {
            Ok((text, true)) => Ok(text),
            Ok((text, false)) => {
                print(&text);
                return ExitCode::FAILURE;
            }
            Err(failure) => Err(failure),
        },
        Command::End(arguments) => end::run(&arguments),
        Command::Grant(arguments) => grant::run(&arguments),
        Command::Kill(arguments) => kill::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Node(arguments) => node::run(&arguments),
        Command::Pause(arguments) => pause::run(&arguments),
        Command::Preflight(arguments) => run::preflight::run(&arguments),
        Command::Ps(arguments) => ps::run(&arguments),
        Command::Resume(arguments) => pause::resume(&arguments),
        Command::Run(arguments) => run::run(&arguments).map(|never| match never {}),
        Command::Set(arguments) => set::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Softgpu(arguments) => softgpu::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        // Prints as it goes: a dump may be larger than memory.
        Command::Translate(arguments) => match translate::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
    };
    match done {
        Ok(text) => print(&text),
        // The sentences of errors are complete; their sources are part of them.
        Err(Failure::Error(error)) => fail(1, &format!("{error:#}")),
        Err(Failure::InUse(reason)) => fail(3, &reason),
        Err(Failure::Code(code, reason)) => fail(code, &reason),
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
    say(reason);
    ExitCode::from(code)
}

/// One line for people, beside the output.
fn say(text: &str) {
    // In one piece: others may write there too.
    let _nobody_listens = io::stderr().write_all(format!("cleave: {text}\n").as_bytes());
}

fn document(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
    Ok(text + "\n")
}
