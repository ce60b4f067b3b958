//! The program to run: where it is, and whether the shim can ride in it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::elf::{self, Form};
use crate::system_unsafe;

/// Why there is nothing to run. Shells end with 127 and 126 then.
#[derive(Debug, PartialEq, Eq)]
pub enum Missing {
    NotFound(String),
    NotExecutable(String),
}

/// Looks for a program as a shell does: by its path if there is a `/` in the name, else in the folders of `path`.
pub fn find(name: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, Missing> {
    let shown = name.to_string_lossy();
    if name.as_encoded_bytes().contains(&b'/') {
        let program = PathBuf::from(name);
        return match fs::metadata(&program) {
            Err(error) => Err(Missing::NotFound(format!("cannot run {shown}: {error}"))),
            Ok(about) if about.is_dir() => {
                Err(Missing::NotExecutable(format!("cannot run {shown}: it is a folder")))
            }
            Ok(_) if !system_unsafe::may_execute(&program) => Err(Missing::NotExecutable(format!(
                "cannot run {shown}: it is not executable (chmod +x {shown})"
            ))),
            Ok(_) => Ok(program),
        };
    }
    // What execvp takes where there is no PATH.
    let folders = path.unwrap_or(OsStr::new("/bin:/usr/bin"));
    let mut unfit = None;
    for folder in std::env::split_paths(folders) {
        // An empty entry is the working directory.
        let program =
            if folder.as_os_str().is_empty() { Path::new(".").join(name) } else { folder.join(name) };
        if program.is_file() && !name.is_empty() {
            if system_unsafe::may_execute(&program) {
                return Ok(program);
            }
            unfit.get_or_insert(program);
        }
    }
    Err(match unfit {
        Some(program) => {
            Missing::NotExecutable(format!("cannot run {shown}: {} is not executable", program.display()))
        }
        None => {
            Missing::NotFound(format!("cannot find {shown} in PATH: is it spelt right, and installed here?"))
        }
    })
}

/// Whether a shell could read it: a text without a first line that names its interpreter.
pub fn is_text(program: &Path) -> bool {
    head(program).is_some_and(|head| elf::form(&head) == Form::Other && !head.contains(&0))
}

/// Why the shim cannot ride in a program; None if it can.
pub fn cannot_carry(program: &Path) -> Option<String> {
    let mut program = program.to_path_buf();
    // The kernel follows as many scripts.
    for _ in 0..5 {
        if let Some(reason) = privileged(&program) {
            return Some(reason);
        }
        let shown = program.display();
        return match elf::form(&head(&program)?) {
            Form::Script { interpreter } => {
                program = interpreter;
                continue;
            }
            Form::Program { loader: None } => Some(format!("{shown} is linked statically")),
            Form::Program { loader: Some(loader) } => {
                let musl = loader.file_name()?.as_encoded_bytes().starts_with(b"ld-musl");
                musl.then(|| format!("{shown} uses the musl C library"))
            }
            Form::Foreign => Some(format!("{shown} is for another kind of processor than the library")),
            // The kernel, or the shell, will say what is wrong with it.
            Form::Other => None,
        };
    }
    None
}

/// The beginning of a file, if it can be read.
fn head(program: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(program).ok()?.take(elf::HEAD as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Programs that run with other rights than their caller's are loaded without LD_PRELOAD.
fn privileged(program: &Path) -> Option<String> {
    const SETUID: u32 = 0o4000;
    const SETGID: u32 = 0o2010;
    let about = fs::metadata(program).ok()?;
    if system_unsafe::mount(program).is_ok_and(|mount| mount.nosuid) {
        return None;
    }
    let shown = program.display();
    if about.mode() & SETUID != 0 && about.uid() != system_unsafe::user() {
        return Some(format!("{shown} runs as user {} (setuid)", about.uid()));
    }
    if about.mode() & SETGID == SETGID && about.gid() != system_unsafe::group() {
        return Some(format!("{shown} runs as group {} (setgid)", about.gid()));
    }
    (system_unsafe::user() != 0 && system_unsafe::has_capabilities(program))
        .then(|| format!("{shown} has capabilities of its own"))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let scratch = Scratch::new();
        let [first, second] = ["first", "second"].map(|name| scratch.path().join(name));
        for folder in [&first, &second] {
            fs::create_dir(folder).unwrap();
        }
        let path = std::env::join_paths([&first, &second]).unwrap();
        let look = |name: &str| find(OsStr::new(name), Some(&path));
        assert!(matches!(look("tool"), Err(Missing::NotFound(_))));
        fs::write(first.join("tool"), "").unwrap();
        assert!(matches!(look("tool"), Err(Missing::NotExecutable(_))));
        fs::write(second.join("tool"), "").unwrap();
        fs::set_permissions(second.join("tool"), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(look("tool"), Ok(second.join("tool")), "one that is not executable is passed over");
        let direct = second.join("tool");
        assert_eq!(look(direct.to_str().unwrap()), Ok(direct));
        assert!(matches!(look(first.join("tool").to_str().unwrap()), Err(Missing::NotExecutable(_))));
        assert!(matches!(look(first.to_str().unwrap()), Err(Missing::NotExecutable(_))));
        assert!(matches!(look("/no/such/tool"), Err(Missing::NotFound(_))));
        assert!(matches!(look(""), Err(Missing::NotFound(_))));
    }

    #[test]
    fn our_own_kind_of_program_can_carry_the_shim() {
        assert_eq!(cannot_carry(&std::env::current_exe().unwrap()), None);
        let scratch = Scratch::new();
        let script = scratch.path().join("script");
        fs::write(&script, format!("#!{}\n", std::env::current_exe().unwrap().display())).unwrap();
        assert_eq!(cannot_carry(&script), None);
        fs::write(&script, format!("#!{}\n", script.display())).unwrap();
        assert_eq!(cannot_carry(&script), None, "a script that reads itself is the kernel's to refuse");
        assert!(!is_text(&script), "the kernel knows who reads it");
        fs::write(&script, "echo hello\n").unwrap();
        assert!(is_text(&script) && !is_text(&std::env::current_exe().unwrap()));
        fs::write(&script, "\0\u{1}data").unwrap();
        assert!(!is_text(&script));
    }

    #[test]
    fn rights_of_another_user_leave_the_shim_behind() {
        let scratch = Scratch::new();
        let program = scratch.path().join("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        if system_unsafe::user() != 0 || system_unsafe::mount(&program).unwrap().nosuid {
            return; // Only root can give a file away.
        }
        std::os::unix::fs::chown(&program, Some(65534), None).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).unwrap();
        assert!(cannot_carry(&program).unwrap().contains("runs as user 65534 (setuid)"));
    }
}
