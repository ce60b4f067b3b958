//! What a tenant does: kernels of which lengths, how many at a time, or requests, or copies.

use std::fmt;
use std::str::FromStr;

/// Work as `kernel=1ms+5ms,streams=4,graph=10,processes=2,on=50ms,off=50ms`, `copy=1M`, or `kernel=500us,request=20,load=30`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Lengths of the kernels, which follow each other in turn; 0 is an empty kernel.
    pub kernels: Vec<u64>,
    /// How much of the device each of them fills, in percent: the rest is left to others beside it.
    pub part: usize,
    pub streams: usize,
    pub processes: usize,
    /// Kernels in a graph; 0 for single launches.
    pub graph: usize,
    /// Bytes of each copy; 0 for kernels.
    pub copy: u64,
    /// Work for so long, then nothing for so long; 0 for no pause.
    pub on: u64,
    pub off: u64,
    /// Kernels of a request; 0 for work without end.
    pub request: usize,
    /// How much of the device the requests want, in percent.
    pub percent: u64,
}

impl Default for Load {
    fn default() -> Load {
        Load {
            kernels: vec![1_000_000],
            part: 100,
            streams: 1,
            processes: 1,
            graph: 0,
            copy: 0,
            on: 0,
            off: 0,
            request: 0,
            percent: 30,
        }
    }
}

impl Load {
    pub fn of_kernel(ns: u64) -> Load {
        Load { kernels: vec![ns], ..Load::default() }
    }

    /// The longest command that cannot be interrupted.
    pub fn longest_ns(&self) -> u64 {
        let kernel = self.kernels.iter().copied().max().unwrap_or(0);
        kernel * self.graph.max(1) as u64
    }

    /// GPU time of one request.
    pub fn request_ns(&self) -> u64 {
        self.kernels.iter().cycle().take(self.request).sum()
    }
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Load, String> {
        let mut load = Load::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("{part:?} has no value"))?;
            match name {
                "kernel" => load.kernels = value.split('+').map(duration).collect::<Result<_, _>>()?,
                "part" => load.part = count(value, 1..=100)?,
                "streams" => load.streams = count(value, 1..=64)?,
                "processes" => load.processes = count(value, 1..=64)?,
                "graph" => load.graph = count(value, 1..=1000)?,
                "copy" => load.copy = bytes(value)?,
                "on" => load.on = duration(value)?,
                "off" => load.off = duration(value)?,
                "request" => load.request = count(value, 1..=1000)?,
                "load" => load.percent = count(value, 1..=99)? as u64,
                _ => {
                    return Err(format!(
                        "{name:?} says nothing of a load; there are kernel, part, streams, processes, graph, copy, on, \
                         off, request and load"
                    ));
                }
            }
        }
        if (load.on == 0) != (load.off == 0) {
            return Err("give on and off together, or neither".into());
        }
        if load.request > 0 && load.request_ns() == 0 {
            return Err("requests of empty kernels want nothing of the device".into());
        }
        Ok(load)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kernels: Vec<String> = self.kernels.iter().map(|&ns| show(ns)).collect();
        if self.copy > 0 {
            write!(f, "copy={}", self.copy)?;
        } else {
            write!(f, "kernel={}", kernels.join("+"))?;
        }
        for (name, value, usual) in [
            ("part", self.part, 100),
            ("streams", self.streams, 1),
            ("processes", self.processes, 1),
            ("graph", self.graph, 0),
        ] {
            if value != usual {
                write!(f, ",{name}={value}")?;
            }
        }
        if self.on > 0 {
            write!(f, ",on={},off={}", show(self.on), show(self.off))?;
        }
        if self.request > 0 {
            write!(f, ",request={},load={}", self.request, self.percent)?;
        }
        Ok(())
    }
}

/// `20us`, `1ms`, `1.5s`; `empty` or `0` is 0.
pub fn duration(text: &str) -> Result<u64, String> {
    if matches!(text, "empty" | "0") {
        return Ok(0);
    }
    let wrong = || format!("{text:?} is no duration: give for example 20us, 1ms or 1.5s");
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit);
    let scale = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err(wrong()),
    };
    let value = number.parse::<f64>().map_err(|_| wrong())? * scale;
    if !(1.0..=6e10).contains(&value) {
        return Err(format!("{text:?} is not between 1ns and 60s"));
    }
    Ok(value.round() as u64)
}

/// The shortest way to write a duration that reads back to the same.
pub fn show(ns: u64) -> String {
    match ns {
        0 => "empty".into(),
        _ if ns.is_multiple_of(1_000_000_000) => format!("{}s", ns / 1_000_000_000),
        _ if ns.is_multiple_of(1_000_000) => format!("{}ms", ns / 1_000_000),
        _ if ns.is_multiple_of(1_000) => format!("{}us", ns / 1_000),
        _ => format!("{ns}ns"),
    }
}

fn count(text: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, String> {
    let value = text.parse().ok().filter(|value| range.contains(value));
    value.ok_or_else(|| format!("{text:?} is not a number from {} to {}", range.start(), range.end()))
}

fn bytes(text: &str) -> Result<u64, String> {
    let (number, scale) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let value = number.parse::<u64>().ok().map(|value| value.saturating_mul(scale));
    let value = value.filter(|value| (1..=1 << 30).contains(value));
    value.ok_or_else(|| format!("{text:?} is not an amount from 1 byte to 1024M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_read_back_as_they_were_written() {
        for text in [
            "kernel=1ms",
            "kernel=20us+1ms+1500us,streams=4,processes=2",
            "kernel=empty",
            "kernel=100us,graph=10,on=50ms,off=30ms",
            "kernel=10ms,part=25,streams=4",
            "copy=1048576",
            "kernel=500us,request=20,load=30",
        ] {
            let load: Load = text.parse().unwrap();
            assert_eq!(load.to_string(), text);
        }
        assert_eq!("copy=1M".parse::<Load>().unwrap().copy, 1 << 20);
        assert_eq!("kernel=500us,request=20".parse::<Load>().unwrap().request_ns(), 10_000_000);
        assert_eq!("kernel=1ms+4ms,graph=2".parse::<Load>().unwrap().longest_ns(), 8_000_000);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in [
            "kernel",
            "kernel=1",
            "kernel=1h",
            "speed=3",
            "streams=0",
            "part=0",
            "part=101",
            "on=1ms",
            "copy=2G",
            "copy=é",
            "kernel=empty,request=3",
            "kernel=0.1ns",
            "load=100",
        ] {
            assert!(text.parse::<Load>().is_err(), "{text}");
        }
    }
}
