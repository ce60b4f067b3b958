//! Special registers.

use super::words::words;

words! {
    /// A read-only register of the hardware. Vector registers appear by component.
    pub enum SpecialReg {
        TidX = "%tid.x",
        TidY = "%tid.y",
        TidZ = "%tid.z",
        /// always 0
        TidW = "%tid.w",
        NtidX = "%ntid.x",
        NtidY = "%ntid.y",
        NtidZ = "%ntid.z",
        /// always 1
        NtidW = "%ntid.w",
        CtaidX = "%ctaid.x",
        CtaidY = "%ctaid.y",
        CtaidZ = "%ctaid.z",
        /// always 0
        CtaidW = "%ctaid.w",
        NctaidX = "%nctaid.x",
        NctaidY = "%nctaid.y",
        NctaidZ = "%nctaid.z",
        /// always 1
        NctaidW = "%nctaid.w",
        Laneid = "%laneid",
        Warpid = "%warpid",
        Nwarpid = "%nwarpid",
        Smid = "%smid",
        Nsmid = "%nsmid",
        /// 64 bits wide; the low half when read as 32
        Gridid = "%gridid",
        LanemaskEq = "%lanemask_eq",
        LanemaskLe = "%lanemask_le",
        LanemaskLt = "%lanemask_lt",
        LanemaskGe = "%lanemask_ge",
        LanemaskGt = "%lanemask_gt",
        Clock = "%clock",
        ClockHi = "%clock_hi",
        Clock64 = "%clock64",
        Globaltimer = "%globaltimer",
        GlobaltimerLo = "%globaltimer_lo",
        GlobaltimerHi = "%globaltimer_hi",
        TotalSmemSize = "%total_smem_size",
        AggrSmemSize = "%aggr_smem_size",
        DynamicSmemSize = "%dynamic_smem_size",
        ReservedSmemOffsetBegin = "%reserved_smem_offset_begin",
        ReservedSmemOffsetEnd = "%reserved_smem_offset_end",
        ReservedSmemOffsetCap = "%reserved_smem_offset_cap",
        ReservedSmemOffset0 = "%reserved_smem_offset_0",
        ReservedSmemOffset1 = "%reserved_smem_offset_1",
        CurrentGraphExec = "%current_graph_exec",
        /// 1 bit, read as a predicate
        IsExplicitCluster = "%is_explicit_cluster",
        ClusteridX = "%clusterid.x",
        ClusteridY = "%clusterid.y",
        ClusteridZ = "%clusterid.z",
        NclusteridX = "%nclusterid.x",
        NclusteridY = "%nclusterid.y",
        NclusteridZ = "%nclusterid.z",
        ClusterCtaidX = "%cluster_ctaid.x",
        ClusterCtaidY = "%cluster_ctaid.y",
        ClusterCtaidZ = "%cluster_ctaid.z",
        ClusterNctaidX = "%cluster_nctaid.x",
        ClusterNctaidY = "%cluster_nctaid.y",
        ClusterNctaidZ = "%cluster_nctaid.z",
        ClusterCtarank = "%cluster_ctarank",
        ClusterNctarank = "%cluster_nctarank",
        Pm0 = "%pm0",
        Pm1 = "%pm1",
        Pm2 = "%pm2",
        Pm3 = "%pm3",
        Pm4 = "%pm4",
        Pm5 = "%pm5",
        Pm6 = "%pm6",
        Pm7 = "%pm7",
        Envreg0 = "%envreg0",
        Envreg1 = "%envreg1",
        Envreg2 = "%envreg2",
        Envreg3 = "%envreg3",
        Envreg4 = "%envreg4",
        Envreg5 = "%envreg5",
        Envreg6 = "%envreg6",
        Envreg7 = "%envreg7",
    }
}

impl SpecialReg {
    /// Width of the register in bits.
    pub const fn bits(self) -> u32 {
        use SpecialReg::*;
        match self {
            IsExplicitCluster => 1,
            Clock64 | Globaltimer | Gridid | CurrentGraphExec => 64,
            _ => 32,
        }
    }
}
