//! The objects of a file, one by one: documents, and the items of lists, in bounded memory.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use crate::events::{Bounds, Event, Events};
use crate::json::Json;
use crate::tree::Node;
use crate::yaml::{Source, Yaml};

/// What came out of a file: an object, or why one could not be read.
pub type Found = Result<Node, String>;

/// Calls `each` with every object of `reader`, YAML or JSON, until it answers `false`.
pub fn for_each_object<R: BufRead>(mut reader: R, bounds: Bounds, each: &mut dyn FnMut(Found) -> bool) {
    if looks_like_json(&mut reader) {
        let mut events = Json::new(reader, bounds);
        if let Err(Stop::Broken(why)) = Builder::new(bounds).stream(&mut events, each) {
            each(Err(why));
        }
        return;
    }
    let mut source = Source::new(reader);
    let used = Cell::new(0);
    while !source.is_done() {
        let ended = Builder::new(bounds).stream(&mut Yaml::new(&mut source, &used, bounds), each);
        match ended {
            Ok(()) => {}
            Err(Stop::Asked) => return,
            Err(Stop::Broken(why)) => {
                if !each(Err(why)) {
                    return;
                }
                source.skip_document();
            }
        }
    }
    if let Some(why) = source.error() {
        each(Err(why));
    }
}

/// A file of JSON begins with a bracket. So may YAML, but then it is JSON nearly always.
fn looks_like_json<R: BufRead>(reader: &mut R) -> bool {
    loop {
        let Ok(bytes) = reader.fill_buf() else { return false };
        let Some(place) = bytes.iter().position(|b| !b.is_ascii_whitespace()) else {
            let blank = bytes.len();
            if blank == 0 {
                return false;
            }
            reader.consume(blank);
            continue;
        };
        return matches!(bytes.get(place), Some(b'{' | b'['));
    }
}

/// Why a stream of objects ended early.
enum Stop {
    /// The caller has seen enough.
    Asked,
    /// The text cannot be read any further.
    Broken(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop::Broken(why)
    }
}

/// Why one object is not usable although the text goes on.
type Unusable = Option<String>;

struct Builder {
    bounds: Bounds,
    /// Values built for the current object.
    nodes: usize,
    /// Values behind aliases, and how many they are in all: they live as long as the document.
    anchors: HashMap<usize, (Node, usize)>,
    anchored: usize,
}

impl Builder {
    fn new(bounds: Bounds) -> Builder {
        Builder { bounds, nodes: 0, anchors: HashMap::new(), anchored: 0 }
    }

    /// Every value at the top; a top-level list, or the `items` of a top-level map, member by member.
    fn stream(&mut self, events: &mut dyn Events, each: &mut dyn FnMut(Found) -> bool) -> Result<(), Stop> {
        while let Some(event) = events.next()? {
            match event {
                Event::Map { .. } => self.top_map(events, each)?,
                Event::List { .. } => self.members(events, each)?,
                Event::Scalar { .. } | Event::Alias(_) | Event::End => {}
            }
        }
        Ok(())
    }

    fn top_map(&mut self, events: &mut dyn Events, each: &mut dyn FnMut(Found) -> bool) -> Result<(), Stop> {
        self.nodes = 0;
        let mut unusable: Unusable = None;
        let mut entries = Members::default();
        let mut listed = false;
        while let Some(key) = self.key(events, &mut unusable)? {
            let Some(event) = events.next()? else { return Err(cut_short()) };
            if key == "items" && matches!(event, Event::List { .. }) {
                listed = true;
                self.members(events, each)?;
                self.nodes = entries.list.len();
                continue;
            }
            let keep = key != "status";
            let value = self.value(events, event, 1, keep, &mut unusable)?;
            if keep {
                entries.insert(key, value, &mut unusable);
            }
        }
        events.object_done();
        let mut entries = entries.list;
        // What surrounds the items of a list is no object of its own.
        if listed && !entries.iter().any(|(k, _)| k == "spec") && unusable.is_none() {
            return Ok(());
        }
        merge(&mut entries);
        self.hand_over(Node::Map(entries), unusable, each)
    }

    fn members(&mut self, events: &mut dyn Events, each: &mut dyn FnMut(Found) -> bool) -> Result<(), Stop> {
        events.object_done();
        loop {
            self.nodes = 0;
            let Some(event) = events.next()? else { return Err(cut_short()) };
            if matches!(event, Event::End) {
                return Ok(());
            }
            let mut unusable = None;
            let node = self.value(events, event, 0, true, &mut unusable)?;
            events.object_done();
            self.hand_over(node, unusable, each)?;
        }
    }

    /// Gives an object away; the items of a list inside a list as objects of their own.
    fn hand_over(
        &self,
        node: Node,
        unusable: Unusable,
        each: &mut dyn FnMut(Found) -> bool,
    ) -> Result<(), Stop> {
        if let Some(why) = unusable {
            return if each(Err(why)) { Ok(()) } else { Err(Stop::Asked) };
        }
        if let (None, Some(Node::List(_))) = (node.get("spec"), node.get("items")) {
            for item in node.get("items").into_iter().flat_map(Node::items) {
                self.hand_over(item.clone(), None, each)?;
            }
            return Ok(());
        }
        if !matches!(node, Node::Map(_)) || each(Ok(node)) { Ok(()) } else { Err(Stop::Asked) }
    }

    /// The next key of a map, or `None` at its end.
    fn key(&mut self, events: &mut dyn Events, unusable: &mut Unusable) -> Result<Option<String>, Stop> {
        let Some(event) = events.next()? else { return Err(cut_short()) };
        match event {
            Event::End => Ok(None),
            Event::Scalar { scalar, anchor } => {
                let text = scalar.text.clone();
                self.remember(anchor, &Node::Scalar(scalar), unusable);
                Ok(Some(text))
            }
            other => {
                let key = self.value(events, other, self.bounds.depth, false, unusable)?;
                match key.text() {
                    Some(text) => Ok(Some(text.to_owned())),
                    None => {
                        unusable.get_or_insert_with(|| "a key that is not text".into());
                        Ok(Some(String::new()))
                    }
                }
            }
        }
    }

    /// Builds the value that begins with `event`; with `keep` off, or once the object is unusable, only steps over it.
    fn value(
        &mut self,
        events: &mut dyn Events,
        event: Event,
        depth: usize,
        keep: bool,
        unusable: &mut Unusable,
    ) -> Result<Node, Stop> {
        self.nodes += 1;
        if self.nodes > self.bounds.nodes {
            unusable.get_or_insert_with(|| format!("an object of more than {} values", self.bounds.nodes));
        }
        match event {
            Event::Scalar { scalar, anchor } => {
                let node = Node::Scalar(scalar);
                self.remember(anchor, &node, unusable);
                Ok(node)
            }
            Event::Alias(anchor) => Ok(self.recall(anchor, unusable)),
            Event::End => Err(Stop::Broken("a value is missing".into())),
            Event::Map { .. } | Event::List { .. } if depth >= self.bounds.depth => {
                unusable.get_or_insert_with(|| format!("nested more than {} levels deep", self.bounds.depth));
                skip(events)?;
                Ok(Node::null())
            }
            Event::List { anchor } => {
                let mut items = Vec::new();
                loop {
                    let Some(event) = events.next()? else { return Err(cut_short()) };
                    if matches!(event, Event::End) {
                        break;
                    }
                    let item = self.value(events, event, depth + 1, keep, unusable)?;
                    if keep && unusable.is_none() {
                        items.push(item);
                    }
                }
                let node = Node::List(items);
                self.remember(anchor, &node, unusable);
                Ok(node)
            }
            Event::Map { anchor } => {
                let mut entries = Members::default();
                while let Some(key) = self.key(events, unusable)? {
                    let Some(event) = events.next()? else { return Err(cut_short()) };
                    // Written by the API server about itself: of no use here, and often most of a dump.
                    let keep = keep && !(depth <= 1 && matches!(key.as_str(), "managedFields"));
                    let keep = keep && !(depth == 0 && key == "status");
                    let value = self.value(events, event, depth + 1, keep, unusable)?;
                    if keep && unusable.is_none() {
                        entries.insert(key, value, unusable);
                    }
                }
                let mut entries = entries.list;
                merge(&mut entries);
                let node = Node::Map(entries);
                self.remember(anchor, &node, unusable);
                Ok(node)
            }
        }
    }

    fn remember(&mut self, anchor: usize, node: &Node, unusable: &mut Unusable) {
        if anchor == 0 {
            return;
        }
        let size = weigh(node);
        self.anchored += size;
        if self.anchored > self.bounds.nodes {
            unusable.get_or_insert_with(|| format!("more than {} values behind anchors", self.bounds.nodes));
            return;
        }
        self.anchors.insert(anchor, (node.clone(), size));
    }

    fn recall(&mut self, anchor: usize, unusable: &mut Unusable) -> Node {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            unusable.get_or_insert_with(|| "an alias to something that is not there".into());
            return Node::null();
        };
        self.nodes += size;
        if self.nodes > self.bounds.nodes || unusable.is_some() {
            unusable.get_or_insert_with(|| format!("an object of more than {} values", self.bounds.nodes));
            return Node::null();
        }
        node.clone()
    }
}

fn cut_short() -> Stop {
    Stop::Broken("the text ends inside a value".into())
}

/// The entries of a map being built; with many of them, a set tells whether a key is there.
#[derive(Default)]
struct Members {
    list: Vec<(String, Node)>,
    names: HashSet<String>,
}

/// Below this, looking through the list is faster.
const FEW: usize = 32;

impl Members {
    fn insert(&mut self, key: String, value: Node, unusable: &mut Unusable) {
        if self.list.len() == FEW {
            self.names = self.list.iter().map(|(k, _)| k.clone()).collect();
        }
        let twice = if self.list.len() < FEW {
            self.list.iter().any(|(k, _)| *k == key)
        } else {
            !self.names.insert(key.clone())
        };
        if twice {
            unusable.get_or_insert_with(|| format!("the key {} is there twice", crate::dialect::shown(&key)));
            return;
        }
        self.list.push((key, value));
    }
}

/// `<<` takes over the entries of another map that this one does not have.
fn merge(entries: &mut Vec<(String, Node)>) {
    let Some(place) = entries.iter().position(|(k, _)| k == "<<") else { return };
    let (_, from) = entries.remove(place);
    let sources = match from {
        Node::List(maps) => maps,
        one => vec![one],
    };
    let mut names: HashSet<String> = entries.iter().map(|(k, _)| k.clone()).collect();
    for (key, value) in sources.iter().flat_map(Node::entries) {
        if names.insert(key.clone()) {
            entries.push((key.clone(), value.clone()));
        }
    }
}

/// Values in a tree, text counted in pieces of 64 bytes so that long scalars are not free.
fn weigh(node: &Node) -> usize {
    match node {
        Node::Scalar(s) => 1 + s.text.len() / 64,
        Node::List(items) => 1 + items.iter().map(weigh).sum::<usize>(),
        Node::Map(entries) => 1 + entries.iter().map(|(k, v)| 1 + k.len() / 64 + weigh(v)).sum::<usize>(),
    }
}

/// Steps over the rest of a value whose opening event was read already.
fn skip(events: &mut dyn Events) -> Result<(), Stop> {
    let mut open = 1usize;
    while open > 0 {
        match events.next()? {
            Some(Event::Map { .. } | Event::List { .. }) => open += 1,
            Some(Event::End) => open -= 1,
            Some(_) => {}
            None => return Err(cut_short()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for_each_object(text.as_bytes(), Bounds::default(), &mut |f| {
            found.push(f);
            true
        });
        found
    }

    fn names(text: &str) -> Vec<String> {
        let name =
            |f: Found| f.map_or_else(|e| format!("! {e}"), |n| n.text_of("name").unwrap_or("?").to_owned());
        objects(text).into_iter().map(name).collect()
    }

    #[test]
    fn documents_lists_and_lists_of_lists() {
        assert_eq!(names("name: a\n---\nname: b\n---\n"), ["a", "b"]);
        assert_eq!(names("kind: List\nitems:\n- name: a\n- name: b\nmetadata: {}\n"), ["a", "b"]);
        assert_eq!(
            names(r#"{"items":[{"name":"a"},{"items":[{"name":"b"},{"name":"c"}]}]}"#),
            ["a", "b", "c"]
        );
        assert_eq!(names("[{\"name\":\"a\"}]\n{\"name\":\"b\"}"), ["a", "b"]);
        assert_eq!(names("- name: a\n- name: b\n"), ["a", "b"]);
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names("--- # nothing\n---\n"), [""; 0]);
    }

    #[test]
    fn a_broken_document_costs_only_itself() {
        let found = names("name: a\n---\nname: [b\n---\nname: c\n");
        assert_eq!((found.len(), found[0].as_str(), found[2].as_str()), (3, "a", "c"));
        assert!(found[1].starts_with('!'));
        assert!(names("name: a\nname: b\n")[0].contains("twice"));
    }

    #[test]
    fn numbers_keep_their_letters() {
        let found = objects(r#"{"a": 5.50, "b": 12345678901234567890123, "c": "1\ud83d\ude00"}"#);
        let node = found[0].as_ref().unwrap();
        assert_eq!(node.text_of("a"), Some("5.50"));
        assert_eq!(node.text_of("b"), Some("12345678901234567890123"));
        assert_eq!(node.text_of("c"), Some("1😀"));
    }

    #[test]
    fn aliases_and_merges_are_bounded() {
        let found = objects("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\n");
        let used = found[0].as_ref().unwrap().get("use").unwrap();
        assert_eq!((used.text_of("x"), used.text_of("y")), (Some("1"), Some("3")));
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for i in 1..12 {
            let many = vec![format!("*a{}", i - 1); 10].join(", ");
            laughs.push_str(&format!("a{i}: &a{i} [{many}]\n"));
        }
        assert!(objects(&laughs)[0].is_err());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = format!("a: {}{}", "[".repeat(100), "]".repeat(100));
        assert!(names(&deep)[0].contains("deep"));
        let bounds = Bounds { bytes: 1000, ..Bounds::default() };
        let mut found = Vec::new();
        let text = format!("a: {}\n---\nname: b\n", "x".repeat(5000));
        for_each_object(text.as_bytes(), bounds, &mut |f| {
            found.push(f.is_ok());
            true
        });
        assert_eq!(found, [false, true]);
        let mut seen = 0;
        let bounds = Bounds { bytes: 10, ..Bounds::default() };
        for_each_object("--- xxxxxxxxxxxx\n--- yyyyyyyyyyyyyy\n".as_bytes(), bounds, &mut |_| {
            seen += 1;
            seen < 100
        });
        assert_eq!(seen, 2);
    }

    #[test]
    fn what_the_server_writes_is_dropped() {
        let found = objects("items:\n- metadata: {name: a, managedFields: [{x: 1}]}\n  status: {x: 1}\n");
        let node = found[0].as_ref().unwrap();
        assert_eq!(node.entries().len(), 1);
        assert_eq!(node.at(&["metadata", "managedFields"]), None);
    }
}
