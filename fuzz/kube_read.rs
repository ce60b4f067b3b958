//! Any bytes, read in any dialect: an answer without a crash, and what is rewritten asks for exactly the same.

#![no_main]

use cleave_kube::dialect::ALL;
use cleave_kube::documents::for_each_object;
use cleave_kube::pod::{Pod, at, templates};
use cleave_kube::translate::{Outcome, Report, Translator};
use cleave_kube::tree::Node;
use cleave_kube::{Bounds, Settings, render, words, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut settings = Settings::default();
    let mut text = bytes;
    // No manifest begins with one of the first few bytes there are, so one of them in front chooses a dialect.
    if let Some((first, rest)) = bytes.split_first()
        && let Some(dialect) = ALL.get(usize::from(*first))
    {
        settings.set("dialect", dialect.name).expect("a dialect has its name");
        text = rest;
    }
    for report in translate(text, &settings) {
        let _ = (render::table(&report), render::json_object(&report));
        let Some(object) = &report.rewritten else { continue };
        // A claim that stays is another object, without which the pod is refused.
        if keeps_claims(object) {
            continue;
        }
        let said = asks(std::slice::from_ref(&report));
        for again in [write::yaml(object), write::json(object)] {
            let understood = asks(&translate(again.as_bytes(), &Settings::default()));
            assert_eq!(understood, said, "the object in Cleave's words asks for something else:\n{again}");
        }
    }
});

fn translate(text: &[u8], settings: &Settings) -> Vec<Report> {
    let mut translator = Translator::new(settings.clone());
    let mut reports = Vec::new();
    for_each_object(text, Bounds::default(), &mut |found| {
        reports.extend(translator.take("fuzz", found));
        true
    });
    reports.extend(translator.finish());
    reports
}

fn keeps_claims(object: &Node) -> bool {
    let pods = templates(object).into_iter().filter_map(|path| at(object, &path));
    pods.map(|template| Pod::read(template, "default"))
        .any(|pod| pod.containers.iter().any(|container| !container.claims.is_empty()))
}

/// Every Ask and gang, in order.
fn asks(reports: &[Report]) -> Vec<String> {
    let mut lines = Vec::new();
    for report in reports {
        let Outcome::Pods(pods) = &report.outcome else { continue };
        for pod in pods.iter().filter_map(|(_, result)| result.as_ref().ok()) {
            lines.extend(pod.asks.iter().map(|a| format!("{} {}", a.container, words::line(&a.ask))));
            lines.extend(pod.gang.iter().map(|gang| format!("{gang:?}")));
        }
    }
    lines
}
