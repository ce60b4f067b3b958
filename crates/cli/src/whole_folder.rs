//! Folders that appear whole or not at all, in a place that only we can change and that libraries can be loaded from.
//!
//! A folder's name says what is in it, so it never changes: programs that use another one keep theirs.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};

use crate::system_unsafe;

/// The folder called `name`, in the first place that takes it. `whole` tells whether a folder is what it should be, `write` makes
/// one.
pub fn somewhere(
    home: &Path,
    name: &str,
    whole: impl Fn(&Path) -> bool,
    write: impl Fn(&Path) -> io::Result<()>,
) -> Result<PathBuf> {
    let mut reasons = Vec::new();
    for base in bases(home, system_unsafe::user()) {
        match within(&base, name, &whole, &write) {
            Ok(folder) => return Ok(folder),
            Err(error) => reasons.push(format!("{}: {error:#}", base.display())),
        }
    }
    bail!(
        "there is no place for the libraries of tenants; it needs a folder that is writable and not mounted noexec (name one in \
         CLEAVE_HOME). Tried {}",
        reasons.join("; ")
    )
}

/// The folder called `name` in `base`.
pub fn within(
    base: &Path,
    name: &str,
    whole: impl Fn(&Path) -> bool,
    write: impl Fn(&Path) -> io::Result<()>,
) -> Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o755).create(base).context("cannot be made")?;
    // Who owns the folder around it could put another in its place.
    base.parent().into_iter().chain([base]).try_for_each(own)?;
    executable(base)?;
    let folder = base.join(name);
    if own(&folder).is_ok() && whole(&folder) {
        return Ok(folder);
    }
    sweep(base);
    let fresh = base.join(format!(".{name}-{}", unique()));
    let made = fs::create_dir(&fresh)
        // Whatever the umask says: a tenant of another user must get in.
        .and_then(|()| fs::set_permissions(&fresh, Permissions::from_mode(0o755)))
        .and_then(|()| write(&fresh));
    let done = made.and_then(|()| settle(&fresh, &folder, whole));
    let _gone_if_it_was_renamed = fs::remove_dir_all(&fresh);
    done.context("cannot be written")?;
    Ok(folder)
}

/// Gives the fresh folder its name. Whoever came first with the same content wins; a damaged one makes way, which does not
/// disturb programs that have its files mapped.
fn settle(fresh: &Path, folder: &Path, whole: impl Fn(&Path) -> bool) -> io::Result<()> {
    let Err(error) = fs::rename(fresh, folder) else {
        return Ok(());
    };
    if whole(folder) {
        return Ok(());
    }
    if !folder.exists() {
        return Err(error);
    }
    let aside = fresh.with_extension("damaged");
    fs::rename(folder, &aside)?;
    let done = fs::rename(fresh, folder);
    let _litter_is_harmless = fs::remove_dir_all(&aside);
    // Another one may have repaired it in between.
    if whole(folder) { Ok(()) } else { done }
}

/// Places, best first: some systems mount `/run` noexec.
fn bases(home: &Path, user: u32) -> Vec<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut bases = vec![home.join("lib")];
    if user == 0 {
        bases.push("/var/lib/cleave/lib".into());
    } else {
        let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        bases.extend(cache.map(|cache| cache.join("cleave/lib")));
        bases.extend(["/dev/shm", "/tmp"].map(|shared| PathBuf::from(format!("{shared}/cleave-{user}/lib"))));
    }
    bases
}

/// A name that no other process, not even one of another container with the same number, has at this moment.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed), now.as_nanos())
}

/// Removes what somebody began to write and was killed over.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let unfinished = entry.file_name().as_encoded_bytes().starts_with(b".");
        let modified = entry.metadata().and_then(|about| about.modified());
        let old = modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > Duration::from_secs(600)));
        if unfinished && old {
            let _somebody_else_did = fs::remove_dir_all(entry.path());
        }
    }
}

/// Nobody else may be able to change what programs will load.
pub fn own(folder: &Path) -> Result<()> {
    let about =
        fs::symlink_metadata(folder).with_context(|| format!("cannot look at {}", folder.display()))?;
    if !about.is_dir() {
        bail!("{} is not a folder", folder.display());
    }
    if ![system_unsafe::user(), 0].contains(&about.uid()) {
        bail!("{} belongs to user {}", folder.display(), about.uid());
    }
    if about.mode() & 0o022 != 0 {
        bail!("others may write into {} (chmod go-w)", folder.display());
    }
    Ok(())
}

pub fn executable(folder: &Path) -> Result<()> {
    if system_unsafe::mount(folder).is_ok_and(|mount| mount.noexec) {
        bail!(
            "{} is on a file system that is mounted noexec, so that no program could load a library from it",
            folder.display()
        );
    }
    Ok(())
}
