//! Shared memory of a block, and raw access to it at checked offsets.

/// Bytes of shared memory, aligned for every access.
#[derive(Default)]
pub struct SharedMemory {
    chunks: Vec<Chunk>,
    len: u32,
}

#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Chunk([u8; 128]);

impl SharedMemory {
    /// Makes it `len` bytes long; what was there stays, as on hardware.
    pub fn resize(&mut self, len: u32) {
        let chunks = len.div_ceil(128) as usize;
        if self.chunks.len() < chunks {
            self.chunks.resize(chunks, Chunk([0; 128]));
        }
        self.len = len;
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    /// Host address of the first byte. Offsets below `len` may be accessed by the worker that runs the block.
    pub fn base(&mut self) -> u64 {
        self.chunks.as_mut_ptr().expose_provenance() as u64
    }
}
