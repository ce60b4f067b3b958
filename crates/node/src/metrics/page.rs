//! The page: a status in, text out, in the text format of Prometheus (version 0.0.4).

use std::fmt::Write;

use crate::protocol::{DeviceStatus, GrantStatus, Status, TenantStatus};

pub const TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A grant, and whose it is.
type Granted<'a> = (&'a TenantStatus, &'a GrantStatus);

const SECOND: f64 = 1e9;

pub fn text(status: &Status) -> String {
    let mut page = Page::default();
    let release: &[(&str, &str)] = &[("version", &status.node.release)];
    page.family("cleave_node_info", Kind::Gauge, "The daemon; always 1.", [(release.to_vec(), 1.0)]);
    page.plain(
        "cleave_node_start_time_seconds",
        "When the daemon was started, in seconds since 1970.",
        status.node.started_unix_ms as f64 / 1000.0,
    );
    page.plain("cleave_node_tenants", "Tenants there are.", status.tenants.len() as f64);
    page.plain("cleave_node_waiting_tenants", "Tenants that wait for room.", status.waiting.len() as f64);
    devices(&mut page, &status.devices);
    let granted: Vec<Granted> = status
        .tenants
        .iter()
        .flat_map(|tenant| tenant.grants.iter().map(move |grant| (tenant, grant)))
        .collect();
    tenants(&mut page, &granted);
    page.text
}

fn devices(page: &mut Page, devices: &[DeviceStatus]) {
    let mut family = |name: &str, kind: Kind, help: &str, value: fn(&DeviceStatus) -> f64| {
        let samples = devices
            .iter()
            .map(|device| (vec![("device", &*device.uuid), ("name", &*device.name)], value(device)));
        page.family(name, kind, help, samples);
    };
    use Kind::{Counter, Gauge};
    family("cleave_device_memory_bytes", Gauge, "Memory the device has.", |device| device.total as f64);
    family("cleave_device_memory_reserved_bytes", Gauge, "Memory that is never granted.", |device| {
        device.reserved as f64
    });
    family("cleave_device_memory_granted_bytes", Gauge, "Memory granted to tenants.", |device| {
        device.granted as f64
    });
    family("cleave_device_memory_used_bytes", Gauge, "Memory tenants hold.", |device| device.used as f64);
    family("cleave_device_memory_free_bytes", Gauge, "Memory that can still be granted.", |device| {
        device.free as f64
    });
    family(
        "cleave_device_memory_unmanaged_bytes",
        Gauge,
        "Memory held by processes that are no tenant's.",
        |device| device.unmanaged.iter().map(|process| process.memory as f64).sum(),
    );
    family(
        "cleave_device_unmanaged_processes",
        Gauge,
        "Processes that hold memory and are no tenant's.",
        |device| device.unmanaged.len() as f64,
    );
    family("cleave_device_compute_granted_ratio", Gauge, "Share of compute granted to tenants.", |device| {
        ratio(device.compute_granted.into())
    });
    family(
        "cleave_device_busy_ratio",
        Gauge,
        "Of the last second, how much of it tenants had the compute engine.",
        |device| ratio(device.busy_percent),
    );
    family("cleave_device_busy_seconds_total", Counter, "Time tenants had the compute engine.", |device| {
        device.busy_ns as f64 / SECOND
    });
}

fn tenants(page: &mut Page, granted: &[Granted]) {
    use Kind::{Counter, Gauge};
    let info = granted.iter().map(|(tenant, grant)| {
        let mut labels = labels(&(*tenant, *grant));
        labels.extend([("user", &*tenant.user), ("policy", &*grant.policy)]);
        (labels, 1.0)
    });
    page.family("cleave_tenant_info", Gauge, "A grant, with its user and policy; always 1.", info);
    let mut family = |name: &str, kind: Kind, help: &str, value: &dyn Fn(&Granted) -> f64| {
        page.family(name, kind, help, granted.iter().map(|granted| (labels(granted), value(granted))));
    };
    family("cleave_tenant_memory_granted_bytes", Gauge, "Memory the tenant may hold.", &|(_, grant)| {
        grant.memory as f64
    });
    family("cleave_tenant_memory_used_bytes", Gauge, "Memory the tenant holds.", &|(_, grant)| {
        grant.used as f64
    });
    family("cleave_tenant_compute_asked_ratio", Gauge, "Share of compute the tenant was granted.", &|(
        _,
        grant,
    )| {
        ratio(grant.compute.into())
    });
    family(
        "cleave_tenant_compute_got_ratio",
        Gauge,
        "Of the last second, how much of it the tenant had the compute engine, by the daemon's clock.",
        &|(_, grant)| ratio(grant.got_percent),
    );
    family(
        "cleave_tenant_copy_in_ratio",
        Gauge,
        "Of the last second, how much of it the tenant had the engine that copies to the device.",
        &|(_, grant)| ratio(grant.copy_in_percent),
    );
    family(
        "cleave_tenant_copy_out_ratio",
        Gauge,
        "Of the last second, how much of it the tenant had the engine that copies from the device.",
        &|(_, grant)| ratio(grant.copy_out_percent),
    );
    family(
        "cleave_tenant_waiting_ratio",
        Gauge,
        "Of the last second, how much of it a thread of the tenant waited for a turn.",
        &|(_, grant)| ratio(grant.waiting_percent),
    );
    family("cleave_tenant_priority", Gauge, "The tenant's priority.", &|(_, grant)| {
        f64::from(grant.priority)
    });
    family("cleave_tenant_latency", Gauge, "1 if the tenant's work goes first.", &|(_, grant)| {
        flag(grant.latency)
    });
    family("cleave_tenant_paused", Gauge, "1 if the tenant may launch nothing.", &|(_, grant)| {
        flag(grant.paused)
    });
    family("cleave_tenant_not_preemptible", Gauge, "1 if a kernel of the tenant does not end.", &|(
        _,
        grant,
    )| {
        flag(grant.not_preemptible)
    });
    family("cleave_tenant_on_host", Gauge, "1 if the tenant's memory has left the device.", &|(_, grant)| {
        flag(grant.on_host)
    });
    family("cleave_tenant_moved_bytes_total", Counter, "Memory moved from the device and back.", &|(
        _,
        grant,
    )| {
        grant.moved_bytes as f64
    });
    family("cleave_tenant_processes", Gauge, "Processes of the tenant that use the device.", &|(
        _,
        grant,
    )| {
        grant.processes.len() as f64
    });
    family(
        "cleave_tenant_held_seconds_total",
        Counter,
        "Time the tenant had the compute engine, by the daemon's clock.",
        &|(_, grant)| grant.held_ns as f64 / SECOND,
    );
    family(
        "cleave_tenant_gpu_seconds_total",
        Counter,
        "Time the tenant's work took on the compute engine, as its processes measured it.",
        &|(_, grant)| grant.gpu_ns as f64 / SECOND,
    );
    family(
        "cleave_tenant_waited_seconds_total",
        Counter,
        "Time the tenant's threads waited for turns, as its processes measured it.",
        &|(_, grant)| grant.waited_ns as f64 / SECOND,
    );
    family("cleave_tenant_launches_total", Counter, "Launches of kernels and graphs.", &|(_, grant)| {
        grant.launches as f64
    });
    family("cleave_tenant_denials_total", Counter, "Requests for memory that were refused.", &|(
        _,
        grant,
    )| {
        grant.denials as f64
    });
}

fn labels<'a>((tenant, grant): &Granted<'a>) -> Vec<(&'static str, &'a str)> {
    vec![("tenant", &tenant.id), ("name", &tenant.name), ("device", &grant.device)]
}

/// Without the digits that only come from dividing.
fn ratio(percent: f64) -> f64 {
    (percent * 100.0).round() / 10_000.0
}

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[derive(Clone, Copy)]
enum Kind {
    Gauge,
    Counter,
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// Samples of one name. Texts are ours; labels may hold anything.
    fn family<'a>(
        &mut self,
        name: &str,
        kind: Kind,
        help: &str,
        samples: impl IntoIterator<Item = (Vec<(&'a str, &'a str)>, f64)>,
    ) {
        let kind = match kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        };
        // Writing to a text cannot fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, value) in samples {
            let labels: Vec<String> =
                labels.into_iter().map(|(label, text)| format!("{label}=\"{}\"", escaped(text))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(self.text, "{name}{labels} {value}");
        }
    }

    /// One number of the whole daemon.
    fn plain(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, Kind::Gauge, help, [(Vec::new(), value)]);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
