//! `cleave set`: other limits for a running tenant.

use anyhow::anyhow;
use clap::Args;
use cleave_node::Home;
use cleave_node::amount::show;
use cleave_node::protocol::{Memory, Request, Set};
use serde::Serialize;

use crate::amount;
use crate::wish::Kept;
use crate::{Failure, document, node};

#[derive(Args)]
#[command(after_help = "\
A tenant that uses more memory than its new limit keeps what it has and gets no more until it is below. What concerns compute
acts at once.")]
pub struct Arguments {
    /// The tenant's id or name, as `cleave ps` shows it
    tenant: String,
    /// Memory on each of its devices: 2G, 512M, or 25% of the device
    #[arg(long, value_name = "AMOUNT", value_parser = amount::memory, allow_hyphen_values = true)]
    mem: Option<Memory>,
    /// Share of each device's compute in percent
    #[arg(long, value_name = "PERCENT", value_parser = amount::compute, allow_hyphen_values = true)]
    compute: Option<u32>,
    #[command(flatten)]
    kept: Kept,
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
    policy: String,
    priority: i32,
    latency: bool,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let Kept { policy, priority, latency } = &arguments.kept;
    let shared = policy.is_some() || priority.is_some() || latency.is_some();
    if arguments.mem.is_none() && arguments.compute.is_none() && !shared {
        return Err(Failure::Error(anyhow!(
            "there is nothing to set: give --mem, --compute, --policy, --priority or --latency"
        )));
    }
    let home = Home::find();
    let tenant = node::tenant(&home, &arguments.tenant)?;
    let set = Set {
        tenant: tenant.clone(),
        device: arguments.device.clone(),
        memory: arguments.mem,
        compute: arguments.compute,
        policy: policy.clone(),
        priority: *priority,
        latency: *latency,
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
            policy: grant.policy.clone(),
            priority: grant.priority,
            latency: grant.latency,
        })
        .collect();
    if arguments.json { document(&reports) } else { Ok(reports.iter().map(Report::line).collect()) }
}

impl Report {
    fn line(&self) -> String {
        let Report { tenant, device, compute, policy, .. } = self;
        let over = if self.used > self.memory { ", keeps what it has and gets no more" } else { "" };
        let first = if self.latency { ", goes first" } else { "" };
        let priority =
            if self.priority == 0 { String::new() } else { format!(", priority {}", self.priority) };
        let (memory, used) = (show(self.memory), show(self.used));
        format!(
            "{tenant} on {device}: {memory} of memory ({used} used{over}), {compute}% of compute ({policy}{priority}{first})\n"
        )
    }
}
