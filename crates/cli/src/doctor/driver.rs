//! The vendor's driver, and what sits between it and programs.

use std::fs;
use std::path::PathBuf;

use cleave_node::protocol::{Finding, Severity};

use super::{Machine, finding};
use crate::front::is_front;
use crate::libraries::SOFTGPU;

pub fn check(machine: &Machine) -> Vec<Finding> {
    driver(machine).into_iter().chain(mps(machine)).collect()
}

fn driver(machine: &Machine) -> Option<Finding> {
    // Not the device nodes: the vendor's library makes them even where there is no module behind.
    let module = ["proc/driver/nvidia/version", "sys/module/nvidia", "dev/dxg"];
    let module = module.iter().any(|path| machine.root.join(path).exists());
    let missing: Vec<&str> = ["libcuda.so.1", "libnvidia-ml.so.1"]
        .into_iter()
        .filter(|name| !has_library(machine, name))
        .collect();
    match (module, &missing[..]) {
        (true, []) => None,
        (false, [_, _]) => Some(finding(
            Severity::Note,
            "no_driver",
            "this machine has no vendor driver",
            "programs under `cleave run` use the software GPU, which computes on the processor",
            "nothing, if there is no GPU in it; else install the vendor's driver",
        )),
        (true, missing) => Some(finding(
            Severity::Problem,
            "driver_library_missing",
            &format!(
                "the driver's kernel module is loaded, but the loader does not find {}",
                missing.join(" and ")
            ),
            "no program can use the device, and memory on it cannot be watched",
            "install the driver's libraries; in a container, start it with the device (--gpus) and the utility capability",
        )),
        (false, _) => Some(finding(
            Severity::Problem,
            "driver_module_missing",
            "the driver's libraries are here, but its kernel module is not loaded",
            "the vendor's driver finds no device",
            "load it (modprobe nvidia); in a container, start it with the device (--gpus)",
        )),
    }
}

/// Whether the loader would find a library: by the search path, by its cache, or where the driver puts it.
fn has_library(machine: &Machine, name: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "usr/lib64",
        "usr/lib",
        "usr/lib/x86_64-linux-gnu",
        "usr/lib/aarch64-linux-gnu",
        "usr/lib/wsl/lib",
        "usr/local/nvidia/lib64",
        "run/opengl-driver/lib",
    ];
    // Ours is no vendor's; it is on the search path of whoever is a tenant.
    let search = (machine.variable)("LD_LIBRARY_PATH").unwrap_or_default();
    let search = search.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let mut search = search.filter(|folder| !folder.ends_with(SOFTGPU) && !is_front(folder));
    let cached = || {
        let cache = fs::read(machine.root.join("etc/ld.so.cache")).unwrap_or_default();
        let name = [name.as_bytes(), b"\0"].concat();
        cache.windows(name.len()).any(|window| window == name)
    };
    search.any(|folder| folder.join(name).exists())
        || FOLDERS.iter().any(|folder| machine.root.join(folder).join(name).exists())
        || cached()
}

fn mps(machine: &Machine) -> Option<Finding> {
    // The kernel keeps fifteen letters of `nvidia-cuda-mps-control` and `nvidia-cuda-mps-server`.
    const NAME: &str = "nvidia-cuda-mps";
    let processes = fs::read_dir(machine.root.join("proc")).into_iter().flatten().flatten();
    let running = processes
        .filter_map(|process| fs::read_to_string(process.path().join("comm")).ok())
        .any(|name| name.trim() == NAME);
    let pipe = (machine.variable)("CUDA_MPS_PIPE_DIRECTORY").map(PathBuf::from);
    let pipe = pipe.unwrap_or_else(|| machine.root.join("tmp/nvidia-mps"));
    let why = "all programs would work through one server process: what each of them holds cannot be told apart, and a fault in \
               one ends them all";
    if running {
        return Some(finding(
            Severity::Problem,
            "mps_active",
            "the vendor's multi-process service (MPS) is running",
            why,
            "end it (echo quit | nvidia-cuda-mps-control), or leave this device to it",
        ));
    }
    pipe.join("control").exists().then(|| {
        finding(
            Severity::Warning,
            "mps_left_over",
            &format!("{} is left from the vendor's multi-process service (MPS)", pipe.display()),
            "programs look there first; if the service comes back, they work through it",
            &format!("remove it (rm -r {})", pipe.display()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn found(scratch: &Scratch) -> Vec<String> {
        let machine = Machine { root: scratch.path(), variable: &|_| None };
        check(&machine).into_iter().map(|finding| finding.id).collect()
    }

    fn put(scratch: &Scratch, path: &str, text: &str) {
        let path = scratch.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_driver_is_whole_or_the_missing_half_is_named() {
        let scratch = Scratch::new();
        assert_eq!(found(&scratch), ["no_driver"]);
        put(&scratch, "proc/driver/nvidia/version", "NVRM");
        assert_eq!(found(&scratch), ["driver_library_missing"]);
        put(&scratch, "etc/ld.so.cache", "junk\0libcuda.so.1\0/x/libcuda.so.1\0");
        put(&scratch, "usr/lib64/libnvidia-ml.so.1", "");
        assert_eq!(found(&scratch), [""; 0]);
        fs::remove_file(scratch.path().join("proc/driver/nvidia/version")).unwrap();
        assert_eq!(found(&scratch), ["driver_module_missing"]);
    }

    #[test]
    fn mps_is_noticed_by_its_process_and_by_its_pipe() {
        let scratch = Scratch::new();
        put(&scratch, "tmp/nvidia-mps/control", "");
        assert_eq!(found(&scratch), ["no_driver", "mps_left_over"]);
        put(&scratch, "proc/77/comm", "nvidia-cuda-mps\n");
        assert_eq!(found(&scratch), ["no_driver", "mps_active"]);
    }
}
