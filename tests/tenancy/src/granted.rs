//! Grants without a daemon: slots that the test makes itself, and programs that run under them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use cleave_slot::{NodeSlot, Owner, Terms, Uuid};

use crate::{Home, c_client, say};

/// A tenant with one slot for each device of a home's software GPU, in their order.
pub struct Granted<'a> {
    home: &'a Home,
    folder: PathBuf,
    pub slots: Vec<NodeSlot>,
}

impl Home {
    /// The devices of the software GPU, in its order.
    pub fn devices(&self) -> Vec<Uuid> {
        let said = say(self.native(c_client("devices")).arg("list"));
        assert!(said.status.success(), "{said:?}");
        said.out.lines().map(|line| line.parse::<Uuid>().expect("a device's identity")).collect()
    }

    /// A tenant that may have so many bytes of each device.
    pub fn grant(&self, memory: &[u64]) -> Granted<'_> {
        self.grant_of(&self.devices().into_iter().zip(memory.iter().copied()).collect::<Vec<_>>())
    }

    /// A tenant of these devices, whether they are there or not.
    pub fn grant_of(&self, grants: &[(Uuid, u64)]) -> Granted<'_> {
        Granted::new(self, grants)
    }
}

impl<'a> Granted<'a> {
    fn new(home: &'a Home, grants: &[(Uuid, u64)]) -> Granted<'a> {
        let folder = (0..).map(|n| home.folder().join(format!("tenant{n}"))).find(|folder| !folder.exists());
        let folder = folder.expect("numbers do not end");
        std::fs::create_dir(&folder).expect("a folder for the tenant");
        let grant = |(number, (device, memory)): (usize, &(Uuid, u64))| {
            let terms = Terms {
                device: *device,
                memory: *memory,
                compute: 100,
                encode: 100,
                decode: 100,
                priority: 0,
                policy: 0,
                device_total: 4 << 30,
                context: 0,
            };
            NodeSlot::create(&folder.join(format!("gpu{number}")), &terms, Owner::Anyone).expect("a slot")
        };
        let slots = grants.iter().enumerate().map(grant).collect();
        Granted { home, folder: folder.clone(), slots }
    }

    /// The tenant's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `program` as this tenant.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.home.native(program);
        command.env("LD_PRELOAD", self.home.dist().libcleave()).env("CLEAVE_TENANT", &self.folder);
        command
    }

    /// Bytes held on a device now; the dead hold nothing.
    pub fn used(&self, device: usize) -> u64 {
        self.slots[device].recover();
        self.slots[device].used()
    }
}
