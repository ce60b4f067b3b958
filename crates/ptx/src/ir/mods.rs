//! Instruction modifiers: everything between an opcode and its operands that is not a type.

use super::types::Space;
use super::words::words;

words! {
    /// Rounding of a floating-point result, or rounding to an integer (`…i`).
    pub enum Rounding {
        Rn = "rn",
        Rz = "rz",
        Rm = "rm",
        Rp = "rp",
        /// to nearest, ties away from zero
        Rna = "rna",
        Rni = "rni",
        Rzi = "rzi",
        Rmi = "rmi",
        Rpi = "rpi",
    }
}

words! {
    /// How exact a transcendental or a division is.
    pub enum Accuracy { Approx = "approx", Full = "full" }
}

words! {
    /// Comparison. The `…u` forms are true when an operand is NaN; `lo ls hi hs` compare unsigned.
    pub enum Cmp {
        Eq = "eq",
        Ne = "ne",
        Lt = "lt",
        Le = "le",
        Gt = "gt",
        Ge = "ge",
        Lo = "lo",
        Ls = "ls",
        Hi = "hi",
        Hs = "hs",
        Equ = "equ",
        Neu = "neu",
        Ltu = "ltu",
        Leu = "leu",
        Gtu = "gtu",
        Geu = "geu",
        Num = "num",
        Nan = "nan",
    }
}

words! {
    /// How a comparison result is combined with a predicate operand.
    pub enum BoolOp { And = "and", Or = "or", Xor = "xor" }
}

words! {
    /// Which part of a product (or which half of a `dp2a` operand) is meant.
    pub enum Half { Lo = "lo", Hi = "hi", Wide = "wide" }
}

words! {
    /// Memory ordering of an access or a fence.
    pub enum Semantics {
        Weak = "weak",
        Volatile = "volatile",
        Mmio = "mmio.relaxed",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        Sc = "sc",
    }
}

words! {
    /// The set of threads an ordering holds for.
    pub enum Scope {
        Cta = "cta",
        Cluster = "cluster",
        Gpu = "gpu" | "gl",
        Sys = "sys",
    }
}

words! {
    /// Cache operator.
    pub enum CacheOp { Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt" }
}

words! {
    /// Eviction priority: a hint.
    pub enum Eviction {
        L1EvictNormal = "L1::evict_normal",
        L1EvictUnchanged = "L1::evict_unchanged",
        L1EvictFirst = "L1::evict_first",
        L1EvictLast = "L1::evict_last",
        L1NoAllocate = "L1::no_allocate",
    }
}

words! {
    /// Eviction priority in the second-level cache: a hint.
    pub enum L2Eviction {
        EvictNormal = "L2::evict_normal",
        EvictUnchanged = "L2::evict_unchanged",
        EvictFirst = "L2::evict_first",
        EvictLast = "L2::evict_last",
    }
}

words! {
    /// Prefetch size of a load: a hint.
    pub enum Prefetch { B64 = "L2::64B", B128 = "L2::128B", B256 = "L2::256B" }
}

words! {
    /// Cache level of a prefetch.
    pub enum Level { L1 = "L1", L2 = "L2" }
}

words! {
    /// Vector width of a load or store.
    pub enum Width { V2 = "v2", V4 = "v4" }
}

words! {
    /// Direction of a funnel shift.
    pub enum Direction { Left = "l", Right = "r" }
}

words! {
    /// What happens to a shift amount beyond the width.
    pub enum Overflow { Clamp = "clamp", Wrap = "wrap" }
}

words! {
    /// Lane selection of a shuffle.
    pub enum Shuffle { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx" }
}

words! {
    /// What a vote (or a `match`) asks of the warp.
    pub enum Vote { All = "all", Any = "any", Uni = "uni", Ballot = "ballot" }
}

words! {
    /// Operation of `atom`, `red`, `redux`, `bar.red`.
    pub enum AtomicOp {
        Add = "add",
        And = "and",
        Cas = "cas",
        Dec = "dec",
        Exch = "exch",
        Inc = "inc",
        Max = "max",
        Min = "min",
        Or = "or",
        Popc = "popc",
        Xor = "xor",
    }
}

words! {
    /// Property tested by `testp`.
    pub enum Property {
        Finite = "finite",
        Infinite = "infinite",
        Normal = "normal",
        Notanumber = "notanumber",
        Number = "number",
        Subnormal = "subnormal",
    }
}

words! {
    /// Byte selection of `prmt`.
    pub enum Permute { F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16" }
}

words! {
    /// Matrix shape; the numbers are rows, columns and depth.
    pub enum Shape {
        M8n8 = "m8n8",
        M8n8k4 = "m8n8k4",
        M8n8k16 = "m8n8k16",
        M8n8k32 = "m8n8k32",
        M8n8k128 = "m8n8k128",
        M8n32k16 = "m8n32k16",
        M16n8k4 = "m16n8k4",
        M16n8k8 = "m16n8k8",
        M16n8k16 = "m16n8k16",
        M16n8k32 = "m16n8k32",
        M16n8k64 = "m16n8k64",
        M16n8k128 = "m16n8k128",
        M16n8k256 = "m16n8k256",
        M16n16k8 = "m16n16k8",
        M16n16k16 = "m16n16k16",
        M32n8k16 = "m32n8k16",
    }
}

words! {
    /// Storage order of a matrix.
    pub enum Layout { Row = "row", Col = "col" }
}

words! {
    /// Which matrix of `d = a * b + c` a `wmma` load or store moves.
    pub enum Fragment { A = "a", B = "b", C = "c", D = "d" }
}

words! {
    /// Number of 8x8 matrices a matrix load or store moves.
    pub enum Count { X1 = "x1", X2 = "x2", X4 = "x4" }
}

words! {
    /// Bit operation of a single-bit `mma`, always followed by a population count.
    pub enum BitOp { And = "and.popc", Xor = "xor.popc" }
}

words! {
    /// Memory proxy a `fence.proxy` orders.
    pub enum Proxy { Alias = "alias", Async = "async", AsyncGlobal = "async.global", AsyncShared = "async.shared::cta" }
}

/// Declares [`Mods`]: `choices` hold an optional value, `flags` are one word that is there or not.
macro_rules! mods {
    (choices { $( $(#[$cdoc:meta])* $choice:ident : $enum:ident ),* $(,)? }
     flags { $( $(#[$fdoc:meta])* $flag:ident = $word:literal ),* $(,)? }) => {
        /// The modifiers of one instruction. What is absent in the text is `None` or `false`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Mods {
            $( $(#[$cdoc])* pub $choice: Option<$enum>, )*
            $( $(#[$fdoc])* #[doc = concat!("`.", $word, "`")] pub $flag: bool, )*
        }

        /// A member of [`Mods`], as the forms table names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types)]
        pub(crate) enum Field { $( $choice, )* $( $flag, )* }

        impl Field {
            /// Every member, in declaration order.
            pub(crate) const ALL: &'static [Field] = &[$( Field::$choice, )* $( Field::$flag, )*];

            /// The member's name, as written in the forms table.
            pub(crate) fn name(self) -> &'static str {
                match self { $( Field::$choice => stringify!($choice), )* $( Field::$flag => stringify!($flag), )* }
            }

            /// Every word that may stand for a value of this member.
            pub(crate) fn words(self) -> Vec<&'static str> {
                match self {
                    $( Field::$choice => $enum::ALL.iter().map(|v| v.word()).collect(), )*
                    $( Field::$flag => vec![$word], )*
                }
            }
        }

        impl Mods {
            /// Sets `field` from a PTX word; false if the word is none of its values.
            pub(crate) fn set(&mut self, field: Field, word: &str) -> bool {
                match field {
                    $( Field::$choice => match $enum::from_word(word) {
                        Some(value) => { self.$choice = Some(value); true }
                        None => false,
                    }, )*
                    $( Field::$flag => { let is = word == $word; self.$flag |= is; is } )*
                }
            }

            /// Clears `field` and gives back the word that stood for it.
            pub(crate) fn take(&mut self, field: Field) -> Option<&'static str> {
                match field {
                    $( Field::$choice => self.$choice.take().map(|v| v.word()), )*
                    $( Field::$flag => std::mem::take(&mut self.$flag).then_some($word), )*
                }
            }
        }
    };
}

mods! {
    choices {
        /// Rounding of the result.
        rounding: Rounding,
        /// `approx` or `full`.
        accuracy: Accuracy,
        /// Comparison of `set` and `setp`.
        cmp: Cmp,
        /// Combination with a predicate (`set`, `setp`, `lop3`).
        bool_op: BoolOp,
        /// Part of a product.
        half: Half,
        /// State space of the address operand; `None` is generic.
        space: Space,
        /// Memory ordering.
        semantics: Semantics,
        /// Scope of the ordering.
        scope: Scope,
        /// Cache operator.
        cache: CacheOp,
        /// First-level eviction hint.
        evict: Eviction,
        /// Second-level eviction hint.
        l2_evict: L2Eviction,
        /// Second eviction hint of `createpolicy`.
        l2_evict_rest: L2Eviction,
        /// Prefetch hint of a load.
        prefetch: Prefetch,
        /// Cache level of `prefetch`.
        level: Level,
        /// Vector width.
        width: Width,
        /// Funnel shift direction.
        direction: Direction,
        /// Treatment of large shift amounts.
        overflow: Overflow,
        /// Shuffle mode.
        shuffle: Shuffle,
        /// Vote or match mode.
        vote: Vote,
        /// Atomic or reduction operation.
        op: AtomicOp,
        /// Property of `testp`.
        property: Property,
        /// Mode of `prmt`; `None` is the generic selector form.
        permute: Permute,
        /// Matrix shape.
        shape: Shape,
        /// Storage order of the first (or only) matrix.
        a_layout: Layout,
        /// Storage order of the second matrix.
        b_layout: Layout,
        /// Fragment of `wmma.load` and `wmma.store`.
        fragment: Fragment,
        /// Matrices per `ldmatrix` or `stmatrix`.
        count: Count,
        /// Bit operation of a `b1` multiply.
        bit_op: BitOp,
        /// Proxy of `fence.proxy`.
        proxy: Proxy,
    }
    flags {
        /// Subnormal inputs and results are zero.
        ftz = "ftz",
        /// Subnormals are kept (`atom.add.noftz`).
        noftz = "noftz",
        /// The result is clamped: to [0, 1] for floats, to the type's range for integers.
        sat = "sat",
        /// Overflow gives the largest finite value; NaN gives NaN (or 0 for integers).
        satfinite = "satfinite",
        /// Negative results become 0.
        relu = "relu",
        /// A NaN operand makes the result NaN.
        nan = "NaN",
        /// The sign of the result is the xor of the operands' signs.
        xorsign_abs = "xorsign.abs",
        /// The operands' magnitudes are used (three-operand `min` and `max`).
        abs = "abs",
        /// Out-of-bounds marker of `fma`.
        oob = "oob",
        /// The carry flag is written.
        cc = "cc",
        /// All threads of the warp take the same way.
        uni = "uni",
        /// `cvta.to`: from generic.
        to = "to",
        /// Read-only data path.
        nc = "nc",
        /// A cache policy operand follows.
        cache_hint = "L2::cache_hint",
        /// `bfind`: the shift amount instead of the position.
        shiftamt = "shiftamt",
        /// The warp's threads named by the mask take part together.
        sync = "sync",
        /// All threads of the warp execute the same instruction.
        aligned = "aligned",
        /// Transposed matrix.
        trans = "trans",
        /// `mbarrier` wait by phase parity.
        parity = "parity",
        /// `mbarrier.arrive` that must not complete the phase.
        no_complete = "noComplete",
        /// `cp.async.mbarrier.arrive` that does not raise the pending count.
        noinc = "noinc",
        /// `pmevent` with a mask operand.
        mask = "mask",
    }
}
