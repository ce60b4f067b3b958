//! Kernels that wait for each other across devices and processes, under a share, beside tenants that take all they can get. Whoever
//! waits for another holds its device meanwhile; that it sees the other come is what the turns must see to.
#![cfg(feature = "dist")]

use std::process::{Command, Stdio};

use cleave_tenancy::{Home, Load, c_client, say};

/// Times that all meet; each takes some turns.
const ROUNDS: &str = "40";
/// Seconds after which nobody will come any more. On an idle machine it takes one, or two where each round waits for two tenants.
const PATIENCE: &str = "60";
/// Rounds of a kernel of the others: a millisecond or so.
const OTHERS: u32 = 40;

/// Two devices that take modelled time, and on each of them a tenant that is never done.
fn devices(run: impl FnOnce(&Home)) {
    let home = Home::with(&[("CLEAVE_SOFTGPU_PRESET", "paced"), ("CLEAVE_SOFTGPU_DEVICES", "2")]);
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
    let words = ["--gpu", "2", "--mem", "64M", "--compute", "30", "--policy", policy, "--name", rank];
    let mut command = home.run(words, "timeout");
    command.arg(PATIENCE).arg(c_client("collective")).args([way, ROUNDS, ranks, rank]);
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
    devices(|home| {
        let rank = |rank| tenant_by(home, policy, way, "2", rank);
        let mut second = rank("1").stderr(Stdio::null()).spawn().expect("starts");
        meets(rank("0"));
        assert!(second.wait().expect("ends").success());
    });
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
