//! `tidal`: shares that follow a timetable, for example inference by day and training by night.

use std::fmt;

const DAY: u32 = 24 * 60;

/// Percent of an engine by the minute of the day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timetable {
    /// From a minute of the day, for so many minutes, so many percent; they cover the day.
    spans: Vec<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    from: u32,
    length: u32,
    percent: u32,
}

/// What is wrong with a timetable, and what one looks like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadTimetable(String);

impl fmt::Display for BadTimetable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a timetable is like 08:00-20:00=70,20:00-08:00=20 and covers the day", self.0)
    }
}

impl std::error::Error for BadTimetable {}

impl Timetable {
    /// Reads `08:00-20:00=70,20:00-08:00=20`.
    pub fn parse(text: &str) -> Result<Timetable, BadTimetable> {
        let spans = text.split(',').map(span).collect::<Result<Vec<Span>, _>>()?;
        let table = Timetable { spans };
        for minute in 0..DAY {
            let at = clock(minute);
            match table.at(minute).count() {
                0 => return Err(BadTimetable(format!("`{text}` says nothing about {at}"))),
                1 => {}
                _ => return Err(BadTimetable(format!("`{text}` says two things about {at}"))),
            }
        }
        Ok(table)
    }

    /// The share at a minute of the day.
    pub fn percent_at(&self, minute: u32) -> u32 {
        self.at(minute % DAY).next().map_or(0, |span| span.percent)
    }

    /// Minutes at which a share begins.
    pub fn changes(&self) -> impl Iterator<Item = u32> {
        self.spans.iter().map(|span| span.from)
    }

    fn at(&self, minute: u32) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| (minute + DAY - span.from) % DAY < span.length)
    }
}

impl fmt::Display for Timetable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, span) in self.spans.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let end = (span.from + span.length) % DAY;
            write!(f, "{comma}{}-{}={}", clock(span.from), clock(end), span.percent)?;
        }
        Ok(())
    }
}

fn span(text: &str) -> Result<Span, BadTimetable> {
    let bad = || BadTimetable(format!("`{text}` is no span"));
    let (times, percent) = text.trim().split_once('=').ok_or_else(bad)?;
    let (from, to) = times.split_once('-').ok_or_else(bad)?;
    let percent: u32 = percent.trim().trim_end_matches('%').parse().map_err(|_| bad())?;
    if !(1..=100).contains(&percent) {
        return Err(BadTimetable(format!("`{text}`: a share is 1 to 100 percent")));
    }
    let (from, to) = (minute(from).ok_or_else(bad)?, minute(to).ok_or_else(bad)?);
    let length = if from % DAY == to % DAY { DAY } else { (to + DAY - from) % DAY };
    Ok(Span { from: from % DAY, length, percent })
}

/// Minutes since midnight of `08:30`.
fn minute(text: &str) -> Option<u32> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60 || (hours, minutes) == (24, 0)).then_some(hours * 60 + minutes)
}

fn clock(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_and_the_night() {
        let table = Timetable::parse("08:00-20:00=70, 20:00-08:00=20%").unwrap();
        let at = |hours: u32, minutes: u32| table.percent_at(hours * 60 + minutes);
        assert_eq!((at(7, 59), at(8, 0), at(19, 59), at(20, 0), at(0, 0)), (20, 70, 70, 20, 20));
        assert_eq!(table.to_string(), "08:00-20:00=70,20:00-08:00=20");
        assert_eq!(Timetable::parse(&table.to_string()), Ok(table));
        assert_eq!(Timetable::parse("00:00-24:00=5").unwrap().percent_at(1439), 5);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            ("", "no span"),
            ("8-20=70", "no span"),
            ("08:00-20:00=0,20:00-08:00=20", "1 to 100"),
            ("08:00-20:00=70", "says nothing about 00:00"),
            ("08:00-20:00=70,19:00-08:00=20", "two things about 19:00"),
            ("25:00-08:00=3", "no span"),
        ];
        for (text, part) in wrong {
            let error = Timetable::parse(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("is like"), "{text}: {error}");
        }
    }
}
