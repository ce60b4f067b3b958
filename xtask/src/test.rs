use crate::install;
use crate::steps::Steps;
use crate::{api, clients, clients_nvml, clients_tenant, deps, dist, fuzz, licences, paths, run, tenancy};
use anyhow::Result;
use std::cell::OnceCell;
use std::path::Path;
use std::process::Command;

/// Runs everything: what CI runs and what a developer runs before a push.
pub fn run(only: Option<&str>) -> Result<()> {
    let built = OnceCell::new();
    let dist = || match built.get() {
        Some(dist) => Ok(dist),
        None => dist::build().map(|dist| built.get_or_init(|| dist)),
    };
    let mut steps = Steps::default();
    steps.add("format", || cargo(&["fmt", "--all", "--check"]));
    steps.add("lints", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
    });
    steps.add("layers", || deps::check().map(|_| String::new()));
    steps.add("licences", licences::check);
    steps.add("unit and integration tests", unit_tests);
    steps.add("api docs are current", || api_step(&["docs", "--check"]));
    steps.add("api rows agree with the header", || api_step(&["check"]));
    steps.add("dist", || dist().map(|dist| dist.root.display().to_string()));
    steps.add("libcuda needs an old glibc only", || dist::audit(&dist()?.libcuda()));
    steps.add("libnvidia-ml needs an old glibc only", || dist::audit(&dist()?.libnvml()));
    steps.add("libcleave needs an old glibc only", || dist::audit(&dist()?.libcleave()));
    steps.add("cleave needs an old glibc only", || dist::audit(&dist()?.cleave()));
    steps.add("libcuda exports the rows", || exports(&dist()?.libcuda()));
    steps.add("libnvidia-ml exports the rows", || exports(&dist()?.libnvml()));
    steps.add("libcleave exports what has logic", || dist::shim_exports(&dist()?.libcleave()));
    let pair = |one: Command, other: Command| clients::together(dist()?, [one, other]);
    steps.add("clients together: C with clang's PTX, cudarc", || {
        pair(clients::c(dist()?)?, clients::cudarc(dist()?)?)
    });
    steps.add("clients together: tinygrad's own PTX renderer, numba-cuda", || {
        pair(clients::tinygrad(dist()?, "CUDA:PTX")?, clients::numba(dist()?)?)
    });
    steps.add("clients together: tinygrad by NVRTC, taichi", || {
        pair(clients::tinygrad(dist()?, "CUDA")?, clients::taichi(dist()?)?)
    });
    use tenancy::Turns::{Measured, OneByOne, SideBySide};
    let tenancy: [(&str, &[&str], tenancy::Turns); 9] = [
        ("tenancy: look-up and memory", &["lookup", "memory"], SideBySide),
        (
            "tenancy: manners, identity, the vendor's libraries",
            &["manners", "nvml", "variables", "instances", "dropin", "vendor"],
            SideBySide,
        ),
        ("tenancy: the daemon and its grants", &["daemon", "grants", "storm"], SideBySide),
        (
            "tenancy: run, embedded, doctor, top",
            &["run", "run_as_others", "embedded", "doctor", "top"],
            SideBySide,
        ),
        ("tenancy: commands at a gate", &["compute"], Measured),
        ("tenancy: kernels that meet behind a gate", &["collectives"], OneByOne),
        ("tenancy: shares and faults", &["shares", "faults"], Measured),
        ("tenancy: pauses, memory that moves", &["suspend", "movable"], OneByOne),
        ("tenancy: the benchmark of shares", &["bench_share"], OneByOne),
    ];
    for (name, files, turns) in tenancy {
        steps.add(name, move || tenancy::run(dist()?, files, turns));
    }
    steps.add("clients as tenants: unchanged", || {
        let dist = dist()?;
        let all = [
            clients::c(dist)?,
            clients::cudarc(dist)?,
            clients::numba(dist)?,
            clients::taichi(dist)?,
            clients::tinygrad(dist, "CUDA")?,
            clients::tinygrad(dist, "CUDA:PTX")?,
        ];
        clients_tenant::unchanged(dist, &all)
    });
    steps.add("clients as tenants: too little memory", || {
        let dist = dist()?;
        let all = [clients::numba(dist)?, clients::tinygrad(dist, "CUDA:PTX")?, clients::taichi(dist)?];
        let errors = all.into_iter().map(|mut client| clients_tenant::too_little(dist, &mut client));
        Ok(errors.collect::<Result<Vec<String>>>()?.join("; "))
    });
    steps.add("monitor: nvidia-smi", || clients_nvml::nvidia_smi(dist()?));
    steps.add("monitor: nvidia-ml-py", || clients_nvml::nvidia_ml_py(dist()?));
    steps.add("monitor: nvtop", || clients_nvml::nvtop(dist()?));
    steps.add("fuzz: PTX parser", || fuzz::ptx_parse(100_000));
    steps.add("fuzz: fatbin reader", || fuzz::fatbin_read(500_000));
    steps.add("fuzz: files of a slot", || fuzz::slot_files(20_000));
    steps.add("fuzz: requests to the daemon", || fuzz::node_requests(10_000));
    steps.add("fuzz: manifests", || fuzz::kube_read(20_000));
    steps.add("fuzz: amounts in manifests", || fuzz::kube_amounts(200_000));
    steps.run(only)
}

fn cargo(words: &[&str]) -> Result<String> {
    run::quiet(Command::new("cargo").args(words).current_dir(paths::root())).map(|_| String::new())
}

/// The differential tests compile kernels with clang: it must be there before they run.
fn unit_tests() -> Result<String> {
    install::program("gcc", "build-essential")?;
    install::program("clang", "clang")?;
    let text = run::quiet(
        Command::new("cargo").args(["test", "--workspace", "--quiet"]).current_dir(paths::root()),
    )?;
    let passed: u32 = text
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u32>().ok())
        .sum();
    anyhow::ensure!(passed > 0, "cargo test ran no test:\n{text}");
    // A test that needs a right it does not have says so; it counted as passed above.
    let skipped: String = text
        .lines()
        .filter_map(|line| line.find("skipped: ").map(|at| format!("\n     {}", &line[at..])))
        .collect();
    Ok(format!("{passed} tests{skipped}"))
}

fn exports(library: &Path) -> Result<String> {
    api_step(&["check", "--driver", &library.to_string_lossy()])
}

fn api_step(words: &[&str]) -> Result<String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
    api::main(&words).map_err(anyhow::Error::msg)?;
    Ok(String::new())
}
