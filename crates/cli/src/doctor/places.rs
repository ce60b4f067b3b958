//! Folders and file systems that cleave lives on.

use std::path::Path;

use cleave_device::{Machine, Request};
use cleave_node::Home;
use cleave_node::amount::show;
use cleave_node::protocol::{Finding, Severity};

use super::finding;
use crate::libraries::Libraries;
use crate::run::preflight;
use crate::system_unsafe;

/// Room for the slots of a few hundred tenants.
const ROOM: u64 = 64 << 20;

pub fn check(home: &Home) -> Vec<Finding> {
    room(home.path()).into_iter().chain(shim(home.path())).chain(device_memory()).collect()
}

fn room(home: &Path) -> Option<Finding> {
    let folder = home.ancestors().find(|folder| folder.is_dir())?;
    let mount = system_unsafe::mount(folder).ok()?;
    (mount.free < ROOM).then(|| {
        finding(
            Severity::Warning,
            "small_home",
            &format!("{} has {} left", home.display(), show(mount.free)),
            "every tenant needs a little of it; without, new ones are refused",
            "make room there, or name another folder in CLEAVE_HOME (on a tmpfs, such as /dev/shm)",
        )
    })
}

/// Tries it: the libraries are unpacked, and a program is started with the shim.
fn shim(home: &Path) -> Option<Finding> {
    let libraries = match Libraries::ready(home) {
        Ok(libraries) => libraries,
        Err(error) => {
            return Some(finding(
                Severity::Problem,
                "no_place_for_libraries",
                &format!("{error:#}"),
                "programs could not load the library that limits them, so none is started",
                "name a folder in CLEAVE_HOME that is writable and not mounted noexec",
            ));
        }
    };
    if !libraries.folder().starts_with(home)
        && home.is_dir()
        && system_unsafe::mount(home).is_ok_and(|mount| mount.noexec)
    {
        return Some(finding(
            Severity::Note,
            "home_noexec",
            &format!("{} is mounted noexec", home.display()),
            &format!(
                "libraries cannot be loaded from it; they are in {} instead",
                libraries.folder().display()
            ),
            "",
        ));
    }
    let mut variables: Vec<_> = std::env::vars_os().collect();
    variables.retain(|(name, _)| name != "LD_PRELOAD");
    variables.push(("LD_PRELOAD".into(), libraries.shim().into()));
    let error = preflight::check(&variables, &libraries, &[]).err()?;
    Some(finding(
        Severity::Problem,
        "shim_does_not_load",
        &format!("{error:#}"),
        "nothing is started without it",
        "see what the loader says; security modules and very old C libraries are the usual reasons",
    ))
}

/// A device that claims more memory than its file system has.
fn device_memory() -> Option<Finding> {
    let machine = Machine::existing(&Request::of_process().ok()?).ok()??;
    let file = machine.memory_path()?;
    let mount = system_unsafe::mount(&file).ok()?;
    let wanted: u64 = (0..machine.devices().len()).map(|device| machine.memory(device).free).sum();
    (mount.free < wanted).then(|| {
        finding(
            Severity::Warning,
            "small_tmpfs",
            &format!(
                "the software GPU has {} free, but {} is on a file system with {} left",
                show(wanted),
                file.display(),
                show(mount.free)
            ),
            "programs run out of device memory before the device is full",
            "enlarge it (mount -o remount,size=…), or make a smaller device (CLEAVE_SOFTGPU_MEMORY, `cleave softgpu reset`)",
        )
    })
}
