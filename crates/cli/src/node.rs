//! `cleave node`: the daemon; and how others find one or start it.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use cleave_node::client::{self, Client, Lost};
use cleave_node::protocol::{Answer, Request, Status};
use cleave_node::{Config, Home};

use crate::libraries::Libraries;
use crate::{Failure, say};

#[derive(Args)]
#[command(after_help = "\
The daemon keeps its state in $CLEAVE_HOME [default: /run/cleave for root, else $XDG_RUNTIME_DIR/cleave] and reads config.toml
there, or /etc/cleave/node.toml for root. It may end at any time: tenants keep their limits, and the next daemon adopts them.")]
pub struct Arguments {
    /// Go to the background, and end when there have been no tenants for a while, as the daemon does that `cleave run` starts
    #[arg(long)]
    embedded: bool,
    /// Serve numbers for Prometheus at http://ADDRESS/metrics, such as 127.0.0.1:9400; whoever can reach the address can read
    /// them [default: as configured, else not at all]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    metrics: Option<SocketAddr>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "give an address and a port, such as 127.0.0.1:9400 or [::1]:9400".into())
}

/// Serves until it is ended; embedded, returns when it serves.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    home.ensure(false)?;
    let mut config = Config::load(&home)?;
    config.rules.metrics.listen = arguments.metrics.or(config.rules.metrics.listen);
    config.libraries = Some(Libraries::ready(home.path())?.folder().into());
    if arguments.embedded {
        cleave_node::embed(config)?;
    } else {
        say(&format!("serving at {}; tenants keep their limits when this ends", home.socket().display()));
        cleave_node::serve(config)?;
    }
    Ok(String::new())
}

/// Variables of a tenant, or of whoever starts a run, that are not for the daemon.
const NOT_FOR_THE_DAEMON: &[&str] =
    &["LD_PRELOAD", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CLEAVE_TENANT"];

/// Starts a daemon that ends with its last tenant. Returns when it listens; it detaches itself before that, so that it is
/// nobody's child and outlives terminal, session and the run that started it.
pub fn embed(home: &Home) -> Result<()> {
    let mut command = Command::new(myself());
    command.arg0("cleave").args(["node", "--embedded"]).env("CLEAVE_HOME", home.path()).current_dir("/");
    for name in NOT_FOR_THE_DAEMON {
        command.env_remove(name);
    }
    let done =
        command.stdin(Stdio::null()).stdout(Stdio::null()).output().context("cannot start `cleave node`")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("{}", said.trim().trim_start_matches("cleave: "));
    }
    Ok(())
}

/// What the daemon knows. Where there is none but tenants are left, one is started that adopts them; None if there is neither.
pub fn status(home: &Home) -> Result<Option<Status>> {
    if let Some(status) = client::status(home)? {
        return Ok(Some(status));
    }
    let left = fs::read_dir(home.tenants()).is_ok_and(|mut tenants| tenants.next().is_some());
    if !left {
        return Ok(None);
    }
    match client::ask_or_start(home, || embed(home), &Request::Status, |_| ())? {
        Answer::Status(status) => Ok(Some(*status)),
        Answer::Refused(refusal) => Err(refusal.into()),
        other => bail!("the daemon answered a question for its status with {other:?}"),
    }
}

/// The id of the tenant that somebody means by a name; what nobody is called is taken for an id.
pub fn tenant(home: &Home, meant: &str) -> Result<String> {
    let status = status(home)?;
    let tenants = status.iter().flat_map(|status| &status.tenants);
    let named: Vec<&str> = tenants
        .filter(|tenant| tenant.id == meant || tenant.name == meant)
        .map(|tenant| tenant.id.as_str())
        .collect();
    match named[..] {
        [] => Ok(meant.into()),
        [one] => Ok(one.into()),
        _ => bail!("several tenants are called {meant}: use the id of one ({})", named.join(", ")),
    }
}

/// Asks for something that a daemon only does or refuses.
pub fn ask(home: &Home, request: &Request) -> Result<()> {
    match answer(home, request)? {
        Answer::Done => Ok(()),
        other => bail!("the daemon answered with {other:?}, which makes no sense here"),
    }
}

/// Asks a daemon that is there; a refusal is an error.
pub fn answer(home: &Home, request: &Request) -> Result<Answer> {
    match Client::connect(home).and_then(|mut client| client.ask(request, |_| ())) {
        Ok(Answer::Refused(refusal)) => Err(refusal.into()),
        Ok(answer) => Ok(answer),
        Err(Lost::NoDaemon(_)) => {
            bail!("no daemon runs at {}, and there are no tenants", home.path().display())
        }
        Err(Lost::Broken(error)) => Err(error),
    }
}

/// This command, by its path if that is still the same file; it names the process in lists.
pub fn myself() -> PathBuf {
    const ALWAYS: &str = "/proc/self/exe";
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(|| ALWAYS.into())
}
