//! `cleave kill`: ending all processes of a tenant.

use anyhow::anyhow;
use clap::Args;
use cleave_node::Home;
use cleave_node::protocol::{Answer, Request};
use serde::Serialize;

use crate::{Failure, document, node};

#[derive(Args)]
#[command(after_help = "\
Every process of the tenant, and of tenants inside it, is asked to end (SIGTERM) and ended three seconds later (SIGKILL); then
its grants go back. `cleave end` takes the grants back and leaves the processes alone.")]
pub struct Arguments {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    killed: String,
    processes: u32,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    let processes = match node::answer(&home, &Request::Kill { tenant: tenant.clone() })? {
        Answer::Killed { processes } => processes,
        other => return Err(Failure::Error(anyhow!("the daemon answered a kill with {other:?}"))),
    };
    if arguments.json {
        return document(&Report { killed: tenant, processes });
    }
    let many = if processes == 1 { "1 process".into() } else { format!("{processes} processes") };
    Ok(format!("killed {tenant} ({many})\n"))
}
