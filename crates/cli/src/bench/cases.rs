//! The cases: what is run, and what is made of it.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::asked::{Asked, Resize};
use super::cores::Cores;
use super::load::Load;
use super::record::{Done, Span};
use super::report::{GiveBack, Latency, Overhead, Report, Solo, TenantReport};
use super::share::{Case, name};
use super::tenants::{Does, Outcome, Starter, Tenant};
use super::windows::{Errors, SHORT_NS, median, percentile, rate, return_ns, train_rate, windows};
use crate::node;

const SECOND: u64 = 1_000_000_000;
/// Before limits are expected to hold, kernels are learnt.
const WARM_NS: u64 = SECOND;
/// A load alone: long enough for a rate to a tenth of a percent.
const SOLO_NS: u64 = 1_700_000_000;
/// Parts of it, of which the median is taken: a moment in which the machine did something else is not the device's rate.
const PARTS: u64 = 9;
/// Rates of whole runs are in time of the device, so that it may stand for a while; but then the host is late with all it does.
const BEARABLE_SLIP: f64 = 0.05;
/// As often as a run is done again because the software GPU's clock stood.
const TRIES: u32 = 4;
/// Points that a share may be off: in 1 s the smaller of these and a fifth of what was asked, in 100 ms these.
const POINTS_LONG: f64 = 1.5;
const POINTS_SHORT: f64 = 5.0;
/// The same in 1 s for tenants that only copy.
const POINTS_COPY: f64 = 5.0;
/// Kernels of a long window.
const KERNELS: u64 = 200;
/// A request of so much GPU time is held to a tenth more of it.
const LONG_REQUEST_NS: u64 = 10_000_000;
/// What best effort may have in flight, if that is more than two of its commands; and how long the device takes to go to another.
const IN_FLIGHT_NS: u64 = 2_000_000;
const SWITCH_NS: u64 = 50_000;
/// Percent of the cores that the host may take before it is said.
const TAKEN: f64 = 0.5;

pub struct Bench {
    pub report: Report,
    pub starter: Starter,
    pub shares: Vec<u32>,
    pub policy: String,
    pub does: Vec<Does>,
    pub resizes: Vec<Resize>,
    pub set_command: Option<String>,
    /// Whether there is a system under test.
    pub managed: bool,
    pub length_ns: u64,
    /// Kernels in a request of a latency tenant.
    pub request: usize,
}

impl Bench {
    pub fn measure(&mut self, wanted: impl Fn(Case) -> bool) -> Result<()> {
        let cores = Cores::read();
        self.solos()?;
        if wanted(Case::Overhead) && self.managed {
            self.overhead()?;
        }
        if wanted(Case::Shares) || wanted(Case::Sum) {
            self.shares(wanted(Case::Sum))?;
        }
        if wanted(Case::GiveBack) {
            self.give_back()?;
        }
        if wanted(Case::Latency) {
            self.latency()?;
        }
        self.drift()?;
        let Report { runs_repeated, windows_left_out, .. } = self.report;
        if runs_repeated > 0 || windows_left_out > 0 {
            self.report.remarks.push(format!(
                "the software GPU's clock stood for more than 1 % of some windows, because this machine was busy: {runs_repeated} runs were \
                 done again, {windows_left_out} windows of 1 s are left out"
            ));
        }
        let taken = cores.zip(Cores::read()).map(|(then, now)| now.taken_since(then));
        self.report.host_took_percent = taken;
        if let Some(taken) = taken.filter(|taken| *taken >= TAKEN) {
            self.report.remarks.push(format!(
                "the host of this machine took {taken:.1} % of its cores meanwhile: tenants that are not let run cannot have their share"
            ));
        }
        Ok(())
    }

    fn tenant(&self, index: usize, share: u32, does: Does) -> Tenant {
        let (name, policy) = (name(index), self.policy.clone());
        Tenant { name, share, policy, latency: false, does, managed: self.managed }
    }

    /// What a load does alone, under nobody.
    fn alone(does: &Does) -> Tenant {
        let does = match does {
            Does::Load(load) => Does::Load(Load { on: 0, off: 0, ..load.clone() }),
            program => program.clone(),
        };
        let (name, policy) = ("alone".into(), "burst".into());
        Tenant { name, share: 100, policy, latency: false, does, managed: false }
    }

    /// A run in which the device's clock went on; after some tries, whatever came out last.
    fn steady(&mut self, tenants: &[Tenant], length_ns: u64) -> Result<Outcome> {
        for last in 1..=TRIES {
            let outcome = self.starter.run(tenants, length_ns, |_| Ok(()))?;
            if outcome.slip.is_below(BEARABLE_SLIP, outcome.span) || last == TRIES {
                return Ok(outcome);
            }
            self.report.runs_repeated += 1;
        }
        bail!("no run at all")
    }

    /// Work a second of one tenant by itself.
    fn rate_of(&mut self, tenant: Tenant, length_ns: u64) -> Result<f64> {
        let outcome = self.steady(&[tenant], length_ns)?;
        let settled = outcome.settled(length_ns / 8);
        let rate = |span: Span| train_rate(&outcome.done[0], span, &outcome.slip);
        let parts = windows(settled, (settled.end - settled.start) / PARTS).into_iter();
        let parts: Option<Vec<f64>> = parts.map(rate).collect();
        // Of lines or kernels that are too few for that, all are taken together.
        let rate = parts.map(|mut parts| median(&mut parts)).or_else(|| rate(settled));
        rate.context("a tenant alone on the device got nothing done")
    }

    fn solos(&mut self) -> Result<()> {
        for does in self.does.clone() {
            let alone = Bench::alone(&does);
            let load = shown(&alone.does);
            if self.report.solo.iter().all(|solo| solo.load != load) {
                let before = self.rate_of(alone, SOLO_NS)?;
                self.report.solo.push(Solo {
                    load,
                    unit: unit(&does),
                    before,
                    after: None,
                    drift_percent: None,
                });
            }
        }
        Ok(())
    }

    fn solo(&self, does: &Does) -> f64 {
        let load = shown(&Bench::alone(does).does);
        let solo = self.report.solo.iter().find(|solo| solo.load == load);
        solo.map_or(f64::NAN, |solo| solo.before)
    }

    /// The first load again, when everything else is done: a device that has become slower or faster makes all figures doubtful.
    fn drift(&mut self) -> Result<()> {
        let Some(Does::Load(_)) = self.does.first() else { return Ok(()) };
        let after = self.rate_of(Bench::alone(&self.does[0].clone()), SOLO_NS)?;
        let solo = &mut self.report.solo[0];
        let drift = 100.0 * (after / solo.before - 1.0);
        (solo.after, solo.drift_percent) = (Some(after), Some(drift));
        if drift.abs() > 2.0 {
            self.report
                .remarks
                .push(format!("the device alone does {drift:+.1} % at the end: these figures are doubtful"));
        }
        Ok(())
    }

    /// Managed and bare in turns, each pair in the other order than the last: whatever changes meanwhile changes both. Where the processor
    /// sets the pace, a run may be twice as fast as the next of the same program, by how its threads happen to meet; so there are many pairs,
    /// and those count that are in the middle.
    fn overhead(&mut self) -> Result<()> {
        const PAIRS: usize = 24;
        const RUN_NS: u64 = SOLO_NS / 4;
        let bare = Bench::alone(&self.does[0]);
        let managed = Tenant { managed: true, ..bare.clone() };
        let (mut bares, mut manageds) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            if pair % 2 == 0 {
                bares.push(self.rate_of(bare.clone(), RUN_NS)?);
            }
            manageds.push(self.rate_of(managed.clone(), RUN_NS)?);
            if pair % 2 == 1 {
                bares.push(self.rate_of(bare.clone(), RUN_NS)?);
            }
        }
        let overhead = Overhead::of(bares, manageds);
        self.report.at_most("overhead at 100 %", overhead.loss_percent, "%", 1.0);
        self.report.overhead = Some(overhead);
        Ok(())
    }

    fn asked(&self) -> Asked {
        let load = |does: &Does| match does {
            Does::Load(load) => load.clone(),
            Does::Program(_) => Load::default(),
        };
        Asked {
            shares: self.shares.clone(),
            fixed: self.policy == "fixed",
            loads: self.does.iter().map(load).collect(),
            resizes: self.resizes.clone(),
        }
    }

    fn shares(&mut self, sum: bool) -> Result<()> {
        let asked = self.asked();
        let longest = asked.loads.iter().map(Load::longest_ns).max().unwrap_or(0);
        let long_ns = SECOND.max(KERNELS * longest);
        let tenants: Vec<Tenant> =
            (0..self.shares.len()).map(|i| self.tenant(i, self.shares[i], self.does[i].clone())).collect();
        let length = self.length_ns.max(2 * long_ns) + WARM_NS;
        let mut outcome = self.beside(&tenants, length)?;
        let lost = |outcome: &Outcome| {
            let long = windows(outcome.settled(WARM_NS), long_ns);
            (long.iter().filter(|span| !outcome.slip.is_valid(**span)).count(), long.len())
        };
        for _ in 1..TRIES {
            let (left_out, all) = lost(&outcome);
            if left_out * 4 <= all {
                break;
            }
            self.report.runs_repeated += 1;
            let again = self.beside(&tenants, length)?;
            if lost(&again).0 <= left_out {
                outcome = again;
            }
        }
        self.report.windows_left_out = lost(&outcome).0;
        for index in 0..tenants.len() {
            let tenant = self.tenant_report(index, &asked, &outcome, long_ns, longest.max(self.line_ns()));
            self.report.tenants.push(tenant);
        }
        let percent = |ns: u64| 100.0 * ns as f64 / length as f64;
        self.report.daemon_core_percent = outcome.daemon.map(|cpu| percent(cpu.all_ns));
        self.report.arbiters_core_percent = outcome.daemon.map(|cpu| percent(cpu.arbiters_ns));
        let worst = |errors: fn(&TenantReport) -> &Errors| {
            // Of tenants with bounds of their own, the one nearest to it or farthest beyond.
            let over = |tenant: &&TenantReport| errors(tenant).worst / errors(tenant).allowed;
            self.report
                .tenants
                .iter()
                .max_by(|a, b| over(a).total_cmp(&over(b)))
                .map(|tenant| *errors(tenant))
        };
        let (long, short) = (worst(|tenant| &tenant.long), worst(|tenant| &tenant.short));
        if let Some(long) = long {
            self.report.at_most(
                &format!("shares in {} s", long.window_s),
                long.worst,
                "points",
                long.allowed,
            );
        }
        let fine =
            longest.max(self.line_ns()) <= SECOND / 1000 && asked.loads.iter().all(|load| load.off == 0);
        if let Some(short) = short.filter(|_| fine) {
            self.report.at_most("shares in 0.1 s", short.worst, "points", short.allowed);
        }
        let total: f64 = self.report.tenants.iter().map(|tenant| tenant.got).sum();
        let due: f64 = self.report.tenants.iter().map(|tenant| tenant.due).sum();
        self.report.sum_percent = Some(total);
        self.report.at_least("sum of all", 100.0 * total / due, "% of due", 97.0);
        if sum && self.managed && self.policy != "fixed" {
            let bare: Vec<Tenant> =
                tenants.into_iter().map(|tenant| Tenant { managed: false, ..tenant }).collect();
            let outcome = self.steady(&bare, (self.length_ns / 2).max(3 * SECOND))?;
            let settled = outcome.settled(WARM_NS);
            let got = |(does, done): (&Does, &Vec<Done>)| {
                100.0 * rate(done, settled, &outcome.slip) / self.solo(does)
            };
            let unmanaged: f64 = self.does.iter().zip(&outcome.done).map(got).sum();
            self.report.unmanaged_sum_percent = Some(unmanaged);
            self.report.at_least("sum against unmanaged", 100.0 * total / unmanaged, "%", 98.0);
        }
        Ok(())
    }

    /// The longest that a program takes for a line: less of its work cannot be seen.
    fn line_ns(&self) -> u64 {
        let programs = self.does.iter().filter(|does| matches!(does, Does::Program(_)));
        programs.map(|does| (1e9 / self.solo(does)) as u64).max().unwrap_or(0)
    }

    /// All tenants, with their resizes on the way.
    fn beside(&mut self, tenants: &[Tenant], length: u64) -> Result<Outcome> {
        let mut left = self.resizes.clone().into_iter().peekable();
        let mut setting: Vec<Child> = Vec::new();
        let commands: Vec<Command> = self.resizes.iter().map(|resize| self.set(resize)).collect();
        let mut commands = commands.into_iter();
        let outcome = self.starter.run(tenants, length, |at| {
            while left.peek().is_some_and(|resize| resize.at <= at) {
                left.next();
                setting.extend(commands.next().map(|mut command| command.spawn()).transpose()?);
            }
            Ok(())
        })?;
        for child in setting {
            let output = child.wait_with_output()?;
            if !output.status.success() {
                bail!("a tenant could not be resized: {}", String::from_utf8_lossy(&output.stderr).trim());
            }
        }
        Ok(outcome)
    }

    fn set(&self, resize: &Resize) -> Command {
        let (tenant, share) = (name(resize.tenant), resize.share.to_string());
        let mut command = match &self.set_command {
            Some(template) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(template.replace("{name}", &tenant).replace("{share}", &share));
                command
            }
            None if self.managed => {
                let mut command = Command::new(node::myself());
                command.args(["set", &tenant, "--compute", &share]);
                command
            }
            None => Command::new("true"),
        };
        self.starter.ground.around(&mut command, true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn tenant_report(
        &self,
        index: usize,
        asked: &Asked,
        outcome: &Outcome,
        long_ns: u64,
        longest: u64,
    ) -> TenantReport {
        let (does, done) = (&self.does[index], &outcome.done[index]);
        let settled = outcome.settled(WARM_NS);
        let since =
            |span: Span| Span { start: span.start - outcome.span.start, end: span.end - outcome.span.start };
        let got = |span: Span| 100.0 * rate(done, span, &outcome.slip) / self.solo(does);
        let errors = |length: u64, points: f64| {
            let valid = windows(settled, length).into_iter().filter(|span| {
                outcome.slip.is_valid(*span) && (length == long_ns || !asked.unsettled(since(*span)))
            });
            let off = valid.map(|span| got(span) - asked.mean_due(index, since(span)));
            Errors::of(off.collect(), length, points + 100.0 * longest as f64 / length as f64)
        };
        let smallest = match asked.loads[index].copy {
            0 => POINTS_LONG.min(asked.share(index, 0) / 5.0),
            _ => POINTS_COPY,
        };
        let steps = windows(outcome.span, SHORT_NS);
        // Lines are few in so short a time: of a program a second is shown, around each step.
        let around = if matches!(does, Does::Program(_)) { (SECOND - SHORT_NS) / 2 } else { 0 };
        let wider = |span: &Span| Span {
            start: (span.start - around).max(outcome.span.start),
            end: (span.end + around).min(outcome.span.end),
        };
        let timeline =
            steps.iter().map(|span| if outcome.slip.is_valid(*span) { got(wider(span)) } else { f64::NAN });
        TenantReport {
            name: name(index),
            load: shown(does),
            asked: asked.share(index, 0),
            due: asked.mean_due(index, since(settled)),
            got: got(settled),
            long: errors(long_ns, smallest),
            short: errors(SHORT_NS, POINTS_SHORT),
            timeline: timeline.collect(),
            asked_timeline: steps.iter().map(|span| asked.share(index, since(*span).start)).collect(),
        }
    }

    /// One always works, the other comes and goes: how fast does it have its half again?
    fn give_back(&mut self) -> Result<()> {
        const STEP: u64 = 20_000_000;
        const ON: u64 = 700_000_000;
        const OFF: u64 = 500_000_000;
        const RETURNS: u64 = 5;
        /// A step is short beside a turn: four fifths of the share in it are the share.
        const ENOUGH: f64 = 0.8;
        let Some(Does::Load(load)) =
            self.does.iter().find(|does| matches!(does, Does::Load(load) if load.copy == 0)).cloned()
        else {
            return Ok(());
        };
        let load = Load { on: 0, off: 0, ..load };
        let solo = self.solo(&Does::Load(load.clone()));
        let comes = Load { on: ON, off: OFF, ..load.clone() };
        let tenants = [self.tenant(0, 50, Does::Load(load.clone())), self.tenant(1, 50, Does::Load(comes))];
        let outcome = self.steady(&tenants, (ON + OFF) * RETURNS + ON)?;
        let begin = |turn: u64| outcome.span.start + turn * (ON + OFF);
        let returns = (1..=RETURNS).map(|turn| {
            return_ns(&outcome.done[1], begin(turn), begin(turn) + ON, STEP, solo / 2.0 * ENOUGH)
                .map(|ns| ns as f64 / 1e6)
        });
        let returns: Vec<Option<f64>> = returns.collect();
        // What was queued when it went is still its own for a moment.
        let idle = (0..RETURNS).map(|turn| Span { start: begin(turn) + ON + OFF / 4, end: begin(turn + 1) });
        let mut used: Vec<f64> =
            idle.map(|span| 100.0 * rate(&outcome.done[0], span, &outcome.slip) / solo).collect();
        let mut known: Vec<f64> = returns.iter().map(|value| value.unwrap_or(f64::INFINITY)).collect();
        let back = GiveBack {
            median_ms: median(&mut known),
            worst_ms: percentile(&mut known, 100.0),
            idle_used_percent: median(&mut used),
            returns_ms: returns,
        };
        let kernel_ms = load.longest_ns() as f64 / 1e6;
        self.report.at_most(
            "lent compute is back",
            back.median_ms,
            "ms",
            2.0 * STEP as f64 / 1e6 + kernel_ms,
        );
        self.report.at_least("idle time used", back.idle_used_percent, "%", 98.0);
        self.report.give_back = Some(back);
        Ok(())
    }

    /// Requests by themselves, then beside one that takes whatever is left.
    fn latency(&mut self) -> Result<()> {
        let request = Load { kernels: vec![500_000], request: self.request, percent: 30, ..Load::default() };
        let busy = match &self.does[0] {
            Does::Load(load) if load.copy == 0 => Does::Load(Load { on: 0, off: 0, ..load.clone() }),
            _ => Does::Load(Load::of_kernel(1_000_000)),
        };
        let longest_ns = match &busy {
            Does::Load(load) => load.longest_ns(),
            Does::Program(_) => 0,
        };
        let solo = match self.report.solo.iter().find(|solo| solo.load == shown(&busy)) {
            Some(solo) => solo.before,
            None => self.rate_of(Bench::alone(&busy), SOLO_NS)?,
        };
        let length = (self.length_ns * 3 / 4).max(6 * SECOND);
        let urgent = Tenant { latency: true, ..self.tenant(0, 50, Does::Load(request.clone())) };
        let rest = Tenant { share: 0, policy: "best-effort".into(), ..self.tenant(1, 0, busy) };
        // Another system has no word for taking only what is left.
        let rest = if self.starter.template.is_some() { Tenant { share: 50, ..rest } } else { rest };
        let alone = self.steady(std::slice::from_ref(&urgent), length)?;
        let beside = self.steady(&[urgent, rest], length)?;
        let mut left_out = 0;
        let mut times = |outcome: &Outcome| -> Vec<f64> {
            let settled = outcome.settled(WARM_NS);
            let inside = outcome.done[0].iter().filter(|done| done.from >= settled.start);
            // As with windows: what was asked for while the clock stood measures the machine.
            let (valid, not): (Vec<&Done>, Vec<&Done>) =
                inside.partition(|done| outcome.slip.is_valid(Span { start: done.from, end: done.at }));
            left_out += not.len();
            valid.iter().map(|done| (done.at - done.from) as f64 / 1e6).collect()
        };
        let (mut before, mut after) = (times(&alone), times(&beside));
        let settled = beside.settled(WARM_NS);
        let left = solo - rate(&beside.done[0], settled, &beside.slip);
        let latency = Latency {
            request: format!("{} kernels of 500us, 30 % load", request.request),
            requests: after.len(),
            left_out,
            alone_p50_ms: median(&mut before),
            alone_p99_ms: percentile(&mut before, 99.0),
            beside_p50_ms: median(&mut after),
            beside_p99_ms: percentile(&mut after, 99.0),
            used_percent: 100.0 * rate(&beside.done[1], settled, &beside.slip) / left,
        };
        // Where a request is short, what is in flight when it comes is more than a tenth of it: two commands, or 2 ms of them.
        if request.request_ns() >= LONG_REQUEST_NS {
            let ratio = latency.beside_p99_ms / latency.alone_p99_ms;
            self.report.at_most("p99 beside best effort", ratio, "x alone", 1.10);
        } else {
            let beyond = latency.beside_p99_ms - latency.alone_p99_ms;
            let most = (2 * longest_ns).max(IN_FLIGHT_NS) + SWITCH_NS;
            self.report.at_most("p99 beyond alone", beyond, "ms", most as f64 / 1e6);
        }
        self.report.at_least("best effort gets of what is left", latency.used_percent, "%", 90.0);
        self.report.latency = Some(latency);
        Ok(())
    }
}

fn shown(does: &Does) -> String {
    match does {
        Does::Load(load) => load.to_string(),
        // As people call it: without where it is.
        Does::Program(command) => {
            let words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            words.collect::<Vec<_>>().join(" ")
        }
    }
}

fn unit(does: &Does) -> &'static str {
    match does {
        Does::Program(_) => "lines/s",
        Does::Load(load) if load.copy > 0 => "bytes/s",
        Does::Load(load) if load.kernels.contains(&0) => "kernels/s",
        Does::Load(_) => "ns/s",
    }
}
