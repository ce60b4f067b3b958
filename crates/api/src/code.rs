use core::ffi::CStr;

/// A result code with its name and what it means, both ready to be handed to C.
#[derive(Clone, Copy, Debug)]
pub struct Code<T: 'static> {
    /// The code.
    pub code: T,
    /// Its identifier.
    pub name: &'static CStr,
    /// What it means, in a few words.
    pub meaning: &'static CStr,
}

/// Finds a code in its table.
pub fn find<T: PartialEq>(codes: &'static [Code<T>], code: T) -> Option<&'static Code<T>> {
    codes.iter().find(|row| row.code == code)
}

/// Lays out a table of codes: `CODE "meaning",` a line.
macro_rules! codes {
    ($ty:ident: $($code:ident $meaning:literal,)*) => {
        /// Every result code.
        pub static CODES: &[$crate::code::Code<$ty>] = &[$(
            $crate::code::Code {
                code: $code,
                name: $crate::code::c_text(concat!(stringify!($code), "\0")),
                meaning: $crate::code::c_text(concat!($meaning, "\0")),
            }
        ),*];
    };
}
pub(crate) use codes;

/// A literal as a C string, checked while compiling.
pub(crate) const fn c_text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a text holds one zero, at its end"),
    }
}
