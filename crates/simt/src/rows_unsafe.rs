//! The registers of a warp: one row of 32 lanes per register, and raw access to the rows of the running frame.
//!
//! Rows of 32-bit and of 64-bit registers live in separate files, so that lane `i` of any row occupies the same column whatever
//! function the lane is in: fragments of a warp at different call depths never touch each other's columns.

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Bytes of a row of 32-bit registers.
pub const ROW32: u32 = 128;
/// Bytes of a row of 64-bit registers.
pub const ROW64: u32 = 256;

/// A type that a lane of a register may hold. Narrower values live zero-extended in `u32` rows.
pub trait Lane: Copy {
    type Bits: Copy
        + std::ops::BitAnd<Output = Self::Bits>
        + std::ops::BitXor<Output = Self::Bits>
        + Default
        + 'static;
    const WIDE: bool;
    fn bits(self) -> Self::Bits;
    fn of_bits(bits: Self::Bits) -> Self;
    /// All ones where `lane` is all ones, else zero.
    fn spread(lane: u32) -> Self::Bits;
}

macro_rules! lane {
    ($($ty:ty: $bits:ty, $wide:literal, $to:expr, $from:expr, $spread:expr;)*) => { $(
        impl Lane for $ty {
            type Bits = $bits;
            const WIDE: bool = $wide;
            #[inline(always)]
            fn bits(self) -> $bits { $to(self) }
            #[inline(always)]
            fn of_bits(bits: $bits) -> $ty { $from(bits) }
            #[inline(always)]
            fn spread(lane: u32) -> $bits { $spread(lane) }
        }
    )* };
}

lane! {
    u32: u32, false, |v| v, |v| v, |l| l;
    i32: u32, false, |v| v as u32, |v| v as i32, |l| l;
    f32: u32, false, f32::to_bits, f32::from_bits, |l| l;
    u64: u64, true, |v| v, |v| v, |l| l as i32 as i64 as u64;
    i64: u64, true, |v| v as u64, |v| v as i64, |l| l as i32 as i64 as u64;
    f64: u64, true, f64::to_bits, f64::from_bits, |l| l as i32 as i64 as u64;
}

#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Row32([u32; LANES]);

#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Row64([u64; LANES]);

/// How many registers of each class a frame has. Predicates are one word each, a bit per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub rows32: u32,
    pub rows64: u32,
    pub preds: u32,
}

impl Extent {
    pub fn plus(self, other: Extent) -> Extent {
        Extent {
            rows32: self.rows32 + other.rows32,
            rows64: self.rows64 + other.rows64,
            preds: self.preds + other.preds,
        }
    }

    /// Bytes this many registers take for a warp.
    pub fn bytes(self) -> u64 {
        u64::from(self.rows32) * u64::from(ROW32)
            + u64::from(self.rows64) * u64::from(ROW64)
            + u64::from(self.preds) * 4
    }
}

/// All registers of a warp: the frames of its call stack, one after the other.
#[derive(Default)]
pub struct RegFile {
    rows32: Vec<Row32>,
    rows64: Vec<Row64>,
    preds: Vec<u32>,
}

impl RegFile {
    /// The frame of `size` that starts after `base`; makes room for it if need be. Earlier `Rows` are stale afterwards.
    pub fn frame(&mut self, base: Extent, size: Extent) -> Rows {
        let end = base.plus(size);
        grow(&mut self.rows32, end.rows32, Row32([0; LANES]));
        grow(&mut self.rows64, end.rows64, Row64([0; LANES]));
        grow(&mut self.preds, end.preds, 0);
        Rows {
            rows32: self.rows32.as_mut_ptr().wrapping_add(base.rows32 as usize).cast(),
            rows64: self.rows64.as_mut_ptr().wrapping_add(base.rows64 as usize).cast(),
            preds: self.preds.as_mut_ptr().wrapping_add(base.preds as usize).cast(),
        }
    }
}

fn grow<T: Clone>(rows: &mut Vec<T>, len: u32, fill: T) {
    if rows.len() < len as usize {
        rows.resize(len as usize, fill);
    }
}

/// Raw access to the rows of one frame.
///
/// Offsets are trusted: lowering assigns them below the extent of the function, and whoever runs the function's code has taken the
/// frame with that extent from a [`RegFile`] that outlives the run and has not grown since. Rows never overlap partially.
#[derive(Clone, Copy)]
pub struct Rows {
    rows32: *mut u8,
    rows64: *mut u8,
    preds: *mut u8,
}

impl Rows {
    /// No rows at all: for a machine before its first frame.
    pub fn none() -> Rows {
        Rows { rows32: std::ptr::null_mut(), rows64: std::ptr::null_mut(), preds: std::ptr::null_mut() }
    }

    /// Writes the constant rows of a function whose frame this is, for the lanes of `mask`: the columns of others belong to other frames.
    pub fn fill(&self, function: &crate::code::Function, mask: u32) {
        for (i, &value) in (0..).zip(&function.constants32) {
            self.put_masked(i * ROW32, &[value; LANES], mask);
        }
        for (i, &value) in (0..).zip(&function.constants64) {
            self.put_masked(i * ROW64, &[value; LANES], mask);
        }
    }

    #[inline(always)]
    pub(crate) fn row<T: Lane>(&self, offset: u32) -> *mut [T; LANES] {
        let base = if T::WIDE { self.rows64 } else { self.rows32 };
        base.wrapping_add(offset as usize).cast()
    }

    #[inline(always)]
    pub fn get<T: Lane>(&self, offset: u32) -> [T; LANES] {
        // SAFETY: the offset lies in the frame (see the type); any bits are a valid T.
        unsafe { *self.row::<T>(offset) }
    }

    #[inline(always)]
    pub fn put<T: Lane>(&self, offset: u32, value: [T; LANES]) {
        // SAFETY: as in `get`; the rows of a warp belong to the thread that runs it.
        unsafe { *self.row::<T>(offset) = value }
    }

    /// Writes the lanes of `mask`.
    #[inline(never)]
    pub fn put_masked<T: Lane>(&self, offset: u32, value: &[T; LANES], mask: u32) {
        let row = self.row::<T>(offset).cast::<T>();
        for lane in crate::machine::Lanes(mask) {
            // SAFETY: as in `put`; the lane is below 32.
            unsafe { *row.add(lane) = value[lane] };
        }
    }

    /// A 64-bit row to read addresses from while other rows are written.
    #[inline(always)]
    pub fn view(&self, offset: u32) -> RowView {
        RowView(self.row::<u64>(offset).cast())
    }

    /// One lane, as raw bits.
    #[inline(always)]
    pub fn lane(&self, offset: u32, wide: bool, lane: usize) -> u64 {
        // SAFETY: the offset lies in the frame (see the type), the lane in the row.
        unsafe {
            match wide {
                true => *self.row::<u64>(offset).cast::<u64>().add(lane % LANES),
                false => u64::from(*self.row::<u32>(offset).cast::<u32>().add(lane % LANES)),
            }
        }
    }

    /// Writes one lane from raw bits.
    #[inline(always)]
    pub fn set_lane(&self, offset: u32, wide: bool, lane: usize, bits: u64) {
        // SAFETY: as in `lane`; the rows of a warp belong to the thread that runs it.
        unsafe {
            match wide {
                true => *self.row::<u64>(offset).cast::<u64>().add(lane % LANES) = bits,
                false => *self.row::<u32>(offset).cast::<u32>().add(lane % LANES) = bits as u32,
            }
        }
    }

    #[inline(always)]
    pub fn pred(&self, offset: u32) -> u32 {
        // SAFETY: the offset lies in the frame (see the type) and is a multiple of 4.
        unsafe { *self.preds.wrapping_add(offset as usize).cast::<u32>() }
    }

    #[inline(always)]
    pub fn set_pred(&self, offset: u32, value: u32) {
        // SAFETY: as in `pred`.
        unsafe { *self.preds.wrapping_add(offset as usize).cast::<u32>() = value }
    }
}

/// A row of 64-bit values, in a frame or on the stack. Reads see what was written last: nothing is copied.
#[derive(Clone, Copy)]
pub struct RowView(*const u64);

impl RowView {
    /// Of a row that outlives the view's use.
    #[inline(always)]
    pub fn of(row: &[u64; LANES]) -> RowView {
        RowView(row.as_ptr())
    }

    #[inline(always)]
    pub fn get(self, lane: usize) -> u64 {
        // SAFETY: views are made of whole rows that live while an operation runs; the lane is below 32.
        unsafe { *self.0.add(lane % LANES) }
    }

    #[inline(always)]
    pub fn as_ptr(self) -> *const u64 {
        self.0
    }
}
