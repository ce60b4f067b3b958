//! How much memory an array takes.

use cleave_api::cuda::types::*;

/// Bytes of an array: rows padded as the driver pads them. Nothing for one whose memory is mapped in later.
pub fn array(shape: &CUDA_ARRAY3D_DESCRIPTOR) -> u64 {
    if shape.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING) != 0 {
        return 0;
    }
    let at_least_one = |n: usize| (n as u64).max(1);
    let bits = element_bits(shape.Format, shape.NumChannels).saturating_mul(shape.Width as u64);
    let row = bits.div_ceil(8).checked_next_multiple_of(ROW).unwrap_or(u64::MAX);
    row.saturating_mul(at_least_one(shape.Height)).saturating_mul(at_least_one(shape.Depth))
}

/// Bytes of an array with levels of detail, each half the size of the one before.
pub fn mipmaps(shape: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> u64 {
    let layered = shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let longest = shape.Width.max(shape.Height).max(if layered { 0 } else { shape.Depth });
    let most = usize::BITS - longest.leading_zeros();
    let half = |n: usize, level: u32| if n == 0 { 0 } else { (n >> level).max(1) };
    (0..levels.min(most.max(1)))
        .map(|level| {
            array(&CUDA_ARRAY3D_DESCRIPTOR {
                Width: half(shape.Width, level),
                Height: half(shape.Height, level),
                Depth: if layered { shape.Depth } else { half(shape.Depth, level) },
                ..*shape
            })
        })
        .fold(0, u64::saturating_add)
}

/// Rows of an array begin at multiples of this.
const ROW: u64 = 512;

/// Bits of one element. Formats of pictures hold all channels; plain numbers come once per channel. A format that is not
/// known counts as the widest.
fn element_bits(format: CUarray_format, channels: u32) -> u64 {
    let each = |bits: u64| bits.saturating_mul(u64::from(channels).max(1));
    match format {
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => each(8),
        CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => each(16),
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => each(32),
        CU_AD_FORMAT_BC1_UNORM
        | CU_AD_FORMAT_BC1_UNORM_SRGB
        | CU_AD_FORMAT_BC4_UNORM
        | CU_AD_FORMAT_BC4_SNORM => 4,
        CU_AD_FORMAT_UNORM_INT8X1 | CU_AD_FORMAT_SNORM_INT8X1 => 8,
        CU_AD_FORMAT_BC2_UNORM
        | CU_AD_FORMAT_BC2_UNORM_SRGB
        | CU_AD_FORMAT_BC3_UNORM
        | CU_AD_FORMAT_BC3_UNORM_SRGB
        | CU_AD_FORMAT_BC5_UNORM
        | CU_AD_FORMAT_BC5_SNORM
        | CU_AD_FORMAT_BC6H_UF16
        | CU_AD_FORMAT_BC6H_SF16
        | CU_AD_FORMAT_BC7_UNORM
        | CU_AD_FORMAT_BC7_UNORM_SRGB => 8,
        CU_AD_FORMAT_NV12 | CU_AD_FORMAT_UINT8_SEMIPLANAR_420 | CU_AD_FORMAT_UINT8_PLANAR_420 => 12,
        CU_AD_FORMAT_UNORM_INT8X2
        | CU_AD_FORMAT_SNORM_INT8X2
        | CU_AD_FORMAT_UNORM_INT16X1
        | CU_AD_FORMAT_SNORM_INT16X1
        | CU_AD_FORMAT_NV16
        | CU_AD_FORMAT_YUY2
        | CU_AD_FORMAT_UINT8_PACKED_422
        | CU_AD_FORMAT_UINT8_SEMIPLANAR_422
        | CU_AD_FORMAT_UINT8_PLANAR_422 => 16,
        CU_AD_FORMAT_P010
        | CU_AD_FORMAT_P016
        | CU_AD_FORMAT_Y444_PLANAR8
        | CU_AD_FORMAT_YUV444_8bit_SemiPlanar
        | CU_AD_FORMAT_UINT16_SEMIPLANAR_420
        | CU_AD_FORMAT_UINT16_PLANAR_420
        | CU_AD_FORMAT_UINT8_SEMIPLANAR_444
        | CU_AD_FORMAT_UINT8_PLANAR_444 => 24,
        CU_AD_FORMAT_UNORM_INT8X4
        | CU_AD_FORMAT_SNORM_INT8X4
        | CU_AD_FORMAT_UNORM_INT16X2
        | CU_AD_FORMAT_SNORM_INT16X2
        | CU_AD_FORMAT_P210
        | CU_AD_FORMAT_P216
        | CU_AD_FORMAT_Y210
        | CU_AD_FORMAT_Y216
        | CU_AD_FORMAT_AYUV
        | CU_AD_FORMAT_Y410
        | CU_AD_FORMAT_UNORM_INT_101010_2
        | CU_AD_FORMAT_UINT8_PACKED_444
        | CU_AD_FORMAT_UINT16_SEMIPLANAR_422
        | CU_AD_FORMAT_UINT16_PLANAR_422 => 32,
        CU_AD_FORMAT_Y444_PLANAR10
        | CU_AD_FORMAT_YUV444_16bit_SemiPlanar
        | CU_AD_FORMAT_UINT16_SEMIPLANAR_444
        | CU_AD_FORMAT_UINT16_PLANAR_444 => 48,
        CU_AD_FORMAT_UNORM_INT16X4 | CU_AD_FORMAT_SNORM_INT16X4 | CU_AD_FORMAT_Y416 => 64,
        _ => 128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(
        width: usize,
        height: usize,
        depth: usize,
        format: CUarray_format,
        channels: u32,
    ) -> CUDA_ARRAY3D_DESCRIPTOR {
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: format,
            NumChannels: channels,
            Flags: 0,
        }
    }

    #[test]
    fn bytes_and_not_bits_and_no_dimension_is_nought() {
        assert_eq!(array(&shape(1024, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1)), 1024);
        assert_eq!(array(&shape(1024, 16, 0, CU_AD_FORMAT_HALF, 1)), 2048 * 16);
        assert_eq!(array(&shape(1024, 16, 0, CU_AD_FORMAT_FLOAT, 4)), 16384 * 16);
        assert_eq!(array(&shape(256, 16, 6, CU_AD_FORMAT_UNSIGNED_INT16, 2)), 1024 * 16 * 6);
        assert_eq!(array(&shape(100, 10, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1)), 512 * 10, "rows are padded");
        assert_eq!(array(&shape(1024, 1024, 0, CU_AD_FORMAT_NV12, 3)), 1536 * 1024);
    }

    #[test]
    fn what_is_mapped_in_later_costs_nothing_now() {
        for flag in [CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_DEFERRED_MAPPING] {
            let sparse =
                CUDA_ARRAY3D_DESCRIPTOR { Flags: flag, ..shape(4096, 4096, 0, CU_AD_FORMAT_FLOAT, 4) };
            assert_eq!((array(&sparse), mipmaps(&sparse, 5)), (0, 0));
        }
    }

    #[test]
    fn levels_shrink_and_end() {
        let flat = shape(1024, 1024, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1);
        assert_eq!(mipmaps(&flat, 1), 1024 * 1024);
        assert_eq!(mipmaps(&flat, 2), 1024 * 1024 + 512 * 512);
        assert_eq!(mipmaps(&flat, 11), mipmaps(&flat, u32::MAX), "there are eleven levels and no more");
        let layers =
            CUDA_ARRAY3D_DESCRIPTOR { Flags: CUDA_ARRAY3D_LAYERED, ..shape(1024, 1024, 8, flat.Format, 1) };
        assert_eq!(mipmaps(&layers, 2), 8 * mipmaps(&flat, 2), "layers stay");
    }

    #[test]
    fn absurd_sizes_are_merely_large() {
        let huge = shape(usize::MAX, usize::MAX, usize::MAX, CU_AD_FORMAT_FLOAT, u32::MAX);
        assert_eq!(array(&huge), u64::MAX);
        assert_eq!(mipmaps(&huge, u32::MAX), u64::MAX);
    }
}
