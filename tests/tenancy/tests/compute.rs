//! Compute as a tenant's programs meet it, without a daemon: the tenant keeps its own share, however it gives the device work, and
//! no program is broken by it. The numbers are those of the peers' failures that the cases come from.
//!
//! Shares are counted in work done, by what a piece of it takes without limits. The margins are a busy machine's; how exactly
//! shares are kept is measured in virtual time.
#![cfg(feature = "dist")]

use std::process::Command;
use std::time::{Duration, Instant};

use cleave_ledger::clock;
use cleave_slot::{Engine, Order, Uuid};
use cleave_tenancy::{Granted, Home, Said, c_client, c_library, say};

/// Longer than any test.
const LEASE: u64 = 60_000_000_000;

/// A device that takes modelled time, and so little of the processor's that a busy machine measures the same.
fn home() -> Home {
    Home::with(&[("CLEAVE_SOFTGPU_PRESET", "paced"), ("CLEAVE_SOFTGPU_CLOCK", "20MHz")])
}

/// A tenant with a share of the device.
fn tenant(home: &Home, percent: u32) -> Granted<'_> {
    let granted = home.grant(&[1 << 30]);
    granted.slots[0].set_compute(percent);
    granted
}

/// Says what an arbiter would say.
fn order(tenant: &Granted<'_>, order: Order) {
    for engine in Engine::ALL {
        tenant.slots[0].give(engine, &Order { lease_until: clock::now_ns() + LEASE, ..order });
    }
}

/// On turn, and followed closely.
const ON_TURN: Order = Order {
    credit_ns: 1 << 50,
    window_ns: 0,
    tracked: true,
    shared: false,
    watched: false,
    paused: false,
    lets_on: false,
    lease_until: 0,
    knows: true,
};

/// How many pieces a program was done with.
fn pieces(said: &Said) -> f64 {
    assert!(said.status.success(), "{said:?}");
    said.out.trim().parse().unwrap_or_else(|_| panic!("{said:?}"))
}

fn compute(mut command: Command, way: &str, milliseconds: u32, rounds: u32) -> Command {
    command.args([way, &milliseconds.to_string(), &rounds.to_string()]);
    command
}

/// Nanoseconds that a piece keeps the device busy, as a program without limits measures it.
fn piece(home: &Home, way: &str, rounds: u32) -> f64 {
    pieces(&say(&mut compute(home.native(c_client("compute")), way, 0, rounds)))
}

/// The share of the device that `count` pieces are, which were done in 90 percent of the time.
fn share(count: f64, piece: f64, milliseconds: u32) -> f64 {
    count * piece / (f64::from(milliseconds) * 1e6 * 0.9) * 100.0
}

/// A tenant of 30 percent gets them, in whatever way it gives the device work.
fn keeps_30(way: &str, rounds: u32) {
    const LONG: u32 = 1500;
    let home = home();
    let piece = piece(&home, way, rounds);
    let done = pieces(&say(&mut compute(tenant(&home, 30).command(c_client("compute")), way, LONG, rounds)));
    let got = share(done, piece, LONG);
    assert!((20.0..=37.0).contains(&got), "{way}: {got:.1} percent");
}

#[test]
fn case_32_kernels() {
    keeps_30("kernel", 400);
}

#[test]
fn case_32_kernels_on_the_legacy_stream() {
    keeps_30("legacy", 400);
}

#[test]
fn case_32_kernels_on_the_threads_own_stream() {
    keeps_30("ptsz", 400);
}

#[test]
fn case_32_kernels_by_configuration() {
    keeps_30("ex", 400);
}

#[test]
fn case_32_cooperative_kernels() {
    keeps_30("cooperative", 6000);
}

/// A launch on several devices goes through the gate of each. No device here runs such a kernel, so a driver does that only says
/// that it has.
#[test]
fn case_32_cooperative_kernels_on_several_devices() {
    let home = Home::new();
    let driver = home.folder().join("pair");
    std::fs::create_dir(&driver).expect("a folder for the driver");
    std::fs::copy(c_library("pair"), driver.join("libcuda.so.1")).expect("the driver takes its place");
    let tenant =
        home.grant_of(&[b"cleave-pair-gpu0", b"cleave-pair-gpu1"].map(|id| (Uuid::Gpu(*id), 1 << 30)));
    let launch = |times: &str| {
        let mut command = tenant.command(c_client("both_devices"));
        let said = say(command.arg(times).env("LD_LIBRARY_PATH", &driver));
        assert!(said.status.success(), "{said:?}");
        said.out.trim().to_string()
    };
    let order = |device: usize, credit_ns: u64| {
        let order = Order { credit_ns, lease_until: clock::now_ns() + LEASE, ..ON_TURN };
        Engine::ALL.iter().for_each(|engine| tenant.slots[device].give(*engine, &order));
    };
    for slot in &tenant.slots {
        slot.set_compute(30);
    }
    (0..2).for_each(|device| order(device, ON_TURN.credit_ns));
    assert_eq!(launch("50"), "0");
    for slot in &tenant.slots {
        let drawn = slot.flights()[Engine::Gr.index()].charged;
        assert!(slot.launches() == 50 && drawn > 0, "{} launches, {drawn} ns", slot.launches());
    }
    for closed in 0..2 {
        order(closed, 0);
        assert_eq!(launch("1"), "waits", "device {closed} is closed");
        order(closed, ON_TURN.credit_ns);
    }
    assert_eq!(launch("1"), "0");
}

/// The software GPU has no such launch, and says so beforehand.
#[test]
fn several_devices_at_once_are_refused_where_no_device_can() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2")]);
    let tenant = home.grant(&[1 << 30, 1 << 30]);
    tenant.slots.iter().for_each(|slot| slot.set_compute(30));
    const NOT_SUPPORTED: &str = "801\n";
    let program = c_client("both_devices");
    for (word, answer) in [("can", "0\n"), ("50", NOT_SUPPORTED)] {
        assert_eq!(say(home.native(&program).arg(word)).out, answer);
        assert_eq!(say(tenant.command(&program).arg(word)).out, answer);
    }
}

#[test]
fn case_32_kernels_in_the_oldest_form() {
    keeps_30("oldest", 400);
}

#[test]
fn case_32_graphs() {
    keeps_30("graph", 400);
}

#[test]
fn case_32_copies_to_the_device() {
    keeps_30("in", 1 << 20);
}

#[test]
fn case_32_copies_to_the_host() {
    keeps_30("out", 1 << 20);
}

#[test]
fn case_32_copies_that_name_no_direction() {
    keeps_30("any", 1 << 20);
}

#[test]
fn case_32_copies_of_rectangles() {
    keeps_30("box", 1 << 20);
}

#[test]
fn case_32_memory_that_is_set() {
    keeps_30("set", 1 << 20);
}

#[test]
fn case_33_processes_of_a_tenant_share_what_it_has() {
    let home = home();
    let (program, piece, tenant) = (c_client("compute"), piece(&home, "kernel", 400), tenant(&home, 30));
    let one = || pieces(&say(&mut compute(tenant.command(&program), "kernel", 1500, 400)));
    let sum: f64 = std::thread::scope(|scope| {
        let both = [scope.spawn(one), scope.spawn(one)];
        both.into_iter().map(|one| one.join().expect("ends")).sum()
    });
    let got = share(sum, piece, 1500);
    assert!((12.0..=37.0).contains(&got), "{got:.1} percent");
}

#[test]
fn case_34_a_share_that_changes_counts_at_once() {
    let home = home();
    let tenant = tenant(&home, 15);
    let program = c_client("compute");
    let mut child = compute(tenant.command(&program), "kernel", 2600, 400)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    let slot = &tenant.slots[0];
    let rate = |span: Duration| {
        let (from, done) = (Instant::now(), slot.flights()[Engine::Gr.index()].gpu_ns);
        std::thread::sleep(span);
        (slot.flights()[Engine::Gr.index()].gpu_ns - done) as f64 / from.elapsed().as_nanos() as f64 * 100.0
    };
    while slot.flights()[Engine::Gr.index()].gpu_ns == 0 {
        std::thread::yield_now();
    }
    rate(Duration::from_millis(200));
    let before = rate(Duration::from_millis(600));
    slot.set_compute(60);
    rate(Duration::from_millis(100));
    let after = rate(Duration::from_millis(600));
    assert!(child.wait().expect("ends").success());
    assert!((9.0..=21.0).contains(&before) && (40.0..=68.0).contains(&after), "{before:.1}, then {after:.1}");
}

#[test]
fn case_35_a_share_that_stands_in_variables_is_kept_alone_too() {
    let home = home();
    let piece = piece(&home, "kernel", 400);
    let device = home.devices()[0].to_string();
    for (variables, bounds) in [
        (vec![("CUDA_DEVICE_SM_LIMIT", "30")], 20.0..=37.0),
        (vec![("CUDA_DEVICE_SM_LIMIT_0", "30"), ("GPU_CORE_UTILIZATION_POLICY", "default")], 20.0..=37.0),
        (vec![("CUDA_DEVICE_SM_LIMIT", "30"), ("GPU_CORE_UTILIZATION_POLICY", "disable")], 45.0..=110.0),
    ] {
        let mut command = home.native(c_client("compute"));
        command.env("LD_PRELOAD", home.dist().libcleave()).envs(variables.iter().copied());
        command.env("CUDA_DEVICE_MEMORY_LIMIT", "1g").env("NVIDIA_VISIBLE_DEVICES", &device);
        command.env("CUDA_DEVICE_MEMORY_SHARED_CACHE", home.folder().join("vgpu.cache"));
        let got = share(pieces(&say(&mut compute(command, "kernel", 1200, 400))), piece, 1200);
        assert!(bounds.contains(&got), "{variables:?}: {got:.1} percent");
    }
}

#[test]
fn case_36_more_graphs_than_a_small_cache_holds() {
    keeps_30("many_graphs", 200);
}

#[test]
fn case_38_long_kernels() {
    keeps_30("kernel", 20_000);
}

#[test]
fn case_38_a_flood_of_short_kernels() {
    keeps_30("kernel", 100);
}

#[test]
fn case_38_shapes_that_change() {
    keeps_30("shapes", 400);
}

/// Runs a case of `c/gate.c` to a good end, under a share of its own and then under an arbiter's turn, within a time that is
/// far from that of one who waits for ever.
fn unbroken(case: &str) {
    let home = home();
    let tenant = tenant(&home, 30);
    for turn in [None, Some(ON_TURN)] {
        turn.into_iter().for_each(|turn| order(&tenant, turn));
        let begin = Instant::now();
        let said = say(tenant.command("timeout").args(["20"]).arg(c_client("gate")).arg(case));
        assert!(said.status.success(), "{case}: {said:?}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{case}");
        tenant.slots[0].recover();
        assert_eq!(
            tenant.slots[0].flights()[Engine::Gr.index()].commands,
            0,
            "{case}: what is in flight dies with its process"
        );
    }
}

#[test]
fn kernels_that_wait_for_later_ones_finish() {
    unbroken("across");
}

#[test]
fn kernels_that_wait_for_the_host_finish() {
    unbroken("from_host");
}

#[test]
fn a_kernel_that_stays_lets_others_pass() {
    unbroken("persistent");
}

#[test]
fn what_another_thread_records_is_not_disturbed() {
    unbroken("recorded");
}

#[test]
fn streams_and_contexts_end_with_work_on_them() {
    unbroken("ended");
}

#[test]
fn forked_children_end_as_they_like() {
    unbroken("forked");
}

#[test]
fn a_process_ends_whatever_is_under_way() {
    for _ in 0..5 {
        unbroken("left");
    }
}

#[test]
fn a_closed_gate_lets_signal_handlers_run() {
    let home = home();
    let tenant = tenant(&home, 30);
    for closed in [Order { credit_ns: 0, ..ON_TURN }, Order { paused: true, ..ON_TURN }] {
        order(&tenant, closed);
        let said = say(tenant.command("timeout").args(["20"]).arg(c_client("gate")).arg("closed"));
        assert_eq!((said.out.as_str(), said.status.code()), ("handled\n", Some(0)), "{said:?}");
    }
}
