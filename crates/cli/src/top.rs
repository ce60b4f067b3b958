//! `cleave top`: who has how much of which device, now and in the last minute.

/// What is shown of a grant, and what of it fits.
mod columns;
/// Bars and graphs made of characters.
mod graph;
/// The live view: keys, signals, and what the daemon says.
mod live;
/// What the daemon says, asked again and again.
mod news;
/// Tables for scripts.
mod once;
/// The picture: a status and a size in, characters out.
mod picture;
/// Grants, device by device, in an order.
mod rows;
/// The terminal: taken, and given back as it was.
mod screen;
/// What colours mean.
mod tone;

/// A document as a daemon sends it.
#[cfg(test)]
mod sample;

use std::io::{self, IsTerminal};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use cleave_node::{Home, client};

use self::graph::Glyphs;
use self::rows::{Order, Sort};
use self::tone::Palette;
use crate::{Failure, document, ps};

#[derive(Args)]
#[command(after_help = "\
Keys: q, Esc and Ctrl-C end it; n, a, g, w and m sort by name, asked, got, waiting and memory, s by the next of them, r turns the
order around; arrows, Page Up, Page Down, Home and End move.

GOT is the time the tenant had the compute engine in the last second, by the daemon's clock; WAITS how much of that second a
thread of it waited for a turn. Colours are left out where NO_COLOR is set, and graphs are plain where the locale is not UTF-8.")]
pub struct Arguments {
    /// Print tables once, and end
    #[arg(long)]
    once: bool,
    /// Print a document for programs, the same as `cleave ps --json`, and end
    #[arg(long)]
    json: bool,
    /// Seconds from one look to the next
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    interval: Duration,
    /// What tenants are sorted by
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    let order = Order { sort: arguments.sort, reversed: false };
    if arguments.json || arguments.once {
        return match client::status(&home)? {
            Some(status) if arguments.json => document(&status),
            None if arguments.json => document(&ps::nobody()),
            Some(status) => Ok(once::text(&status, order, Glyphs::of_locale(&variable))),
            None => Ok(format!("{}; `cleave run` and `cleave node` start one\n", nobody(&home))),
        };
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(Failure::Error(anyhow::anyhow!(
            "the live view needs a terminal: `cleave top --once` prints a table, `cleave top --json` a document"
        )));
    }
    let looks = live::Looks {
        glyphs: Glyphs::of_locale(&variable),
        palette: Palette::new(variable("NO_COLOR").is_some_and(|value| !value.is_empty())),
    };
    live::run(&home, arguments.interval, order, &looks)?;
    Ok(String::new())
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn nobody(home: &Home) -> String {
    format!("no daemon runs at {}", home.path().display())
}

/// Often enough to be live, seldom enough not to be a load.
fn interval(text: &str) -> anyhow::Result<Duration> {
    match text.parse::<f64>() {
        Ok(seconds @ 0.1..=3600.0) => Ok(Duration::from_secs_f64(seconds)),
        _ => bail!("give seconds from 0.1 to 3600"),
    }
}
