//! `cleave defrag`: which moves would free devices.

use anyhow::Context;
use clap::Args;
use cleave_model::Placement;
use cleave_sched::policy::by_name;
use cleave_sched::{Defrag, defrag};
use serde::Serialize;

use crate::Failure;
use crate::sim::TraceFiles;
use crate::table::table;

/// Looks at the pods where their columns node and gpu_index say they are; if they say nothing, fills the nodes with the pods
/// first, as `cleave sim` does
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    trace: TraceFiles,
    /// Policy that fills the nodes
    #[arg(long, value_name = "NAME", default_value = "spread")]
    policy: String,
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    seed: u64,
    /// Most pods to move
    #[arg(long, value_name = "N")]
    moves: Option<usize>,
    /// Print a document for programs
    #[arg(long)]
    json: bool,
}

/// Does it; the text to print.
pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let scenario = arguments.trace.scenario()?;
    let cluster = match scenario.placed().map_err(anyhow::Error::from)? {
        Some(cluster) => cluster,
        None => {
            let outcome = scenario.run(&arguments.policy, arguments.seed, &mut || 0, &mut || ());
            let outcome = outcome.with_context(|| format!("there is no policy {:?}", arguments.policy))?;
            outcome.cluster.unwrap_or_else(|| scenario.cluster().clone())
        }
    };
    let targets = by_name("best-fit", scenario.workload()).context("the policy that picks targets")?;
    let found = defrag(&cluster, targets, arguments.moves.unwrap_or(usize::MAX));
    if arguments.json {
        return Ok(serde_json::to_string_pretty(&document(&found)).map_err(anyhow::Error::from)? + "\n");
    }
    Ok(for_people(&found))
}

#[derive(Serialize)]
struct Document {
    empty_before: usize,
    freed: usize,
    moves: usize,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    frees_node: String,
    frees_device: String,
    moves: Vec<Moved>,
}

#[derive(Serialize)]
struct Moved {
    pod: String,
    from_node: String,
    from_devices: Vec<String>,
    to_node: String,
    to_devices: Vec<String>,
}

fn document(found: &Defrag) -> Document {
    let step = |freed: &cleave_sched::Freed| Step {
        frees_node: freed.node.clone(),
        frees_device: freed.device.clone(),
        moves: freed
            .moves
            .iter()
            .map(|moved| Moved {
                pod: moved.uid.clone(),
                from_node: node(&moved.from),
                from_devices: devices(&moved.from),
                to_node: node(&moved.to),
                to_devices: devices(&moved.to),
            })
            .collect(),
    };
    Document {
        empty_before: found.empty_before,
        freed: found.freed.len(),
        moves: found.moves(),
        steps: found.freed.iter().map(step).collect(),
    }
}

fn node(placements: &[Placement]) -> String {
    placements.first().map_or(String::new(), |placement| placement.node.clone())
}

fn devices(placements: &[Placement]) -> Vec<String> {
    placements.iter().flat_map(|placement| &placement.slices).map(|slice| slice.device.clone()).collect()
}

fn for_people(found: &Defrag) -> String {
    let rows: Vec<Vec<String>> = found
        .freed
        .iter()
        .flat_map(|freed| {
            freed.moves.iter().enumerate().map(|(at, moved)| {
                vec![
                    if at == 0 { freed.device.clone() } else { String::new() },
                    moved.uid.clone(),
                    devices(&moved.to).join(" "),
                ]
            })
        })
        .collect();
    let sum = format!(
        "{} moves would free {} devices; {} are empty now\n",
        found.moves(),
        found.freed.len(),
        found.empty_before
    );
    if rows.is_empty() { sum } else { format!("{}\n{sum}", table(&["FREES", "POD", "TO"], &rows)) }
}
