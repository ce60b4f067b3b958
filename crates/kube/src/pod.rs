//! Pods, wherever they are written: a pod itself, or the template inside whatever makes pods.

use cleave_model::Gang;

use crate::tree::{Node, Scalar};

/// A pod or a pod template.
pub struct Pod<'a> {
    pub namespace: &'a str,
    pub labels: &'a [(String, Node)],
    pub annotations: &'a [(String, Node)],
    /// In the order they start: init containers and sidecars as written, then the others, then ephemeral ones.
    pub containers: Vec<Container<'a>>,
    /// `spec.resourceClaims`.
    pub claims: &'a [Node],
    /// `spec.nodeSelector`.
    pub node_selector: &'a [(String, Node)],
    pub scheduler: Option<&'a str>,
    /// The gang that whatever holds this template makes of its pods.
    pub gang: Option<Gang>,
}

/// One container of a pod.
pub struct Container<'a> {
    pub name: &'a str,
    pub role: Role,
    pub limits: &'a [(String, Node)],
    pub requests: &'a [(String, Node)],
    pub env: &'a [Node],
    /// `resources.claims`.
    pub claims: &'a [Node],
}

/// When a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Runs to its end before the next one starts.
    Init,
    /// An init container that keeps running.
    Sidecar,
    Main,
    /// Added for debugging; may not ask for anything.
    Ephemeral,
}

impl<'a> Pod<'a> {
    /// Reads a template; what is absent is empty.
    pub fn read(template: &'a Node, namespace: &'a str) -> Pod<'a> {
        let entries = |path: &[&str]| template.at(path).map_or(&[][..], Node::entries);
        let list = |path: &[&str]| template.at(path).map_or(&[][..], Node::items);
        let mut containers = Vec::new();
        for (key, role) in [
            ("initContainers", Role::Init),
            ("containers", Role::Main),
            ("ephemeralContainers", Role::Ephemeral),
        ] {
            containers.extend(list(&["spec", key]).iter().map(|node| Container::read(node, role)));
        }
        Pod {
            namespace,
            labels: entries(&["metadata", "labels"]),
            annotations: entries(&["metadata", "annotations"]),
            containers,
            claims: list(&["spec", "resourceClaims"]),
            node_selector: entries(&["spec", "nodeSelector"]),
            scheduler: template.at(&["spec", "schedulerName"]).and_then(Node::text),
            gang: None,
        }
    }

    /// Which containers run at the same time: once for each init container, with the sidecars started before it,
    /// and once for the main containers with all sidecars. A pod needs what its largest phase needs.
    pub fn phases(&self) -> Vec<Vec<usize>> {
        let mut phases = Vec::new();
        let mut sidecars = Vec::new();
        let mut together = Vec::new();
        for (place, container) in self.containers.iter().enumerate() {
            match container.role {
                Role::Init => phases.push(sidecars.iter().copied().chain([place]).collect()),
                Role::Sidecar => sidecars.push(place),
                Role::Main => together.push(place),
                Role::Ephemeral => {}
            }
        }
        phases.push(sidecars.into_iter().chain(together).collect());
        phases
    }
}

impl<'a> Container<'a> {
    fn read(node: &'a Node, role: Role) -> Container<'a> {
        let entries = |path: &[&str]| node.at(path).map_or(&[][..], Node::entries);
        let sidecar = role == Role::Init && node.text_of("restartPolicy") == Some("Always");
        Container {
            name: node.text_of("name").unwrap_or(""),
            role: if sidecar { Role::Sidecar } else { role },
            limits: entries(&["resources", "limits"]),
            requests: entries(&["resources", "requests"]),
            env: node.get("env").map_or(&[][..], Node::items),
            claims: node.at(&["resources", "claims"]).map_or(&[][..], Node::items),
        }
    }

    /// The value of an environment variable that is written out.
    pub fn env(&self, name: &str) -> Option<&'a str> {
        self.env.iter().find(|e| e.text_of("name") == Some(name)).and_then(|e| e.text_of("value"))
    }
}

/// The scalar under `key`, if it is one and not null.
pub fn scalar<'a>(entries: &'a [(String, Node)], key: &str) -> Option<&'a Scalar> {
    match entries.iter().find(|(k, _)| k == key) {
        Some((_, node @ Node::Scalar(scalar))) if !node.is_null() => Some(scalar),
        _ => None,
    }
}

/// A step into an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Item(usize),
}

/// The places of all pod templates in an object: the object itself if it is a pod, `spec.template` in a Deployment,
/// `spec.jobTemplate.spec.template` in a CronJob, and wherever other kinds have theirs. A template is known by its
/// shape, a `spec` with `containers`, so that kinds nobody told us about are understood as well.
pub fn templates(object: &Node) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    walk(object, &mut Vec::new(), &mut found);
    found
}

fn walk(node: &Node, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    if matches!(node.at(&["spec", "containers"]), Some(Node::List(_))) {
        found.push(path.clone());
        return;
    }
    for (key, value) in node.entries() {
        if key != "metadata" && !matches!(value, Node::Scalar(_)) {
            path.push(Step::Key(key.clone()));
            walk(value, path, found);
            path.pop();
        }
    }
    for (place, value) in node.items().iter().enumerate() {
        path.push(Step::Item(place));
        walk(value, path, found);
        path.pop();
    }
}

/// The value at a path.
pub fn at<'a>(object: &'a Node, path: &[Step]) -> Option<&'a Node> {
    path.iter().try_fold(object, |node, step| match step {
        Step::Key(key) => node.get(key),
        Step::Item(place) => node.items().get(*place),
    })
}

/// The value at a path, to be changed.
pub fn at_mut<'a>(object: &'a mut Node, path: &[Step]) -> Option<&'a mut Node> {
    path.iter().try_fold(object, |node, step| match (step, node) {
        (Step::Key(key), node) => node.get_mut(key),
        (Step::Item(place), Node::List(items)) => items.get_mut(*place),
        (Step::Item(_), _) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::for_each_object;
    use crate::events::Bounds;

    fn object(text: &str) -> Node {
        let mut found = None;
        for_each_object(text.as_bytes(), Bounds::default(), &mut |f| {
            found = f.ok();
            true
        });
        found.unwrap()
    }

    #[test]
    fn templates_are_found_by_shape() {
        let pod = object("kind: Pod\nspec: {containers: [{name: a}]}\n");
        assert_eq!(templates(&pod), [vec![]]);
        let cron =
            object("kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}\n");
        assert_eq!(templates(&cron)[0].len(), 4);
        let many = object(
            "kind: Job\nspec: {tasks: [{template: {spec: {containers: []}}}, {template: {spec: {containers: []}}}]}",
        );
        assert_eq!(templates(&many).len(), 2);
        assert!(at(&many, &templates(&many)[1]).is_some());
        assert_eq!(templates(&object("kind: Secret\ndata: {a: b}\n")).len(), 0);
    }

    #[test]
    fn phases_are_what_runs_together() {
        let node = object(
            "spec:\n  initContainers:\n  - {name: a}\n  - {name: s, restartPolicy: Always}\n  - {name: b}\n  containers: [{name: m}, {name: n}]\n",
        );
        assert_eq!(Pod::read(&node, "x").phases(), [vec![0], vec![1, 2], vec![1, 3, 4]]);
    }
}
