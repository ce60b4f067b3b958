use std::fmt;

use cleave_model::{Ask, Compute, Device, Memory, MilliPercent, Selectors};

use crate::{Host, NodeSpec, Want};

/// Nodes and pods to replay.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub nodes: Vec<NodeSpec>,
    /// Sorted by name.
    pub pods: Vec<TracePod>,
}

/// One pod of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePod {
    pub name: String,
    pub want: Want,
    /// Thousandths of devices in all.
    pub demand: u64,
    pub qos: String,
    /// Seconds; 0 where the trace has no times.
    pub created: u64,
    pub deleted: u64,
    /// Where it is, if the trace says so.
    pub place: Option<Place>,
}

/// Where a pod of a trace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub node: String,
    /// Positions of its devices on the node.
    pub devices: Vec<u32>,
}

/// What is wrong with a trace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    pub line: usize,
    pub what: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for TraceError {}

/// Traces count devices in thousandths and say nothing about memory: a device of this size makes a thousandth a whole
/// number of MiB.
const DEVICE_MIB: u64 = 100_000;

/// Nodes with the columns `sn`, `cpu_milli`, `memory_mib`, `gpu`, `model`, found by name.
pub fn nodes_from_csv(text: &str) -> Result<Vec<NodeSpec>, TraceError> {
    let table = Table::new(text, &["sn", "cpu_milli", "memory_mib", "gpu", "model"])?;
    table
        .rows()
        .map(|row| {
            let row = row?;
            let name = row.text("sn").to_string();
            let devices = (0..row.number("gpu")?).map(|index| Device {
                index,
                ..Device::new(format!("{name}-gpu-{index}"), row.text("model"), DEVICE_MIB)
            });
            let devices = devices.collect();
            let host = Host { cpu_milli: row.number("cpu_milli")?, memory_mib: row.number("memory_mib")? };
            Ok(NodeSpec { name, host, devices, ..NodeSpec::default() })
        })
        .collect()
}

/// Pods with the columns `name`, `cpu_milli`, `memory_mib`, `num_gpu`, `gpu_milli` and, where there are any, `gpu_spec`,
/// `qos`, `creation_time`, `deletion_time`, and `node` with `gpu_index` (such as `0|3`) of pods that have their place. `memory_percent` is the device memory a pod takes in percent of its
/// share, which traces do not tell.
pub fn pods_from_csv(text: &str, memory_percent: u32) -> Result<Vec<TracePod>, TraceError> {
    let table = Table::new(text, &["name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"])?;
    let mut pods: Vec<TracePod> =
        table.rows().map(|row| pod(&row?, memory_percent)).collect::<Result<_, TraceError>>()?;
    pods.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pods)
}

fn pod(row: &Row<'_>, memory_percent: u32) -> Result<TracePod, TraceError> {
    let host = Host { cpu_milli: row.number("cpu_milli")?, memory_mib: row.number("memory_mib")? };
    let count: u32 = row.number("num_gpu")?;
    let share: u32 = row.number("gpu_milli")?;
    let too_much = || row.error("gpu_milli is more than a whole device");
    let compute = MilliPercent::new(share.saturating_mul(100)).ok_or_else(too_much)?;
    let memory = MilliPercent::new(share.saturating_mul(memory_percent)).ok_or_else(too_much)?;
    let want = if count == 0 {
        Want::host_only(host)
    } else {
        let models = row.text("gpu_spec").split('|').filter(|m| !m.is_empty()).map(String::from).collect();
        let ask = Ask {
            selectors: Selectors { models, ..Selectors::default() },
            ..Ask::new(count, Memory::Share(memory), Compute::Share(compute))
        };
        Want::one(host, ask)
    };
    Ok(TracePod {
        name: row.text("name").to_string(),
        want,
        demand: u64::from(count) * u64::from(share),
        qos: row.text("qos").to_string(),
        created: row.number_or_zero("creation_time")?,
        deleted: row.number_or_zero("deletion_time")?,
        place: place(row, count)?,
    })
}

fn place(row: &Row<'_>, count: u32) -> Result<Option<Place>, TraceError> {
    let node = row.text("node");
    if node.is_empty() {
        return Ok(None);
    }
    let written = row.text("gpu_index");
    let parts = written.split('|').filter(|part| !part.is_empty());
    let devices: Result<Vec<u32>, _> = parts.map(str::parse).collect();
    let devices =
        devices.map_err(|_| row.error(&format!("gpu_index is {written:?}, not numbers with | between")))?;
    if devices.len() != count as usize {
        return Err(row.error(&format!("gpu_index names {} devices, num_gpu is {count}", devices.len())));
    }
    Ok(Some(Place { node: node.to_string(), devices }))
}

/// A CSV file without quotes, read by column name.
struct Table<'a> {
    columns: Vec<&'a str>,
    text: &'a str,
}

struct Row<'a> {
    line: usize,
    columns: &'a [&'a str],
    fields: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn new(text: &'a str, needed: &[&str]) -> Result<Table<'a>, TraceError> {
        let header = text.lines().next().unwrap_or("");
        let columns: Vec<&str> = header.split(',').map(str::trim).collect();
        match needed.iter().find(|name| !columns.contains(name)) {
            Some(name) => Err(TraceError { line: 1, what: format!("no column {name}") }),
            None => Ok(Table { columns, text }),
        }
    }

    fn rows(&'a self) -> impl Iterator<Item = Result<Row<'a>, TraceError>> {
        let lines = self.text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let row = Row { line: at + 1, columns: &self.columns, fields };
            if row.fields.len() == row.columns.len() {
                Ok(row)
            } else {
                Err(row.error(&format!("{} fields, {} columns", row.fields.len(), row.columns.len())))
            }
        })
    }
}

impl Row<'_> {
    /// A field; empty where the file has no such column.
    fn text(&self, name: &str) -> &str {
        let at = self.columns.iter().position(|column| *column == name);
        at.and_then(|at| self.fields.get(at)).copied().unwrap_or("")
    }

    fn number(&self, name: &str) -> Result<u32, TraceError> {
        let text = self.text(name);
        text.parse().map_err(|_| self.error(&format!("{name} is {text:?}, not a number")))
    }

    /// Times are missing in some traces, and written with a fraction in others.
    fn number_or_zero(&self, name: &str) -> Result<u64, TraceError> {
        let text = self.text(name);
        let whole = text.split('.').next().unwrap_or("");
        if whole.is_empty() {
            return Ok(0);
        }
        whole.parse().map_err(|_| self.error(&format!("{name} is {text:?}, not a number")))
    }

    fn error(&self, what: &str) -> TraceError {
        TraceError { line: self.line, what: what.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_may_be_missing() {
        let text = "num_gpu,name,cpu_milli,memory_mib,gpu_milli\n1,b,4000,100,500\n0,a,1,2,0\n";
        let pods = pods_from_csv(text, 100).unwrap();
        assert_eq!(pods[0].name, "a");
        assert_eq!(pods[0].want, Want::host_only(Host { cpu_milli: 1, memory_mib: 2 }));
        assert_eq!(pods[1].demand, 500);
        assert_eq!(pods[1].want.asks[0].compute.reserved.to_string(), "50 %");
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let wrong = |text: &str| pods_from_csv(text, 100).unwrap_err().to_string();
        let header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
        assert_eq!(wrong("name\n"), "line 1: no column cpu_milli");
        assert_eq!(wrong(&format!("{header}a,x,1,1,1\n")), "line 2: cpu_milli is \"x\", not a number");
        assert_eq!(
            wrong(&format!("{header}a,1,1,1,1001\n")),
            "line 2: gpu_milli is more than a whole device"
        );
        assert_eq!(wrong(&format!("{header}a,1\n")), "line 2: 2 fields, 5 columns");
    }

    #[test]
    fn places_are_read_where_there_are_any() {
        let header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,node,gpu_index\n";
        let pods = pods_from_csv(&format!("{header}a,1,1,2,1000,n0,1|3\nb,1,1,1,10,,\nc,1,1,0,0,n1,\n"), 100)
            .unwrap();
        assert_eq!(pods[0].place, Some(Place { node: "n0".into(), devices: vec![1, 3] }));
        assert_eq!(pods[1].place, None);
        assert_eq!(pods[2].place, Some(Place { node: "n1".into(), devices: Vec::new() }));
        let wrong = pods_from_csv(&format!("{header}a,1,1,2,1000,n0,1\n"), 100).unwrap_err();
        assert_eq!(wrong.to_string(), "line 2: gpu_index names 1 devices, num_gpu is 2");
    }

    #[test]
    fn types_become_selectors() {
        let header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
        let pods = pods_from_csv(&format!("{header}a,1,1,1,10,T4|P100\n"), 100).unwrap();
        assert_eq!(pods[0].want.asks[0].selectors.models, ["T4", "P100"]);
    }
}
