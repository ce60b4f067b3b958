//! Copies and fills of raw memory: device memory at its engine alias, and memory the program vouches for.

/// Rows of bytes, rows above each other, layers behind each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// Where the rows of one side begin.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    pub addr: u64,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Bytes from layer to layer.
    pub layer: usize,
}

impl Place {
    fn row(&self, y: usize, z: usize) -> u64 {
        self.addr + (z * self.layer + y * self.pitch) as u64
    }
}

impl Extent {
    pub fn bytes(&self) -> usize {
        self.width * self.height * self.depth
    }

    /// The same bytes in fewer, longer rows, where both sides store them without gaps.
    fn joined(mut self, places: [&Place; 2]) -> Extent {
        if places.iter().all(|p| p.pitch == self.width) {
            self.width *= self.height;
            self.height = 1;
        }
        if self.height == 1 && places.iter().all(|p| p.layer == self.width) {
            self.width *= self.depth;
            self.depth = 1;
        }
        self
    }
}

/// Moves the bytes of one box to another; the two may overlap.
///
/// Every row of both places must be memory of ours that is kept alive, or memory of the program's that it passed for this.
pub fn copy(from: &Place, to: &Place, extent: Extent) {
    let extent = extent.joined([from, to]);
    for z in 0..extent.depth {
        for y in 0..extent.height {
            let (from, to) = (from.row(y, z) as *const u8, to.row(y, z) as *mut u8);
            // SAFETY: the rows are memory that may be touched, see above; overlap is allowed by `copy`.
            unsafe { std::ptr::copy(from, to, extent.width) };
        }
    }
}

/// Fills a box with a value of 1, 2 or 4 bytes; addresses, pitches and widths are multiples of that size.
///
/// The same holds for the rows as in [`copy`].
pub fn fill(to: &Place, extent: Extent, value: u32, size: usize) {
    let extent = extent.joined([to, to]);
    let bytes = value.to_le_bytes();
    let uniform = bytes[..size].iter().all(|&b| b == bytes[0]);
    for z in 0..extent.depth {
        for y in 0..extent.height {
            let row = to.row(y, z);
            // SAFETY: the row is memory that may be touched and is aligned to `size`, see above.
            unsafe {
                match size {
                    _ if uniform => std::ptr::write_bytes(row as *mut u8, bytes[0], extent.width),
                    2 => fill_with(row as *mut u16, value as u16, extent.width / 2),
                    _ => fill_with(row as *mut u32, value, extent.width / 4),
                }
            }
        }
    }
}

/// # Safety
/// `count` values may be written at `row`, which is aligned.
unsafe fn fill_with<T: Copy>(row: *mut T, value: T, count: usize) {
    for i in 0..count {
        // SAFETY: inside the row, by the caller's promise.
        unsafe { row.add(i).write(value) };
    }
}

/// A copy of `len` bytes of the program's memory, taken now.
pub fn snapshot(addr: u64, len: usize) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(len);
    // SAFETY: the program passed this memory for reading; the vector has room and is filled before its length is set.
    unsafe {
        std::ptr::copy_nonoverlapping(addr as *const u8, bytes.as_mut_ptr(), len);
        bytes.set_len(len);
    }
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bytes: &mut [u8], pitch: usize, layer: usize) -> Place {
        Place { addr: bytes.as_mut_ptr() as u64, pitch, layer }
    }

    #[test]
    fn boxes_keep_their_shape() {
        let mut from: Vec<u8> = (0..60).collect();
        let mut to = vec![0xff; 48];
        let extent = Extent { width: 3, height: 2, depth: 2 };
        copy(&place(&mut from, 5, 30), &place(&mut to, 4, 12), extent);
        assert_eq!(to[..8], [0, 1, 2, 0xff, 5, 6, 7, 0xff]);
        assert_eq!(to[12..20], [30, 31, 32, 0xff, 35, 36, 37, 0xff]);
        assert_eq!(to[20..24], [0xff; 4]);
    }

    #[test]
    fn dense_boxes_are_one_row() {
        let dense = Place { addr: 0, pitch: 4, layer: 8 };
        let extent = Extent { width: 4, height: 2, depth: 3 };
        assert_eq!(extent.joined([&dense, &dense]), Extent { width: 24, height: 1, depth: 1 });
        let gaps = Place { addr: 0, pitch: 5, layer: 10 };
        assert_eq!(extent.joined([&dense, &gaps]), extent);
    }

    #[test]
    fn fills_of_every_size() {
        let mut to = vec![0u32; 6];
        let at = Place { addr: to.as_mut_ptr() as u64, pitch: 12, layer: 24 };
        fill(&at, Extent { width: 8, height: 2, depth: 1 }, 0x01020304, 4);
        assert_eq!(to, [0x01020304, 0x01020304, 0, 0x01020304, 0x01020304, 0]);
        fill(&at, Extent { width: 4, height: 1, depth: 1 }, 0xabcd, 2);
        assert_eq!(to[0], 0xabcdabcd);
        fill(&at, Extent { width: 4, height: 1, depth: 1 }, 7, 1);
        assert_eq!(to[0], 0x07070707);
    }
}
