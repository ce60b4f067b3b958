//! What a tenant's programs find in their environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use cleave_node::protocol::Started;

use crate::libraries::{Libraries, SHIM};

/// The variable that says which tenant a process belongs to.
pub const TENANT: &str = "CLEAVE_TENANT";
const PRELOAD: &str = "LD_PRELOAD";
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

type Variables = Vec<(OsString, OsString)>;

/// The present variables with what makes a tenant of the process.
pub fn of_tenant(present: Variables, started: &Started, libraries: &Libraries) -> Variables {
    let mut variables = present;
    let preload = preload(get(&variables, PRELOAD), &libraries.shim());
    set(&mut variables, PRELOAD, preload);
    set(&mut variables, TENANT, started.folder.clone().into());
    let uuids: Vec<&str> = started.grants.iter().map(|grant| grant.uuid.as_str()).collect();
    set(&mut variables, VISIBLE, uuids.join(",").into());
    if let Some(folder) = &started.softgpu {
        let path = search(get(&variables, "LD_LIBRARY_PATH"), &libraries.softgpu());
        set(&mut variables, "LD_LIBRARY_PATH", path);
        set(&mut variables, "CLEAVE_SOFTGPU", folder.clone().into());
    }
    variables
}

/// Which devices the caller wanted the program to see, if that is not simply the tenant around us speaking.
pub fn replaced_choice(present: &[(OsString, OsString)]) -> Option<&OsStr> {
    if get(present, TENANT).is_some() {
        return None;
    }
    get(present, VISIBLE)
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

/// A search path that begins with `folder`.
fn search(present: Option<&OsStr>, folder: &Path) -> OsString {
    let folder = folder.as_os_str();
    match present.filter(|path| !path.is_empty()) {
        None => folder.into(),
        Some(path) if path.as_bytes().split(|byte| *byte == b':').next() == Some(folder.as_bytes()) => {
            path.into()
        }
        Some(path) => [folder, path].join(OsStr::new(":")),
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
    fn the_software_gpu_is_found_first() {
        let folder = Path::new("/lib/softgpu");
        assert_eq!(search(None, folder), "/lib/softgpu");
        assert_eq!(search(text(""), folder), "/lib/softgpu");
        assert_eq!(search(text("/x:/y"), folder), "/lib/softgpu:/x:/y");
        assert_eq!(search(text("/lib/softgpu:/y"), folder), "/lib/softgpu:/y");
    }

    #[test]
    fn a_choice_of_the_callers_is_noticed_outside_of_tenants() {
        let visible = (OsString::from(VISIBLE), OsString::from("1"));
        assert_eq!(replaced_choice(std::slice::from_ref(&visible)), text("1"));
        assert_eq!(replaced_choice(&[visible, (TENANT.into(), "/t".into())]), None);
        assert_eq!(replaced_choice(&[]), None);
    }
}
