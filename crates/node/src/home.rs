//! The home folder of a daemon: where it is, what is in it, whom it may belong to.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::sys_unsafe;

/// The value of a variable of the environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Names the home folder.
pub const VARIABLE: &str = "CLEAVE_HOME";

/// The folder a daemon keeps everything in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    /// Whoever asks named the folder himself, so it may belong to anyone.
    named: bool,
}

impl Home {
    /// The home of the daemon this process should talk to.
    pub fn find() -> Home {
        let lookup = |name: &str| std::env::var_os(name).and_then(|value| value.into_string().ok());
        Home::of(&lookup, sys_unsafe::user(), Path::new("/run/cleave"), Path::new("/dev/shm"))
    }

    /// The folder at `path`, named by whoever asks.
    pub fn at(path: impl Into<PathBuf>) -> Home {
        Home { path: path.into(), named: true }
    }

    /// The home of the daemon that made the tenant in `folder`.
    pub fn of_tenant(folder: &Path) -> Option<Home> {
        let tenants = folder.parent().filter(|path| path.ends_with(TENANTS))?;
        tenants.parent().map(Home::at)
    }

    fn of(lookup: Lookup, user: u32, machine: &Path, shm: &Path) -> Home {
        let unnamed = |path: PathBuf| Home { path, named: false };
        let absolute = |name| lookup(name).filter(|path| path.starts_with('/')).map(PathBuf::from);
        if let Some(path) = absolute(VARIABLE) {
            return Home::at(path);
        }
        let shared = unnamed(machine.into());
        if user == 0 || shared.invites() {
            return shared;
        }
        let own =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|about| about.is_dir() && about.uid() == user);
        match absolute("XDG_RUNTIME_DIR").filter(own) {
            Some(runtime) => unnamed(runtime.join("cleave")),
            None => unnamed(shm.join(format!("cleave-{user}"))),
        }
    }

    /// Whether root's daemon means to serve others than root: its socket has a group, or is for all. One that does not admit
    /// us is refused later by the kernel, and said; going around it would grant the same memory twice.
    fn invites(&self) -> bool {
        fs::metadata(self.socket()).is_ok_and(|about| about.uid() == 0 && about.mode() & 0o066 != 0)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where clients connect.
    pub fn socket(&self) -> PathBuf {
        self.path.join("node.sock")
    }

    /// Held by the daemon: one per home.
    pub fn lock(&self) -> PathBuf {
        self.path.join("node.lock")
    }

    /// What the last daemon was.
    pub fn about(&self) -> PathBuf {
        self.path.join("node.json")
    }

    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// What an embedded daemon has to say.
    pub fn log(&self) -> PathBuf {
        self.path.join("node.log")
    }

    pub fn tenants(&self) -> PathBuf {
        self.path.join(TENANTS)
    }

    /// Unpacked libraries, a folder per content.
    pub fn libraries(&self) -> PathBuf {
        self.path.join("lib")
    }

    /// Makes the folder if it is not there, and checks it. `shared`: others than the daemon's user pass through it.
    pub fn ensure(&self, shared: bool) -> Result<()> {
        let mode = if shared || sys_unsafe::user() == 0 { 0o755 } else { 0o700 };
        let made = DirBuilder::new().recursive(true).mode(mode).create(&self.path);
        made.with_context(|| format!("cannot make {}", self.path.display()))?;
        self.check(sys_unsafe::user())?;
        let owner = fs::metadata(&self.path)?.uid();
        if owner != sys_unsafe::user() {
            bail!(
                "{} belongs to user {owner}: the daemon would have to run as that user",
                self.path.display()
            );
        }
        Ok(())
    }

    /// Whether the folder is there and nobody else can have prepared it for `user`: programs are started with libraries from it.
    pub fn check(&self, user: u32) -> Result<bool> {
        let about = match fs::metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot look at {}", self.path.display()));
            }
        };
        let path = self.path.display();
        if !about.is_dir() {
            bail!("{path} is not a folder: remove it, or name another one in {VARIABLE}");
        }
        if about.mode() & 0o022 != 0 {
            bail!("others may write into {path}: take that right away (chmod go-w {path})");
        }
        let owner = about.uid();
        if !self.named && ![user, 0].contains(&owner) {
            bail!("{path} belongs to user {owner}: remove it, or name it in {VARIABLE} if you mean it");
        }
        Ok(true)
    }
}

const TENANTS: &str = "tenants";

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::scratch::Scratch;

    fn find(variables: &[(&str, &str)], user: u32, machine: &Path) -> PathBuf {
        let lookup = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.to_string())
        };
        Home::of(&lookup, user, machine, Path::new("/dev/shm")).path
    }

    #[test]
    fn home_is_where_the_design_says() {
        let scratch = Scratch::new();
        let machine = scratch.path().join("machine");
        assert_eq!(find(&[("CLEAVE_HOME", "/a/b")], 7, &machine), Path::new("/a/b"));
        assert_eq!(find(&[("CLEAVE_HOME", "a/b")], 0, &machine), machine, "a relative path names nothing");
        assert_eq!(find(&[], 7, &machine), Path::new("/dev/shm/cleave-7"));
        let runtime = scratch.path().to_str().unwrap();
        assert_eq!(
            find(&[("XDG_RUNTIME_DIR", runtime)], sys_unsafe::user() + 1, &machine).parent().unwrap(),
            Path::new("/dev/shm"),
            "a runtime folder of another user is not ours"
        );
    }

    #[test]
    fn a_socket_of_roots_with_a_group_invites_users() {
        let scratch = Scratch::new();
        let socket = scratch.path().join("node.sock");
        fs::write(&socket, "").unwrap();
        let root = fs::metadata(&socket).unwrap().uid() == 0;
        fs::set_permissions(&socket, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(find(&[], 7, scratch.path()), Path::new("/dev/shm/cleave-7"));
        fs::set_permissions(&socket, Permissions::from_mode(0o660)).unwrap();
        if root {
            assert_eq!(find(&[], 7, scratch.path()), scratch.path());
        }
    }

    #[test]
    fn a_folder_others_prepared_is_not_trusted() {
        let scratch = Scratch::new();
        let user = sys_unsafe::user();
        let home = Home { path: scratch.path().join("home"), named: false };
        assert!(!home.check(user).unwrap());
        home.ensure(false).unwrap();
        assert!(home.check(user).unwrap());
        if user != 0 {
            assert!(home.check(user + 1).is_err());
        }
        fs::set_permissions(&home.path, Permissions::from_mode(0o777)).unwrap();
        assert!(home.check(user).unwrap_err().to_string().contains("chmod go-w"));
        assert!(home.ensure(false).is_err());
    }

    #[test]
    fn a_tenant_knows_its_home() {
        assert_eq!(Home::of_tenant(Path::new("/h/tenants/x")), Some(Home::at("/h")));
        assert_eq!(Home::of_tenant(Path::new("/run/cleave/tenant")), None);
    }
}
