use std::path::PathBuf;
use std::process::Command;

/// The headers of one API and how to read them.
pub struct Headers {
    /// Folders to search.
    pub include: Vec<PathBuf>,
    /// Headers to include, in order.
    pub files: Vec<&'static str>,
    /// What makes them declare every form of each function.
    pub define: &'static str,
}

/// A declared function: its name and the types of its arguments as written.
#[derive(Debug, PartialEq, Eq)]
pub struct Prototype {
    pub name: String,
    pub args: Vec<String>,
}

impl Headers {
    /// The lines that include them. One of them leaves VDPAU's own header to its user.
    pub fn prologue(&self) -> String {
        let files = std::iter::once("vdpau/vdpau.h").chain(self.files.iter().copied());
        let includes: String = files.map(|file| format!("#include <{file}>\n")).collect();
        format!("#define {}\n{includes}", self.define)
    }

    pub fn gcc(&self) -> Command {
        let mut gcc = Command::new("gcc");
        gcc.arg("-w");
        self.include.iter().for_each(|folder| {
            gcc.arg("-I").arg(folder);
        });
        gcc
    }
}

/// Finds the prototypes of functions whose name starts with `prefix` in preprocessed text.
pub fn prototypes(text: &str, prefix: &str) -> Vec<Prototype> {
    declarations(text).filter_map(|declaration| prototype(declaration, prefix)).collect()
}

/// The `PFN_name_vNNNN` typedefs: (base name, version, per-thread).
pub fn versions(text: &str) -> Vec<(String, u32, bool)> {
    text.split("*PFN_").skip(1).filter_map(|rest| version(rest.split_once(')')?.0)).collect()
}

fn version(name: &str) -> Option<(String, u32, bool)> {
    let plain = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds"));
    let (base, number) = plain.unwrap_or(name).rsplit_once("_v")?;
    Some((base.to_owned(), number.parse().ok()?, plain.is_some()))
}

/// Text between semicolons outside of braces, without the bodies that braces hold.
fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => return c == ';' && depth == 0,
        }
        // `extern "C" {` and bodies: neither belongs to a prototype.
        true
    })
}

fn prototype(declaration: &str, prefix: &str) -> Option<Prototype> {
    if declaration.trim_start().starts_with("typedef") {
        return None;
    }
    let open = declaration
        .match_indices('(')
        .map(|(at, _)| at)
        .find(|at| last_word(&declaration[..*at]).starts_with(prefix))?;
    let name = last_word(&declaration[..open]).to_owned();
    let close = declaration[open..].find(')')? + open;
    let list = declaration[open + 1..close].trim();
    let args = match list {
        "" | "void" => Vec::new(),
        _ => list.split(',').map(without_name).collect(),
    };
    Some(Prototype { name, args })
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    let start = text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &text[start..]
}

/// The type of a declared argument: everything before its name.
fn without_name(arg: &str) -> String {
    let arg = arg.trim();
    let name = last_word(arg);
    let before = arg[..arg.len() - name.len()].trim();
    if before.is_empty() || before == "const" { arg.to_owned() } else { before.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prototypes_are_found_between_other_things() {
        let text = "typedef int (*cuFn)(int a); struct s { int a; };\n\
                    __attribute__((deprecated)) CUresult cuA(void);\n\
                    CUresult cuB(const CUDA_X *x, unsigned int n, void **p);";
        let found = prototypes(text, "cu");
        let b = vec!["const CUDA_X *".to_owned(), "unsigned int".to_owned(), "void **".to_owned()];
        assert_eq!(
            found,
            [
                Prototype { name: "cuA".to_owned(), args: Vec::new() },
                Prototype { name: "cuB".to_owned(), args: b }
            ]
        );
    }

    #[test]
    fn versions_are_read_from_typedef_names() {
        let text = "typedef CUresult (CUDAAPI *PFN_cuA_v2000)(int); typedef CUresult (CUDAAPI *PFN_cuB_v7000_ptsz)(int);";
        assert_eq!(versions(text), [("cuA".to_owned(), 2000, false), ("cuB".to_owned(), 7000, true)]);
    }
}
