//! The vendor's own libraries, without a GPU, with and without the shim in front: nobody can tell the difference.
//!
//! Each client runs bare, behind the preload, as a tenant, and behind the drop-in; what it prints and how it ends is the same.
#![cfg(feature = "dist")]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use cleave_node::dropin;
use cleave_slot::Uuid;
use cleave_tenancy::{Home, Said, c_client, c_client_with, say};

/// The folders of the vendor's libraries, where this machine has them unpacked.
fn vendor(about: &str) -> Option<OsString> {
    let found = std::env::var_os("CLEAVE_VENDOR");
    if found.is_none() {
        println!("skipped: {about} (CLEAVE_VENDOR names no folder)");
    }
    found
}

/// A file that the tests are handed.
fn file(libraries: &OsStr, name: &str) -> PathBuf {
    let folder = std::env::split_paths(libraries).find(|folder| folder.join(name).exists());
    folder.unwrap_or_else(|| panic!("no {name} in {libraries:?}")).join(name)
}

/// Drop-ins in the place of both libraries.
fn dropins(home: &Home, libraries: &OsStr) -> PathBuf {
    let folder = home.folder().join("dropin");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["libcuda.so.1", "libnvidia-ml.so.1"] {
        dropin::write(&folder, name, &home.dist().libcleave(), &file(libraries, name)).expect("written");
    }
    folder
}

/// Runs a client in every way and compares.
fn same(libraries: &OsStr, words: &[&OsStr]) -> Said {
    let home = Home::new();
    let tenant = home.grant_of(&[(Uuid::Gpu([7; 16]), 1 << 30)]);
    let with = |change: &dyn Fn(&mut Command)| {
        let mut command = home.command(words[0]);
        command.args(&words[1..]).env("LD_LIBRARY_PATH", libraries);
        change(&mut command);
        say(&mut command)
    };
    let bare = with(&|_| {});
    let preload = |command: &mut Command| {
        command.env("LD_PRELOAD", home.dist().libcleave());
    };
    let dropin = dropins(&home, libraries);
    let shimmed = [
        ("behind the preload", with(&preload)),
        (
            "as a tenant",
            with(&|command| {
                preload(command);
                command.env("CLEAVE_TENANT", tenant.folder());
            }),
        ),
        (
            "behind the drop-in",
            with(&|command| {
                command.env("LD_LIBRARY_PATH", &dropin);
            }),
        ),
    ];
    for (how, shimmed) in shimmed {
        equal(&bare.out, &shimmed.out, how);
        equal(&bare.err, &shimmed.err, how);
        assert_eq!(bare.status, shimmed.status, "{how}");
    }
    bare
}

/// Says which lines differ: there may be a hundred thousand.
fn equal(bare: &str, shimmed: &str, how: &str) {
    if bare != shimmed {
        let mut differ: Vec<_> =
            bare.lines().zip(shimmed.lines()).filter(|(one, other)| one != other).collect();
        let count = differ.len();
        differ.truncate(20);
        panic!(
            "{how}, {count} lines differ ({} and {} bytes), the first: {differ:#?}",
            bare.len(),
            shimmed.len()
        );
    }
}

fn names_file(home: &Home, name: &str, names: impl IntoIterator<Item = String>) -> PathBuf {
    let path = home.folder().join(name);
    let names: BTreeSet<String> = names.into_iter().collect();
    std::fs::write(&path, names.into_iter().collect::<Vec<_>>().join("\n")).expect("written");
    path
}

/// The runtime libraries that the tests are handed.
fn runtimes() -> Vec<PathBuf> {
    let list = std::env::var_os("CLEAVE_CUDART").unwrap_or_default();
    std::env::split_paths(&list).filter(|path| path.is_file()).collect()
}

/// Names of the driver API that stand in a runtime library: what it may look up.
fn looked_up_by(runtime: &Path) -> Vec<String> {
    let bytes = std::fs::read(runtime).expect("readable");
    let words = bytes.split(|byte| *byte == 0).filter_map(|word| std::str::from_utf8(word).ok());
    let is_name = |word: &&str| {
        let mut letters = word.bytes();
        letters.next() == Some(b'c')
            && letters.next() == Some(b'u')
            && letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    };
    words.filter(is_name).map(str::to_owned).collect()
}

#[test]
fn every_look_up_gives_the_same() {
    let Some(libraries) = vendor("look-ups in the vendor's driver") else { return };
    let home = Home::new();
    let rows = cleave_api::CUDA_TABLE.iter().flat_map(|row| [row.base().to_owned(), row.name.to_owned()]);
    let runtimes = runtimes();
    let asked = runtimes.iter().flat_map(|runtime| looked_up_by(runtime));
    let others = ["puts", "cublasCreate_v2", "cuNoSuchFunction", "dlsym"].map(str::to_owned);
    let names = names_file(&home, "names", rows.chain(asked).chain(others));
    let said = same(&libraries, &[c_client("sweep").as_ref(), "look-up".as_ref(), names.as_ref()]);
    let lines = said.out.lines().count();
    assert!(said.status.success() && lines > 100_000, "{lines} lines");
    assert!(
        said.out.contains("cuMemAlloc 12020 0: 0 found, 0 found 0, 0 1"),
        "the driver knows its functions"
    );
}

#[test]
fn every_function_takes_null_alike() {
    let Some(libraries) = vendor("null arguments to the vendor's driver") else { return };
    let home = Home::new();
    // The debugger's entrances look for a debugger for half a minute.
    let rows = cleave_api::CUDA_TABLE.iter().filter(|row| !row.name.starts_with("cudbg"));
    let names = names_file(&home, "names", rows.map(|row| row.name.to_owned()));
    let sweep = c_client("sweep");
    let words =
        |mode: &'static str| [sweep.as_ref(), mode.as_ref(), "libcuda.so.1".as_ref(), names.as_os_str()];
    let before = same(&libraries, &words("null"));
    assert!(before.out.contains("cuMemAlloc_v2 3\n") && before.out.lines().count() > 600, "{before:?}");
    let after = [&words("null-after")[..], &["cuInit".as_ref()]].concat();
    same(&libraries, &after);
}

#[test]
fn every_function_of_nvml_takes_null_alike() {
    let Some(libraries) = vendor("null arguments to the vendor's NVML") else { return };
    let home = Home::new();
    let rows = cleave_api::NVML_TABLE.iter().map(|row| row.name.to_owned());
    let names = names_file(&home, "names", rows);
    let sweep = c_client("sweep");
    let words =
        |mode: &'static str| [sweep.as_ref(), mode.as_ref(), "libnvidia-ml.so.1".as_ref(), names.as_os_str()];
    let before = same(&libraries, &words("null"));
    assert!(before.out.contains("nvmlDeviceGetCount_v2 1\n"), "not initialised: {before:?}");
    let after = [&words("null-after")[..], &["nvmlInitWithFlags".as_ref()]].concat();
    same(&libraries, &after);
}

#[test]
fn the_runtime_library_answers_alike() {
    let Some(libraries) = vendor("the vendor's runtime on the vendor's driver") else { return };
    let runtimes = runtimes();
    if runtimes.is_empty() {
        println!("skipped: the vendor's runtime on the vendor's driver (CLEAVE_CUDART names no file)");
    }
    for runtime in runtimes {
        let said = same(&libraries, &[c_client("runtime").as_ref(), runtime.as_ref()]);
        assert!(said.status.success() && said.out.contains("cudaMalloc "), "{said:?}");
    }
}

/// Case 10: the vendor's compiler links the runtime into programs, and that one looks everything up by itself.
#[test]
fn case_10_the_runtime_inside_a_program_answers_alike() {
    let Some(libraries) = vendor("the vendor's runtime inside a program") else { return };
    for runtime in runtimes() {
        let name = runtime.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let version = name.strip_prefix("libcudart.so.").expect("libcudart.so.<version>");
        let archive = runtime.with_file_name("libcudart_static.a");
        if version.starts_with("11.") {
            // Its package has no archive; see below.
            continue;
        }
        let program = c_client_with("static_runtime", version, &archive);
        let said = same(&libraries, &[program.as_ref()]);
        assert!(said.status.success() && said.out.contains("cudaDriverGetVersion 0 12020"), "{said:?}");
    }
}

/// Case 10, for CUDA 11: there the runtime is found linked into the vendor's other libraries.
#[test]
fn case_10_the_runtime_inside_a_library_answers_alike() {
    let about = "the vendor's runtime inside a library";
    let Some(libraries) = vendor(about) else { return };
    let Some(library) = std::env::var_os("CLEAVE_NVJPEG") else {
        println!("skipped: {about} (CLEAVE_NVJPEG names none)");
        return;
    };
    let said = same(&libraries, &[c_client("inside").as_ref(), &library]);
    assert!(said.status.success() && said.out.starts_with("runtime 11."), "{said:?}");
}

#[test]
fn nvidia_smi_fails_alike() {
    let Some(libraries) = vendor("nvidia-smi on the vendor's NVML") else { return };
    let Some(smi) = std::env::var_os("CLEAVE_NVIDIA_SMI") else {
        println!("skipped: nvidia-smi on the vendor's NVML (CLEAVE_NVIDIA_SMI names none)");
        return;
    };
    let said = same(&libraries, &[&smi]);
    assert!(!said.status.success(), "there is no GPU: {said:?}");
}
