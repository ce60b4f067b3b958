use cleave_model::Ask;

use super::{Meaning, Own, Verdict};
use crate::dialect::{self, Claims, Dialect, shown};
use crate::quantity::Quantity;
use crate::refusal::Remark;
use crate::settings::Settings;
use crate::tree::Node;

/// One request of a claim, of a device class that a dialect has.
pub struct Request<'a> {
    pub name: &'a str,
    /// The device class as the dialect calls it, whatever it is called here.
    pub class: &'static str,
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

    /// Capacities that the class does not share out.
    pub fn lose_capacities_but(&self, own: &[&str], lost: &mut Vec<Remark>) {
        let others = self.capacity.entries().iter().filter(|(name, _)| !own.contains(&name.as_str()));
        lost.extend(others.map(|(name, _)| (name.clone(), "is a capacity that has no equal".to_owned())));
    }
}

/// The meaning of the requests of a claim.
pub fn read(spec: &Node, settings: &Settings) -> Vec<Meaning> {
    let Some(devices) = spec.get("devices") else { return Vec::new() };
    let requests = devices.get("requests").map_or(&[][..], Node::items);
    requests.iter().map(|request| read_one(request, devices, settings)).collect()
}

fn read_one(node: &Node, devices: &Node, settings: &Settings) -> Meaning {
    static EMPTY: Node = Node::Map(Vec::new());
    let name = node.text_of("name").unwrap_or("");
    let means = |verdict| Meaning { request: name.to_owned(), verdict };
    let own = |owner: &Owner, ask, lost| {
        let lone = owner.claims.lone.contains(&owner.class);
        means(Verdict::Own(Box::new(Own { dialect: owner.dialect.name, ask, lost, lone })))
    };
    if let Some(choices) = node.get("firstAvailable").map(Node::items) {
        let Some(owner) = choices.iter().find_map(|choice| owner(&class_of(choice), settings)) else {
            let classes: Vec<String> = choices.iter().take(MOST_CHOICES).map(class_of).collect();
            return means(Verdict::Foreign { class: classes.join(", ") });
        };
        let why = "is a list to choose from: an Ask has one size, so choose one";
        let ask = Err(("firstAvailable".to_owned(), why.to_owned()));
        return own(&owner, ask, Vec::new());
    }
    let inner = node.get("exactly").unwrap_or(node);
    let class = class_of(inner);
    let Some(owner) = owner(&class, settings) else { return means(Verdict::Foreign { class }) };
    let mut lost = around(name, inner, devices);
    let refuse = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
    let count = match inner.text_of("count") {
        None => Some(1),
        Some(text) => text.parse::<u32>().ok().filter(|n| (1..=1024).contains(n)),
    };
    let selectors = inner.get("selectors").map_or(&[][..], Node::items);
    let ask: Result<Ask, Remark> = match count {
        None => refuse("count", "is not a number of devices"),
        Some(_) if inner.text_of("allocationMode") == Some("All") => {
            refuse("allocationMode", "is All: as many devices as a node has is not a number")
        }
        Some(_) if inner.text_of("adminAccess") == Some("true") => {
            refuse("adminAccess", "is for monitors; it has no equal")
        }
        Some(count) => {
            let request = Request {
                name,
                class: owner.class,
                count,
                selectors: selectors.iter().filter_map(|s| s.at(&["cel", "expression"])?.text()).collect(),
                capacity: inner.at(&["capacity", "requests"]).unwrap_or(&EMPTY),
            };
            (owner.claims.read)(&request, &mut lost)
        }
    };
    own(&owner, ask, lost)
}

/// Kubernetes takes no more alternatives, and no longer names.
const MOST_CHOICES: usize = 8;
const LONGEST_NAME: usize = 253;

fn class_of(request: &Node) -> String {
    request.text_of("deviceClassName").unwrap_or("").chars().take(LONGEST_NAME).collect()
}

/// What stands around a request and is lost with it.
fn around(name: &str, request: &Node, devices: &Node) -> Vec<Remark> {
    let concerns = |entry: &&Node| {
        let only = entry.get("requests").map_or(&[][..], Node::items);
        only.is_empty() || only.iter().any(|one| one.text() == Some(name))
    };
    let of = |key: &str| devices.get(key).map_or(&[][..], Node::items).iter().filter(concerns);
    let mut lost = Vec::new();
    for constraint in of("constraints") {
        let attribute = constraint.text_of("matchAttribute").or(constraint.text_of("distinctAttribute"));
        let why =
            format!("tie devices to each other by {}, which is not kept", shown(attribute.unwrap_or("")));
        lost.push(("constraints".to_owned(), why));
    }
    for config in of("config") {
        let driver = config.at(&["opaque", "driver"]).and_then(Node::text).unwrap_or("");
        lost.push(("config".to_owned(), format!("is for the driver {}, and has no equal", shown(driver))));
    }
    if request.get("tolerations").is_some_and(|list| !list.items().is_empty()) {
        lost.push(("tolerations".to_owned(), "of device taints have no equal".to_owned()));
    }
    lost
}

/// Whose a device class is.
struct Owner {
    dialect: &'static Dialect,
    claims: &'static Claims,
    class: &'static str,
}

/// The dialect that has a device class, by what the class is called here.
fn owner(class: &str, settings: &Settings) -> Option<Owner> {
    dialect::ALL.iter().find_map(|dialect| {
        let claims = dialect.claims.as_ref()?;
        let class = claims.classes.iter().find(|own| settings.name(dialect, own) == class)?;
        Some(Owner { dialect, claims, class })
    })
}
