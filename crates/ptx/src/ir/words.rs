//! Enums whose values are words of PTX text.

/// Declares an enum together with the PTX word of each value. Further spellings after `|` are read but never printed.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $( $(#[$doc:meta])* $variant:ident = $word:literal $(| $alias:literal)* ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[$doc])* #[doc = concat!("`", $word, "`")] $variant ),* }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),*];

            /// The word PTX uses for this value, without a leading dot.
            pub const fn word(self) -> &'static str {
                match self { $( $name::$variant => $word ),* }
            }

            /// The value a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word $(| $alias)* => Some($name::$variant), )* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

pub(crate) use words;
