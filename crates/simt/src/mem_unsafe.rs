//! Raw access to memory that device threads share, at addresses that have been checked.
//!
//! Device threads race on this memory as they do on hardware, so all accesses are volatile: each happens once, and the compiler
//! assumes nothing about what others do. Values are plain integers of up to 8 bytes, which the processor moves whole.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// A value as memory holds it.
pub trait Cell: Copy + Default {
    /// Register row that holds it: `u32` or `u64`.
    type Row: crate::rows_unsafe::Lane;
    const BYTES: u64;
    fn widen(self) -> Self::Row;
    fn narrow(row: Self::Row) -> Self;
    /// The low bytes of `raw`.
    fn of_raw(raw: u64) -> Self;
    /// Zero-extended.
    fn raw(self) -> u64;
}

macro_rules! cell {
    ($($ty:ty => $row:ty;)*) => { $(
        impl Cell for $ty {
            type Row = $row;
            const BYTES: u64 = size_of::<$ty>() as u64;
            #[inline(always)]
            fn widen(self) -> $row { <$row>::from(self) }
            #[inline(always)]
            fn narrow(row: $row) -> $ty { row as $ty }
            #[inline(always)]
            fn of_raw(raw: u64) -> $ty { raw as $ty }
            #[inline(always)]
            fn raw(self) -> u64 { u64::from(self) }
        }
    )* };
}

cell! {
    u8 => u32;
    u16 => u32;
    u32 => u32;
    u64 => u64;
}

/// Reads one value. `host` was checked: mapped and aligned.
#[inline(always)]
pub fn load<T: Cell>(host: u64) -> T {
    // SAFETY: callers pass addresses inside a live `Range` (or the block's shared memory), aligned to the type.
    unsafe { with_exposed_provenance::<T>(host as usize).read_volatile() }
}

/// Writes one value. `host` was checked: mapped writable and aligned.
#[inline(always)]
pub fn store<T: Cell>(host: u64, value: T) {
    // SAFETY: as in `load`, and the range is writable.
    unsafe { with_exposed_provenance_mut::<T>(host as usize).write_volatile(value) }
}

#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Unaligned<T>(T);

/// Reads `N` values that lie side by side.
#[inline(always)]
pub fn load_run<T: Cell, const N: usize>(host: u64) -> [T; N] {
    // SAFETY: as in `load`, for all of the values; the packed wrapper asks for no alignment.
    unsafe { with_exposed_provenance::<Unaligned<[T; N]>>(host as usize).read_volatile().0 }
}

/// Writes `N` values side by side.
#[inline(always)]
pub fn store_run<T: Cell, const N: usize>(host: u64, values: [T; N]) {
    // SAFETY: as in `store`, for all of the values.
    unsafe {
        with_exposed_provenance_mut::<Unaligned<[T; N]>>(host as usize).write_volatile(Unaligned(values))
    }
}

/// A value that can be exchanged atomically.
pub trait AtomicCell: Cell {
    /// Replaces the value at `host` by `update` of it, in one step as seen by all threads; gives the value before.
    fn update(host: u64, update: impl Fn(Self) -> Self) -> Self;
}

macro_rules! atomic_cell {
    ($($ty:ident $atomic:ident;)*) => { $(
        impl AtomicCell for $ty {
            #[inline(always)]
            fn update(host: u64, update: impl Fn($ty) -> $ty) -> $ty {
                use std::sync::atomic::{$atomic, Ordering::{Relaxed, SeqCst}};
                // SAFETY: callers pass addresses of a live writable `Range` (or of the block's shared memory), aligned to the type;
                // others access the same bytes only by atomics or by the volatile accesses above.
                let cell = unsafe { $atomic::from_ptr(with_exposed_provenance_mut(host as usize)) };
                let mut old = cell.load(Relaxed);
                loop {
                    match cell.compare_exchange_weak(old, update(old), SeqCst, Relaxed) {
                        Ok(old) => return old,
                        Err(newer) => old = newer,
                    }
                }
            }
        }
    )* };
}

/// Whether 16 bytes can be exchanged in one step.
pub fn has_atomic128() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("cmpxchg16b");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// # Safety
/// The processor has the instruction; `host` is checked, writable and aligned to 16.
#[cfg(target_arch = "x86_64")]
unsafe fn exchange128(host: u64, old: u128, new: u128) -> u128 {
    let (mut low, mut high) = (old as u64, (old >> 64) as u64);
    // SAFETY: promised by the caller. rbx, which the compiler keeps for itself, is put back.
    unsafe {
        std::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") host,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

/// Replaces the 16 bytes at `host` by `update` of them in one step; gives the value before. Only where [`has_atomic128`].
pub fn update128(host: u64, update: impl Fn(u128) -> u128) -> u128 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut old = 0;
        loop {
            // SAFETY: lowering refuses such instructions without the feature; callers pass checked addresses aligned to 16.
            let seen = unsafe { exchange128(host, old, update(old)) };
            if seen == old {
                return old;
            }
            old = seen;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (host, update);
        0
    }
}

atomic_cell! {
    u16 AtomicU16;
    u32 AtomicU32;
    u64 AtomicU64;
}
