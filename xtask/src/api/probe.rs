use super::header::{Headers, Prototype};
use crate::{install, paths, run};
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

/// Everything the C compiler was asked: "size NAME", "value NAME", "width FUNCTION INDEX", "pointee FUNCTION INDEX".
pub type Answers = HashMap<String, i128>;

/// The headers after preprocessing, without line marks.
pub fn preprocess(headers: &Headers) -> Result<String, String> {
    install::program("gcc", "build-essential").map_err(|e| format!("{e:#}"))?;
    let source = write("headers.c", &headers.prologue())?;
    run::stdout(headers.gcc().args(["-E", "-P"]).arg(source)).map_err(|e| format!("{e:#}"))
}

/// Sizes of the named types, values of the named constants, widths of all arguments.
pub fn ask(
    headers: &Headers,
    prototypes: &[Prototype],
    types: &[&str],
    values: &[&str],
) -> Result<Answers, String> {
    let mut program = headers.prologue();
    program.push_str("#include <stdio.h>\n#define SAY(key, n) printf(\"%s=%lld\\n\", key, (long long)(n))\nint main(void) {\n");
    for name in types {
        say(&mut program, &format!("size {name}"), &format!("sizeof({name})"));
    }
    for name in values {
        // Macros may be absent from an older header; enumerators were found by name before.
        say(&mut program, &format!("value {name}"), name);
    }
    for prototype in prototypes {
        for (index, ty) in prototype.args.iter().enumerate() {
            let place = format!("{} {index}", prototype.name);
            say(&mut program, &format!("width {place}"), &format!("sizeof({ty})"));
            if ty.ends_with('*') {
                say(&mut program, &format!("pointee {place}"), &format!("sizeof(*({ty})0)"));
            }
        }
    }
    program.push_str("return 0; }\n");
    let source = write("probe.c", &program)?;
    let binary = source.with_extension("");
    run::quiet(headers.gcc().arg("-o").arg(&binary).arg(source)).map_err(|e| format!("{e:#}"))?;
    let text = run::stdout(&mut Command::new(binary)).map_err(|e| format!("{e:#}"))?;
    Ok(text.lines().filter_map(answer).collect())
}

fn answer(line: &str) -> Option<(String, i128)> {
    let (key, number) = line.split_once('=')?;
    Some((key.to_owned(), number.parse().ok()?))
}

fn say(program: &mut String, key: &str, expression: &str) {
    let _always_fits = writeln!(program, "SAY(\"{key}\", {expression});");
}

fn write(name: &str, text: &str) -> Result<std::path::PathBuf, String> {
    let folder = paths::target().join("api");
    let file = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&file, text))
        .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    Ok(file)
}
