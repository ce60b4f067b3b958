//! The same clients as tenants: what they compute must not change, and with too little memory they fail as on a small card.

use crate::dist::Dist;
use crate::{clients, run};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Where the node of the clients keeps its state: on a file system in memory, like a runtime directory.
fn home() -> PathBuf {
    PathBuf::from(format!("/dev/shm/cleave-clients-{}", std::process::id()))
}

fn cleave(dist: &Dist) -> Command {
    let mut command = Command::new(dist.cleave());
    command.env("CLEAVE_HOME", home()).env("CLEAVE_SOFTGPU", clients::device_folder());
    command
}

/// The client as it is, under `cleave run`.
fn tenant(dist: &Dist, words: &[&str], client: &Command) -> Command {
    let mut command = cleave(dist);
    command.arg("run").args(words).arg("--").arg(client.get_program()).args(client.get_args());
    for (name, value) in client.get_envs() {
        match value {
            // Which driver it finds is for `cleave run` to say; what else it needs stays.
            Some(value) if name == "LD_LIBRARY_PATH" => {
                let others = std::env::split_paths(value).filter(|folder| *folder != dist.softgpu());
                command.env(name, std::env::join_paths(others).unwrap_or_default());
            }
            Some(value) => drop(command.env(name, value)),
            None => drop(command.env_remove(name)),
        }
    }
    command
}

/// Each client in turn, with memory enough; at the end nothing is held.
pub fn unchanged(dist: &Dist, all: &[Command]) -> Result<String> {
    clients::fresh_device(dist)?;
    let mut lines = Vec::new();
    for client in all {
        lines.push(clients::last_line(&mut tenant(dist, &["--mem", "2G", "--compute", "100"], client))?);
    }
    leave(dist)?;
    Ok(lines.join("; "))
}

/// Takes the node's state away. A tenant is gone a moment after its last process.
fn leave(dist: &Dist) -> Result<()> {
    let patience = Instant::now() + Duration::from_secs(10);
    loop {
        let document: Value = serde_json::from_str(&run::stdout(cleave(dist).args(["ps", "--json"]))?)?;
        let tenants = document["tenants"].as_array().map_or(0, Vec::len);
        if tenants == 0 {
            return Ok(std::fs::remove_dir_all(home())?);
        }
        ensure!(Instant::now() < patience, "tenants are left, and nobody of them: {document}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The client under a quota, and by itself on a card as small: both fail with the same error. Where they were by then may differ,
/// since a card hands out whole chunks.
pub fn too_little(dist: &Dist, client: &mut Command) -> Result<String> {
    clients::fresh_device(dist)?;
    let under_quota = failure(&mut tenant(dist, &["--mem", "1M"], client))?;
    leave(dist)?;
    // The context takes 8 MiB of it.
    let on_small_card = failure(client.env("CLEAVE_SOFTGPU", "private").env("CLEAVE_SOFTGPU_MEMORY", "10M"))?;
    ensure!(
        error(&under_quota) == error(&on_small_card),
        "under a quota: {under_quota}\non a small card: {on_small_card}"
    );
    Ok(error(&under_quota).to_string())
}

/// The driver's word for it, if the client passes that on, else its own.
fn error(line: &str) -> &str {
    let words = || line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words().find(|word| word.starts_with("CUDA_ERROR_")).or_else(|| words().next()).unwrap_or(line)
}

/// How a client says that it failed.
fn failure(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        bail!("it had too little memory and did not fail:\n{text}");
    }
    let line = text.lines().rev().find(|line| line.to_lowercase().contains("memory"));
    Ok(line.with_context(|| format!("it failed without a word on memory:\n{text}"))?.trim().to_string())
}
