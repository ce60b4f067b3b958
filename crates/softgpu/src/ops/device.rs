use cleave_api::cuda::types::*;
use cleave_api::edge::{BytesMut, Out, Str};

use crate::device::{self, Device, limits};
use crate::gpu::SoftGpu;

pub fn cuDeviceGet(gpu: &SoftGpu, device: Out<CUdevice>, ordinal: i32) -> Result<(), CUresult> {
    gpu.device(CUdevice(ordinal))?;
    device.set(CUdevice(ordinal))
}

pub fn cuDeviceGetCount(gpu: &SoftGpu, count: Out<i32>) -> Result<(), CUresult> {
    count.set(gpu.devices.len() as i32)
}

pub fn cuDeviceGetName(gpu: &SoftGpu, name: BytesMut, _len: i32, dev: CUdevice) -> Result<(), CUresult> {
    name.set_text(&gpu.device(dev)?.1.identity.name)
}

pub fn cuDeviceGetUuid_v2(gpu: &SoftGpu, uuid: Out<CUuuid>, dev: CUdevice) -> Result<(), CUresult> {
    uuid.set(CUuuid { bytes: gpu.device(dev)?.1.identity.uuid })
}

pub use cuDeviceGetUuid_v2 as cuDeviceGetUuid;

/// LUIDs exist on Windows only.
pub fn cuDeviceGetLuid(
    gpu: &SoftGpu,
    _luid: BytesMut,
    _mask: Out<u32>,
    dev: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(dev)?;
    Err(CUDA_ERROR_NOT_SUPPORTED)
}

pub fn cuDeviceTotalMem_v2(gpu: &SoftGpu, bytes: Out<usize>, dev: CUdevice) -> Result<(), CUresult> {
    bytes.set(gpu.device(dev)?.1.setup.memory as usize)
}

/// The first interface had 32 bits; what does not fit is cut to the greatest number that does.
pub fn cuDeviceTotalMem(gpu: &SoftGpu, bytes: Out<u32>, dev: CUdevice) -> Result<(), CUresult> {
    bytes.set(u32::try_from(gpu.device(dev)?.1.setup.memory).unwrap_or(u32::MAX))
}

pub fn cuDeviceGetAttribute(
    gpu: &SoftGpu,
    pi: Out<i32>,
    attrib: CUdevice_attribute,
    dev: CUdevice,
) -> Result<(), CUresult> {
    pi.set(device::attribute(gpu.device(dev)?.1, attrib))
}

pub fn cuDeviceComputeCapability(
    gpu: &SoftGpu,
    major: Out<i32>,
    minor: Out<i32>,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let capability = gpu.device(dev)?.1.setup.capability;
    major.set(capability.0 as i32)?;
    minor.set(capability.1 as i32)
}

pub fn cuDeviceGetProperties(gpu: &SoftGpu, prop: Out<CUdevprop>, dev: CUdevice) -> Result<(), CUresult> {
    let (_, device) = gpu.device(dev)?;
    prop.set(CUdevprop {
        maxThreadsPerBlock: limits::THREADS_PER_BLOCK as i32,
        maxThreadsDim: limits::BLOCK.map(|n| n as i32),
        maxGridSize: limits::GRID.map(|n| n as i32),
        sharedMemPerBlock: limits::SHARED_PER_BLOCK as i32,
        totalConstantMemory: limits::CONSTANT as i32,
        SIMDWidth: limits::WARP as i32,
        memPitch: limits::MAX_PITCH as i32,
        regsPerBlock: limits::REGISTERS_PER_SM as i32,
        clockRate: device.setup.clock_khz as i32,
        textureAlign: 512,
    })
}

pub fn cuDeviceGetPCIBusId(gpu: &SoftGpu, text: BytesMut, _len: i32, dev: CUdevice) -> Result<(), CUresult> {
    text.set_text(&gpu.device(dev)?.1.identity.pci_text())
}

pub fn cuDeviceGetByPCIBusId(gpu: &SoftGpu, dev: Out<CUdevice>, text: Str) -> Result<(), CUresult> {
    let wanted = parse_pci(text.get()?).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let ordinal = gpu
        .devices
        .iter()
        .position(|device| device.identity.pci() == wanted)
        .ok_or(CUDA_ERROR_INVALID_DEVICE)?;
    dev.set(CUdevice(ordinal as i32))
}

/// `[domain]:[bus]:[device].[function]`, `[domain]:[bus]:[device]` or `[bus]:[device].[function]`, in hexadecimal.
fn parse_pci(text: &str) -> Option<(u32, u32, u32)> {
    let text = text.split_once('.').map_or(text, |(place, _function)| place);
    let numbers: Option<Vec<u32>> = text.split(':').map(|n| u32::from_str_radix(n, 16).ok()).collect();
    match *numbers?.as_slice() {
        [domain, bus, device] => Some((domain, bus, device)),
        [bus, device] => Some((0, bus, device)),
        _ => None,
    }
}

pub fn cuDeviceGetExecAffinitySupport(
    gpu: &SoftGpu,
    pi: Out<i32>,
    _type: CUexecAffinityType,
    dev: CUdevice,
) -> Result<(), CUresult> {
    gpu.device(dev)?;
    pi.set(0)
}

pub fn cuDeviceCanAccessPeer(
    gpu: &SoftGpu,
    can: Out<i32>,
    dev: CUdevice,
    peer: CUdevice,
) -> Result<(), CUresult> {
    let (a, b) = (gpu.device(dev)?.0, gpu.device(peer)?.0);
    can.set(i32::from(a != b))
}

pub fn cuDeviceGetP2PAttribute(
    gpu: &SoftGpu,
    value: Out<i32>,
    attrib: CUdevice_P2PAttribute,
    src: CUdevice,
    dst: CUdevice,
) -> Result<(), CUresult> {
    let (a, b): ((usize, &Device), (usize, &Device)) = (gpu.device(src)?, gpu.device(dst)?);
    if a.0 == b.0 {
        return Err(CUDA_ERROR_INVALID_DEVICE);
    }
    value.set(match attrib {
        CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => 0,
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
        | CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => 1,
        CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => 0,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}
