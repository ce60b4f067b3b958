//! Every form of every instruction has a file.
//!
//! The forms are those of the table that drives the parser. Asked of the corpus are: each spelling of each opcode, each
//! combination of types it takes, and each word that may stand between them. A form that the interpreter refuses needs
//! a file too, one that says `// refused`.

use super::{files, name};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The words of modifiers that the table does not spell out because their member of `Mods` has no others.
const WORDS: [(&str, &[&str]); 22] = [
    ("accuracy", &["approx", "full"]),
    ("a_layout", &["row", "col"]),
    ("b_layout", &["row", "col"]),
    ("bit_op", &["and_popc", "xor_popc"]),
    ("bool_op", &["and", "or", "xor"]),
    ("cache_hint", &["L2::cache_hint"]),
    ("direction", &["l", "r"]),
    (
        "evict",
        &["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"],
    ),
    ("l2_evict", &["L2::evict_normal", "L2::evict_first", "L2::evict_last"]),
    ("l2_evict_rest", &["L2::evict_unchanged"]),
    ("level", &["L1", "L2"]),
    ("nan", &["NaN"]),
    ("no_complete", &["noComplete"]),
    ("overflow", &["clamp", "wrap"]),
    ("permute", &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]),
    ("prefetch", &["L2::64B", "L2::128B", "L2::256B"]),
    ("property", &["finite", "infinite", "normal", "notanumber", "number", "subnormal"]),
    ("proxy", &["alias", "async"]),
    ("scope", &["cta", "cluster", "gpu", "sys"]),
    ("shuffle", &["up", "down", "bfly", "idx"]),
    ("width", &["v2", "v4"]),
    ("xorsign_abs", &["xorsign_abs"]),
];

/// Modifiers of two words, joined so that a dot always separates.
const COMPOUND: [(&str, &str); 4] = [
    ("and.popc", "and_popc"),
    ("xor.popc", "xor_popc"),
    ("mmio.relaxed", "mmio_relaxed"),
    ("xorsign.abs", "xorsign_abs"),
];

/// What the table lets through and the vendor's assembler does not, so that no program has it: scopes wider than a
/// cluster on barriers in shared memory, and `wmma` of integers of different signs.
fn unwritten(form: &str) -> bool {
    let wide_scope = form.starts_with("mbarrier.") && (form.ends_with(".gpu") || form.ends_with(".sys"));
    let mixed = ["s8 u8", "u8 s8", "s4 u4", "u4 s4"].iter().any(|pair| form.contains(pair));
    wide_scope || form.starts_with("wmma.mma") && mixed
}

/// One line of the table.
struct Row {
    name: String,
    /// The types allowed at each place.
    types: Vec<Vec<String>>,
    words: Vec<String>,
}

/// What the corpus has of one spelling.
#[derive(Default)]
struct Seen {
    types: BTreeSet<Vec<String>>,
    words: BTreeSet<String>,
}

fn table() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx/src/forms/table.txt");
    let text = std::fs::read_to_string(path).expect("the table of forms");
    let mut lists: BTreeMap<String, String> = BTreeMap::new();
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["let", list, content] = words[..] {
            lists.insert(list.to_owned(), content.to_owned());
            continue;
        }
        let expand = |text: &str| -> Vec<String> {
            text.split('|')
                .flat_map(|word| lists.get(word).map_or(word, String::as_str).split('|'))
                .map(join)
                .collect()
        };
        let Some((name, rest)) = words.split_first() else { continue };
        let mut row =
            Row { name: name.split('~').next().unwrap_or(name).to_owned(), types: vec![], words: vec![] };
        for slot in rest.iter().take_while(|slot| **slot != ":") {
            let plain = slot.trim_end_matches('?');
            if let Some(types) = plain.strip_prefix('.') {
                row.types.push(expand(types));
            } else if let Some((_, words)) = plain.split_once('=') {
                row.words.extend(expand(words));
            } else if !plain.starts_with(['+', '\'']) {
                let known = WORDS.iter().find(|(field, _)| *field == plain);
                match known {
                    Some((_, words)) => row.words.extend(words.iter().map(|word| word.to_string())),
                    None => row.words.push(plain.to_owned()),
                }
            }
        }
        rows.push(row);
    }
    rows
}

fn join(text: &str) -> String {
    COMPOUND.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The first word of each instruction of a file: opcode, modifiers and types.
fn heads(text: &str) -> impl Iterator<Item = String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let heads: Vec<String> = code
        .split([';', '{', '}'])
        .filter_map(|statement| {
            let after_label = statement.rsplit(": ").next().unwrap_or(statement);
            let mut words = after_label
                .split_whitespace()
                .skip_while(|word| word.starts_with('@') || word.ends_with(':'));
            words.next().map(join)
        })
        .collect();
    heads.into_iter()
}

#[test]
fn every_form_has_a_file() {
    let rows = table();
    assert!(rows.len() > 300, "the table was misread");
    let types: BTreeSet<&String> = rows.iter().flat_map(|row| row.types.iter().flatten()).collect();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", name(&path)));
        for head in heads(&text) {
            // The longest spelling wins: `cvt.pack` is not `cvt`.
            let fits = |name: &&str| {
                head == **name || head.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
            };
            let Some(&spelling) = names.iter().filter(|name| fits(name)).max_by_key(|name| name.len()) else {
                continue;
            };
            let entry = seen.entry(spelling).or_default();
            let words: Vec<String> = head[spelling.len()..].split('.').skip(1).map(str::to_owned).collect();
            entry.types.insert(words.iter().filter(|word| types.contains(word)).cloned().collect());
            entry.words.extend(words);
        }
    }
    let mut missing = BTreeSet::new();
    for row in &rows {
        let Some(seen) = seen.get(row.name.as_str()) else {
            missing.insert(row.name.clone());
            continue;
        };
        for combination in combinations(&row.types) {
            if !seen.types.contains(&combination) {
                missing.insert(format!("{} with types {}", row.name, combination.join(" ")));
            }
        }
        for word in row.words.iter().filter(|word| !seen.words.contains(*word)) {
            missing.insert(format!("{} with .{word}", row.name));
        }
    }
    let list: Vec<String> = missing.into_iter().filter(|form| !unwritten(form)).collect();
    assert!(list.is_empty(), "{} forms have no file:\n{}", list.len(), list.join("\n"));
}

/// Every way to take one of each.
fn combinations(places: &[Vec<String>]) -> Vec<Vec<String>> {
    places.iter().fold(vec![vec![]], |sofar, choices| {
        let extend = |start: &Vec<String>| {
            choices
                .iter()
                .map(|choice| [start.as_slice(), std::slice::from_ref(choice)].concat())
                .collect::<Vec<_>>()
        };
        sofar.iter().flat_map(extend).collect()
    })
}
