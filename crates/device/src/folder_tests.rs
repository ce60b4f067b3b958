//! What folders of every kind, good and bad, lead to. Races and kills are in `tests/`.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::config::{Place, Request};
use crate::error::Error;
use crate::folder::{Bases, Folder};
use crate::header::Header;
use crate::layout;
use crate::machine::Machine;

/// A directory of one test, removed afterwards with all that devices in it have elsewhere.
struct Temp(PathBuf);

impl Temp {
    /// On a tmpfs.
    fn new() -> Temp {
        Temp::under(Path::new("/dev/shm"))
    }

    /// On whatever the temporary directory is on; usually a disk.
    fn on_disk() -> Temp {
        Temp::under(&std::env::temp_dir())
    }

    fn under(parent: &Path) -> Temp {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let path = parent.join(format!("cleave-folder-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Temp(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn request(&self) -> Request {
        Request::folder(&self.0).with("memory", "32M")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join("device").join(name)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = Folder::find(&Request::folder(&self.0)).unwrap().remove();
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refused(request: &Request) -> String {
    Machine::open(request).err().expect("refused").to_string()
}

#[test]
fn a_device_is_made_once_and_found_again() {
    let temp = Temp::new();
    let machine = Machine::open(&temp.request()).unwrap();
    assert_eq!((machine.setup().memory, machine.preset()), (32 << 20, "default"));
    let again = Machine::open(&Request::folder(temp.path())).unwrap();
    assert!(std::ptr::eq(machine, again), "a lock file is opened once");
    assert_eq!(names(temp.path()), ["device"]);
    assert_eq!(names(&temp.path().join("device")), ["control", "lock", "memory", "shares"]);
    assert_eq!(machine.memory_path(), Some(temp.file("memory")));
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_in_the_folder_configures_it() {
    let temp = Temp::new();
    fs::write(temp.path().join("config.toml"), "preset = \"paced\"\nmemory = \"64M\"\n").unwrap();
    let machine = Machine::open(&Request::folder(temp.path())).unwrap();
    assert_eq!((machine.preset(), machine.setup().memory), ("paced", 64 << 20));

    fs::write(temp.path().join("config.toml"), "memory = \"96M\"\n").unwrap();
    let error = refused(&Request::folder(temp.path()));
    assert!(
        error.contains("has memory 64M")
            && error.contains("memory = 96M in")
            && error.contains("config.toml"),
        "{error}"
    );
}

#[test]
fn a_differing_request_names_both_values() {
    let temp = Temp::new();
    Machine::open(&temp.request()).unwrap();
    for (key, asked) in [
        ("memory", "64M"),
        ("devices", "2"),
        ("mode", "paced"),
        ("name", "x"),
        ("preset", "t4"),
        ("slice", "4ms"),
    ] {
        let error = refused(&Request::folder(temp.path()).with(key, asked));
        assert!(
            error.contains(&format!("asks for {asked}")) && error.contains(&format!("has {key} ")),
            "{error}"
        );
    }
}

#[test]
fn memory_lies_on_a_tmpfs_or_the_error_says_where_it_was_sought() {
    let temp = Temp::on_disk();
    if crate::sys_unsafe::tmpfs_bytes(temp.path()).unwrap().is_some() {
        eprintln!("{} is a tmpfs: memory outside of the folder is not tested", temp.path().display());
        return;
    }
    let machine = Machine::open(&temp.request()).unwrap();
    let memory = machine.memory_path().unwrap();
    assert!(memory.starts_with("/dev/shm") && fs::metadata(&memory).unwrap().len() == 32 << 20);

    // Another container does not see it. The same device under another name is opened anew.
    let moved = Temp::on_disk();
    fs::rename(temp.path().join("device"), moved.path().join("device")).unwrap();
    fs::remove_file(moved.file("memory")).unwrap();
    symlink("/dev/shm/cleave-softgpu-elsewhere", moved.file("memory")).unwrap();
    forget_open(&moved);
    let error = refused(&Request::folder(moved.path()));
    assert!(
        error.contains("/dev/shm/cleave-softgpu-elsewhere") && error.contains("mount that file"),
        "{error}"
    );
    fs::remove_file(memory).unwrap();

    let none = Temp::on_disk();
    let mut request = none.request();
    request.bases.shm = std::env::temp_dir();
    let error = refused(&request);
    assert!(error.contains("needs a tmpfs") && error.contains(none.path().to_str().unwrap()), "{error}");
    assert_eq!(names(none.path()), [""; 0], "nothing is left behind");
}

/// Gives a device's directory a new identity, as if another process opened it.
fn forget_open(temp: &Temp) {
    let (dir, copy) = (temp.path().join("device"), temp.path().join("copy"));
    fs::create_dir(&copy).unwrap();
    for name in names(&dir) {
        fs::rename(dir.join(&name), copy.join(&name)).unwrap();
    }
    fs::remove_dir(&dir).unwrap();
    fs::rename(&copy, &dir).unwrap();
}

/// What a damage leads to, and that `remove` always helps.
fn damaged(damage: impl Fn(&Temp), expected: &str) {
    let temp = Temp::new();
    Machine::open(&temp.request()).unwrap();
    forget_open(&temp);
    damage(&temp);
    let error = refused(&temp.request());
    assert!(error.contains(expected), "{error} should say {expected}");
    assert!(
        error.contains(temp.path().to_str().unwrap()) && error.contains("cleave softgpu reset"),
        "{error}"
    );
    let folder = Folder::find(&temp.request()).unwrap();
    assert_eq!(folder.users().unwrap(), []);
    assert!(folder.remove().unwrap());
    assert!(!folder.remove().unwrap());
    Machine::open(&temp.request()).unwrap();
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

fn cut(path: &Path, len: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

#[test]
fn damage_is_an_error_that_says_what_to_do() {
    damaged(|temp| overwrite(&temp.file("control"), 0, b"\x7fELF"), "not a device's");
    damaged(|temp| overwrite(&temp.file("control"), 60, b"?"), "first page");
    damaged(|temp| cut(&temp.file("control"), 0), "not a device's");
    damaged(|temp| cut(&temp.file("control"), 100), "first page");
    damaged(|temp| cut(&temp.file("control"), 4096), "4096 bytes long");
    damaged(|temp| cut(&temp.file("memory"), 5), "5 bytes long");
    damaged(|temp| fs::remove_file(temp.file("control")).unwrap(), "it is missing");
    damaged(|temp| fs::remove_file(temp.file("lock")).unwrap(), "it is missing");
    damaged(|temp| fs::remove_file(temp.file("shares")).unwrap(), "it is missing");
    let other = format!("cleave software gpu\nlayout {}9\n", layout::version());
    damaged(move |temp| overwrite(&temp.file("control"), 0, other.as_bytes()), "another version");
}

#[test]
fn a_device_that_is_no_folder_is_refused() {
    let temp = Temp::new();
    fs::write(temp.path().join("device"), "").unwrap();
    assert!(refused(&temp.request()).contains("not a folder"));
    let file = Request::folder(temp.path().join("device"));
    assert!(refused(&file).contains("device"));
}

/// Whatever stands in the pages behind the header, opening, joining and listing answer, and nothing panics.
#[test]
fn random_words_in_the_pages_never_panic() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for round in 0..20 {
        let temp = Temp::new();
        Machine::open(&temp.request()).unwrap();
        forget_open(&temp);
        let len = fs::metadata(temp.file("control")).unwrap().len();
        let noise: Vec<u8> =
            (0..(len - 4096) / 8).flat_map(|_| (random() & random() & random()).to_le_bytes()).collect();
        overwrite(&temp.file("control"), 4096, &noise);
        let machine = Machine::open(&temp.request()).unwrap();
        machine.recover();
        let joined = machine.join("noise");
        assert!(joined.is_ok(), "round {round}: everyone who was there is dead");
        let processes = machine.processes(0);
        assert_eq!(processes.len(), 1);
        let memory = machine.memory(0);
        assert!(memory.used <= memory.total && memory.used + memory.free == memory.total, "{memory:?}");
        machine.last_second_ns(0, crate::Engine::Gr);
    }
}

#[test]
fn files_may_be_shared_by_whoever_may_write_the_folder() {
    for (folder, file, dir) in
        [(0o700, 0o600, 0o700), (0o755, 0o600, 0o700), (0o770, 0o660, 0o770), (0o1777, 0o666, 0o775)]
    {
        let temp = Temp::new();
        fs::set_permissions(temp.path(), Permissions::from_mode(folder)).unwrap();
        Machine::open(&temp.request()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!(mode(&temp.path().join("device")), dir, "{folder:o}");
        for name in ["control", "lock", "memory", "shares"] {
            assert_eq!(mode(&temp.file(name)), file, "{name} in {folder:o}");
        }
    }
}

#[test]
fn a_folder_that_anyone_can_tamper_with_is_refused() {
    let temp = Temp::new();
    fs::set_permissions(temp.path(), Permissions::from_mode(0o777)).unwrap();
    let error = refused(&temp.request());
    assert!(error.contains("cannot be trusted") && error.contains("chmod"), "{error}");
}

#[test]
fn a_presets_folder_must_be_ours() {
    let temp = Temp::new();
    let bases = bases(&temp);
    let mut request = preset(&temp, "default", bases);
    let machine = Machine::open(&request).unwrap();
    let folder = machine.folder().unwrap();
    assert_eq!(folder, temp.path().join("runtime/cleave/softgpu/default"));
    assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700);

    // As somebody else finds it; root is trusted by all, so the folder must not be root's.
    let _ = chown(folder, Some(4242), None);
    request.bases.user = fs::metadata(folder).unwrap().uid() + 1;
    let error =
        Folder { named: false, path: folder.into(), bases: request.bases.clone() }.check().unwrap_err();
    assert!(
        matches!(error, Error::Untrusted { .. }) && error.to_string().contains("it belongs to user"),
        "{error}"
    );
    Folder { named: true, path: folder.into(), bases: request.bases }
        .check()
        .expect("named by the user himself");
    Folder::find(&Request::folder(folder)).unwrap().remove().unwrap();
}

fn preset(temp: &Temp, name: &'static str, bases: Bases) -> Request {
    let mut request = temp.request();
    (request.place, request.bases) = (Place::Preset(name), bases);
    request
}

fn bases(temp: &Temp) -> Bases {
    let runtime = temp.path().join("runtime");
    fs::create_dir(&runtime).unwrap();
    Bases {
        machine: temp.path().join("nowhere/cleave/softgpu"),
        runtime: Some(runtime),
        ..Bases::of_process(&|_| None)
    }
}

#[test]
fn presets_live_where_the_process_may_write() {
    let temp = Temp::new();
    let mut bases = bases(&temp);
    let find = |bases: &Bases| Folder::find(&preset(&temp, "t4", bases.clone())).unwrap().path;
    assert_eq!(find(&bases), temp.path().join("runtime/cleave/softgpu/t4"));
    bases.runtime = Some(temp.path().join("missing"));
    assert_eq!(find(&bases), Path::new(&format!("/dev/shm/cleave-{}/softgpu/t4", bases.user)));
    fs::create_dir_all(&bases.machine).unwrap();
    assert_eq!(find(&bases), bases.machine.join("t4"));
}

#[test]
fn what_dead_builders_left_is_swept() {
    let temp = Temp::new();
    for name in [".new-00", ".old-00"] {
        let dir = temp.path().join(name);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("control"), "half").unwrap();
        symlink(temp.path().join("cleave-softgpu-left"), dir.join("memory")).unwrap();
    }
    fs::write(temp.path().join("cleave-softgpu-left"), "").unwrap();
    fs::write(temp.path().join("config.toml"), "").unwrap();
    let living = temp.path().join(".new-11");
    fs::create_dir(&living).unwrap();
    let lock = fs::File::open(&living).unwrap();
    lock.lock().unwrap();
    Machine::open(&temp.request()).unwrap();
    assert_eq!(names(temp.path()), [".new-11", "config.toml", "device"]);
}

#[test]
fn a_device_of_an_earlier_boot_is_replaced() {
    let temp = Temp::new();
    let mut request = temp.request();
    request.bases.boot = "first".into();
    let first = Machine::open(&request).unwrap().id();
    forget_open(&temp);
    request.bases.boot = "second".into();
    assert!(Machine::existing(&request).unwrap().is_none());
    let second = Machine::open(&request).unwrap().id();
    assert_ne!(first, second);
    forget_open(&temp);
    request.bases.boot = String::new();
    assert_eq!(Machine::open(&request).unwrap().id(), second, "where nothing is known, nothing is removed");
}

#[test]
fn a_private_device_has_no_folder() {
    let request = Request::private().with("memory", "32M").with("devices", "2");
    let machine = Machine::open(&request).unwrap();
    assert!(
        machine.is_private() && machine.folder().is_none() && Machine::existing(&request).unwrap().is_none()
    );
    assert_eq!(machine.memory_file().metadata().unwrap().len(), 64 << 20);
    let member = machine.join("alone").unwrap();
    assert_eq!(machine.join("again").unwrap(), member, "once");
    let processes = machine.processes(1);
    assert_eq!(
        (processes.len(), processes[0].name.as_str(), processes[0].pid),
        (1, "alone", std::process::id())
    );
    assert_ne!(machine.device(0).uuid, machine.device(1).uuid);
    assert_ne!(machine.id(), Machine::open(&request).unwrap().id());
}

#[test]
fn the_header_can_be_read_by_people() {
    let temp = Temp::new();
    let machine = Machine::open(&temp.request()).unwrap();
    let page = fs::read(temp.file("control")).unwrap();
    let header = Header::decode(&page[..4096], temp.path()).unwrap();
    assert_eq!(header.id, machine.id());
    assert!(page.windows(11).any(|text| text == b"\nmemory 32M"));
}
