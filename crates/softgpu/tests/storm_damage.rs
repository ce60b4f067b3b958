//! Folders that are broken in every way: a clear error where it can be seen, and never a crash or a hang.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use call_unsafe::*;
use cleave_api::cuda::types::*;
use storm_unsafe::{Device, Dice, WRITE, alone, limit_seconds, redirect_stderr};

const CONFIG: &str = "memory = \"64M\"\ncontext = \"4M\"\n";
const PAGE: u64 = 4096;
/// Where the first page, which is text, says which layout the rest has.
const LAYOUT: u64 = "cleave software gpu\nlayout ".len() as u64;

/// A device that is made and unused.
fn device(name: &str) -> Device {
    let device = Device::new(name, CONFIG);
    assert_eq!(use_it(&device), (Ok(0), String::new()));
    device
}

/// A process that does a little of everything and takes every answer. It ends with 0 if the device could be opened and 1 if
/// not; and what it said on standard error.
fn use_it(device: &Device) -> (Result<i32, i32>, String) {
    let said = device.folder().join("said");
    let log = File::create(&said).expect("a file");
    let end = device
        .start(|| {
            limit_seconds(20);
            redirect_stderr(&log);
            if Libcuda.cuInit(0) != CUDA_SUCCESS {
                std::process::exit(1);
            }
            let Ok(_) = out(|pctx| Libcuda.cuCtxCreate_v2(pctx, 0, CUdevice(0))) else { return };
            let write = kernel(WRITE, "write");
            for _ in 0..3 {
                let Ok(at) = out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 5 << 20)) else { continue };
                let _ = launch(write, 32, CUstream(0), &[at.0, 7]);
                let _ = Libcuda.cuCtxSynchronize();
                let _ = out(|handle| Libcuda.cuIpcGetMemHandle(handle, at));
                let _ = out(|free| Libcuda.cuMemGetInfo_v2(free, null()));
                let _ = Libcuda.cuMemFree_v2(at);
            }
        })
        .end();
    (end, fs::read_to_string(said).unwrap_or_default())
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).expect("a file of the device");
    file.write_all_at(bytes, at).expect("room");
}

fn cut(path: &Path, len: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(len))
        .expect("a file of the device");
}

#[test]
fn a_damaged_folder_is_an_error_that_names_it() {
    let _alone = alone();
    type Damage = fn(PathBuf);
    let damages: [(&str, Damage); 14] = [
        ("control is empty", |dir| cut(&dir.join("control"), 0)),
        ("control is shorter than its header", |dir| cut(&dir.join("control"), 100)),
        ("control lost its last page", |dir| {
            let path = dir.join("control");
            cut(&path, fs::metadata(&path).expect("a file").len() - PAGE);
        }),
        ("control is too long", |dir| cut(&dir.join("control"), 1 << 30)),
        ("no magic", |dir| overwrite(&dir.join("control"), 0, b"something else  ")),
        ("another version", |dir| overwrite(&dir.join("control"), LAYOUT, b"9")),
        ("a header of garbage", |dir| overwrite(&dir.join("control"), 0, &[0xa5; PAGE as usize])),
        ("a header of zeros", |dir| overwrite(&dir.join("control"), 0, &[0; PAGE as usize])),
        ("no control", |dir| fs::remove_file(dir.join("control")).expect("a file")),
        ("no lock", |dir| fs::remove_file(dir.join("lock")).expect("a file")),
        ("no memory", |dir| fs::remove_file(dir.join("memory")).expect("a file")),
        ("memory is too short", |dir| cut(&dir.join("memory"), 1 << 20)),
        ("control is a folder", |dir| {
            fs::remove_file(dir.join("control")).expect("a file");
            fs::create_dir(dir.join("control")).expect("a folder");
        }),
        ("the device is a file", |dir| {
            fs::remove_dir_all(&dir).expect("a folder");
            fs::write(&dir, "not a device").expect("a file");
        }),
    ];
    for (what, damage) in damages {
        let device = device("storm-damage");
        damage(device.folder().join("device"));
        let (end, said) = use_it(&device);
        assert_eq!(end, Ok(1), "{what}: {said}");
        let folder = device.folder().to_string_lossy();
        assert!(said.contains(&*folder) && said.lines().count() == 1, "{what}: {said}");
        assert_eq!(said.contains("version"), what == "another version", "{what}: {said}");
    }
}

#[test]
fn a_header_with_any_byte_wrong_is_refused() {
    let _alone = alone();
    let device = device("storm-header");
    let control = device.folder().join("device/control");
    let good = fs::read(&control).expect("a file")[..PAGE as usize].to_vec();
    // A byte that is zero may be one of those after the header.
    let written = good.iter().rposition(|&byte| byte != 0).expect("a header");
    let mut dice = Dice::new();
    for _ in 0..60 {
        let at = dice.roll(written as u32 + 1) as usize;
        let wrong = good[at] ^ (1 << dice.roll(8));
        // A checksum in capitals is the same number.
        if wrong.eq_ignore_ascii_case(&good[at]) {
            continue;
        }
        overwrite(&control, at as u64, &[wrong]);
        let (end, said) = use_it(&device);
        assert_eq!(end, Ok(1), "byte {at}: {said}");
        overwrite(&control, at as u64, &[good[at]]);
    }
    assert_eq!(use_it(&device), (Ok(0), String::new()), "and the right one again is not");
}

#[test]
fn garbage_in_the_words_crashes_nobody() {
    let _alone = alone();
    let mut dice = Dice::new();
    for round in 0..60 {
        let device = device("storm-garbage");
        let control = device.folder().join("device/control");
        let len = fs::metadata(&control).expect("a file").len();
        let mut damage = vec![0; 8];
        for _ in 0..[5, 50, 5000][round % 3] {
            damage.fill_with(|| if dice.roll(2) == 0 { 0xff } else { dice.roll(256) as u8 });
            let at = PAGE + u64::from(dice.roll(((len - PAGE) / 8) as u32)) * 8;
            overwrite(&control, at, &damage);
        }
        let (end, said) = use_it(&device);
        assert!(end.is_ok(), "round {round} ended by signal {end:?}: {said}");
        assert!(!said.contains("panicked"), "round {round}: {said}");
    }
}
