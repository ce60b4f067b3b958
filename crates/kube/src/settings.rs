//! What a cluster says about the words its pods are written in.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::dialect::{self, Dialect, Duty, Place};

/// Which dialect reads which namespace, and how each dialect is set up. Nothing here is guessed from the pods.
#[derive(Clone, Default)]
pub struct Settings {
    cluster: Option<&'static Dialect>,
    namespaces: BTreeMap<String, &'static Dialect>,
    options: BTreeMap<(&'static str, &'static str), String>,
    /// Per dialect: a name or the beginning of names, and what stands for it here.
    renames: Vec<(&'static str, String, String)>,
    /// Whose a key is, by what it is called here; made when first asked for.
    index: OnceLock<Index>,
}

/// Owners of keys: by name, and by pattern for names with `<x>`.
#[derive(Clone, Default)]
struct Index {
    named: HashMap<String, Vec<Owner>>,
    /// What stands before and after the part that may be anything.
    patterns: Vec<(String, String, Owner)>,
}

/// A dialect that has a key, where, and what for.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    pub dialect: &'static Dialect,
    pub place: Place,
    pub duty: Duty,
}

impl Settings {
    /// Applies one setting: `dialect=NAME`, `namespace.NS=NAME`, `NAME.option=VALUE`, or `NAME.rename=FROM:TO`,
    /// where FROM is a key or the beginning of keys.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        self.index = OnceLock::new();
        if key == "dialect" {
            self.cluster = Some(named(value)?);
            return Ok(());
        }
        let (head, option) = key.split_once('.').ok_or_else(|| format!("there is no setting {key}"))?;
        if head == "namespace" {
            self.namespaces.insert(option.to_owned(), named(value)?);
            return Ok(());
        }
        let dialect = named(head)?;
        if option == "rename" {
            let (from, to) = value.split_once(':').ok_or("a renaming is written FROM:TO")?;
            if from.is_empty() || to.is_empty() {
                return Err("a renaming is written FROM:TO".into());
            }
            self.renames.push((dialect.name, from.to_owned(), to.to_owned()));
            return Ok(());
        }
        let row = dialect.options.iter().find(|o| o.name == option);
        let row = row.ok_or_else(|| format!("{} has no option {option}", dialect.name))?;
        if !(row.accepts)(value) {
            return Err(format!("{key} cannot be {value:?}: {}", row.meaning));
        }
        self.options.insert((dialect.name, row.name), value.to_owned());
        Ok(())
    }

    /// Reads lines of `key = value`; `#` begins a comment.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once('=').ok_or_else(|| format!("line {}: no =", number + 1))?;
            self.set(key.trim(), value.trim()).map_err(|why| format!("line {}: {why}", number + 1))?;
        }
        Ok(())
    }

    /// The dialect set for a namespace, or for the cluster.
    pub fn dialect(&self, namespace: &str) -> Option<&'static Dialect> {
        self.namespaces.get(namespace).copied().or(self.cluster)
    }

    /// Every dialect that has a key of this name.
    pub(crate) fn owners<'a>(&'a self, written: &'a str) -> impl Iterator<Item = Owner> + 'a {
        let index = self.index.get_or_init(|| self.make_index());
        let named = index.named.get(written).into_iter().flatten().copied();
        let like = index.patterns.iter().filter(move |(head, tail, _)| {
            written.len() > head.len() + tail.len() && written.starts_with(head) && written.ends_with(tail)
        });
        named.chain(like.map(|(_, _, owner)| *owner))
    }

    fn make_index(&self) -> Index {
        let mut index = Index::default();
        for &dialect in dialect::ALL {
            for key in dialect.keys {
                let name = self.name(dialect, key.name).into_owned();
                let owner = Owner { dialect, place: key.place, duty: key.duty };
                match dialect::ends(&name) {
                    Some((head, tail)) => index.patterns.push((head.to_owned(), tail.to_owned(), owner)),
                    None => index.named.entry(name).or_default().push(owner),
                }
            }
        }
        index
    }

    pub(crate) fn option(&self, dialect: &'static Dialect, name: &'static str) -> &str {
        let set = self.options.get(&(dialect.name, name)).map(String::as_str);
        set.or_else(|| dialect.options.iter().find(|o| o.name == name).map(|o| o.default)).unwrap_or("")
    }

    /// What a key of a dialect is called here. A later renaming wins over an earlier one.
    pub(crate) fn name<'a>(&self, dialect: &Dialect, key: &'a str) -> std::borrow::Cow<'a, str> {
        for (owner, from, to) in self.renames.iter().rev() {
            if *owner == dialect.name
                && let Some(rest) = key.strip_prefix(from.as_str())
            {
                return format!("{to}{rest}").into();
            }
        }
        key.into()
    }
}

fn named(name: &str) -> Result<&'static Dialect, String> {
    dialect::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = dialect::ALL.iter().map(|d| d.name).collect();
        format!("there is no dialect {name}; there are {}", known.join(", "))
    })
}
