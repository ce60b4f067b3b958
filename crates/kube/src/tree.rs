//! A document as a tree of text: scalars keep the letters they were written in, so no number passes through a
//! floating-point type on its way.

/// One value of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// A scalar as written; a quoted one is a string whatever it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    pub text: String,
    pub quoted: bool,
}

/// What an absent map reads as.
static NOTHING: &[(String, Node)] = &[];

impl Node {
    pub fn string(text: impl Into<String>) -> Node {
        Node::Scalar(Scalar { text: text.into(), quoted: true })
    }

    pub fn plain(text: impl Into<String>) -> Node {
        Node::Scalar(Scalar { text: text.into(), quoted: false })
    }

    pub fn null() -> Node {
        Node::plain("null")
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Node::Scalar(s) if !s.quoted && matches!(s.text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The entries of a map; none for anything else.
    pub fn entries(&self) -> &[(String, Node)] {
        match self {
            Node::Map(entries) => entries,
            _ => NOTHING,
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node] {
        match self {
            Node::List(items) => items,
            _ => &[],
        }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match self {
            Node::Map(entries) => entries.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar that is not null.
    pub fn text(&self) -> Option<&str> {
        match self {
            Node::Scalar(s) if !self.is_null() => Some(&s.text),
            _ => None,
        }
    }

    /// The text of the scalar under `key`.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Node::text)
    }

    /// The map under `key`, made if none is there: null, or something no API server would take in its place. `None` if this
    /// is no map itself.
    pub fn map_at(&mut self, key: &str) -> Option<&mut Vec<(String, Node)>> {
        let Node::Map(entries) = self else { return None };
        let place = entries.iter().position(|(k, _)| k == key).unwrap_or_else(|| {
            entries.push((key.to_owned(), Node::null()));
            entries.len() - 1
        });
        let value = &mut entries.get_mut(place)?.1;
        if !matches!(value, Node::Map(_)) {
            *value = Node::Map(Vec::new());
        }
        match value {
            Node::Map(inner) => Some(inner),
            _ => None,
        }
    }
}

/// Puts a value under a key, replacing what was there.
pub fn put(entries: &mut Vec<(String, Node)>, key: &str, value: Node) {
    match entries.iter_mut().find(|(k, _)| k == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key.to_owned(), value)),
    }
}
