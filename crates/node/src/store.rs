//! Tenants on disk: a folder each, with a record and a slot per grant. It is all the daemon's state; the next one adopts it.
//!
//! A tenant appears and goes by one rename. Whatever a daemon that was killed left half made or half removed lies under a name
//! with a dot, is nobody's, and is removed by the next one.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cleave_slot::{NodeSlot, Owner, Terms};
use serde::{Deserialize, Serialize};

use crate::lifetime::Main;
use crate::policy::Policy;
use crate::protocol::{Kind, Lifetime, Moving};

/// The record's file in a tenant's folder.
const RECORD: &str = "tenant.json";

/// No record of ours is longer; what is, is none.
const LONGEST: u64 = 4 << 20;

/// What a daemon writes down about a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub version: u32,
    pub id: String,
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    pub command: Vec<String>,
    pub lifetime: Lifetime,
    pub parent: Option<String>,
    /// The request it was made for.
    pub ticket: String,
    pub main: Option<Main>,
    pub started_unix_ms: u64,
    /// It launches nothing until it is resumed.
    #[serde(default)]
    pub paused: bool,
    /// Whether its memory can leave the device, and whether it shall until it is resumed.
    #[serde(default)]
    pub moving: Moving,
    #[serde(default)]
    pub to_host: bool,
    pub grants: Vec<Grant>,
}

/// One grant: the slot `gpuN` at the same place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub uuid: String,
    pub device: String,
    pub kind: Kind,
    pub memory: u64,
    /// Percent of the device now; the book counts what the policy says.
    pub compute: u32,
    #[serde(default)]
    pub policy: Policy,
    #[serde(default)]
    pub priority: i32,
    #[serde(default)]
    pub latency: bool,
    pub total: u64,
    /// What the tenant may still hold though its limit was lowered since; not granted to others.
    #[serde(default)]
    pub committed: u64,
}

/// What was found in a folder of a tenant.
pub struct Found {
    /// The folder's name.
    pub name: String,
    pub folder: PathBuf,
    pub record: Result<Record>,
    /// Its slots, by their number.
    pub slots: Vec<Result<NodeSlot, cleave_slot::Error>>,
}

/// Called before each change on disk; an error stops the daemon there, as if it were killed. For tests.
type Step = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// The folder of all tenants.
pub struct Store {
    folder: PathBuf,
    step: Step,
}

impl Store {
    /// Makes the folder if it is not there. Others may pass through it, but not list it: names of folders for containers are
    /// secrets.
    pub fn open(folder: PathBuf) -> Result<Store> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o711)
            .create(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Store { folder, step: Box::new(|| Ok(())) })
    }

    /// Makes a tenant's folder `name`: whole, or not at all.
    pub fn create(&self, name: &str, record: &Record, terms: &[Terms], owner: Owner) -> Result<PathBuf> {
        let (draft, folder) = (self.folder.join(format!("{DRAFT}{name}")), self.folder.join(name));
        let made = self.fill(&draft, record, terms, owner).and_then(|()| {
            (self.step)()?;
            fs::rename(&draft, &folder).with_context(|| format!("cannot make {}", folder.display()))
        });
        if let Err(error) = made {
            let _ = self.erase(&draft);
            return Err(error);
        }
        Ok(folder)
    }

    fn fill(&self, draft: &Path, record: &Record, terms: &[Terms], owner: Owner) -> Result<()> {
        (self.step)()?;
        let made = DirBuilder::new().mode(0o755).create(draft);
        made.with_context(|| format!("cannot make {}", draft.display()))?;
        for (number, terms) in terms.iter().enumerate() {
            (self.step)()?;
            let slot = NodeSlot::create(&draft.join(slot(number)), terms, owner)?;
            if record.moving != Moving::Never {
                slot.make_movable();
            }
        }
        self.write(draft, record)
    }

    /// Writes a record anew.
    pub fn write(&self, folder: &Path, record: &Record) -> Result<()> {
        let (path, draft) = (folder.join(RECORD), folder.join(".tenant.json"));
        let text = serde_json::to_vec_pretty(record)?;
        let write = || -> io::Result<()> {
            (self.step)()?;
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            (self.step)()?;
            file.write_all(&text)?;
            (self.step)()?;
            fs::rename(&draft, &path)
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes a tenant.
    pub fn remove(&self, folder: &Path) -> Result<()> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let gone = self.folder.join(format!("{GONE}{name}"));
        (self.step)()?;
        fs::rename(folder, &gone).with_context(|| format!("cannot remove {}", folder.display()))?;
        // It is gone already; what stays behind is removed by the next daemon.
        let _ = self.erase(&gone);
        Ok(())
    }

    fn erase(&self, folder: &Path) -> io::Result<()> {
        (self.step)()?;
        fs::remove_dir_all(folder)
    }

    /// Everything an earlier daemon left. What is half made is removed.
    pub fn adopt(&self) -> Result<Vec<Found>> {
        let entries =
            fs::read_dir(&self.folder).with_context(|| format!("cannot read {}", self.folder.display()))?;
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let (name, folder) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            if name.starts_with('.') {
                let _ = self.erase(&folder);
            } else if folder.is_dir() {
                found.push(Found::in_folder(name, folder));
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }
}

/// How names of folders begin that are not tenants yet, or no longer.
const DRAFT: &str = ".new-";
const GONE: &str = ".old-";

/// Most devices a tenant can have: as many as a machine can have.
const MOST: usize = 1024;

impl Found {
    fn in_folder(name: String, folder: PathBuf) -> Found {
        let record = read(&folder.join(RECORD)).and_then(|record| match id_of(&name) {
            // Otherwise it would take another one's place.
            id if record.id != id => {
                anyhow::bail!("the record in {} is of tenant {}", folder.display(), record.id)
            }
            _ => Ok(record),
        });
        let there = |number: &usize| folder.join(slot(*number)).exists();
        let recorded = record.as_ref().map_or(0, |record| record.grants.len());
        let count = (0..MOST).take_while(|number| *number < recorded || there(number)).count();
        let slots = (0..count).map(|number| NodeSlot::open(&folder.join(slot(number)))).collect();
        Found { name, folder, record, slots }
    }
}

/// The tenant a folder is of: its name up to the secret, if it has one.
pub fn id_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The folder of a tenant's grant.
pub fn slot(number: usize) -> String {
    format!("gpu{number}")
}

fn read(path: &Path) -> Result<Record> {
    let read = || -> Result<Record> {
        if fs::metadata(path)?.len() > LONGEST {
            anyhow::bail!("it is too long");
        }
        let record: Record = serde_json::from_slice(&fs::read(path)?)?;
        if record.version != VERSION {
            anyhow::bail!("it is of version {}, and this daemon knows {VERSION}", record.version);
        }
        if record.grants.len() > MOST {
            anyhow::bail!("no machine has {} devices", record.grants.len());
        }
        Ok(record)
    };
    read().with_context(|| format!("{}", path.display()))
}

/// Version of the record.
pub const VERSION: u32 = 1;

#[cfg(test)]
pub mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use cleave_slot::Uuid;

    use super::*;
    use crate::scratch::Scratch;

    impl Store {
        /// Stops at the given change on disk, and at every later one, as if the daemon had been killed.
        pub fn killed_at(mut self, steps: i64) -> Store {
            let left = Arc::new(AtomicI64::new(steps));
            self.step = Box::new(move || match left.fetch_sub(1, Ordering::Relaxed) {
                1.. => Ok(()),
                _ => Err(io::Error::other("killed")),
            });
            self
        }
    }

    pub fn terms(memory: u64) -> Terms {
        let device = Uuid::Gpu([7; 16]);
        Terms {
            device,
            memory,
            compute: 30,
            encode: 0,
            decode: 0,
            priority: 0,
            policy: 0,
            device_total: 1 << 34,
            context: 0,
        }
    }

    pub fn record(id: &str) -> Record {
        let grant = Grant {
            uuid: Uuid::Gpu([7; 16]).to_string(),
            device: "A".into(),
            kind: Kind::Soft,
            memory: 1 << 30,
            compute: 30,
            policy: Policy::Burst,
            priority: 0,
            latency: false,
            total: 1 << 34,
            committed: 0,
        };
        Record {
            version: VERSION,
            id: id.into(),
            name: "test".into(),
            uid: 0,
            gid: 0,
            command: vec!["prog".into()],
            lifetime: Lifetime::Grant,
            parent: None,
            ticket: "t".into(),
            main: None,
            started_unix_ms: 1,
            paused: false,
            moving: Moving::Paused,
            to_host: false,
            grants: vec![grant.clone(), grant],
        }
    }

    fn create(store: &Store, name: &str) -> Result<PathBuf> {
        let owner = Owner::Uid(crate::sys_unsafe::user(), 0);
        store.create(name, &record(name), &[terms(1 << 30), terms(1 << 30)], owner)
    }

    #[test]
    fn a_tenant_is_found_as_it_was_left() {
        let scratch = Scratch::new();
        let store = Store::open(scratch.path().join("tenants")).unwrap();
        let folder = create(&store, "a").unwrap();
        let again = Store::open(scratch.path().join("tenants")).unwrap();
        let found = again.adopt().unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].folder, found[0].record.as_ref().unwrap()), (&folder, &record("a")));
        assert!(found[0].slots.iter().all(|slot| slot.as_ref().unwrap().terms() == terms(1 << 30)));
        drop(found);
        again.remove(&folder).unwrap();
        assert!(again.adopt().unwrap().is_empty());
        assert_eq!(fs::read_dir(scratch.path().join("tenants")).unwrap().count(), 0);
    }

    /// Records of releases that knew nothing of policies are read as they were meant.
    #[test]
    fn what_an_older_daemon_wrote_is_read() {
        let mut old = serde_json::to_value(record("a")).unwrap();
        old.as_object_mut().unwrap().remove("paused");
        for grant in old["grants"].as_array_mut().unwrap() {
            let grant = grant.as_object_mut().unwrap();
            grant.retain(|field, _| !["policy", "priority", "latency"].contains(&field.as_str()));
        }
        assert_eq!(serde_json::from_value::<Record>(old).unwrap(), record("a"));
    }

    /// Killed at every change on disk while a tenant is made, changed and removed: it is there whole, or not at all.
    #[test]
    fn killed_at_any_step_a_tenant_is_there_whole_or_not_at_all() {
        let mut ended = [0; 3];
        for steps in 0..32 {
            let scratch = Scratch::new();
            let path = scratch.path().join("tenants");
            create(&Store::open(path.clone()).unwrap(), "bystander").unwrap();
            let store = Store::open(path.clone()).unwrap().killed_at(steps);
            let mut changed = record("a");
            changed.name = "changed".into();
            let made = create(&store, "a");
            let rewritten = made.as_ref().is_ok_and(|folder| store.write(folder, &changed).is_ok());
            let removed = rewritten && store.remove(&path.join("a")).is_ok();

            let found = Store::open(path.clone()).unwrap().adopt().unwrap();
            let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
            assert!(
                found.iter().all(|found| found.record.is_ok() && found.slots.len() == 2),
                "{steps}: whole"
            );
            assert!(found.iter().flat_map(|found| &found.slots).all(Result::is_ok), "{steps}: whole");
            let expected: &[&str] =
                if made.is_ok() && !removed { &["a", "bystander"] } else { &["bystander"] };
            assert_eq!(names, expected, "{steps}");
            if made.is_ok() && !removed {
                let name = found[0].record.as_ref().unwrap().name.as_str();
                assert!(name == "changed" || (!rewritten && name == "test"), "{steps}: {name}");
            }
            let litter = fs::read_dir(&path)
                .unwrap()
                .flatten()
                .filter(|entry| entry.file_name().as_encoded_bytes()[0] == b'.');
            assert_eq!(litter.count(), 0, "{steps}: nothing half made stays");
            ended[usize::from(made.is_ok()) + usize::from(removed)] += 1;
        }
        assert!(ended.iter().all(|&count| count > 0), "every stage was killed in: {ended:?}");
    }

    #[test]
    fn garbage_is_found_as_garbage_and_harms_nobody() {
        let scratch = Scratch::new();
        let path = scratch.path().join("tenants");
        let store = Store::open(path.clone()).unwrap();
        for name in ["a", "b", "c", "d"] {
            create(&store, name).unwrap();
        }
        fs::write(path.join("a/tenant.json"), b"\xff{]").unwrap();
        fs::write(path.join("b/gpu0/limits"), [0xa5; 8192]).unwrap();
        fs::write(path.join("b/gpu1/usage"), b"").unwrap();
        fs::remove_dir_all(path.join("c/gpu1")).unwrap();
        fs::create_dir(path.join("e")).unwrap();
        fs::write(path.join("stray"), b"").unwrap();
        let found = Store::open(path).unwrap().adopt().unwrap();
        let shape: Vec<(&str, bool, Vec<bool>)> = found
            .iter()
            .map(|found| {
                (found.name.as_str(), found.record.is_ok(), found.slots.iter().map(Result::is_ok).collect())
            })
            .collect();
        assert_eq!(
            shape,
            [
                ("a", false, vec![true, true]),
                ("b", true, vec![false, false]),
                ("c", true, vec![true, false]),
                ("d", true, vec![true, true]),
                ("e", false, vec![]),
            ]
        );
        let why = format!("{:#}", found[0].record.as_ref().unwrap_err());
        assert!(why.contains("a/tenant.json: "), "{why}");
    }
}
