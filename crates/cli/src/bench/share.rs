//! `cleave bench share`: whether tenants get the compute they asked for.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};

use super::asked::Resize;
use super::cases::Bench;
use super::ground::Ground;
use super::load::{Load, duration};
use super::plot::{self, Curve};
use super::report::Report;
use super::tenants::{Does, Starter};
use super::windows::SHORT_NS;
use crate::{Failure, document};

#[derive(Args)]
#[command(after_help = "\
Nobody's own report is believed: a tenant's program notes when each piece of its work is done, and what it gets is what it gets
done, in percent of what it does alone. A system that does not limit scores badly.

To measure another system give the command that starts a tenant there, as the shell reads it. {share}, {policy} and {name} are the
tenant's, {worker} is the program to run and {dir} a folder that it must be able to write, both at the same paths as here. In the
latency case {policy} is `latency` for one tenant and `best-effort` for the other.

A load is what a tenant does, its parts with commas between: kernel=1ms or kernel=100us+5ms (in turn), part=25 (each fills a quarter
of the device), streams=4, graph=10 (kernels in a graph), processes=3, on=50ms,off=50ms (bursts), copy=1M (copies to the device
instead of kernels), kernel=empty.

Without a vendor's driver the software GPU is measured, in its paced form unless $CLEAVE_SOFTGPU names another.")]
pub struct Arguments {
    /// Shares of the tenants, in percent
    #[arg(long, value_name = "PERCENTS", value_delimiter = ',', default_values_t = [60, 30, 10],
          value_parser = clap::value_parser!(u32).range(1..=100))]
    shares: Vec<u32>,
    /// Policy of the tenants
    #[arg(long, value_name = "POLICY", default_value = "burst")]
    policy: String,
    /// Length of their kernels
    #[arg(long, value_name = "DURATION", default_value = "1ms", value_parser = duration)]
    kernel: u64,
    /// What tenants do instead; once for all, or once for each
    #[arg(long, value_name = "LOAD")]
    load: Vec<Load>,
    /// A program of yours as a tenant, NAME=COMMAND: what it does is counted by the lines that it prints. Tenants are called a, b, c …
    #[arg(long, value_name = "NAME=COMMAND", value_parser = program)]
    program: Vec<(String, String)>,
    /// Give a tenant another share on the way, AT:NAME=PERCENT, such as 5s:a=20
    #[arg(long, value_name = "RESIZE", value_parser = resize)]
    resize: Vec<(u64, String, u32)>,
    /// Kernels of half a millisecond in a request of the latency case
    #[arg(long, value_name = "KERNELS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    request: u32,
    /// How long all tenants run together
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..=3600))]
    seconds: u64,
    /// What to measure [default: all]
    #[arg(long = "case", value_name = "CASE", value_delimiter = ',')]
    cases: Vec<Case>,
    /// The device: `soft`, `real`, or the UUID of one of several
    #[arg(long, value_name = "WHICH")]
    device: Option<String>,
    /// Start tenants without any system, to see what the score of no limit is
    #[arg(long, conflicts_with = "tenant_command")]
    unmanaged: bool,
    /// The command that starts a tenant under another system
    #[arg(long, value_name = "COMMAND", value_parser = template)]
    tenant_command: Option<String>,
    /// The command that starts a worker which nobody manages, where it cannot be started directly
    #[arg(long, value_name = "COMMAND", value_parser = template)]
    bare_command: Option<String>,
    /// The command that gives a running tenant another share, for --resize under another system
    #[arg(long, value_name = "COMMAND")]
    set_command: Option<String>,
    /// Write a document for programs into this file; - is stdout
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw what was asked and got over time into this file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Case {
    /// What each tenant gets beside the others
    Shares,
    /// What all get together, against the same without any system
    Sum,
    /// What the system costs a tenant with the whole device
    Overhead,
    /// Tail latency of a tenant that others wait for
    Latency,
    /// How fast lent compute is given back, and how much of idle time is used
    GiveBack,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let report = measure(arguments)?;
    if let Some(path) = &arguments.plot {
        std::fs::write(path, picture(&report)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    match &arguments.json {
        Some(path) if path.as_os_str() == "-" => document(&report),
        Some(path) => {
            std::fs::write(path, document(&report)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
            Ok(report.text())
        }
        None => Ok(report.text()),
    }
}

fn measure(arguments: &Arguments) -> anyhow::Result<Report> {
    let does = arguments.does()?;
    let resizes = arguments.resizes(does.len())?;
    let by_cleave = !arguments.unmanaged && arguments.tenant_command.is_none();
    let ground = Ground::find(arguments.device.as_deref(), shortest(&does), by_cleave)?;
    let mut starter = Starter::new(
        ground,
        arguments.tenant_command.clone(),
        arguments.bare_command.clone(),
        arguments.device.clone(),
    );
    let calibration = starter.calibrate()?;
    if by_cleave
        && calibration.devices > 1
        && arguments.device.as_deref().is_none_or(|device| device == "real")
    {
        bail!("there are {} devices here: name one of them by its UUID with --device", calibration.devices);
    }
    let system = match &arguments.tenant_command {
        _ if arguments.unmanaged => "unmanaged",
        Some(template) => template,
        None => "cleave",
    };
    let mut bench = Bench {
        report: Report {
            device: calibration.device,
            system: system.into(),
            policy: arguments.policy.clone(),
            remarks: starter.ground.remark().map(String::from).into_iter().collect(),
            ..Report::default()
        },
        starter,
        shares: arguments.shares.clone(),
        policy: arguments.policy.clone(),
        does,
        resizes,
        set_command: arguments.set_command.clone(),
        managed: !arguments.unmanaged,
        length_ns: arguments.seconds * 1_000_000_000,
        request: arguments.request as usize,
    };
    bench.measure(|case| arguments.cases.is_empty() || arguments.cases.contains(&case))?;
    Ok(bench.report)
}

fn picture(report: &Report) -> String {
    let curves = report.tenants.iter().map(|tenant| Curve {
        name: format!("{} ({})", tenant.name, tenant.load),
        asked: tenant.asked_timeline.clone(),
        got: tenant.timeline.clone(),
    });
    let title = format!("Compute asked and got – {} – {}", report.system, report.device);
    plot::svg(&title, SHORT_NS as f64 / 1e9, &curves.collect::<Vec<_>>())
}

/// The shortest kernel of all.
fn shortest(does: &[Does]) -> u64 {
    let kernels = does.iter().filter_map(|does| match does {
        Does::Load(load) if load.copy == 0 => load.kernels.iter().copied().min(),
        _ => None,
    });
    kernels.min().unwrap_or(u64::MAX)
}

/// What the bench calls its tenants: a, b, … z, t26, t27, …
pub fn name(tenant: usize) -> String {
    match u8::try_from(tenant) {
        Ok(small @ 0..26) => char::from(b'a' + small).to_string(),
        _ => format!("t{tenant}"),
    }
}

impl Arguments {
    fn does(&self) -> anyhow::Result<Vec<Does>> {
        let count = self.shares.len();
        let total: u32 = self.shares.iter().sum();
        if total > 100 {
            bail!("the shares add up to {total} %, which is more than a device has");
        }
        let loads = match &self.load[..] {
            [] => vec![Load::of_kernel(self.kernel); count],
            [one] => vec![one.clone(); count],
            each if each.len() == count => each.to_vec(),
            each => bail!(
                "there are {count} shares and {} loads: give one load for all, or one for each",
                each.len()
            ),
        };
        let mut does: Vec<Does> = loads.into_iter().map(Does::Load).collect();
        for (tenant, command) in &self.program {
            does[self.tenant(tenant, count)?] = Does::Program(command.clone());
        }
        Ok(does)
    }

    fn resizes(&self, count: usize) -> anyhow::Result<Vec<Resize>> {
        let one = |(at, tenant, share): &(u64, String, u32)| -> anyhow::Result<Resize> {
            Ok(Resize { at: *at, tenant: self.tenant(tenant, count)?, share: *share })
        };
        let mut resizes = self.resize.iter().map(one).collect::<anyhow::Result<Vec<_>>>()?;
        if !resizes.is_empty() && self.tenant_command.is_some() && self.set_command.is_none() {
            bail!("--set-command has to say how a tenant of that system gets another share");
        }
        resizes.sort_by_key(|resize| resize.at);
        Ok(resizes)
    }

    fn tenant(&self, meant: &str, count: usize) -> anyhow::Result<usize> {
        let found = (0..count).find(|&tenant| name(tenant) == meant);
        found.ok_or_else(|| anyhow!("there is no tenant {meant:?}: they are called a to {}", name(count - 1)))
    }
}

fn template(text: &str) -> Result<String, String> {
    if text.contains("{worker}") {
        Ok(text.into())
    } else {
        Err("there is no {worker} in it: nothing would run".into())
    }
}

fn program(text: &str) -> Result<(String, String), String> {
    let (name, command) = text.split_once('=').ok_or("give NAME=COMMAND")?;
    Ok((name.into(), command.into()))
}

fn resize(text: &str) -> Result<(u64, String, u32), String> {
    let wrong = || "give AT:NAME=PERCENT, such as 5s:a=20".to_string();
    let (at, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (name, percent) = rest.split_once('=').ok_or_else(wrong)?;
    let percent = percent.parse().ok().filter(|percent| (1..=100).contains(percent)).ok_or_else(wrong)?;
    Ok((duration(at)?, name.into(), percent))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(words: &[&str]) -> Result<Arguments, String> {
        let words = ["x"].iter().chain(words);
        Words::try_parse_from(words).map(|words| words.arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn loads_are_for_all_or_for_each() {
        let does = |words: &[&str]| arguments(words).unwrap().does().map_err(|error| error.to_string());
        assert_eq!(
            does(&["--shares", "80,20", "--kernel", "10ms"]).unwrap(),
            vec![Does::Load(Load::of_kernel(10_000_000)); 2]
        );
        let each =
            does(&["--shares", "80,20", "--load", "kernel=1ms", "--load", "copy=1M", "--program", "a=x y=z"]);
        let each = each.unwrap();
        assert_eq!(each[0], Does::Program("x y=z".into()));
        assert!(matches!(&each[1], Does::Load(load) if load.copy == 1 << 20));
        assert!(
            does(&["--load", "copy=1M", "--load", "copy=1M"]).unwrap_err().contains("3 shares and 2 loads")
        );
        assert!(does(&["--shares", "80,30"]).unwrap_err().contains("110 %"));
        assert!(does(&["--program", "q=true"]).unwrap_err().contains("called a to c"));
    }

    #[test]
    fn what_would_measure_nothing_is_refused() {
        assert!(arguments(&["--tenant-command", "docker run image"]).err().unwrap().contains("{worker}"));
        assert!(arguments(&["--shares", "0"]).is_err());
        assert!(arguments(&["--resize", "5:a=20"]).is_err() && arguments(&["--resize", "5s:a=0"]).is_err());
        let other = arguments(&["--tenant-command", "x {worker}", "--resize", "5s:a=20"]).unwrap();
        assert!(other.resizes(3).unwrap_err().to_string().contains("--set-command"));
        let ours = arguments(&["--resize", "5s:b=20", "--case", "shares,give-back"]).unwrap();
        assert_eq!(ours.resizes(3).unwrap(), [Resize { at: 5_000_000_000, tenant: 1, share: 20 }]);
        assert_eq!(ours.cases, [Case::Shares, Case::GiveBack]);
    }

    #[test]
    fn tenants_have_names() {
        assert_eq!([0, 25, 26].map(name), ["a", "z", "t26"]);
    }
}
