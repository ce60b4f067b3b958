//! Each monitor runs while two processes compute, and is checked against what those hold and do.

use crate::bench::worker::Worker;
use crate::clients::{self, on_softgpu, source};
use crate::dist::Dist;
use crate::install::{self, Venv};
use crate::tmux::Tmux;
use crate::{run, unpack};
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What the two hold, and what a context costs on their device, in MiB.
const HELD: [u64; 2] = [300, 100];
const CONTEXT: u64 = 32;

/// Utilisation is that of the last full second; on a loaded machine it may take some until both have computed in it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The vendor's monitor, as Debian ships it: downloaded and unpacked, not installed.
pub fn smi() -> Result<PathBuf> {
    unpack::debian("nvidia-smi", "usr/lib/nvidia/current/nvidia-smi")
}

/// Two processes that compute, each with the memory it holds, and who their device is.
struct Pair<'a> {
    dist: &'a Dist,
    workers: Vec<Worker>,
    name: String,
    pci: String,
    uuid: String,
}

impl<'a> Pair<'a> {
    fn start(dist: &'a Dist) -> Result<Self> {
        clients::fresh_device(dist)?;
        std::fs::write(clients::device_folder().join("config.toml"), format!("context = \"{CONTEXT}M\"\n"))?;
        let mut pair =
            Self { dist, workers: Vec::new(), name: String::new(), pci: String::new(), uuid: String::new() };
        for mib in HELD {
            let mut python = on_softgpu("python3", dist);
            let mut worker = Worker::start(python.arg(source("nvml_worker.py")).arg(mib.to_string()))?;
            for (word, text) in [("name", &mut pair.name), ("pci", &mut pair.pci), ("uuid", &mut pair.uuid)] {
                *text = worker.text(word)?;
            }
            worker.wait_for("ready")?;
            pair.workers.push(worker);
        }
        Ok(pair)
    }

    /// Process ids, each with the MiB that a monitor should show for it.
    fn shown(&self) -> Vec<(u32, u64)> {
        self.workers.iter().map(Worker::id).zip(HELD.map(|mib| mib + CONTEXT)).collect()
    }

    /// Both have computed right up to now.
    fn end(mut self) -> Result<()> {
        self.workers.iter_mut().try_for_each(Worker::end)
    }

    fn smi(&self, words: &[&str]) -> Result<String> {
        run::quiet(on_softgpu(smi()?, self.dist).args(words))
    }
}

/// nvidia-smi in all the ways people run it.
pub fn nvidia_smi(dist: &Dist) -> Result<String> {
    install::program("python3", "python3")?;
    let pair = Pair::start(dist)?;
    let used: u64 = pair.shown().iter().map(|(_, mib)| mib).sum();
    let gpu = until("the device is busy", || {
        let text =
            pair.smi(&["--query-gpu=name,memory.used,utilization.gpu", "--format=csv,noheader,nounits"])?;
        let fields: Vec<&str> = text.trim().split(", ").collect();
        let [name, memory, gpu] = fields.as_slice() else { bail!("not three fields: {text}") };
        ensure!(*name == pair.name && *memory == used.to_string(), "{text}");
        Ok(Some(gpu.parse::<u32>()?).filter(|gpu| *gpu >= 50))
    })?;

    let list = pair.smi(&["-L"])?.to_lowercase().replace('-', "");
    ensure!(list.contains(&pair.name.to_lowercase()) && list.contains(&pair.uuid), "{list}");
    let screen = pair.smi(&[])?;
    ensure!(screen.contains(&format!("{used}MiB")) && screen.contains(&pair.name), "{screen}");
    let report = pair.smi(&["-q"])?;
    let apps = pair.smi(&["--query-compute-apps=pid,used_memory,name", "--format=csv,noheader,nounits"])?;
    for (pid, mib) in pair.shown() {
        let line = |text: &str, words: &[String]| {
            text.lines().any(|line| words.iter().all(|word| line.split(' ').any(|part| part == word)))
        };
        ensure!(line(&screen, &[pid.to_string(), format!("{mib}MiB")]), "{pid} {mib}:\n{screen}");
        ensure!(line(&report, &["Process".into(), "ID".into(), pid.to_string()]), "{pid}:\n{report}");
        ensure!(line(&report, &["Used".into(), mib.to_string(), "MiB".into()]), "{mib}:\n{report}");
        ensure!(
            apps.lines().any(|line| line.starts_with(&format!("{pid}, {mib}, "))),
            "{pid} {mib}:\n{apps}"
        );
        ensure!(apps.contains("python"), "{apps}");
    }
    let watched = pair.smi(&["dmon", "-c", "1"])?;
    ensure!(row(&watched).get(4).is_some_and(|sm| sm.parse().is_ok_and(|sm: u32| sm > 0)), "{watched}");
    until("each process shows its share", || {
        let shares = pair.smi(&["pmon", "-c", "1"])?;
        let busy = |pid: &str| {
            let mut rows = shares.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            rows.any(|row| {
                row.get(1) == Some(&pid)
                    && row.get(3).is_some_and(|sm| sm.parse().is_ok_and(|sm: u32| sm > 0))
            })
        };
        Ok(pair.shown().iter().all(|(pid, _)| busy(&pid.to_string())).then_some(()))
    })?;
    pair.end()?;
    Ok(format!("{used} MiB and {gpu} % shown"))
}

/// The last row of a table, in columns.
fn row(table: &str) -> Vec<&str> {
    table
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .map_or_else(Vec::new, |line| line.split_whitespace().collect())
}

/// nvidia-ml-py, which checks by itself.
pub fn nvidia_ml_py(dist: &Dist) -> Result<String> {
    let pair = Pair::start(dist)?;
    let mut python = on_softgpu(Venv::monitors()?.python(), dist);
    python.arg(source("nvml_client.py")).args([&pair.name, &pair.uuid, &pair.pci, &CONTEXT.to_string()]);
    python.args(pair.workers.iter().zip(HELD).map(|(worker, mib)| format!("{}:{mib}", worker.id())));
    let line = clients::last_line(&mut python)?;
    pair.end()?;
    Ok(line)
}

/// nvtop, on a terminal that nobody looks at but us.
pub fn nvtop(dist: &Dist) -> Result<String> {
    let program = unpack::debian("nvtop", "usr/bin/nvtop")?;
    let pair = Pair::start(dist)?;
    let terminal = Tmux::start(&on_softgpu(program, dist), 160, 50)?;
    let shows = |screen: &str, (pid, mib): (u32, u64)| {
        let line = screen.lines().find(|line| line.split_whitespace().next() == Some(&pid.to_string()))?;
        // Its columns are named in a line above: utilisation stands before memory.
        let (before, _) = line.split_once(&format!("{mib}MiB"))?;
        let percent = before.split_whitespace().last()?.strip_suffix('%')?;
        percent.parse::<u32>().ok().filter(|percent| *percent > 0)
    };
    let shares = until("nvtop shows both processes", || {
        let screen = terminal.screen()?;
        let named = screen.contains(&pair.name);
        let shares: Option<Vec<u32>> =
            pair.shown().into_iter().map(|process| shows(&screen, process)).collect();
        Ok(shares.filter(|_| named))
    })
    .with_context(|| terminal.screen().unwrap_or_default())?;
    pair.end()?;
    Ok(format!("{} % and {} % shown", shares[0], shares[1]))
}

/// Asks again until there is an answer, or it has taken too long.
fn until<T>(what: &str, ask: impl Fn() -> Result<Option<T>>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        ensure!(started.elapsed() < PATIENCE, "{what}: not within {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(200));
    }
}
