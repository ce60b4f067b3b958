//! `cleave node`: the daemon; and how a run starts one where there is none.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cleave_node::Home;

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

/// This command, by its path if that is still the same file; it names the process in lists.
pub fn myself() -> PathBuf {
    const ALWAYS: &str = "/proc/self/exe";
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(|| ALWAYS.into())
}
