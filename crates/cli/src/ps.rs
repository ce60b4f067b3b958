//! `cleave ps`: who has what of which device, and who was refused.

/// The tables for people.
mod tables;

use anyhow::anyhow;
use clap::Args;
use cleave_node::{Home, client};

use crate::{Failure, document};

#[derive(Args)]
pub struct Arguments {
    /// Show each process, with its last refusal
    #[arg(short, long)]
    verbose: bool,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    let Some(status) = client::status(&home)? else {
        return Err(Failure::Error(anyhow!(
            "no daemon runs at {}: `cleave run` starts one",
            home.path().display()
        )));
    };
    if arguments.json { document(&status) } else { Ok(tables::text(&status, None, arguments.verbose)) }
}
