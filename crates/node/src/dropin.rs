//! An empty shared library that stands in the vendor's place: it has the vendor's name, holds no code, and needs the shim
//! first and the real library second. The loader searches in that order, so what the shim hooks is the shim's and all else
//! is the vendor's, for programs linked against the name and for those that `dlopen` it. Nothing is passed through by code
//! of ours, so a driver with functions that we have never heard of loses none. And functions that the shim wraps but this
//! driver does not have are hidden: asked for by `dlsym`, they are null, as with the driver alone.

use std::fs;
use std::io;
use std::path::Path;

/// Which functions a library defines.
mod symbols;

/// Where the file will be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    /// That of this build.
    pub const HERE: Machine = if cfg!(target_arch = "aarch64") { Machine::Aarch64 } else { Machine::X86_64 };

    /// Its number in an ELF header.
    fn number(self) -> u16 {
        match self {
            Machine::X86_64 => 62,
            Machine::Aarch64 => 183,
        }
    }
}

/// The largest page that a kernel of either machine may have.
const PAGE: u64 = 0x1_0000;

const HEADER: u64 = 64;
const SEGMENT: u64 = 56;
const SEGMENTS: u16 = 4;
const SYMBOL: u64 = 24;

/// The tags of a dynamic section that are used here.
mod tag {
    pub const NULL: u64 = 0;
    pub const NEEDED: u64 = 1;
    pub const HASH: u64 = 4;
    pub const STRTAB: u64 = 5;
    pub const SYMTAB: u64 = 6;
    pub const STRSZ: u64 = 10;
    pub const SYMENT: u64 = 11;
    pub const SONAME: u64 = 14;
}

/// Writes the drop-in called `name` into `folder`: the shim `libcleave` in front of `driver`, both by absolute path.
pub fn write(folder: &Path, name: &str, libcleave: &Path, driver: &Path) -> io::Result<()> {
    write_as(folder, name, (libcleave, libcleave), (driver, driver))
}

/// As [`write`], for a place where the two files have other paths: each is given as it is here and as it will be there.
pub fn write_as(
    folder: &Path,
    name: &str,
    libcleave: (&Path, &Path),
    driver: (&Path, &Path),
) -> io::Result<()> {
    let unusable =
        |path: &Path| io::Error::new(io::ErrorKind::InvalidData, format!("{} is no library", path.display()));
    let functions = |path: &Path| symbols::defined(&fs::read(path)?).ok_or_else(|| unusable(path));
    let (ours, theirs) = (functions(libcleave.0)?, functions(driver.0)?);
    let family = family(name);
    let hidden = ours.difference(&theirs).map(String::as_str).filter(|function| function.starts_with(family));
    let hidden: Vec<&str> = hidden.collect();
    let needs = [libcleave.1, driver.1].map(|path| path.to_str().ok_or_else(|| unusable(path)));
    let [libcleave, driver] = needs;
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&draft, library(Machine::HERE, name, &[libcleave?, driver?], &hidden))?;
    fs::rename(draft, folder.join(name))
}

/// How the functions of a library begin. The shim wraps two libraries, and the drop-in of one hides nothing of the other's.
fn family(name: &str) -> &'static str {
    if name.starts_with("libnvidia-ml") { "nvml" } else { "cu" }
}

/// The file: a library called `soname` that needs `needs`, in that order, and hides the functions `hidden` of theirs. A need
/// with a slash is a path, one without is searched for as the loader does.
pub fn library(machine: Machine, soname: &str, needs: &[&str], hidden: &[&str]) -> Vec<u8> {
    let mut names = Names::default();
    let soname = names.add(soname);
    let needs: Vec<u64> = needs.iter().map(|need| names.add(need)).collect();
    let table: Vec<u8> = [vec![0; SYMBOL as usize]]
        .into_iter()
        .chain(hidden.iter().map(|function| symbol(names.add(function))))
        .flatten()
        .collect();
    let hashes = hash_table(hidden);

    // Read only: headers, symbols, the hash table that finds them, the names.
    let symbols = HEADER + u64::from(SEGMENTS) * SEGMENT;
    let hash = symbols + table.len() as u64;
    let text = hash + hashes.len() as u64;
    let fixed = text + names.bytes.len() as u64;
    // The loader writes into the dynamic section, so it has pages of its own: one page further on in memory than in the file.
    let dynamic = fixed.next_multiple_of(16);
    let tags = needs.iter().map(|&need| (tag::NEEDED, need)).chain([
        (tag::SONAME, soname),
        (tag::HASH, hash),
        (tag::STRTAB, text),
        (tag::SYMTAB, symbols),
        (tag::STRSZ, names.bytes.len() as u64),
        (tag::SYMENT, SYMBOL),
        (tag::NULL, 0),
    ]);
    let tags: Vec<u8> =
        tags.flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat()).collect();
    let size = tags.len() as u64;

    let mut file = header(machine);
    file.extend(segment(Kind::Load, Rights::Read, 0, 0, fixed));
    file.extend(segment(Kind::Load, Rights::Write, dynamic, dynamic + PAGE, size));
    file.extend(segment(Kind::Dynamic, Rights::Write, dynamic, dynamic + PAGE, size));
    // Without this the loader would make every stack of the program executable.
    file.extend(segment(Kind::Stack, Rights::Write, 0, 0, 0));
    file.extend(table);
    file.extend(hashes);
    file.extend(&names.bytes);
    file.resize(dynamic as usize, 0);
    file.extend(tags);
    file
}

/// A function at address nought. Its being absolute makes the loader take it for found (glibc since 2.28; older ones and musl
/// look on, and find the shim's, which says that it is not supported).
fn symbol(name: u64) -> Vec<u8> {
    const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
    const ABSOLUTE: u16 = 0xfff1;
    let mut symbol = (name as u32).to_le_bytes().to_vec();
    symbol.extend([GLOBAL_FUNCTION, 0]);
    symbol.extend(ABSOLUTE.to_le_bytes());
    symbol.resize(SYMBOL as usize, 0);
    symbol
}

/// How the loader finds symbols, the first of which is number 1: buckets by hash, and in each a chain.
fn hash_table(names: &[&str]) -> Vec<u8> {
    let buckets = names.len().next_power_of_two();
    let mut bucket = vec![0u32; buckets];
    let mut chain = vec![0u32];
    for (number, name) in (1..).zip(names) {
        let first = &mut bucket[hash(name) as usize % buckets];
        chain.push(std::mem::replace(first, number));
    }
    let lengths = [buckets as u32, chain.len() as u32];
    lengths.into_iter().chain(bucket).chain(chain).flat_map(u32::to_le_bytes).collect()
}

/// The hash that the format prescribes.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

/// Names one after the other, each with its closing zero; the first is empty.
struct Names {
    bytes: Vec<u8>,
}

impl Default for Names {
    fn default() -> Self {
        Names { bytes: vec![0] }
    }
}

impl Names {
    /// Where the name is. A zero inside would cut it, so it ends there.
    fn add(&mut self, name: &str) -> u64 {
        let at = self.bytes.len() as u64;
        self.bytes.extend(name.bytes().take_while(|&byte| byte != 0));
        self.bytes.push(0);
        at
    }
}

fn header(machine: Machine) -> Vec<u8> {
    let mut header = b"\x7fELF\x02\x01\x01".to_vec();
    header.resize(16, 0);
    header.extend(3u16.to_le_bytes()); // a shared object
    header.extend(machine.number().to_le_bytes());
    header.extend(1u32.to_le_bytes());
    header.extend(0u64.to_le_bytes()); // no entry
    header.extend(HEADER.to_le_bytes()); // segments follow the header
    header.extend(0u64.to_le_bytes()); // no sections: only the loader reads this file
    header.extend(0u32.to_le_bytes());
    for number in [HEADER as u16, SEGMENT as u16, SEGMENTS, 0, 0, 0] {
        header.extend(number.to_le_bytes());
    }
    header
}

#[derive(Clone, Copy)]
enum Kind {
    Load = 1,
    Dynamic = 2,
    Stack = 0x6474_e551,
}

#[derive(Clone, Copy)]
enum Rights {
    Read = 4,
    Write = 6,
}

fn segment(kind: Kind, rights: Rights, at: u64, address: u64, size: u64) -> Vec<u8> {
    let align = match kind {
        Kind::Load => PAGE,
        Kind::Dynamic | Kind::Stack => 16,
    };
    let mut bytes = [(kind as u32).to_le_bytes(), (rights as u32).to_le_bytes()].concat();
    for number in [at, address, address, size, size, align] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    #[test]
    fn what_a_reader_finds() {
        for (machine, word) in [(Machine::X86_64, "X86-64"), (Machine::Aarch64, "AArch64")] {
            let folder = Folder::new("read");
            let file = folder.write(
                "libcuda.so.1",
                &library(machine, "libcuda.so.1", &["libcleave.so", "/a/b.so"], &["cuNew"]),
            );
            let text = output(Command::new("readelf").args(["--wide", "-h", "-l", "-d"]).arg(file));
            let at = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word}:\n{text}"));
            assert!(at("[libcleave.so]") < at("[/a/b.so]"), "{text}");
            assert!(text.contains("Library soname: [libcuda.so.1]") && text.contains(word), "{text}");
            assert!(!text.contains("Warning") && !text.contains("Error"), "{text}");
            let stack = text.lines().find(|line| line.contains("GNU_STACK")).expect("a stack line");
            assert!(stack.contains("RW ") && !stack.contains("RWE"), "{stack}");
        }
    }

    /// Both libraries define `cuWhich`; only the first has `cuFirst`, only the second `cuSecond`.
    #[test]
    fn the_first_need_goes_before_the_second() {
        let folder = Folder::new("load");
        let first = "int cuWhich(void) { return 1; } int cuFirst(void) { return 10; } int nvmlFirst(void) { return 11; }";
        let first = folder.c("libfirst.so", first, &["-shared"]);
        let second = "int cuWhich(void) { return 2; } int cuSecond(void) { return 20; }";
        let second = folder.c("libreal.so", second, &["-shared", "-Wl,-soname,libcuda.so.1"]);
        write(&folder.path, "libcuda.so.1", &first, &second).expect("written");

        let opened = r#"
            #include <dlfcn.h>
            #include <stdio.h>
            int main(void) {
                void *drop = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
                if (!drop) return puts(dlerror()), 1;
                int (*cuWhich)(void) = dlsym(drop, "cuWhich"), (*only)(void) = dlsym(drop, "cuSecond");
                void *hidden = dlsym(drop, "cuFirst"), *none = dlsym(drop, "nowhere");
                int (*other)(void) = dlsym(drop, "nvmlFirst");
                printf("%d %d %d %d %d\n", cuWhich(), only(), hidden == 0, none == 0, other());
                return dlclose(drop);
            }"#;
        let opened = folder.c("opened", opened, &["-ldl"]);
        assert_eq!(folder.run(&opened), "1 20 1 1 11\n");

        let linked = r#"
            #include <stdio.h>
            int cuWhich(void), cuSecond(void);
            int main(void) { return printf("%d %d\n", cuWhich(), cuSecond()) < 0; }"#;
        let real = format!("-L{}", folder.path.display());
        let linked = folder.c("linked", linked, &[&real, "-l:libreal.so"]);
        assert_eq!(folder.run(&linked), "1 20\n", "linked against the real one's name");
    }

    #[test]
    fn what_is_no_library_is_an_error() {
        let folder = Folder::new("none");
        let (text, missing) = (folder.write("text.so", b"no library"), folder.path.join("missing.so"));
        assert_eq!(
            write(&folder.path, "l", &text, &text).expect_err("text").kind(),
            io::ErrorKind::InvalidData
        );
        assert_eq!(
            write(&folder.path, "l", &missing, &text).expect_err("missing").kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn every_hidden_name_is_in_the_chain_of_its_hash() {
        let names: Vec<String> = (0..100).map(|i| format!("cuFunction{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let words: Vec<u32> =
            hash_table(&names).as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (buckets, symbols) = (words[0] as usize, words[1] as usize);
        assert_eq!((buckets, symbols, words.len()), (128, 101, 2 + 128 + 101));
        for (number, name) in (1..).zip(&names) {
            let mut at = words[2 + hash(name) as usize % buckets];
            while at != number {
                assert_ne!(at, 0, "{name} is not found");
                at = words[2 + buckets + at as usize];
            }
        }
        // From the format's own description.
        assert_eq!(hash("printf"), 0x077905a6);
    }

    struct Folder {
        path: PathBuf,
    }

    impl Folder {
        fn new(name: &str) -> Folder {
            let base = Path::new("/dev/shm");
            let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
            let path = base.join(format!("cleave-dropin-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a folder");
            Folder { path }
        }

        fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.path.join(name);
            std::fs::write(&path, bytes).expect("written");
            path
        }

        fn c(&self, name: &str, source: &str, words: &[&str]) -> PathBuf {
            let (source, path) = (self.write(&format!("{name}.c"), source.as_bytes()), self.path.join(name));
            output(Command::new("gcc").arg("-fPIC").arg("-o").arg(&path).arg(source).args(words));
            path
        }

        fn run(&self, program: &Path) -> String {
            output(Command::new(program).env("LD_LIBRARY_PATH", &self.path).env("LD_BIND_NOW", "1"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _already_gone_is_fine = std::fs::remove_dir_all(&self.path);
        }
    }

    fn output(command: &mut Command) -> String {
        let output = command.output().expect("started");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text + &String::from_utf8_lossy(&output.stderr)
    }
}
