//! How many pods a second `cleave translate` reads: the whole way from bytes to the lines of the table.
//!
//! `cargo run --release -p cleave-kube --example throughput [PODS]`. A line for each form of dump: pods per second of
//! wall time, and per second of CPU time, which a busy machine does not spoil. Exit code 1 below 10,000 of the latter.

use std::process::ExitCode;
use std::time::Instant;

use cleave_kube::documents::for_each_object;
use cleave_kube::translate::Translator;
use cleave_kube::{Bounds, Settings, render, write};

const WANTED: f64 = 10_000.0;

/// A pod as a cluster dumps it: with the fields the API server adds.
const POD: &str = r#"apiVersion: v1
kind: Pod
metadata:
  annotations:
    hami.io/node-scheduler-policy: binpack
    hami.io/vgpu-node: node-17
    nvidia.com/use-gputype: A100,H100
  creationTimestamp: "2026-11-15T23:36:05Z"
  generateName: train-7c9f8b5d6-
  labels:
    app: train
    pod-template-hash: 7c9f8b5d6
  name: train-7c9f8b5d6-x2x9q
  namespace: team-a
  ownerReferences:
  - apiVersion: apps/v1
    blockOwnerDeletion: true
    controller: true
    kind: ReplicaSet
    name: train-7c9f8b5d6
    uid: 5a67bfe7-0000-4000-8000-000000000001
  resourceVersion: "1234567"
  uid: 5a67bfe7-0000-4000-8000-000000000002
spec:
  containers:
  - args:
    - --epochs
    - "10"
    command:
    - python
    - train.py
    env:
    - name: NCCL_DEBUG
      value: INFO
    image: registry.example/train:1.2.3
    imagePullPolicy: IfNotPresent
    name: main
    resources:
      limits:
        cpu: "4"
        memory: 16Gi
        nvidia.com/gpu: "2"
        nvidia.com/gpucores: "30"
        nvidia.com/gpumem: "3000"
      requests:
        cpu: "4"
        memory: 16Gi
        nvidia.com/gpu: "2"
        nvidia.com/gpucores: "30"
        nvidia.com/gpumem: "3000"
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
    volumeMounts:
    - mountPath: /data
      name: data
    - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      name: kube-api-access-abcde
      readOnly: true
  dnsPolicy: ClusterFirst
  nodeName: node-17
  restartPolicy: Always
  schedulerName: hami-scheduler
  serviceAccountName: default
  volumes:
  - emptyDir: {}
    name: data
status:
  conditions:
  - lastProbeTime: null
    lastTransitionTime: "2026-11-15T23:36:09Z"
    status: "True"
    type: Ready
  phase: Running
  podIP: 10.0.3.17
"#;

fn main() -> ExitCode {
    let pods = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000usize);
    let documents = format!("---\n{POD}").repeat(pods);
    let item = POD.replace('\n', "\n  ");
    let list =
        format!("apiVersion: v1\nitems:\n{}kind: List\n", format!("- {}\n", item.trim_end()).repeat(pods));
    let object = parse_one(POD);
    let json =
        format!("{{\"apiVersion\":\"v1\",\"items\":[{}],\"kind\":\"List\"}}", vec![object; pods].join(","));
    let mut slow = false;
    for (form, text) in [("yaml-documents", documents), ("yaml-list", list), ("json-list", json)] {
        let rate = measure(form, &text, pods);
        slow |= rate < WANTED;
    }
    ExitCode::from(u8::from(slow))
}

/// The pod as JSON.
fn parse_one(text: &str) -> String {
    let mut json = String::new();
    for_each_object(text.as_bytes(), Bounds::default(), &mut |found| {
        json = found.map(|node| write::json(&node)).unwrap_or_default();
        true
    });
    json
}

/// Reads `text` and prints the rates; answers with pods per second of CPU time.
fn measure(form: &str, text: &str, pods: usize) -> f64 {
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let mut translator = Translator::new(Settings::default());
    let mut printed = 0;
    for_each_object(text.as_bytes(), Bounds::default(), &mut |found| {
        printed += translator.take("bench", found).map_or(0, |report| render::table(&report).len());
        true
    });
    assert_eq!(translator.totals().understood, pods as u64, "every pod is understood");
    let (wall, cpu) = (began.elapsed().as_secs_f64(), (cpu_seconds() - cpu).max(0.01));
    let (by_wall, by_cpu) = (pods as f64 / wall, pods as f64 / cpu);
    let size = text.len() / pods;
    println!(
        "{form} bytes_per_pod={size} pods_per_second={by_wall:.0} pods_per_cpu_second={by_cpu:.0} printed={printed}"
    );
    by_cpu
}

/// User and system time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: f64 = fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum();
    ticks / 100.0
}
