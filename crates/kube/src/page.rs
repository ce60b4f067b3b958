//! The documentation of the dialects, from their rows.

use crate::dialect::{ALL, Dialect, Duty, Key, Place};
use crate::groups;

const HEAD: &str = "# Dialects

<!-- Written from the rows of crates/kube by its test `the_page_is_up_to_date`; UPDATE=1 rewrites it. -->

A pod written for another system becomes one Ask per container. In an Ask every amount is *per slice*; totals are divided,
exactly or not at all. What is relative to a device (percent of memory, TFLOPS) stays relative until a device is chosen.

- **Which dialect.** The one set for the namespace (`namespace.NS=NAME`), else for the cluster (`dialect=NAME`). If none is
  set, the keys of the pod must leave one system only; a key several systems have, such as `nvidia.com/gpu`, is refused
  rather than guessed. With a dialect set, keys of another one are refused, not ignored.
  So are annotations under `cleave.io/` on a pod that asks in the words of another system, but for a gang's: they would say
  nothing there, and something else once the pod is written in Cleave's words.
- **Requests and limits.** They must be equal where both are written, as Kubernetes wants it for such resources.
- **Init containers** ask for themselves; a pod needs what its largest phase needs. Sidecars run beside all later
  containers and are added. Ephemeral containers may not ask.
- **Refused** means: a sentence that names the key and the container. **Lost** means: understood, without effect in Cleave.
- **Not ours** are claims of a device class that no dialect has; they may be for a network card. They stay as they are, and are
  named. A class of a dialect that has another name in your cluster is renamed like a key. A claim that has both is refused.
- **Names** can be changed: `NAME.rename=FROM:TO`, where FROM is a key, a device class, or the beginning of such.
- Memory in bytes that is no whole number of MiB is rounded down, and said to be.

## cleave translate

```
cleave translate [FILE|FOLDER|-]... [-o table|yaml|json] [--dialect NAME] [--namespace NS=NAME] [--set KEY=VALUE] [--settings FILE]
```

Reads pods and everything that holds a pod template (known by its shape, so Deployments, StatefulSets, DaemonSets, Jobs,
CronJobs and kinds of your own), claims, lists, several documents, YAML or JSON. It prints what each container asks for, the
same objects in Cleave's words (`-o yaml`), and what would be lost. Exit code: 0 all is well, 1 something was refused or
unreadable, 3 something would be lost or is not ours, 2 the command line is wrong.

It is safe on files of strangers: one object in memory at a time (at most 8 MiB, 200,000 values, 64 levels, aliases
counted), links in folders are not followed, only plain files are opened, names are printed without control characters.

`compute=rest` means that nothing of the engine is reserved and whatever is idle may be used.
";

/// How pods say that they belong together.
fn gangs() -> String {
    let mut text = String::from(
        "\n## Gangs\n\nPods of one group get their places together or not at all. A pod may ask in the words of one system and name \
         a group of\nanother; how many are enough is in an annotation, in the PodGroup (which may come later in the dump), or in a \
         Volcano Job.\n\n| Key | Where | How many are enough | System |\n|---|---|---|---|\n",
    );
    for key in groups::KEYS {
        let least = key.least.map_or("`minMember` of its PodGroup".to_owned(), |name| format!("`{name}`"));
        let place = if key.place == Place::Label { "label" } else { "annotation" };
        text.push_str(&format!("| `{}` | {place} | {least} | {} |\n", key.name, key.system));
    }
    text.push_str("\nLost beside them:\n");
    for (name, why) in groups::LOST {
        text.push_str(&format!("- `{name}` {why}\n"));
    }
    text
}

/// The whole page.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    page.push_str(&gangs());
    for dialect in ALL {
        page.push_str(&section(dialect));
    }
    page
}

fn section(dialect: &Dialect) -> String {
    let mut text = format!("\n## {} (`{}`)\n", dialect.title, dialect.name);
    let rows = |duty: Duty| dialect.keys.iter().filter(move |k| k.duty == duty);
    if dialect.keys.iter().any(|k| matches!(k.duty, Duty::Asks | Duty::Shapes)) {
        text.push_str("\n| Key | Where | Meaning |\n|---|---|---|\n");
        for key in rows(Duty::Asks).chain(rows(Duty::Shapes)).chain(rows(Duty::Kept)) {
            let kept = if key.duty == Duty::Kept { "stays: " } else { "" };
            text.push_str(&format!("| `{}` | {} | {kept}{} |\n", key.name, place(key), key.meaning));
        }
    }
    if let Some(claims) = &dialect.claims {
        let classes: Vec<String> = claims.classes.iter().map(|c| format!("`{c}`")).collect();
        text.push_str(&format!("\nClaims of the device classes {}.\n", classes.join(", ")));
    }
    text.push_str("\nVerdicts:\n");
    for verdict in dialect.verdicts {
        text.push_str(&format!("- {verdict}\n"));
    }
    if rows(Duty::Lost).next().is_some() {
        text.push_str("\nLost:\n");
        for key in rows(Duty::Lost) {
            text.push_str(&format!("- `{}` {}\n", key.name, key.meaning));
        }
    }
    if rows(Duty::State).next().is_some() {
        let names: Vec<String> = rows(Duty::State).map(|k| format!("`{}`", k.name)).collect();
        text.push_str(&format!("\nState, not wishes: {}.\n", names.join(", ")));
    }
    if !dialect.options.is_empty() {
        text.push_str("\n| Option | Default | Meaning |\n|---|---|---|\n");
        for option in dialect.options {
            let default = if option.default.is_empty() { "none" } else { option.default };
            text.push_str(&format!(
                "| `{}.{}` | {default} | {} |\n",
                dialect.name, option.name, option.meaning
            ));
        }
    }
    text
}

fn place(key: &Key) -> &'static str {
    match key.place {
        Place::Resource => "resource",
        Place::Annotation => "annotation",
        Place::Label => "label",
        Place::Env => "environment",
        Place::Node => "node label",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dialects.md");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(written == page(), "docs/dialects.md is not what the rows say: run this test with UPDATE=1");
    }

    #[test]
    fn no_key_is_twice_in_a_dialect() {
        for dialect in ALL {
            for (place, key) in dialect.keys.iter().enumerate() {
                let again =
                    dialect.keys[place + 1..].iter().any(|k| k.name == key.name && k.place == key.place);
                assert!(!again, "{} has {} twice", dialect.name, key.name);
            }
        }
    }
}
