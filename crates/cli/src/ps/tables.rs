//! The tables for people.

use std::time::{Duration, SystemTime};

use cleave_node::amount::show;
use cleave_node::protocol::{
    DeviceStatus, GrantStatus, Hold, Kind, Lifetime, ProcessStatus, Status, TenantStatus,
};

use crate::table::table;

/// Everything, as far as there is something.
pub fn text(status: &Status, verbose: bool) -> String {
    let now = now_ms();
    let mut parts = Vec::new();
    if !status.devices.is_empty() {
        parts.push(devices(&status.devices));
    }
    parts.push(if status.tenants.is_empty() { "no tenants\n".into() } else { tenants(&status.tenants) });
    if verbose && !status.tenants.is_empty() {
        parts.push(processes(&status.tenants, now));
    }
    parts.extend(unmanaged(&status.devices));
    parts.extend(waiting(status, now));
    parts.extend(remarks(status));
    parts.join("\n")
}

fn devices(devices: &[DeviceStatus]) -> String {
    let rows: Vec<Vec<String>> = devices
        .iter()
        .map(|device| {
            let kind = if device.kind == Kind::Soft { "soft" } else { "real" };
            vec![
                device.uuid.clone(),
                device.name.clone(),
                kind.into(),
                show(device.total),
                show(device.granted),
                show(device.used),
                show(device.free),
                format!("{}%", device.compute_free),
            ]
        })
        .collect();
    table(&["DEVICE", "NAME", "KIND", "TOTAL", "GRANTED", "USED", "FREE", "COMPUTE FREE"], &rows)
}

fn tenants(tenants: &[TenantStatus]) -> String {
    let rows: Vec<Vec<String>> =
        tenants.iter().flat_map(|tenant| tenant.grants.iter().map(move |grant| row(tenant, grant))).collect();
    table(
        &[
            "TENANT",
            "NAME",
            "USER",
            "DEVICE",
            "MEMORY",
            "COMPUTE",
            "GOT",
            "POLICY",
            "PROCESSES",
            "REFUSED",
            "STATE",
        ],
        &rows,
    )
}

/// As the daemon writes it.
const BEST_EFFORT: &str = "best-effort";

fn row(tenant: &TenantStatus, grant: &GrantStatus) -> Vec<String> {
    let state = match (&tenant.trouble, tenant.running, tenant.lifetime) {
        (Some(_), ..) => "trouble",
        _ if grant.paused => "paused",
        _ if grant.not_preemptible => "not preemptible",
        (_, _, Lifetime::Grant) => "grant",
        (_, true, _) => "running",
        (_, false, _) => "children",
    };
    let compute = if grant.policy == BEST_EFFORT { "-".into() } else { format!("{}%", grant.compute) };
    let policy = [
        grant.policy.split('=').next().map(str::to_string),
        (grant.priority != 0).then(|| format!("{:+}", grant.priority)),
        grant.latency.then(|| "latency".into()),
    ];
    vec![
        tenant.id.clone(),
        tenant.name.clone(),
        tenant.user.clone(),
        short(&grant.device).into(),
        format!("{}/{}", show(grant.used), show(grant.memory)),
        compute,
        format!("{:.0}%", grant.got_percent),
        policy.into_iter().flatten().collect::<Vec<String>>().join(" "),
        grant.processes.len().to_string(),
        grant.denials.to_string(),
        state.into(),
    ]
}

fn processes(tenants: &[TenantStatus], now: u64) -> String {
    let rows: Vec<Vec<String>> = tenants
        .iter()
        .flat_map(|tenant| tenant.grants.iter().map(move |grant| (tenant, grant)))
        .flat_map(|(tenant, grant)| grant.processes.iter().map(move |process| (tenant, grant, process)))
        .map(|(tenant, grant, process)| {
            let pid = if process.pid == 0 { "?".into() } else { process.pid.to_string() };
            vec![
                tenant.id.clone(),
                pid,
                process.name.clone(),
                short(&grant.device).into(),
                show(process.held),
                show(process.overhead),
                process.unwrapped.to_string(),
                refusal(process, now),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "no process of a tenant uses a device now\n".into();
    }
    table(&["TENANT", "PID", "PROCESS", "DEVICE", "HELD", "OVERHEAD", "UNWRAPPED", "LAST REFUSAL"], &rows)
}

fn refusal(process: &ProcessStatus, now: u64) -> String {
    let Some(denial) = &process.denial else {
        return "none".into();
    };
    let times = if denial.count > 1 { format!(", {} in all", denial.count) } else { String::new() };
    format!(
        "{} wanted {} with {} free, {} ago{times}",
        denial.symbol,
        show(denial.wanted),
        show(denial.free),
        age(now.saturating_sub(denial.when_unix_ms))
    )
}

fn unmanaged(devices: &[DeviceStatus]) -> Option<String> {
    let rows: Vec<Vec<String>> = devices
        .iter()
        .flat_map(|device| device.unmanaged.iter().map(move |process| (device, process)))
        .map(|(device, process)| {
            vec![
                process.pid.to_string(),
                process.name.clone(),
                short(&device.uuid).into(),
                show(process.memory),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| table(&["UNMANAGED PID", "PROCESS", "DEVICE", "MEMORY"], &rows))
}

fn waiting(status: &Status, now: u64) -> Option<String> {
    let rows: Vec<Vec<String>> = status
        .waiting
        .iter()
        .map(|waiting| {
            let since = age(now.saturating_sub(waiting.since_unix_ms));
            vec![waiting.name.clone(), waiting.user.clone(), since, waiting.why.clone()]
        })
        .collect();
    (!rows.is_empty()).then(|| table(&["WAITING", "USER", "FOR", "WHY"], &rows))
}

/// What the tables cannot say.
fn remarks(status: &Status) -> Option<String> {
    let mut lines = Vec::new();
    for tenant in &status.tenants {
        lines.extend(tenant.trouble.as_ref().map(|trouble| format!("{}: {trouble}", tenant.id)));
    }
    if status.tenants.iter().any(|tenant| tenant.enforced.memory == Hold::Cooperative) {
        lines.push(
            "tenants run as the daemon's user and could change their limits: these are kept by agreement"
                .into(),
        );
    }
    if status.tenants.iter().flat_map(|tenant| &tenant.grants).any(|grant| grant.unwrapped > 0) {
        lines.push("functions were used that are not accounted for: `cleave ps -v` shows by whom".into());
    }
    if status.tenants.iter().flat_map(|tenant| &tenant.grants).any(|grant| grant.not_preemptible) {
        lines.push(
            "a kernel that does not end cannot be taken off the device: until then its tenant and the others have it in turns that \
             the device decides; `cleave kill` ends the tenant"
                .into(),
        );
    }
    (!lines.is_empty()).then(|| lines.join("\n") + "\n")
}

/// Enough of a UUID to find it in the table of devices, which shows all of it.
fn short(uuid: &str) -> &str {
    uuid.get(..12).unwrap_or(uuid)
}

/// Time that went by, in one unit.
fn age(ms: u64) -> String {
    match Duration::from_millis(ms).as_secs() {
        0 => format!("{ms}ms"),
        seconds @ 1..=119 => format!("{seconds}s"),
        seconds @ 120..=7199 => format!("{}min", seconds / 60),
        seconds @ 7200..=172_799 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.as_millis().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A document as a daemon sends it.
    fn status() -> Status {
        let process = json!({
            "pid": 77, "name": "train", "held": 1_u64 << 30, "overhead": 0, "contexts": 1, "launches": 5, "pinned_host": 0,
            "unwrapped": 0,
            "denial": { "symbol": "cuMemAlloc_v2", "wanted": 2_u64 << 30, "free": 1_u64 << 30, "when_unix_ms": 0, "count": 3 },
        });
        let grant = json!({
            "device": "GPU-1", "device_name": "Card", "kind": "soft", "memory": 2_u64 << 30, "used": 1_u64 << 30,
            "free": 1_u64 << 30, "compute": 30, "compute_enforced": true,
            "policy": "fixed", "priority": 2, "latency": true, "got_percent": 29.4, "overhead": 0, "nested": 0, "denials": 3, "unwrapped": 0,
            "processes": [process],
        });
        let tenant = json!({
            "id": "t1", "name": "train", "uid": 1000, "user": "ann", "command": ["train"], "pid": 77, "running": true,
            "lifetime": "process", "parent": null, "folder": "/t", "started_unix_ms": 0, "adopted": false, "shim": "alive",
            "enforced": { "memory": "cooperative", "compute": true }, "grants": [grant], "trouble": null,
        });
        let device = json!({
            "uuid": "GPU-1", "name": "Card", "kind": "soft", "total": 4_u64 << 30, "reserved": 0, "granted": 2_u64 << 30,
            "used": 1_u64 << 30, "free": 2_u64 << 30, "compute_granted": 30, "compute_free": 70, "per_process": true,
            "unmanaged": [{ "pid": 99, "name": "stray", "memory": 1_u64 << 20 }],
        });
        let node = json!({
            "pid": 1, "uid": 0, "release": "1", "home": "/h", "embedded": true, "started_unix_ms": 0, "adopted": 0,
        });
        let waiting = json!({
            "name": "next", "uid": 0, "user": "bob", "command": [], "since_unix_ms": 0, "why": "no room",
        });
        serde_json::from_value(json!({
            "version": 1, "node": node, "devices": [device], "tenants": [tenant], "waiting": [waiting],
        }))
        .unwrap()
    }

    #[test]
    fn tables_show_what_people_ask_for() {
        let shown = text(&status(), false);
        for part in [
            "t1",
            "ann",
            "1.0 GiB/2.0 GiB",
            "30%",
            "29%",
            "fixed +2 latency",
            "stray",
            "next",
            "no room",
            "kept by agreement",
        ] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
        assert!(!shown.contains("cuMemAlloc_v2"));
        assert!(text(&status(), true).contains("cuMemAlloc_v2 wanted 2.0 GiB with 1.0 GiB free"));
        assert!(text(&status(), true).contains(", 3 in all"));
        let mut stuck = status();
        stuck.tenants[0].grants[0].not_preemptible = true;
        assert!(
            text(&stuck, false).contains("not preemptible") && text(&stuck, false).contains("`cleave kill`")
        );
        stuck.tenants[0].grants[0].paused = true;
        assert!(text(&stuck, false).contains("paused"));
        let mut empty = status();
        empty.tenants.clear();
        assert!(text(&empty, true).contains("no tenants\n"));
    }

    #[test]
    fn ages_have_one_unit() {
        for (ms, text) in
            [(5, "5ms"), (61_000, "61s"), (180_000, "3min"), (7_200_000, "2h"), (200_000_000, "2d")]
        {
            assert_eq!(age(ms), text);
        }
    }
}
