//! What a tenant's programs find in their environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use anyhow::{Result, anyhow};
use cleave_node::protocol::Started;

use crate::front::is_front;
use crate::libraries::{Libraries, SHIM, SOFTGPU};

/// The variable that says which tenant a process belongs to.
pub const TENANT: &str = "CLEAVE_TENANT";
const PRELOAD: &str = "LD_PRELOAD";
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";
const SEARCH: &str = "LD_LIBRARY_PATH";
/// How HAMi's containers say whose work goes first.
const PRIORITY: &str = "CUDA_TASK_PRIORITY";

type Variables = Vec<(OsString, OsString)>;

/// The present variables with what makes a tenant of the process, and without what made it one of another.
pub fn of_tenant(present: Variables, started: &Started, libraries: &Libraries) -> Variables {
    let mut variables = present;
    let preload = preload(get(&variables, PRELOAD), &libraries.shim());
    set(&mut variables, PRELOAD, preload);
    set(&mut variables, TENANT, started.folder.clone().into());
    let uuids: Vec<&str> = started.grants.iter().map(|grant| grant.uuid.as_str()).collect();
    set(&mut variables, VISIBLE, uuids.join(",").into());
    let others = get(&variables, SEARCH).map(without_ours).unwrap_or_default();
    let softgpu = started.softgpu.is_some().then(|| libraries.softgpu());
    search_first(&mut variables, softgpu.as_deref(), &others);
    if let Some(folder) = &started.softgpu {
        set(&mut variables, "CLEAVE_SOFTGPU", folder.clone().into());
    }
    variables
}

/// Puts a folder before all others that libraries are searched in.
pub fn with_front(variables: &mut Variables, front: &Path) {
    let others = get(variables, SEARCH).unwrap_or_default().to_os_string();
    search_first(variables, Some(front), &others);
}

/// Which devices the caller wanted the program to see, if that is not simply the tenant around us speaking.
pub fn replaced_choice(present: &[(OsString, OsString)]) -> Option<&OsStr> {
    if get(present, TENANT).is_some() {
        return None;
    }
    get(present, VISIBLE)
}

/// The priority that HAMi's variable stands for: 0 goes before the others, whatever is more is one of them.
pub fn priority(present: &[(OsString, OsString)]) -> Result<i32> {
    let Some(text) = get(present, PRIORITY).filter(|text| !text.is_empty()) else { return Ok(0) };
    let text = text.to_string_lossy();
    // It was meant to say something, so nonsense is not passed over.
    let number: Option<u32> = text.trim().parse().ok();
    let number = number.ok_or_else(|| {
        anyhow!("{PRIORITY}={text} is no priority: give 0 (high) or 1 (low), or a number by --priority")
    })?;
    Ok(i32::from(number == 0))
}

/// What is preloaded already keeps its place; ours comes last, so that allocators and sanitizers find themselves first. Another
/// copy of the shim, as an outer tenant has it, would charge everything twice.
fn preload(present: Option<&OsStr>, shim: &Path) -> OsString {
    let present = present.map_or(&b""[..], OsStr::as_bytes);
    let others = present.split(|byte| matches!(byte, b':' | b' ')).filter(|entry| {
        !entry.is_empty() && Path::new(OsStr::from_bytes(entry)).file_name() != Some(SHIM.as_ref())
    });
    let entries: Vec<&[u8]> = others.chain([shim.as_os_str().as_bytes()]).collect();
    OsString::from_vec(entries.join(&b':'))
}

/// A search path without the folders that an outer tenant put there.
fn without_ours(path: &OsStr) -> OsString {
    let folders =
        path.as_bytes().split(|byte| *byte == b':').map(|folder| Path::new(OsStr::from_bytes(folder)));
    let others = folders.filter(|folder| !is_front(folder) && !folder.ends_with(SOFTGPU));
    let others: Vec<&OsStr> = others.map(Path::as_os_str).collect();
    others.join(OsStr::new(":"))
}

/// An empty search path would mean the working directory, so there is none then.
fn search_first(variables: &mut Variables, folder: Option<&Path>, others: &OsStr) {
    let parts = [folder.map(Path::as_os_str), Some(others).filter(|others| !others.is_empty())];
    let parts: Vec<&OsStr> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        variables.retain(|(variable, _)| variable != SEARCH);
    } else {
        set(variables, SEARCH, parts.join(OsStr::new(":")));
    }
}

fn get<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables.iter().find(|(variable, _)| variable == name).map(|(_, value)| value.as_os_str())
}

fn set(variables: &mut Variables, name: &str, value: OsString) {
    variables.retain(|(variable, _)| variable != name);
    variables.push((name.into(), value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Option<&OsStr> {
        Some(OsStr::new(value))
    }

    #[test]
    fn what_is_preloaded_stays_and_the_shim_is_there_once() {
        let shim = Path::new("/new/libcleave.so");
        assert_eq!(preload(None, shim), "/new/libcleave.so");
        assert_eq!(preload(text(""), shim), "/new/libcleave.so");
        assert_eq!(preload(text("/a.so b.so:/c.so"), shim), "/a.so:b.so:/c.so:/new/libcleave.so");
        assert_eq!(
            preload(text("/old/libcleave.so:/a.so"), shim),
            "/a.so:/new/libcleave.so",
            "not two of them"
        );
    }

    #[test]
    fn a_priority_of_hamis_is_read() {
        let read = |text: &str| priority(&[(PRIORITY.into(), text.into())]);
        assert_eq!((priority(&[]).unwrap(), read("").unwrap()), (0, 0));
        assert_eq!((read("0").unwrap(), read("1").unwrap(), read("7").unwrap()), (1, 0, 0));
        let wrong = read("high").unwrap_err().to_string();
        assert!(wrong.starts_with("CUDA_TASK_PRIORITY=high is no priority: give 0 (high) or 1"), "{wrong}");
    }

    #[test]
    fn what_is_searched_first_is_there_once() {
        assert_eq!(without_ours(OsStr::new("/l/front-1:/l/softgpu:/x:/y")), "/x:/y");
        assert_eq!(without_ours(OsStr::new("/l/front-1:/l/softgpu")), "");
        let path = |present: &str, folder: &str| {
            let mut variables = vec![(SEARCH.into(), present.into())];
            with_front(&mut variables, Path::new(folder));
            variables
        };
        assert_eq!(path("/x:/y", "/f"), [(SEARCH.into(), "/f:/x:/y".into())]);
        assert_eq!(path("", "/f"), [(SEARCH.into(), "/f".into())]);
        let mut variables = vec![(SEARCH.into(), "".into())];
        search_first(&mut variables, None, OsStr::new(""));
        assert_eq!(variables, [], "an empty one would be the working directory");
    }

    #[test]
    fn a_choice_of_the_callers_is_noticed_outside_of_tenants() {
        let visible = (OsString::from(VISIBLE), OsString::from("1"));
        assert_eq!(replaced_choice(std::slice::from_ref(&visible)), text("1"));
        assert_eq!(replaced_choice(&[visible, (TENANT.into(), "/t".into())]), None);
        assert_eq!(replaced_choice(&[]), None);
    }
}
