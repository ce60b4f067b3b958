//! Waits for and writes of values in memory, in batches: the program's own synchronisation between streams and host.

use super::words_unsafe::Words;
use crate::context::Context;
use crate::queue::Work;
use cleave_api::cuda::types::*;
use std::sync::Arc;

/// Most operations a batch may have, as documented.
const MOST: usize = 256;

/// A batch in the order given. The program's description is kept for it to read back.
pub struct ValueOps {
    pub context: Arc<Context>,
    pub params: Box<[CUstreamBatchMemOpParams]>,
    pub flags: u32,
    steps: Box<[Step]>,
}

/// A word in memory, 4 or 8 bytes wide.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Word {
    addr: u64,
    wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Wait(Word, u64, Until),
    Write(Word, u64),
    Reduce(Word, u64, Reduction),
    Barrier,
}

/// When a wait ends, given the word and the awaited value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Until {
    /// At least the value, in the cyclic sense.
    AtLeast,
    Equal,
    /// Some common bit.
    And,
    /// Some bit that neither has.
    Nor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reduction {
    Or,
    And,
    Add,
}

impl ValueOps {
    /// Reads a batch and checks what can be checked before it runs.
    pub fn new(
        context: &Arc<Context>,
        params: Vec<CUstreamBatchMemOpParams>,
        flags: u32,
    ) -> Result<ValueOps, CUresult> {
        if params.len() > MOST || flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let steps = params.iter().map(Step::read).collect::<Result<Box<[Step]>, CUresult>>()?;
        let words = Words::of(&context.ranges);
        for word in steps.iter().filter_map(Step::word) {
            words.load(word.addr, word.wide).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        }
        Ok(ValueOps { context: context.clone(), params: params.into(), flags, steps })
    }

    /// Runs step by step; a wait that is not satisfied is tried again later from there.
    pub fn work(self: &Arc<Self>) -> Work {
        let (ops, mut at) = (self.clone(), 0);
        Work::Until(Box::new(move || {
            let words = Words::of(&ops.context.ranges);
            while let Some(step) = ops.steps.get(at) {
                if !step.run(&words)? {
                    return Ok(false);
                }
                at += 1;
            }
            Ok(true)
        }))
    }
}

impl Step {
    fn read(params: &CUstreamBatchMemOpParams) -> Result<Step, CUresult> {
        let operation: CUstreamBatchMemOpType = params.value.get();
        let step = match operation {
            CU_STREAM_MEM_OP_WAIT_VALUE_32 | CU_STREAM_MEM_OP_WAIT_VALUE_64 => {
                let wait: CUstreamMemOpWaitValueParams = params.value.get();
                let word = Word { addr: wait.address.0, wide: operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 };
                Step::Wait(word, word.cut(wait.value.get()), Until::read(wait.flags)?)
            }
            CU_STREAM_MEM_OP_WRITE_VALUE_32 | CU_STREAM_MEM_OP_WRITE_VALUE_64 => {
                let write: CUstreamMemOpWriteValueParams = params.value.get();
                if write.flags & !CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.0 != 0 {
                    return Err(CUDA_ERROR_INVALID_VALUE);
                }
                let word = Word { addr: write.address.0, wide: operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 };
                Step::Write(word, word.cut(write.value.get()))
            }
            CU_STREAM_MEM_OP_ATOMIC_REDUCTION => {
                let reduce: CUstreamMemOpAtomicReductionParams = params.value.get();
                let how = match reduce.reductionOp {
                    CU_STREAM_ATOMIC_REDUCTION_OP_OR => Reduction::Or,
                    CU_STREAM_ATOMIC_REDUCTION_OP_AND => Reduction::And,
                    CU_STREAM_ATOMIC_REDUCTION_OP_ADD => Reduction::Add,
                    _ => return Err(CUDA_ERROR_INVALID_VALUE),
                };
                let wide = match reduce.dataType {
                    CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32 => false,
                    CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64 => true,
                    _ => return Err(CUDA_ERROR_INVALID_VALUE),
                };
                let word = Word { addr: reduce.address.0, wide };
                Step::Reduce(word, word.cut(reduce.value), how)
            }
            // Our memory is coherent: what was written is seen.
            CU_STREAM_MEM_OP_BARRIER | CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => Step::Barrier,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        if step.word().is_some_and(|word| !word.addr.is_multiple_of(word.bytes())) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Ok(step)
    }

    fn word(&self) -> Option<Word> {
        match self {
            Step::Wait(word, ..) | Step::Write(word, _) | Step::Reduce(word, ..) => Some(*word),
            Step::Barrier => None,
        }
    }

    /// False if it has to wait.
    fn run(&self, words: &Words) -> Result<bool, CUresult> {
        match *self {
            Step::Wait(word, value, until) => {
                return Ok(until.holds(words.load(word.addr, word.wide)?, value, word.wide));
            }
            Step::Write(word, value) => words.store(word.addr, word.wide, value)?,
            Step::Reduce(word, value, how) => words.reduce(word.addr, word.wide, value, how)?,
            Step::Barrier => {}
        }
        Ok(true)
    }
}

impl Word {
    fn bytes(self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    /// The part of a value that the word holds.
    fn cut(self, value: u64) -> u64 {
        if self.wide { value } else { value & u64::from(u32::MAX) }
    }
}

impl Until {
    fn read(flags: u32) -> Result<Until, CUresult> {
        match CUstreamWaitValue_flags(flags & !CU_STREAM_WAIT_VALUE_FLUSH.0) {
            CU_STREAM_WAIT_VALUE_GEQ => Ok(Until::AtLeast),
            CU_STREAM_WAIT_VALUE_EQ => Ok(Until::Equal),
            CU_STREAM_WAIT_VALUE_AND => Ok(Until::And),
            CU_STREAM_WAIT_VALUE_NOR => Ok(Until::Nor),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn holds(self, have: u64, value: u64, wide: bool) -> bool {
        let top = if wide { 1 << 63 } else { 1 << 31 };
        let mask = top | (top - 1);
        match self {
            Until::AtLeast => have.wrapping_sub(value) & top == 0,
            Until::Equal => have == value,
            Until::And => have & value != 0,
            Until::Nor => !(have | value) & mask != 0,
        }
    }
}

/// One wait or write as a batch of one.
pub fn single(
    operation: CUstreamBatchMemOpType,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> CUstreamBatchMemOpParams {
    let mut params = CUstreamBatchMemOpParams::default();
    params.value.set(CUstreamMemOpWaitValueParams {
        operation,
        address: addr,
        value: cleave_api::edge::Union::of(value),
        flags,
        alias: CUdeviceptr(0),
    });
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_end_as_documented() {
        assert!(Until::AtLeast.holds(5, 5, false));
        assert!(!Until::AtLeast.holds(4, 5, false));
        assert!(Until::AtLeast.holds(2, 0xffff_fffe, false), "the comparison is cyclic");
        assert!(!Until::AtLeast.holds(2, 0xffff_fffe, true));
        assert!(Until::AtLeast.holds(2, u64::MAX, true));
        assert!(Until::Equal.holds(7, 7, false) && !Until::Equal.holds(8, 7, false));
        assert!(Until::And.holds(6, 2, false) && !Until::And.holds(4, 2, false));
        assert!(Until::Nor.holds(0, 1, false) && !Until::Nor.holds(0xffff_0000, 0xffff, false));
        assert!(Until::Nor.holds(0xffff_0000, 0xffff, true));
    }

    #[test]
    fn bad_descriptions_are_refused() {
        let read = |op, addr, flags| Step::read(&single(op, CUdeviceptr(addr), 1, flags));
        assert!(read(CU_STREAM_MEM_OP_WAIT_VALUE_32, 0x1004, 0).is_ok());
        assert_eq!(
            read(CU_STREAM_MEM_OP_WAIT_VALUE_64, 0x1004, 0),
            Err(CUDA_ERROR_INVALID_VALUE),
            "alignment"
        );
        assert_eq!(read(CU_STREAM_MEM_OP_WAIT_VALUE_32, 0x1000, 4), Err(CUDA_ERROR_INVALID_VALUE), "flags");
        assert_eq!(read(CU_STREAM_MEM_OP_WRITE_VALUE_32, 0x1000, 2), Err(CUDA_ERROR_INVALID_VALUE), "flags");
        assert_eq!(read(CUstreamBatchMemOpType(99), 0x1000, 0), Err(CUDA_ERROR_INVALID_VALUE), "operation");
        assert!(read(CU_STREAM_MEM_OP_WAIT_VALUE_32, 0x1000, CU_STREAM_WAIT_VALUE_FLUSH.0 | 1).is_ok());
    }
}
