//! Never a larger Ask than was written.
//!
//! The input chooses a dialect, some of its keys and their values. Whatever is understood is held against bounds that are worked
//! out here, from the written texts alone, by another reader of numbers and another table of units:
//!
//! * memory per slice (reserved and limit) is at most the largest amount of memory written, in all over the slices where the
//!   system divides totals; the whole device only if no amount above zero was written, or whole devices were;
//! * compute per slice is at most the largest share written; the whole engine set aside only if a whole one was written,
//!   or nothing was;
//! * slices are at most the largest count written, or one for each hundred percent;
//! * a device is given away alone only together with its whole engine.

#![no_main]

use cleave_kube::documents::for_each_object;
use cleave_kube::translate::{Outcome, Translator};
use cleave_kube::{Bounds, Settings};
use cleave_model::{Ask, Compute, Isolation, Memory};
use libfuzzer_sys::fuzz_target;

/// What a value of a key is an amount of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Devices,
    /// Bytes for each unit.
    Memory(f64),
    /// Percent of a device's memory.
    MemoryShare,
    /// Percent of a device's compute.
    Compute,
    /// Percent of both.
    Both,
    /// A fraction of one of both.
    Fraction,
    Tflops,
}

use Of::{Both, Compute as Cores, Devices, Fraction, Memory as Bytes, MemoryShare, Tflops};

const MIB: f64 = 1_048_576.0;

struct System {
    name: &'static str,
    /// Amounts are totals that are divided over the slices.
    totals: bool,
    resources: &'static [(&'static str, Of)],
    annotations: &'static [(&'static str, Of)],
    labels: &'static [(&'static str, Of)],
    /// Written as they are, so that the rest has an effect.
    always: &'static str,
}

const fn resources(name: &'static str, totals: bool, resources: &'static [(&'static str, Of)]) -> System {
    System { name, totals, resources, annotations: &[], labels: &[], always: "" }
}

const SYSTEMS: &[System] = &[
    resources(
        "hami",
        false,
        &[
            ("nvidia.com/gpu", Devices),
            ("nvidia.com/gpumem", Bytes(MIB)),
            ("nvidia.com/gpumem-percentage", MemoryShare),
            ("nvidia.com/gpucores", Cores),
        ],
    ),
    resources(
        "volcano",
        false,
        &[
            ("volcano.sh/vgpu-number", Devices),
            ("volcano.sh/vgpu-memory", Bytes(MIB)),
            ("volcano.sh/vgpu-memory-percentage", MemoryShare),
            ("volcano.sh/vgpu-cores", Cores),
            ("volcano.sh/gpu-number", Devices),
            ("volcano.sh/gpu-memory", Bytes(MIB)),
        ],
    ),
    resources(
        "vgpu-manager",
        false,
        &[
            ("nvidia.com/vgpu-number", Devices),
            ("nvidia.com/vgpu-memory", Bytes(MIB)),
            ("nvidia.com/vgpu-cores", Cores),
        ],
    ),
    resources("gpushare", false, &[("aliyun.com/gpu-mem", Bytes(1024.0 * MIB))]),
    System {
        labels: &[("aliyun.com/gpu-count", Devices)],
        ..resources(
            "ack",
            true,
            &[
                ("aliyun.com/gpu-mem", Bytes(1024.0 * MIB)),
                ("aliyun.com/gpu-core.percentage", Cores),
                ("aliyun.com/gpu-core.tflops", Tflops),
            ],
        )
    },
    resources(
        "qgpu",
        false,
        &[
            ("tke.cloud.tencent.com/qgpu-memory", Bytes(1024.0 * MIB)),
            ("tke.cloud.tencent.com/qgpu-core", Cores),
            ("tke.cloud.tencent.com/qgpu-core-greedy", Cores),
        ],
    ),
    resources(
        "gpu-manager",
        false,
        &[("tencent.com/vcuda-memory", Bytes(256.0 * MIB)), ("tencent.com/vcuda-core", Cores)],
    ),
    System {
        always: "vke.volcengine.com/mgpu-compute-policy: native-burst-share",
        annotations: &[("vke.volcengine.com/container-multiple-gpu", Devices)],
        ..resources(
            "mgpu",
            true,
            &[("vke.volcengine.com/mgpu-memory", Bytes(MIB)), ("vke.volcengine.com/mgpu-core", Cores)],
        )
    },
    resources(
        "baidu",
        true,
        &[
            ("baidu.com/a100_40g_cgpu", Devices),
            ("baidu.com/a100_40g_cgpu_memory", Bytes(1024.0 * MIB)),
            ("baidu.com/a100_40g_cgpu_memory_percent", MemoryShare),
            ("baidu.com/a100_40g_cgpu_core", Cores),
        ],
    ),
    resources(
        "huawei",
        false,
        &[
            ("volcano.sh/gpu-mem.128Mi", Bytes(128.0 * MIB)),
            ("volcano.sh/gpu-core.percentage", Cores),
            ("nvidia.com/gpu", Fraction),
        ],
    ),
    System {
        annotations: &[
            ("gpu-fraction", Fraction),
            ("gpu-memory", Bytes(MIB)),
            ("gpu-fraction-num-devices", Devices),
            ("nvidia.com/container.a.gpu-memory.request", Bytes(1.0)),
            ("nvidia.com/container.a.gpu-memory.limit", Bytes(1.0)),
            ("kai.scheduler/container.a.gpu-memory.portion.limit", Fraction),
        ],
        ..resources("kai", false, &[("nvidia.com/gpu", Devices)])
    },
    resources(
        "koordinator",
        true,
        &[
            ("nvidia.com/gpu", Devices),
            ("koordinator.sh/gpu", Both),
            ("koordinator.sh/gpu.shared", Devices),
            ("koordinator.sh/gpu-core", Cores),
            ("koordinator.sh/gpu-memory", Bytes(1.0)),
            ("koordinator.sh/gpu-memory-ratio", MemoryShare),
        ],
    ),
    System {
        annotations: &[
            ("tensor-fusion.ai/gpu-count", Devices),
            ("tensor-fusion.ai/vram-request", Bytes(1.0)),
            ("tensor-fusion.ai/vram-limit", Bytes(1.0)),
            ("tensor-fusion.ai/tflops-request", Tflops),
            ("tensor-fusion.ai/tflops-limit", Tflops),
            ("tensor-fusion.ai/compute-percent-request", Cores),
            ("tensor-fusion.ai/compute-percent-limit", Cores),
        ],
        labels: &[("tensor-fusion.ai/enabled", Devices)],
        ..resources("tensor-fusion", false, &[])
    },
    resources("nvidia", false, &[("nvidia.com/gpu", Devices), ("nvidia.com/mig-1g.5gb", Devices)]),
    resources(
        "cleave",
        false,
        &[
            ("cleave.io/gpu", Devices),
            ("cleave.io/memory", Bytes(1.0)),
            ("cleave.io/memory-percent", MemoryShare),
            ("cleave.io/compute", Cores),
        ],
    ),
];

/// Letters of values. Mostly digits, so that most values are numbers.
const LETTERS: &[u8] = b"00112233445566778899..kMGTPEiiemun-+_x, ";

/// Values whole requests are made of, so that many are accepted.
const COMMON: &[&str] = &["1", "2", "4", "100", "200", "50", "5", "0", "1000", "1Gi", "0.5", "10k", "true", "2Gi"];

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter().copied();
    let mut draw = move || usize::from(bytes.next().unwrap_or(0));
    let system = &SYSTEMS[draw() % SYSTEMS.len()];
    let mut written: Vec<(Of, f64)> = Vec::new();
    let mut part = |keys: &[(&'static str, Of)], indent: &str| {
        let mut text = String::new();
        for (key, of) in keys {
            let Some(value) = value(&mut draw) else { continue };
            written.push((*of, amount(&value)));
            text.push_str(&format!("{indent}{key}: {}\n", if draw() % 2 == 0 { quoted(&value) } else { value }));
        }
        text
    };
    let labels = part(system.labels, "    ");
    let annotations = part(system.annotations, "    ");
    let limits = part(system.resources, "        ");
    let text = format!(
        "kind: Pod\nmetadata:\n  labels:\n{labels}    x: y\n  annotations:\n    {}\n{annotations}spec:\n  containers:\n  - \
         name: a\n    resources:\n      limits:\n{limits}        cpu: 1\n",
        if system.always.is_empty() { "x: y" } else { system.always }
    );
    for ask in understood(&text, system.name) {
        if let Err(why) = check(&ask, &written, system.totals) {
            panic!("{why}\n{ask:?}\n{text}");
        }
    }
});

fn value(draw: &mut impl FnMut() -> usize) -> Option<String> {
    let kind = draw();
    match kind % 4 {
        0 => None,
        1 => {
            let length = kind / 4 % 12;
            Some((0..length).map(|_| char::from(LETTERS[draw() % LETTERS.len()])).collect())
        }
        _ => Some(COMMON[kind / 4 % COMMON.len()].to_owned()),
    }
}

fn quoted(value: &str) -> String {
    format!("\"{value}\"")
}

fn understood(text: &str, dialect: &str) -> Vec<Ask> {
    let mut settings = Settings::default();
    settings.set("dialect", dialect).expect("a dialect");
    let mut translator = Translator::new(settings);
    let mut asks = Vec::new();
    for_each_object(text.as_bytes(), Bounds::default(), &mut |found| {
        if let Some(Outcome::Pods(pods)) = translator.take("fuzz", found).map(|report| report.outcome) {
            let good = pods.into_iter().filter_map(|(_, result)| result.ok());
            asks.extend(good.flat_map(|pod| pod.asks).map(|asked| asked.ask));
        }
        true
    });
    asks
}

/// The value of a text as a number, by floating point; nothing for what is none.
fn amount(text: &str) -> f64 {
    let text = text.trim().trim_end_matches(',').trim();
    // Cards of each container, by position: there is one container.
    let text = text.split(',').next().unwrap_or("");
    for (suffix, times) in [
        ("Ki", 1024f64),
        ("Mi", MIB),
        ("Gi", 1024.0 * MIB),
        ("Ti", MIB * MIB),
        ("Pi", 1024.0 * MIB * MIB),
        ("Ei", MIB * MIB * MIB),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
        ("", 1.0),
    ] {
        if let Some(number) = text.strip_suffix(suffix).and_then(|number| number.parse::<f64>().ok()) {
            return number * times;
        }
    }
    0.0
}

fn check(ask: &Ask, written: &[(Of, f64)], totals: bool) -> Result<(), &'static str> {
    let most = |of: &dyn Fn(Of) -> Option<f64>| -> f64 {
        let amounts = written.iter().filter_map(|(kind, amount)| of(*kind).map(|unit| unit * amount));
        amounts.fold(0.0, f64::max)
    };
    let devices = most(&|of| matches!(of, Devices | Fraction).then_some(1.0));
    let bytes = most(&|of| if let Bytes(unit) = of { Some(unit) } else { None });
    let memory = most(&|of| match of {
        MemoryShare | Both => Some(1.0),
        Fraction => Some(100.0),
        _ => None,
    });
    let cores = most(&|of| match of {
        Cores | Both => Some(1.0),
        Fraction => Some(100.0),
        _ => None,
    });
    let tflops = most(&|of| (of == Tflops).then_some(1000.0));
    let nothing = bytes == 0.0 && memory == 0.0 && cores == 0.0 && tflops == 0.0;
    let count = f64::from(ask.count);
    let times = if totals { count } else { 1.0 };
    let within = |value: f64, most: f64| value * times <= most * (1.0 + 1e-9);

    if count > devices.max(1.0).max(cores / 100.0).max(memory / 100.0) {
        return Err("more devices than were written");
    }
    for memory_of in [ask.memory.reserved, ask.memory.ceiling] {
        match memory_of {
            Memory::Mib(mib) if within(mib as f64 * MIB, bytes) => {}
            Memory::Mib(_) => return Err("more memory than was written"),
            // The whole memory: nothing was written, or whole devices were.
            Memory::WHOLE if bytes == 0.0 && memory == 0.0 || memory >= 100.0 || cores >= 100.0 => {}
            Memory::WHOLE if nothing => {}
            Memory::Share(share) if within(f64::from(share.thousandths()) / 1000.0, memory) => {}
            Memory::Share(_) => return Err("a larger share of memory than was written"),
        }
    }
    match ask.compute.reserved {
        Compute::MilliTflops(milli) if within(milli as f64, tflops) => {}
        Compute::MilliTflops(_) => return Err("more TFLOPS than were written"),
        // All of the engine: a whole one was written, or no part of anything.
        Compute::WHOLE if cores >= 100.0 || memory >= 100.0 || bytes == 0.0 && memory == 0.0 && cores == 0.0 => {}
        Compute::Share(share) if within(f64::from(share.thousandths()) / 1000.0, cores) => {}
        Compute::Share(_) => return Err("a larger share of compute than was written"),
    }
    if ask.isolation == Isolation::Exclusive && ask.compute.reserved != Compute::WHOLE {
        return Err("a device alone, but only a part of its engine");
    }
    Ok(())
}
