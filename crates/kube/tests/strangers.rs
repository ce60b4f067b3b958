//! Whatever a file contains: no panic, and never more than was written.

use cleave_kube::documents::for_each_object;
use cleave_kube::quantity::Quantity;
use cleave_kube::translate::{Outcome, Translator};
use cleave_kube::{Bounds, Settings, render, write};
use cleave_model::{Ask, Compute, Memory};
use proptest::prelude::*;

/// Every golden file, as material to spoil.
fn corpus() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects");
    let mut texts = Vec::new();
    for folder in std::fs::read_dir(root).expect("tests/dialects is there") {
        for file in std::fs::read_dir(folder.expect("a folder").path()).expect("golden files") {
            texts.push(std::fs::read_to_string(file.expect("a file").path()).expect("text"));
        }
    }
    texts.sort();
    texts
}

/// Runs everything a translation runs, on every output.
fn digest(bytes: &[u8], settings: &Settings) -> Vec<Ask> {
    let mut translator = Translator::new(settings.clone());
    let mut reports = Vec::new();
    for_each_object(bytes, Bounds::default(), &mut |found| {
        reports.extend(translator.take("fuzz", found));
        true
    });
    reports.extend(translator.finish());
    let mut asks = Vec::new();
    for report in &reports {
        let _ = (render::table(report), render::json_object(report));
        if let Some(object) = &report.rewritten {
            let _ = (write::yaml(object), write::json(object));
        }
        if let Outcome::Pods(pods) = &report.outcome {
            asks.extend(
                pods.iter().flat_map(|(_, r)| r.iter()).flat_map(|p| p.asks.iter().map(|a| a.ask.clone())),
            );
        }
    }
    asks
}

/// Work must not grow with the square of what a stranger writes. Each of these takes well under a second; a square of
/// them would take minutes.
#[test]
fn large_objects_are_no_burden() {
    let numbered = |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<String>();
    let head = "kind: Pod\nspec:\n  containers:\n";
    let limits = numbered(60_000, &|i| format!("        baidu.com/m{i}_cgpu: 1\n"));
    let wide = format!("{head}  - name: a\n    resources:\n      limits:\n{limits}");
    let sidecars = numbered(30_000, &|i| format!("  - {{name: s{i}, restartPolicy: Always}}\n"));
    let inits = numbered(30_000, &|i| format!("  - {{name: i{i}}}\n"));
    let long = format!("kind: Pod\nspec:\n  initContainers:\n{sidecars}{inits}  containers: []\n");
    let keys = numbered(90_000, &|i| format!("  k{i}: v\n"));
    let merged = format!("kind: Pod\nbase: &b\n{keys}spec:\n  <<: *b\n  containers: []\n");
    for text in [wide, long, merged] {
        assert!(digest(text.as_bytes(), &Settings::default()).is_empty());
    }
}

fn settings(dialect: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set("dialect", dialect).expect("a dialect");
    settings
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn spoilt_files_never_panic(
        pick in any::<prop::sample::Index>(),
        spots in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let corpus = corpus();
        let mut bytes = pick.get(&corpus).clone().into_bytes();
        for (spot, byte) in spots {
            let at = spot.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        digest(&bytes, &Settings::default());
    }

    #[test]
    fn odd_values_never_panic(value in "[-+]?[0-9a-zA-Z.,%\"{}<> ]{0,20}", pick in any::<prop::sample::Index>()) {
        let corpus = corpus();
        let lines: Vec<String> = pick.get(&corpus).lines().map(|line| match line.rsplit_once(": ") {
            Some((key, _)) if line.contains('/') => format!("{key}: '{value}'"),
            _ => line.to_owned(),
        }).collect();
        digest(lines.join("\n").as_bytes(), &Settings::default());
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        digest(&bytes, &Settings::default());
    }

    /// Sizes as they come, in dialects of every kind of unit: what is understood is at most what is written.
    #[test]
    fn never_more_than_written(number in "[0-9]{1,12}(\\.[0-9]{1,3})?", suffix in "(|k|M|Mi|Gi|m)", count in 1u32..9) {
        let written = format!("{number}{suffix}");
        let Ok(amount) = Quantity::parse(&written) else { return Ok(()) };
        // Dialect, key of the memory, key of the count, bytes per unit.
        let rows = [
            ("hami", "nvidia.com/gpumem", Some("nvidia.com/gpu"), 1u64 << 20),
            ("volcano", "volcano.sh/vgpu-memory", Some("volcano.sh/vgpu-number"), 1 << 20),
            ("gpushare", "aliyun.com/gpu-mem", None, 1 << 30),
            ("ack", "aliyun.com/gpu-mem", None, 1 << 30),
            ("huawei", "volcano.sh/gpu-mem.128Mi", None, 128 << 20),
            ("koordinator", "koordinator.sh/gpu-memory", Some("koordinator.sh/gpu.shared"), 1),
            ("cleave", "cleave.io/memory", Some("cleave.io/gpu"), 1),
        ];
        for (dialect, key, counted, unit) in rows {
            let mut text = format!(
                "kind: Pod\nspec:\n  containers:\n  - name: a\n    resources:\n      limits:\n        {key}: \"{written}\"\n"
            );
            if let Some(counted) = counted {
                text.push_str(&format!("        {counted}: {count}\n"));
            }
            let total = dialect == "koordinator";
            for ask in digest(text.as_bytes(), &settings(dialect)) {
                prop_assert_eq!(ask.count, if counted.is_some() { count } else { 1 });
                let Memory::Mib(mib) = ask.memory.ceiling else {
                    // The whole device only where nothing was written.
                    prop_assert!(amount.is_zero());
                    continue;
                };
                let slices = if total { u128::from(count) } else { 1 };
                let bytes = (u128::from(mib) * slices) << 20;
                // In thousandths, so that fractions count.
                let (thousandths, _) = amount.as_thousandths().unwrap_or((u64::MAX, false));
                prop_assert!(bytes * 1000 <= (u128::from(thousandths) + 1) * u128::from(unit), "{dialect} {written} {mib}");
            }
        }
    }

    #[test]
    fn shares_are_never_more_than_written(percent in 0u32..400, dialect in 0usize..4) {
        let (name, key, rest) = [
            ("hami", "nvidia.com/gpucores", "nvidia.com/gpu: 1\n        nvidia.com/gpumem: 100"),
            ("volcano", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-number: 1\n        volcano.sh/vgpu-memory: 100"),
            ("qgpu", "tke.cloud.tencent.com/qgpu-core", "tke.cloud.tencent.com/qgpu-memory: 1"),
            ("koordinator", "koordinator.sh/gpu-core", "koordinator.sh/gpu-memory: 1Gi"),
        ][dialect];
        let text = format!(
            "kind: Pod\nspec:\n  containers:\n  - name: a\n    resources:\n      limits:\n        {key}: {percent}\n        {rest}\n"
        );
        for ask in digest(text.as_bytes(), &settings(name)) {
            let Compute::Share(share) = ask.compute.reserved else { panic!("a share") };
            prop_assert!(u64::from(share.thousandths()) * u64::from(ask.count) <= u64::from(percent) * 1000);
        }
    }
}
