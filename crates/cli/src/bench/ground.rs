//! Where the workers run: the device, the daemon, and what they find in their environment.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cleave_device::{Machine, Mode, Request};
use cleave_node::Home;

use crate::libraries::{Libraries, SOFTGPU};
use crate::node;
use crate::run::locate_unsafe::locate;

/// Names of variables and their values.
type Variables = Vec<(&'static str, OsString)>;

/// A place to measure at, with a folder of its own that goes away with it.
pub struct Ground {
    folder: PathBuf,
    /// For every worker.
    variables: Variables,
    /// For workers that nobody manages, besides.
    bare: Variables,
    /// The software GPU, and where it is.
    soft: Option<OsString>,
    machine: OnceCell<Option<&'static Machine>>,
    daemon: Option<Child>,
}

impl Ground {
    /// The vendor's driver if there is one; else, or if it is asked for, the software GPU: the one that $CLEAVE_SOFTGPU names, or
    /// a paced one of the bench's own on which kernels as short as `shortest` make sense. `serve`: tenants of Cleave will run, so there must be a daemon that knows the device.
    pub fn find(device: Option<&str>, shortest_ns: u64, serve: bool) -> Result<Ground> {
        let folder = make_folder()?;
        let mut ground = Ground {
            folder,
            variables: Vec::new(),
            bare: Vec::new(),
            soft: None,
            machine: OnceCell::new(),
            daemon: None,
        };
        let named = std::env::var_os("CLEAVE_SOFTGPU");
        let vendor = || {
            let driver = locate("libcuda.so.1");
            driver.is_some_and(|path| path.parent().is_none_or(|folder| !folder.ends_with(SOFTGPU)))
        };
        if device != Some("soft") && (device.is_some() || (named.is_none() && vendor())) {
            if let Some(device) = device.filter(|device| *device != "real") {
                ground.bare.push(("CUDA_VISIBLE_DEVICES", device.into()));
            }
            return Ok(ground);
        }
        let place = match named {
            Some(place) => place,
            None => ground.paced(shortest_ns)?,
        };
        ground.variables.push(("CLEAVE_SOFTGPU", place.clone()));
        ground.soft = Some(place);
        let own_home = ground.folder.join("node");
        let home = if std::env::var_os("CLEAVE_HOME").is_some() { Home::find() } else { Home::at(&own_home) };
        ground.variables.push(("CLEAVE_HOME", home.path().into()));
        home.ensure(false)?;
        ground.bare.push(("LD_LIBRARY_PATH", Libraries::ready(home.path())?.softgpu().into()));
        if serve && home.path() == own_home {
            ground.serve(&home)?;
        }
        Ok(ground)
    }

    /// A folder for one run of several workers.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives a worker its environment.
    pub fn around(&self, command: &mut Command, managed: bool) {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if !managed {
            command.envs(self.bare.iter().map(|(name, value)| (name, value)));
        }
    }

    fn paced(&self, shortest_ns: u64) -> Result<OsString> {
        /// The shortest kernel on the card as it is, at 1 MHz; and how much faster the emulation still keeps up with the clock.
        const SHORTEST_NS: u64 = 150_000;
        const FASTEST_MHZ: u64 = 10;
        let gpu = self.folder.join("gpu");
        fs::create_dir(&gpu)?;
        let mhz = SHORTEST_NS.div_ceil(shortest_ns.max(1)).min(FASTEST_MHZ);
        fs::write(gpu.join("config.toml"), format!("preset = \"paced\"\nclock = \"{mhz}MHz\"\n"))?;
        Ok(gpu.into())
    }

    /// A daemon of the bench's own, so that nothing else is disturbed and nothing is left.
    fn serve(&mut self, home: &Home) -> Result<()> {
        const PATIENCE: Duration = Duration::from_secs(20);
        let log = self.folder.join("node.log");
        let mut command = Command::new(node::myself());
        command.arg("node").stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let daemon = self.daemon.insert(command.spawn().context("cannot start `cleave node`")?);
        let until = Instant::now() + PATIENCE;
        while !home.socket().exists() {
            let ended = daemon.try_wait()?;
            if ended.is_some() || Instant::now() > until {
                bail!(
                    "`cleave node` does not serve: {}",
                    fs::read_to_string(&log).unwrap_or_default().trim()
                );
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The software GPU, once a worker has made it.
    fn machine(&self) -> Option<&'static Machine> {
        let place = self.soft.as_ref()?.to_string_lossy().into_owned();
        *self.machine.get_or_init(|| {
            let variable = |name: &str| std::env::var(name).ok();
            let request = Request::from_env(&|name| match name {
                "CLEAVE_SOFTGPU" => Some(place.clone()),
                "XDG_RUNTIME_DIR" => variable(name),
                _ => None,
            });
            Machine::existing(&request.ok()?).ok().flatten()
        })
    }

    /// For how long the software GPU's clock has stood; None for a card, whose clock does not.
    pub fn slip_ns(&self) -> Option<u64> {
        self.machine().map(|machine| machine.slip_ns(0))
    }

    /// What makes the figures worth less than they look.
    pub fn remark(&self) -> Option<&'static str> {
        match self.soft.is_some().then(|| self.machine().map(|machine| machine.setup().mode))? {
            Some(Mode::Free) => Some(
                "this software GPU runs freely, as fast as the processor lets it: shares of it mean little; CLEAVE_SOFTGPU=paced \
                 names one whose time can be measured",
            ),
            Some(Mode::Paced) => None,
            None => Some("the software GPU could not be looked at: whether its clock stood is not known"),
        }
    }

    /// CPU time that the bench's own daemon has taken.
    pub fn daemon_cpu(&self) -> Option<Cpu> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.daemon.as_ref()?.id())).ok()?;
        let mut cpu = Cpu::default();
        for thread in threads.filter_map(Result::ok).map(|entry| entry.path()) {
            let read = |name: &str| fs::read_to_string(thread.join(name)).unwrap_or_default();
            let ns = read("schedstat").split(' ').next().and_then(|ns| ns.parse::<u64>().ok()).unwrap_or(0);
            cpu.all_ns += ns;
            if read("comm").trim() == "arbiters" {
                cpu.arbiters_ns += ns;
            }
        }
        Some(cpu)
    }
}

/// CPU time of a daemon.
#[derive(Clone, Copy, Default)]
pub struct Cpu {
    /// Of all its threads that are there.
    pub all_ns: u64,
    /// Of the one that gives turns.
    pub arbiters_ns: u64,
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            let _gone_is_fine = daemon.kill();
            let _gone_is_fine = daemon.wait();
        }
        let _absent_is_fine = fs::remove_dir_all(&self.folder);
    }
}

fn make_folder() -> Result<PathBuf> {
    let shm = Path::new("/dev/shm");
    let base = if shm.is_dir() { shm.to_path_buf() } else { std::env::temp_dir() };
    let folder = base.join(format!("cleave-bench-{}", std::process::id()));
    fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}
