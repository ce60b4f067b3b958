//! Object by object: what a dump asks for, the same in Cleave's words, and what would be lost.

use crate::book::{Book, Noted};
use crate::claims::{Meaning, Verdict};
use crate::documents::Found;
use crate::groups::of_job;
use crate::pod::{Pod, Step, at, at_mut, templates};
use crate::read::{PodAsk, read};
use crate::refusal::Refusal;
use crate::rewrite::rewrite;
use crate::settings::Settings;
use crate::tree::Node;

/// What became of one object.
pub struct Report {
    /// The file it came from.
    pub source: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub outcome: Outcome,
    /// The object in Cleave's words, if all of it was understood.
    pub rewritten: Option<Node>,
}

pub enum Outcome {
    /// The pod templates that ask for a device, or may not: where each is, and what it asks or why it is refused.
    Pods(Vec<(String, Result<PodAsk, Refusal>)>),
    /// A claim, which pods use.
    Claim(Vec<Meaning>),
    /// Not an object at all.
    Broken(String),
}

/// Counts over everything seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub objects: u64,
    /// Pods and pod templates.
    pub pods: u64,
    /// Those that ask for a device and are understood.
    pub understood: u64,
    pub refused: u64,
    pub lost: u64,
    /// Requests of claims, and uses of them, that are of no dialect.
    pub foreign: u64,
    /// Documents that could not be read.
    pub broken: u64,
}

impl Totals {
    fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Own(own) if own.ask.is_ok() => self.lost += own.lost.len() as u64,
            Verdict::Own(_) => self.refused += 1,
            Verdict::Foreign { .. } => self.foreign += 1,
        }
    }
}

/// Translates a stream of objects. Pods whose claims or groups have not come yet wait, up to a bound.
pub struct Translator {
    settings: Settings,
    book: Book,
    waiting: Vec<(String, Node)>,
    totals: Totals,
}

/// More objects than this do not wait for what they refer to.
const MOST_WAITING: usize = 1000;

impl Translator {
    pub fn new(settings: Settings) -> Translator {
        Translator { settings, book: Book::default(), waiting: Vec::new(), totals: Totals::default() }
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Takes one object; `None` if it has nothing to say, or not yet.
    pub fn take(&mut self, source: &str, found: Found) -> Option<Report> {
        let object = match found {
            Ok(object) => object,
            Err(why) => {
                self.totals.broken += 1;
                let outcome = Outcome::Broken(why);
                return Some(report(source, &Node::null(), outcome, None));
            }
        };
        self.totals.objects += 1;
        match self.book.note(&object, &self.settings) {
            Noted::Claim(meanings) => {
                meanings.iter().for_each(|meaning| self.totals.count(&meaning.verdict));
                let outcome = Outcome::Claim(meanings);
                return Some(report(source, &object, outcome, None));
            }
            Noted::Group => return None,
            Noted::Nothing => {}
        }
        let places = templates(&object);
        self.totals.pods += places.len() as u64;
        if self.waiting.len() < MOST_WAITING && places.iter().any(|path| self.waits(&object, path)) {
            self.waiting.push((source.to_owned(), object));
            return None;
        }
        self.translate(source, object, &places)
    }

    /// What waited, after everything was seen.
    pub fn finish(&mut self) -> Vec<Report> {
        let waiting = std::mem::take(&mut self.waiting);
        let late = waiting.into_iter().filter_map(|(source, object)| {
            let places = templates(&object);
            self.translate(&source, object, &places)
        });
        late.collect()
    }

    fn waits(&self, object: &Node, path: &[Step]) -> bool {
        at(object, path).is_some_and(|template| !self.book.knows_all(&Pod::read(template, namespace(object))))
    }

    fn translate(&mut self, source: &str, mut object: Node, places: &[Vec<Step>]) -> Option<Report> {
        let mut pods = Vec::new();
        let gang = of_job(&object);
        for path in places {
            let Some(template) = at(&object, path) else { continue };
            let pod = Pod { gang: gang.clone(), ..Pod::read(template, namespace(&object)) };
            match read(&pod, &self.settings, &self.book) {
                Ok(None) => {}
                Ok(Some(asked)) => pods.push((path, Ok(asked))),
                Err(refusal) => pods.push((path, Err(refusal))),
            }
        }
        if pods.is_empty() {
            return None;
        }
        let (mut asks, mut refused) = (false, false);
        for (path, result) in &pods {
            match result {
                Ok(asked) => {
                    self.totals.lost += asked.lost.len() as u64;
                    self.totals.foreign += asked.foreign.len() as u64;
                    if asked.asks.is_empty() {
                        continue;
                    }
                    asks = true;
                    self.totals.understood += 1;
                    if let Some(template) = at_mut(&mut object, path) {
                        rewrite(template, asked, &self.settings);
                    }
                }
                Err(_) => {
                    self.totals.refused += 1;
                    refused = true;
                }
            }
        }
        let clean = asks && !refused;
        let outcome = Outcome::Pods(pods.into_iter().map(|(path, result)| (spell(path), result)).collect());
        if clean {
            drop_server_fields(&mut object)
        }
        let mut said = report(source, &object, outcome, None);
        said.rewritten = clean.then_some(object);
        Some(said)
    }
}

fn report(source: &str, object: &Node, outcome: Outcome, rewritten: Option<Node>) -> Report {
    let meta = |key| object.at(&["metadata", key]).and_then(Node::text);
    let name = meta("name").or_else(|| meta("generateName")).unwrap_or("-");
    Report {
        source: source.to_owned(),
        kind: object.text_of("kind").unwrap_or("-").to_owned(),
        namespace: namespace(object).to_owned(),
        name: name.to_owned(),
        outcome,
        rewritten,
    }
}

fn namespace(object: &Node) -> &str {
    object.at(&["metadata", "namespace"]).and_then(Node::text).unwrap_or("default")
}

/// `spec.template`, `spec.tasks[1].template`.
fn spell(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.push_str(&format!(".{key}")),
            Step::Item(place) => text.push_str(&format!("[{place}]")),
        }
    }
    text
}

/// What the API server writes about an object would stand in the way of applying it again. The last applied
/// configuration is the object in its old words, and a pod that names its node passes every scheduler by.
fn drop_server_fields(object: &mut Node) {
    if object.text_of("kind") == Some("Pod")
        && let Some(Node::Map(entries)) = object.get_mut("spec")
    {
        entries.retain(|(key, _)| key != "nodeName");
    }
    if let Some(Node::Map(entries)) = object.get_mut("metadata") {
        entries.retain(|(key, _)| {
            !matches!(key.as_str(), "uid" | "resourceVersion" | "creationTimestamp" | "generation")
        });
    }
    if let Some(Node::Map(entries)) = object.get_mut("metadata").and_then(|m| m.get_mut("annotations")) {
        entries.retain(|(key, _)| key != "kubectl.kubernetes.io/last-applied-configuration");
    }
}
