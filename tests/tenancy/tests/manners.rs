//! What the shim must not change: the process it rides in, and whatever else rides there. Each program runs natively and as a
//! tenant, and says and ends the same.
#![cfg(feature = "dist")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use cleave_tenancy::{Granted, Home, Said, c_client, c_library, say};

const MIB: u64 = 1 << 20;

/// A file that the tests are handed by a variable.
fn handed(variable: &str, about: &str) -> Option<PathBuf> {
    let found = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    if found.is_none() {
        println!("skipped: {about} ({variable} names no file)");
    }
    found
}

/// The client's `mode`, natively and as a tenant with plenty.
fn the_same(client: &Path, mode: &str, change: &dyn Fn(&mut Command)) -> Said {
    let home = Home::with(&[("CLEAVE_SOFTGPU_WORKERS", "1")]);
    let tenant = home.grant(&[1 << 30]);
    let run = |mut command: Command| {
        command.arg(mode);
        change(&mut command);
        say(&mut command)
    };
    let (native, shimmed) = (run(home.native(client)), run(tenant.command(client)));
    assert_eq!(
        (&native.out, &native.err, native.status),
        (&shimmed.out, &shimmed.err, shimmed.status),
        "{mode}"
    );
    assert_eq!(tenant.used(0), 0, "the dead hold nothing");
    shimmed
}

fn manners(mode: &str) -> Said {
    the_same(&c_client("manners"), mode, &|_| {})
}

#[test]
fn case_40_signals_mask_umask_folder_variables_and_descriptors_stay() {
    let said = manners("state");
    assert_eq!(said.out, "mask 0\numask 123\nfolder 0\nvariables 0 0\ninheritable 0\n");
}

/// The driver is shown other devices than the variable names, and the program finds its variable as it was.
#[test]
fn case_40_the_translated_variable_is_put_back() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2")]);
    let devices = home.devices();
    let tenant = home.grant_of(&[(devices[1], 64 * MIB), (devices[0], 64 * MIB)]);
    let said = say(tenant.command(c_client("manners")).arg("state").env("CUDA_VISIBLE_DEVICES", "1"));
    assert!(said.out.contains("variables 0 0\n"), "{said:?}");
    let said = say(tenant.command(c_client("manners")).arg("variables").env("CUDA_VISIBLE_DEVICES", "1"));
    assert_eq!(
        (said.out.as_str(), said.err.as_str()),
        ("devices 1 visible 1\n", ""),
        "threads read them meanwhile"
    );
}

#[test]
fn case_41_nothing_is_printed_and_the_exit_code_is_the_programs() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let said = say(tenant.command(c_client("tenant")).args(["take", &(65 * MIB).to_string()]));
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status.code()), ("2\n", "", Some(0)));
    let said = say(tenant.command(c_client("tenant")).arg("nonsense"));
    assert_eq!(said.status.code(), Some(64));
    // A program that has nothing to do with a GPU touches nothing of ours.
    let said =
        say(tenant.command("/bin/sh").args(["-c", "echo one; exec false"]).env("CLEAVE_TENANT", "/nowhere"));
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status.code()), ("one\n", "", Some(1)));
}

#[test]
fn children_without_exec_leave_their_parents_memory_alone() {
    let said = manners("fork");
    assert!(said.out.ends_with("parent's 1\n"), "{said:?}");
}

#[test]
fn children_of_busy_threads_do_not_hang() {
    assert_eq!(manners("fork-threads").out, "children 50\n");
}

#[test]
fn vfork_spawn_and_shells_work() {
    assert_eq!(manners("spawn").out, "vfork 31\nspawn 32\nsystem 33\npopen piped\nclosed 0\n");
}

#[test]
fn threads_may_run_while_the_process_ends() {
    for _ in 0..10 {
        assert_eq!(manners("exit-threads").status.code(), Some(9));
    }
}

#[test]
fn handlers_of_exit_and_destructors_still_reach_the_driver() {
    let said = manners("destructors");
    assert_eq!(said.status.code(), Some(11));
    assert_eq!(said.out.lines().count(), 2, "{said:?}");
}

/// Case 42, for every function: null is answered as the driver answers it, with a device and without a context.
#[test]
fn case_42_null_is_answered_as_the_driver_answers_it() {
    let home = Home::new();
    let tenant = home.grant(&[1 << 30]);
    let names = |table: &[cleave_api::Row], file: &str| {
        let names: Vec<&str> =
            table.iter().map(|row| row.name).filter(|name| !name.starts_with("cudbg")).collect();
        let path = home.folder().join(file);
        std::fs::write(&path, names.join("\n")).expect("written");
        path
    };
    for (library, table, init) in [
        ("libcuda.so.1", cleave_api::CUDA_TABLE, "cuInit"),
        ("libnvidia-ml.so.1", cleave_api::NVML_TABLE, "nvmlInitWithFlags"),
    ] {
        let names = names(table, init);
        let run = |mut command: Command| say(command.args(["null-after", library]).arg(&names).arg(init));
        let (native, shimmed) = (run(home.native(c_client("sweep"))), run(tenant.command(c_client("sweep"))));
        assert!(native.out.lines().count() == names_in(&names), "{native:?}");
        for (native, shimmed) in native.out.lines().zip(shimmed.out.lines()) {
            assert_eq!(native, shimmed);
        }
        assert_eq!(native.status, shimmed.status);
    }
}

fn names_in(file: &Path) -> usize {
    std::fs::read_to_string(file).expect("readable").lines().count()
}

/// The tenant's preload together with another one, in both orders.
fn beside(tenant: &Granted, home: &Home, other: &Path, program: &Path, mode: &str) -> [Said; 2] {
    let ours = home.dist().libcleave();
    [[&ours, other], [other, &ours]].map(|order: [&Path; 2]| {
        let list: Vec<&OsStr> = order.iter().map(|path| path.as_os_str()).collect();
        say(tenant.command(program).arg(mode).env("LD_PRELOAD", list.join(OsStr::new(":"))))
    })
}

#[test]
fn an_allocator_that_is_preloaded_keeps_working() {
    let Some(jemalloc) = handed("CLEAVE_JEMALLOC", "jemalloc beside the shim") else { return };
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    for said in beside(&tenant, &home, &jemalloc, &c_client("tenant"), "info") {
        assert!(said.out.starts_with(&format!("0 {} ", 64 * MIB)) && said.err.is_empty(), "{said:?}");
    }
    for said in beside(&tenant, &home, &jemalloc, &c_client("manners"), "fork") {
        assert!(said.out.ends_with("parent's 1\n"), "{said:?}");
    }
}

/// A sanitizer that is part of the program, and one that is preloaded in front of us as it demands.
#[test]
fn sanitizers_keep_working() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/tenant.c");
    let build = |name: &str, words: &[&str]| {
        let program = home.folder().join(name);
        let said = say(Command::new("gcc")
            .args(["-g", "-fsanitize=address", "-o"])
            .arg(&program)
            .arg(&source)
            .args(words));
        said.status.success().then_some(program)
    };
    let (Some(inside), Some(outside)) =
        (build("inside", &["-static-libasan", "-ldl"]), build("outside", &["-ldl"]))
    else {
        println!("skipped: sanitizers beside the shim (gcc has no address sanitizer here)");
        return;
    };
    let runtime = say(Command::new("gcc").arg("-print-file-name=libasan.so"));
    let first = format!("{}:{}", runtime.out.trim(), home.dist().libcleave().display());
    // What a driver keeps until the end is its own.
    let leaks = ("ASAN_OPTIONS", "detect_leaks=0");
    for mut command in [tenant.command(inside), {
        let mut command = tenant.command(outside);
        command.env("LD_PRELOAD", first);
        command
    }] {
        let said = say(command.arg("info").envs([leaks]));
        assert!(said.out.starts_with(&format!("0 {} ", 64 * MIB)) && said.err.is_empty(), "{said:?}");
    }
}

/// For the whole system instead of by a variable: every program of a mount namespace has the shim.
#[test]
fn the_systems_own_list_of_preloads_works() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let etc = home.folder().join("etc");
    let script = r#"
        cp -a /etc "$1" && echo "$2" > "$1/ld.so.preload" && mount --bind "$1" /etc || { echo "no mount"; exit 0; }
        ls / > /dev/null && cat /etc/ld.so.preload && shift 2 && exec "$@""#;
    let mut command = home.native("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(&etc).arg(home.dist().libcleave());
    command.arg(c_client("tenant")).arg("info").env("CLEAVE_TENANT", tenant.folder());
    let said = say(&mut command);
    if !said.status.success() && said.err.contains("unshare") || said.out.contains("no mount") {
        println!("skipped: /etc/ld.so.preload (no right to make a mount namespace)");
        return;
    }
    assert!(said.out.contains(&format!("libcleave.so\n0 {} ", 64 * MIB)) && said.err.is_empty(), "{said:?}");
}

#[test]
fn musl_programs_still_start() {
    let about = "a musl program beside the shim";
    let (Some(musl), Some(zig)) = (handed("CLEAVE_MUSL", about), handed("CLEAVE_ZIG", about)) else { return };
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/musl.c");
    let program = home.folder().join("musl");
    let target = format!("{}-linux-musl", std::env::consts::ARCH);
    let mut cc = Command::new(zig);
    cc.args(["-m", "ziglang", "cc", "-target", &target, "-dynamic", "-O1", "-o"]).arg(&program).arg(source);
    let built = say(&mut cc);
    assert!(built.status.success(), "{built:?}");
    let said = say(tenant.command(musl).env_remove("LD_LIBRARY_PATH").arg(&program).arg("word"));
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status.code()), ("hello word 1\n", "", Some(7)));
}

/// The vendor's driver loads the library that this variable names; tools are injected so.
#[test]
fn injected_tools_are_loaded_alike() {
    let Some(libraries) = std::env::var_os("CLEAVE_VENDOR") else {
        println!("skipped: tools injected into the vendor's driver (CLEAVE_VENDOR names no folder)");
        return;
    };
    let injected: OsString = c_library("injected").into();
    let said = the_same(&c_client("tenant"), "info", &|command| {
        command.env("LD_LIBRARY_PATH", &libraries).env("CUDA_INJECTION64_PATH", &injected);
    });
    assert_eq!(said.err, "injected\n");
    assert!(said.out.contains("no context: 100"), "there is no GPU: {said:?}");
}
