//! `cleave bench`: what tenants get, measured by what they get done.

/// What each tenant should get, at each moment.
mod asked;
/// What is run, and what is made of it.
mod cases;
/// What the host takes of this machine.
mod cores;
/// The CUDA driver, found at run time.
#[allow(unsafe_code)]
mod driver_unsafe;
/// Where the workers run: the device, the daemon, and what they find in their environment.
mod ground;
/// What a tenant does.
mod load;
/// A timeline of asked and got, as a picture.
mod plot;
/// What workers leave behind.
mod record;
/// What was found, for people and for programs.
mod report;
/// `cleave bench share`.
mod share;
/// Programs of tenants, started together.
mod tenants;
/// Rates in windows of time.
mod windows;
/// Keeping a device busy.
mod work;
/// A tenant's program.
mod worker;

use clap::{Args, Subcommand};

use crate::Failure;

#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure whether tenants get the compute they asked for, under Cleave or any other system
    Share(Box<share::Arguments>),
    /// What a tenant of the bench runs
    #[command(hide = true)]
    Worker(worker::Arguments),
}

/// Does it; the text to print.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    match &arguments.command {
        Command::Share(arguments) => share::run(arguments),
        Command::Worker(arguments) => worker::run(arguments),
    }
}
