//! A tenant without a daemon: the test makes the slots itself, and may sit in them.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use cleave_slot::{NodeSlot, Owner, Terms, Uuid};

use crate::{Home, c_client, say};

/// A tenant's folder. Its slots are the test's to change.
pub struct Slots {
    folder: PathBuf,
    slots: Vec<NodeSlot>,
}

impl Slots {
    /// A tenant called `name` with these grants.
    pub fn new(home: &Home, name: &str, grants: &[Terms]) -> Slots {
        let folder = home.folder().join("slots").join(name);
        std::fs::create_dir_all(&folder).expect("a folder for the slots");
        let make = |(number, terms): (usize, &Terms)| {
            NodeSlot::create(&folder.join(format!("gpu{number}")), terms, Owner::Anyone).expect("a slot")
        };
        let slots = grants.iter().enumerate().map(make).collect();
        Slots { folder, slots }
    }

    /// The tenant's folder.
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// The slot with a number, as the node has it.
    pub fn node(&self, number: usize) -> &NodeSlot {
        &self.slots[number]
    }

    /// `program` on the software GPU as a process of this tenant.
    pub fn command(&self, home: &Home, program: impl AsRef<OsStr>) -> Command {
        let mut command = home.native(program);
        command.env("LD_PRELOAD", home.dist().libcleave()).env("CLEAVE_TENANT", &self.folder);
        command
    }
}

/// What a grant says that limits memory and compute.
pub fn terms(device: Uuid, memory: u64, compute: u32) -> Terms {
    Terms {
        device,
        memory,
        compute,
        encode: 100,
        decode: 100,
        priority: 0,
        policy: 0,
        device_total: 0,
        context: 0,
    }
}

/// The devices of the home's software GPU, in the machine's order.
pub fn devices(home: &Home) -> Vec<Uuid> {
    let said = say(home.native(c_client("nvml")).arg("devices"));
    let uuids = said.out.lines().filter_map(|line| line.split("uuid ").nth(1)?.split(' ').next());
    let uuids: Vec<Uuid> = uuids.map(|uuid| uuid.parse().expect("a UUID")).collect();
    assert!(!uuids.is_empty(), "{said:?}");
    uuids
}
