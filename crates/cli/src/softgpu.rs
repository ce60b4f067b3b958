//! `cleave softgpu`: the software GPU of this machine.

/// The presets and their figures.
mod presets;
/// Removing a device.
mod reset;
/// The devices and who is on them.
mod show;

use clap::{Args, Subcommand};
use cleave_device::Request;

use crate::Failure;

#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print a document for programs
    #[arg(long, global = true)]
    json: bool,
    /// Which device: a preset, or a folder with a / in it [default: $CLEAVE_SOFTGPU, else `default`]
    #[arg(long, global = true, value_name = "PLACE")]
    place: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Remove the device; the next program makes a new one
    Reset {
        /// Even if processes are on it: they keep the old device until they end
        #[arg(long)]
        force: bool,
    },
    /// List the presets and their figures
    Presets,
}

/// Does it; the text to print.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let json = arguments.json;
    match arguments.command {
        None => show::run(&arguments.request()?, json),
        Some(Command::Reset { force }) => reset::run(&arguments.request()?, force, json),
        Some(Command::Presets) => presets::run(json),
    }
}

impl Arguments {
    /// The device as it is: variables that would change a new one do not matter here.
    fn request(&self) -> Result<Request, cleave_device::Error> {
        let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Request::from_env(&|name| match name {
            "CLEAVE_SOFTGPU" => self.place.clone().or_else(|| variable(name)),
            "XDG_RUNTIME_DIR" => variable(name),
            _ => None,
        })
    }
}
