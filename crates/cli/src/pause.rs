//! `cleave pause` and `cleave resume`: a tenant that launches nothing for a while.

use anyhow::anyhow;
use clap::Args;
use cleave_node::Home;
use cleave_node::protocol::{Answer, Request};
use serde::Serialize;

use crate::{Failure, document, node, say};

#[derive(Args)]
#[command(after_help = "\
Returns when all the tenant had on the devices is done. Its programs live on and wait where they launch, until `cleave resume`;
their signal handlers run, and Ctrl-C works. Its memory stays on the device unless it is sent to the host, and its place in the
book stays in any case.")]
pub struct Arguments {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Move its memory to the host as well; for tenants that were started with --movable or --oversubscribe
    #[arg(long)]
    to_host: bool,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct Resume {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Paused {
    paused: String,
    /// Whether all it had on the devices is done.
    drained: bool,
    /// Whether its memory is on the host.
    on_host: bool,
}

#[derive(Serialize)]
struct Resumed {
    resumed: String,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    let request = Request::Pause { tenant: tenant.clone(), to_host: arguments.to_host };
    let (drained, on_host) = match node::answer(&home, &request)? {
        Answer::Paused { drained, on_host } => (drained, on_host),
        other => return Err(Failure::Error(anyhow!("the daemon answered a pause with {other:?}"))),
    };
    if !drained {
        say(&format!(
            "a kernel of {tenant} does not end: it stays on the device until it does, and nothing follows it; `cleave kill \
             {tenant}` ends the tenant"
        ));
    }
    if drained && arguments.to_host && !on_host {
        say(&format!(
            "the memory of {tenant} stays on the device: the host has no room for it, or its program does not let go"
        ));
    }
    if arguments.json {
        return document(&Paused { paused: tenant, drained, on_host });
    }
    let place = if on_host { ", its memory is on the host" } else { "" };
    Ok(format!("paused {tenant}{place}\n"))
}

pub fn resume(arguments: &Resume) -> Result<String, Failure> {
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    node::ask(&home, &Request::Resume { tenant: tenant.clone() })?;
    if arguments.json { document(&Resumed { resumed: tenant }) } else { Ok(format!("resumed {tenant}\n")) }
}
