//! What a tenant asks for, as people type it: the options that `run` and `grant` share.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cleave_node::amount::show;
use cleave_node::policy::Policy;
use cleave_node::protocol::{Ask, Driver, Granted, Kind, Lifetime, Memory, Moving, Start, Started};

use crate::amount;

#[derive(Args)]
pub struct Wish {
    /// Memory on each device: 2G, 512M, or 25% of the device [default: the share that --compute gives, else all that is free]
    #[arg(long, value_name = "AMOUNT", value_parser = amount::memory, allow_hyphen_values = true)]
    mem: Option<Memory>,
    /// Share of each device's compute in percent [default: the share that --mem gives, else all that is left]
    #[arg(long, value_name = "PERCENT", value_parser = amount::compute, allow_hyphen_values = true)]
    compute: Option<u32>,
    #[command(flatten)]
    kept: Kept,
    /// Number of devices, each with its own grant [default: 1, or as many as --device names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    gpu: Option<u32>,
    /// Which devices: `soft` (the software GPU), `real` (the vendor's), or UUIDs with commas between them
    #[arg(long, value_name = "WHICH", value_parser = Which::parse)]
    device: Option<Which>,
    /// Stand in line until it fits
    #[arg(long)]
    wait: bool,
    /// Make its memory so that `cleave pause --to-host` can move it; it cannot be shared with other processes by name then
    #[arg(long)]
    movable: bool,
    /// Let it have memory that others have too: when turns change, memory moves to the host and back; implies --movable
    #[arg(long)]
    oversubscribe: bool,
    /// What `cleave ps` calls it [default: the program's name]
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    /// How tenants are kept apart
    #[arg(long, value_name = "ENGINE", default_value = "soft")]
    isolation: Isolation,
}

/// How a share of compute is kept: the options that `run`, `grant` and `set` share.
#[derive(Args)]
pub struct Kept {
    /// How the share is kept: burst (at least the share, idle time is lent), fixed (never more), best-effort (only what nobody
    /// wants), time-share[=10s] (in long quanta alone on the device), tidal=08:00-20:00=70,20:00-08:00=20 (by the time of day),
    /// or exclusive (the whole device) [default: burst]
    #[arg(long, value_name = "POLICY", value_parser = str::parse::<Policy>)]
    pub policy: Option<Policy>,
    /// Whose work goes first where shares leave a choice: the higher number [default: 0]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub priority: Option<i32>,
    /// Work that somebody waits for: it goes before that of others, within the share
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = switch)]
    pub latency: Option<bool>,
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("give --latency or --latency=off".into()),
    }
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
            policy: self.kept.policy.clone().unwrap_or_default(),
            priority: self.kept.priority.unwrap_or(0),
            latency: self.kept.latency.unwrap_or(false),
            moving: match (self.oversubscribe, self.movable) {
                (true, _) => Moving::Turns,
                (false, true) => Moving::Paused,
                (false, false) => Moving::Never,
            },
        };
        Ok(Start { ask, driver, wait: self.wait, parent, lifetime, ..Start::default() })
    }

    /// Whether an option says whose work goes first.
    pub fn says_priority(&self) -> bool {
        self.kept.priority.is_some()
    }

    /// What whoever asked should know of what was given; a line each.
    pub fn remarks(&self, started: &Started) -> Vec<String> {
        let mut remarks = Vec::new();
        let soft = started.grants.iter().any(|grant| grant.kind == Kind::Soft);
        if soft && self.device.is_none() {
            remarks.push("there is no vendor driver here, so this is the software GPU".into());
        }
        let says_share = self.kept.policy.as_ref().is_some_and(Policy::says_share);
        if self.mem.is_none() || (self.compute.is_none() && !says_share) {
            let grants: Vec<String> = started.grants.iter().map(describe).collect();
            let options = match (self.mem, self.compute.is_some() || says_share) {
                (None, false) => "--mem and --compute choose",
                (None, _) => "--mem chooses",
                _ => "--compute chooses",
            };
            remarks.push(format!("granted {}; {options} otherwise", grants.join(" and ")));
        }
        remarks
    }
}

fn describe(grant: &Granted) -> String {
    let memory = show(grant.memory);
    let compute = match grant.policy {
        Policy::BestEffort => "compute that nobody else wants".into(),
        _ => format!("{}% of compute", grant.compute),
    };
    format!("{memory} of memory and {compute} on {} ({})", grant.uuid, grant.device)
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
        let moving = |words| start(words).unwrap().ask.moving;
        assert_eq!((moving(""), moving("--movable")), (Moving::Never, Moving::Paused));
        assert_eq!(moving("--oversubscribe"), Moving::Turns);
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
    fn how_a_share_is_kept_is_read() {
        let ask = start("--policy time-share=30s --priority -3 --latency").unwrap().ask;
        assert_eq!(
            (ask.policy.to_string().as_str(), ask.priority, ask.latency),
            ("time-share=30s", -3, true)
        );
        assert!(!start("--latency=off").unwrap().ask.latency);
        let wrong = Words::try_parse_from(["x", "--policy", "brust"]).err().unwrap().to_string();
        assert!(wrong.contains("is no policy: give burst, fixed"), "{wrong}");
        assert!(Words::try_parse_from(["x", "--latency=maybe"]).is_err());
    }

    #[test]
    fn what_was_not_chosen_is_said() {
        let started = |kind, compute, policy: &str| Started {
            tenant: "t".into(),
            name: "t".into(),
            folder: "/t".into(),
            grants: vec![Granted {
                uuid: "GPU-1".into(),
                device: "Card".into(),
                kind,
                memory: 1 << 30,
                compute,
                policy: policy.parse().unwrap(),
                total: 4 << 30,
            }],
            libraries: None,
            softgpu: None,
            enforced: Enforced { memory: Hold::Cooperative, compute: true },
        };
        let remarks = |words: &str, started: Started| wish(words).remarks(&started);
        assert_eq!(remarks("--mem 1G --compute 30", started(Kind::Real, 30, "burst")), [""; 0]);
        assert_eq!(remarks("--mem 1G --policy exclusive", started(Kind::Real, 100, "exclusive")), [""; 0]);
        assert!(
            remarks("--mem 1G --compute 30", started(Kind::Soft, 30, "burst"))[0].contains("software GPU")
        );
        let said = remarks("", started(Kind::Real, 25, "burst"));
        assert_eq!(
            said,
            [
                "granted 1.0 GiB of memory and 25% of compute on GPU-1 (Card); --mem and --compute choose otherwise"
            ]
        );
        let said = remarks("--policy best-effort", started(Kind::Real, 0, "best-effort"));
        assert!(
            said[0].contains("compute that nobody else wants on GPU-1 (Card); --mem chooses"),
            "{said:?}"
        );
    }
}
