//! `cleave translate`: what the pods of a file, a folder or a dump ask for, in Cleave's words.
//!
//! Safe on a stranger's files: objects are read one by one in bounded memory, links are not followed, only plain files
//! are opened, and nothing that is read names anything that would be read next.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use cleave_kube::documents::for_each_object;
use cleave_kube::translate::{Report, Translator};
use cleave_kube::{Bounds, Settings, render, write};

use crate::Failure;

/// Something was refused, or could not be read.
const REFUSED: u8 = 1;
/// Nothing was refused, and something would be lost or is of no dialect.
const LOST: u8 = 3;
/// Folders inside folders.
const DEEPEST: usize = 32;

#[derive(clap::Args)]
pub struct Arguments {
    /// Files and folders with pods and whatever holds pod templates, YAML or JSON; - is standard input
    files: Vec<PathBuf>,
    /// What to print
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
    /// The same as --output json
    #[arg(long)]
    json: bool,
    /// The dialect keys are read in that several systems have, such as nvidia.com/gpu
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// The same for one namespace
    #[arg(long, value_name = "NAMESPACE=NAME")]
    namespace: Vec<String>,
    /// An option of a dialect, such as hami.memory-factor=2 or hami.rename=nvidia.com/gpu:example.com/gpu
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A file of such lines
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A line for each container, and for each thing that is refused or lost
    Table,
    /// The objects in Cleave's words; what is refused or lost goes to standard error
    Yaml,
    /// One document with everything
    Json,
}

/// Translates, prints as it goes, and tells by the exit code: 0 all is well, 1 something was refused or unreadable,
/// 3 something would be lost or is not ours.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let settings = settings(arguments)?;
    let output = if arguments.json { Output::Json } else { arguments.output };
    let mut printer = Printer { out: BufWriter::new(io::stdout().lock()), output, first: true, failed: None };
    let mut translator = Translator::new(settings);
    printer.begin();
    let stdin = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &stdin[..] } else { &arguments.files };
    for file in files {
        let opened = if file.as_os_str() == "-" {
            each_object("standard input", io::stdin().lock(), &mut translator, &mut printer);
            Ok(())
        } else {
            path(file, &mut translator, &mut printer)
        };
        if let Err(error) = opened {
            let report = translator.take(&file.display().to_string(), Err(format!("{error:#}")));
            report.iter().for_each(|r| printer.report(r));
        }
    }
    translator.finish().iter().for_each(|r| printer.report(r));
    let totals = translator.totals();
    printer.end(&totals);
    if let Some(error) = printer.failed.filter(|e| e.kind() != ErrorKind::BrokenPipe) {
        return Err(Failure::Error(error.into()));
    }
    Ok(match totals {
        t if t.refused + t.broken > 0 => ExitCode::from(REFUSED),
        t if t.lost + t.foreign > 0 => ExitCode::from(LOST),
        _ => ExitCode::SUCCESS,
    })
}

fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let mut settings = Settings::default();
    if let Some(file) = &arguments.settings {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        settings.read(&text).map_err(|why| anyhow!("{}: {why}", file.display()))?;
    }
    if let Some(name) = &arguments.dialect {
        settings.set("dialect", name).map_err(|why| anyhow!("--dialect: {why}"))?;
    }
    for pair in &arguments.namespace {
        let (namespace, name) = pair.split_once('=').ok_or_else(|| anyhow!("--namespace {pair}: no ="))?;
        settings.set(&format!("namespace.{namespace}"), name).map_err(|why| anyhow!("--namespace: {why}"))?;
    }
    for pair in &arguments.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| anyhow!("--set {pair}: no ="))?;
        settings.set(key, value).map_err(|why| anyhow!("--set: {why}"))?;
    }
    Ok(settings)
}

/// A file that was named, or everything in a folder that was.
fn path(path: &Path, translator: &mut Translator, printer: &mut Printer<'_>) -> anyhow::Result<()> {
    let kind = fs::metadata(path)?;
    if kind.is_dir() {
        return folder(path, 0, translator, printer);
    }
    each_object(&path.display().to_string(), BufReader::new(File::open(path)?), translator, printer);
    Ok(())
}

/// The YAML and JSON files of a folder and of the folders in it, in order of their names. Links are not followed.
fn folder(
    at: &Path,
    depth: usize,
    translator: &mut Translator,
    printer: &mut Printer<'_>,
) -> anyhow::Result<()> {
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(at)? {
        entries.push(entry?.path());
    }
    entries.sort();
    for entry in entries {
        if printer.failed.is_some() {
            return Ok(());
        }
        let hidden = entry.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        let kind = fs::symlink_metadata(&entry)?;
        let wanted = entry.extension().is_some_and(|e| matches!(e.to_str(), Some("yaml" | "yml" | "json")));
        if hidden || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() && depth < DEEPEST {
            folder(&entry, depth + 1, translator, printer)?;
        } else if kind.is_file() && wanted {
            let source = entry.display().to_string();
            match open_same(&entry, &kind) {
                Ok(file) => each_object(&source, BufReader::new(file), translator, printer),
                Err(error) => {
                    let report = translator.take(&source, Err(error.to_string()));
                    report.iter().for_each(|r| printer.report(r));
                }
            }
        }
    }
    Ok(())
}

/// Opens what was looked at, and not what was put in its place since.
fn open_same(path: &Path, seen: &fs::Metadata) -> io::Result<File> {
    use std::os::unix::fs::MetadataExt;
    let file = File::open(path)?;
    let now = file.metadata()?;
    if (now.dev(), now.ino()) != (seen.dev(), seen.ino()) {
        return Err(io::Error::other("the file was replaced while it was read"));
    }
    Ok(file)
}

fn each_object(source: &str, reader: impl Read, translator: &mut Translator, printer: &mut Printer<'_>) {
    for_each_object(BufReader::with_capacity(1 << 16, reader), Bounds::default(), &mut |found| {
        if let Some(report) = translator.take(source, found) {
            printer.report(&report);
        }
        printer.failed.is_none()
    });
}

/// Prints reports as they come.
struct Printer<'a> {
    out: BufWriter<io::StdoutLock<'a>>,
    output: Output,
    first: bool,
    failed: Option<io::Error>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    fn begin(&mut self) {
        match self.output {
            Output::Table => self.put(&render::heading()),
            Output::Json => self.put("{\"objects\":["),
            Output::Yaml => {}
        }
    }

    fn report(&mut self, report: &Report) {
        match self.output {
            Output::Table => self.put(&render::table(report)),
            Output::Json => {
                let comma = if self.first { "\n" } else { ",\n" };
                self.put(comma);
                self.put(&render::json_object(report));
            }
            Output::Yaml => {
                if let Some(object) = &report.rewritten {
                    self.put(&write::yaml(object));
                }
                render::table(report).lines().filter(|l| trouble(l)).for_each(|line| eprintln!("{line}"));
            }
        }
        self.first = false;
    }

    fn end(&mut self, totals: &cleave_kube::translate::Totals) {
        match self.output {
            Output::Table => eprintln!("{}", render::summary(totals)),
            Output::Json => self.put(&format!("\n],\"summary\":{}}}\n", render::json_totals(totals))),
            Output::Yaml => eprintln!("{}", render::summary(totals)),
        }
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
    }
}

/// A line of the table that is not simply good news.
fn trouble(line: &str) -> bool {
    ["refused: ", "lost: ", "not ours: ", "unreadable: "].iter().any(|word| line.contains(word))
}
