//! Debian packages unpacked into a folder under `target/`, without installing them.

use crate::{install, paths, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The components that hold packages which are not free themselves, or need such.
const COMPONENTS: &str = "main contrib non-free non-free-firmware";

/// The file `inside` of a package of Debian; downloaded and unpacked when it is not there yet.
pub fn debian(package: &str, inside: &str) -> Result<PathBuf> {
    let root = paths::target().join("debian").join(package);
    let file = root.join(inside);
    if file.is_file() {
        return Ok(file);
    }
    unpack(package, &root).with_context(|| {
        format!(
            "the Debian package `{package}` cannot be downloaded: unpack it by hand into {}",
            root.display()
        )
    })?;
    if !file.is_file() {
        bail!("the Debian package `{package}` holds no {inside}");
    }
    Ok(file)
}

/// What is half unpacked is never taken for whole: the folder appears by one rename.
fn unpack(package: &str, root: &Path) -> Result<()> {
    install::program("apt-get", "apt")?;
    let work = paths::target().join("debian/.work");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    for folder in ["lists/partial", "archives/partial", "sources", "download", "unpacked"] {
        std::fs::create_dir_all(work.join(folder))?;
    }
    sources(&work.join("sources"))?;
    run::quiet(apt(&work).args(["-qq", "update"]))?;
    run::quiet(apt(&work).args(["-qq", "download", package]).current_dir(work.join("download")))?;
    for entry in std::fs::read_dir(work.join("download"))? {
        run::quiet(Command::new("dpkg-deb").arg("-x").arg(entry?.path()).arg(work.join("unpacked")))?;
    }
    if root.exists() {
        std::fs::remove_dir_all(root)?;
    }
    std::fs::rename(work.join("unpacked"), root)?;
    std::fs::remove_dir_all(work)?;
    Ok(())
}

/// apt with lists, cache and sources of our own; proxies and keys are the machine's.
fn apt(work: &Path) -> Command {
    let mut apt = Command::new("apt-get");
    let folders = [
        ("Dir::Etc::sourcelist", PathBuf::from("/dev/null")),
        ("Dir::Etc::sourceparts", work.join("sources")),
        ("Dir::State::lists", work.join("lists")),
        ("Dir::Cache", work.to_owned()),
        ("Dir::Cache::archives", work.join("archives")),
    ];
    for (option, folder) in folders {
        apt.arg("-o").arg(format!("{option}={}", folder.display()));
    }
    apt
}

/// The machine's own Debian sources, with all components.
fn sources(folder: &Path) -> Result<()> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(parts) = std::fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(parts.flatten().map(|entry| entry.path()));
    }
    let mut found = false;
    for file in files {
        let (Ok(text), Some(name)) = (std::fs::read_to_string(&file), file.file_name()) else { continue };
        let all = match file.extension().and_then(|end| end.to_str()) {
            Some("sources") => paragraphs(&text),
            Some("list") => lines(&text),
            _ => continue,
        };
        found |= !all.is_empty();
        std::fs::write(folder.join(name), all)?;
    }
    if found { Ok(()) } else { bail!("this machine has no Debian sources under /etc/apt") }
}

/// Debian's paragraphs of a `.sources` file.
fn paragraphs(text: &str) -> String {
    let debian = text.split("\n\n").filter(|paragraph| {
        let uris = paragraph.lines().find(|line| line.starts_with("URIs:"));
        uris.is_some_and(|line| line.contains("/debian"))
    });
    let all = debian.map(|paragraph| {
        let lines = paragraph.lines().map(|line| match line.starts_with("Components:") {
            true => format!("Components: {COMPONENTS}\n"),
            false => format!("{line}\n"),
        });
        lines.collect::<String>() + "\n"
    });
    all.collect()
}

/// Debian's lines of a `.list` file.
fn lines(text: &str) -> String {
    let debian = text.lines().filter(|line| line.starts_with("deb ") && line.contains("/debian"));
    let all = debian.filter_map(|line| Some(format!("{} {COMPONENTS}\n", line.split_once(" main")?.0)));
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debians_sources_get_all_components() {
        let text = "Types: deb\nURIs: http://mirror.example/debian\nSuites: stable\nComponents: main\n\n\
                    Types: deb\nURIs: http://other.example/tool\nSuites: any\nComponents: main\n";
        let all = paragraphs(text);
        assert!(all.contains("URIs: http://mirror.example/debian") && all.contains("non-free\u{20}"));
        assert!(!all.contains("other"));
        let all = lines(
            "# remark\ndeb [signed-by=/k] http://mirror.example/debian stable main\ndeb-src http://mirror.example/debian stable main\n",
        );
        assert_eq!(all, format!("deb [signed-by=/k] http://mirror.example/debian stable {COMPONENTS}\n"));
    }
}
