//! Steps of operations that compilers do not vectorise well on their own, for each instruction set.

use crate::mem_unsafe;
use crate::rows_unsafe::{LANES, Lane, RowView, Rows};

/// The few steps that compilers do not vectorise well on their own.
pub trait Vector {
    /// A row of all ones where the bit is set, zero elsewhere.
    fn expand(bits: u32) -> [u32; LANES];
    /// A bit per lane whose highest bit is set.
    fn pack(row: [u32; LANES]) -> u32;

    /// Writes the lanes of `mask`.
    #[inline(always)]
    fn put_masked<T: Lane>(rows: &Rows, offset: u32, value: [T; LANES], mask: u32) {
        rows.put_masked(offset, &value, mask);
    }

    /// How addresses lie for accesses of `bytes` bytes.
    #[inline(always)]
    fn survey(row: RowView, bytes: u64) -> Survey {
        let differ = (0..LANES).fold(0, |acc, i| acc | (row.get(i) ^ row.get(0)));
        let stray =
            (0..LANES).fold(0, |acc, i| acc | (row.get(i).wrapping_sub(row.get(0)) ^ (i as u64 * bytes)));
        match (differ, stray) {
            (0, _) => Survey::Uniform,
            (_, 0) => Survey::Row,
            _ => Survey::Other,
        }
    }

    /// Whether all addresses are less than `span` beyond `first`.
    #[inline(always)]
    fn inside(row: RowView, first: u64, span: u64) -> bool {
        !(0..LANES).fold(false, |bad, i| bad | (row.get(i).wrapping_sub(first) >= span))
    }

    /// Whether no address plus `offset` has a bit of `mask`.
    #[inline(always)]
    fn aligned(row: RowView, offset: u64, mask: u64) -> bool {
        (0..LANES).fold(0, |acc, i| acc | row.get(i).wrapping_add(offset)) & mask == 0
    }

    /// `start + a0 * b0 + a1 * b1 + …` of rows, each step rounded; `list` holds the offsets, an odd number of them if there is a start.
    #[inline(always)]
    fn chain(rows: &Rows, list: &[u32]) -> [f32; LANES] {
        let (start, pairs) = list.split_at(list.len() % 2);
        let mut sum = start.first().map_or([-0.0; LANES], |&start| rows.get(start));
        for pair in pairs.chunks_exact(2) {
            let (a, b) = (rows.get::<f32>(pair[0]), rows.get::<f32>(pair[1]));
            sum = std::array::from_fn(|i| a[i].mul_add(b[i], sum[i]));
        }
        sum.map(|x| if x.is_nan() { crate::num::float::NAN } else { x })
    }

    /// 32 words that lie side by side at a checked address.
    #[inline(always)]
    fn load_row32(host: u64) -> [u32; LANES] {
        mem_unsafe::load_run(host)
    }

    /// 32 double words that lie side by side at a checked address.
    #[inline(always)]
    fn load_row64(host: u64) -> [u64; LANES] {
        mem_unsafe::load_run(host)
    }

    #[inline(always)]
    fn store_row32(host: u64, row: [u32; LANES]) {
        mem_unsafe::store_run(host, row);
    }

    #[inline(always)]
    fn store_row64(host: u64, row: [u64; LANES]) {
        mem_unsafe::store_run(host, row);
    }

    /// The word at each address plus `delta`. The addresses were checked.
    #[inline(always)]
    fn gather32(row: RowView, delta: u64) -> [u32; LANES] {
        std::array::from_fn(|i| mem_unsafe::load(row.get(i).wrapping_add(delta)))
    }

    /// The double word at each address plus `delta`. The addresses were checked.
    #[inline(always)]
    fn gather64(row: RowView, delta: u64) -> [u64; LANES] {
        std::array::from_fn(|i| mem_unsafe::load(row.get(i).wrapping_add(delta)))
    }

    /// Four words at each address plus `delta`: the first of all lanes, the second, and so on. The addresses were checked.
    #[inline(always)]
    fn gather32x4(row: RowView, delta: u64) -> [[u32; LANES]; 4] {
        let lanes: [[u32; 4]; LANES] =
            std::array::from_fn(|i| mem_unsafe::load_run(row.get(i).wrapping_add(delta)));
        std::array::from_fn(|k| std::array::from_fn(|i| lanes[i][k]))
    }
}

/// How the addresses of a warp lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survey {
    /// All the same.
    Uniform,
    /// Side by side.
    Row,
    Other,
}

/// What every processor of the target can do.
pub struct PortableVector;

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

/// For use inside functions that enable AVX2 and FMA only.
#[cfg(target_arch = "x86_64")]
pub struct Avx2Vector;

#[cfg(target_arch = "x86_64")]
impl Vector for Avx2Vector {
    #[inline(always)]
    fn expand(bits: u32) -> [u32; LANES] {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx2`, whose caller checked the feature; the result is 128 plain bytes.
        unsafe {
            let lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
            let mut rows = [_mm256_setzero_si256(); 4];
            for (k, row) in rows.iter_mut().enumerate() {
                let byte = _mm256_set1_epi32((bits >> (8 * k)) as i32);
                *row = _mm256_cmpeq_epi32(_mm256_and_si256(byte, lane), lane);
            }
            std::mem::transmute(rows)
        }
    }

    #[inline(always)]
    fn pack(row: [u32; LANES]) -> u32 {
        use std::arch::x86_64::*;
        // SAFETY: only instantiated inside `avx2`, whose caller checked the feature; both types are 128 plain bytes.
        unsafe {
            let rows: [__m256; 4] = std::mem::transmute(row);
            let mut bits = 0;
            for (k, row) in rows.into_iter().enumerate() {
                bits |= (_mm256_movemask_ps(row) as u32) << (8 * k);
            }
            bits
        }
    }

    #[inline(always)]
    fn chain(rows: &Rows, list: &[u32]) -> [f32; LANES] {
        use std::arch::x86_64::*;
        let (start, pairs) = list.split_at(list.len() % 2);
        // SAFETY: as in `expand`; rows are 128 bytes and their offsets lie in the frame.
        unsafe {
            let row = |offset: u32| rows.row::<f32>(offset).cast::<[__m256; 4]>();
            let mut sums = [_mm256_set1_ps(-0.0); 4];
            if let Some(&start) = start.first() {
                sums = row(start).read_unaligned();
            }
            for pair in pairs.chunks_exact(2) {
                let (a, b) = (row(pair[0]).read_unaligned(), row(pair[1]).read_unaligned());
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm256_fmadd_ps(a[k], b[k], *sum);
                }
            }
            for sum in &mut sums {
                let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(*sum, *sum);
                *sum = _mm256_blendv_ps(*sum, _mm256_set1_ps(crate::num::float::NAN), nan);
            }
            std::mem::transmute(sums)
        }
    }

    #[inline(always)]
    fn load_row32(host: u64) -> [u32; LANES] {
        // SAFETY: see `load_vectors`; callers have checked the whole row.
        unsafe { std::mem::transmute(load_vectors::<std::arch::x86_64::__m256i, 4>(host)) }
    }

    #[inline(always)]
    fn load_row64(host: u64) -> [u64; LANES] {
        // SAFETY: as in `load_row32`.
        unsafe { std::mem::transmute(load_vectors::<std::arch::x86_64::__m256i, 8>(host)) }
    }

    #[inline(always)]
    fn store_row32(host: u64, row: [u32; LANES]) {
        // SAFETY: as in `load_row32`, and the range is writable.
        unsafe {
            store_vectors(host, std::mem::transmute::<[u32; LANES], [std::arch::x86_64::__m256i; 4]>(row))
        }
    }

    #[inline(always)]
    fn store_row64(host: u64, row: [u64; LANES]) {
        // SAFETY: as in `store_row32`.
        unsafe {
            store_vectors(host, std::mem::transmute::<[u64; LANES], [std::arch::x86_64::__m256i; 8]>(row))
        }
    }
}

/// For use inside functions that enable AVX-512 only.
#[cfg(target_arch = "x86_64")]
pub struct Avx512Vector;

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

    #[inline(always)]
    fn put_masked<T: Lane>(rows: &Rows, offset: u32, value: [T; LANES], mask: u32) {
        use std::arch::x86_64::*;
        let row = rows.row::<T>(offset);
        // SAFETY: as in `expand`; a row of 32-bit lanes is two vectors, one of 64-bit lanes four, and offsets lie in the frame.
        unsafe {
            if T::WIDE {
                let parts: [__m512i; 4] = std::mem::transmute_copy(&value);
                for (k, part) in parts.into_iter().enumerate() {
                    _mm512_mask_storeu_epi64(row.cast::<i64>().add(8 * k), (mask >> (8 * k)) as u8, part);
                }
            } else {
                let parts: [__m512i; 2] = std::mem::transmute_copy(&value);
                for (k, part) in parts.into_iter().enumerate() {
                    _mm512_mask_storeu_epi32(row.cast::<i32>().add(16 * k), (mask >> (16 * k)) as u16, part);
                }
            }
        }
    }

    #[inline(always)]
    fn chain(rows: &Rows, list: &[u32]) -> [f32; LANES] {
        use std::arch::x86_64::*;
        let (start, pairs) = list.split_at(list.len() % 2);
        // SAFETY: as in `expand`; rows are 128 bytes and their offsets lie in the frame.
        unsafe {
            let row = |offset: u32| rows.row::<f32>(offset).cast::<[__m512; 2]>();
            let mut sums = [_mm512_set1_ps(-0.0); 2];
            if let Some(&start) = start.first() {
                sums = row(start).read_unaligned();
            }
            for pair in pairs.chunks_exact(2) {
                let (a, b) = (row(pair[0]).read_unaligned(), row(pair[1]).read_unaligned());
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm512_fmadd_ps(a[k], b[k], *sum);
                }
            }
            for sum in &mut sums {
                let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(*sum, *sum);
                *sum = _mm512_mask_blend_ps(nan, *sum, _mm512_set1_ps(crate::num::float::NAN));
            }
            std::mem::transmute(sums)
        }
    }

    #[inline(always)]
    fn load_row32(host: u64) -> [u32; LANES] {
        // SAFETY: see `load_vectors`; callers have checked the whole row.
        unsafe { std::mem::transmute(load_vectors::<std::arch::x86_64::__m512i, 2>(host)) }
    }

    #[inline(always)]
    fn load_row64(host: u64) -> [u64; LANES] {
        // SAFETY: as in `load_row32`.
        unsafe { std::mem::transmute(load_vectors::<std::arch::x86_64::__m512i, 4>(host)) }
    }

    #[inline(always)]
    fn store_row32(host: u64, row: [u32; LANES]) {
        // SAFETY: as in `load_row32`, and the range is writable.
        unsafe {
            store_vectors(host, std::mem::transmute::<[u32; LANES], [std::arch::x86_64::__m512i; 2]>(row))
        }
    }

    #[inline(always)]
    fn store_row64(host: u64, row: [u64; LANES]) {
        // SAFETY: as in `store_row32`.
        unsafe {
            store_vectors(host, std::mem::transmute::<[u64; LANES], [std::arch::x86_64::__m512i; 4]>(row))
        }
    }

    #[inline(always)]
    fn gather32(row: RowView, delta: u64) -> [u32; LANES] {
        use std::arch::x86_64::*;
        // SAFETY: as in `expand`; callers have checked the word at each address.
        unsafe {
            let mut words = [_mm256_setzero_si256(); 4];
            for (word, part) in words.iter_mut().zip(parts(row)) {
                *word = _mm512_i64gather_epi32::<1>(part, std::ptr::with_exposed_provenance(delta as usize));
            }
            std::mem::transmute(words)
        }
    }

    #[inline(always)]
    fn gather64(row: RowView, delta: u64) -> [u64; LANES] {
        use std::arch::x86_64::*;
        // SAFETY: as in `gather32`.
        unsafe {
            let mut words = [_mm512_setzero_si512(); 4];
            for (word, part) in words.iter_mut().zip(parts(row)) {
                *word = _mm512_i64gather_epi64::<1>(part, std::ptr::with_exposed_provenance(delta as usize));
            }
            std::mem::transmute(words)
        }
    }

    #[inline(always)]
    fn survey(row: RowView, bytes: u64) -> Survey {
        use std::arch::x86_64::*;
        // SAFETY: as in `expand`; the row is 256 plain bytes, read without alignment.
        unsafe {
            let rows = parts(row);
            let first = _mm512_set1_epi64(row.get(0) as i64);
            let mut differ = 0;
            for part in rows {
                differ |= _mm512_cmpneq_epi64_mask(part, first);
            }
            if differ == 0 {
                return Survey::Uniform;
            }
            let step = _mm512_set1_epi64(8 * bytes as i64);
            let ramp = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            let mut next = _mm512_add_epi64(first, _mm512_mullo_epi64(ramp, _mm512_set1_epi64(bytes as i64)));
            let mut stray = 0;
            for part in rows {
                stray |= _mm512_cmpneq_epi64_mask(part, next);
                next = _mm512_add_epi64(next, step);
            }
            if stray == 0 { Survey::Row } else { Survey::Other }
        }
    }

    #[inline(always)]
    fn inside(row: RowView, first: u64, span: u64) -> bool {
        use std::arch::x86_64::*;
        // SAFETY: as in `survey`.
        unsafe {
            let (first, span) = (_mm512_set1_epi64(first as i64), _mm512_set1_epi64(span as i64));
            let mut bad = 0;
            for part in parts(row) {
                bad |= _mm512_cmpge_epu64_mask(_mm512_sub_epi64(part, first), span);
            }
            bad == 0
        }
    }

    #[inline(always)]
    fn aligned(row: RowView, offset: u64, mask: u64) -> bool {
        use std::arch::x86_64::*;
        // SAFETY: as in `survey`.
        unsafe {
            let (offset, mask) = (_mm512_set1_epi64(offset as i64), _mm512_set1_epi64(mask as i64));
            let mut bad = 0;
            for part in parts(row) {
                bad |= _mm512_test_epi64_mask(_mm512_add_epi64(part, offset), mask);
            }
            bad == 0
        }
    }

    #[inline(always)]
    fn gather32x4(row: RowView, delta: u64) -> [[u32; LANES]; 4] {
        use std::arch::x86_64::*;
        // SAFETY: as in `survey`; callers have checked 16 bytes at each address.
        unsafe {
            let mut columns = [[_mm512_setzero_si512(); 2]; 4];
            // Blocks of threads that work on tiles often repeat every eighth address, or have eight lanes at each.
            let octets = parts(row);
            let mut apart = 0;
            let mut mixed = 0;
            for octet in octets {
                apart |= _mm512_cmpneq_epi64_mask(octet, octets[0]);
                let first = _mm512_broadcastq_epi64(_mm512_castsi512_si128(octet));
                mixed |= _mm512_cmpneq_epi64_mask(octet, first);
            }
            if mixed == 0 {
                let at = |k: usize| row.get(8 * k).wrapping_add(delta);
                let low = _mm256_castsi128_si256(load128(at(0)));
                let low = _mm256_inserti128_si256(low, load128(at(1)), 1);
                let high = _mm256_castsi128_si256(load128(at(2)));
                let high = _mm256_inserti128_si256(high, load128(at(3)), 1);
                let all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
                let word = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(4), 1);
                for (k, column) in columns.iter_mut().enumerate() {
                    let word = _mm512_add_epi32(word, _mm512_set1_epi32(k as i32));
                    column[0] = _mm512_permutexvar_epi32(word, all);
                    column[1] = _mm512_permutexvar_epi32(_mm512_add_epi32(word, _mm512_set1_epi32(8)), all);
                }
                return std::mem::transmute::<[[__m512i; 2]; 4], [[u32; LANES]; 4]>(columns);
            }
            if apart == 0 {
                let mut pairs = [_mm256_setzero_si256(); 4];
                for (k, pair) in pairs.iter_mut().enumerate() {
                    let low = _mm256_castsi128_si256(load128(row.get(k).wrapping_add(delta)));
                    *pair = _mm256_inserti128_si256(low, load128(row.get(k + 4).wrapping_add(delta)), 1);
                }
                let [a, b, c, d] = pairs;
                let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
                let eight = [
                    _mm256_unpacklo_epi64(ab_low, cd_low),
                    _mm256_unpackhi_epi64(ab_low, cd_low),
                    _mm256_unpacklo_epi64(ab_high, cd_high),
                    _mm256_unpackhi_epi64(ab_high, cd_high),
                ];
                for (column, eight) in columns.iter_mut().zip(eight) {
                    *column = [_mm512_broadcast_i64x4(eight); 2];
                }
                return std::mem::transmute::<[[__m512i; 2]; 4], [[u32; LANES]; 4]>(columns);
            }
            for half in [0, 1] {
                // Lanes k, k+4, k+8, k+12 in one register: transposing 4x4 words in each quarter then gives 16 lanes in order.
                let mut quads = [_mm512_setzero_si512(); 4];
                for (k, quad) in quads.iter_mut().enumerate() {
                    let k = 16 * half + k;
                    let low = _mm256_castsi128_si256(load128(row.get(k).wrapping_add(delta)));
                    let low = _mm256_inserti128_si256(low, load128(row.get(k + 4).wrapping_add(delta)), 1);
                    let high = _mm256_castsi128_si256(load128(row.get(k + 8).wrapping_add(delta)));
                    let high = _mm256_inserti128_si256(high, load128(row.get(k + 12).wrapping_add(delta)), 1);
                    *quad = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
                }
                let [a, b, c, d] = quads;
                let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
                columns[0][half] = _mm512_unpacklo_epi64(ab_low, cd_low);
                columns[1][half] = _mm512_unpackhi_epi64(ab_low, cd_low);
                columns[2][half] = _mm512_unpacklo_epi64(ab_high, cd_high);
                columns[3][half] = _mm512_unpackhi_epi64(ab_high, cd_high);
            }
            std::mem::transmute(columns)
        }
    }
}

/// A row of addresses in vector registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn parts(row: RowView) -> [std::arch::x86_64::__m512i; 4] {
    // SAFETY: a view is of a whole row, 256 bytes; the packed wrapper asks for no alignment.
    unsafe { row.as_ptr().cast::<[std::arch::x86_64::__m512i; 4]>().read_unaligned() }
}

/// 16 bytes of device memory at a checked address. Device threads may race on them as they do on hardware: the load happens once and whatever
/// it sees is valid.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load128(host: u64) -> std::arch::x86_64::__m128i {
    // SAFETY: promised by the caller; SSE2 is part of the target.
    unsafe { std::arch::x86_64::_mm_loadu_si128(std::ptr::with_exposed_provenance(host as usize)) }
}

/// Reads vectors that lie side by side in device memory. Others may write them meanwhile, as on hardware: whatever is seen is a valid vector, and
/// it is looked at only once, through the row it is copied to.
///
/// # Safety
/// The bytes were checked; the caller has the features of `T`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_vectors<T: Copy, const N: usize>(host: u64) -> [T; N] {
    let from = std::ptr::with_exposed_provenance::<T>(host as usize);
    // SAFETY: promised by the caller; no alignment is asked for.
    std::array::from_fn(|k| unsafe { from.add(k).read_unaligned() })
}

/// Writes vectors side by side to device memory.
///
/// # Safety
/// As for [`load_vectors`], and the bytes are writable.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store_vectors<T: Copy, const N: usize>(host: u64, vectors: [T; N]) {
    let to = std::ptr::with_exposed_provenance_mut::<T>(host as usize);
    for (k, vector) in vectors.into_iter().enumerate() {
        // SAFETY: promised by the caller; no alignment is asked for.
        unsafe { to.add(k).write_unaligned(vector) };
    }
}
