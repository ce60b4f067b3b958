//! Everything a developer runs: `cargo xtask demo | test | bench | dist | api | deps`.

/// The API table against the vendor's header, and the coverage page.
mod api;
/// Figures behind SPECIFICATION.md.
mod bench;
/// The real clients of `tests/clients`.
mod clients;
/// Monitors that read NVML, while others compute.
mod clients_nvml;
/// The clients as tenants.
mod clients_tenant;
/// The demonstration a newcomer runs first.
mod demo;
/// Layers: who may depend on whom.
mod deps;
/// What a user installs, laid out under `target/dist`.
mod dist;
/// The fuzz targets, for a fixed count.
mod fuzz;
/// Debian packages and Python environments that the rest needs.
mod install;
/// Licences and sources of the crates we build in.
mod licences;
/// What a shared library asks the loader for, edited after linking.
mod needed;
/// Folders of the repository and of the build.
mod paths;
/// Running a command, with its output kept for when it fails.
mod run;
/// Steps with progress and a count at the end.
mod steps;
/// The tests that run programs as tenants.
mod tenancy;
/// `cargo xtask test`.
mod test;
/// A terminal that only the tests look at.
mod tmux;
/// Debian packages unpacked without installing them.
mod unpack;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, tests, measures and lays out Cleave")]
struct Typed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build everything and run the main job on the software GPU
    Demo,
    /// Install what the tests need and run all of them
    Test {
        /// Run only the steps whose name contains this word
        #[arg(long)]
        only: Option<String>,
    },
    /// Measure the figures of SPECIFICATION.md
    Bench {
        /// Which figures: softgpu, device, sched, share, shim or oversubscription
        name: String,
        /// All that can be measured of it, which takes up to an hour
        #[arg(long)]
        full: bool,
        /// Print one JSON array of {name, value, unit, target, ok}
        #[arg(long)]
        json: bool,
    },
    /// Lay out what a user installs under target/dist
    Dist,
    /// Check the API table (`check [--header FILE | --driver LIB]`) or write its coverage page (`docs [--check]`)
    Api {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Show the layers and check that no crate depends upwards
    Deps,
}

fn main() -> anyhow::Result<()> {
    match Typed::parse().command {
        Command::Demo => demo::run(),
        Command::Test { only } => test::run(only.as_deref()),
        Command::Bench { name, full, json } => bench::run(&name, json, full),
        Command::Dist => dist::build().map(|dist| println!("{}", dist.root.display())),
        Command::Api { args } => api::main(&args).map_err(anyhow::Error::msg),
        Command::Deps => deps::check().map(|layers| print!("{layers}")),
    }
}
