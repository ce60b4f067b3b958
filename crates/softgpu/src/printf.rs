//! What kernels print: kept in the order it came, written to stdout when the program synchronises.

use std::sync::{Mutex, PoisonError};

use cleave_simt::Output;

use crate::stdout_unsafe;

#[derive(Default)]
pub struct Printf {
    text: Mutex<Buffer>,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Bytes it may hold; what comes after is lost, as in the hardware's ring.
    room: usize,
}

impl Printf {
    /// Takes the size of the buffer from the context's limit; called before each launch.
    pub fn set_room(&self, bytes: usize) {
        self.buffer().room = bytes;
    }

    /// Writes out what has been printed so far.
    pub fn flush(&self) {
        let text = std::mem::take(&mut self.buffer().bytes);
        if !text.is_empty() {
            stdout_unsafe::write(&text);
        }
    }

    fn buffer(&self) -> std::sync::MutexGuard<'_, Buffer> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output for Printf {
    fn print(&self, text: &[u8]) {
        let mut buffer = self.buffer();
        if buffer.bytes.len() + text.len() <= buffer.room {
            buffer.bytes.extend_from_slice(text);
        }
    }
}
