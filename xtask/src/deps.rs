use crate::run;
use anyhow::{Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// The crates of each layer; a crate may use the layers below its own.
const LAYERS: [&[&str]; 6] = [
    &["cleave-api", "cleave-ledger", "cleave-model", "cleave-pace", "cleave-ptx"],
    &["cleave-device", "cleave-gate", "cleave-kube", "cleave-sched", "cleave-simt"],
    &["cleave-slot"],
    &["cleave-node", "cleave-nvml", "cleave-shim", "cleave-softgpu"],
    &["cleave"],
    &["cleave-tenancy"],
];

/// Shows the layers, or fails on an edge that does not go down.
pub fn check() -> Result<String> {
    let text = run::stdout(Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let layer = |name: &str| LAYERS.iter().position(|crates| crates.contains(&name));
    let mut shown = String::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let Some(name) = package["name"].as_str().filter(|name| ours(name)) else {
            continue;
        };
        let Some(own) = layer(name) else { bail!("{name} has no layer: give it one in xtask/src/deps.rs") };
        let uses = package["dependencies"].as_array().into_iter().flatten();
        let uses: Vec<&str> = uses.filter_map(|d| d["name"].as_str()).filter(|name| ours(name)).collect();
        if let Some(wrong) = uses.iter().find(|used| layer(used).is_none_or(|below| below >= own)) {
            bail!("{name} (layer {own}) must not use {wrong}");
        }
        writeln!(shown, "{own} {name}: {}", uses.join(" "))?;
    }
    Ok(shown)
}

fn ours(name: &str) -> bool {
    name == "cleave" || name.starts_with("cleave-")
}
