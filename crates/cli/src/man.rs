//! `cleave man`: the manual, made from the same words as `--help`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_mangen::Man;

use crate::Failure;

#[derive(Args)]
pub struct Arguments {
    /// Write a page per command into this folder, such as ~/.local/share/man/man1 [default: print all on stdout]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let pages = pages()?;
    let Some(folder) = &arguments.folder else {
        return Ok(pages.into_iter().map(|(_, text)| text).collect());
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut written = String::new();
    for (name, text) in pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        written += &format!("{}\n", path.display());
    }
    Ok(written)
}

/// A page for the command itself, for each of its commands, and for theirs.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut command = crate::Arguments::command();
    command.build();
    let mut pages = Vec::new();
    add(&mut pages, command)?;
    Ok(pages)
}

fn add(pages: &mut Vec<(String, String)>, command: clap::Command) -> Result<(), Failure> {
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    let below: Vec<clap::Command> = below.cloned().collect();
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let mut text = Vec::new();
    Man::new(command).render(&mut text).context("cannot make a page")?;
    pages.push((name, String::from_utf8_lossy(&text).into_owned()));
    below.into_iter().try_for_each(|command| add(pages, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let Ok(pages) = pages() else { panic!("pages") };
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in [
            "cleave",
            "cleave-run",
            "cleave-ps",
            "cleave-set",
            "cleave-top",
            "cleave-end",
            "cleave-grant",
            "cleave-bench-share",
        ] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert!(
            !names.contains(&"cleave-preflight") && !names.contains(&"cleave-bench-worker"),
            "not for people"
        );
        let run = &pages.iter().find(|(name, _)| name == "cleave-run").unwrap().1;
        assert!(run.starts_with(".ie") || run.contains(".TH"), "a page of the manual");
        assert!(run.contains("127"), "exit codes are in the manual");
    }
}
