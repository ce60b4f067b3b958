use super::header::{self, Headers, Prototype};
use super::{download, probe, stand_ins};
use cleave_api::row::{Arg, Kind};
use cleave_api::{CUDA_TABLE, NVML_TABLE, Row, cuda, nvml};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// One of the two APIs, as this check sees it.
struct Api {
    prefix: &'static str,
    table: &'static [Row],
    sizes: &'static [&'static [(&'static str, usize)]],
    values: &'static [&'static [(&'static str, i128)]],
    files: &'static [&'static str],
    define: &'static str,
    /// Rows no header declares: exported all the same.
    undeclared: &'static [&'static str],
}

const CUDA: Api = Api {
    prefix: "cu",
    table: CUDA_TABLE,
    sizes: cuda::types::SIZES,
    values: cuda::types::VALUES,
    files: &["cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h"],
    define: "__CUDA_API_VERSION_INTERNAL",
    undeclared: &["cuEGLApiInit", "cuMemGetAttribute", "cuMemGetAttribute_v2"],
};

const NVML: Api = Api {
    prefix: "nvml",
    table: NVML_TABLE,
    sizes: nvml::types::SIZES,
    values: nvml::types::VALUES,
    files: &["nvml.h"],
    define: "NVML_NO_UNVERSIONED_FUNC_DEFS",
    undeclared: &[
        "nvmlGetBlacklistDeviceCount",
        "nvmlGetBlacklistDeviceInfoByIndex",
        "nvmlInternalGetExportTable",
    ],
};

/// Versions that headers name and that no Linux driver for PCs answers.
const NOT_HERE: [&str; 2] = ["cuWGLGetDevice", "cuEventCreateFromEGLSync"];

/// Compares all rows with the newest headers.
pub fn newest() -> Result<(), String> {
    let folder = download::headers()?;
    let mut differences = compare(&CUDA, &folder, true)?;
    differences.extend(compare(&NVML, &folder, true)?);
    verdict(differences)
}

/// Compares rows with one header, which may be older than they are.
pub fn file(header: &Path) -> Result<(), String> {
    let folder = header.parent().unwrap_or(Path::new("."));
    match header.file_name().and_then(|name| name.to_str()) {
        Some("cuda.h") => verdict(compare(&CUDA, folder, false)?),
        Some("nvml.h") => verdict(compare(&NVML, folder, false)?),
        _ => Err(format!("{} is neither cuda.h nor nvml.h", header.display())),
    }
}

fn verdict(differences: Vec<String>) -> Result<(), String> {
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!("{}\ndifferences: {}", differences.join("\n"), differences.len()))
}

fn compare(api: &Api, folder: &Path, newest: bool) -> Result<Vec<String>, String> {
    let present = |file: &&&str| folder.join(file).is_file();
    let files: Vec<&str> = api.files.iter().filter(present).copied().collect();
    let headers =
        Headers { include: vec![folder.to_owned(), stand_ins::folder()?], files, define: api.define };
    let text = probe::preprocess(&headers)?;
    let prototypes = header::prototypes(&text, api.prefix);
    let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let types: Vec<(&str, usize)> =
        api.sizes.concat().into_iter().filter(|(name, _)| words.contains(name)).collect();
    let defined = defined(api, folder)?;
    let known = |name: &str| words.contains(name) || defined.contains(name);
    let values: Vec<(&str, i128)> = api.values.concat().into_iter().filter(|(name, _)| known(name)).collect();

    let ask_types: Vec<&str> = types.iter().map(|t| t.0).collect();
    let ask_values: Vec<&str> = values.iter().map(|v| v.0).collect();
    let answers = probe::ask(&headers, &prototypes, &ask_types, &ask_values)?;

    let rows: HashMap<&str, &Row> = api.table.iter().map(|row| (row.name, row)).collect();
    let mut differences = Vec::new();
    for prototype in &prototypes {
        match rows.get(prototype.name.as_str()) {
            Some(row) => compare_row(row, prototype, &answers, &mut differences),
            None => differences.push(format!("{}: no row", prototype.name)),
        }
    }
    for (name, size) in &types {
        let theirs = answers.get(&format!("size {name}")).copied().unwrap_or_default();
        if theirs != *size as i128 {
            differences.push(format!("{name}: {size} bytes here, {theirs} in the header"));
        }
    }
    for (name, value) in &values {
        let theirs = answers.get(&format!("value {name}")).copied().unwrap_or_default();
        // The compiler prints 64 signed bits, whatever the constant's own width is.
        if theirs as u64 != *value as u64 && i128::from(theirs as u32) != *value {
            differences.push(format!("{name}: {value} here, {theirs} in the header"));
        }
    }
    if newest {
        let declared: HashSet<&str> = prototypes.iter().map(|p| p.name.as_str()).collect();
        let undeclared = |row: &&Row| !declared.contains(row.name) && !row.name.starts_with("cudbg");
        let lost = api.table.iter().filter(undeclared).filter(|row| !api.undeclared.contains(&row.name));
        differences.extend(lost.map(|row| format!("{}: a row that no header declares", row.name)));
        differences.extend(compare_versions(api, folder)?);
    }
    println!(
        "{}: {} functions, {} structs, {} constants compared, {} differences",
        headers.files.join(" "),
        prototypes.len(),
        types.len(),
        values.len(),
        differences.len()
    );
    Ok(differences)
}

fn compare_row(row: &Row, prototype: &Prototype, answers: &probe::Answers, differences: &mut Vec<String>) {
    if row.args.len() != prototype.args.len() {
        let (ours, theirs) = (row.args.len(), prototype.args.len());
        differences.push(format!("{}: {ours} arguments here, {theirs} in the header", row.name));
        return;
    }
    for (index, (arg, ty)) in row.args.iter().zip(&prototype.args).enumerate() {
        let ask = |what: &str| answers.get(&format!("{what} {} {index}", row.name)).copied();
        if let Some(problem) = compare_arg(arg, ty, ask("width"), ask("pointee")) {
            differences.push(format!("{}({}): {problem}; the header says `{ty}`", row.name, arg.name));
        }
    }
}

fn compare_arg(arg: &Arg, ty: &str, width: Option<i128>, pointee: Option<i128>) -> Option<String> {
    let (is_pointer, by_value) = (ty.ends_with('*'), matches!(arg.kind, Kind::Val { .. }));
    if is_pointer && by_value {
        return Some("a value here".to_owned());
    }
    if !is_pointer && !by_value && !matches!(arg.kind, Kind::Raw { .. }) {
        return Some("a pointer here".to_owned());
    }
    if width != Some(arg.width as i128) {
        return Some(format!("{} bytes here", arg.width));
    }
    let untyped = ty.contains("void") && ty.matches('*').count() == 1;
    if let (Some(ours), Some(theirs)) = (arg.pointee, pointee)
        && !untyped
        && ours as i128 != theirs
    {
        return Some(format!("points to {ours} bytes here, to {theirs} there"));
    }
    let writes = matches!(
        arg.kind,
        Kind::Out { .. } | Kind::InOut { .. } | Kind::ArrayOut { .. } | Kind::BytesMut { .. }
    );
    if writes && points_to_const(ty) {
        return Some("written here".to_owned());
    }
    None
}

fn points_to_const(ty: &str) -> bool {
    let pointee = ty.strip_suffix('*').unwrap_or(ty).trim_end();
    pointee.ends_with("const") || (pointee.starts_with("const") && !pointee.contains('*'))
}

/// Each version a typedef header names must be the `since` of a row.
fn compare_versions(api: &Api, folder: &Path) -> Result<Vec<String>, String> {
    let mut missing = Vec::new();
    for file in api.files {
        let path = folder.join(file.replace(".h", "Typedefs.h"));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (base, since, per_thread) in header::versions(&text) {
            let mut forms =
                api.table.iter().filter(|row| row.base() == base && row.is_per_thread() == per_thread);
            if !NOT_HERE.contains(&base.as_str()) && !forms.any(|row| row.since == since) {
                missing.push(format!("{base}: no row since {since} (per thread: {per_thread})"));
            }
        }
    }
    Ok(missing)
}

/// Names that a header defines as macros: preprocessing hides them.
fn defined(api: &Api, folder: &Path) -> Result<HashSet<String>, String> {
    let mut names = HashSet::new();
    for file in api.files {
        let Ok(text) = std::fs::read(folder.join(file)) else { continue };
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        let defines = lines.filter_map(|line| line.trim_start().strip_prefix("define "));
        names.extend(defines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(kind: Kind, width: usize, pointee: Option<usize>) -> Arg {
        Arg { name: "x", kind, width, pointee }
    }

    #[test]
    fn a_wrong_width_is_found() {
        let narrow = arg(Kind::Val { ty: "u32" }, 4, None);
        assert_eq!(compare_arg(&narrow, "unsigned int", Some(4), None), None);
        assert!(compare_arg(&narrow, "size_t", Some(8), None).is_some());
        let out = arg(Kind::Out { ty: "u32" }, 8, Some(4));
        assert_eq!(compare_arg(&out, "unsigned int *", Some(8), Some(4)), None);
        assert!(compare_arg(&out, "size_t *", Some(8), Some(8)).is_some());
    }

    #[test]
    fn a_wrong_direction_is_found() {
        let out = arg(Kind::Out { ty: "CUuuid" }, 8, Some(16));
        assert!(compare_arg(&out, "const CUuuid *", Some(8), Some(16)).is_some());
        assert!(compare_arg(&out, "CUuuid", Some(16), None).is_some());
        let text = arg(Kind::Out { ty: "Ptr<u8>" }, 8, Some(8));
        assert_eq!(compare_arg(&text, "const char **", Some(8), Some(8)), None);
        let value = arg(Kind::Val { ty: "usize" }, 8, None);
        assert!(compare_arg(&value, "void *", Some(8), Some(1)).is_some());
    }
}
