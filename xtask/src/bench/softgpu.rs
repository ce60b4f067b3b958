use super::worker::values;
use super::{Figure, Target, Target::AtLeast, Target::AtMost, gcc};
use crate::clients::on_softgpu;
use crate::dist::{self, Dist};
use crate::install::Venv;
use crate::{paths, run};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

/// Name, unit and promise of every figure, in the order of the table.
const FIGURES: [(&str, &str, Target); 23] = [
    ("tiled_ratio", "x", AtLeast(0.25)),
    ("tiled_gflops", "GFLOPS", Target::None),
    ("tiled_loopnest_gflops", "GFLOPS", Target::None),
    ("naive_ratio", "x", AtLeast(1.0)),
    ("naive_gflops", "GFLOPS", Target::None),
    ("naive_loopnest_gflops", "GFLOPS", Target::None),
    ("naive_vectorised_ratio", "x", Target::None),
    ("two_core_scaling", "x", AtLeast(1.7)),
    ("launch_ratio", "x", AtMost(1.5)),
    ("launch_us", "us", Target::None),
    ("futex_round_trip_us", "us", Target::None),
    ("copy_ratio", "x", AtLeast(0.8)),
    ("copy_gbps", "GB/s", Target::None),
    ("memcpy_gbps", "GB/s", Target::None),
    ("copy_first_touch_ms", "ms", Target::None),
    ("init_ms", "ms", AtMost(30.0)),
    ("load_ms_per_mb", "ms", AtMost(150.0)),
    ("alloc_free_us", "us", Target::None),
    ("alloc_free_growth", "x", AtMost(1.5)),
    ("stream_launch_us", "us", Target::None),
    ("stream_launch_growth", "x", AtMost(1.5)),
    ("tiled_two_core_gflops", "GFLOPS", Target::None),
    ("tiled_one_core_gflops", "GFLOPS", Target::None),
];

type Values = BTreeMap<String, f64>;

/// Builds the bench program and runs its parts, each in a process of its own.
pub fn measure() -> Result<Vec<Figure>> {
    let bench = Bench::build()?;
    let mut measured = Values::new();
    let naive = ["naive", &bench.naive, "naive", "16", "128", "1", "32", "4", "1"].map(str::to_string);
    let tiled = bench.tiled_words()?;
    measured.extend(bench.part("matmul", &tiled, 1)?);
    measured.extend(bench.part("matmul", &naive, 1)?);
    measured.extend(bench.scaling(&tiled)?);
    measured.extend(bench.part("launch", std::slice::from_ref(&bench.naive), 2)?);
    measured.extend(bench.part("copy", &[], 2)?);
    measured.extend(bench.part("init", &[], 2)?);
    measured.extend(bench.part("load", &[bench.large_module()?], 2)?);
    measured.extend(bench.part("flat", std::slice::from_ref(&bench.naive), 2)?);
    let figure = |(name, unit, target)| -> Result<Figure> {
        let value = measured.get(name).with_context(|| format!("the bench program did not print {name}"))?;
        Ok(Figure::new(name, *value, unit, target))
    };
    FIGURES.into_iter().map(figure).collect()
}

struct Bench {
    dist: Dist,
    program: PathBuf,
    naive: String,
}

impl Bench {
    fn build() -> Result<Self> {
        eprintln!("building …");
        let dist = dist::build()?;
        let program = program(&dist)?;
        let naive = paths::root().join("benches/softgpu/naive.ptx").display().to_string();
        Ok(Self { dist, program, naive })
    }

    /// Runs one part with that many worker threads and reads its `name value` lines.
    fn part(&self, name: &str, words: &[String], workers: u32) -> Result<Values> {
        eprintln!("measuring {name} …");
        let mut command = on_softgpu(&self.program, &self.dist);
        command.arg(name).args(words).env("CLEAVE_SOFTGPU_WORKERS", workers.to_string());
        values(&run::stdout(&mut command)?)
    }

    /// One worker and two in turns; the ratio is taken within each turn, of seven turns the median counts.
    fn scaling(&self, tiled: &[String]) -> Result<Values> {
        let mut turns = Vec::new();
        for _ in 0..7 {
            let one = self.part("matmul", tiled, 1)?["tiled_gflops"];
            let two = self.part("matmul", tiled, 2)?["tiled_gflops"];
            turns.push((two / one, one, two));
        }
        turns.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (scaling, one, two) = turns[turns.len() / 2];
        let named =
            [("two_core_scaling", scaling), ("tiled_one_core_gflops", one), ("tiled_two_core_gflops", two)];
        Ok(named.map(|(name, value)| (name.to_string(), value)).into())
    }

    /// The matmul kernel as tinygrad emits it today, and how it is launched.
    fn tiled_words(&self) -> Result<Vec<String>> {
        let file = self.program.with_file_name("tiled.ptx").display().to_string();
        let script = paths::root().join("benches/softgpu/emit_matmul.py");
        let text =
            run::stdout(Command::new(Venv::clients()?.python()).arg(script).arg(&file).env("DEV", "PYTHON"))?;
        let launch = text.split_whitespace().map(str::to_string);
        Ok(["tiled".to_string(), file].into_iter().chain(launch).collect())
    }

    /// Kernels with loops, loads and arithmetic, until the text is 1 MB.
    fn large_module(&self) -> Result<String> {
        let mut text = String::from(".version 7.0\n.target sm_70\n.address_size 64\n");
        let mut kernels = 0;
        while text.len() < 1_000_000 {
            write!(
                text,
                ".visible .entry k{kernels}(.param .u64 data)\n{{\n.reg .pred %p;\n.reg .u32 %r<60>;\n"
            )?;
            writeln!(text, ".reg .u64 %rd<4>;\nld.param.u64 %rd1, [data];\nmov.u32 %r0, %tid.x;")?;
            writeln!(
                text,
                "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r1, [%rd3];\nL:"
            )?;
            for register in 2..58 {
                writeln!(text, "mad.lo.u32 %r{register}, %r{}, 2654435761, %r0;", register - 1)?;
            }
            writeln!(text, "setp.lt.u32 %p, %r57, 1000;\n@%p bra L;\nst.global.u32 [%rd3], %r57;\nret;\n}}")?;
            kernels += 1;
        }
        let file = self.program.with_file_name("large.ptx");
        std::fs::write(&file, text)?;
        Ok(file.display().to_string())
    }
}

/// The bench program, with its loop nests. The flags of these are fixed: an ordinary build for an ordinary processor of
/// the last ten years.
pub fn program(dist: &Dist) -> Result<PathBuf> {
    let (source, out) = (paths::root().join("benches/softgpu"), paths::target().join("bench"));
    let program = out.join("softgpu");
    let inputs = [source.join("bench.c"), source.join("loopnest.c"), dist.libcuda()];
    gcc(&inputs, &program, &["-lpthread", "-lm"])?;
    Ok(program)
}
