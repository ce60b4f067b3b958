//! Local memory: bytes private to each thread, 4-byte words of the 32 lanes side by side.
//!
//! Device code sees contiguous bytes; the engine stores word `w` of all lanes as one row, so that the usual access (all lanes at the same
//! offset) moves a row like a register.

use crate::rows_unsafe::LANES;

/// Local memory of a warp.
#[derive(Default)]
pub struct Local {
    rows: Vec<[u32; LANES]>,
    /// First free byte of each thread.
    top: Vec<u32>,
    /// The least of `top`.
    floor: u32,
}

/// Local offsets handed out are multiples of this, the largest alignment of a variable the engine promises.
pub const ALIGN: u32 = 16;

impl Local {
    /// Starts over with `bytes` in use in every lane.
    pub fn reset(&mut self, bytes: u32) {
        let bytes = bytes.next_multiple_of(ALIGN);
        self.top.clear();
        self.top.resize(LANES, bytes);
        self.floor = bytes;
        self.grow(bytes);
    }

    fn grow(&mut self, bytes: u32) {
        let rows = bytes.div_ceil(4) as usize;
        if self.rows.len() < rows {
            self.rows.resize(rows, [0; LANES]);
        }
    }

    /// First byte that is free in all lanes of `mask`.
    pub fn top(&self, mask: u32) -> u32 {
        crate::machine::Lanes(mask).map(|lane| self.top[lane]).max().unwrap_or(0)
    }

    /// Puts `bytes` from `base` on in use for the lanes of `mask`; false if that is beyond `limit`.
    pub fn reserve(&mut self, mask: u32, base: u32, bytes: u32, limit: u32) -> bool {
        let Some(end) = base.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(ALIGN)) else {
            return false;
        };
        if end > limit {
            return false;
        }
        self.grow(end);
        self.release(mask, end);
        true
    }

    /// Makes `top` the first free byte of the lanes of `mask`.
    pub fn release(&mut self, mask: u32, top: u32) {
        for lane in crate::machine::Lanes(mask) {
            self.top[lane] = top;
        }
        self.floor = self.top.iter().copied().min().unwrap_or(0);
    }

    /// Bytes a thread may touch.
    pub fn len(&self, lane: usize) -> u32 {
        self.top[lane % LANES]
    }

    /// Bytes that every thread may touch.
    pub fn floor(&self) -> u32 {
        self.floor
    }

    /// Word `word` of all lanes, if in use anywhere.
    #[inline(always)]
    pub fn row(&mut self, word: usize) -> Option<&mut [u32; LANES]> {
        self.rows.get_mut(word)
    }

    /// Copies bytes of one lane out of local memory. The caller has checked the bounds.
    pub fn read(&self, lane: usize, offset: u32, bytes: &mut [u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            let word = self.rows.get(at / 4).map_or(0, |row| row[lane % LANES]);
            *byte = word.to_le_bytes()[at % 4];
        }
    }

    /// Copies bytes of one lane into local memory. The caller has checked the bounds.
    pub fn write(&mut self, lane: usize, offset: u32, bytes: &[u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            if let Some(row) = self.rows.get_mut(at / 4) {
                let mut word = row[lane % LANES].to_le_bytes();
                word[at % 4] = *byte;
                row[lane % LANES] = u32::from_le_bytes(word);
            }
        }
    }
}
