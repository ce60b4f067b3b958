/// Keeps an item only if its row has logic: any policy word but `forward`.
macro_rules! hooked {
    ([soft $($words:tt)*] $item:tt) => { $crate::hooked::hooked! { [$($words)*] $item } };
    ([todo $($words:tt)*] $item:tt) => { $crate::hooked::hooked! { [$($words)*] $item } };
    ([absent $($words:tt)*] $item:tt) => { $crate::hooked::hooked! { [$($words)*] $item } };
    ([forward $($words:tt)*] $item:tt) => {};
    ([pace $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ([note $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ([charge $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ([release $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ([answer $($words:tt)*] { $($item:tt)* }) => { $($item)* };
    ($other:tt $item:tt) => { compile_error!("a row whose words the shim does not understand"); };
}
pub(crate) use hooked;

/// The address of a row's export as `Some`, `None` where the row has no logic.
macro_rules! hook_of {
    ([soft $($words:tt)*] $hook:expr) => { $crate::hooked::hook_of!([$($words)*] $hook) };
    ([todo $($words:tt)*] $hook:expr) => { $crate::hooked::hook_of!([$($words)*] $hook) };
    ([absent $($words:tt)*] $hook:expr) => { $crate::hooked::hook_of!([$($words)*] $hook) };
    ([forward $($words:tt)*] $hook:expr) => { None };
    ($words:tt $hook:expr) => { Some($hook as *const ()) };
}
pub(crate) use hook_of;
