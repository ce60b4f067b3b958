/// Joins row files: each family macro appends its rows and hands on; at the end `$cb!` sees all of them.
#[macro_export]
macro_rules! chain {
    ([] $cb:path { $($acc:tt)* }) => { $cb! { $($acc)* } };
    ([$first:ident $($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::$first! { [$($next)*] $cb { $($acc)* } } };
}
