/// The C type of a parameter: what stands in an `extern "C"` signature.
#[macro_export]
macro_rules! c_type {
    (val($t:ty)) => { $t };
    (raw($t:ty)) => { $t };
    (out($t:ty)) => { *mut $t };
    (inout($t:ty)) => { *mut $t };
    (input($t:ty)) => { *const $t };
    (array($t:ty, $len:tt)) => { *const $t };
    (array_out($t:ty, $len:tt)) => { *mut $t };
    (bytes($len:tt)) => { *const ::core::ffi::c_void };
    (bytes_mut($len:tt)) => { *mut ::core::ffi::c_void };
    (cstr()) => { *const ::core::ffi::c_char };
}

/// The edge type of a parameter: what a trait method takes. The error type is what a null pointer turns into.
#[macro_export]
macro_rules! edge_type {
    ($err:ident, val($t:ty)) => { $t };
    ($err:ident, raw($t:ty)) => { $t };
    ($err:ident, out($t:ty)) => { $crate::edge::Out<'_, $t, $err> };
    ($err:ident, inout($t:ty)) => { $crate::edge::InOut<'_, $t, $err> };
    ($err:ident, input($t:ty)) => { $crate::edge::In<'_, $t, $err> };
    ($err:ident, array($t:ty, $len:tt)) => { $crate::edge::Slice<'_, $t, $err> };
    ($err:ident, array_out($t:ty, $len:tt)) => { $crate::edge::SliceMut<'_, $t, $err> };
    ($err:ident, bytes($len:tt)) => { $crate::edge::Bytes<'_, $err> };
    ($err:ident, bytes_mut($len:tt)) => { $crate::edge::BytesMut<'_, $err> };
    ($err:ident, cstr()) => { $crate::edge::Str<'_, $err> };
    ($kind:ident ($($data:tt)*)) => { $crate::edge_type!(CUresult, $kind($($data)*)) };
}

/// Turns a C argument into its edge value. Expands to calls of `unsafe fn`: the caller stands at the FFI edge and
/// vouches for the pointers as C does.
#[macro_export]
macro_rules! edge_arg {
    ($arg:ident: val($t:ty)) => {
        $arg
    };
    ($arg:ident: raw($t:ty)) => {
        $arg
    };
    ($arg:ident: out($t:ty)) => {
        $crate::edge::Out::new($arg)
    };
    ($arg:ident: inout($t:ty)) => {
        $crate::edge::InOut::new($arg)
    };
    ($arg:ident: input($t:ty)) => {
        $crate::edge::In::new($arg)
    };
    ($arg:ident: array($t:ty, $len:tt)) => {
        $crate::edge::Slice::new($arg, $crate::edge::Length::length($len))
    };
    ($arg:ident: array_out($t:ty, $len:tt)) => {
        $crate::edge::SliceMut::new($arg, $crate::edge::Length::length($len))
    };
    ($arg:ident: bytes($len:tt)) => {
        $crate::edge::Bytes::new($arg, $crate::edge::Length::length($len))
    };
    ($arg:ident: bytes_mut($len:tt)) => {
        $crate::edge::BytesMut::new($arg, $crate::edge::Length::length($len))
    };
    ($arg:ident: cstr()) => {
        $crate::edge::Str::new($arg)
    };
}

/// The run-time description of a parameter.
#[macro_export]
macro_rules! arg_of {
    ($arg:ident: $kind:ident ($($data:tt)*)) => {
        $crate::row::Arg {
            name: stringify!($arg),
            kind: $crate::kind_of!($kind($($data)*)),
            width: size_of::<$crate::c_type!($kind($($data)*))>(),
            pointee: $crate::pointee!($kind($($data)*)),
        }
    };
}

/// The run-time kind of a parameter.
#[macro_export]
macro_rules! kind_of {
    (val($t:ty)) => {
        $crate::row::Kind::Val { ty: stringify!($t) }
    };
    (raw($t:ty)) => {
        $crate::row::Kind::Raw { ty: stringify!($t) }
    };
    (out($t:ty)) => {
        $crate::row::Kind::Out { ty: stringify!($t) }
    };
    (inout($t:ty)) => {
        $crate::row::Kind::InOut { ty: stringify!($t) }
    };
    (input($t:ty)) => {
        $crate::row::Kind::In { ty: stringify!($t) }
    };
    (array($t:ty, $len:tt)) => {
        $crate::row::Kind::Array { ty: stringify!($t), len: stringify!($len) }
    };
    (array_out($t:ty, $len:tt)) => {
        $crate::row::Kind::ArrayOut { ty: stringify!($t), len: stringify!($len) }
    };
    (bytes($len:tt)) => {
        $crate::row::Kind::Bytes { len: stringify!($len) }
    };
    (bytes_mut($len:tt)) => {
        $crate::row::Kind::BytesMut { len: stringify!($len) }
    };
    (cstr()) => {
        $crate::row::Kind::Str
    };
}

/// Bytes of one value behind a pointer parameter, where the row states its type.
#[macro_export]
macro_rules! pointee {
    (val($t:ty)) => {
        None
    };
    (raw($t:ty)) => {
        None
    };
    (out($t:ty)) => {
        Some(size_of::<$t>())
    };
    (inout($t:ty)) => {
        Some(size_of::<$t>())
    };
    (input($t:ty)) => {
        Some(size_of::<$t>())
    };
    (array($t:ty, $len:tt)) => {
        Some(size_of::<$t>())
    };
    (array_out($t:ty, $len:tt)) => {
        Some(size_of::<$t>())
    };
    (bytes($len:tt)) => {
        None
    };
    (bytes_mut($len:tt)) => {
        None
    };
    (cstr()) => {
        Some(1)
    };
}

/// The return type of a row: the API's code, or what the row says.
#[macro_export]
macro_rules! return_type {
    ($code:ty) => {
        $code
    };
    ($code:ty, $ret:ty) => {
        $ret
    };
}
