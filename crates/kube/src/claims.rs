//! DRA claims: what a ResourceClaim or a ResourceClaimTemplate asks for, and which container uses it.

use std::collections::HashMap;

use cleave_model::Ask;

use crate::dialect::{self, Asked, shown};
use crate::pod::{Pod, Role};
use crate::quantity::Quantity;
use crate::refusal::{Lost, Refusal, Remark};
use crate::tree::Node;

/// One request of a claim.
pub struct Request<'a> {
    pub name: &'a str,
    pub class: &'a str,
    pub count: u32,
    /// CEL expressions.
    pub selectors: Vec<&'a str>,
    capacity: &'a Node,
}

impl Request<'_> {
    /// A capacity that is requested.
    pub fn capacity(&self, name: &str) -> Result<Option<Quantity>, Remark> {
        let Some(text) = self.capacity.text_of(name) else { return Ok(None) };
        match Quantity::parse(text) {
            Ok(q) if !q.is_negative() => Ok(Some(q)),
            _ => Err((name.to_owned(), format!("{} is not a quantity", shown(text)))),
        }
    }

    /// A capacity in bytes, as MiB.
    pub fn bytes(&self, name: &str, lost: &mut Vec<Remark>) -> Result<Option<u64>, Remark> {
        let Some(quantity) = self.capacity(name)? else { return Ok(None) };
        match quantity.as_mib() {
            Some((mib, rest)) if mib > 0 && mib <= 1 << 30 => {
                if rest {
                    lost.push((name.to_owned(), format!("is rounded down to {mib} MiB")));
                }
                Ok(Some(mib))
            }
            _ => Err((name.to_owned(), "is not an amount of memory a device can have".to_owned())),
        }
    }
}

/// What one request of a claim means.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub request: String,
    pub dialect: &'static str,
    pub ask: Result<Ask, Remark>,
    /// Fields and what is lost of them.
    pub lost: Vec<Remark>,
}

/// The claims seen so far. A pod names them; they may come later in a dump than the pod.
#[derive(Default)]
pub struct ClaimBook {
    claims: HashMap<(Kind, String, String), Vec<Meaning>>,
}

/// A claim, or a template claims are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Claim,
    Template,
}

/// More claims than this are not remembered: a dump may not take more memory than it should.
const MOST_CLAIMS: usize = 100_000;

impl ClaimBook {
    /// Remembers a claim object and says what it means; `None` for every other object.
    pub fn note(&mut self, object: &Node) -> Option<Vec<Meaning>> {
        let (kind, spec) = match object.text_of("kind")? {
            "ResourceClaim" => (Kind::Claim, object.get("spec")?),
            "ResourceClaimTemplate" => (Kind::Template, object.at(&["spec", "spec"])?),
            _ => return None,
        };
        let requests = spec.at(&["devices", "requests"]).map_or(&[][..], Node::items);
        let meanings: Vec<Meaning> = requests.iter().filter_map(read_request).collect();
        let text = |key: &str| object.at(&["metadata", key]).and_then(Node::text);
        let name = text("name").unwrap_or("").to_owned();
        let namespace = text("namespace").unwrap_or("default").to_owned();
        if self.claims.len() < MOST_CLAIMS {
            self.claims.insert((kind, namespace, name), meanings.clone());
        }
        Some(meanings)
    }

    fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&[Meaning]> {
        self.claims.get(&(kind, namespace.to_owned(), name.to_owned())).map(Vec::as_slice)
    }

    /// Whether every claim a pod uses is known.
    pub fn knows_all(&self, pod: &Pod<'_>) -> bool {
        pod.claims.iter().all(|claim| {
            target(claim).is_none_or(|(kind, name)| self.get(kind, pod.namespace, name).is_some())
        })
    }
}

/// What a claim entry of a pod refers to.
fn target(claim: &Node) -> Option<(Kind, &str)> {
    let template = claim.text_of("resourceClaimTemplateName").map(|name| (Kind::Template, name));
    template.or_else(|| claim.text_of("resourceClaimName").map(|name| (Kind::Claim, name)))
}

/// The meaning of a request, if its device class is one a dialect has.
fn read_request(node: &Node) -> Option<Meaning> {
    static EMPTY: Node = Node::Map(Vec::new());
    let request = node.text_of("name").unwrap_or("").to_owned();
    if let Some(choices) = node.get("firstAvailable") {
        let own = choices.items().iter().filter_map(|choice| owner(choice.text_of("deviceClassName")?));
        let (dialect, _) = own.into_iter().next()?;
        let why = "is a list to choose from: an Ask has one size, so choose one";
        let ask = Err(("firstAvailable".to_owned(), why.to_owned()));
        return Some(Meaning { request, dialect, ask, lost: Vec::new() });
    }
    let inner = node.get("exactly").unwrap_or(node);
    let class = inner.text_of("deviceClassName")?;
    let (dialect, claims) = owner(class)?;
    let mut lost = Vec::new();
    let refuse = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
    let count = match inner.text_of("count") {
        None => Some(1),
        Some(text) => text.parse::<u32>().ok().filter(|n| (1..=1024).contains(n)),
    };
    let selectors = inner.get("selectors").map_or(&[][..], Node::items);
    let ask = match count {
        None => refuse("count", "is not a number of devices"),
        Some(_) if inner.text_of("allocationMode") == Some("All") => {
            refuse("allocationMode", "is All: as many devices as a node has is not a number")
        }
        Some(_) if inner.text_of("adminAccess") == Some("true") => {
            refuse("adminAccess", "is for monitors; it has no equal")
        }
        Some(count) => {
            let request = Request {
                name: &request,
                class,
                count,
                selectors: selectors.iter().filter_map(|s| s.at(&["cel", "expression"])?.text()).collect(),
                capacity: inner.at(&["capacity", "requests"]).unwrap_or(&EMPTY),
            };
            (claims.read)(&request, &mut lost)
        }
    };
    Some(Meaning { request, dialect, ask, lost })
}

/// The dialect that has a device class, and how it reads claims.
fn owner(class: &str) -> Option<(&'static str, &'static dialect::Claims)> {
    let readers = dialect::ALL.iter().filter_map(|d| d.claims.as_ref().map(|c| (d.name, c)));
    readers.into_iter().find(|(_, c)| c.classes.contains(&class))
}

/// What the claims of a pod ask for.
#[derive(Default)]
pub struct Claimed {
    pub dialect: Option<&'static str>,
    pub asks: Vec<Asked>,
    pub lost: Vec<Lost>,
    /// The pod's names of the claims that were read.
    pub names: Vec<String>,
}

/// What the claims of a pod ask for, container by container.
pub fn read(pod: &Pod<'_>, book: &ClaimBook) -> Result<Claimed, Refusal> {
    let mut found = Claimed::default();
    let mut users: HashMap<&str, &str> = HashMap::new();
    for (place, container) in pod.containers.iter().enumerate() {
        let mut total: Option<Ask> = None;
        for used in container.claims {
            let refuse = |key: &str, why: String| Refusal::new(Some(container.name), key, why);
            let name = used.text_of("name").unwrap_or("");
            let Some(entry) = pod.claims.iter().find(|c| c.text_of("name") == Some(name)) else {
                return Err(refuse(
                    "resources.claims",
                    format!("names {}, which the pod does not have", shown(name)),
                ));
            };
            let Some((kind, object)) = target(entry) else { continue };
            let Some(meanings) = book.get(kind, pod.namespace, object) else {
                return Err(refuse(
                    "resources.claims",
                    format!("uses {kind:?} {}, which was not given", shown(object)),
                ));
            };
            let only = used.text_of("request");
            for meaning in meanings.iter().filter(|m| only.is_none_or(|o| o == m.request)) {
                if container.role == Role::Ephemeral {
                    return Err(refuse("resources.claims", "is not for ephemeral containers".into()));
                }
                if let Some(other) = users.insert(name, container.name).filter(|o| *o != container.name) {
                    return Err(refuse(
                        "resources.claims",
                        format!("shares {} with container {other}", shown(name)),
                    ));
                }
                let ask = meaning.ask.clone().map_err(|(key, why)| refuse(&key, why))?;
                let lose = |(key, why): &Remark| Lost {
                    container: Some(container.name.to_owned()),
                    key: key.clone(),
                    why: why.clone(),
                };
                found.lost.extend(meaning.lost.iter().map(lose));
                found.dialect = Some(meaning.dialect);
                if !found.names.iter().any(|n| n == name) {
                    found.names.push(name.to_owned());
                }
                total = Some(match total {
                    None => ask,
                    Some(before) => add(before, &ask).ok_or_else(|| {
                        refuse("resources.claims", "asks for two kinds of device in one container".into())
                    })?,
                });
            }
        }
        if let Some(ask) = total {
            found.asks.push(Asked { place, container: container.name.to_owned(), ask });
        }
    }
    Ok(found)
}

/// Two requests for the same kind of slice are one for more of them.
fn add(mut first: Ask, second: &Ask) -> Option<Ask> {
    let count = first.count.checked_add(second.count)?;
    first.count = second.count;
    (first == *second && count <= 1024).then_some(Ask { count, ..first })
}
