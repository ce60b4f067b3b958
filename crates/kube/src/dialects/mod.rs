//! The systems whose words we read, one file each: a table of keys, the options, the verdicts, one function.

/// Alibaba cGPU.
mod ack;
/// Baidu sGPU.
mod baidu;
/// Our own words.
pub mod cleave;
/// elastic-gpu.
mod elastic_gpu;
/// TKE gpu-manager.
mod gpu_manager;
/// Open gpushare.
mod gpushare;
/// HAMi.
mod hami;
/// HAMi on DRA: claims.
mod hami_dra;
/// HAMi's other vendors.
mod hami_vendors;
/// Huawei xGPU.
mod huawei;
/// KAI and Run:ai.
mod kai;
/// koordinator.
mod koordinator;
/// Volcano Engine mGPU.
mod mgpu;
/// NVIDIA's device plugin.
mod nvidia;
/// NVIDIA's DRA driver: claims.
mod nvidia_dra;
/// Tencent qGPU.
mod qgpu;
/// TensorFusion.
mod tensor_fusion;
/// vgpu-manager.
mod vgpu_manager;
/// vgpu-manager on DRA: claims.
mod vgpu_manager_dra;
/// Volcano vGPU.
mod volcano;

use crate::dialect::Dialect;

pub static ALL: &[&Dialect] = &[
    &cleave::CLEAVE,
    &hami::HAMI,
    &hami_dra::HAMI_DRA,
    &volcano::VOLCANO,
    &vgpu_manager::VGPU_MANAGER,
    &vgpu_manager_dra::VGPU_MANAGER_DRA,
    &gpushare::GPUSHARE,
    &ack::ACK,
    &qgpu::QGPU,
    &gpu_manager::GPU_MANAGER,
    &mgpu::MGPU,
    &baidu::BAIDU,
    &huawei::HUAWEI,
    &kai::KAI,
    &koordinator::KOORDINATOR,
    &tensor_fusion::TENSOR_FUSION,
    &elastic_gpu::ELASTIC_GPU,
    &nvidia::NVIDIA,
    &nvidia_dra::NVIDIA_DRA,
];
