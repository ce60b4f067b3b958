//! Shares of compute: the whole matrix in virtual time, then points of it with real processes on the paced software GPU, and where the
//! two do not agree.

use super::{Figure, Target, oversubscription};
use crate::dist::{self, Dist};
use crate::paths;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Percent of the cores that the host may take of a virtual machine before a point is measured again, and how often one is measured.
const TAKEN: f64 = 1.0;
const TRIES: u32 = 3;

/// A point of the matrix that real processes run.
struct Point {
    /// As the virtual matrix calls it, or a name of its own.
    name: String,
    /// For `cleave bench share`.
    words: Vec<String>,
    device: Device,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Paced,
    /// As fast as the processor goes.
    Free,
}

/// What `cleave bench share --json` says that is used here.
#[derive(Deserialize)]
struct Report {
    scores: Vec<Score>,
    daemon_core_percent: Option<f64>,
    arbiters_core_percent: Option<f64>,
    runs_repeated: u32,
    windows_left_out: usize,
    host_took_percent: Option<f64>,
    overhead: Option<Overhead>,
}

#[derive(Deserialize)]
struct Overhead {
    error_percent: f64,
}

#[derive(Deserialize)]
struct Score {
    case: String,
    /// Null where nothing could be measured.
    value: Option<f64>,
    allowed: f64,
    at_most: bool,
    held: bool,
}

/// A row of the matrix in virtual time.
#[derive(Deserialize)]
struct Row {
    case: String,
    what: String,
    got: f64,
    bound: f64,
    least: bool,
    held: bool,
}

pub fn measure(full: bool) -> Result<Vec<Figure>> {
    eprintln!("building …");
    let dist = dist::build()?;
    eprintln!("the matrix in virtual time …");
    let rows = matrix()?;
    let mut figures: Vec<Figure> = rows.iter().map(Row::figure).collect();
    let mut apart = Vec::new();
    let points = points(full);
    for (number, point) in points.iter().enumerate() {
        eprint!("real processes, {} of {}: {} …", number + 1, points.len(), point.name);
        let report = point.measure(&dist)?;
        for score in &report.scores {
            apart.extend(rows.iter().find(|row| row.same(point, score)).and_then(|row| row.differs(score)));
        }
        figures.extend(report.figures(point));
    }
    eprintln!("tenants whose memory does not fit together …");
    figures.extend(oversubscription::measure(&dist)?);
    match apart.len() {
        0 => eprintln!("virtual time and real processes agree wherever both measured the same"),
        _ => apart.iter().for_each(|line| eprintln!("they differ: {line}")),
    }
    Ok(figures)
}

/// The whole matrix: the shim's gate, the arbiter and the device model in one loop.
fn matrix() -> Result<Vec<Row>> {
    let mut cargo = Command::new("cargo");
    cargo.args(["bench", "--quiet", "--package", "cleave-node", "--bench", "share", "--", "--json"]);
    let output = cargo.current_dir(paths::root()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("the matrix ended with {}", output.status);
    }
    let text = String::from_utf8(output.stdout)?;
    let rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<Row>, _>>();
    let rows = rows.context("the matrix printed something else than its rows")?;
    if rows.is_empty() {
        bail!("the matrix printed nothing");
    }
    Ok(rows)
}

/// About a dozen points; `full` adds the corners of the matrix, and time.
fn points(full: bool) -> Vec<Point> {
    let seconds = if full { "20" } else { "4" };
    let point = |name: &str, words: &str| Point {
        name: name.into(),
        words: words.split(' ').map(String::from).chain(["--seconds".into(), seconds.into()]).collect(),
        device: Device::Paced,
    };
    let shares = |name: &str, words: &str| point(name, &format!("--case shares,sum {words}"));
    let mut points = vec![
        shares("[60, 30, 10] kernels of 1 ms", "--shares 60,30,10 --kernel 1ms"),
        shares("[90, 10] kernels of 100 us", "--shares 90,10 --kernel 100us"),
        shares("[50, 50] kernels of 10 ms", "--shares 50,50 --kernel 10ms"),
        shares("[60, 30, 10] kernels of 50 ms", "--shares 60,30,10 --kernel 50ms"),
        shares("[30, 20, 15, 10, 10, 5, 5, 5] kernels of 1 ms", "--shares 30,20,15,10,10,5,5,5 --kernel 1ms"),
        shares("[70, 30] graphs of 10 x 100 us", "--shares 70,30 --load kernel=100us,graph=10"),
        shares("[60, 30, 10] 1 x 8 streams, 1 ms", "--shares 60,30,10 --load kernel=1ms,streams=8"),
        shares("[60, 40] 4 processes each, 1 ms", "--shares 60,40 --load kernel=1ms,processes=4"),
        shares(
            "[60, 40] lengths of 50 us and 10 ms beside 1 ms",
            "--shares 60,40 --load kernel=50us+10ms --load kernel=1ms",
        ),
        shares(
            "[50, 30, 20] the last in bursts",
            "--shares 50,30,20 --load kernel=1ms --load kernel=1ms --load kernel=1ms,on=250ms,off=250ms",
        ),
        point(
            "[50, 30, 20] fixed, the last only copies",
            "--case shares --policy fixed --shares 50,30,20 --load kernel=1ms --load kernel=1ms --load copy=1M",
        ),
        point("one at 100 %, kernels of 1 ms", "--case overhead --shares 100 --kernel 1ms"),
        point("burst uses idle time", "--case give-back --shares 50,50 --kernel 1ms"),
        point("latency, 20 kernels of 0.5 ms", "--case latency --shares 50,50 --kernel 100us"),
        point("latency, 20 kernels of 0.5 ms, beside 1 ms", "--case latency --shares 50,50 --kernel 1ms"),
        point("64 tenants", &format!("--case shares --shares {} --kernel 1ms", ["1"; 64].join(","))),
        Point {
            device: Device::Free,
            ..point(
                "one at 100 %, empty kernels, free-running",
                "--case overhead --shares 100 --kernel empty",
            )
        },
    ];
    if full {
        let small = "--case latency --request 2 --shares 50,50 --kernel 100us";
        points.push(point("latency, 2 kernels of 0.5 ms", small));
        for kernel in ["1ms", "10ms"] {
            points.push(shares(
                &format!("[60, 40] 4 streams of 1 quarters, {}", kernel.replace("ms", " ms")),
                &format!("--shares 60,40 --load kernel={kernel},part=25,streams=4"),
            ));
        }
        for set in [&[50, 50][..], &[99, 1], &[40, 30, 20, 10]] {
            for (kernel, shown) in
                [("100us", "100 us"), ("1ms", "1 ms"), ("10ms", "10 ms"), ("50ms", "50 ms")]
            {
                let list = set.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                points.push(shares(
                    &format!("{set:?} kernels of {shown}"),
                    &format!("--shares {list} --kernel {kernel}"),
                ));
            }
        }
    }
    points
}

impl Point {
    /// Measures while the host leaves the machine alone; after some tries, whatever came out last.
    fn measure(&self, dist: &Dist) -> Result<Report> {
        for last in 1..=TRIES {
            let begin = Instant::now();
            let report = self.run(dist)?;
            let disturbed = report.host_took_percent.is_some_and(|taken| taken > TAKEN);
            let again = disturbed && last < TRIES;
            eprint!(" {:.0} s{}", begin.elapsed().as_secs_f64(), report.circumstances());
            eprintln!("{}", if again { ", so that it is measured again" } else { "" });
            if !again {
                return Ok(report);
            }
        }
        bail!("no run at all")
    }

    fn run(&self, dist: &Dist) -> Result<Report> {
        let mut command = Command::new(dist.cleave());
        command.args(["bench", "share", "--device", "soft", "--json", "-"]).args(&self.words);
        for name in ["CLEAVE_HOME", "CLEAVE_SOFTGPU", "CLEAVE_TENANT", "LD_LIBRARY_PATH", "LD_PRELOAD"] {
            command.env_remove(name);
        }
        let free = (self.device == Device::Free).then(Folder::make).transpose()?;
        if let Some(folder) = &free {
            command.env("CLEAVE_SOFTGPU", &folder.0);
        }
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            bail!("`cleave bench share {}` ended with {}", self.words.join(" "), output.status);
        }
        serde_json::from_slice(&output.stdout).context("cleave bench share --json printed something else")
    }
}

/// A free-running device of the bench's own, gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Folder> {
        let base =
            if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
        let path = base.join(format!("cleave-bench-free-{}", std::process::id()));
        std::fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is a folder on a temporary file system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Report {
    /// What the figures suffered from.
    fn circumstances(&self) -> String {
        let stood = match (self.runs_repeated, self.windows_left_out) {
            (0, 0) => String::new(),
            (runs, windows) => format!(
                "; the device's clock stood: {runs} runs done again, {windows} windows of 1 s left out"
            ),
        };
        let taken = self.host_took_percent.map(|taken| format!("; the host took {taken:.1} % of the cores"));
        let error =
            self.overhead.as_ref().map(|it| format!("; the overhead is known to {:.1} %", it.error_percent));
        stood + &taken.unwrap_or_default() + &error.unwrap_or_default()
    }

    fn figures(&self, point: &Point) -> Vec<Figure> {
        if point.name == "64 tenants" {
            // That many processes of a two-core machine measure the machine, but for what the daemon itself takes.
            let cost = |percent: Option<f64>| percent.unwrap_or(f64::NAN);
            return vec![
                Figure::new(
                    "real, 64 tenants: arbiters' core",
                    cost(self.arbiters_core_percent),
                    "%",
                    Target::AtMost(1.0),
                ),
                Figure::new(
                    "real, 64 tenants: the whole daemon's core",
                    cost(self.daemon_core_percent),
                    "%",
                    Target::None,
                ),
            ];
        }
        let figure = |score: &Score| {
            let target =
                if score.at_most { Target::AtMost(score.allowed) } else { Target::AtLeast(score.allowed) };
            let name = format!("real, {}: {}", point.name, score.case);
            Figure::new(&name, score.value.unwrap_or(f64::NAN), "", target)
        };
        self.scores.iter().map(figure).collect()
    }
}

impl Row {
    fn figure(&self) -> Figure {
        let target = if self.least { Target::AtLeast(self.bound) } else { Target::AtMost(self.bound) };
        Figure::new(&format!("virtual, {}: {}", self.case, self.what), self.got, "", target)
    }

    /// Whether both measured the same.
    fn same(&self, point: &Point, score: &Score) -> bool {
        let what = match score.case.as_str() {
            "shares in 0.1 s" => "points off in 100 ms",
            "sum against unmanaged" => "% of unmanaged",
            "idle time used" => "% of idle time used",
            "lent compute is back" => "ms until given back",
            "p99 beside best effort" => "p99 over alone",
            "p99 beyond alone" => "ms of p99 beyond alone",
            "best effort gets of what is left" => "best effort, % of what is left",
            shares if shares.starts_with("shares in ") => "points off in ",
            other => other,
        };
        let long = what == "points off in " && self.what.starts_with(what) && !self.what.ends_with("ms");
        self.case == point.name && (self.what == what || long)
    }

    fn differs(&self, score: &Score) -> Option<String> {
        let word = |held: bool| if held { "held" } else { "missed" };
        (self.held != score.held).then(|| {
            let value = score.value.map_or("nothing".into(), |value| format!("{value:.2}"));
            format!(
                "{}: {} is {:.2} in virtual time ({}), {value} with real processes ({})",
                self.case,
                self.what,
                self.got,
                word(self.held),
                word(score.held)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_figure_of_both_is_compared() {
        let point = &points(false)[0];
        let row = |what: &str, held| Row {
            case: point.name.clone(),
            what: what.into(),
            got: 0.5,
            bound: 1.6,
            least: false,
            held,
        };
        let score = |case: &str, held| Score {
            case: case.into(),
            value: Some(2.0),
            allowed: 1.6,
            at_most: true,
            held,
        };
        assert!(row("points off in 1 s", true).same(point, &score("shares in 1 s", true)));
        assert!(!row("points off in 100 ms", true).same(point, &score("shares in 1 s", true)));
        assert!(row("points off in 100 ms", true).same(point, &score("shares in 0.1 s", true)));
        assert!(row("a", true).differs(&score("a", true)).is_none());
        assert!(
            row("a", true).differs(&score("a", false)).unwrap().contains("0.50 in virtual time (held), 2.00")
        );
    }

    #[test]
    fn the_short_round_is_about_a_dozen_and_the_full_one_has_the_corners() {
        assert!((12..=17).contains(&points(false).len()));
        assert!(points(true).iter().any(|point| point.name == "[99, 1] kernels of 50 ms"));
    }
}
