use super::*;

c_structs! {
    struct nvmlConfComputeSystemCaps_t size 8 {
        0 cpuCaps: u32,
        4 gpusCaps: u32,
    }
    struct nvmlConfComputeSystemState_t size 12 {
        0 environment: u32,
        4 ccFeature: u32,
        8 devToolsMode: u32,
    }
    struct nvmlSystemConfComputeSettings_t size 20 {
        0 version: u32,
        4 environment: u32,
        8 ccFeature: u32,
        12 devToolsMode: u32,
        16 multiGpuMode: u32,
    }
    struct nvmlConfComputeMemSizeInfo_t size 16 {
        0 protectedMemSizeKib: u64,
        8 unprotectedMemSizeKib: u64,
    }
    struct nvmlConfComputeGpuCertificate_t size 9224 {
        0 certChainSize: u32,
        4 attestationCertChainSize: u32,
        8 certChain: [u8; 4096],
        4104 attestationCertChain: [u8; 5120],
    }
    struct nvmlConfComputeGpuAttestationReport_t size 12332 {
        0 isCecAttestationReportPresent: u32,
        4 attestationReportSize: u32,
        8 cecAttestationReportSize: u32,
        12 nonce: [u8; 32],
        44 attestationReport: [u8; 8192],
        8236 cecAttestationReport: [u8; 4096],
    }
    struct nvmlConfComputeSetKeyRotationThresholdInfo_t size 16 {
        0 version: u32,
        8 maxAttackerAdvantage: u64,
    }
    struct nvmlConfComputeGetKeyRotationThresholdInfo_t size 16 {
        0 version: u32,
        8 attackerAdvantage: u64,
    }
}

pub type nvmlSystemConfComputeSettings_v1_t = nvmlSystemConfComputeSettings_t;
pub type nvmlConfComputeSetKeyRotationThresholdInfo_v1_t = nvmlConfComputeSetKeyRotationThresholdInfo_t;
pub type nvmlConfComputeGetKeyRotationThresholdInfo_v1_t = nvmlConfComputeGetKeyRotationThresholdInfo_t;
