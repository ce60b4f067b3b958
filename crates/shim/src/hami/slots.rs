//! The slots that a container's processes make for themselves, where no daemon made any.
//!
//! The first process makes them; all share them. A later one whose variables say otherwise changes them: downwards at any time,
//! upwards only while no other process lives, so that a child cannot raise what its parent was given. No file has to be deleted
//! for a new limit.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cleave_slot::{Error, NodeSlot, Owner, Slot, Terms, Uuid};

use super::Limit;

/// Where a container's slots are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    folder: PathBuf,
    owner: Owner,
}

impl Place {
    /// Beside the file that HAMi-core would share, for all users of the container; without such a file in the folder for
    /// temporary files, for this user alone.
    pub fn new(shared_cache: Option<&Path>, temporary: &Path, (user, group): (u32, u32)) -> Place {
        match shared_cache.and_then(|cache| Some((cache, cache.file_name()?))) {
            Some((cache, name)) => {
                let mut name = name.to_owned();
                name.push(".cleave");
                Place { folder: cache.with_file_name(name), owner: Owner::Anyone }
            }
            None => Place {
                folder: temporary.join(format!("cleave-limits-{user}")),
                owner: Owner::Uid(user, group),
            },
        }
    }

    /// The slot of a device, with limits as the variables say.
    pub fn slot(&self, device: Uuid, limit: Limit) -> Result<Slot, String> {
        self.make().map_err(|why| format!("cannot use {}: {why}", self.folder.display()))?;
        let folder = self.folder.join(device.to_string());
        let open = || match Slot::open(&folder) {
            Err(Error::Missing { .. }) => self.create(&folder, device, limit),
            slot => slot,
        };
        let slot = open().map_err(|why| why.to_string())?;
        if agrees(&slot.terms(), limit) {
            return Ok(slot);
        }
        // Another user's process made it: what that one said holds.
        if let Ok(node) = NodeSlot::open(&folder) {
            adjust(&node, limit);
        }
        Ok(slot)
    }

    /// The folder of the slots. One that another user laid out for us is not used.
    fn make(&self) -> io::Result<()> {
        let mode = if self.owner == Owner::Anyone { 0o1777 } else { 0o700 };
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Ok(()) => fs::set_permissions(&self.folder, Permissions::from_mode(mode))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let about = fs::symlink_metadata(&self.folder)?;
        let ours = match self.owner {
            Owner::Anyone => true,
            Owner::Uid(user, _) => about.uid() == user && about.mode() & 0o077 == 0,
        };
        if about.is_dir() && ours { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    fn create(&self, folder: &Path, device: Uuid, limit: Limit) -> Result<Slot, Error> {
        match NodeSlot::create(folder, &terms(device, limit), self.owner) {
            Ok(made) => drop(made),
            // Another process was faster.
            Err(_) if folder.is_dir() => {}
            Err(why) => return Err(why),
        }
        Slot::open(folder)
    }
}

/// No limit of memory is a limit that no device reaches.
fn terms(device: Uuid, limit: Limit) -> Terms {
    let memory = limit.memory.unwrap_or(u64::MAX);
    Terms {
        device,
        memory,
        compute: limit.compute,
        encode: 100,
        decode: 100,
        priority: 0,
        policy: 0,
        device_total: 0,
        context: 0,
    }
}

fn agrees(terms: &Terms, limit: Limit) -> bool {
    terms.memory == limit.memory.unwrap_or(u64::MAX) && terms.compute == limit.compute
}

/// Makes the limits those of the variables, as far as that is this process's to decide.
fn adjust(node: &NodeSlot, limit: Limit) {
    let (now, alone) = (node.terms(), node.seats().is_empty());
    let memory = limit.memory.unwrap_or(u64::MAX);
    if memory < now.memory || alone {
        node.set_memory(memory);
    }
    if limit.compute < now.compute || alone {
        node.set_compute(limit.compute);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: Uuid = Uuid::Gpu([7; 16]);

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let base = Path::new("/dev/shm");
            let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
            let folder = base.join(format!("cleave-hami-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a folder");
            Folder(folder)
        }

        fn user(&self) -> (u32, u32) {
            let about = fs::metadata(&self.0).expect("there");
            (about.uid(), about.gid())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _already_gone_is_fine = fs::remove_dir_all(&self.0);
        }
    }

    fn limit(memory: u64, compute: u32) -> Limit {
        Limit { memory: Some(memory), compute }
    }

    #[test]
    fn beside_the_cache_or_apart_for_each_user() {
        let place = |cache| Place::new(cache, Path::new("/t"), (7, 8));
        let shared = place(Some(Path::new("/vgpu/a.cache")));
        assert_eq!((shared.folder, shared.owner), ("/vgpu/a.cache.cleave".into(), Owner::Anyone));
        for none in [None, Some(Path::new("")), Some(Path::new("/"))] {
            let own = place(none);
            assert_eq!((own.folder, own.owner), ("/t/cleave-limits-7".into(), Owner::Uid(7, 8)));
        }
    }

    #[test]
    fn a_changed_limit_needs_no_deletion() {
        let folder = Folder::new("change");
        let place = Place::new(Some(&folder.0.join("a.cache")), &folder.0, folder.user());
        let first = place.slot(DEVICE, limit(8 << 20, 30)).expect("made");
        assert_eq!((first.memory(), first.terms().compute), (8 << 20, 30));
        let second = place.slot(DEVICE, limit(16 << 20, 50)).expect("opened");
        assert_eq!((second.memory(), first.memory()), (16 << 20, 16 << 20), "nobody lives: raised for all");

        let seat = second.join("someone").expect("a seat");
        let lower = place.slot(DEVICE, limit(4 << 20, 40)).expect("opened");
        assert_eq!((lower.memory(), lower.terms().compute), (4 << 20, 40), "downwards at any time");
        let higher = place.slot(DEVICE, limit(64 << 20, 100)).expect("opened");
        assert_eq!(
            (higher.memory(), higher.terms().compute),
            (4 << 20, 40),
            "not upwards while someone lives"
        );
        drop(seat);
        let none = place.slot(DEVICE, Limit { memory: None, compute: 100 }).expect("opened");
        assert_eq!(none.memory(), u64::MAX);
    }

    #[test]
    fn all_that_come_first_share_one() {
        let folder = Folder::new("race");
        let place = Place::new(None, &folder.0, folder.user());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| place.slot(DEVICE, limit(1 << 20, 100)).expect("made or found"));
            }
        });
        let one = place.slot(DEVICE, limit(1 << 20, 100)).expect("there");
        one.join("one").expect("a seat").charge(512).expect("fits");
        let left: Vec<_> =
            fs::read_dir(&place.folder).expect("there").flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, [DEVICE.to_string().as_str()], "no drafts are left");
    }

    #[test]
    fn a_folder_that_others_may_write_is_refused() {
        let folder = Folder::new("trap");
        let place = Place::new(None, &folder.0, folder.user());
        fs::create_dir(&place.folder).expect("made");
        fs::set_permissions(&place.folder, Permissions::from_mode(0o777)).expect("opened to all");
        let why = place.slot(DEVICE, limit(1, 1)).map(drop).expect_err("refused");
        assert!(why.contains("cleave-limits-"), "{why}");
    }
}
