//! An empty shared library that stands in the vendor's place: it has the vendor's name, holds no code, and needs the shim
//! first and the real library second. The loader searches in that order, so what the shim hooks is the shim's and all else
//! is the vendor's, for programs linked against the name and for those that `dlopen` it. Nothing is passed through by code
//! of ours, so a driver with functions that we have never heard of loses none.

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

/// The file: a library called `soname` that needs `needs`, in that order. A need with a slash is a path, one without is
/// searched for as the loader does.
pub fn library(machine: Machine, soname: &str, needs: &[&str]) -> Vec<u8> {
    let mut names = Names::default();
    let soname = names.add(soname);
    let needs: Vec<u64> = needs.iter().map(|need| names.add(need)).collect();

    // Read only: headers, one empty symbol, a hash table that finds nothing, the names.
    let symbols = HEADER + u64::from(SEGMENTS) * SEGMENT;
    let hash = symbols + SYMBOL;
    let text = hash + 4 * 4;
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
    file.resize(hash as usize, 0);
    file.extend([1u32, 1, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    file.extend(&names.bytes);
    file.resize(dynamic as usize, 0);
    file.extend(tags);
    file
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
            let file =
                folder.write("libcuda.so.1", &library(machine, "libcuda.so.1", &["libcleave.so", "/a/b.so"]));
            let text = output(Command::new("readelf").args(["--wide", "-h", "-l", "-d"]).arg(file));
            let at = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word}:\n{text}"));
            assert!(at("[libcleave.so]") < at("[/a/b.so]"), "{text}");
            assert!(text.contains("Library soname: [libcuda.so.1]") && text.contains(word), "{text}");
            assert!(!text.contains("Warning") && !text.contains("Error"), "{text}");
            let stack = text.lines().find(|line| line.contains("GNU_STACK")).expect("a stack line");
            assert!(stack.contains("RW ") && !stack.contains("RWE"), "{stack}");
        }
    }

    /// Both libraries define `which`; only the second has `only_second`.
    #[test]
    fn the_first_need_goes_before_the_second() {
        let folder = Folder::new("load");
        let first = folder.c("libfirst.so", "int which(void) { return 1; }", &["-shared"]);
        let second = "int which(void) { return 2; } int only_second(void) { return 20; }";
        let second = folder.c("libreal.so", second, &["-shared", "-Wl,-soname,libdrop.so.1"]);
        let needs = [first.to_str().expect("text"), second.to_str().expect("text")];
        folder.write("libdrop.so.1", &library(Machine::HERE, "libdrop.so.1", &needs));

        let opened = r#"
            #include <dlfcn.h>
            #include <stdio.h>
            int main(void) {
                void *drop = dlopen("libdrop.so.1", RTLD_NOW | RTLD_LOCAL);
                if (!drop) return puts(dlerror()), 1;
                int (*which)(void) = dlsym(drop, "which"), (*only)(void) = dlsym(drop, "only_second");
                void *none = dlsym(drop, "nowhere");
                printf("%d %d %d\n", which(), only(), none == 0);
                return dlclose(drop);
            }"#;
        let opened = folder.c("opened", opened, &["-ldl"]);
        assert_eq!(folder.run(&opened), "1 20 1\n");

        let linked = r#"
            #include <stdio.h>
            int which(void), only_second(void);
            int main(void) { return printf("%d %d\n", which(), only_second()) < 0; }"#;
        let real = format!("-L{}", folder.path.display());
        let linked = folder.c("linked", linked, &[&real, "-l:libreal.so"]);
        assert_eq!(folder.run(&linked), "1 20\n", "linked against the real one's name");
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
