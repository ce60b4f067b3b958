//! DRA claims: what a ResourceClaim or a ResourceClaimTemplate asks for, and which container uses it.

use std::collections::HashMap;

use cleave_model::Ask;

use crate::dialect::{Asked, shown};
use crate::pod::{Pod, Role};
use crate::refusal::{Foreign, Lost, Refusal, Remark};
use crate::settings::Settings;
use crate::tree::Node;

/// One request of a claim.
mod request;

pub use request::Request;

/// What one request of a claim means.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub request: String,
    pub verdict: Verdict,
}

#[derive(Clone, Debug)]
pub enum Verdict {
    Own(Box<Own>),
    /// Of a device class no dialect has. It may be for a network card as well as for a GPU, so it stays as it is, and is
    /// said to.
    Foreign {
        class: String,
    },
}

/// A request of a device class that a dialect has.
#[derive(Clone, Debug)]
pub struct Own {
    pub dialect: &'static str,
    pub ask: Result<Ask, Remark>,
    /// Fields and what is lost of them.
    pub lost: Vec<Remark>,
    /// A container may use no other request beside it.
    pub lone: bool,
}

impl Meaning {
    fn is_foreign(&self) -> bool {
        matches!(self.verdict, Verdict::Foreign { .. })
    }
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
    pub fn note(&mut self, object: &Node, settings: &Settings) -> Option<Vec<Meaning>> {
        let (kind, spec) = match object.text_of("kind")? {
            "ResourceClaim" => (Kind::Claim, object.get("spec")?),
            "ResourceClaimTemplate" => (Kind::Template, object.at(&["spec", "spec"])?),
            _ => return None,
        };
        let meanings = request::read(spec, settings);
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

/// What the claims of a pod ask for.
#[derive(Default)]
pub struct Claimed {
    pub dialect: Option<&'static str>,
    pub asks: Vec<Asked>,
    pub lost: Vec<Lost>,
    pub foreign: Vec<Foreign>,
    /// The pod's names of the claims that became Asks.
    pub names: Vec<String>,
}

/// What the claims of a pod ask for, container by container.
pub fn read(pod: &Pod<'_>, book: &ClaimBook) -> Result<Claimed, Refusal> {
    let mut found = Claimed::default();
    let mut users: HashMap<(&str, &str), &str> = HashMap::new();
    for (place, container) in pod.containers.iter().enumerate() {
        let refuse = |key: &str, why: String| Refusal::new(Some(container.name), key, why);
        let mut total: Option<Ask> = None;
        for used in container.claims {
            let name = used.text_of("name").unwrap_or("");
            let meanings = find(pod, book, name).map_err(|why| refuse("resources.claims", why))?;
            let only = used.text_of("request").map(|only| only.split('/').next().unwrap_or(only));
            let wanted = |meaning: &&Meaning| only.is_none_or(|only| only == meaning.request);
            if let Some(only) = only.filter(|_| !meanings.iter().any(|m| wanted(&m))) {
                let why = format!("names request {} of {}, which it does not have", shown(only), shown(name));
                return Err(refuse("resources.claims", why));
            }
            for meaning in meanings.iter().filter(wanted) {
                let own = match &meaning.verdict {
                    Verdict::Own(own) => own,
                    Verdict::Foreign { class } => {
                        let container = container.name.to_owned();
                        found.foreign.push(Foreign { container, class: class.clone() });
                        continue;
                    }
                };
                if container.role == Role::Ephemeral {
                    return Err(refuse("resources.claims", "is not for ephemeral containers".into()));
                }
                let user = users.insert((name, &meaning.request), container.name);
                if let Some(other) = user.filter(|other| *other != container.name) {
                    let why = format!("shares {} with container {other}", shown(name));
                    return Err(refuse("resources.claims", why));
                }
                let ask = own.ask.clone().map_err(|(key, why)| refuse(&key, why))?;
                let lose = |(key, why): &Remark| Lost {
                    container: Some(container.name.to_owned()),
                    key: key.clone(),
                    why: why.clone(),
                };
                found.lost.extend(own.lost.iter().map(lose));
                found.dialect = Some(own.dialect);
                if !found.names.iter().any(|n| n == name) {
                    found.names.push(name.to_owned());
                }
                total = Some(match total {
                    None => ask,
                    Some(_) if own.lone => {
                        let why = format!("uses two requests, and {} lets a container use one", own.dialect);
                        return Err(refuse("resources.claims", why));
                    }
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

/// What the requests of a claim of a pod mean. The error is what is wrong with it.
fn find<'a>(pod: &Pod<'_>, book: &'a ClaimBook, name: &str) -> Result<&'a [Meaning], String> {
    let Some(entry) = pod.claims.iter().find(|c| c.text_of("name") == Some(name)) else {
        return Err(format!("names {}, which the pod does not have", shown(name)));
    };
    let Some((kind, object)) = target(entry) else {
        return Err(format!("uses {}, which names neither a claim nor a template", shown(name)));
    };
    let Some(meanings) = book.get(kind, pod.namespace, object) else {
        return Err(format!("uses {kind:?} {}, which was not given", shown(object)));
    };
    // The claim goes when its requests become Asks, and must not take with it what did not.
    let foreign = meanings.iter().filter(|meaning| meaning.is_foreign()).count();
    if foreign > 0 && foreign < meanings.len() {
        let why = "which has device classes of no dialect beside others: make two claims of it";
        return Err(format!("uses {kind:?} {}, {why}", shown(object)));
    }
    Ok(meanings)
}

/// Two requests for the same kind of slice are one for more of them.
fn add(mut first: Ask, second: &Ask) -> Option<Ask> {
    let count = first.count.checked_add(second.count)?;
    first.count = second.count;
    (first == *second && count <= 1024).then_some(Ask { count, ..first })
}
