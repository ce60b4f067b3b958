//! Vector instruction sets: every hot operation is compiled once for each, and one is chosen at run time.
//!
//! An operation is a [`Body`] written once in plain Rust; the wrappers below give the compiler the features to vectorise it with.

use crate::machine::Machine;
use crate::op::{Op, Pc, Run};
use crate::vector_unsafe::PortableVector;
#[cfg(target_arch = "x86_64")]
use crate::vector_unsafe::{Avx2Vector, Avx512Vector};
pub use crate::vector_unsafe::{Survey, Vector};

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
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512cd,avx512vl")]
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
