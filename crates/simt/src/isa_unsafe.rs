//! Vector instruction sets: every hot operation is compiled once for each, and one is chosen at run time.
//!
//! An operation is a [`Body`] written once in plain Rust; the wrappers below give the compiler the features to vectorise it with.

use crate::machine::Machine;
use crate::op::{Op, Pc, Run};
use crate::rows_unsafe::LANES;

/// What the processor can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// What every processor of the target has.
    Portable,
    /// AVX2, FMA and F16C.
    Avx2,
    /// AVX-512 F, BW, DQ and VL on top.
    Avx512,
}

impl Isa {
    /// The best this processor has.
    pub fn detect() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                return Isa::Avx512;
            }
            if avx2 {
                return Isa::Avx2;
            }
        }
        Isa::Portable
    }
}

/// The few steps that compilers do not vectorise well on their own.
pub trait Vector {
    /// A row of all ones where the bit is set, zero elsewhere.
    fn expand(bits: u32) -> [u32; LANES];
    /// A bit per lane whose highest bit is set.
    fn pack(row: [u32; LANES]) -> u32;
}

/// An operation, to be instantiated for each instruction set.
pub trait Body {
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc;
}

/// `B` for the instruction set `isa`.
pub fn select<B: Body>(isa: Isa) -> Run {
    #[cfg(target_arch = "x86_64")]
    match isa.min(Isa::detect()) {
        Isa::Avx512 => return avx512::<B>,
        Isa::Avx2 => return avx2::<B>,
        Isa::Portable => {}
    }
    let _ = isa;
    portable::<B>
}

/// `B` for every processor, where speed does not matter.
pub fn select_portable<B: Body>() -> Run {
    portable::<B>
}

fn portable<B: Body>(m: &mut Machine<'_>, op: &Op) -> Pc {
    B::run::<PortableVector>(m, op)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<B: Body>(m: &mut Machine<'_>, op: &Op) -> Pc {
    B::run::<Avx2Vector>(m, op)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512cd,avx512vl"
)]
fn avx512<B: Body>(m: &mut Machine<'_>, op: &Op) -> Pc {
    B::run::<Avx512Vector>(m, op)
}

/// Runs operations from `pc` on until one of them says stop.
pub fn interpret(m: &mut Machine<'_>, mut pc: Pc) {
    while pc != Pc::STOP {
        pc = step(m, pc);
    }
}

/// Runs one operation.
#[inline(always)]
pub fn step(m: &mut Machine<'_>, pc: Pc) -> Pc {
    // SAFETY: a place is an operation of the program that is running, kept alive by its grid: operations only ever return
    // neighbours and jump targets that lowering checked, and the last one of a function never falls through. Its function was
    // chosen by `select`, which never exceeds what `detect` found.
    unsafe {
        let op = &*std::ptr::with_exposed_provenance::<Op>(pc.0);
        (op.run)(m, op)
    }
}

struct PortableVector;

impl Vector for PortableVector {
    #[inline(always)]
    fn expand(bits: u32) -> [u32; LANES] {
        std::array::from_fn(|i| 0u32.wrapping_sub(bits >> i & 1))
    }

    #[inline(always)]
    fn pack(row: [u32; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | (row[i] >> 31) << i)
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx2Vector;

#[cfg(target_arch = "x86_64")]
impl Vector for Avx2Vector {
    #[inline(always)]
    fn expand(bits: u32) -> [u32; LANES] {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx2`, whose caller checked the feature; the result is 128 plain bytes.
        unsafe {
            let bits = _mm256_set1_epi32(bits as i32);
            let part = |k: i32| {
                let lane = _mm256_sllv_epi32(
                    _mm256_set1_epi32(1),
                    _mm256_add_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32(k)),
                );
                _mm256_cmpeq_epi32(_mm256_and_si256(bits, lane), lane)
            };
            std::mem::transmute([part(0), part(8), part(16), part(24)])
        }
    }

    #[inline(always)]
    fn pack(row: [u32; LANES]) -> u32 {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx2`, whose caller checked the feature; both types are 128 plain bytes.
        unsafe {
            let rows: [__m256; 4] = std::mem::transmute(row);
            let part = |k: usize| _mm256_movemask_ps(rows[k]) as u32;
            part(0) | part(1) << 8 | part(2) << 16 | part(3) << 24
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx512Vector;

#[cfg(target_arch = "x86_64")]
impl Vector for Avx512Vector {
    #[inline(always)]
    fn expand(bits: u32) -> [u32; LANES] {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx512`, whose caller checked the feature; the result is 128 plain bytes.
        unsafe {
            let low = _mm512_movm_epi32(bits as u16);
            let high = _mm512_movm_epi32((bits >> 16) as u16);
            std::mem::transmute([low, high])
        }
    }

    #[inline(always)]
    fn pack(row: [u32; LANES]) -> u32 {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx512`, whose caller checked the feature; both types are 128 plain bytes.
        unsafe {
            let rows: [__m512i; 2] = std::mem::transmute(row);
            u32::from(_mm512_movepi32_mask(rows[0])) | u32::from(_mm512_movepi32_mask(rows[1])) << 16
        }
    }
}
