//! Programs of tenants, started together: each through the command of the system that manages it, all from one beginning to one end.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cleave_ledger::clock::now_ns;

use super::ground::{Cpu, Ground};
use super::load::Load;
use super::record::{self, Calibration, Done, Meeting, Span};
use super::windows::Slip;
use crate::node;

/// Whoever a tenant is, and what it asks for.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub name: String,
    /// In percent; 0 for one that takes only what is left.
    pub share: u32,
    pub policy: String,
    pub latency: bool,
    pub does: Does,
    /// Whether the system under test manages it.
    pub managed: bool,
}

/// What a tenant runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    Load(Load),
    /// A command for the shell that prints a line for each piece of work.
    Program(String),
}

/// How workers are started.
pub struct Starter {
    pub ground: Ground,
    /// The system under test; None for Cleave.
    pub template: Option<String>,
    /// What starts a worker that nobody manages; None to start it directly.
    pub bare: Option<String>,
    pub device: Option<String>,
    pub calibration: Option<Calibration>,
    runs: u32,
}

/// What came out of one run.
pub struct Outcome {
    pub span: Span,
    /// Of each tenant, in their order.
    pub done: Vec<Vec<Done>>,
    pub slip: Slip,
    /// CPU time of the bench's own daemon.
    pub daemon: Option<Cpu>,
}

impl Outcome {
    /// The span without its beginning, in which tenants and their limits find their way.
    pub fn settled(&self, warm_ns: u64) -> Span {
        Span { start: (self.span.start + warm_ns).min(self.span.end), ..self.span }
    }
}

/// A tenant that runs; killed if nobody waits for its end.
struct Running {
    name: String,
    child: Child,
    /// Lines of a program, as they come.
    lines: Option<Arc<Mutex<Vec<Done>>>>,
    /// Names of its workers.
    workers: Vec<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.lines.is_some() {
            // The shell may have started the program as a child of its own.
            let group = format!("-{}", self.child.id());
            let _gone_is_fine =
                Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
        }
        let _gone_is_fine = self.child.kill();
        let _gone_is_fine = self.child.wait();
    }
}

const PATIENCE_NS: u64 = 60_000_000_000;

impl Starter {
    pub fn new(
        ground: Ground,
        template: Option<String>,
        bare: Option<String>,
        device: Option<String>,
    ) -> Starter {
        Starter { ground, template, bare, device, calibration: None, runs: 0 }
    }

    /// Measures how kernels grow, on a device that nobody else uses.
    pub fn calibrate(&mut self) -> Result<Calibration> {
        let meeting = self.meeting()?;
        let tenant = Tenant {
            name: "calibration".into(),
            share: 100,
            policy: "burst".into(),
            latency: false,
            does: Does::Load(Load::default()),
            managed: false,
        };
        let words = vec!["--calibrate".into()];
        let mut running = self.start(&tenant, &meeting, 1, words)?;
        let until = now_ns() + PATIENCE_NS;
        while !meeting.calibration().is_file() {
            running.check(&meeting, until, "measured its kernels")?;
        }
        let text = fs::read_to_string(meeting.calibration())?;
        let calibration: Calibration = serde_json::from_str(&text)?;
        let _its_end_is_not_ours = running.child.wait();
        self.calibration = Some(calibration.clone());
        Ok(calibration)
    }

    /// Lets tenants work beside each other for so long; `during` is asked now and then, with the time since the beginning.
    pub fn run(
        &mut self,
        tenants: &[Tenant],
        length_ns: u64,
        mut during: impl FnMut(u64) -> Result<()>,
    ) -> Result<Outcome> {
        let meeting = self.meeting()?;
        let calibration = self.calibration.as_ref().context("nothing is calibrated")?;
        record::put(&meeting.calibration(), &serde_json::to_string(calibration)?)?;
        let mut running = Vec::new();
        for tenant in tenants {
            running.push(self.start(tenant, &meeting, tenants.len(), tenant.words())?);
        }
        let until = now_ns() + PATIENCE_NS;
        for tenant in &mut running {
            while !tenant.is_ready(&meeting) {
                tenant.check(&meeting, until, "got ready")?;
            }
        }
        // Time for everybody to read it.
        let start = now_ns() + 100_000_000;
        let span = Span { start, end: start + length_ns };
        record::put(&meeting.go(), &serde_json::to_string(&span)?)?;
        let cpu = self.ground.daemon_cpu();
        let mut slip = Slip::default();
        while now_ns() < span.end {
            slip.0.extend(self.ground.slip_ns().map(|stood| (now_ns(), stood)));
            during(now_ns().saturating_sub(span.start))?;
            std::thread::sleep(Duration::from_millis(5));
        }
        slip.0.extend(self.ground.slip_ns().map(|stood| (now_ns(), stood)));
        let used = self.ground.daemon_cpu().zip(cpu).map(|(after, before)| Cpu {
            all_ns: after.all_ns.saturating_sub(before.all_ns),
            arbiters_ns: after.arbiters_ns.saturating_sub(before.arbiters_ns),
        });
        let until = now_ns() + PATIENCE_NS;
        let mut done = Vec::new();
        for tenant in &mut running {
            done.push(tenant.finish(&meeting, until)?);
        }
        drop(running);
        fs::remove_dir_all(meeting.folder())?;
        Ok(Outcome { span, done, slip, daemon: used })
    }

    fn meeting(&mut self) -> Result<Meeting> {
        self.runs += 1;
        let folder = self.ground.folder().join(format!("run-{}", self.runs));
        fs::create_dir(&folder)?;
        Ok(Meeting::at(folder))
    }

    /// Starts a tenant's program, with the words of a worker.
    fn start(&self, tenant: &Tenant, meeting: &Meeting, count: usize, words: Vec<String>) -> Result<Running> {
        let program = match &tenant.does {
            Does::Program(command) => vec!["sh".to_string(), "-c".into(), command.clone()],
            Does::Load(_) => {
                let mut program = vec![node::myself().display().to_string(), "bench".into(), "worker".into()];
                program.extend(["--dir".into(), meeting.folder().display().to_string()]);
                program.extend(["--name".into(), tenant.name.clone()]);
                program.extend(words);
                program
            }
        };
        let template = if tenant.managed { &self.template } else { &self.bare };
        let mut command = match template {
            Some(template) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(fill(template, tenant, &program, meeting.folder()));
                command
            }
            None if tenant.managed => {
                let mut command = Command::new(node::myself());
                command.args(self.run_words(tenant, count)).arg("--").args(&program);
                command
            }
            None => {
                let mut command = Command::new(&program[0]);
                command.args(&program[1..]);
                command
            }
        };
        self.ground.around(&mut command, tenant.managed && self.template.is_none());
        let is_program = matches!(tenant.does, Does::Program(_));
        command.stdin(Stdio::null()).stderr(File::create(errors(meeting, &tenant.name))?);
        command.stdout(if is_program { Stdio::piped() } else { Stdio::null() });
        if is_program {
            // Of its own, to be ended whole. Should the bench itself be ended, its next line has no reader and ends it.
            command.process_group(0);
        }
        let mut child =
            command.spawn().with_context(|| format!("cannot start the command of tenant {}", tenant.name))?;
        let lines = child.stdout.take().map(|output| {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let notes = lines.clone();
            std::thread::spawn(move || {
                for _line in BufReader::new(output).lines().map_while(Result::ok) {
                    let at = now_ns();
                    notes.lock().unwrap_or_else(PoisonError::into_inner).push(Done { from: 0, at, work: 1 });
                }
            });
            lines
        });
        let workers = match &tenant.does {
            Does::Load(load) => (0..load.processes).map(|part| format!("{}-{part}", tenant.name)).collect(),
            Does::Program(_) => Vec::new(),
        };
        Ok(Running { name: tenant.name.clone(), child, lines, workers })
    }

    fn run_words(&self, tenant: &Tenant, count: usize) -> Vec<String> {
        // Memory is not what is measured here: everybody gets some.
        let memory = format!("{}%", (80 / count.max(1)).max(1));
        let mut words = vec!["run".into(), "--name".into(), tenant.name.clone(), "--mem".into(), memory];
        // Until the daemon has seen that the tenants of the run before have ended.
        words.extend(["--wait".into(), "--policy".into(), tenant.policy.clone()]);
        if tenant.share > 0 {
            words.extend(["--compute".into(), tenant.share.to_string()]);
        }
        if tenant.latency {
            words.push("--latency".into());
        }
        if let Some(device) = &self.device {
            words.extend(["--device".into(), device.clone()]);
        }
        words
    }
}

impl Tenant {
    fn words(&self) -> Vec<String> {
        match &self.does {
            Does::Load(load) => vec!["--load".into(), load.to_string()],
            Does::Program(_) => Vec::new(),
        }
    }
}

impl Running {
    fn is_ready(&self, meeting: &Meeting) -> bool {
        match &self.lines {
            Some(lines) => !lines.lock().unwrap_or_else(PoisonError::into_inner).is_empty(),
            None => self.workers.iter().all(|worker| meeting.ready(worker).is_file()),
        }
    }

    /// Waits a little; an error if the program has ended, or has had its time.
    fn check(&mut self, meeting: &Meeting, until: u64, what: &str) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            // It may have done what we wait for just before its end.
            if status.success() && now_ns() < until {
                std::thread::sleep(Duration::from_millis(5));
                return Ok(());
            }
            bail!(
                "the command of tenant {} ended with {status} before it {what}{}",
                self.name,
                self.said(meeting)
            );
        }
        if now_ns() > until {
            bail!(
                "tenant {} has not {what} in {} s{}",
                self.name,
                PATIENCE_NS / 1_000_000_000,
                self.said(meeting)
            );
        }
        std::thread::sleep(Duration::from_millis(5));
        Ok(())
    }

    /// What it did, when it has ended.
    fn finish(&mut self, meeting: &Meeting, until: u64) -> Result<Vec<Done>> {
        if let Some(lines) = &self.lines {
            return Ok(lines.lock().unwrap_or_else(PoisonError::into_inner).clone());
        }
        let mut all = Vec::new();
        for worker in self.workers.clone() {
            while !meeting.done(&worker).is_file() {
                self.check(meeting, until, "wrote what it had done")?;
            }
            all.extend(record::read(&meeting.done(&worker))?);
        }
        all.sort_by_key(|done| done.at);
        Ok(all)
    }

    fn said(&self, meeting: &Meeting) -> String {
        let text = fs::read_to_string(errors(meeting, &self.name)).unwrap_or_default();
        if text.trim().is_empty() {
            ", and said nothing".into()
        } else {
            format!("; it said:\n{}", text.trim_end())
        }
    }
}

fn errors(meeting: &Meeting, tenant: &str) -> std::path::PathBuf {
    meeting.folder().join(format!("{tenant}.err"))
}

/// A template with its words filled in, for the shell.
fn fill(template: &str, tenant: &Tenant, program: &[String], folder: &Path) -> String {
    let worker: Vec<String> = program.iter().map(|word| quoted(word)).collect();
    let share = tenant.share.to_string();
    let policy = if tenant.latency { "latency" } else { &tenant.policy };
    // The worker last: what it holds is not to be filled in again.
    let words = [("{share}", share.as_str()), ("{policy}", policy), ("{name}", &tenant.name)];
    let filled = words.iter().fold(template.to_string(), |text, (word, value)| text.replace(word, value));
    let filled = filled.replace("{dir}", &quoted(&folder.display().to_string()));
    filled.replace("{worker}", &worker.join(" "))
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.,=+:%".contains(&byte));
    if plain { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_for_a_shell() {
        let tenant = Tenant {
            name: "a".into(),
            share: 30,
            policy: "burst".into(),
            latency: false,
            does: Does::Load(Load::default()),
            managed: true,
        };
        let program = ["/x y/cleave".to_string(), "it's".into(), "{share}".into()];
        let filled = fill(
            "docker run --share {share} -v {dir}:{dir} img {worker}",
            &tenant,
            &program,
            Path::new("/d"),
        );
        assert_eq!(filled, "docker run --share 30 -v /d:/d img '/x y/cleave' 'it'\\''s' '{share}'");
        let latency = Tenant { latency: true, ..tenant };
        assert_eq!(fill("{policy} {name}", &latency, &program, Path::new("/d")), "latency a");
    }
}
