//! What the daemon is told: a TOML file, and what its command line adds.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer};

use crate::amount;
use crate::home::Home;
use crate::sys_unsafe;

/// Where root's daemon is configured, if its home has no file.
const MACHINE: &str = "/etc/cleave/node.toml";

/// Everything a daemon needs to know before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    pub home: Home,
    /// Started by a run: ends when it has had no tenant for a while.
    pub embedded: bool,
    /// The folder of unpacked libraries: `libcleave.so`, `softgpu/libcuda.so.1`, `softgpu/libnvidia-ml.so.1`.
    pub libraries: Option<PathBuf>,
    pub rules: Rules,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    pub socket: Socket,
    pub reserve: Reserve,
    pub caps: Caps,
    pub metrics: Metrics,
}

/// Where numbers for Prometheus are served; nowhere without anything here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// An address and a port. Whoever can reach it can read it.
    pub listen: Option<SocketAddr>,
}

/// Who may connect. Without anything here, only the daemon's user and root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Socket {
    /// Members of this group may connect.
    pub group: Option<String>,
    /// Everyone may connect.
    pub everyone: bool,
}

/// Memory that is never granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reserve {
    /// On every device.
    #[serde(deserialize_with = "bytes")]
    pub memory: u64,
    /// On the device of that UUID, instead.
    #[serde(deserialize_with = "bytes_of_each")]
    pub devices: BTreeMap<String, u64>,
}

impl Reserve {
    pub fn on(&self, uuid: &str) -> u64 {
        self.devices.get(uuid).copied().unwrap_or(self.memory)
    }
}

/// What one user may have at once, over all devices. Root has no cap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    pub everyone: Cap,
    /// By name or number; instead of `everyone`.
    pub users: BTreeMap<String, Cap>,
}

impl Caps {
    pub fn of(&self, uid: u32, name: &str) -> Cap {
        let cap = self.users.get(name).or_else(|| self.users.get(&uid.to_string()));
        if uid == 0 { Cap::default() } else { cap.unwrap_or(&self.everyone).clone() }
    }
}

/// None = no cap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cap {
    #[serde(deserialize_with = "maybe_bytes")]
    pub memory: Option<u64>,
    /// Percent; 100 is one whole device.
    pub compute: Option<u32>,
    pub tenants: Option<u32>,
}

impl Config {
    /// The configuration of the daemon of `home`.
    pub fn load(home: &Home) -> Result<Config> {
        let mut files = vec![home.config()];
        if sys_unsafe::user() == 0 {
            files.push(MACHINE.into());
        }
        let mut rules = None;
        for path in files {
            rules = match rules {
                None => read(&path)?,
                known => known,
            };
        }
        let rules = rules.unwrap_or_default();
        Ok(Config { home: home.clone(), embedded: false, libraries: None, rules })
    }

    /// The software GPU's NVML, if there is one.
    pub fn soft_nvml(&self) -> Option<PathBuf> {
        let path = self.libraries.as_ref()?.join("softgpu/libnvidia-ml.so.1");
        path.is_file().then_some(path)
    }
}

fn read(path: &Path) -> Result<Option<Rules>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(toml::from_str(&text).with_context(|| format!("{}", path.display()))?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// A number of bytes, or a text such as `4G`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Text(String),
}

impl Written {
    fn bytes<E: serde::de::Error>(self) -> Result<u64, E> {
        match self {
            Written::Number(bytes) => Ok(bytes),
            Written::Text(text) => amount::parse(&text).map_err(E::custom),
        }
    }
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Written::deserialize(from)?.bytes()
}

fn maybe_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    bytes(from).map(Some)
}

fn bytes_of_each<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, u64>, D::Error> {
    let written = BTreeMap::<String, Written>::deserialize(from)?;
    written.into_iter().map(|(uuid, amount)| Ok((uuid, amount.bytes()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_workstation_is_a_few_lines() {
        let rules: Rules = toml::from_str(
            r#"
            [socket]
            group = "gpu"
            [reserve]
            memory = "256M"
            devices = { GPU-1 = "1G" }
            [caps.everyone]
            memory = "8G"
            compute = 50
            [caps.users.alice]
            tenants = 2
            memory = 1024
            [metrics]
            listen = "127.0.0.1:9400"
            "#,
        )
        .unwrap();
        assert_eq!(rules.socket.group.as_deref(), Some("gpu"));
        assert_eq!((rules.reserve.on("GPU-1"), rules.reserve.on("GPU-2")), (1 << 30, 256 << 20));
        let alice = Cap { memory: Some(1024), compute: None, tenants: Some(2) };
        assert_eq!(rules.caps.of(1000, "alice"), alice);
        assert_eq!(rules.caps.of(1001, "bob").memory, Some(8 << 30));
        assert_eq!(rules.caps.of(0, "root"), Cap::default());
        assert_eq!(rules.metrics.listen, Some(SocketAddr::from(([127, 0, 0, 1], 9400))));
        assert_eq!(toml::from_str::<Rules>("").unwrap(), Rules::default());
    }

    #[test]
    fn a_word_it_does_not_know_is_not_ignored() {
        assert!(toml::from_str::<Rules>("[caps.everyone]\nmemroy = 1\n").is_err());
        let error = toml::from_str::<Rules>("[reserve]\nmemory = \"much\"\n").unwrap_err().to_string();
        assert!(error.contains("no amount of memory"), "{error}");
        assert!(toml::from_str::<Rules>("[metrics]\nlisten = \"9400\"\n").is_err());
    }
}
