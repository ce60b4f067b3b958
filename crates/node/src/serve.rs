//! The daemon's life: one per home, from taking the lock to giving up the socket.

use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::config::{Config, Socket};
use crate::detach_unsafe;
use crate::drivers::Drivers;
use crate::home::Home;
use crate::lifetime;
use crate::metrics::Metrics;
use crate::node::Node;
use crate::server::{self, Shared};
use crate::store::Store;
use crate::sys_unsafe::{self, Peer};

/// How often devices and tenants are looked after.
const ROUND: Duration = Duration::from_millis(250);

/// How long an embedded daemon stays when nobody needs it.
const IDLE: Duration = Duration::from_secs(2);

/// Who reads metrics: somebody of whom nothing is known.
const ANYBODY: Peer = Peer { pid: 0, uid: u32::MAX, gid: u32::MAX };

/// Serves until it is asked to end. Fails if another daemon serves the same home.
pub fn serve(config: Config) -> Result<()> {
    sys_unsafe::hold_end_signals();
    match Daemon::new(config)? {
        Some(daemon) => daemon.run(),
        None => bail!("another daemon serves this home already: `cleave ps` shows it"),
    }
}

/// Starts a daemon that outlives the caller and ends when nobody needs it. Returns when it serves, or when another one does. To
/// be called while the process has one thread and no file open that it needs.
pub fn embed(mut config: Config) -> Result<()> {
    config.embedded = true;
    detach_unsafe::detach(|| {
        config.home.ensure(false)?;
        detach_unsafe::redirect(&config.home.log())?;
        let daemon = Daemon::new(config)?;
        Ok(move || daemon.map_or(Ok(()), Daemon::run))
    })
}

/// A daemon that has its home and its socket.
struct Daemon {
    home: Home,
    embedded: bool,
    listener: UnixListener,
    shared: Arc<Shared>,
    metrics: Option<Metrics>,
    /// Locked as long as the daemon lives.
    _lock: File,
}

impl Daemon {
    /// None if another daemon has the home.
    fn new(config: Config) -> Result<Option<Daemon>> {
        if std::env::var_os(lifetime::VARIABLE).is_some() {
            bail!(
                "a daemon cannot run inside a tenant, where devices are not what they are: unset CLEAVE_TENANT"
            );
        }
        sys_unsafe::usual_mask();
        let home = config.home.clone();
        let Socket { group, everyone } = &config.rules.socket;
        home.ensure(group.is_some() || *everyone)?;
        let path = home.lock();
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let lock = lock.with_context(|| format!("cannot open {}", path.display()))?;
        if !sys_unsafe::lock(&lock).with_context(|| format!("cannot lock {}", path.display()))? {
            return Ok(None);
        }
        // A tenant owns its part of a slot and may cut it short while the daemon has it mapped.
        cleave_slot::survive_truncation().context("cannot handle signals")?;
        sys_unsafe::raise_descriptors();
        let embedded = config.embedded;
        let rules = config.rules.socket.clone();
        let metrics = config.rules.metrics.listen.map(Metrics::bind).transpose()?;
        let shared = Arc::new(take_over(config)?);
        // Last: who can connect is served at once.
        let listener = bind(&home, &rules)?;
        Ok(Some(Daemon { home, embedded, listener, shared, metrics, _lock: lock }))
    }

    fn run(self) -> Result<()> {
        let Daemon { home, embedded, listener, shared, metrics, _lock } = self;
        let serving = shared.clone();
        thread::Builder::new().name("listen".into()).spawn(move || server::listen(&listener, &serving))?;
        if let Some(metrics) = metrics {
            let told = shared.clone();
            let status = move || told.node().status(&ANYBODY);
            thread::Builder::new().name("metrics".into()).spawn(move || metrics.serve(status))?;
        }
        let arbiters = shared.node().arbiters.clone();
        thread::Builder::new().name("arbiters".into()).spawn(move || arbiters.run())?;
        let socket = home.socket();
        thread::Builder::new().name("signals".into()).spawn(move || {
            sys_unsafe::asked_to_end();
            let _ = fs::remove_file(&socket);
            std::process::exit(0);
        })?;
        let mut needed = Instant::now();
        loop {
            shared.round(false);
            if shared.node().has_tenants() || shared.connections() > 0 {
                needed = Instant::now();
            }
            if embedded && needed.elapsed() >= IDLE {
                // Whoever connected meanwhile is not answered, and starts another daemon.
                return fs::remove_file(home.socket()).context("cannot remove the socket");
            }
            rest(&shared);
        }
    }
}

/// Waits for the next round: a while, or until a tenant's main process dies.
fn rest(shared: &Shared) {
    // Own descriptors: tenants come and go while we wait.
    let watched: Vec<_> =
        shared.node().watched().into_iter().filter_map(|fd| fd.try_clone_to_owned().ok()).collect();
    let watched: Vec<_> = watched.iter().map(std::os::fd::AsFd::as_fd).collect();
    if sys_unsafe::readable(&watched, ROUND).is_err() {
        thread::sleep(ROUND);
    }
}

/// Adopts what is in the home, and looks at the devices once.
fn take_over(config: Config) -> Result<Shared> {
    let home = config.home.clone();
    let store = Store::open(home.tenants())?;
    let mut drivers = Drivers::load(&config);
    let view = drivers.look(false);
    let unix_ms = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let about = serde_json::json!({
        "pid": std::process::id(),
        "release": env!("CARGO_PKG_VERSION"),
        "embedded": config.embedded,
        "started_unix_ms": unix_ms(),
    });
    let node = Node::new(config, store, view, softgpu(), Box::new(unix_ms))?;
    let shared = Shared::new(node, drivers);
    shared.round(false);
    fs::write(home.about(), format!("{about:#}\n"))
        .with_context(|| format!("cannot write {}", home.about().display()))?;
    Ok(shared)
}

/// Where the software GPU of this daemon lives; tenants are told, since their variables may name another one.
fn softgpu() -> Option<std::path::PathBuf> {
    let request = cleave_device::Request::of_process().ok()?;
    cleave_device::Folder::find(&request).map(|folder| folder.path)
}

fn bind(home: &Home, rules: &Socket) -> Result<UnixListener> {
    let path = home.socket();
    let doing = |what: &str| format!("cannot {what} {}", path.display());
    // Only one who has the lock gets here: a socket that is left is a dead daemon's. The new one is made beside it, so that
    // nobody connects before its rights are set.
    let draft = path.with_extension("new");
    for old in [&path, &draft] {
        match fs::remove_file(old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).context(doing("remove"));
            }
            _ => {}
        }
    }
    let listener = UnixListener::bind(&draft).with_context(|| doing("listen on"))?;
    let mut mode = 0o600;
    if let Some(name) = &rules.group {
        let group =
            sys_unsafe::group(name).with_context(|| format!("the group {name} of the configuration"))?;
        std::os::unix::fs::chown(&draft, None, Some(group)).with_context(|| doing("give the group"))?;
        mode = 0o660;
    }
    if rules.everyone {
        mode = 0o666;
    }
    fs::set_permissions(&draft, Permissions::from_mode(mode)).with_context(|| doing("set the rights of"))?;
    fs::rename(&draft, &path).with_context(|| doing("make"))?;
    Ok(listener)
}
