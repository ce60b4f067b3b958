//! `cleave run`: a program as a tenant. It asks for the grant, makes sure that the shim comes alive, and becomes the program.

/// What the kernel and the loader will do with an executable.
mod elf;
/// Container engines, which start programs elsewhere.
mod engine;
/// What a tenant's programs find in their environment.
mod environment;
/// Becoming the program.
#[allow(unsafe_code)]
mod handover_unsafe;
/// Where the loader finds a library.
#[allow(unsafe_code)]
pub mod locate_unsafe;
/// Whether the shim comes alive.
pub mod preflight;
/// The program to run.
mod program;

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use cleave_node::protocol::{Lifetime, Started};
use cleave_node::{Home, client};

pub use self::program::Missing;
use crate::front::{CUDA, Front, NVML};
use crate::libraries::Libraries;
use crate::wish::Wish;
use crate::{Failure, node, say};

#[derive(Args)]
#[command(override_usage = "cleave run [OPTIONS] -- PROGRAM [ARGUMENTS]...")]
#[command(after_help = "\
Exit status: the program's own. Before it starts: 1 the grant was refused or the tenant could not be set up, 2 wrong usage,
126 the program cannot be executed, 127 it was not found.")]
pub struct Arguments {
    #[command(flatten)]
    wish: Wish,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Returns only if the program could not be started.
pub fn run(arguments: &Arguments) -> Result<Infallible, Failure> {
    let command = &arguments.command;
    if let Some(engine) = engine::starts_container(command) {
        return Err(Failure::Error(anyhow!(
            "{engine} would start the container as a child of its own daemon, outside of any limit: make a grant with `cleave grant … -- \
             {engine}` and give the container the options that it prints"
        )));
    }
    // A program that is not there needs no grant.
    let program = program::find(&command[0], std::env::var_os("PATH").as_deref())?;
    let around = Around::of_process()?;
    let words = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let present: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let mut start = arguments.wish.start(words, around.parent, Lifetime::Process)?;
    if !arguments.wish.says_priority() {
        start.ask.priority = environment::priority(&present)?;
    }
    let queued = |why: &str, position: u32| say(&format!("waiting, number {position} in line: {why}"));
    let started = client::start_tenant(&around.home, || node::embed(&around.home), start, queued)?
        .map_err(|refusal| anyhow!("{refusal}"))?;
    let libraries = libraries(&started, &around.home)?;
    let replaced = environment::replaced_choice(&present).map(OsString::from);
    let mut variables = environment::of_tenant(present, &started, &libraries);
    let front = if started.softgpu.is_some() {
        preflight::check(&variables, &libraries, &[])?;
        Front::of_soft(&libraries)
    } else {
        Front::of_real(&libraries, preflight::check(&variables, &libraries, &[CUDA, NVML])?)
    };
    if let Some(folder) = front.ready(around.home.path())? {
        environment::with_front(&mut variables, &folder);
    }
    for remark in arguments.wish.remarks(&started) {
        say(&remark);
    }
    if let Some(choice) = replaced {
        let choice = choice.to_string_lossy();
        say(&format!(
            "CUDA_VISIBLE_DEVICES={choice} gives way to the granted devices; --device chooses among them"
        ));
    }
    if let Some(reason) = program::cannot_carry(&program) {
        say(&format!("{reason}: it cannot carry the limits, and what it uses would show as unmanaged"));
    }
    let error = handover_unsafe::hand_over(&program, command, variables, program::is_text(&program));
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    Err(Failure::Code(code, format!("cannot run {}: {error}", program.display())))
}

/// Where this process stands: which daemon to ask, and in which tenant it is already.
struct Around {
    home: Home,
    parent: Option<String>,
}

impl Around {
    fn of_process() -> Result<Around, Failure> {
        /// Where the shim finds the grant of a container.
        const MOUNTED: &str = "/run/cleave/tenant";
        let folder = std::env::var_os(environment::TENANT).map(PathBuf::from);
        let mounted = || Path::new(MOUNTED).is_dir().then(|| PathBuf::from(MOUNTED));
        let Some(folder) = folder.or_else(mounted) else {
            return Ok(Around { home: Home::find(), parent: None });
        };
        let (Some(home), Some(name)) = (Home::of_tenant(&folder), folder.file_name()) else {
            return Err(Failure::Error(anyhow!(
                "this container has a grant already, in {}, and its daemon cannot be reached from here: start the program without \
                 `cleave run`, it is limited as it is",
                folder.display()
            )));
        };
        Ok(Around { home, parent: Some(name.to_string_lossy().into_owned()) })
    }
}

/// The daemon's libraries, which this user may be unable to read; then our own.
pub fn libraries(started: &Started, home: &Home) -> anyhow::Result<Libraries> {
    let theirs = started.libraries.as_deref().and_then(|folder| Libraries::found(folder).ok());
    theirs.map_or_else(|| Libraries::ready(home.path()), Ok)
}
