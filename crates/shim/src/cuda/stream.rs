use cleave_api::cuda::types::*;

use crate::gate::{self, Stream};
use crate::real_unsafe::cuda as real;

pub fn cuStreamDestroy(hStream: CUstream) -> CUresult {
    gate::destroying_stream(Stream::plain(hStream), || real::cuStreamDestroy(hStream))
}

pub fn cuStreamDestroy_v2(hStream: CUstream) -> CUresult {
    gate::destroying_stream(Stream::plain(hStream), || real::cuStreamDestroy_v2(hStream))
}
