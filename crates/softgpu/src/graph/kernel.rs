//! A kernel launch as a value.

use super::pointer_unsafe::{pieces, to_first};
use crate::context::Context;
use crate::module::Function;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

/// A kernel launch with its arguments packed. The program's handles are kept for it to read back.
#[derive(Clone)]
pub struct KernelOp {
    pub context: Arc<Context>,
    pub function: Arc<Function>,
    pub func: CUfunction,
    pub kern: CUkernel,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    /// Laid out as the kernel's parameters are declared.
    pub params: Box<[u8]>,
    pub attributes: Vec<CUlaunchAttribute>,
    /// Left empty by whoever makes one.
    pub arguments: Arguments,
}

/// Pointers to the arguments inside `params`, made when a program asks for them. A copy makes its own.
#[derive(Default)]
pub struct Arguments(OnceLock<Box<[Ptr<c_void>]>>);

impl Clone for Arguments {
    fn clone(&self) -> Arguments {
        Arguments::default()
    }
}

impl KernelOp {
    /// The launch as the program would describe it. The arguments can be read as long as the node has them.
    pub fn describe(&self) -> CUDA_KERNEL_NODE_PARAMS {
        let arguments = self.arguments.0.get_or_init(|| pieces(&self.params, self.function.offsets()));
        CUDA_KERNEL_NODE_PARAMS {
            func: self.func,
            gridDimX: self.grid[0],
            gridDimY: self.grid[1],
            gridDimZ: self.grid[2],
            blockDimX: self.block[0],
            blockDimY: self.block[1],
            blockDimZ: self.block[2],
            sharedMemBytes: self.shared,
            kernelParams: to_first(arguments),
            extra: Ptr::NULL,
            kern: self.kern,
            ctx: self.context.handle,
        }
    }

    /// An attribute as it was set, or as every launch has it; `None` if kernel nodes have no such attribute.
    pub fn attribute(&self, id: CUlaunchAttributeID) -> Option<CUlaunchAttributeValue> {
        is_settable(id).then(|| {
            let set = self.attributes.iter().find(|attribute| attribute.id == id);
            set.map_or_else(CUlaunchAttributeValue::default, |attribute| attribute.value)
        })
    }

    pub fn set_attribute(
        &mut self,
        id: CUlaunchAttributeID,
        value: CUlaunchAttributeValue,
    ) -> Result<(), CUresult> {
        if !is_settable(id) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        self.attributes.retain(|attribute| attribute.id != id);
        self.attributes.push(CUlaunchAttribute { id, pad: [0; 4], value });
        Ok(())
    }
}

/// The attributes of kernel nodes. Clusters do not exist on this device.
fn is_settable(id: CUlaunchAttributeID) -> bool {
    matches!(
        id,
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
            | CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            | CU_LAUNCH_ATTRIBUTE_PRIORITY
            | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
            | CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN
            | CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
    )
}
