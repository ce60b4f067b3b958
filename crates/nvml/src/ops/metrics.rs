use cleave_api::edge::Union;
use cleave_api::nvml::types::*;

use crate::edge::{self, Answer, InOut, Out, SliceMut};
use crate::gpu::{self, Gpu, Part};
use crate::heat;
use crate::state::Library;

fn value(number: u64) -> nvmlValue_t {
    nvmlValue_t { value: Union::of(number) }
}

/// What a sample makes of a load in percent.
type Meaning = fn(&Gpu, u32) -> u32;

/// What a kind of sample is taken from, and what it means.
fn sampled(kind: nvmlSamplingType_t) -> Result<(Part, Meaning), nvmlReturn_t> {
    Ok(match kind {
        NVML_TOTAL_POWER_SAMPLES => (Part::Gr, |gpu, load| heat::power(gpu.setup().sms, load)),
        NVML_GPU_UTILIZATION_SAMPLES => (Part::Gr, |_, load| load),
        NVML_MEMORY_UTILIZATION_SAMPLES => (Part::Copy, |_, load| load),
        NVML_ENC_UTILIZATION_SAMPLES => (Part::Encode, |_, load| load),
        NVML_DEC_UTILIZATION_SAMPLES => (Part::Decode, |_, load| load),
        NVML_PROCESSOR_CLK_SAMPLES => (Part::Gr, |gpu, _| gpu.setup().clock_khz / 1000),
        kind if kind < NVML_SAMPLINGTYPE_COUNT => return Err(NVML_ERROR_NOT_SUPPORTED),
        _ => return Err(NVML_ERROR_INVALID_ARGUMENT),
    })
}

/// Asked without room, it says how many there may be; asked for newer ones than there are, that there are none.
pub fn nvmlDeviceGetSamples(
    library: &Library,
    device: nvmlDevice_t,
    kind: nvmlSamplingType_t,
    last_seen: u64,
    value_type: Out<nvmlValueType_t>,
    count: InOut<u32>,
    samples: SliceMut<nvmlSample_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    let (part, meaning) = sampled(kind)?;
    value_type.set(NVML_VALUE_TYPE_UNSIGNED_INT)?;
    if samples.is_null() {
        return count.set(gpu::SAMPLES as u32);
    }
    let found = gpu
        .samples(part, last_seen)
        .into_iter()
        .map(|(at, load)| nvmlSample_t { timeStamp: at, sampleValue: value(meaning(gpu, load).into()) });
    let found: Vec<nvmlSample_t> = found.collect();
    if found.is_empty() { Err(NVML_ERROR_NOT_FOUND) } else { edge::list(&found, count, samples) }
}

/// One measurement by its number, with the type it has.
fn measured(gpu: &Gpu, field: u32, scope: u32) -> Result<(nvmlValueType_t, u64), nvmlReturn_t> {
    let sms = gpu.setup().sms;
    // Other scopes are parts of a module, of which the device has none.
    if scope != NVML_POWER_SCOPE_GPU {
        return Err(NVML_ERROR_NOT_SUPPORTED);
    }
    let number = |number: u32| Ok((NVML_VALUE_TYPE_UNSIGNED_INT, u64::from(number)));
    match field {
        NVML_FI_DEV_POWER_AVERAGE | NVML_FI_DEV_POWER_INSTANT => number(heat::power(sms, gpu.load(Part::Gr))),
        NVML_FI_DEV_POWER_MIN_LIMIT
        | NVML_FI_DEV_POWER_MAX_LIMIT
        | NVML_FI_DEV_POWER_DEFAULT_LIMIT
        | NVML_FI_DEV_POWER_CURRENT_LIMIT
        | NVML_FI_DEV_POWER_REQUESTED_LIMIT => number(heat::limit(sms)),
        NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION => {
            let (age, busy) = gpu.life_ns();
            Ok((NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, heat::energy(sms, age, busy)))
        }
        _ => Err(NVML_ERROR_NOT_SUPPORTED),
    }
}

/// Each field carries a code of its own.
pub fn nvmlDeviceGetFieldValues(
    library: &Library,
    device: nvmlDevice_t,
    count: i32,
    values: SliceMut<nvmlFieldValue_t>,
) -> Answer {
    let gpu = library.gpu(device)?;
    if count <= 0 || values.is_null() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    let now = gpu::wall_us();
    for i in 0..values.len() {
        let mut entry = values.get(i).ok_or(NVML_ERROR_INVALID_ARGUMENT)?;
        (entry.timestamp, entry.latencyUsec) = (now as i64, 0);
        match measured(gpu, entry.fieldId, entry.scopeId) {
            Ok((kind, number)) => {
                (entry.nvmlReturn, entry.valueType, entry.value) = (NVML_SUCCESS, kind, value(number));
            }
            Err(code) => entry.nvmlReturn = code,
        }
        values.set(i, entry)?;
    }
    Ok(())
}
