//! Parts of PTX that are understood but not supported, refused by name.

/// Instructions by the start of their text, and what they belong to.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("barrier.cluster", CLUSTERS),
    ("clusterlaunchcontrol", CLUSTERS),
    ("cp.async.bulk", BULK),
    ("cp.reduce.async.bulk", BULK),
    ("fence.mbarrier_init", CLUSTERS),
    ("fence.proxy.tensormap", BULK),
    ("getctarank", CLUSTERS),
    ("istypep", TEXTURES),
    ("mapa", CLUSTERS),
    ("mbarrier.arrive.expect_tx", BULK),
    ("mbarrier.arrive_drop.expect_tx", BULK),
    ("mbarrier.complete_tx", BULK),
    ("mbarrier.expect_tx", BULK),
    ("mma.sp", "sparse matrix multiplication"),
    ("multimem", "multicast memory"),
    ("red.async", CLUSTERS),
    ("setmaxnreg", "warp-group register control"),
    ("st.async", CLUSTERS),
    ("st.bulk", BULK),
    ("suld", TEXTURES),
    ("suq", TEXTURES),
    ("sured", TEXTURES),
    ("sust", TEXTURES),
    ("tcgen05", "fifth-generation tensor cores"),
    ("tensormap", BULK),
    ("tex", TEXTURES),
    ("tld4", TEXTURES),
    ("txq", TEXTURES),
    ("vabsdiff", VIDEO),
    ("vabsdiff2", VIDEO),
    ("vabsdiff4", VIDEO),
    ("vadd", VIDEO),
    ("vadd2", VIDEO),
    ("vadd4", VIDEO),
    ("vavrg2", VIDEO),
    ("vavrg4", VIDEO),
    ("vmad", VIDEO),
    ("vmax", VIDEO),
    ("vmax2", VIDEO),
    ("vmax4", VIDEO),
    ("vmin", VIDEO),
    ("vmin2", VIDEO),
    ("vmin4", VIDEO),
    ("vset", VIDEO),
    ("vset2", VIDEO),
    ("vset4", VIDEO),
    ("vshl", VIDEO),
    ("vshr", VIDEO),
    ("vsub", VIDEO),
    ("vsub2", VIDEO),
    ("vsub4", VIDEO),
    ("wgmma", "warp-group matrix multiplication"),
];

/// Modifiers that need something we do not have.
const MODIFIERS: &[(&str, &str)] = &[
    ("shared::cluster", CLUSTERS),
    ("multimem", "multicast memory"),
    ("expect_tx", BULK),
    ("v8", "256-bit vectors"),
    ("f32x2", "packed single precision"),
    ("block_scale", "block-scaled matrix multiplication"),
];

/// Functions of the device runtime, by the start of their name.
const FUNCTIONS: &[&str] = &["cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP"];

const BULK: &str = "bulk asynchronous copies (TMA)";
const CLUSTERS: &str = "thread-block clusters";
const TEXTURES: &str = "textures and surfaces";
const VIDEO: &str = "video instructions";

/// Why the instruction with this text is refused, if it is.
pub(crate) fn instruction(text: &str) -> Option<String> {
    let starts =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if let Some((name, what)) = INSTRUCTIONS.iter().find(|(name, _)| starts(name)) {
        return Some(format!("`{name}` is not supported: {what}"));
    }
    let (word, what) = MODIFIERS.iter().find(|(word, _)| text.split('.').any(|part| part == *word))?;
    Some(format!("`.{word}` is not supported: {what}"))
}

/// Why calls to this function are refused, if they are.
pub(crate) fn function(name: &str) -> Option<String> {
    let refused = FUNCTIONS.iter().any(|start| name.starts_with(start));
    refused.then(|| format!("`{name}` is not supported: dynamic parallelism"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_by_name() {
        assert_eq!(
            instruction("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16").as_deref(),
            Some("`wgmma` is not supported: warp-group matrix multiplication")
        );
        assert!(
            instruction("cp.async.bulk.tensor.2d.shared::cluster.global").is_some_and(|m| m.contains("TMA"))
        );
        assert!(instruction("ld.shared::cluster.u32").is_some_and(|m| m.contains("clusters")));
        assert!(instruction("cp.async.ca.shared.global").is_none());
        assert!(instruction("testp.finite.f32").is_none());
        assert!(function("cudaLaunchDeviceV2").is_some());
    }
}
