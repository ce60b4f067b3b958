/// Arrays and mipmapped arrays.
mod array;
/// Contexts and primary contexts.
mod context;
/// Copies.
mod copy;
/// Initialisation, versions, errors, look-up.
mod core;
/// Entry points of the debugger.
mod debugger;
/// Devices and their properties.
mod device;
/// Names and meanings of result codes.
pub mod error;
/// Events.
mod event;
/// Memory and semaphores of other APIs.
mod external;
/// Fills.
mod fill;
/// Functions: attributes, occupancy, old parameter setters.
mod function;
/// Graphs as a whole.
mod graph;
/// Graph nodes.
mod graph_node;
/// OpenGL, EGL, VDPAU.
mod graphics;
/// Green contexts and device resources.
mod green;
/// Launches.
mod launch;
/// Libraries and kernels.
mod library;
/// Linear, managed and host memory, pointers, IPC.
mod memory;
/// Modules and the linker.
mod module;
/// Peer access.
mod peer;
/// Stream-ordered memory and pools.
mod pool;
/// Streams and capture.
mod stream;
/// Data symbols beside the functions.
pub mod symbols;
/// Textures, surfaces, tensor maps.
mod texture;
/// Profiler, core dumps, logs, checkpoints.
mod tools;
/// The C types.
pub mod types;
/// Virtual memory: reserve, create, map, multicast.
mod vmm;

use crate::edge::Ptr;
use crate::row::{self, Row};
use ::core::ffi::c_void;
use types::*;

/// Hands every row of the driver API to `$cb!`, in order. The rows name types of [`cuda::types`](crate::cuda::types),
/// [`Ptr`](crate::edge::Ptr) and `c_void`: the crate that calls this imports them.
#[macro_export]
macro_rules! cuda_api {
    ($cb:path) => {
        $crate::chain! { [
            cuda_core_rows cuda_device_rows cuda_context_rows cuda_green_rows cuda_peer_rows cuda_module_rows
            cuda_library_rows cuda_function_rows cuda_launch_rows cuda_memory_rows cuda_pool_rows cuda_vmm_rows
            cuda_array_rows cuda_copy_rows cuda_fill_rows cuda_texture_rows cuda_stream_rows cuda_event_rows
            cuda_graph_rows cuda_graph_node_rows cuda_external_rows cuda_graphics_rows cuda_tools_rows
            cuda_debugger_rows
        ] $cb {} }
    };
}

macro_rules! driver_trait {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
        /// The driver API as a Rust trait: a method per row.
        #[allow(clippy::too_many_arguments)]
        pub trait Driver {
            $( $(#[$doc])* fn $name(&self $(, $arg: crate::edge_type!(CUresult, $kind($($data)*)))*) -> CUresult; )*
        }
    };
}
crate::cuda_api!(driver_trait);

/// Every function of the driver API.
pub static CUDA_TABLE: &[Row] = TABLE;

macro_rules! table {
    ($($rows:tt)*) => { const TABLE: &[Row] = crate::row_slice! { $($rows)* }; };
}
crate::cuda_api!(table);
const _: () = row::check::<{ TABLE.len() }>(TABLE);

row::lengths! {
    core cuda_core_rows;
    device cuda_device_rows;
    context cuda_context_rows;
    green cuda_green_rows;
    peer cuda_peer_rows;
    module cuda_module_rows;
    library cuda_library_rows;
    function cuda_function_rows;
    launch cuda_launch_rows;
    memory cuda_memory_rows;
    pool cuda_pool_rows;
    vmm cuda_vmm_rows;
    array cuda_array_rows;
    copy cuda_copy_rows;
    fill cuda_fill_rows;
    texture cuda_texture_rows;
    stream cuda_stream_rows;
    event cuda_event_rows;
    graph cuda_graph_rows;
    graph_node cuda_graph_node_rows;
    external cuda_external_rows;
    graphics cuda_graphics_rows;
    tools cuda_tools_rows;
    debugger cuda_debugger_rows;
}
const _: () = assert!(row::total(LENGTHS) == TABLE.len(), "a family is missing from the list of lengths");

/// The rows by family.
pub fn families() -> impl Iterator<Item = row::Family> {
    row::families(CUDA_TABLE, LENGTHS)
}

/// What two processes compare before they exchange calls.
pub const DIGEST: u64 = row::digest(TABLE);
