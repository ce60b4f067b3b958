//! The empty library in the vendor's place: no preload, no variable, and yet the shim is there.
#![cfg(feature = "dist")]

use std::path::{Path, PathBuf};
use std::process::Command;

use cleave_node::dropin;
use cleave_tenancy::{Granted, Home, c_client, say};

const MIB: u64 = 1 << 20;

/// A folder with both drop-ins in front of the software GPU.
fn folder(home: &Home) -> PathBuf {
    let folder = home.folder().join("dropin");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["libcuda.so.1", "libnvidia-ml.so.1"] {
        let driver = home.dist().softgpu().join(name);
        dropin::write(&folder, name, &home.dist().libcleave(), &driver).expect("written");
    }
    folder
}

fn tenant(home: &Home, tenant: &Granted, program: &Path, words: &[&str]) -> String {
    let mut command = home.command(program);
    command.args(words).env("LD_LIBRARY_PATH", folder(home)).env("CLEAVE_TENANT", tenant.folder());
    let said = say(&mut command);
    assert!(said.status.success() && said.err.is_empty(), "{said:?}");
    said.out
}

#[test]
fn a_program_that_opens_the_driver_is_limited() {
    let home = Home::new();
    let grant = home.grant(&[64 * MIB]);
    let seen = tenant(&home, &grant, &c_client("tenant"), &["info"]);
    assert!(seen.starts_with(&format!("0 {} ", 64 * MIB)), "{seen}");
    assert_eq!(tenant(&home, &grant, &c_client("tenant"), &["take", &(65 * MIB).to_string()]), "2\n");
    let seen = tenant(&home, &grant, &c_client("nvml"), &["memory"]);
    assert!(seen.contains(&format!("total {} ", 64 * MIB)), "{seen}");
}

#[test]
fn a_program_linked_with_the_driver_is_limited() {
    let home = Home::new();
    let grant = home.grant(&[64 * MIB]);
    let program = home.folder().join("linked");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/linked.c");
    let libraries = home.dist().softgpu();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-Wall", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-L")
        .arg(libraries)
        .arg("-l:libcuda.so.1");
    assert!(say(&mut gcc).status.success());
    assert_eq!(tenant(&home, &grant, &program, &[]), format!("{} 0 2\n", 64 * MIB));
}

/// Both at once: the preload and the drop-in that needs it again.
#[test]
fn a_preload_beside_the_dropin_does_no_harm() {
    let home = Home::new();
    let grant = home.grant(&[64 * MIB]);
    let mut command = grant.command(c_client("tenant"));
    let said = say(command.args(["info"]).env("LD_LIBRARY_PATH", folder(&home)));
    assert!(said.out.starts_with(&format!("0 {} ", 64 * MIB)), "{said:?}");
}
