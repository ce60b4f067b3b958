//! What a process asks for: read from config.toml and the environment, then checked once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::error::Error;
use crate::folder::Bases;
use crate::key::{KEYS, variable};
use crate::preset::{self, PRESETS, Preset};
use crate::setup::{Setup, check_name};

/// Names the device: a folder, a preset, or `private`.
pub const PLACE: &str = "CLEAVE_SOFTGPU";

/// Keys whose value is a text.
const PRESET: &str = "preset";
const NAME: &str = "name";

/// The value of a variable of the environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where the device is, and what the environment says it should be like.
#[derive(Clone, Debug)]
pub struct Request {
    pub place: Place,
    pub(crate) bases: Bases,
    typed: Vec<Typed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A device of this process alone.
    Private,
    /// The folder of that name.
    Folder(PathBuf),
    /// The preset's own folder.
    Preset(&'static str),
}

/// One key as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Typed {
    key: String,
    text: String,
    by: String,
}

/// What was asked for, checked. Only what was asked explicitly is held against a device that exists.
#[derive(Clone, Debug)]
pub struct Checked {
    pub setup: Setup,
    pub preset: &'static Preset,
    explicit: Vec<Typed>,
}

impl Request {
    /// What this process asks for.
    pub fn of_process() -> Result<Request, Error> {
        Request::from_env(&|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    pub fn from_env(lookup: Lookup) -> Result<Request, Error> {
        let set = |name: &str| lookup(name).filter(|text| !text.is_empty());
        let mut typed: Vec<Typed> = names()
            .filter_map(|key| {
                let variable = variable(key);
                let text = set(&variable)?;
                Some(Typed { key: key.into(), by: format!("{variable}={text}"), text })
            })
            .collect();
        let place = match set(PLACE) {
            None => Place::Preset(PRESETS[0].name),
            Some(text) if text == "private" => Place::Private,
            Some(text) if text.contains('/') => Place::Folder(PathBuf::from(text)),
            Some(text) => {
                let preset = preset::preset(&text).ok_or_else(|| Error::Nonsense {
                    setting: format!("{PLACE}={text}"),
                    wanted: format!("give a folder with a /, private, or one of {}", preset::names()),
                })?;
                typed.push(Typed {
                    key: PRESET.into(),
                    text: preset.name.into(),
                    by: format!("{PLACE}={text}"),
                });
                Place::Preset(preset.name)
            }
        };
        let contradicts = |typed: &&Typed| match place {
            Place::Preset(name) => typed.key == PRESET && typed.text != name,
            _ => false,
        };
        if let Some(Typed { text, by, .. }) = typed.iter().find(contradicts) {
            return Err(Error::Contradiction(format!(
                "{by} is for a folder or a private device: to use the preset's own device, set {PLACE}={text}"
            )));
        }
        Ok(Request { place, bases: Bases::of_process(lookup), typed })
    }

    /// The device in `folder`, as it is.
    pub fn folder(folder: impl Into<PathBuf>) -> Request {
        Request {
            place: Place::Folder(folder.into()),
            bases: Bases::of_process(&|_| None),
            typed: Vec::new(),
        }
    }

    /// A device of this process alone.
    pub fn private() -> Request {
        Request { place: Place::Private, ..Request::folder("") }
    }

    /// Asks for one thing more, as a variable would.
    pub fn with(mut self, key: &str, text: &str) -> Request {
        self.typed.push(Typed {
            key: key.into(),
            text: text.into(),
            by: format!("{}={text}", variable(key)),
        });
        self
    }

    /// Joins in what the folder's config.toml says, and checks all of it.
    pub fn check(&self, folder: Option<&Path>) -> Result<Checked, Error> {
        let mut typed = folder.map_or(Ok(Vec::new()), read_file)?;
        typed.extend(self.typed.iter().cloned());
        // Later ones win.
        let last = |key: &str| typed.iter().rev().find(|typed| typed.key == key);
        let place = match self.place {
            Place::Preset(name) => name,
            _ => PRESETS[0].name,
        };
        let preset = match last(PRESET) {
            Some(typed) => preset::preset(&typed.text)
                .ok_or_else(|| nonsense(typed, format!("give one of {}", preset::names())))?,
            None => preset::preset(place).unwrap_or(&PRESETS[0]),
        };
        let mut setup = preset.setup();
        for key in KEYS {
            if let Some(typed) = last(key.name) {
                (key.set)(&mut setup, key.read(&typed.text).map_err(|wanted| nonsense(typed, wanted))?);
            }
        }
        if let Some(typed) = last(NAME) {
            check_name(&typed.text).map_err(|wanted| nonsense(typed, wanted))?;
            setup.name = typed.text.clone();
        }
        setup.check().map_err(Error::Contradiction)?;
        let explicit = names().filter_map(|key| last(key).cloned()).collect();
        Ok(Checked { setup, preset, explicit })
    }
}

impl Checked {
    /// Whether a device that exists is what was asked for explicitly.
    pub fn accept(&self, folder: &Path, preset: &str, here: &Setup) -> Result<(), Error> {
        for typed in &self.explicit {
            let (key, here, asked) = match KEYS.iter().find(|key| key.name == typed.key) {
                Some(key) => (key.name, key.show(here), key.show(&self.setup)),
                None if typed.key == PRESET => (PRESET, preset.to_string(), self.preset.name.to_string()),
                None => (NAME, here.name.clone(), self.setup.name.clone()),
            };
            if here != asked {
                return Err(Error::Differs { folder: folder.into(), key, here, asked, by: typed.by.clone() });
            }
        }
        Ok(())
    }
}

/// All keys.
fn names() -> impl Iterator<Item = &'static str> {
    [PRESET, NAME].into_iter().chain(KEYS.iter().map(|key| key.name))
}

fn nonsense(typed: &Typed, wanted: String) -> Error {
    Error::Nonsense { setting: typed.by.clone(), wanted }
}

fn read_file(folder: &Path) -> Result<Vec<Typed>, Error> {
    let path = folder.join("config.toml");
    match fs::read_to_string(&path) {
        Ok(text) => parse(&text, &path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::System { path, doing: "read", error }),
    }
}

/// The keys of a config.toml, as texts: a number may be written with or without quotes.
fn parse(text: &str, path: &Path) -> Result<Vec<Typed>, Error> {
    let refuse = |reason: String| Error::Config { path: path.into(), reason };
    let table = DeTable::parse(text).map_err(|error| refuse(error.to_string().trim_end().into()))?;
    let entries = table.into_inner().into_iter().map(|(key, value)| {
        let (key, value) = (key.into_inner().into_owned(), value.into_inner());
        if !names().any(|name| name == key) {
            let known: Vec<&str> = names().collect();
            return Err(refuse(format!("{key} is not known: the keys are {}", known.join(", "))));
        }
        let text = match value {
            DeValue::String(text) => text.into_owned(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_string(),
            DeValue::Float(number) => number.as_str().to_string(),
            _ => return Err(refuse(format!("{key} needs a text or a number"))),
        };
        let by = format!("{key} = {text} in {}", path.display());
        Ok(Typed { key, text, by })
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Mode;

    fn request(variables: &[(&str, &str)]) -> Result<Request, Error> {
        Request::from_env(&|asked| {
            variables.iter().find(|(name, _)| *name == asked).map(|(_, value)| value.to_string())
        })
    }

    fn checked(variables: &[(&str, &str)]) -> Result<Checked, Error> {
        request(variables)?.check(None)
    }

    #[test]
    fn the_place() {
        let place = |text| request(&[(PLACE, text)]).unwrap().place;
        assert_eq!(request(&[]).unwrap().place, Place::Preset("default"));
        assert_eq!(place(""), Place::Preset("default"));
        assert_eq!(place("private"), Place::Private);
        assert_eq!(place("./gpu"), Place::Folder("./gpu".into()));
        assert_eq!(place("paced"), Place::Preset("paced"));
        let error = request(&[(PLACE, "a1000")]).unwrap_err().to_string();
        assert!(error.contains("CLEAVE_SOFTGPU=a1000") && error.contains("a100"), "{error}");
    }

    #[test]
    fn variables_change_the_preset_that_the_place_names() {
        let setup = checked(&[(PLACE, "paced"), ("CLEAVE_SOFTGPU_SMS", "3")]).unwrap().setup;
        assert_eq!((setup.mode, setup.sms), (Mode::Paced, 3));
        let setup = checked(&[(PLACE, "private"), ("CLEAVE_SOFTGPU_PRESET", "t4")]).unwrap().setup;
        assert_eq!(setup.capability, (7, 5));
        let error = checked(&[("CLEAVE_SOFTGPU_PRESET", "t4")]).unwrap_err().to_string();
        assert!(error.contains("set CLEAVE_SOFTGPU=t4"), "{error}");
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (key, value) in [
            ("DEVICES", "0"),
            ("DEVICES", "17"),
            ("DEVICES", "two"),
            ("MEMORY", "1k"),
            ("MEMORY", "9999999G"),
            ("SMS", "-1"),
            ("CAPABILITY", "9.0"),
            ("CLOCK", "10"),
            ("CONTEXT", "999G"),
            ("SLICE", "2"),
            ("SWITCH", "1h"),
            ("COPY", "fast"),
            ("MODE", "turbo"),
            ("NAME", "line\nline"),
        ] {
            let variable = variable(&key.to_lowercase());
            let error = checked(&[(&variable, value)]).unwrap_err().to_string();
            assert!(error.contains(&format!("{variable}={value}")) && error.contains("give "), "{error}");
        }
        let error = checked(&[("CLEAVE_SOFTGPU_MEMORY", "4M")]).unwrap_err().to_string();
        assert!(error.contains("context of 8M does not fit"), "{error}");
    }

    #[test]
    fn a_file_is_read_and_variables_win() {
        let path = Path::new("/f/config.toml");
        let typed =
            parse("preset = \"paced\"\nmemory = \"1G\"\nsms = 5\ncapability = 8.6\nslice = '4ms'", path)
                .unwrap();
        let mut request = request(&[(PLACE, "/f/"), ("CLEAVE_SOFTGPU_SMS", "7")]).unwrap();
        request.typed.splice(0..0, typed);
        let setup = request.check(None).unwrap().setup;
        assert_eq!((setup.mode, setup.memory, setup.sms), (Mode::Paced, 1 << 30, 7));
        assert_eq!((setup.capability, setup.slice_ns), ((8, 6), 4_000_000));
    }

    #[test]
    fn a_file_that_makes_no_sense_is_refused_with_its_path() {
        for text in [
            "memory",
            "memory = ",
            "memroy = 1",
            "memory = [1]",
            "memory = true",
            "sms = 0x10",
            "a = 1\na = 2",
        ] {
            let error = parse(text, Path::new("/f/config.toml")).unwrap_err().to_string();
            assert!(error.starts_with("/f/config.toml: "), "{error}");
        }
    }

    #[test]
    fn a_device_that_differs_is_named_with_both_values() {
        let accept = |variables: &[(&str, &str)], preset: &str, here: &Setup| {
            checked(variables)
                .unwrap()
                .accept(Path::new("/f"), preset, here)
                .map_err(|error| error.to_string())
        };
        let mut here = PRESETS[0].setup();
        here.memory = 8 << 30;
        assert_eq!(accept(&[], "default", &here), Ok(()), "nothing was asked");
        assert_eq!(accept(&[("CLEAVE_SOFTGPU_MEMORY", "8192M")], "default", &here), Ok(()));
        let error = accept(&[("CLEAVE_SOFTGPU_MEMORY", "2G")], "default", &here).unwrap_err();
        assert!(
            error.contains("has memory 8G") && error.contains("CLEAVE_SOFTGPU_MEMORY=2G asks for 2G"),
            "{error}"
        );
        let error = accept(&[(PLACE, "a100")], "default", &here).unwrap_err();
        assert!(error.contains("has preset default") && error.contains("asks for a100"), "{error}");
    }
}
