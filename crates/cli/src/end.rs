//! `cleave end`: taking a tenant's grants back.

use clap::Args;
use cleave_node::Home;
use cleave_node::protocol::Request;
use serde::Serialize;

use crate::{Failure, document, node};

#[derive(Args)]
#[command(after_help = "\
A grant for a container lasts until it is ended. Programs that still run in a tenant that is ended get no more memory.")]
pub struct Arguments {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    ended: String,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    node::ask(&home, &Request::End { tenant: tenant.clone() })?;
    if arguments.json { document(&Report { ended: tenant }) } else { Ok(format!("ended {tenant}\n")) }
}
