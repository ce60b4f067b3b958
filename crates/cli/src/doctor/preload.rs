//! Libraries that others preload into every program.

use std::fs;
use std::path::Path;

use cleave_node::protocol::{Finding, Severity};

use super::{Machine, finding};
use crate::libraries::SHIM;

pub fn check(machine: &Machine) -> Vec<Finding> {
    let variable = (machine.variable)("LD_PRELOAD").unwrap_or_default();
    let file = fs::read_to_string(machine.root.join("etc/ld.so.preload")).unwrap_or_default();
    let lines: Vec<&str> = file.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    let by_file = lines.iter().flat_map(|line| entries(line)).map(|entry| (entry, "/etc/ld.so.preload"));
    let by_variable = entries(&variable).map(|entry| (entry, "LD_PRELOAD"));
    by_file.chain(by_variable).filter_map(|(entry, by)| judge(machine, entry, by)).collect()
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split([':', ' ', '\t']).filter(|entry| !entry.is_empty())
}

fn judge(machine: &Machine, entry: &str, by: &str) -> Option<Finding> {
    // Without a slash the loader searches; that it finds something is its business.
    let path = entry.contains('/').then(|| machine.root.join(entry.trim_start_matches('/')));
    if Path::new(entry).file_name().is_some_and(|name| name == SHIM) {
        return path.filter(|path| !path.exists()).map(|_| {
            finding(
                Severity::Problem,
                "shim_missing",
                &format!("{by} names {entry}, which is not there"),
                "the loader ignores a library that is missing: programs run without limits",
                &format!("put the library there, or take the entry out of {by}"),
            )
        });
    }
    path.is_some_and(|path| intercepts(&path)).then(|| {
        finding(
            Severity::Problem,
            "another_shim",
            &format!("{by} names {entry}, which intercepts the driver too"),
            "two libraries that count the same memory and pace the same work contradict each other",
            &format!("take {entry} out of {by}, or run without cleave"),
        )
    })
}

/// Whether a library has the driver's function names in it, as everything that takes their place must.
fn intercepts(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    has(b"\0cuMemAlloc_v2\0") && (has(b"\0cuLaunchKernel\0") || has(b"\0cuMemFree_v2\0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn another_shim_is_found_by_what_it_does() {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.path().join("etc")).unwrap();
        fs::write(scratch.path().join("libvgpu.so"), "\0cuMemAlloc_v2\0puts\0cuLaunchKernel\0").unwrap();
        fs::write(scratch.path().join("libjemalloc.so"), "\0malloc\0").unwrap();
        let found = |file: &str, variable: &str| -> Vec<(String, String)> {
            fs::write(scratch.path().join("etc/ld.so.preload"), file).unwrap();
            let machine = Machine { root: scratch.path(), variable: &|_| Some(variable.into()) };
            check(&machine).into_iter().map(|finding| (finding.id, finding.what)).collect()
        };
        assert_eq!(found("", "/libjemalloc.so:libm.so.6"), []);
        let by_variable = found("", "/libjemalloc.so:/libvgpu.so");
        assert_eq!((by_variable.len(), by_variable[0].0.as_str()), (1, "another_shim"));
        assert!(by_variable[0].1.starts_with("LD_PRELOAD names /libvgpu.so"));
        assert_eq!(found("# a comment /libvgpu.so\n", ""), []);
        assert!(found("/libjemalloc.so /libvgpu.so # x\n", "")[0].1.starts_with("/etc/ld.so.preload names"));
        assert_eq!(found("/opt/libcleave.so\n", "")[0].0, "shim_missing");
    }
}
