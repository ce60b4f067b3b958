//! Removing a device.

use anyhow::anyhow;
use cleave_device::{Folder, Request};
use serde::Serialize;

use crate::{Failure, document};

#[derive(Serialize)]
struct ResetReport {
    folder: String,
    removed: bool,
    /// Processes that keep the old device until they end, as far as they can be seen from here.
    processes: Vec<u32>,
}

pub fn run(request: &Request, force: bool, json: bool) -> Result<String, Failure> {
    let folder = Folder::find(request)
        .ok_or_else(|| anyhow!("a private device ends with its process: there is nothing to reset"))?;
    let path = folder.path.display();
    let there = folder.check()?;
    let processes = if there { folder.users()? } else { Vec::new() };
    if !processes.is_empty() && !force {
        return Err(Failure::InUse(format!(
            "{} on the device in {path}: end them, or reset with --force (they keep the old device)",
            people(&processes)
        )));
    }
    let removed = there && folder.remove()?;
    if json {
        return document(&ResetReport { folder: path.to_string(), removed, processes });
    }
    Ok(match (removed, processes.is_empty()) {
        (false, _) => format!("there is no device in {path}\n"),
        (true, true) => format!("removed the device in {path}; the next program makes a new one\n"),
        (true, false) => {
            format!("removed the device in {path}; {} on the old one until they end\n", people(&processes))
        }
    })
}

fn people(processes: &[u32]) -> String {
    let seen: Vec<String> = processes.iter().filter(|pid| **pid != 0).map(u32::to_string).collect();
    let unseen = processes.len() - seen.len();
    let unseen = (unseen > 0).then(|| format!("{unseen} in other containers"));
    let verb = if processes.len() == 1 { "process is" } else { "processes are" };
    format!("{} {verb} ({})", processes.len(), seen.into_iter().chain(unseen).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_named_as_far_as_they_can_be_seen() {
        assert_eq!(people(&[7]), "1 process is (7)");
        assert_eq!(people(&[7, 0, 9, 0]), "4 processes are (7, 9, 2 in other containers)");
    }
}
