use cleave_api::cuda::types::*;
use cleave_api::edge_type;

use crate::gate::{self, Seen};
use crate::real_unsafe::cuda as real;

/// Keeps an item only if its row is paced on a copy engine.
macro_rules! copy {
    ([soft pace ce $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ([todo pace ce $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ($other:tt $item:tt) => {};
}

/// All of them alike, from the rows: how much it is, and the gate of the engine that does it.
macro_rules! copies {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => { $(
        copy! { $cols {
            $(#[$doc])*
            #[inline]
            #[allow(clippy::too_many_arguments)]
            pub fn $name($( $arg: edge_type!(CUresult, $kind($($data)*)) ),*) -> CUresult {
                let see = move |amount: &mut gate::Amount| { $( $arg.seen(stringify!($arg), amount); )* };
                gate::copy(stringify!($name), see, move || real::$name($( $arg ),*))
            }
        } }
    )* };
}
cleave_api::cuda_api!(copies);
