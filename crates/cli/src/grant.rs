//! `cleave grant`: a grant for a container. The engine's daemon starts the container, so the limits reach it by mounts and
//! variables, which are printed ready to paste.

/// What a container needs to be a tenant.
mod edits;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use cleave_node::protocol::{Lifetime, Request};
use cleave_node::{Home, client};
use serde::Serialize;

use self::edits::Edits;
use crate::wish::Wish;
use crate::{Failure, document, node, run, say};

#[derive(Args)]
#[command(after_help = "\
The grant lasts until `cleave end TENANT`, also without a container and across restarts of the daemon.
With --cdi the document goes into /etc/cdi or /var/run/cdi, and the container gets --device cleave/grant=TENANT.")]
pub struct Arguments {
    #[command(flatten)]
    wish: Wish,
    /// Print a CDI document instead of options
    #[arg(long)]
    cdi: bool,
    /// Print a document for programs
    #[arg(long, conflicts_with = "cdi")]
    json: bool,
    /// The engine that will start the container
    #[arg(last = true, value_name = "ENGINE")]
    engine: Option<Engine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    Docker,
    Podman,
    Nerdctl,
}

/// The document of `cleave grant --json`.
#[derive(Serialize)]
struct Report {
    tenant: String,
    name: String,
    grants: Vec<cleave_node::protocol::Granted>,
    container: Edits,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let home = Home::find();
    if arguments.engine.is_none() && !arguments.cdi && !arguments.json {
        return Err(Failure::Error(anyhow!(
            "for which engine? Write `cleave grant … -- docker` (or podman, nerdctl), or --cdi"
        )));
    }
    let start = arguments.wish.start(Vec::new(), None, Lifetime::Grant)?;
    let queued = |why: &str, position: u32| say(&format!("waiting, number {position} in line: {why}"));
    let started = client::start_tenant(&home, || node::embed(&home), start, queued)?
        .map_err(|refusal| anyhow!("{refusal}"))?;
    // A grant that nobody learns of would stay for ever.
    let edits = run::libraries(&started, &home).and_then(|libraries| Edits::of(&started, &libraries, &home));
    let edits = match edits {
        Ok(edits) => edits,
        Err(error) => {
            node::ask(&home, &Request::End { tenant: started.tenant.clone() })?;
            return Err(error.into());
        }
    };
    for remark in arguments.wish.remarks(&started) {
        say(&remark);
    }
    say(&format!("this grant lasts until `cleave end {}`", started.tenant));
    if arguments.json {
        return document(&Report {
            tenant: started.tenant,
            name: started.name,
            grants: started.grants,
            container: edits,
        });
    }
    match arguments.engine {
        Some(engine) if !arguments.cdi => Ok(edits.options(engine)),
        _ => document(&edits.cdi(&started.tenant)),
    }
}
