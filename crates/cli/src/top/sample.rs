//! A document as a daemon sends it: two devices, four tenants, somebody who waits, somebody unmanaged.

use cleave_node::protocol::Status;
use serde_json::{Value, json};

const GIB: u64 = 1 << 30;

/// What is said of a tenant beside its grant.
fn tenant(id: &str, name: &str, user: &str, grants: Value) -> Value {
    json!({
        "id": id, "name": name, "uid": 1000, "user": user, "command": [name], "pid": 77, "running": true,
        "lifetime": "process", "parent": null, "folder": "/t", "started_unix_ms": 0, "adopted": false, "shim": "alive",
        "enforced": { "memory": "cooperative", "compute": true }, "grants": grants, "trouble": null,
    })
}

/// A grant of the device; `more` replaces what is said here.
fn grant(device: &str, used: u64, memory: u64, more: Value) -> Value {
    let mut grant = json!({
        "device": device, "device_name": "Card", "kind": "real", "memory": memory, "used": used, "free": 0, "compute": 10,
        "compute_enforced": true, "policy": "burst", "priority": 0, "latency": false, "overhead": 0, "nested": 0, "denials": 0,
        "unwrapped": 0, "processes": [],
    });
    if let (Some(grant), Value::Object(more)) = (grant.as_object_mut(), more) {
        grant.extend(more);
    }
    grant
}

fn device(uuid: &str, busy: f64, unmanaged: Value) -> Value {
    let history: Vec<f64> = (0..60).map(|second| busy * f64::from(second) / 60.0).collect();
    json!({
        "uuid": uuid, "name": "Example Accelerator 40GB", "kind": "real", "total": 40 * GIB, "reserved": 0, "granted": 30 * GIB,
        "used": 21 * GIB, "free": 10 * GIB, "compute_granted": 100, "compute_free": 0, "per_process": true,
        "unmanaged": unmanaged, "busy_percent": busy, "history": history,
    })
}

pub fn status() -> Status {
    let wave: Vec<f32> = (0..60).map(|second| 60.0 + 10.0 * (second as f32 / 4.0).sin()).collect();
    let first = "GPU-6f0db2ca-0000-0000-0000-000000000001";
    let second = "GPU-7a1ec3db-0000-0000-0000-000000000002";
    let train = json!({ "compute": 60, "got_percent": 59.6, "waiting_percent": 41.0, "priority": 2, "history": wave });
    let infer = json!({
        "compute": 30, "got_percent": 29.8, "waiting_percent": 2.4, "policy": "fixed", "latency": true, "copy_in_percent": 3.2,
        "history": vec![30.0; 60],
    });
    let batch = json!({ "compute": 0, "got_percent": 10.1, "policy": "best-effort", "paused": true, "history": [10.0, 0.0, 100.0] });
    let stuck = json!({
        "compute": 50, "got_percent": 1.0, "waiting_percent": 99.0, "policy": "tidal=08:00-20:00=70", "not_preemptible": true,
    });
    let strangers = json!([
        { "pid": 4711, "name": "/usr/bin/python3", "memory": 1_288_490_189_u64 },
        { "pid": 99, "name": "Xorg", "memory": 300_u64 << 20 },
    ]);
    serde_json::from_value(json!({
        "version": 1,
        "node": {
            "pid": 812, "uid": 0, "release": "1", "home": "/run/cleave", "embedded": false, "started_unix_ms": 0, "adopted": 0,
        },
        "devices": [device(first, 99.5, strangers), device(second, 1.0, json!([]))],
        "tenants": [
            tenant("t1", "train", "ann", json!([grant(first, 6 * GIB, 8 * GIB, train)])),
            tenant("t2", "infer", "bob", json!([grant(first, 512 << 20, 2 * GIB, infer)])),
            tenant("t3", "batch", "ann", json!([grant(first, 9 * GIB, 8 * GIB, batch)])),
            tenant("t4", "stuck", "eve", json!([grant(second, 5 * GIB, 12 * GIB, stuck)])),
        ],
        "waiting": [{
            "name": "next", "uid": 0, "user": "bob", "command": [], "since_unix_ms": 11_400_000, "why": "no device has 20 GiB free",
        }],
    }))
    .expect("a document that can be read")
}
