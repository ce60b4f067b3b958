//! The page as a collector reads it, and the address as anybody may use it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Shutdown;

use serde_json::json;

use super::*;

fn status(name: &str) -> Status {
    let grant = json!({
        "device": "GPU-1", "device_name": "Card", "kind": "soft", "memory": 2_u64 << 30, "used": 1_u64 << 30,
        "free": 1_u64 << 30, "compute": 30, "compute_enforced": true, "policy": "burst", "priority": -2, "latency": true,
        "got_percent": 29.5, "waiting_percent": 40.0, "held_ns": 1_500_000_000_u64, "gpu_ns": 1_250_000_000_u64,
        "waited_ns": 250_000_000_u64, "launches": 5, "overhead": 0, "nested": 0, "denials": 3, "unwrapped": 0, "processes": [],
    });
    let tenant = json!({
        "id": "t1", "name": name, "uid": 1000, "user": "ann", "command": ["train"], "pid": 77, "running": true,
        "lifetime": "process", "parent": null, "folder": "/t", "started_unix_ms": 0, "adopted": false, "shim": "alive",
        "enforced": { "memory": "cooperative", "compute": true }, "grants": [grant], "trouble": null,
    });
    let device = json!({
        "uuid": "GPU-1", "name": "Card", "kind": "soft", "total": 4_u64 << 30, "reserved": 0, "granted": 2_u64 << 30,
        "used": 1_u64 << 30, "free": 2_u64 << 30, "compute_granted": 30, "compute_free": 70, "per_process": true,
        "unmanaged": [{ "pid": 99, "name": "stray", "memory": 1_u64 << 20 }], "busy_percent": 29.5,
        "busy_ns": 3_000_000_000_u64,
    });
    serde_json::from_value(json!({
        "version": 1,
        "node": {
            "pid": 1, "uid": 0, "release": "1.2.3", "home": "/h", "embedded": true, "started_unix_ms": 1_500, "adopted": 0,
        },
        "devices": [device], "tenants": [tenant], "waiting": [],
    }))
    .unwrap()
}

/// Labels of a sample, and what follows them, by the rules of the text format.
fn labels(text: &str) -> (BTreeMap<String, String>, &str) {
    let Some(mut rest) = text.strip_prefix('{') else { return (BTreeMap::new(), text) };
    let mut found = BTreeMap::new();
    loop {
        let (name, behind) = rest.split_once("=\"").unwrap();
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        let (mut value, mut letters) = (String::new(), behind.char_indices());
        let end = loop {
            match letters.next().unwrap() {
                (at, '"') => break at,
                (_, '\\') => value.push(match letters.next().unwrap().1 {
                    'n' => '\n',
                    known @ ('\\' | '"') => known,
                    other => panic!("\\{other}"),
                }),
                (_, other) => value.push(other),
            }
        };
        assert!(found.insert(name.to_string(), value).is_none(), "{name} twice");
        rest = &behind[end + 1..];
        match rest.split_at(1) {
            (",", more) => rest = more,
            ("}", more) => return (found, more),
            other => panic!("{other:?}"),
        }
    }
}

/// Values by name and labels.
type Samples = BTreeMap<(String, Vec<(String, String)>), f64>;

/// Samples by name, and labels; every rule of the format is checked on the way.
fn parse(text: &str) -> Samples {
    assert!(text.ends_with('\n'));
    let (mut samples, mut families, mut family) = (BTreeMap::new(), BTreeSet::new(), None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(about) = line.strip_prefix("# HELP ") {
            let (name, help) = about.split_once(' ').unwrap();
            assert!(help.ends_with('.') && !help.contains('\\'));
            assert!(families.insert(name.to_string()), "{name} twice");
            let kind = lines.next().unwrap().strip_prefix(&format!("# TYPE {name} ")).unwrap();
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
            assert!(["gauge", "counter"].contains(&kind));
            family = Some(name);
            continue;
        }
        let end = line.find(['{', ' ']).unwrap();
        let (name, rest) = line.split_at(end);
        assert_eq!(Some(name), family, "samples stand behind their family");
        let (labels, value) = labels(rest);
        let value: f64 = value.strip_prefix(' ').unwrap().parse().unwrap();
        let before = samples.insert((name.to_string(), labels.into_iter().collect()), value);
        assert!(before.is_none(), "{line} twice");
    }
    samples
}

fn value(samples: &Samples, name: &str) -> f64 {
    let found: Vec<f64> =
        samples.iter().filter(|((known, _), _)| known == name).map(|(_, value)| *value).collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

#[test]
fn numbers_are_in_base_units() {
    let samples = parse(&page::text(&status("train")));
    for (name, expected) in [
        ("cleave_node_start_time_seconds", 1.5),
        ("cleave_device_memory_bytes", 4_294_967_296.0),
        ("cleave_device_memory_unmanaged_bytes", 1_048_576.0),
        ("cleave_device_unmanaged_processes", 1.0),
        ("cleave_device_busy_ratio", 0.295),
        ("cleave_device_busy_seconds_total", 3.0),
        ("cleave_tenant_memory_used_bytes", 1_073_741_824.0),
        ("cleave_tenant_compute_asked_ratio", 0.3),
        ("cleave_tenant_compute_got_ratio", 0.295),
        ("cleave_tenant_waiting_ratio", 0.4),
        ("cleave_tenant_priority", -2.0),
        ("cleave_tenant_latency", 1.0),
        ("cleave_tenant_paused", 0.0),
        ("cleave_tenant_held_seconds_total", 1.5),
        ("cleave_tenant_gpu_seconds_total", 1.25),
        ("cleave_tenant_waited_seconds_total", 0.25),
        ("cleave_tenant_launches_total", 5.0),
        ("cleave_tenant_denials_total", 3.0),
    ] {
        assert_eq!(value(&samples, name), expected, "{name}");
    }
}

#[test]
fn names_may_hold_anything() {
    let name = "a\"b\\c\nd} 1\n# TYPE x y\u{0}é";
    let samples = parse(&page::text(&status(name)));
    let said = samples.keys().find(|(known, _)| known == "cleave_tenant_info").unwrap();
    assert!(said.1.contains(&("name".into(), name.into())), "{said:?}");
}

fn served() -> SocketAddr {
    let metrics = Metrics::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = metrics.listener.local_addr().unwrap();
    thread::spawn(move || metrics.serve(|| status("train")));
    address
}

fn said(address: SocketAddr, question: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    // A question that is too long is not read to its end, and the connection may be gone by then.
    let _ = stream.write_all(question);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[test]
fn questions_are_answered_and_nonsense_is_refused() {
    let address = served();
    let answer = said(address, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n")
    );
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    assert!(!parse(body).is_empty());
    assert!(said(address, b"HEAD /metrics?x=1 HTTP/1.0\n\n").ends_with("\r\n\r\n"));
    for (question, code) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "404"),
        (b"GET /metricsx HTTP/1.1\r\n\r\n", "404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"\r\n\r\n", "400"),
        (b"GET /metrics\r\n\r\n", "400"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", "400"),
        (b"\x16\x03\x01\xff\x00 \xfe\r\n\r\n", "400"),
    ] {
        let answer = said(address, question);
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{question:?}: {answer}");
    }
    // Nothing, a piece, and more than is ever read.
    for question in [&b""[..], b"GET /metr", &[b'a'; 3 * LONGEST]] {
        let answer = said(address, question);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    assert!(said(address, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "), "it goes on");
}

#[test]
fn who_is_silent_keeps_nobody_else_waiting() {
    let address = served();
    let silent: Vec<TcpStream> = (1..MOST).map(|_| TcpStream::connect(address).unwrap()).collect();
    let begun = Instant::now();
    assert!(said(address, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
    assert!(begun.elapsed() < PATIENCE, "no silent reader was waited for");
    drop(silent);
}

#[test]
fn an_address_that_is_taken_is_named() {
    let address = served();
    let error = format!("{:#}", Metrics::bind(address).err().unwrap());
    assert!(error.starts_with(&format!("cannot serve metrics on {address}: ")), "{error}");
}
