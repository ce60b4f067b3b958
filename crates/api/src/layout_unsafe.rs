/// Declares C structs: `struct NAME size BYTES { OFFSET field: type, … }`. Size and offsets are those of the vendor's
/// ABI on 64-bit Linux and are checked when this crate compiles.
macro_rules! c_structs {
    ($( struct $name:ident size $size:literal { $( $offset:literal $field:ident: $ty:ty, )* } )*) => {
        pub(super) const SIZES: &[(&str, usize)] = &[$( (stringify!($name), $size) ),*];
        $(
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $( pub $field: $ty, )* }
        $crate::layout_unsafe::plain_type!($name: $($ty)*);
        const _: () = assert!(size_of::<$name>() == $size, concat!("size of ", stringify!($name)));
        $( const _: () = assert!(
            ::core::mem::offset_of!($name, $field) == $offset,
            concat!("offset of ", stringify!($name), ".", stringify!($field))
        ); )*
        )*
    };
}

/// Declares C enums as transparent numbers: a foreign caller may pass any value.
macro_rules! c_enums {
    ($( enum $name:ident: $repr:ident { $( $value:ident = $number:literal, )* } )*) => {
        pub(super) const VALUES: &[(&str, i128)] = &[$($( (stringify!($value), $number) ),*),*];
        $(
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $repr);
        $crate::layout_unsafe::plain_type!($name: $repr);
        $( pub const $value: $name = $name($number); )*
        )*
    };
}

/// Declares the numbers a header names by preprocessor macros.
macro_rules! c_constants {
    ($( $name:ident: $ty:ty = $value:literal, )*) => {
        pub(super) const VALUES: &[(&str, i128)] = &[$( (stringify!($name), $value) ),*];
        $( pub const $name: $ty = $value; )*
    };
}

/// Declares handles and other numbers that only their issuer understands.
macro_rules! c_handles {
    ($( $name:ident($repr:ty); )*) => { $(
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $repr);
        $crate::layout_unsafe::plain_type!($name: $repr);
        impl $name {
            /// Whether it is the null handle.
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x})"), self.0)
            }
        }
    )* };
}

/// Marks a type made of the given field types as readable from foreign memory.
macro_rules! plain_type {
    ($name:ident: $($field:ty)*) => {
        #[allow(unsafe_code)]
        const _: () = {
            const fn plain<T: $crate::edge::Plain>() {}
            $( plain::<$field>(); )*
            // SAFETY: each field is plain (checked above), so no bit pattern is invalid.
            unsafe impl $crate::edge::Plain for $name {}
        };
        impl Default for $name {
            fn default() -> Self {
                $crate::edge::Plain::zeroed()
            }
        }
    };
}

pub(crate) use {c_constants, c_enums, c_handles, c_structs, plain_type};
