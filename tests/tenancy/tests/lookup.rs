//! How programs find the driver's functions: the answers are the driver's own, in every form, with our functions in their
//! places. The numbers are those of the peers' failures that the cases come from.
#![cfg(feature = "dist")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use cleave_tenancy::{Home, Said, c_client, c_library, say};

const MIB: u64 = 1 << 20;

/// The same words natively and as a tenant; both must say the same.
fn the_same(words: &[&str], variables: &[(&str, &str)]) -> Said {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let native = say(home.native(c_client("lookup")).args(words).envs(variables.iter().copied()));
    let shimmed = say(tenant.command(c_client("lookup")).args(words).envs(variables.iter().copied()));
    assert!(native.status.success(), "{native:?}");
    for (native, shimmed) in native.out.lines().zip(shimmed.out.lines()) {
        assert_eq!(native, shimmed);
    }
    assert_eq!(
        (native.out.len(), native.status, native.err),
        (shimmed.out.len(), shimmed.status, shimmed.err.clone())
    );
    shimmed
}

#[test]
fn cases_1_2_4_5_every_version_and_flag_is_answered_as_the_driver_answers() {
    let said = the_same(&["versions"], &[]);
    let line =
        |start: &str| said.out.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    assert!(line("cuCtxCreate 13000 0:").contains("cuCtxCreate_v4"), "{}", line("cuCtxCreate 13000 0:"));
    assert!(line("cuLaunchKernel 12000 2:").contains("cuLaunchKernel_ptsz"), "case 2");
    assert!(line("cuNoSuchFunction 12000 0:").contains("500 untouched, 0 nothing 1"), "case 5");
}

#[test]
fn cases_3_6_names_are_found_as_in_the_driver_and_what_it_lacks_is_not() {
    the_same(&["names"], &[]);
}

#[test]
fn case_7_the_order_of_libraries_is_the_programs() {
    the_same(&["order"], &[]);
    the_same(&["order"], &[("GLOBAL", "1")]);
    let said = the_same(&["before"], &[]);
    assert!(said.out.contains("cuMemAlloc_v2 nothing"), "{said:?}");
}

#[test]
fn cases_3_4_functions_with_logic_are_ours_and_others_the_drivers() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let mut command = tenant.command(c_client("lookup"));
    command.args(["hooked", "cuGraphLaunch", "cuLaunchKernel", "cuMemCreate", "cuMemcpyAsync"]);
    let said =
        say(command.args(["cuDriverGetVersion", "cuGetExportTable", "cuEventRecord", "cuStreamQuery"]));
    let places: Vec<_> = said.out.lines().map(|line| line.split_once(": ").expect("two parts").1).collect();
    assert_eq!(places[..4], ["libcleave.so libcleave.so"; 4], "{said:?}");
    assert_eq!(places[4..], ["libcuda.so.1 libcuda.so.1"; 4], "{said:?}");
    let mut twin = tenant.command(c_client("lookup"));
    let said =
        say(twin.args(["hooked", "cuLaunchKernel_ptsz", "cuMemAllocAsync_ptsz", "cuGraphLaunch_ptsz"]));
    assert!(said.out.lines().all(|line| line.contains(": libcleave.so")), "{said:?}");
}

#[test]
fn cases_6_8_9_calls_reach_the_driver_as_they_were_made_and_the_unknown_is_counted() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let driver = home.folder().join("recorder");
    std::fs::create_dir(&driver).expect("a folder for the recorder");
    std::fs::copy(c_library("recorder"), driver.join("libcuda.so.1")).expect("the recorder takes its place");
    let run = |command: &mut Command| {
        let command = command.env("LD_LIBRARY_PATH", &driver).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the client can be started");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut text = String::new();
        while !text.ends_with("1 1\n") && out.read_line(&mut text).expect("it says something") > 0 {}
        (child, out, text)
    };
    let finish = |(mut child, mut out, mut text): (std::process::Child, BufReader<_>, String)| {
        drop(child.stdin.take());
        Read::read_to_string(&mut out, &mut text).expect("it ends");
        assert!(child.wait().expect("it ends").success(), "{text}");
        text
    };
    // The recorder's device is one that the tenant has no grant for: only a tenant of that device may allocate.
    let refused = say(tenant.command(c_client("passing")).env("LD_LIBRARY_PATH", &driver));
    assert!(refused.out.ends_with("is 2 and not 0\n"), "{refused:?}");

    let recorded = home.grant_of(&[(cleave_slot::Uuid::Gpu([0; 16]), 64 * MIB)]);
    let native = finish(run(&mut home.native(c_client("passing"))));
    let running = run(&mut recorded.command(c_client("passing")));
    // Looked up twice: by version and by name.
    cleave_tenancy::until("the count", std::time::Duration::from_secs(30), || {
        recorded.slots[0].seats().iter().find(|seat| seat.unwrapped == 2).map(|_| ())
    });
    let seat = &recorded.slots[0].seats()[0];
    assert_eq!((seat.launches, seat.held), (2, 2 * MIB), "{seat:?}");
    assert_eq!(finish(running), native);
    assert!(native.contains("cuLaunchKernel_ptsz 0x1 65535 65535 3") && native.contains("64 bits of flags"));
}

#[test]
fn case_10_programs_linked_with_the_driver_are_limited() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let program = home.folder().join("linked");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/linked.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(source).arg(home.dist().libcuda());
    assert!(gcc.status().expect("gcc is there").success());
    let said = say(&mut tenant.command(&program));
    assert_eq!(said.out, format!("{} 0 2\n", 64 * MIB), "{said:?}");
    let native = say(&mut home.native(&program));
    assert_ne!(native.out, said.out);
}

#[test]
fn a_preload_that_was_there_before_keeps_its_place() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let other = c_library("other_preload");
    let ours = home.dist().libcleave();
    for preload in [[other.as_path(), ours.as_path()], [ours.as_path(), other.as_path()]] {
        let list = preload.map(|library| library.display().to_string()).join(":");
        let mut command = tenant.command(c_client("devices"));
        let said = say(command.arg("sizes").env("LD_PRELOAD", list));
        assert_eq!(said.out, format!("1 {}\n", 64 * MIB), "{said:?}");
        assert_eq!(said.err, "the other one was asked for puts\n", "{preload:?}");
    }
}
