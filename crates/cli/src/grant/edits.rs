//! What a container needs to be a tenant, as values, as options of an engine, and as a CDI document.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use cleave_device::{Machine, Request};
use cleave_node::Home;
use cleave_node::protocol::{Kind, Started};
use serde::Serialize;
use serde_json::{Value, json};

use super::Engine;
use crate::front::Front;
use crate::libraries::{IN_CONTAINER, Libraries, PRELOAD, SHIM, SOFTGPU};

/// Where the shim looks for its tenant if no variable names it, so that a program that clears its environment stays limited.
const TENANT: &str = "/run/cleave/tenant";
const FRONT: &str = "/run/cleave/front";

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Edits {
    mounts: Vec<Mount>,
    variables: Vec<(String, String)>,
    /// Devices of the vendor's driver, which the engine brings in itself.
    real_devices: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Mount {
    source: PathBuf,
    target: PathBuf,
    read_only: bool,
}

impl Edits {
    pub fn of(started: &Started, libraries: &Libraries, home: &Home) -> Result<Edits> {
        let mount =
            |source: PathBuf, target: &Path, read_only| Mount { source, target: target.into(), read_only };
        let lib = Path::new(IN_CONTAINER);
        let mut mounts = vec![
            // Usage and lock are written by the tenant; its limits belong to the daemon.
            mount(started.folder.clone(), Path::new(TENANT), false),
            mount(libraries.folder().into(), lib, true),
        ];
        // Reaches programs that were started without our variables; the variable reaches musl, which does not know this file.
        let preload = libraries.folder().join(PRELOAD);
        if preload.is_file() {
            mounts.push(mount(preload, Path::new("/etc/ld.so.preload"), true));
        }
        let uuids: Vec<&str> = started.grants.iter().map(|grant| grant.uuid.as_str()).collect();
        let shim = format!("{IN_CONTAINER}/{SHIM}");
        let mut variables =
            vec![("LD_PRELOAD".into(), shim), ("CUDA_VISIBLE_DEVICES".into(), uuids.join(","))];
        if let Some(folder) = &started.softgpu {
            mounts.push(mount(folder.clone(), folder, false));
            let memory = memory_file(folder)?;
            if !memory.starts_with(folder) {
                mounts.push(mount(memory.clone(), &memory, false));
            }
            variables.push(("CLEAVE_SOFTGPU".into(), folder.display().to_string()));
            // Where the vendor's driver will be in a container is the engine's business; where ours is, is known.
            let front = Front::of_soft_in_container(libraries).ready(home.path())?;
            mounts.extend(front.map(|front| mount(front, Path::new(FRONT), true)));
            variables.push(("LD_LIBRARY_PATH".into(), format!("{FRONT}:{IN_CONTAINER}/{SOFTGPU}")));
        }
        let real = started.grants.iter().filter(|grant| grant.kind == Kind::Real);
        Ok(Edits { mounts, variables, real_devices: real.map(|grant| grant.uuid.clone()).collect() })
    }

    /// Options for the engine's `run` and `create`, a line each; the image and the rest of the line follow.
    pub fn options(&self, engine: Engine) -> String {
        let mut options: Vec<String> = self
            .mounts
            .iter()
            .map(|mount| {
                let read_only = if mount.read_only { ",readonly" } else { "" };
                let value = format!(
                    "type=bind,source={},target={}{read_only}",
                    mount.source.display(),
                    mount.target.display()
                );
                format!("--mount {}", quote(&value))
            })
            .collect();
        options.extend(
            self.variables.iter().map(|(name, value)| format!("--env {}", quote(&format!("{name}={value}")))),
        );
        if !self.real_devices.is_empty() {
            options.extend(match engine {
                Engine::Podman => {
                    self.real_devices.iter().map(|uuid| format!("--device nvidia.com/gpu={uuid}")).collect()
                }
                // The inner quotes are the engine's: without them it takes the commas for its own.
                Engine::Docker | Engine::Nerdctl => {
                    vec![format!("--gpus '\"device={}\"'", self.real_devices.join(","))]
                }
            });
        }
        options.join(" \\\n") + "\n"
    }

    /// The Container Device Interface's form. The vendor's devices have a document of their own (`nvidia-ctk cdi generate`).
    pub fn cdi(&self, tenant: &str) -> Value {
        let mounts: Vec<Value> = self
            .mounts
            .iter()
            .map(|mount| {
                let access = if mount.read_only { "ro" } else { "rw" };
                json!({
                    "hostPath": mount.source,
                    "containerPath": mount.target,
                    "options": [access, "nosuid", "nodev", "rbind"],
                })
            })
            .collect();
        let variables: Vec<String> =
            self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        json!({
            "cdiVersion": "0.5.0",
            "kind": "cleave/grant",
            "devices": [{ "name": tenant, "containerEdits": { "env": variables, "mounts": mounts } }],
        })
    }
}

/// Where the memory of the software GPU in `folder` lies; containers must find it in the same place.
fn memory_file(folder: &Path) -> Result<PathBuf> {
    let machine = Machine::existing(&Request::folder(folder)).context("cannot open the software GPU")?;
    machine
        .and_then(Machine::memory_path)
        .ok_or_else(|| anyhow!("there is no software GPU in {} any more", folder.display()))
}

/// For a shell: as it is where nothing in it means something else.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits() -> Edits {
        let mount = |source: &str, target: &str, read_only| Mount {
            source: source.into(),
            target: target.into(),
            read_only,
        };
        Edits {
            mounts: vec![
                mount("/home of/t1", "/run/cleave/tenant", false),
                mount("/h/lib/x", "/run/cleave/lib", true),
            ],
            variables: vec![("LD_PRELOAD".into(), "/run/cleave/lib/libcleave.so".into())],
            real_devices: vec!["GPU-1".into(), "GPU-2".into()],
        }
    }

    #[test]
    fn options_can_be_pasted() {
        let docker = "--mount 'type=bind,source=/home of/t1,target=/run/cleave/tenant' \\\n\
                      --mount type=bind,source=/h/lib/x,target=/run/cleave/lib,readonly \\\n\
                      --env LD_PRELOAD=/run/cleave/lib/libcleave.so \\\n";
        assert_eq!(edits().options(Engine::Docker), format!("{docker}--gpus '\"device=GPU-1,GPU-2\"'\n"));
        let podman = "--device nvidia.com/gpu=GPU-1 \\\n--device nvidia.com/gpu=GPU-2\n";
        assert_eq!(edits().options(Engine::Podman), format!("{docker}{podman}"));
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_same_as_a_document() {
        let cdi = edits().cdi("t1");
        assert_eq!((&cdi["kind"], &cdi["devices"][0]["name"]), (&json!("cleave/grant"), &json!("t1")));
        let edits = &cdi["devices"][0]["containerEdits"];
        assert_eq!(edits["env"], json!(["LD_PRELOAD=/run/cleave/lib/libcleave.so"]));
        assert_eq!(edits["mounts"][1]["options"][0], "ro");
        assert_eq!(edits["mounts"][0]["options"][0], "rw");
        assert_eq!(edits["mounts"][0]["containerPath"], "/run/cleave/tenant");
    }
}
