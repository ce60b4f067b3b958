//! Names of functions, found without allocation: a look-up may come from a library's constructor, before `main`.

use cleave_api::name::wire_id;

use crate::driver::Library;
use crate::exports_unsafe::{Address, cuda, nvml};

/// A row, as a look-up meets it.
pub struct Known {
    pub name: &'static str,
    pub hook: Address,
}

/// What a name means to us.
pub enum Meaning {
    /// A function with logic: our own stands in for it.
    Hooked(Library, &'static Known),
    /// A function we know and leave alone.
    Plain,
    /// No function of these libraries that we know; it allocates or launches if its name says so.
    Unknown,
}

/// Looks a name up.
pub fn meaning(name: &[u8]) -> Meaning {
    let (library, known, index) = match name {
        [b'c', b'u', ..] => (Library::Cuda, cuda::KNOWN, &CUDA),
        [b'n', b'v', b'm', b'l', ..] => (Library::Nvml, nvml::KNOWN, &NVML),
        _ => return Meaning::Unknown,
    };
    match find(known, index, name) {
        Some(known) if known.hook.0.is_some() => Meaning::Hooked(library, known),
        Some(_) => Meaning::Plain,
        None => Meaning::Unknown,
    }
}

/// Every hooked function of a library.
pub fn hooked(library: Library) -> impl Iterator<Item = (&'static str, *const ())> {
    let known = match library {
        Library::Cuda => cuda::KNOWN,
        Library::Nvml => nvml::KNOWN,
    };
    known.iter().filter_map(|known| Some((known.name, known.hook.0?)))
}

/// Whether a function of this name would allocate or give an engine work, as far as a name can tell. Only asked about functions without a
/// hook: those of families that we know and leave alone do not matter.
pub fn would_matter(name: &[u8]) -> bool {
    const CLASSES: &[&[u8]] = &[
        b"cuMemAlloc",
        b"cuMemCreate",
        b"cuMemPoolCreate",
        b"cuLaunch",
        b"cuGraphLaunch",
        b"cuMemcpy",
        b"cuMemset",
        b"cuMemPrefetch",
        b"cuGraphInstantiate",
        b"cuArrayCreate",
        b"cuArray3DCreate",
        b"cuMipmappedArrayCreate",
        b"cuCtxCreate",
    ];
    let base = core::str::from_utf8(name).map_or("", cleave_api::name::base);
    let left_alone = |known: &Known| known.hook.0.is_none() && cleave_api::name::base(known.name) == base;
    CLASSES.iter().any(|class| name.starts_with(class)) && !cuda::KNOWN.iter().any(left_alone)
}

/// Open addressing by hash: place to number of the row plus one, nought for an empty place.
type Index = [u16; PLACES];
const PLACES: usize = 2048;

static CUDA: Index = index(cuda::NAMES);
static NVML: Index = index(nvml::NAMES);

const fn index(names: &[&str]) -> Index {
    let mut index = [0; PLACES];
    assert!(names.len() < PLACES / 2, "the index of names is too full");
    let mut row = 0;
    while row < names.len() {
        let mut place = wire_id(names[row]) as usize % PLACES;
        while index[place] != 0 {
            place = (place + 1) % PLACES;
        }
        index[place] = row as u16 + 1;
        row += 1;
    }
    index
}

fn find(known: &'static [Known], index: &Index, name: &[u8]) -> Option<&'static Known> {
    let text = core::str::from_utf8(name).ok()?;
    let mut place = wire_id(text) as usize % PLACES;
    loop {
        let known = known.get(usize::from(index[place]).checked_sub(1)?)?;
        if known.name == text {
            return Some(known);
        }
        place = (place + 1) % PLACES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_and_no_other_name_is() {
        for row in cleave_api::CUDA_TABLE.iter().chain(cleave_api::NVML_TABLE) {
            match meaning(row.name.as_bytes()) {
                Meaning::Hooked(_, known) => assert_eq!(known.name, row.name),
                Meaning::Plain => {}
                Meaning::Unknown => panic!("{} is not found", row.name),
            }
        }
        for name in ["cu", "cublasCreate_v2", "cudnnCreate", "curl_easy_init", "cuMemAlloc_v9", "puts", ""] {
            assert!(matches!(meaning(name.as_bytes()), Meaning::Unknown), "{name}");
        }
    }

    #[test]
    fn only_strange_functions_that_allocate_or_launch_are_counted() {
        for name in
            ["cuMemAlloc_v9", "cuLaunchKernelEx_v2", "cuMemAllocOnMoon", "cuMemCreate", "cuMemcpyToMoon"]
        {
            assert!(would_matter(name.as_bytes()), "{name}");
        }
        for name in ["cuLaunchHostFunc_v3", "cuMemAllocHost", "cuInit", "cuMemAdvise_v3"] {
            assert!(!would_matter(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_allocates_or_launches_is_hooked() {
        use cleave_api::columns::Policy;
        for row in cleave_api::CUDA_TABLE {
            let policy = row.columns.policy;
            if policy.has(Policy::CHARGE) || policy.has(Policy::PACE) {
                assert!(matches!(meaning(row.name.as_bytes()), Meaning::Hooked(..)), "{}", row.name);
            }
        }
    }
}
