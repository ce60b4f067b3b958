//! `cleave set`: other limits for a running tenant.

use anyhow::anyhow;
use clap::Args;
use cleave_node::Home;
use cleave_node::amount::show;
use cleave_node::protocol::{Memory, Request, Set};
use serde::Serialize;

use crate::amount;
use crate::{Failure, document, node};

#[derive(Args)]
#[command(after_help = "\
A tenant that uses more than its new limit keeps what it has and gets no more until it is below.")]
pub struct Arguments {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Memory on each of its devices: 2G, 512M, or 25% of the device
    #[arg(long, value_name = "AMOUNT", value_parser = amount::memory, allow_hyphen_values = true)]
    mem: Option<Memory>,
    /// Share of each device's compute in percent; recorded, and not enforced yet
    #[arg(long, value_name = "PERCENT", value_parser = amount::compute, allow_hyphen_values = true)]
    compute: Option<u32>,
    /// Only its grant on this device
    #[arg(long, value_name = "UUID")]
    device: Option<String>,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

/// A grant as it is now.
#[derive(Serialize)]
struct Report {
    tenant: String,
    device: String,
    memory: u64,
    used: u64,
    compute: u32,
    compute_enforced: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    if arguments.mem.is_none() && arguments.compute.is_none() {
        return Err(Failure::Error(anyhow!("there is nothing to set: give --mem, --compute or both")));
    }
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    let set = Set {
        tenant: tenant.clone(),
        device: arguments.device.clone(),
        memory: arguments.mem,
        compute: arguments.compute,
    };
    node::ask(&home, &Request::Set(set))?;
    let status = node::status(&home)?;
    let tenants = status.iter().flat_map(|status| &status.tenants).filter(|other| other.id == tenant);
    let reports: Vec<Report> = tenants
        .flat_map(|tenant| &tenant.grants)
        .filter(|grant| arguments.device.as_ref().is_none_or(|device| *device == grant.device))
        .map(|grant| Report {
            tenant: tenant.clone(),
            device: grant.device.clone(),
            memory: grant.memory,
            used: grant.used,
            compute: grant.compute,
            compute_enforced: grant.compute_enforced,
        })
        .collect();
    if arguments.json { document(&reports) } else { Ok(reports.iter().map(Report::line).collect()) }
}

impl Report {
    fn line(&self) -> String {
        let enforced = if self.compute < 100 && !self.compute_enforced { " (not enforced yet)" } else { "" };
        let over = if self.used > self.memory { ", keeps what it has and gets no more" } else { "" };
        format!(
            "{} on {}: {} of memory ({} used{over}), {}% of compute{enforced}\n",
            self.tenant,
            self.device,
            show(self.memory),
            show(self.used),
            self.compute
        )
    }
}
