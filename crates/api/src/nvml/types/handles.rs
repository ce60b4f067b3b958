use super::*;

c_handles! {
    nvmlDevice_t(usize);
    nvmlGpuInstance_t(usize);
    nvmlUnit_t(usize);
    nvmlEventSet_t(usize);
    nvmlSystemEventSet_t(usize);
    nvmlComputeInstance_t(usize);
    nvmlGpmSample_t(usize);
}

pub type nvmlDeviceArchitecture_t = u32;
pub type nvmlBusType_t = u32;
pub type nvmlFanControlPolicy_t = u32;
pub type nvmlPowerSource_t = u32;
pub type nvmlPowerScopeType_t = u8;
pub type nvmlVgpuTypeId_t = u32;
pub type nvmlVgpuInstance_t = u32;
pub type nvmlGpuFabricState_t = u8;
pub type nvmlCPERCursorHandle_t = u64;
pub type nvmlAffinityScope_t = u32;
