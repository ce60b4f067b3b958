//! Kernels that wait for each other across devices and processes, under a share, beside tenants that take all they can get, or
//! alone. Whoever waits for another holds its device meanwhile; that it sees the other come is what the turns must see to.
#![cfg(feature = "dist")]

use std::process::{Command, Stdio};

use cleave_tenancy::{Home, Load, c_client, say};

/// Times that all meet; each takes some turns.
const ROUNDS: &str = "40";
/// Seconds after which nobody will come any more. On an idle machine it takes one, or two where each round waits for two tenants.
const PATIENCE: &str = "60";
/// The same where nobody else is there and it takes one or two.
const PATIENCE_ALONE: &str = "10";
/// Rounds of a kernel of the others: a millisecond or so.
const OTHERS: u32 = 40;

/// Milliseconds of work between two meetings of those that do any.
const WORK: &str = "5";
/// How often programs are begun that have the devices to themselves.
const TIMES: usize = 3;

/// Devices that take modelled time.
fn paced(devices: &str) -> Home {
    Home::with(&[("CLEAVE_SOFTGPU_PRESET", "paced"), ("CLEAVE_SOFTGPU_DEVICES", devices)])
}

fn two_devices() -> Home {
    paced("2")
}

/// Two of them, and on each a tenant that is never done.
fn devices(run: impl FnOnce(&Home)) {
    beside_others(two_devices(), run);
}

fn beside_others(home: Home, run: impl FnOnce(&Home)) {
    let others: Vec<Load> = home.devices().iter().map(|device| other(&home, &device.to_string())).collect();
    run(&home);
    for other in others {
        other.goes_on(10);
        other.end();
    }
}

fn other(home: &Home, device: &str) -> Load {
    home.load(&["--mem", "64M", "--compute", "40", "--device", device], OTHERS, "")
}

/// `rank` of `ranks` processes as a tenant with 30 percent of both devices, by the usual policy.
fn tenant(home: &Home, way: &str, ranks: &str, rank: &str) -> Command {
    tenant_by(home, "burst", way, ranks, rank)
}

fn tenant_by(home: &Home, policy: &str, way: &str, ranks: &str, rank: &str) -> Command {
    tenant_on(home, &["--gpu", "2", "--policy", policy], PATIENCE, [way, ROUNDS, ranks, rank])
}

/// A tenant with what `request` says in addition, as the rank that is the last of `words`.
fn tenant_on(home: &Home, request: &[&str], patience: &str, words: [&str; 4]) -> Command {
    let tenant = ["--mem", "64M", "--compute", "30", "--name", words[3]];
    let mut command = home.run([request, &tenant].concat(), "timeout");
    command.arg(patience).arg(c_client("collective")).args(words);
    command.arg(home.folder().join("meeting"));
    command
}

/// All meet in as many rounds as they should.
fn meets(mut command: Command) {
    let said = say(&mut command);
    assert!(said.status.success() && said.out == "met\n", "{said:?}");
}

/// Two devices of one process, with the values that are waited for in memory of this kind.
fn within_a_process(way: &str) {
    devices(|home| meets(tenant(home, way, "1", "0")));
}

#[test]
fn values_in_host_memory() {
    within_a_process("host");
}

#[test]
fn values_in_managed_memory() {
    within_a_process("managed");
}

#[test]
fn values_on_another_device() {
    within_a_process("peer");
}

/// Two processes with a kernel on each of two devices, all of which wait for each other.
fn processes_of_one_tenant(way: &str) {
    devices(|home| meets(tenant(home, way, "2", "all")));
}

#[test]
fn processes_of_one_tenant_over_shared_memory() {
    processes_of_one_tenant("shared");
}

#[test]
fn processes_of_one_tenant_over_device_memory() {
    processes_of_one_tenant("ipc");
}

/// The same as two tenants: they have their turns one after the other, and yet wait for each other.
fn two_tenants(policy: &str, way: &str) {
    devices(|home| both_meet(|rank| tenant_by(home, policy, way, "2", rank)));
}

fn both_meet(rank: impl Fn(&str) -> Command) {
    let mut second = rank("1").stderr(Stdio::null()).spawn().expect("starts");
    meets(rank("0"));
    assert!(second.wait().expect("ends").success());
}

#[test]
fn two_tenants_over_shared_memory() {
    two_tenants("burst", "shared");
}

#[test]
fn two_tenants_over_device_memory() {
    two_tenants("burst", "ipc");
}

/// A tenant that may never have more than its share pays for all the time its work waits for other work of its own, and must be
/// let on nevertheless.
#[test]
fn values_on_another_device_under_a_cap() {
    devices(|home| meets(tenant_by(home, "fixed", "peer", "1", "0")));
}

#[test]
fn processes_of_one_tenant_under_a_cap() {
    devices(|home| meets(tenant_by(home, "fixed", "shared", "2", "all")));
}

#[test]
fn two_tenants_under_caps() {
    two_tenants("fixed", "shared");
}

/// Whoever is alone and owes for having waited is on no device while it pays. What waits for it there must not owe more and more for
/// that: each of the two would make the other wait for longer each time.
fn alone(meet: impl Fn(&Home)) {
    let home = two_devices();
    for _ in 0..TIMES {
        meet(&home);
        std::fs::remove_file(home.folder().join("meeting")).expect("is there");
    }
}

/// One of two processes with a cap where nobody else is.
fn capped(home: &Home, patience: &str, devices: [&str; 2], rank: &str) -> Command {
    let request = [&devices[..], &["--policy", "fixed"]].concat();
    tenant_on(home, &request, patience, ["shared", ROUNDS, "2", rank])
}

#[test]
fn processes_of_one_tenant_under_a_cap_alone() {
    alone(|home| meets(capped(home, PATIENCE_ALONE, ["--gpu", "2"], "all")));
}

#[test]
fn two_tenants_under_caps_alone() {
    alone(|home| both_meet(|rank| capped(home, PATIENCE_ALONE, ["--gpu", "2"], rank)));
}

/// What is between the meetings takes several turns of a device: one waits while the other pays for having waited.
#[test]
fn two_tenants_that_work_under_caps_on_a_device_each() {
    alone(|home| {
        let devices: Vec<_> = home.devices().iter().map(ToString::to_string).collect();
        both_meet(|rank| {
            let mut command =
                capped(home, PATIENCE_ALONE, ["--device", &devices[usize::from(rank == "1")]], rank);
            command.arg(WORK);
            command
        });
    });
}

#[test]
fn processes_of_one_tenant_that_work_under_a_cap_alone() {
    alone(|home| {
        let mut command = capped(home, PATIENCE, ["--gpu", "2"], "all");
        command.arg(WORK);
        meets(command);
    });
}

/// Graphs of kernels that wait for those of another device's graph.
fn meet_by_graphs(mut command: Command) {
    command.args(["0", "graph"]);
    meets(command);
}

#[test]
fn graphs_on_two_devices() {
    devices(|home| meet_by_graphs(tenant(home, "peer", "1", "0")));
}

#[test]
fn graphs_of_two_processes_under_a_cap() {
    devices(|home| meet_by_graphs(tenant_by(home, "fixed", "shared", "2", "all")));
}

#[test]
fn graphs_of_two_processes_under_a_cap_alone() {
    alone(|home| meet_by_graphs(capped(home, PATIENCE_ALONE, ["--gpu", "2"], "all")));
}

/// On three devices a tenant's turns are together as on two.
fn on_three(policy: &str, way: &str, ranks: &str, rank: &str) {
    beside_others(paced("3"), |home| {
        meets(tenant_on(home, &["--gpu", "3", "--policy", policy], PATIENCE, [way, ROUNDS, ranks, rank]));
    });
}

#[test]
fn three_devices_of_one_process() {
    on_three("burst", "peer", "1", "0");
}

#[test]
fn three_devices_of_two_processes() {
    on_three("burst", "ipc", "2", "all");
}

#[test]
fn three_devices_under_a_cap() {
    on_three("fixed", "shared", "2", "all");
}

/// What waits across streams, for the host, and for nothing but its end.
#[test]
fn streams_and_the_host_under_a_cap() {
    devices(|home| {
        for case in ["across", "from_host", "persistent"] {
            let words = ["--mem", "64M", "--compute", "30", "--policy", "fixed"];
            let said = say(home.run(words, "timeout").arg(PATIENCE).arg(c_client("gate")).arg(case));
            assert!(said.status.success(), "{case}: {said:?}");
        }
    });
}
