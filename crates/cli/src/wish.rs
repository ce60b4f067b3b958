//! What a tenant asks for, as people type it: the options that `run` and `grant` share.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cleave_node::amount::show;
use cleave_node::protocol::{Ask, Driver, Granted, Kind, Lifetime, Memory, Start, Started};

use crate::amount;

#[derive(Args)]
pub struct Wish {
    /// Memory on each device: 2G, 512M, or 25% of the device [default: the share that --compute gives, else all that is free]
    #[arg(long, value_name = "AMOUNT", value_parser = amount::memory, allow_hyphen_values = true)]
    mem: Option<Memory>,
    /// Share of each device's compute in percent; recorded, and not enforced yet [default: the share that --mem gives, else all that is left]
    #[arg(long, value_name = "PERCENT", value_parser = amount::compute, allow_hyphen_values = true)]
    compute: Option<u32>,
    /// Number of devices, each with its own grant [default: 1, or as many as --device names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    gpu: Option<u32>,
    /// Which devices: `soft` (the software GPU), `real` (the vendor's), or UUIDs with commas between them
    #[arg(long, value_name = "WHICH", value_parser = Which::parse)]
    device: Option<Which>,
    /// Stand in line until it fits
    #[arg(long)]
    wait: bool,
    /// What `cleave ps` calls it [default: the program's name]
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    /// How tenants are kept apart
    #[arg(long, value_name = "ENGINE", default_value = "soft")]
    isolation: Isolation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    Soft,
    Real,
    These(Vec<String>),
}

impl Which {
    fn parse(text: &str) -> Result<Which, String> {
        match text {
            "soft" => return Ok(Which::Soft),
            "real" => return Ok(Which::Real),
            _ => {}
        }
        let mut uuids: Vec<String> = Vec::new();
        for uuid in text.split(',').map(str::trim) {
            if !uuid.starts_with("GPU-") && !uuid.starts_with("MIG-") {
                return Err(format!(
                    "{uuid:?} is no UUID: give soft, real, or UUIDs as `cleave ps` shows them"
                ));
            }
            if uuids.iter().any(|other| other == uuid) {
                return Err(format!("{uuid} is named twice"));
            }
            uuids.push(uuid.into());
        }
        Ok(Which::These(uuids))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Isolation {
    /// In the program: its calls are intercepted
    Soft,
    #[value(hide = true)]
    Strict,
    #[value(hide = true)]
    Hard,
    #[value(hide = true)]
    Exclusive,
    #[value(hide = true)]
    Remote,
}

impl Wish {
    /// The request for it. `command` is what will run, `parent` the tenant we are in.
    pub fn start(&self, command: Vec<String>, parent: Option<String>, lifetime: Lifetime) -> Result<Start> {
        if self.isolation != Isolation::Soft {
            let name = self.isolation.to_possible_value();
            let name = name.as_ref().map_or("this", |value| value.get_name());
            bail!("--isolation {name} is not there yet: leave it out, or give soft");
        }
        let (driver, devices) = match &self.device {
            None => (Driver::Auto, Vec::new()),
            Some(Which::Soft) => (Driver::Soft, Vec::new()),
            Some(Which::Real) => (Driver::Real, Vec::new()),
            Some(Which::These(uuids)) => (Driver::Auto, uuids.clone()),
        };
        let named = devices.len() as u32;
        let count = self.gpu.unwrap_or(named.max(1));
        if named > 0 && count > named {
            bail!("--gpu {count} asks for more devices than the {named} that --device names");
        }
        let ask = Ask {
            name: self.name.clone().unwrap_or_default(),
            command,
            count,
            devices,
            memory: self.mem.unwrap_or_default(),
            compute: self.compute,
        };
        Ok(Start { ask, driver, wait: self.wait, parent, lifetime, ..Start::default() })
    }

    /// What whoever asked should know of what was given; a line each.
    pub fn remarks(&self, started: &Started) -> Vec<String> {
        let mut remarks = Vec::new();
        let soft = started.grants.iter().any(|grant| grant.kind == Kind::Soft);
        if soft && !matches!(self.device, Some(Which::Soft)) {
            remarks.push("there is no vendor driver here, so this is the software GPU".into());
        }
        if self.mem.is_none() || self.compute.is_none() {
            let grants: Vec<String> = started.grants.iter().map(describe).collect();
            let options = match (self.mem, self.compute) {
                (None, None) => "--mem and --compute choose",
                (None, _) => "--mem chooses",
                _ => "--compute chooses",
            };
            remarks.push(format!("granted {} ({options} otherwise)", grants.join(" and ")));
        }
        if let Some(share) = started.grants.iter().map(|grant| grant.compute).find(|share| *share < 100) {
            remarks.push(format!("the compute share of {share}% is recorded but not enforced yet"));
        }
        remarks
    }
}

fn describe(grant: &Granted) -> String {
    format!(
        "{} of memory and {}% of compute on {} ({})",
        show(grant.memory),
        grant.compute,
        grant.uuid,
        grant.device
    )
}

fn name(text: &str) -> Result<String, String> {
    let fine = (1..=64).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fine { Ok(text.into()) } else { Err("give 1 to 64 printable characters".into()) }
}
