//! Asks in Cleave's own words, and back. One line of words says all there is in an Ask.

use cleave_model::{Ask, Bounds, Class, Compute, Isolation, Memory, MilliPercent, Packing, Span, Version};

use crate::quantity::Quantity;
use crate::refusal::Remark;

/// A word and its value.
pub type Word = (&'static str, String);

/// Every word there is, in the order they are written.
pub const WORDS: &[&str] = &[
    "gpu",
    "memory",
    "memory-limit",
    "compute",
    "compute-limit",
    "encode",
    "priority",
    "class",
    "isolation",
    "node-policy",
    "device-policy",
    "topology",
    "models",
    "not-models",
    "uuids",
    "not-uuids",
    "indices",
    "vendor",
    "pool",
    "profile",
    "size",
    "names",
    "not-names",
    "architectures",
    "capability",
    "driver",
    "device-memory",
];

/// How many of them are sizes. Those belong to each container; a pod may say the others for all its containers.
const SIZES: usize = 6;

pub const POD_WORDS: &[&str] = WORDS.split_at(SIZES).1;

/// The words of an Ask; what is as usual is left out.
pub fn words(ask: &Ask) -> Vec<Word> {
    let mut words = vec![("gpu", ask.count.to_string()), ("memory", memory(ask.memory.reserved))];
    if ask.memory.ceiling != ask.memory.reserved {
        words.push(("memory-limit", memory(ask.memory.ceiling)));
    }
    if ask.compute == crate::dialect::REST {
        words.push(("compute", "rest".into()));
    } else {
        words.push(("compute", compute(ask.compute.reserved)));
        if ask.compute.ceiling != ask.compute.reserved {
            words.push(("compute-limit", compute(ask.compute.ceiling)));
        }
    }
    if let Some(share) = ask.encode {
        words.push(("encode", percent(share)));
    }
    if ask.priority != 0 {
        words.push(("priority", ask.priority.to_string()));
    }
    if ask.class == Class::Offline {
        words.push(("class", "offline".into()));
    }
    if ask.isolation != Isolation::Soft {
        words.push(("isolation", isolation(ask.isolation).into()));
    }
    let packing = |p| match p {
        Packing::Binpack => "binpack".to_owned(),
        Packing::Spread => "spread".to_owned(),
    };
    words.extend(ask.policy.node.map(|p| ("node-policy", packing(p))));
    words.extend(ask.policy.device.map(|p| ("device-policy", packing(p))));
    let wishes = [(ask.policy.topology.linked, "linked"), (ask.policy.topology.one_numa, "numa")];
    let wishes: Vec<&str> = wishes.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    let s = &ask.selectors;
    let indices: Vec<String> = s.indices.iter().map(u32::to_string).collect();
    let lists = [
        ("topology", wishes.join(",")),
        ("models", s.models.join(",")),
        ("not-models", s.not_models.join(",")),
        ("uuids", s.uuids.join(",")),
        ("not-uuids", s.not_uuids.join(",")),
        ("indices", indices.join(",")),
        ("vendor", s.vendor.clone().unwrap_or_default()),
        ("pool", s.pool.clone().unwrap_or_default()),
        ("profile", s.profile.clone().unwrap_or_default()),
        ("size", s.size_gib.map(|g| format!("{g}Gi")).unwrap_or_default()),
        ("names", s.names.join(",")),
        ("not-names", s.not_names.join(",")),
        ("architectures", s.architectures.join(",")),
        ("capability", span(s.capability, |v| v.to_string())),
        ("driver", span(s.driver, |v| v.to_string())),
        ("device-memory", span(s.memory_mib, |mib| memory(Memory::Mib(mib)))),
    ];
    words.extend(lists.into_iter().filter(|(_, value)| !value.is_empty()));
    words
}

/// The words in one line, as golden files and tables show them.
pub fn line(ask: &Ask) -> String {
    let part = |(word, value): Word| {
        if value.contains([' ', '"']) { format!("{word}={value:?}") } else { format!("{word}={value}") }
    };
    words(ask).into_iter().map(part).collect::<Vec<_>>().join(" ")
}

/// An Ask from words. The error is the word and what is wrong with it.
pub fn parse<'a>(words: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Ask, Remark> {
    let mut ask = Ask::new(1, Memory::WHOLE, Compute::NONE);
    ask.compute = crate::dialect::REST;
    let (mut memory, mut memory_limit, mut compute, mut compute_limit) = (None, None, None, None);
    let mut isolated = false;
    for (word, value) in words {
        let wrong = |why: &str| (word.to_owned(), format!("{} {why}", crate::dialect::shown(value)));
        let packing = || match value {
            "binpack" => Ok(Some(Packing::Binpack)),
            "spread" => Ok(Some(Packing::Spread)),
            _ => Err(wrong("is neither binpack nor spread")),
        };
        let list = || crate::dialect::list(value);
        match word {
            "gpu" => {
                let count = value.parse().ok().filter(|n| (1..=1024).contains(n));
                ask.count = count.ok_or_else(|| wrong("is not a number of devices"))?;
            }
            "memory" => {
                memory = Some(parse_memory(value).ok_or_else(|| wrong("is not an amount of memory"))?)
            }
            "memory-limit" => {
                memory_limit = Some(parse_memory(value).ok_or_else(|| wrong("is not an amount of memory"))?);
            }
            "compute" if value == "rest" => compute = Some(None),
            "compute" => {
                compute =
                    Some(Some(parse_compute(value).ok_or_else(|| wrong("is not an amount of compute"))?));
            }
            "compute-limit" => {
                compute_limit =
                    Some(parse_compute(value).ok_or_else(|| wrong("is not an amount of compute"))?);
            }
            "encode" => ask.encode = Some(parse_percent(value).ok_or_else(|| wrong("is not a percentage"))?),
            "priority" => ask.priority = value.parse().map_err(|_| wrong("is not a priority"))?,
            "class" => {
                ask.class = match value {
                    "online" => Class::Online,
                    "offline" => Class::Offline,
                    _ => return Err(wrong("is neither online nor offline")),
                }
            }
            "isolation" => {
                isolated = true;
                ask.isolation = parse_isolation(value).ok_or_else(|| wrong("is not an isolation"))?;
            }
            "node-policy" => ask.policy.node = packing()?,
            "device-policy" => ask.policy.device = packing()?,
            "topology" => {
                for wish in list() {
                    match wish.as_str() {
                        "linked" => ask.policy.topology.linked = true,
                        "numa" => ask.policy.topology.one_numa = true,
                        _ => return Err(wrong("is neither linked nor numa")),
                    }
                }
            }
            "models" => ask.selectors.models = list(),
            "not-models" => ask.selectors.not_models = list(),
            "uuids" => ask.selectors.uuids = list(),
            "not-uuids" => ask.selectors.not_uuids = list(),
            "indices" => {
                let parsed: Result<Vec<u32>, _> = list().iter().map(|i| i.parse()).collect();
                ask.selectors.indices = parsed.map_err(|_| wrong("is not a list of indices"))?;
            }
            "vendor" => ask.selectors.vendor = Some(value.to_owned()),
            "pool" => ask.selectors.pool = Some(value.to_owned()),
            "profile" => ask.selectors.profile = Some(value.to_owned()),
            "size" => {
                let gib = value.strip_suffix("Gi").and_then(|g| g.parse().ok());
                ask.selectors.size_gib = Some(gib.ok_or_else(|| wrong("is not a size such as 40Gi"))?);
            }
            "names" => ask.selectors.names = list(),
            "not-names" => ask.selectors.not_names = list(),
            "architectures" => ask.selectors.architectures = list(),
            "capability" => {
                ask.selectors.capability =
                    parse_versions(value).ok_or_else(|| wrong("is not a range of versions"))?;
            }
            "driver" => {
                ask.selectors.driver =
                    parse_versions(value).ok_or_else(|| wrong("is not a range of versions"))?;
            }
            "device-memory" => {
                ask.selectors.memory_mib =
                    parse_span(value, parse_mib).ok_or_else(|| wrong("is not a range of memory"))?;
            }
            _ => return Err((word.to_owned(), "is not a word of Cleave".into())),
        }
    }
    // A device asked for and no part of it named: the whole one.
    let whole = memory.is_none() && compute.is_none();
    if whole {
        compute = Some(Some(Compute::WHOLE));
        ask.isolation = if isolated { ask.isolation } else { Isolation::Exclusive };
    }
    let all_memory = ask.isolation == Isolation::Exclusive || compute == Some(Some(Compute::WHOLE));
    let Some(reserved) = memory.or(all_memory.then_some(Memory::WHOLE)) else {
        return Err(("memory".into(), "is missing: say how much, or whole".into()));
    };
    ask.memory = Bounds { reserved, ceiling: memory_limit.unwrap_or(reserved) };
    if let Some(Some(reserved)) = compute {
        ask.compute = Bounds::exactly(reserved);
    }
    if let Some(ceiling) = compute_limit {
        ask.compute.ceiling = ceiling;
    }
    check(&ask)?;
    Ok(ask)
}

/// Limits are not below what is reserved, as far as that can be known before a device is chosen.
pub(crate) fn check(ask: &Ask) -> Result<(), Remark> {
    let below = |word: &str| Err((word.to_owned(), "is below what is reserved".to_owned()));
    match (ask.memory.reserved, ask.memory.ceiling) {
        (Memory::Mib(a), Memory::Mib(b)) if b < a => return below("memory-limit"),
        (Memory::Share(a), Memory::Share(b)) if b < a => return below("memory-limit"),
        _ => {}
    }
    match (ask.compute.reserved, ask.compute.ceiling) {
        (Compute::Share(a), Compute::Share(b)) if b < a => below("compute-limit"),
        (Compute::MilliTflops(a), Compute::MilliTflops(b)) if b < a => below("compute-limit"),
        _ => Ok(()),
    }
}

fn memory(memory: Memory) -> String {
    match memory {
        Memory::Mib(mib) => format!("{mib}Mi"),
        Memory::Share(MilliPercent::WHOLE) => "whole".into(),
        Memory::Share(share) => percent(share),
    }
}

fn compute(compute: Compute) -> String {
    match compute {
        Compute::WHOLE => "whole".into(),
        Compute::Share(share) => percent(share),
        other => other.to_string().replace(' ', ""),
    }
}

/// `FROM..BELOW`; nothing for a span without ends.
fn span<T: Copy + Ord>(span: Span<T>, say: impl Fn(T) -> String) -> String {
    if span.is_open() {
        return String::new();
    }
    let end = |end: Option<T>| end.map(&say).unwrap_or_default();
    format!("{}..{}", end(span.from), end(span.below))
}

fn percent(share: MilliPercent) -> String {
    share.to_string().replace(' ', "")
}

pub(crate) fn isolation(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Soft => "soft",
        Isolation::Strict => "strict",
        Isolation::Hard => "hard",
        Isolation::Exclusive => "exclusive",
        Isolation::Remote => "remote",
    }
}

fn parse_isolation(text: &str) -> Option<Isolation> {
    [Isolation::Soft, Isolation::Strict, Isolation::Hard, Isolation::Exclusive, Isolation::Remote]
        .into_iter()
        .find(|i| isolation(*i) == text)
}

fn parse_memory(text: &str) -> Option<Memory> {
    if text == "whole" {
        return Some(Memory::WHOLE);
    }
    if text.ends_with('%') {
        return parse_percent(text).map(Memory::Share);
    }
    parse_mib(text).map(Memory::Mib)
}

/// Bytes with a unit: a bare number could mean bytes or MiB, so it means nothing.
fn parse_mib(text: &str) -> Option<u64> {
    let (mib, rest) = Quantity::parse(text).ok().filter(|_| text.ends_with('i'))?.as_mib()?;
    (!rest && mib <= 1 << 30).then_some(mib)
}

fn parse_versions(text: &str) -> Option<Span<Version>> {
    parse_span(text, |end| end.parse().ok())
}

/// `FROM..BELOW`, with at least one end and something between.
fn parse_span<T: Copy + Ord>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Span<T>> {
    let (from, below) = text.split_once("..")?;
    let end = |text: &str| if text.is_empty() { Some(None) } else { parse(text).map(Some) };
    let from = Span { from: end(from)?, below: None };
    from.and(Span { from: None, below: end(below)? }).filter(|span| !span.is_open())
}

fn parse_compute(text: &str) -> Option<Compute> {
    if text == "whole" {
        return Some(Compute::WHOLE);
    }
    if let Some(tflops) = text.strip_suffix("TFLOPS") {
        let (milli, rest) = Quantity::parse(tflops).ok()?.as_thousandths()?;
        return (!rest).then_some(Compute::MilliTflops(milli));
    }
    parse_percent(text).map(Compute::Share)
}

fn parse_percent(text: &str) -> Option<MilliPercent> {
    let (thousandths, rest) = Quantity::parse(text.strip_suffix('%')?).ok()?.as_thousandths()?;
    MilliPercent::new(u32::try_from(thousandths).ok()?).filter(|_| !rest)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ask(line: &str) -> Result<Ask, Remark> {
        parse(line.split(' ').filter_map(|w| w.split_once('=')))
    }

    #[test]
    fn whole_devices_by_saying_nothing_else() {
        assert_eq!(ask("gpu=2"), Ok(Ask::whole(2)));
        assert_eq!(line(&Ask::whole(2)), "gpu=2 memory=whole compute=whole isolation=exclusive");
        assert_eq!(ask(&line(&Ask::whole(2))), Ok(Ask::whole(2)));
    }

    #[test]
    fn nothing_is_silently_unlimited() {
        assert_eq!(ask("gpu=1 compute=30%").unwrap_err().0, "memory");
        assert_eq!(ask("gpu=1 memory=4096").unwrap_err().0, "memory");
        assert_eq!(ask("gpu=1 memory=4Gi memory-limit=1Gi").unwrap_err().0, "memory-limit");
        assert_eq!(ask("gpu=0").unwrap_err().0, "gpu");
        assert_eq!(ask("gpu=1 colour=red").unwrap_err().0, "colour");
    }

    #[test]
    fn all_words_go_round() {
        let said = "gpu=3 memory=12.5% memory-limit=50% compute=1.5TFLOPS compute-limit=whole encode=10% priority=-1 \
                    class=offline isolation=strict node-policy=binpack device-policy=spread topology=linked,numa \
                    models=A100,H100 not-models=T4 uuids=GPU-1 not-uuids=GPU-2 indices=0,1 vendor=NVIDIA pool=p \
                    profile=1g.5gb size=40Gi names=A,B not-names=C architectures=Ampere capability=8.0.0.. \
                    driver=535.0.0..550.0.0 device-memory=..81920Mi";
        let parsed = ask(said).unwrap();
        assert_eq!(line(&parsed), said);
        let used: Vec<&str> = words(&parsed).iter().map(|(word, _)| *word).collect();
        assert_eq!(used, WORDS);
        assert_eq!((WORDS[SIZES - 1], POD_WORDS[0]), ("encode", "priority"));
    }

    fn share() -> impl Strategy<Value = MilliPercent> {
        (0u32..=100_000).prop_map(|n| MilliPercent::new(n).unwrap())
    }

    fn memory_amount() -> impl Strategy<Value = Memory> {
        prop_oneof![(0u64..=1 << 30).prop_map(Memory::Mib), share().prop_map(Memory::Share)]
    }

    fn compute_amount() -> impl Strategy<Value = Compute> {
        prop_oneof![share().prop_map(Compute::Share), (0u64..1 << 40).prop_map(Compute::MilliTflops)]
    }

    /// Any Ask there can be, limits below what is reserved included.
    pub(crate) fn any_ask() -> impl Strategy<Value = Ask> {
        let sizes = (1u32..=1024, memory_amount(), memory_amount(), compute_amount(), compute_amount());
        let rest = (
            prop::option::of(share()),
            any::<i32>(),
            any::<bool>(),
            0usize..5,
            any::<bool>(),
            "[A-Za-z0-9.-]{0,8}",
        );
        (sizes, rest).prop_map(
            |((count, m1, m2, c1, c2), (encode, priority, offline, isolation, numa, name))| {
                let mut ask = Ask::new(count, m1, c1);
                ask.memory.ceiling = m2;
                ask.compute.ceiling = c2;
                ask.encode = encode;
                ask.priority = priority;
                ask.class = if offline { Class::Offline } else { Class::Online };
                let all = [
                    Isolation::Soft,
                    Isolation::Strict,
                    Isolation::Hard,
                    Isolation::Exclusive,
                    Isolation::Remote,
                ];
                ask.isolation = all[isolation];
                ask.policy.topology.one_numa = numa;
                ask.policy.node = offline.then_some(Packing::Spread);
                if !name.is_empty() {
                    ask.selectors.models = vec![name.clone(), "T4".into()];
                    ask.selectors.names = vec![name.clone()];
                    ask.selectors.driver.below = Some(Version(count, 0, 7));
                    ask.selectors.memory_mib.from = numa.then_some(u64::from(count));
                    ask.selectors.pool = Some(name);
                }
                ask
            },
        )
    }

    proptest! {
        #[test]
        fn every_ask_goes_round(ask in any_ask()) {
            let said = words(&ask);
            let again = parse(said.iter().map(|(word, value)| (*word, value.as_str())));
            match check(&ask) {
                Ok(()) => prop_assert_eq!(again, Ok(ask)),
                Err(below) => prop_assert_eq!(again, Err(below)),
            }
        }

        #[test]
        fn odd_words_never_panic(word in "[a-z-]{0,14}", value in "\\PC{0,20}", known in any::<prop::sample::Index>()) {
            let _ = parse([(word.as_str(), value.as_str())]);
            let _ = parse([(*known.get(WORDS), value.as_str())]);
        }
    }
}
