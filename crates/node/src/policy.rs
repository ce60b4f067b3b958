//! How a tenant's share of compute is kept: the texts of `--policy`, read and written in one place.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use cleave_sched::share::Timetable;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Policy {
    /// At least its share; what others leave idle is lent.
    #[default]
    Burst,
    /// Never more than its share.
    Fixed,
    /// Only what nobody else wants; takes nothing of the book.
    BestEffort,
    /// Its share in long quanta, in which nobody else has the device.
    TimeShare(Duration),
    /// A share that follows the time of day.
    Tidal(Timetable),
    /// The whole device; nobody else is on it.
    Exclusive,
}

/// What there is, for whoever wrote something else.
const THERE_IS: &str = "give burst, fixed, best-effort, time-share (or time-share=30s), \
                        tidal=08:00-20:00=70,20:00-08:00=20, or exclusive";

/// A quantum that was not said, and what one may be: long enough that a switch does not count, short enough to be waited for.
const QUANTUM: Duration = Duration::from_secs(10);
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(600);

impl Policy {
    /// Whether it says itself what share it takes, so that nobody else does.
    pub fn says_share(&self) -> bool {
        matches!(self, Policy::BestEffort | Policy::Tidal(_) | Policy::Exclusive)
    }

    /// The share at a minute of the day of whom was given `percent`.
    pub fn percent_at(&self, minute: u32, percent: u32) -> u32 {
        match self {
            Policy::Tidal(table) => table.percent_at(minute),
            _ => percent,
        }
    }

    /// The largest share of the day.
    pub fn most(&self, percent: u32) -> u32 {
        match self {
            Policy::Tidal(table) => peak([table]),
            _ => percent,
        }
    }

    /// The smallest share of the day: what can be given on to tenants inside.
    pub fn least(&self, percent: u32) -> u32 {
        match self {
            Policy::Tidal(table) => table.changes().map(|minute| table.percent_at(minute)).min().unwrap_or(0),
            _ => percent,
        }
    }

    pub fn timetable(&self) -> Option<&Timetable> {
        match self {
            Policy::Tidal(table) => Some(table),
            _ => None,
        }
    }
}

/// The most that several timetables ask for at one minute of the day.
pub fn peak<'a>(tables: impl IntoIterator<Item = &'a Timetable> + Clone) -> u32 {
    let at = |minute: u32| tables.clone().into_iter().map(|table| table.percent_at(minute)).sum();
    // A sum is largest at some minute at which one of them changes.
    tables.clone().into_iter().flat_map(Timetable::changes).map(at).max().unwrap_or(0)
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        let text = text.trim();
        let (word, value) = text.split_once('=').map_or((text, None), |(word, value)| (word, Some(value)));
        match (word, value) {
            ("burst", None) => Ok(Policy::Burst),
            ("fixed", None) => Ok(Policy::Fixed),
            ("best-effort", None) => Ok(Policy::BestEffort),
            ("exclusive", None) => Ok(Policy::Exclusive),
            ("time-share", None) => Ok(Policy::TimeShare(QUANTUM)),
            ("time-share", Some(value)) => quantum(value).map(Policy::TimeShare),
            ("tidal", Some(value)) => {
                Timetable::parse(value).map(Policy::Tidal).map_err(|error| error.to_string())
            }
            ("tidal", None) => {
                Err("tidal needs a timetable, such as tidal=08:00-20:00=70,20:00-08:00=20".into())
            }
            ("burst" | "fixed" | "best-effort" | "exclusive", Some(_)) => {
                Err(format!("{word} takes no value: {THERE_IS}"))
            }
            _ => Err(format!("{word:?} is no policy: {THERE_IS}")),
        }
    }
}

fn quantum(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!(
            "{text:?} is no quantum: give 100ms to 10min, such as time-share=500ms, time-share=30s or time-share=2min"
        )
    };
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" => 60_000,
        _ => return Err(wrong()),
    };
    let ms = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)?;
    let quantum = Duration::from_millis(ms);
    if (SHORTEST..=LONGEST).contains(&quantum) { Ok(quantum) } else { Err(wrong()) }
}

impl Display for Policy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Burst => f.write_str("burst"),
            Policy::Fixed => f.write_str("fixed"),
            Policy::BestEffort => f.write_str("best-effort"),
            Policy::Exclusive => f.write_str("exclusive"),
            Policy::TimeShare(quantum) if quantum.subsec_millis() == 0 => {
                write!(f, "time-share={}s", quantum.as_secs())
            }
            Policy::TimeShare(quantum) => write!(f, "time-share={}ms", quantum.as_millis()),
            Policy::Tidal(table) => write!(f, "tidal={table}"),
        }
    }
}

impl TryFrom<String> for Policy {
    type Error = String;

    fn try_from(text: String) -> Result<Policy, String> {
        text.parse()
    }
}

impl From<Policy> for String {
    fn from(policy: Policy) -> String {
        policy.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "burst",
            "fixed",
            "best-effort",
            "exclusive",
            "time-share=10s",
            "time-share=250ms",
            "tidal=08:00-20:00=70,20:00-08:00=20",
        ] {
            let policy: Policy = text.parse().unwrap();
            assert_eq!(policy.to_string(), text);
            assert_eq!(
                serde_json::from_str::<Policy>(&serde_json::to_string(&policy).unwrap()).unwrap(),
                policy
            );
        }
        assert_eq!("time-share".parse(), Ok(Policy::TimeShare(QUANTUM)));
        assert_eq!("time-share=2min".parse::<Policy>().unwrap().to_string(), "time-share=120s");
    }

    #[test]
    fn what_makes_no_sense_has_a_sentence() {
        for (text, part) in [
            ("brust", "\"brust\" is no policy: give burst, fixed"),
            ("", "is no policy"),
            ("fixed=30", "fixed takes no value"),
            ("time-share=", "is no quantum"),
            ("time-share=5", "is no quantum"),
            ("time-share=1ms", "100ms to 10min"),
            ("time-share=99999999999999999999min", "is no quantum"),
            ("tidal", "needs a timetable"),
        ] {
            let error = text.parse::<Policy>().unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        for text in ["tidal=", "tidal=08:00-20:00", "tidal=25:00-26:00=3", "tidal=08:00-20:00=101"] {
            assert!(text.parse::<Policy>().is_err(), "{text}");
        }
    }

    #[test]
    fn timetables_add_up_minute_by_minute() {
        let table = |text: &str| Timetable::parse(text).unwrap();
        let day = table("08:00-20:00=70,20:00-08:00=20");
        let night = table("08:00-20:00=20,20:00-08:00=80");
        assert_eq!((peak([&day]), peak([&day, &night]), peak([&day, &day])), (70, 100, 140));
        assert_eq!(peak([]), 0);
        let tidal = Policy::Tidal(day);
        assert_eq!((tidal.percent_at(12 * 60, 5), tidal.percent_at(0, 5), tidal.most(5)), (70, 20, 70));
        assert_eq!((tidal.least(5), Policy::Fixed.least(5)), (20, 5));
        assert_eq!((Policy::Burst.percent_at(0, 5), Policy::Burst.most(5)), (5, 5));
    }
}
