//! What is loaded into this process, as the loader knows it: no allocation, no lock of ours, so it works before `main` and
//! inside other libraries' constructors.

use core::ffi::{CStr, c_char, c_int, c_void};

/// A loaded program or library.
#[derive(Clone, Copy)]
pub struct Object {
    bias: usize,
    headers: *const libc::Elf64_Phdr,
    count: usize,
    name: *const c_char,
}

/// The entries of a dynamic section that a look-up needs.
#[derive(Default)]
struct Tables {
    symbols: usize,
    strings: usize,
    gnu_hash: usize,
    hash: usize,
}

const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const STT_NOTYPE: u8 = 0;
const STT_FUNC: u8 = 2;

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

/// Shows every loaded object to `look`, in the order of the loader, until it gives an answer.
pub fn each<T>(mut look: impl FnMut(&Object) -> Option<T>) -> Option<T> {
    struct Walk<'a, T> {
        look: &'a mut dyn FnMut(&Object) -> Option<T>,
        answer: Option<T>,
    }
    unsafe extern "C" fn step<T>(info: *mut libc::dl_phdr_info, _: usize, walk: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid entry, and the pointer that was given to it below.
        let (info, walk) = unsafe { (&*info, &mut *walk.cast::<Walk<'_, T>>()) };
        let object = Object {
            bias: info.dlpi_addr as usize,
            headers: info.dlpi_phdr,
            count: usize::from(info.dlpi_phnum),
            name: info.dlpi_name,
        };
        walk.answer = (walk.look)(&object);
        c_int::from(walk.answer.is_some())
    }
    let mut walk = Walk { look: &mut look, answer: None };
    // SAFETY: `walk` outlives the call, which runs `step` on this thread only.
    unsafe { libc::dl_iterate_phdr(Some(step::<T>), (&raw mut walk).cast()) };
    walk.answer
}

/// The object that holds an address. Asked in look-ups, also by a child that was forked while another thread was inside the
/// loader: `dladdr` takes a lock that the C library frees in children, walking the list takes one that it does not.
pub fn holding(address: usize) -> Option<Object> {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the loader looks an address up, any address, and fills our own variable.
    if unsafe { libc::dladdr(address as *const c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: zeroes are a valid value, and it was filled.
    let info = unsafe { info.assume_init() };
    let start = info.dli_fbase as usize;
    // SAFETY: the first bytes of a loaded object are its header, and the table of segments is in the same segment.
    let header = unsafe { (info.dli_fbase as *const libc::Elf64_Ehdr).as_ref() }?;
    if header.e_ident[..4] != *b"\x7fELF" {
        return None;
    }
    let headers = (start + header.e_phoff as usize) as *const libc::Elf64_Phdr;
    let mut object = Object { bias: 0, headers, count: usize::from(header.e_phnum), name: info.dli_fname };
    let first = object.headers().iter().find(|header| header.p_type == libc::PT_LOAD)?;
    object.bias = start.wrapping_sub(first.p_vaddr as usize & !(PAGE - 1));
    Some(object)
}

/// What the loader maps whole.
const PAGE: usize = 4096;

/// The last part of a path.
pub fn file_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Whether the library behind a handle of `dlopen` has a path like this.
pub fn is_called(handle: *mut c_void, like: impl FnOnce(&[u8]) -> bool) -> bool {
    /// What the loader shows of an object; more follows that nobody needs here.
    #[repr(C)]
    struct LinkMap {
        address: usize,
        name: *const c_char,
    }
    let mut map: *const LinkMap = core::ptr::null();
    // SAFETY: the program's own handle, which it just looked something up in; the answer is the loader's entry of it.
    let asked = unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) };
    if asked != 0 || map.is_null() {
        return false;
    }
    // SAFETY: the loader's entry of a loaded object, whose name is zero-terminated or missing.
    let name = unsafe { (*map).name };
    // SAFETY: as above.
    !name.is_null() && like(unsafe { CStr::from_ptr(name) }.to_bytes())
}

impl Object {
    /// Its path, as the loader has it; empty for the program itself.
    pub fn path(&self) -> &CStr {
        if self.name.is_null() {
            return c"";
        }
        // SAFETY: the loader's name of a loaded object is zero-terminated.
        unsafe { CStr::from_ptr(self.name) }
    }

    /// Whether it is loaded at this address.
    pub fn holds(&self, address: usize) -> bool {
        self.headers().iter().filter(|header| header.p_type == libc::PT_LOAD).any(|header| {
            let start = self.bias.wrapping_add(header.p_vaddr as usize);
            address.wrapping_sub(start) < header.p_memsz as usize
        })
    }

    /// The address of a function that it defines itself.
    pub fn function(&self, name: &[u8]) -> Option<usize> {
        let tables = self.tables()?;
        match tables.gnu_hash {
            0 => self.by_hash(&tables, name),
            _ => self.by_gnu_hash(&tables, name),
        }
    }

    fn headers(&self) -> &[libc::Elf64_Phdr] {
        if self.headers.is_null() {
            return &[];
        }
        // SAFETY: the loader's own table of the object, mapped as long as the object is.
        unsafe { core::slice::from_raw_parts(self.headers, self.count) }
    }

    fn tables(&self) -> Option<Tables> {
        let header = self.headers().iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = (self.bias.wrapping_add(header.p_vaddr as usize)) as *const Dynamic;
        let mut tables = Tables::default();
        loop {
            // SAFETY: a dynamic section ends with an entry of tag zero.
            let Dynamic { tag, value } = unsafe { entry.read() };
            // glibc relocates these entries in place, musl and the kernel's own object do not.
            let address = if value < self.bias { self.bias.wrapping_add(value) } else { value };
            match tag {
                0 => break,
                DT_HASH => tables.hash = address,
                DT_STRTAB => tables.strings = address,
                DT_SYMTAB => tables.symbols = address,
                DT_GNU_HASH => tables.gnu_hash = address,
                _ => {}
            }
            // SAFETY: the end is not reached yet.
            entry = unsafe { entry.add(1) };
        }
        let usable = tables.symbols != 0 && tables.strings != 0 && (tables.hash | tables.gnu_hash) != 0;
        usable.then_some(tables)
    }

    fn by_gnu_hash(&self, tables: &Tables, name: &[u8]) -> Option<usize> {
        let hash =
            name.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        let words = tables.gnu_hash as *const u32;
        // SAFETY: the table begins with four words; filter, buckets and chains follow in the lengths they state, and a chain
        // ends at a word whose lowest bit is set.
        unsafe {
            let (buckets, first, filter) = (*words, *words.add(1), *words.add(2) as usize);
            if buckets == 0 {
                return None;
            }
            let bucket = words.add(4 + 2 * filter);
            let chain = bucket.add(buckets as usize);
            let mut index = *bucket.add((hash % buckets) as usize);
            if index < first {
                return None;
            }
            loop {
                let other = *chain.add((index - first) as usize);
                if other | 1 == hash | 1 && self.is_called(tables, index, name) {
                    return self.address(tables, index);
                }
                if other & 1 == 1 {
                    return None;
                }
                index += 1;
            }
        }
    }

    fn by_hash(&self, tables: &Tables, name: &[u8]) -> Option<usize> {
        let words = tables.hash as *const u32;
        // SAFETY: the table begins with two lengths; its second counts the symbols.
        let count = unsafe { *words.add(1) };
        (1..count).find(|index| self.is_called(tables, *index, name)).and_then(|i| self.address(tables, i))
    }

    fn is_called(&self, tables: &Tables, index: u32, name: &[u8]) -> bool {
        let symbol = symbol(tables, index);
        // SAFETY: a symbol's name is an offset into the string table.
        let text = unsafe { CStr::from_ptr((tables.strings + symbol.st_name as usize) as *const c_char) };
        text.to_bytes() == name
    }

    /// Where it is, if the object defines it as a function.
    fn address(&self, tables: &Tables, index: u32) -> Option<usize> {
        let symbol = symbol(tables, index);
        let function = matches!(symbol.st_info & 15, STT_FUNC | STT_NOTYPE);
        (symbol.st_shndx != 0 && function).then(|| self.bias.wrapping_add(symbol.st_value as usize))
    }
}

fn symbol(tables: &Tables, index: u32) -> libc::Elf64_Sym {
    // SAFETY: the index comes from the object's own hash table.
    unsafe { (tables.symbols as *const libc::Elf64_Sym).add(index as usize).read() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_libc_is_found_where_the_loader_has_it() {
        let libc =
            each(|object| file_of(object.path().to_bytes()).starts_with(b"libc.so").then_some(*object))
                .expect("libc is loaded");
        let found = libc.function(b"getpid").expect("libc has getpid");
        // SAFETY: a look-up by name.
        let theirs = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"getpid".as_ptr()) };
        assert_eq!(found, theirs as usize);
        assert_eq!(holding(found).expect("somebody holds it").path(), libc.path());
    }

    #[test]
    fn what_an_object_only_uses_it_does_not_define() {
        let own = holding(holding as *const () as usize).expect("this program is loaded");
        assert_eq!(own.function(b"getpid"), None);
        assert_eq!(own.function(b"no such function"), None);
    }
}
