//! From a command to the queue, or into a capture.

use super::memory::GraphAlloc;
use super::op::Op;
use crate::gpu::SoftGpu;
use crate::queue::{Patience, Stream};
use cleave_api::cuda::types::*;

impl SoftGpu {
    /// Queues a command on a stream, or keeps it as a node if the stream is captured.
    pub fn submit(&'static self, stream: &Stream, op: Op) -> Result<(), CUresult> {
        if self.graphs.captures.divert(&self.graphs, stream, &op)? {
            return Ok(());
        }
        let task = stream.submit(op.work(self));
        if self.config.launch_blocking && matches!(op, Op::Kernel(_)) {
            return task.wait(Patience::Spin);
        }
        Ok(())
    }

    /// For stream-ordered allocation: an address if the stream is captured, `None` if memory is to be had at once.
    pub fn capture_alloc(
        &'static self,
        stream: &Stream,
        params: CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> Result<Option<CUdeviceptr>, CUresult> {
        if !self.graphs.captures.is_captured(stream) {
            return Ok(None);
        }
        let alloc = GraphAlloc::reserve(self, params)?;
        let address = alloc.address();
        self.graphs.captures.divert(&self.graphs, stream, &Op::Alloc(alloc))?;
        Ok(Some(address))
    }

    /// For stream-ordered freeing: true if the stream is captured and the free has become a node.
    pub fn capture_free(&'static self, stream: &Stream, address: CUdeviceptr) -> Result<bool, CUresult> {
        self.graphs.captures.divert(&self.graphs, stream, &Op::Free(address))
    }
}
