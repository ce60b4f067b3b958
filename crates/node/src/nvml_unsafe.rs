//! A driver's NVML, loaded at run time: the vendor's if the machine has it, the software GPU's from our libraries.

use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};

use cleave_api::nvml::error::description;
use cleave_api::nvml::types::*;
use libloading::Library;

use crate::card::{Card, Devices, Holder, Mode};
use crate::protocol::Kind;

const NAME: &str = "libnvidia-ml.so.1";

/// Where drivers put it when the loader's own search does not lead there: containers, NixOS, WSL, Debian.
const FOLDERS: [&str; 5] = [
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
    "/usr/lib/wsl/lib",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu/nvidia/current",
];

type Init = unsafe extern "C" fn() -> nvmlReturn_t;
type Count = unsafe extern "C" fn(*mut u32) -> nvmlReturn_t;
type ByIndex = unsafe extern "C" fn(u32, *mut nvmlDevice_t) -> nvmlReturn_t;
type Text = unsafe extern "C" fn(nvmlDevice_t, *mut u8, u32) -> nvmlReturn_t;
type Memory = unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMemory_t) -> nvmlReturn_t;
type Memory2 = unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMemory_v2_t) -> nvmlReturn_t;
type ComputeMode = unsafe extern "C" fn(nvmlDevice_t, *mut nvmlComputeMode_t) -> nvmlReturn_t;
type MigMode = unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t;
type Number = unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t;
type Instance = unsafe extern "C" fn(nvmlDevice_t, u32, *mut nvmlDevice_t) -> nvmlReturn_t;
type Processes = unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t;

/// What is used of the library.
struct Functions {
    init: Init,
    shutdown: Init,
    count: Count,
    by_index: ByIndex,
    uuid: Text,
    name: Text,
    memory: Memory,
    memory2: Option<Memory2>,
    mode: Option<ComputeMode>,
    /// For compute, for graphics, under MPS.
    processes: Vec<Processes>,
    instances: Option<Instances>,
}

/// What is used of it for devices that are divided into instances.
struct Instances {
    mode: MigMode,
    most: Number,
    by_index: Instance,
}

/// One driver.
pub struct Nvml {
    functions: Functions,
    kind: Kind,
    initialised: bool,
    /// The functions stand in it.
    _library: Library,
}

impl Nvml {
    /// The vendor's, by the loader's search and then in the places drivers are known to use.
    pub fn real() -> Result<Nvml, String> {
        let folders = FOLDERS.iter().map(|folder| Path::new(folder).join(NAME)).filter(|path| path.is_file());
        let mut refused = String::new();
        for path in std::iter::once(PathBuf::from(NAME)).chain(folders) {
            match Nvml::load(&path, Kind::Real) {
                Ok(nvml) if is_soft(&nvml.functions) => refused = "the only one is the software GPU's".into(),
                Ok(nvml) => return Ok(nvml),
                Err(error) => refused = error,
            }
        }
        Err(format!("no {NAME} of a driver: {refused}"))
    }

    /// The software GPU's.
    pub fn soft(path: &Path) -> Result<Nvml, String> {
        Nvml::load(path, Kind::Soft)
    }

    fn load(path: &Path, kind: Kind) -> Result<Nvml, String> {
        // SAFETY: a driver's library does nothing when it is loaded; whoever can put another one there owns this process.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: the names are those of the types, by the API table. The functions are used while the library is loaded.
        let functions = unsafe { Functions::of(&library) }.map_err(|error| error.to_string())?;
        Ok(Nvml { functions, kind, initialised: false, _library: library })
    }

    /// A driver may come after the daemon: what failed is tried again at the next look. The software GPU may have been reset since
    /// the last one; who comes anew finds the new one.
    fn init(&mut self) -> Result<(), String> {
        if self.initialised && self.kind == Kind::Soft {
            // SAFETY: takes nothing; no handle of before is used again.
            self.initialised = answer(unsafe { (self.functions.shutdown)() }).is_err();
        }
        if !self.initialised {
            // SAFETY: takes nothing.
            answer(unsafe { (self.functions.init)() })?;
            self.initialised = true;
        }
        Ok(())
    }

    /// A device, followed by its instances if it is divided.
    fn cards(&self, index: u32) -> Result<Vec<Card>, String> {
        let mut device = nvmlDevice_t(0);
        // SAFETY: writes one handle.
        answer(unsafe { (self.functions.by_index)(index, &mut device) })?;
        let whole = self.card(device)?;
        let Some(instances) = self.functions.instances.as_ref().filter(|functions| functions.divide(device))
        else {
            return Ok(vec![whole]);
        };
        // Whoever holds memory of it holds an instance's, and is listed there.
        let whole = Card { mode: Mode::Partitioned, holders: Some(Vec::new()), ..whole };
        // An instance that goes at this moment is not there. One without a name of its own (drivers before 470) cannot be told
        // from its siblings by the driver API, so it is no device.
        let parts = instances.of(device).filter_map(|instance| self.card(instance).ok());
        let named = parts.filter(|card| card.uuid.parse::<cleave_slot::Uuid>().is_ok());
        Ok(std::iter::once(whole).chain(named).collect())
    }

    fn card(&self, device: nvmlDevice_t) -> Result<Card, String> {
        let (total, kept) = self.memory(device)?;
        Ok(Card {
            uuid: text(self.functions.uuid, device)?,
            name: text(self.functions.name, device)?,
            kind: self.kind,
            total,
            kept,
            holders: self.holders(device),
            mode: self.mode(device),
        })
    }

    /// All memory, and what the driver keeps of it.
    fn memory(&self, device: nvmlDevice_t) -> Result<(u64, u64), String> {
        if let Some(memory2) = self.functions.memory2 {
            let mut memory = nvmlMemory_v2_t { version: nvmlMemory_v2, ..nvmlMemory_v2_t::default() };
            // SAFETY: reads and writes one struct of the version that stands in it.
            if answer(unsafe { memory2(device, &mut memory) }).is_ok() {
                return Ok((memory.total, memory.reserved));
            }
        }
        let mut memory = nvmlMemory_t::default();
        // SAFETY: writes one struct.
        answer(unsafe { (self.functions.memory)(device, &mut memory) })?;
        Ok((memory.total, 0))
    }

    fn mode(&self, device: nvmlDevice_t) -> Mode {
        let mut mode = NVML_COMPUTEMODE_DEFAULT;
        let Some(ask) = self.functions.mode else { return Mode::Shared };
        // SAFETY: writes one number.
        match answer(unsafe { ask(device, &mut mode) }).map(|()| mode) {
            Ok(NVML_COMPUTEMODE_EXCLUSIVE_THREAD | NVML_COMPUTEMODE_EXCLUSIVE_PROCESS) => Mode::Exclusive,
            Ok(NVML_COMPUTEMODE_PROHIBITED) => Mode::Prohibited,
            _ => Mode::Shared,
        }
    }

    /// None if the driver does not say what a process holds.
    fn holders(&self, device: nvmlDevice_t) -> Option<Vec<Holder>> {
        let lists = self.functions.processes.iter().map(|list| processes(*list, device));
        let lists: Vec<Vec<nvmlProcessInfo_t>> = lists.filter_map(Result::ok).collect();
        if lists.is_empty() {
            return None;
        }
        let known = |info: &nvmlProcessInfo_t| info.usedGpuMemory != u64::MAX;
        let all = || lists.iter().flatten();
        if all().next().is_some() && !all().any(known) {
            return None;
        }
        let holder = |info: &nvmlProcessInfo_t| Holder { pid: info.pid, memory: info.usedGpuMemory };
        Some(all().filter(|info| known(info)).map(holder).collect())
    }
}

impl Devices for Nvml {
    fn look(&mut self) -> Result<Vec<Card>, String> {
        self.init()?;
        let mut count = 0;
        // SAFETY: writes one number.
        answer(unsafe { (self.functions.count)(&mut count) })?;
        let cards = (0..count).map(|index| self.cards(index)).collect::<Result<Vec<_>, _>>()?;
        Ok(cards.into_iter().flatten().collect())
    }
}

impl Instances {
    /// Whether a device is divided now.
    fn divide(&self, device: nvmlDevice_t) -> bool {
        let (mut now, mut later) = (0, 0);
        // SAFETY: writes two numbers.
        let code = unsafe { (self.mode)(device, &mut now, &mut later) };
        answer(code).is_ok() && now == NVML_DEVICE_MIG_ENABLE
    }

    /// The instances of a device. Numbers between them may be free.
    fn of(&self, device: nvmlDevice_t) -> impl Iterator<Item = nvmlDevice_t> + '_ {
        let mut most = 0;
        // SAFETY: writes one number.
        let known = answer(unsafe { (self.most)(device, &mut most) }).is_ok();
        (0..if known { most } else { 0 }).filter_map(move |index| {
            let mut instance = nvmlDevice_t(0);
            // SAFETY: writes one handle.
            answer(unsafe { (self.by_index)(device, index, &mut instance) }).ok().map(|()| instance)
        })
    }

    /// # Safety
    /// As for [`Functions::of`].
    unsafe fn in_library(library: &Library) -> Result<Instances, libloading::Error> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Instances {
                mode: *library.get(b"nvmlDeviceGetMigMode")?,
                most: *library.get(b"nvmlDeviceGetMaxMigDeviceCount")?,
                by_index: *library.get(b"nvmlDeviceGetMigDeviceHandleByIndex")?,
            })
        }
    }
}

impl Functions {
    /// # Safety
    /// The library is an NVML: its functions are what their names say.
    unsafe fn of(library: &Library) -> Result<Functions, libloading::Error> {
        // SAFETY: the caller's promise.
        unsafe {
            let lists = ["Compute", "Graphics", "MPSCompute"].into_iter().filter_map(|what| {
                let newest = ["_v3", "_v2"]
                    .into_iter()
                    .map(|form| format!("nvmlDeviceGet{what}RunningProcesses{form}"));
                newest.map(|name| library.get(name.as_bytes()).map(|found| *found)).find_map(Result::ok)
            });
            Ok(Functions {
                init: *library.get(b"nvmlInit_v2")?,
                shutdown: *library.get(b"nvmlShutdown")?,
                count: *library.get(b"nvmlDeviceGetCount_v2")?,
                by_index: *library.get(b"nvmlDeviceGetHandleByIndex_v2")?,
                uuid: *library.get(b"nvmlDeviceGetUUID")?,
                name: *library.get(b"nvmlDeviceGetName")?,
                memory: *library.get(b"nvmlDeviceGetMemoryInfo")?,
                memory2: library.get(b"nvmlDeviceGetMemoryInfo_v2").map(|found| *found).ok(),
                mode: library.get(b"nvmlDeviceGetComputeMode").map(|found| *found).ok(),
                processes: lists.collect(),
                instances: Instances::in_library(library).ok(),
            })
        }
    }
}

fn answer(code: nvmlReturn_t) -> Result<(), String> {
    code.ok().map_err(|code| format!("NVML: {}", description(code).to_string_lossy()))
}

fn text(ask: Text, device: nvmlDevice_t) -> Result<String, String> {
    let mut buffer = [0_u8; 128];
    // SAFETY: the buffer is as long as it is said to be.
    answer(unsafe { ask(device, buffer.as_mut_ptr(), buffer.len() as u32) })?;
    let text = CStr::from_bytes_until_nul(&buffer).map_err(|error| error.to_string())?;
    Ok(text.to_string_lossy().into_owned())
}

fn processes(list: Processes, device: nvmlDevice_t) -> Result<Vec<nvmlProcessInfo_t>, String> {
    let mut room = 64_usize;
    // Processes may come while we make room for those that were there.
    for _ in 0..8 {
        let mut infos = vec![nvmlProcessInfo_t::default(); room];
        let mut count = room as u32;
        // SAFETY: there is room for as many entries as are said.
        match unsafe { list(device, &mut count, infos.as_mut_ptr()) } {
            NVML_ERROR_INSUFFICIENT_SIZE => room = (count as usize + 64).min(1 << 16),
            code => {
                answer(code)?;
                infos.truncate(count as usize);
                return Ok(infos);
            }
        }
    }
    Err("NVML: the list of processes does not fit".into())
}

/// Whether the loader's search led to the software GPU's library, which is not what was looked for. It is found in the
/// process's own map of files, and tells itself apart by the variable it reads.
fn is_soft(functions: &Functions) -> bool {
    let address = functions.init as usize;
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let path = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let [start, end] = [start, end].map(|number| usize::from_str_radix(number, 16).unwrap_or(0));
        (start..end).contains(&address).then(|| rest.find('/').map(|at| rest[at..].to_string()))?
    });
    let bytes = path.and_then(|path| fs::read(path).ok()).unwrap_or_default();
    bytes.windows(SOFT.len()).any(|window| window == SOFT)
}

const SOFT: &[u8] = b"CLEAVE_SOFTGPU";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_driver_says_so() {
        if let Err(why) = Nvml::real() {
            assert!(why.starts_with("no libnvidia-ml.so.1 of a driver: "), "{why}");
        }
        assert!(Nvml::soft(Path::new("/nowhere/libnvidia-ml.so.1")).is_err());
    }
}
