//! How busy the tenant is: 100 % is all of its share. How many multiprocessors there are stays the device's own number.
//!
//! What the tenant's processes keep busy is added up and put in proportion to the share. A driver that cannot tell processes
//! apart gives the device's figure instead, in the same proportion. Samples have no process: they keep the device's shape and
//! take the tenant's height.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cleave_api::edge::Union;
use cleave_api::nvml::types::*;

use super::room_unsafe::{changed, filled, list};
use super::tenant::{Device, Process, tenant};
use super::{Answer, InOut, Out, SliceMut, answer_list};
use crate::real_unsafe::nvml as real;

/// How far back is looked for what a process did.
const PAST: Duration = Duration::from_secs(1);

/// Percents of the parts of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Load {
    gpu: u32,
    memory: u32,
    encode: u32,
    decode: u32,
}

type Sample = nvmlProcessUtilizationSample_t;

impl Load {
    /// That of the tenant's processes, in the device's percents.
    fn of(processes: &[Process], samples: &[Sample]) -> Load {
        let own = samples.iter().filter(|sample| processes.iter().any(|process| process.is(sample.pid)));
        own.fold(Load::default(), |sum, sample| Load {
            gpu: sum.gpu.saturating_add(sample.smUtil),
            memory: sum.memory.saturating_add(sample.memUtil),
            encode: sum.encode.saturating_add(sample.encUtil),
            decode: sum.decode.saturating_add(sample.decUtil),
        })
    }

    /// In percents of the tenant's shares. Memory has no share of its own: who may compute for a third of the time reaches it
    /// for a third of the time.
    fn in_shares(self, device: Device) -> Load {
        let (compute, (encode, decode)) = (device.compute(), device.video());
        Load {
            gpu: proportion(self.gpu, compute),
            memory: proportion(self.memory, compute),
            encode: proportion(self.encode, encode),
            decode: proportion(self.decode, decode),
        }
    }
}

/// Percents of a share, from percents of the whole. Nobody is busier than busy, though a tenant may get more than its share.
fn proportion(percent: u32, share: u32) -> u32 {
    let share = u64::from(share.clamp(1, 100));
    ((u64::from(percent) * 100 + share / 2) / share).min(100) as u32
}

/// All processes' samples of the last while. No process, no sample: that is no error.
fn samples(device: nvmlDevice_t, since: u64) -> Result<Vec<Sample>, nvmlReturn_t> {
    match list(|count, room| real::nvmlDeviceGetProcessUtilization(device, room, count, since)) {
        Err(NVML_ERROR_NOT_FOUND) => Ok(Vec::new()),
        answer => answer,
    }
}

/// Microseconds since 1970, as NVML stamps its samples, one while ago.
fn a_while_ago() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(PAST).as_micros() as u64
}

/// The tenant's load; `all` is the device's, for drivers that know no other.
fn load(
    seen: Device,
    device: nvmlDevice_t,
    all: impl FnOnce() -> Result<Load, nvmlReturn_t>,
) -> Result<Load, nvmlReturn_t> {
    let load = match samples(device, a_while_ago()) {
        Ok(samples) => Load::of(&seen.processes(), &samples),
        Err(_) => all()?,
    };
    Ok(load.in_shares(seen))
}

fn rates(device: nvmlDevice_t) -> Result<Load, nvmlReturn_t> {
    let rates = filled(|rates| real::nvmlDeviceGetUtilizationRates(device, rates))?;
    Ok(Load { gpu: rates.gpu, memory: rates.memory, ..Load::default() })
}

pub fn nvmlDeviceGetUtilizationRates(
    device: nvmlDevice_t,
    utilization: Out<nvmlUtilization_t>,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !utilization.is_null()) else {
        return real::nvmlDeviceGetUtilizationRates(device, utilization);
    };
    let run = || -> Answer {
        let all = rates(device)?;
        let own = load(tenant.device(device)?, device, || Ok(all))?;
        utilization.set(nvmlUtilization_t { gpu: own.gpu, memory: own.memory })
    };
    run().into()
}

/// An engine of its own, with the time it was watched for.
type Video = fn(nvmlDevice_t, Out<u32>, Out<u32>) -> nvmlReturn_t;

fn video(
    device: nvmlDevice_t,
    (utilization, period): (Out<u32>, Out<u32>),
    real: Video,
    whole: fn(u32) -> Load,
    part: fn(Load) -> u32,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !utilization.is_null() && !period.is_null()) else {
        return real(device, utilization, period);
    };
    let run = || -> Answer {
        let mut all = 0;
        let watched = filled(|time| {
            let answer = filled(|load| real(device, load, time));
            answer.map(|load| all = load).into()
        })?;
        let own = load(tenant.device(device)?, device, || Ok(whole(all)))?;
        utilization.set(part(own))?;
        period.set(watched)
    };
    run().into()
}

pub fn nvmlDeviceGetEncoderUtilization(
    device: nvmlDevice_t,
    utilization: Out<u32>,
    period: Out<u32>,
) -> nvmlReturn_t {
    let real: Video = |device, all, time| real::nvmlDeviceGetEncoderUtilization(device, all, time);
    let whole = |encode| Load { encode, ..Load::default() };
    video(device, (utilization, period), real, whole, |load| load.encode)
}

pub fn nvmlDeviceGetDecoderUtilization(
    device: nvmlDevice_t,
    utilization: Out<u32>,
    period: Out<u32>,
) -> nvmlReturn_t {
    let real: Video = |device, all, time| real::nvmlDeviceGetDecoderUtilization(device, all, time);
    let whole = |decode| Load { decode, ..Load::default() };
    video(device, (utilization, period), real, whole, |load| load.decode)
}

/// The parts of the device that the governor watches: the first is the GPU, the second its memory.
pub fn nvmlDeviceGetDynamicPstatesInfo(
    device: nvmlDevice_t,
    info: Out<nvmlGpuDynamicPstatesInfo_t>,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !info.is_null()) else {
        return real::nvmlDeviceGetDynamicPstatesInfo(device, info);
    };
    let run = || -> Answer {
        let mut all = filled(|info| real::nvmlDeviceGetDynamicPstatesInfo(device, info))?;
        let [gpu, memory, ..] = &mut all.utilization;
        let whole = Load { gpu: gpu.percentage, memory: memory.percentage, ..Load::default() };
        let own = load(tenant.device(device)?, device, || Ok(whole))?;
        (gpu.percentage, memory.percentage) = (own.gpu, own.memory);
        info.set(all)
    };
    run().into()
}

pub fn nvmlDeviceGetSamples(
    device: nvmlDevice_t,
    kind: nvmlSamplingType_t,
    last_seen: u64,
    value_type: Out<nvmlValueType_t>,
    count: InOut<u32>,
    room: SliceMut<nvmlSample_t>,
) -> nvmlReturn_t {
    let part: fn(Load) -> u32 = match kind {
        NVML_GPU_UTILIZATION_SAMPLES => |load| load.gpu,
        NVML_MEMORY_UTILIZATION_SAMPLES => |load| load.memory,
        // Power and clocks are the device's; of the video engines NVML has no figure to take the device's height from.
        _ => return real::nvmlDeviceGetSamples(device, kind, last_seen, value_type, count, room),
    };
    let code = real::nvmlDeviceGetSamples(device, kind, last_seen, value_type, count, room);
    let Some(tenant) = tenant().filter(|_| code == NVML_SUCCESS && !room.is_null()) else { return code };
    let run = || -> Answer {
        let all = rates(device)?;
        let own = load(tenant.device(device)?, device, || Ok(all))?;
        for i in 0..count.get()? as usize {
            let Some(mut sample) = room.get(i) else { break };
            let height = height(sample.sampleValue.value.get::<u32>(), part(own), part(all));
            sample.sampleValue = nvmlValue_t { value: Union::of(u64::from(height)) };
            room.set(i, sample)?;
        }
        Ok(())
    };
    run().into()
}

/// A sample of the device's, as high as the tenant's load is to the device's.
fn height(sample: u32, own: u32, all: u32) -> u32 {
    let height = (u64::from(sample) * u64::from(own)).checked_div(u64::from(all));
    height.unwrap_or(0).min(100) as u32
}

/// The tenant's processes among those that were busy, each in percents of the tenant's share.
fn busy(device: nvmlDevice_t, seen: Device, since: u64) -> Result<Vec<Sample>, nvmlReturn_t> {
    let all = list(|count, room| real::nvmlDeviceGetProcessUtilization(device, room, count, since))?;
    let processes = seen.processes();
    let own = all.into_iter().filter_map(|sample| {
        let process = processes.iter().find(|process| process.is(sample.pid))?;
        let load = Load::of(std::slice::from_ref(process), &[sample]).in_shares(seen);
        Some(Sample {
            pid: process.pid,
            smUtil: load.gpu,
            memUtil: load.memory,
            encUtil: load.encode,
            decUtil: load.decode,
            ..sample
        })
    });
    let own: Vec<Sample> = own.collect();
    // NVML knows no empty answer here.
    if own.is_empty() { Err(NVML_ERROR_NOT_FOUND) } else { Ok(own) }
}

pub fn nvmlDeviceGetProcessUtilization(
    device: nvmlDevice_t,
    utilization: SliceMut<nvmlProcessUtilizationSample_t>,
    count: InOut<u32>,
    last_seen: u64,
) -> nvmlReturn_t {
    let Some(tenant) = tenant().filter(|_| !count.is_null()) else {
        return real::nvmlDeviceGetProcessUtilization(device, utilization, count, last_seen);
    };
    let run =
        || -> Answer { answer_list(&busy(device, tenant.device(device)?, last_seen)?, count, utilization) };
    run().into()
}

pub fn nvmlDeviceGetProcessesUtilizationInfo(
    device: nvmlDevice_t,
    info: InOut<nvmlProcessesUtilizationInfo_t>,
) -> nvmlReturn_t {
    let (Some(tenant), Ok(asked)) = (tenant(), info.get()) else {
        return real::nvmlDeviceGetProcessesUtilizationInfo(device, info);
    };
    let run = || -> Answer {
        let none = nvmlProcessesUtilizationInfo_t {
            processSamplesCount: 0,
            procUtilArray: cleave_api::edge::Ptr::NULL,
            ..asked
        };
        match changed(none, |info| real::nvmlDeviceGetProcessesUtilizationInfo(device, info)).0 {
            NVML_ERROR_INSUFFICIENT_SIZE => {}
            code => code.ok()?,
        }
        let found = busy(device, tenant.device(device)?, asked.lastSeenTimeStamp)?;
        info.set(nvmlProcessesUtilizationInfo_t { processSamplesCount: found.len() as u32, ..asked })?;
        if found.len() > asked.processSamplesCount as usize {
            return Err(NVML_ERROR_INSUFFICIENT_SIZE);
        }
        let room: SliceMut<nvmlProcessUtilizationInfo_v1_t> = asked.procUtilArray.slice_mut(found.len());
        found.iter().enumerate().try_for_each(|(i, sample)| room.set(i, long(sample)))
    };
    run().into()
}

fn long(sample: &Sample) -> nvmlProcessUtilizationInfo_v1_t {
    nvmlProcessUtilizationInfo_v1_t {
        timeStamp: sample.timeStamp,
        pid: sample.pid,
        smUtil: sample.smUtil,
        memUtil: sample.memUtil,
        encUtil: sample.encUtil,
        decUtil: sample.decUtil,
        jpgUtil: 0,
        ofaUtil: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pid: u32, sm: u32) -> Sample {
        Sample { pid, smUtil: sm, memUtil: sm / 2, ..Sample::default() }
    }

    fn process(pid: u32, host_pid: u32) -> Process {
        Process { pid, host_pid, memory: 1, name: String::new() }
    }

    #[test]
    fn only_the_tenants_processes_count() {
        let samples = [sample(10, 30), sample(11, 40), sample(900, 20), sample(0, 10)];
        let own = [process(10, 0), process(3, 900)];
        assert_eq!(Load::of(&own, &samples), Load { gpu: 50, memory: 25, ..Load::default() });
        assert_eq!(Load::of(&[], &samples), Load::default());
        assert_eq!(Load::of(&own, &[]), Load::default());
    }

    #[test]
    fn a_hundred_is_the_whole_share() {
        assert_eq!(
            [(0, 30), (15, 30), (30, 30), (90, 30)].map(|(load, share)| proportion(load, share)),
            [0, 50, 100, 100]
        );
        assert_eq!(proportion(57, 100), 57);
        assert_eq!((proportion(1, 0), proportion(u32::MAX, 7)), (100, 100), "nonsense stays within bounds");
    }

    #[test]
    fn samples_keep_the_shape() {
        assert_eq!([0, 40, 80].map(|sample| height(sample, 50, 80)), [0, 25, 50]);
        assert_eq!(height(70, 50, 0), 0, "an idle device has no tenant that is busy");
        assert_eq!(height(100, 100, 30), 100);
    }
}
