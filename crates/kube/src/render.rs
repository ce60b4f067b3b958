//! Reports for people and for programs.

use cleave_model::{Ask, Class, Compute, Memory};
use serde_json::{Value, json};

use crate::claims::{Meaning, Verdict};
use crate::read::PodAsk;
use crate::refusal::{Lost, of_no_dialect};
use crate::translate::{Outcome, Report, Totals};
use crate::{words, write};

/// The heading of the table.
pub fn heading() -> String {
    row("OBJECT", "CONTAINER", "DIALECT", "UNDERSTOOD AS")
}

/// The lines of one report.
pub fn table(report: &Report) -> String {
    let object = format!("{}/{}/{}", report.namespace, report.kind, report.name);
    match &report.outcome {
        Outcome::Broken(why) => row(&report.source, "-", "-", &format!("unreadable: {why}")),
        Outcome::Claim(meanings) => meanings.iter().map(|m| claim_rows(&object, m)).collect(),
        Outcome::Pods(pods) => pods
            .iter()
            .map(|(path, result)| {
                let object = if path.is_empty() || pods.len() == 1 {
                    object.clone()
                } else {
                    format!("{object} {path}")
                };
                match result {
                    Ok(asked) => pod_rows(&object, asked),
                    Err(refusal) => row(&object, "-", "-", &format!("refused: {refusal}")),
                }
            })
            .collect(),
    }
}

fn pod_rows(object: &str, asked: &PodAsk) -> String {
    let dialect = asked.dialects.join(",");
    let mut rows = String::new();
    for ask in &asked.asks {
        rows.push_str(&row(object, &ask.container, &dialect, &words::line(&ask.ask)));
    }
    if let Some(gang) = &asked.gang {
        let said = format!("gang={} gang-least={}", gang.name, gang.least);
        rows.push_str(&row(object, "-", &dialect, &said));
    }
    for lost in &asked.lost {
        rows.push_str(&row(
            object,
            lost.container.as_deref().unwrap_or("-"),
            &dialect,
            &format!("lost: {lost}"),
        ));
    }
    for foreign in &asked.foreign {
        rows.push_str(&row(object, &foreign.container, "-", &format!("not ours: {foreign}")));
    }
    rows
}

fn claim_rows(object: &str, meaning: &Meaning) -> String {
    let said = |dialect: &str, said: &str| row(object, &meaning.request, dialect, said);
    match &meaning.verdict {
        Verdict::Own(own) => match &own.ask {
            Ok(ask) => {
                let lost = own.lost.iter().map(|(key, why)| said(own.dialect, &format!("lost: {key} {why}")));
                [said(own.dialect, &words::line(ask))].into_iter().chain(lost).collect()
            }
            Err((key, why)) => said(own.dialect, &format!("refused: {key} {why}")),
        },
        Verdict::Foreign { class } => said("-", &format!("not ours: {}", of_no_dialect(class))),
    }
}

/// Names from a stranger's file go to a terminal: nothing that moves its cursor.
fn row(object: &str, container: &str, dialect: &str, said: &str) -> String {
    format!("{:<44} {:<16} {:<13} {}\n", tame(object), tame(container), tame(dialect), tame(said))
}

fn tame(text: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().take(600).map(|c| if odd(c) { '\u{fffd}' } else { c }).collect()
}

/// The totals, for people.
pub fn summary(totals: &Totals) -> String {
    format!(
        "{} objects, {} pods or pod templates: {} understood, {} refused, {} things lost, {} not ours, {} documents unreadable",
        totals.objects,
        totals.pods,
        totals.understood,
        totals.refused,
        totals.lost,
        totals.foreign,
        totals.broken
    )
}

/// One report as a JSON object.
pub fn json_object(report: &Report) -> String {
    let mut value = json!({
        "source": report.source, "kind": report.kind, "namespace": report.namespace, "name": report.name,
    });
    match &report.outcome {
        Outcome::Broken(why) => value["unreadable"] = json!(why),
        Outcome::Claim(meanings) => value["requests"] = meanings.iter().map(claim_json).collect(),
        Outcome::Pods(pods) => {
            let pods = pods.iter().map(|(path, result)| match result {
                Ok(asked) => pod_json(path, asked),
                Err(r) => json!({
                    "template": path,
                    "refused": { "container": r.container, "key": r.key, "why": r.why, "sentence": r.to_string() },
                }),
            });
            value["pods"] = pods.collect();
        }
    }
    let mut text = value.to_string();
    if let Some(object) = &report.rewritten {
        // The object goes in as text, so that its numbers keep their letters.
        text.truncate(text.len() - 1);
        text.push_str(&format!(",\"object\":{}}}", write::json(object)));
    }
    text
}

/// The totals, for programs.
pub fn json_totals(totals: &Totals) -> String {
    json!({
        "objects": totals.objects, "pods": totals.pods, "understood": totals.understood, "refused": totals.refused,
        "lost": totals.lost, "not_ours": totals.foreign, "unreadable": totals.broken,
    })
    .to_string()
}

fn pod_json(path: &str, asked: &PodAsk) -> Value {
    let containers: Vec<Value> =
        asked.asks.iter().map(|a| json!({ "container": a.container, "ask": ask_json(&a.ask) })).collect();
    let lost =
        asked.lost.iter().map(|l: &Lost| json!({ "container": l.container, "key": l.key, "why": l.why }));
    let foreign = asked.foreign.iter().map(|f| json!({ "container": f.container, "class": f.class }));
    let gang = asked.gang.as_ref().map(|g| json!({ "name": g.name, "least": g.least }));
    json!({
        "template": path, "dialects": asked.dialects, "containers": containers, "phases": asked.phases,
        "devices": asked.devices(), "gang": gang, "lost": lost.collect::<Vec<_>>(),
        "not_ours": foreign.collect::<Vec<_>>(),
    })
}

fn claim_json(meaning: &Meaning) -> Value {
    let mut value = json!({ "request": meaning.request });
    match &meaning.verdict {
        Verdict::Own(own) => {
            value["dialect"] = json!(own.dialect);
            match &own.ask {
                Ok(ask) => {
                    let lost = own.lost.iter().map(|(key, why)| json!({ "key": key, "why": why }));
                    value["lost"] = lost.collect();
                    value["ask"] = ask_json(ask);
                }
                Err((key, why)) => value["refused"] = json!({ "key": key, "why": why }),
            }
        }
        Verdict::Foreign { class } => value["not_ours"] = json!({ "class": class }),
    }
    value
}

/// An Ask in integers, with its words.
pub fn ask_json(ask: &Ask) -> Value {
    let memory = |m| match m {
        Memory::Mib(mib) => json!({ "mib": mib }),
        Memory::Share(share) => json!({ "milli_percent": share.thousandths() }),
    };
    let compute = |c| match c {
        Compute::Share(share) => json!({ "milli_percent": share.thousandths() }),
        Compute::MilliTflops(milli) => json!({ "milli_tflops": milli }),
    };
    let class = if ask.class == Class::Offline { "offline" } else { "online" };
    json!({
        "count": ask.count,
        "memory": { "reserved": memory(ask.memory.reserved), "limit": memory(ask.memory.ceiling) },
        "compute": { "reserved": compute(ask.compute.reserved), "limit": compute(ask.compute.ceiling) },
        "encode_milli_percent": ask.encode.map(|e| e.thousandths()),
        "priority": ask.priority,
        "class": class,
        "isolation": words::isolation(ask.isolation),
        "words": words::line(ask),
    })
}
