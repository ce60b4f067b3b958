//! Every way to get device memory, under a quota. The numbers are those of the peers' failures that the cases come from.
#![cfg(feature = "dist")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use cleave_tenancy::{Granted, Home, Said, c_client, c_library, say};

const MIB: u64 = 1 << 20;

/// Runs one case of `c/memory.c` under a quota, to a good end that leaves nothing behind.
fn under(tenant: &Granted<'_>, case: &str) -> Said {
    let said = say(tenant.command(c_client("memory")).arg(case));
    assert!(said.status.success(), "{case}: {said:?}");
    assert_eq!(tenant.used(0), 0, "{case} left something behind");
    said
}

#[test]
fn case_11_vmm_create_map_release_stays_under_the_quota() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "physical");
}

#[test]
fn case_12_pools_neither_leak_nor_pass_the_quota() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "pool");
}

#[test]
fn case_13_whatever_frees_it_really_frees_it() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "mixed_frees");
}

#[test]
fn case_14_devices_are_known_by_identity_and_not_by_number() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2")]);
    let tenant = home.grant(&[64 * MIB, 128 * MIB]);
    let sizes = |visible: &str| {
        let mut command = tenant.command(c_client("devices"));
        let said = say(command.arg("sizes").env("CUDA_VISIBLE_DEVICES", visible));
        assert!(said.status.success(), "{said:?}");
        said.out.trim().to_owned()
    };
    let (small, large) = (64 * MIB, 128 * MIB);
    assert_eq!(sizes("1"), format!("1 {large}"));
    assert_eq!(sizes("1,0"), format!("2 {large} {small}"));
    assert_eq!(sizes(&tenant.slots[1].terms().device.to_string()), format!("1 {large}"));

    let mut command = tenant.command(c_client("memory"));
    let mut child = Holding::start(command.arg("brim").env("CUDA_VISIBLE_DEVICES", "1"));
    assert_eq!(child.line(), "128");
    assert_eq!((tenant.used(0), tenant.used(1)), (0, 128 * MIB));
}

#[test]
fn case_15_arrays_rows_and_managed_memory_are_charged_by_their_size() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "arrays");
}

#[test]
fn case_16_host_memory_is_had_while_the_device_is_full() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "host");
}

#[test]
fn case_17_processes_at_the_brim_share_the_quota_exactly() {
    let home = Home::new();
    let tenant = home.grant(&[96 * MIB]);
    let start = |_| Holding::start(tenant.command(c_client("memory")).arg("brim"));
    let mut children: Vec<Holding> = (0..6).map(start).collect();
    let sum: u64 = children.iter_mut().map(|child| child.line().parse::<u64>().expect("a number")).sum();
    assert_eq!(sum, 96, "no more than the quota, and nothing refused that fitted");
    assert_eq!(tenant.used(0), 96 * MIB);
    drop(children);
    assert_eq!(tenant.used(0), 0, "the dead hold nothing");
}

#[test]
fn case_18_a_primary_context_is_charged_while_anybody_uses_it() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    tenant.slots[0].learn_context(16 * MIB);
    under(&tenant, "primary");
}

#[test]
fn case_19_physical_memory_is_charged_where_it_is_made() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2")]);
    let tenant = home.grant(&[64 * MIB, 8 * MIB]);
    under(&tenant, "elsewhere");
    assert_eq!(tenant.used(1), 0);
}

#[test]
fn case_20_threads_that_create_and_release_lose_nothing() {
    let home = Home::new();
    under(&home.grant(&[48 * MIB]), "threads");
}

#[test]
fn case_21_a_call_costs_the_same_with_50_000_allocations_alive() {
    let home = Home::new();
    let tenant = home.grant_of(&[(cleave_slot::Uuid::Gpu(*b"cleave-bench-gpu"), 1 << 30)]);
    let driver = home.folder().join("stub");
    std::fs::create_dir(&driver).expect("a folder for the stub");
    std::fs::copy(c_library("stub"), driver.join("libcuda.so.1")).expect("the stub takes its place");
    let said = say(tenant.command(c_client("cost")).env("LD_LIBRARY_PATH", &driver));
    let costs: Vec<f64> = said.out.split_whitespace().filter_map(|cost| cost.parse().ok()).collect();
    let [few, many] = costs[..] else { panic!("{said:?}") };
    // Memory that no cache holds costs a little; a list that is walked would cost a hundredfold.
    assert!(many < 8.0 * few, "{few} ns with few, {many} ns with many");
}

#[test]
fn case_22_over_the_quota_is_out_of_memory_and_is_noted() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let mut command = tenant.command(c_client("memory"));
    let said = say(command.arg("over"));
    assert!(said.status.success(), "{said:?}");
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "a refusal is no noise");
}

#[test]
fn case_23_what_the_driver_refuses_is_not_charged() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "128M")]);
    under(&home.grant(&[1 << 30]), "refused");
}

#[test]
fn case_28_a_forked_child_is_a_process_of_its_own() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "forked");
}

#[test]
fn case_42_null_pointers_are_answered_as_the_driver_answers_them() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let native = say(home.native(c_client("memory")).arg("nulls"));
    assert!(native.status.success(), "{native:?}");
    assert_eq!(under(&tenant, "nulls").out, native.out);
}

#[test]
fn case_43_a_quota_below_what_is_held_leaves_nothing_free_and_takes_nothing_away() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    let mut child = Holding::start(tenant.command(c_client("memory")).arg("ask"));
    assert_eq!(child.line(), "0 32 64 0");
    tenant.slots[0].set_memory(16 * MIB);
    assert_eq!(child.again(), "0 0 16 2");
    tenant.slots[0].set_memory(128 * MIB);
    assert_eq!(child.again(), "0 96 128 0");
}

#[test]
fn case_45_without_a_limit_the_device_is_what_it_is() {
    let home = Home::new();
    let native = say(home.native(c_client("devices")).arg("sizes"));
    let mut preloaded = home.native(c_client("devices"));
    let preloaded = say(preloaded.arg("sizes").env("LD_PRELOAD", home.dist().libcleave()));
    assert!(native.status.success() && preloaded.status.success(), "{native:?} {preloaded:?}");
    assert_eq!(native.out, preloaded.out);
}

#[test]
fn case_46_managed_memory_is_told_from_other_memory() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "kinds");
}

#[test]
fn graphs_that_allocate_stay_under_the_quota() {
    let home = Home::new();
    under(&home.grant(&[64 * MIB]), "graphs");
}

#[test]
fn a_tenant_whose_slots_cannot_be_read_gets_nothing_and_is_told_why() {
    let home = Home::new();
    let mut command = home.native(c_client("devices"));
    command.env("LD_PRELOAD", home.dist().libcleave()).env("CLEAVE_TENANT", home.folder().join("nowhere"));
    let said = say(command.arg("sizes"));
    assert!(said.out.contains("is 802 and not 0"), "{said:?}");
    assert!(said.err.contains("nowhere"), "{said:?}");
}

#[test]
fn a_program_may_use_the_driver_until_it_is_gone() {
    let home = Home::new();
    let tenant = home.grant(&[64 * MIB]);
    for _ in 0..5 {
        let said = say(&mut tenant.command(c_client("late")));
        assert_eq!(
            (said.status.code(), said.out.as_str(), said.err.as_str()),
            (Some(5), "destroyed\n", ""),
            "{said:?}"
        );
    }
    assert_eq!(tenant.used(0), 0);
}

#[test]
fn threads_that_take_every_kind_of_memory_at_the_brim_lose_nothing() {
    let home = Home::new();
    let tenant = home.grant(&[40 * MIB]);
    let mut child = tenant.command(c_client("storm")).stdout(Stdio::piped()).spawn().expect("it starts");
    let status = loop {
        let used = tenant.slots[0].used();
        assert!(used <= 40 * MIB, "{used} bytes were charged at some moment");
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
    };
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("a pipe"), &mut said).expect("text");
    assert!(status.success(), "{status} {said}");
    assert_eq!(tenant.used(0), 0);
}

/// A program that holds on to something until it is told to end.
struct Holding {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Holding {
    fn start(command: &mut std::process::Command) -> Holding {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the client can be started");
        let out = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        Holding { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("it says something");
        line.trim().to_owned()
    }

    fn again(&mut self) -> String {
        self.child.stdin.as_mut().expect("its input is a pipe").write_all(b"x").expect("it listens");
        self.line()
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ended = self.child.wait();
    }
}
