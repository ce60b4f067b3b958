use crate::columns::{Class, Columns, Policy};
use crate::name;

/// One API function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its C symbol.
    pub name: &'static str,
    /// The CUDA version that first answers it; 0 for symbols that `cuGetProcAddress` never answers.
    pub since: u32,
    /// The judgements about it.
    pub columns: Columns,
    /// Its parameters, in order.
    pub args: &'static [Arg],
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Its name.
    pub name: &'static str,
    /// Direction, type and length.
    pub kind: Kind,
    /// Bytes of the C argument itself.
    pub width: usize,
    /// Bytes of one value behind it, if it points to values of a known type.
    pub pointee: Option<usize>,
}

/// What a parameter means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Passed by value.
    Val {
        /// Rust type of the value.
        ty: &'static str,
    },
    /// A pointer or handle passed on without looking behind it.
    Raw {
        /// Rust type of the argument.
        ty: &'static str,
    },
    /// Points to one value the callee writes.
    Out {
        /// Rust type of the value.
        ty: &'static str,
    },
    /// Points to one value the callee reads and writes.
    InOut {
        /// Rust type of the value.
        ty: &'static str,
    },
    /// Points to one value the callee reads.
    In {
        /// Rust type of the value.
        ty: &'static str,
    },
    /// Points to values the callee reads.
    Array {
        /// Rust type of one value.
        ty: &'static str,
        /// Argument that counts them, or a number.
        len: &'static str,
    },
    /// Points to values the callee writes.
    ArrayOut {
        /// Rust type of one value.
        ty: &'static str,
        /// Argument that counts them, or a number.
        len: &'static str,
    },
    /// Bytes the callee reads.
    Bytes {
        /// Argument that counts them, or a number.
        len: &'static str,
    },
    /// Bytes the callee writes.
    BytesMut {
        /// Argument that counts them, or a number.
        len: &'static str,
    },
    /// Zero-terminated text.
    Str,
}

impl Kind {
    /// The argument (or number) that says how long this one is.
    pub const fn len(&self) -> Option<&'static str> {
        match self {
            Kind::Array { len, .. }
            | Kind::ArrayOut { len, .. }
            | Kind::Bytes { len }
            | Kind::BytesMut { len } => Some(len),
            _ => None,
        }
    }
}

impl Row {
    /// The name a caller of `cuGetProcAddress` asks for.
    pub const fn base(&self) -> &'static str {
        name::base(self.name)
    }

    /// Whether it works on the per-thread default stream.
    pub const fn is_per_thread(&self) -> bool {
        name::is_per_thread(self.name)
    }

    /// The number that names it on the wire.
    pub const fn wire_id(&self) -> u64 {
        name::wire_id(self.name)
    }
}

/// A fingerprint of a table's names and signatures: two processes that agree on it agree on every call.
pub const fn digest(table: &[Row]) -> u64 {
    let mut hash = name::wire_id("");
    let mut row = 0;
    while row < table.len() {
        hash = name::extend(hash, table[row].name.as_bytes());
        let mut arg = 0;
        while arg < table[row].args.len() {
            let a = &table[row].args[arg];
            hash = name::extend(hash, a.name.as_bytes());
            hash = name::extend(hash, &[a.width as u8, a.kind.tag()]);
            if let Some(ty) = a.kind.ty() {
                hash = name::extend(hash, ty.as_bytes());
            }
            if let Some(len) = a.kind.len() {
                hash = name::extend(hash, len.as_bytes());
            }
            arg += 1;
        }
        row += 1;
    }
    hash
}

impl Kind {
    /// The Rust type behind the argument, where it has one.
    pub const fn ty(&self) -> Option<&'static str> {
        match self {
            Kind::Val { ty } | Kind::Raw { ty } | Kind::Out { ty } | Kind::InOut { ty } | Kind::In { ty } => {
                Some(ty)
            }
            Kind::Array { ty, .. } | Kind::ArrayOut { ty, .. } => Some(ty),
            Kind::Bytes { .. } | Kind::BytesMut { .. } | Kind::Str => None,
        }
    }

    /// Whether the callee writes behind it.
    pub const fn is_output(&self) -> bool {
        matches!(self, Kind::Out { .. } | Kind::InOut { .. } | Kind::ArrayOut { .. } | Kind::BytesMut { .. })
    }

    const fn tag(&self) -> u8 {
        match self {
            Kind::Val { .. } => 0,
            Kind::Raw { .. } => 1,
            Kind::Out { .. } => 2,
            Kind::InOut { .. } => 3,
            Kind::In { .. } => 4,
            Kind::Array { .. } => 5,
            Kind::ArrayOut { .. } => 6,
            Kind::Bytes { .. } => 7,
            Kind::BytesMut { .. } => 8,
            Kind::Str => 9,
        }
    }
}

/// Fails the build if two rows have one name, or a row contradicts itself.
pub(crate) const fn check<const N: usize>(table: &[Row]) {
    let mut ids = [0; N];
    let mut row = 0;
    while row < N {
        ids[row] = table[row].wire_id();
        let mut other = 0;
        while other < row {
            assert!(ids[row] != ids[other], "two rows have the same name or the same wire id");
            other += 1;
        }
        check_columns(&table[row]);
        check_args(table[row].args);
        row += 1;
    }
}

const fn check_columns(row: &Row) {
    let columns = &row.columns;
    if let Some(stream) = columns.stream {
        assert!(position(row.args, stream).is_some(), "stream() names no argument");
    }
    assert!(columns.engine.is_some() || !columns.policy.has(Policy::PACE), "paced work needs an engine");
    let (local, submit) = (matches!(columns.class, Class::Local), matches!(columns.class, Class::Submit));
    let mut i = 0;
    while i < row.args.len() {
        let kind = &row.args[i].kind;
        assert!(!submit || !kind.is_output(), "a submitted call has no outputs");
        assert!(
            local || columns.custom_wire || !matches!(kind, Kind::Raw { .. }),
            "a raw pointer needs custom_wire"
        );
        i += 1;
    }
}

const fn check_args(args: &[Arg]) {
    let mut i = 0;
    while i < args.len() {
        if let Some(len) = args[i].kind.len() {
            assert!(is_number(len) || counts(args, len), "a length names no integer argument");
        }
        i += 1;
    }
}

const fn counts(args: &[Arg], name: &str) -> bool {
    let Some(i) = position(args, name) else { return false };
    match args[i].kind {
        Kind::Val { ty } | Kind::InOut { ty } | Kind::In { ty } => {
            name::equal(ty, "usize")
                || name::equal(ty, "u32")
                || name::equal(ty, "i32")
                || name::equal(ty, "u64")
        }
        _ => false,
    }
}

const fn position(args: &[Arg], name: &str) -> Option<usize> {
    let mut i = 0;
    while i < args.len() {
        if name::equal(args[i].name, name) {
            return Some(i);
        }
        i += 1;
    }
    None
}

const fn is_number(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9', ..])
}

/// The rows of one file.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its file.
    pub name: &'static str,
    /// Its rows.
    pub rows: &'static [Row],
}

/// Cuts a table into its families, given their names and lengths in the order of the table.
pub(crate) fn families(
    table: &'static [Row],
    lengths: &'static [(&'static str, usize)],
) -> impl Iterator<Item = Family> {
    let mut rest = table;
    lengths.iter().map(move |(name, len)| {
        let (rows, others) = rest.split_at(*len);
        rest = others;
        Family { name, rows }
    })
}

/// The number of rows in all families, in constants.
pub(crate) const fn total(lengths: &[(&str, usize)]) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < lengths.len() {
        sum += lengths[i].1;
        i += 1;
    }
    sum
}

/// Callback that counts rows, as the constant `LEN`.
#[macro_export]
macro_rules! row_count {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt $args:tt $(-> $ret:ty)?; )*) => {
        pub const LEN: usize = [$(stringify!($name)),*].len();
    };
}

/// Lists families with their lengths, as the constant `LENGTHS`.
macro_rules! lengths {
    ($($family:ident $rows:ident;)*) => {
        mod lengths {
            $( pub mod $family { $crate::chain! { [$rows] $crate::row_count {} } } )*
        }
        const LENGTHS: &[(&str, usize)] = &[$( (stringify!($family), lengths::$family::LEN) ),*];
    };
}
pub(crate) use lengths;

/// Callback that turns rows into a slice of [`Row`].
#[macro_export]
macro_rules! row_slice {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        &[ $( $crate::row::Row {
            name: stringify!($name),
            since: $since,
            columns: $crate::columns!($cols),
            args: &[ $( $crate::arg_of!($arg: $kind($($data)*)) ),* ],
        } ),* ]
    };
}
