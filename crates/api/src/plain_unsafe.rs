use crate::edge::{In, NullPointer, Slice, SliceMut, Str};
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// A C value that may be read from foreign memory: every bit pattern is valid.
///
/// # Safety
/// Implementers have no invalid bit patterns and no drop glue.
pub unsafe trait Plain: Copy + 'static {
    /// The value whose bytes are all zero, as C callers prepare their structs.
    fn zeroed() -> Self {
        // SAFETY: every bit pattern is valid, so all zeroes is.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }
}

macro_rules! plain_scalars {
    ($($t:ty)*) => { $(
        // SAFETY: a number has no invalid bit pattern.
        unsafe impl Plain for $t {}
    )* };
}
plain_scalars!(u8 i8 u16 i16 u32 i32 u64 i64 usize f32 f64);

// SAFETY: an array adds no bits of its own.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

macro_rules! plain_functions {
    ($(($($a:ident)*))*) => { $(
        // SAFETY: null is None; what another value points to matters only to the unsafe call.
        unsafe impl<R: 'static, $($a: 'static),*> Plain for Option<unsafe extern "C" fn($($a),*) -> R> {}
    )* };
}
plain_functions!((A)(A B)(A B C)(A B C D)(A B C D E));

/// A pointer of the application, kept as it came. Only memory that the application handed over holds one
/// ([`In::get`] and its like), so reading through it is as sound as the call that brought it.
#[repr(transparent)]
pub struct Ptr<T> {
    addr: usize,
    _points_to: PhantomData<fn() -> T>,
}

impl<T> Ptr<T> {
    /// The null pointer.
    pub const NULL: Ptr<T> = Ptr { addr: 0, _points_to: PhantomData };

    /// A pointer to something that lives as long as the process, to be handed to the application.
    pub fn to(target: &'static T) -> Ptr<T> {
        Ptr { addr: core::ptr::from_ref(target).expose_provenance(), _points_to: PhantomData }
    }

    /// A pointer to the given address.
    ///
    /// # Safety
    /// If anyone reads through it, `addr` is what an application could have passed: null, or valid for that read.
    pub const unsafe fn new(addr: usize) -> Ptr<T> {
        Ptr { addr, _points_to: PhantomData }
    }

    /// Its address as a number.
    pub const fn addr(self) -> usize {
        self.addr
    }

    /// Whether it is null.
    pub const fn is_null(self) -> bool {
        self.addr == 0
    }

    /// The same address, said to point to something else: to what the API documents for a `void *`, no more. The
    /// application's promise about the pointer covers exactly that.
    pub const fn cast<U>(self) -> Ptr<U> {
        Ptr { addr: self.addr, _points_to: PhantomData }
    }

    /// The same address as a machine pointer.
    pub const fn as_ptr(self) -> *mut T {
        core::ptr::with_exposed_provenance_mut(self.addr)
    }
}

impl<T: Plain> Ptr<T> {
    /// The one value behind it.
    pub fn one<'a, E: NullPointer>(self) -> In<'a, T, E> {
        // SAFETY: the application passed this address for reading, see the type's contract.
        unsafe { In::new(self.as_ptr()) }
    }

    /// The `len` values behind it, for reading.
    pub fn slice<'a, E: NullPointer>(self, len: usize) -> Slice<'a, T, E> {
        // SAFETY: as in `one`.
        unsafe { Slice::new(self.as_ptr(), len) }
    }

    /// The `len` values behind it, for writing.
    pub fn slice_mut<'a, E: NullPointer>(self, len: usize) -> SliceMut<'a, T, E> {
        // SAFETY: as in `one`.
        unsafe { SliceMut::new(self.as_ptr(), len) }
    }
}

impl Ptr<u8> {
    /// The zero-terminated text behind it.
    pub fn text<'a, E: NullPointer>(self) -> Str<'a, E> {
        // SAFETY: the application passed this address as a C string, see the type's contract.
        unsafe { Str::new(self.as_ptr().cast()) }
    }
}

impl Ptr<c_void> {
    /// Text that lives as long as the process, to be handed to the application.
    pub fn to_bytes(bytes: &'static [u8]) -> Ptr<c_void> {
        Ptr { addr: bytes.as_ptr().expose_provenance(), _points_to: PhantomData }
    }
}

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ptr<T> {}
impl<T> Default for Ptr<T> {
    fn default() -> Self {
        Self::NULL
    }
}
impl<T> PartialEq for Ptr<T> {
    fn eq(&self, other: &Self) -> bool {
        self.addr == other.addr
    }
}
impl<T> Eq for Ptr<T> {}
impl<T> fmt::Debug for Ptr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.addr)
    }
}
// SAFETY: a transparent number.
unsafe impl<T: 'static> Plain for Ptr<T> {}

/// A C union, kept as the words that store it and read as the arm the caller's tag names.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Union<S: Copy>(MaybeUninit<S>);

// SAFETY: transparent over words that may even be uninitialised.
unsafe impl<S: Plain> Plain for Union<S> {}

impl<S: Plain> Union<S> {
    /// A union holding arm `T`, other bytes zero.
    pub fn of<T: Plain>(value: T) -> Self {
        let mut new = Self::zeroed();
        new.set(value);
        new
    }

    /// Reads it as arm `T`.
    pub fn get<T: Plain>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<S>(), "the arm is larger than the union") };
        // SAFETY: the words are at least as long as T (asserted above) and T takes any bit pattern. The bytes were
        // read from foreign memory, zeroed, or written by `set`.
        unsafe { self.0.as_ptr().cast::<T>().read_unaligned() }
    }

    /// Writes arm `T`; the bytes behind it stay.
    pub fn set<T: Plain>(&mut self, value: T) {
        const { assert!(size_of::<T>() <= size_of::<S>(), "the arm is larger than the union") };
        // SAFETY: the words are at least as long as T (asserted above).
        unsafe { self.0.as_mut_ptr().cast::<T>().write_unaligned(value) }
    }
}

impl<S: Plain> Default for Union<S> {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl<S: Copy> fmt::Debug for Union<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Union(..)")
    }
}
