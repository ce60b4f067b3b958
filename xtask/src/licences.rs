use crate::{paths, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::Command;

/// Checks every crate that is built into ours against the rules of deny.toml: its licence is one we may ship, and it
/// comes from the registry. cargo-deny reads the same file, but takes longer to build than everything here together.
pub fn check() -> Result<String> {
    let rules: toml::Table = std::fs::read_to_string(paths::root().join("deny.toml"))?.parse()?;
    let allowed =
        rules.get("licenses").and_then(|licenses| licenses.get("allow")).and_then(|list| list.as_array());
    let allowed: Vec<&str> =
        allowed.context("deny.toml allows no licence")?.iter().flat_map(|l| l.as_str()).collect();
    let text = run::stdout(
        Command::new("cargo")
            .args(["metadata", "--locked", "--format-version", "1"])
            .current_dir(paths::root()),
    )?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no package")?;
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or_default());
        if !may_ship(licence, &allowed) {
            bail!("{name} is under `{licence}`, which deny.toml does not allow");
        }
        if package["source"].as_str().is_some_and(|source| !source.starts_with("registry+")) {
            bail!("{name} comes from {}, not from the registry", package["source"]);
        }
    }
    Ok(format!("{} crates", packages.len()))
}

/// Whether a licence expression can be met by the allowed licences. Old crates write `MIT/Apache-2.0`.
fn may_ship(expression: &str, allowed: &[&str]) -> bool {
    spdx::Expression::parse_mode(expression, spdx::ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|wanted| {
            wanted.license.id().is_some_and(|id| allowed.contains(&id.name)) && wanted.addition.is_none()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::may_ship;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Unicode-3.0"];
        assert!(may_ship("MIT OR Apache-2.0", &allowed));
        assert!(may_ship("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed));
        assert!(may_ship("MIT/Apache-2.0", &allowed));
        assert!(!may_ship("Apache-2.0", &allowed));
        assert!(!may_ship("MIT AND GPL-3.0-only", &allowed));
        assert!(!may_ship("", &allowed));
    }
}
