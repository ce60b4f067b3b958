//! `cleave ps`: who has what of which device, and who was refused.

/// The tables for people.
mod tables;

use clap::Args;
use cleave_node::protocol::VERSION;
use cleave_node::{Home, client};
use serde_json::{Value, json};

use crate::{Failure, document, node};

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
    let known = client::status(&home)?;
    let adopted = known.is_none();
    let status = match known {
        Some(status) => Some(status),
        None => node::status(&home)?,
    };
    let place = home.path().display();
    match status {
        Some(status) if arguments.json => document(&status),
        None if arguments.json => document(&nobody()),
        Some(status) => {
            let note =
                adopted.then(|| format!("no daemon ran at {place}; this one found the tenants on disk\n\n"));
            Ok(note.unwrap_or_default() + &tables::text(&status, arguments.verbose))
        }
        None => {
            Ok(format!("no daemon runs at {place}, and there are no tenants; `cleave run` starts both\n"))
        }
    }
}

/// The same document, of a daemon that is not there.
pub fn nobody() -> Value {
    json!({ "version": VERSION, "node": null, "devices": [], "tenants": [], "waiting": [] })
}
