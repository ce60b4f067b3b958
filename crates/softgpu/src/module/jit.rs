//! Options of the just-in-time compiler: what the program wants, and where it wants to read what was said.

use core::ffi::c_void;
use std::time::Instant;

use cleave_api::cuda::types::*;
use cleave_api::edge::{Ptr, Slice, SliceMut};

use crate::log;
use crate::memory::host_unsafe;

/// Options of one call, and its logs.
pub struct Jit {
    /// Where results go; it outlives the call only where the driver API says that it must.
    values: Ptr<Ptr<c_void>>,
    count: usize,
    info: Buffer,
    error: Buffer,
    wall_time: Option<usize>,
    start: Instant,
}

/// A log buffer of the program's, if it gave one.
#[derive(Default)]
struct Buffer {
    at: Ptr<c_void>,
    room: usize,
    /// Which option holds the size, to be replaced by the length of the log.
    size: Option<usize>,
    text: String,
}

impl Jit {
    /// No options.
    pub fn none() -> Jit {
        let (info, error) = (Buffer::default(), Buffer::default());
        Jit { values: Ptr::NULL, count: 0, info, error, wall_time: None, start: Instant::now() }
    }

    /// Reads options. Those that steer code generation are accepted: there is one way to run code here.
    pub fn read(options: Slice<CUjit_option>, values: SliceMut<Ptr<c_void>>) -> Result<Jit, CUresult> {
        let mut jit = Jit { values: host_unsafe::lasting(values), count: values.len(), ..Jit::none() };
        for (i, option) in options.to_vec()?.into_iter().enumerate() {
            let value = values.get(i).ok_or(CUDA_ERROR_INVALID_VALUE)?;
            match option {
                CU_JIT_INFO_LOG_BUFFER => jit.info.at = value,
                CU_JIT_ERROR_LOG_BUFFER => jit.error.at = value,
                // Numbers travel in the pointer itself, and only their low half is set by every caller.
                CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES => jit.info.sized(i, value),
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES => jit.error.sized(i, value),
                CU_JIT_WALL_TIME => jit.wall_time = Some(i),
                option if option < CU_JIT_NUM_OPTIONS => {}
                _ => return Err(CUDA_ERROR_INVALID_VALUE),
            }
        }
        Ok(jit)
    }

    pub fn info(&mut self, line: &str) {
        self.info.push(line);
    }

    pub fn error(&mut self, line: &str) {
        self.error.push(line);
    }

    /// Hands the logs over. A program that left no room for errors finds the first one in ours.
    pub fn finish(&self) {
        if let (true, Some(line)) = (self.error.at.is_null(), self.error.text.lines().next()) {
            log::warn(format_args!("code refused {line}"));
        }
        for buffer in [&self.info, &self.error] {
            let written = buffer.write();
            if let Some(i) = buffer.size {
                self.answer(i, written);
            }
        }
        if let Some(i) = self.wall_time {
            let milliseconds = self.start.elapsed().as_secs_f32() * 1e3;
            self.answer(i, milliseconds.to_bits() as usize);
        }
    }
}

impl Jit {
    /// Replaces the value of option `i` by a number.
    fn answer(&self, i: usize, value: usize) {
        let _ = self.values.slice_mut::<CUresult>(self.count).set(i, host_unsafe::number(value));
    }
}

impl Buffer {
    fn sized(&mut self, option: usize, value: Ptr<c_void>) {
        self.size = Some(option);
        self.room = value.addr() as u32 as usize;
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes what fits, closed by a zero, and says how many bytes that were.
    fn write(&self) -> usize {
        if self.at.is_null() || self.room == 0 || self.text.is_empty() {
            return 0;
        }
        match host_unsafe::room(self.at, self.room).set_text(&self.text) {
            Ok(()) => self.text.len().min(self.room - 1) + 1,
            Err(_) => 0,
        }
    }
}
