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
        if soft && self.device.is_none() {
            remarks.push("there is no vendor driver here, so this is the software GPU".into());
        }
        if self.mem.is_none() || self.compute.is_none() {
            let grants: Vec<String> = started.grants.iter().map(describe).collect();
            let options = match (self.mem, self.compute) {
                (None, None) => "--mem and --compute choose",
                (None, _) => "--mem chooses",
                _ => "--compute chooses",
            };
            remarks.push(format!("granted {}; {options} otherwise", grants.join(" and ")));
        } else if let Some(share) =
            started.grants.iter().map(|grant| grant.compute).find(|share| *share < 100)
        {
            remarks.push(format!("the compute share of {share}% is {UNENFORCED}"));
        }
        remarks
    }
}

const UNENFORCED: &str = "recorded but not enforced yet";

fn describe(grant: &Granted) -> String {
    let enforced = if grant.compute < 100 { format!(" ({UNENFORCED})") } else { String::new() };
    let (memory, compute) = (show(grant.memory), grant.compute);
    format!("{memory} of memory and {compute}% of compute{enforced} on {} ({})", grant.uuid, grant.device)
}

fn name(text: &str) -> Result<String, String> {
    let fine = (1..=64).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fine { Ok(text.into()) } else { Err("give 1 to 64 printable characters".into()) }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use cleave_node::protocol::{Enforced, Hold};

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        wish: Wish,
    }

    fn wish(words: &str) -> Wish {
        Words::parse_from(["x"].into_iter().chain(words.split_whitespace())).wish
    }

    fn start(words: &str) -> Result<Start, String> {
        wish(words).start(Vec::new(), None, Lifetime::Process).map_err(|error| error.to_string())
    }

    #[test]
    fn words_become_a_request() {
        let whole = start("--mem 2G --compute 30 --gpu 2 --wait --name n").unwrap();
        assert_eq!((whole.ask.memory, whole.ask.compute), (Memory::Bytes(2 << 30), Some(30)));
        assert_eq!((whole.ask.count, whole.wait, whole.ask.name.as_str()), (2, true, "n"));
        assert_eq!(start("").unwrap().ask, Ask::default());
        assert_eq!(start("--device soft").unwrap().driver, Driver::Soft);
        assert_eq!(start("--device real").unwrap().driver, Driver::Real);
        let named = start("--device GPU-1,GPU-2").unwrap();
        assert_eq!((named.ask.count, named.ask.devices), (2, vec!["GPU-1".to_string(), "GPU-2".into()]));
        assert_eq!(start("--device GPU-1,GPU-2 --gpu 1").unwrap().ask.count, 1);
    }

    #[test]
    fn contradictions_have_a_sentence() {
        assert!(
            start("--device GPU-1 --gpu 2")
                .unwrap_err()
                .contains("more devices than the 1 that --device names")
        );
        assert!(start("--isolation strict").unwrap_err().contains("--isolation strict is not there yet"));
        assert!(Which::parse("0").unwrap_err().contains("\"0\" is no UUID"));
        assert!(Which::parse("GPU-1,GPU-1").unwrap_err().contains("named twice"));
        assert!(name("").is_err() && name("a\nb").is_err() && name("train").is_ok());
    }

    #[test]
    fn what_was_not_chosen_and_what_is_not_kept_is_said() {
        let started = |kind, compute| Started {
            tenant: "t".into(),
            name: "t".into(),
            folder: "/t".into(),
            grants: vec![Granted {
                uuid: "GPU-1".into(),
                device: "Card".into(),
                kind,
                memory: 1 << 30,
                compute,
                total: 4 << 30,
            }],
            libraries: None,
            softgpu: None,
            enforced: Enforced { memory: Hold::Cooperative, compute: false },
        };
        let remarks = |words: &str, kind, compute| wish(words).remarks(&started(kind, compute));
        assert_eq!(remarks("--mem 1G --compute 100", Kind::Real, 100), [""; 0]);
        let said = remarks("--mem 1G --compute 30", Kind::Soft, 30);
        assert!(said[0].contains("software GPU") && said[1].contains("30% is recorded but not enforced yet"));
        assert_eq!(remarks("--mem 1G --compute 100 --device soft", Kind::Soft, 100), [""; 0]);
        let said = remarks("", Kind::Real, 25);
        assert_eq!(said.len(), 1, "one line");
        assert_eq!(
            said[0],
            "granted 1.0 GiB of memory and 25% of compute (recorded but not enforced yet) on GPU-1 (Card); --mem and --compute \
             choose otherwise"
        );
    }
}
