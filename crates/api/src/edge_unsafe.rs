use crate::plain_unsafe::Plain;
use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;

/// An error code that says "a pointer is null".
pub trait NullPointer {
    /// That code.
    const NULL_POINTER: Self;
}

/// What a wrapper holds on to besides its pointer: how long the memory lives, and the code for null.
type Of<'a, T, E> = PhantomData<(&'a T, fn() -> E)>;

/// A pointer the callee writes one value to.
pub struct Out<'a, T, E = crate::cuda::types::CUresult> {
    ptr: *mut T,
    _of: Of<'a, T, E>,
}

/// A pointer to one value the callee reads and replaces.
pub struct InOut<'a, T, E = crate::cuda::types::CUresult> {
    ptr: *mut T,
    _of: Of<'a, T, E>,
}

/// A pointer to one value the callee reads.
pub struct In<'a, T, E = crate::cuda::types::CUresult> {
    ptr: *const T,
    _of: Of<'a, T, E>,
}

/// A pointer to several values the callee reads.
pub struct Slice<'a, T, E = crate::cuda::types::CUresult> {
    ptr: *const T,
    len: usize,
    _of: Of<'a, T, E>,
}

/// A pointer to several values the callee writes (and may read).
pub struct SliceMut<'a, T, E = crate::cuda::types::CUresult> {
    ptr: *mut T,
    len: usize,
    _of: Of<'a, T, E>,
}

/// Bytes the callee reads.
pub struct Bytes<'a, E = crate::cuda::types::CUresult> {
    ptr: *const u8,
    len: usize,
    _of: Of<'a, u8, E>,
}

/// Bytes the callee writes.
pub struct BytesMut<'a, E = crate::cuda::types::CUresult> {
    ptr: *mut u8,
    len: usize,
    _of: Of<'a, u8, E>,
}

/// A zero-terminated text the callee reads.
pub struct Str<'a, E = crate::cuda::types::CUresult> {
    ptr: *const c_char,
    _of: Of<'a, c_char, E>,
}

macro_rules! copies {
    ($($name:ident <$($p:ident),*>;)*) => { $(
        impl<$($p),*> Clone for $name<'_, $($p),*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($p),*> Copy for $name<'_, $($p),*> {}
        impl<$($p),*> $name<'_, $($p),*> {
            /// Whether the caller passed null.
            pub fn is_null(&self) -> bool {
                self.ptr.is_null()
            }

            /// The address the caller passed.
            pub fn addr(&self) -> usize {
                self.ptr.expose_provenance()
            }
        }
    )* };
}
copies! { Out<T, E>; InOut<T, E>; In<T, E>; Slice<T, E>; SliceMut<T, E>; Bytes<E>; BytesMut<E>; Str<E>; }

impl<'a, T, E> From<&'a mut T> for Out<'a, T, E> {
    /// A variable of our own as the place for a result.
    fn from(place: &'a mut T) -> Self {
        Self { ptr: place, _of: PhantomData }
    }
}

impl<'a, T, E> From<&'a mut T> for InOut<'a, T, E> {
    /// A variable of our own.
    fn from(place: &'a mut T) -> Self {
        Self { ptr: place, _of: PhantomData }
    }
}

impl<'a, T, E> From<&'a T> for In<'a, T, E> {
    /// A value of our own.
    fn from(value: &'a T) -> Self {
        Self { ptr: value, _of: PhantomData }
    }
}

impl<'a, T, E> From<&'a mut [T]> for SliceMut<'a, T, E> {
    /// Values of our own as the place for results.
    fn from(place: &'a mut [T]) -> Self {
        Self { ptr: place.as_mut_ptr(), len: place.len(), _of: PhantomData }
    }
}

impl<'a, T, E> From<&'a [T]> for Slice<'a, T, E> {
    /// Values of our own.
    fn from(values: &'a [T]) -> Self {
        Self { ptr: values.as_ptr(), len: values.len(), _of: PhantomData }
    }
}

impl<'a, E> From<&'a [u8]> for Bytes<'a, E> {
    /// Bytes of our own.
    fn from(bytes: &'a [u8]) -> Self {
        Self { ptr: bytes.as_ptr(), len: bytes.len(), _of: PhantomData }
    }
}

impl<'a, E> From<&'a mut [u8]> for BytesMut<'a, E> {
    /// Bytes of our own as the place for results.
    fn from(place: &'a mut [u8]) -> Self {
        Self { ptr: place.as_mut_ptr(), len: place.len(), _of: PhantomData }
    }
}

impl<T: Plain, E: NullPointer> Out<'_, T, E> {
    /// The null pointer: a result that nobody wants.
    pub const NULL: Self = Self { ptr: core::ptr::null_mut(), _of: PhantomData };

    /// Wraps a C out-parameter.
    ///
    /// # Safety
    /// `ptr` is null or valid for writing one `T` (aligned or not) as long as the wrapper lives.
    pub unsafe fn new(ptr: *mut T) -> Self {
        Self { ptr, _of: PhantomData }
    }

    /// Writes the result; a null pointer is an error.
    pub fn set(self, value: T) -> Result<(), E> {
        if self.ptr.is_null() {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: valid for writing, see `new`.
        unsafe { self.ptr.write_unaligned(value) };
        Ok(())
    }

    /// Writes the result where the caller wants it: null means it does not.
    pub fn set_if(self, value: T) {
        let _absent_is_fine = self.set(value);
    }
}

impl<T: Plain, E: NullPointer> InOut<'_, T, E> {
    /// Wraps a C parameter that is read and replaced.
    ///
    /// # Safety
    /// `ptr` is null or valid for reading and writing one `T` as long as the wrapper lives.
    pub unsafe fn new(ptr: *mut T) -> Self {
        Self { ptr, _of: PhantomData }
    }

    /// Reads the value; a null pointer is an error.
    pub fn get(self) -> Result<T, E> {
        if self.ptr.is_null() {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: valid for reading, see `new`; T takes any bit pattern.
        Ok(unsafe { self.ptr.read_unaligned() })
    }

    /// Replaces the value; a null pointer is an error.
    pub fn set(self, value: T) -> Result<(), E> {
        if self.ptr.is_null() {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: valid for writing, see `new`.
        unsafe { self.ptr.write_unaligned(value) };
        Ok(())
    }

    /// Replaces the value if there is one.
    pub fn set_if(self, value: T) {
        let _absent_is_fine = self.set(value);
    }
}

impl<T: Plain, E: NullPointer> In<'_, T, E> {
    /// Wraps a C in-parameter.
    ///
    /// # Safety
    /// `ptr` is null or valid for reading one `T` as long as the wrapper lives.
    pub unsafe fn new(ptr: *const T) -> Self {
        Self { ptr, _of: PhantomData }
    }

    /// Reads the value; a null pointer is an error.
    pub fn get(self) -> Result<T, E> {
        self.get_if().ok_or(E::NULL_POINTER)
    }

    /// Reads the value if there is one.
    pub fn get_if(self) -> Option<T> {
        if self.ptr.is_null() {
            return None;
        }
        // SAFETY: valid for reading, see `new`; T takes any bit pattern.
        Some(unsafe { self.ptr.read_unaligned() })
    }
}

impl<T: Plain, E: NullPointer> Slice<'_, T, E> {
    /// Wraps a C array.
    ///
    /// # Safety
    /// `ptr` is null or valid for reading `len` values as long as the wrapper lives.
    pub unsafe fn new(ptr: *const T, len: usize) -> Self {
        Self { ptr, len, _of: PhantomData }
    }

    /// How many values the caller said there are.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the caller said there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Value `index`, if it is there.
    pub fn get(self, index: usize) -> Option<T> {
        if self.ptr.is_null() || index >= self.len {
            return None;
        }
        // SAFETY: inside the array, see `new`; T takes any bit pattern.
        Some(unsafe { self.ptr.add(index).read_unaligned() })
    }

    /// The values one by one; none for a null pointer.
    pub fn iter(self) -> impl Iterator<Item = T> {
        (0..self.len).map_while(move |i| self.get(i))
    }

    /// A copy of all values; null with a length is an error.
    pub fn to_vec(self) -> Result<Vec<T>, E> {
        if self.ptr.is_null() && self.len != 0 {
            return Err(E::NULL_POINTER);
        }
        Ok(self.iter().collect())
    }
}

impl<T: Plain, E: NullPointer> SliceMut<'_, T, E> {
    /// The null pointer: results that nobody wants.
    pub const NULL: Self = Self { ptr: core::ptr::null_mut(), len: 0, _of: PhantomData };

    /// Wraps a C array that the callee fills.
    ///
    /// # Safety
    /// `ptr` is null or valid for reading and writing `len` values as long as the wrapper lives.
    pub unsafe fn new(ptr: *mut T, len: usize) -> Self {
        Self { ptr, len, _of: PhantomData }
    }

    /// How many values the caller has room for.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the caller has room for none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Value `index` as the caller left it.
    pub fn get(self, index: usize) -> Option<T> {
        if self.ptr.is_null() || index >= self.len {
            return None;
        }
        // SAFETY: inside the array, see `new`; T takes any bit pattern.
        Some(unsafe { self.ptr.add(index).read_unaligned() })
    }

    /// Writes value `index`; an error where the caller has no room for it.
    pub fn set(self, index: usize, value: T) -> Result<(), E> {
        if self.ptr.is_null() || index >= self.len {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: inside the array, see `new`.
        unsafe { self.ptr.add(index).write_unaligned(value) };
        Ok(())
    }

    /// Writes as many values as fit and says how many those were.
    pub fn fill(self, values: &[T]) -> usize {
        values.iter().enumerate().take_while(|(i, value)| self.set(*i, **value).is_ok()).count()
    }
}

impl<'a, E: NullPointer> Bytes<'a, E> {
    /// Wraps C bytes.
    ///
    /// # Safety
    /// `ptr` is null or valid for reading `len` bytes as long as the wrapper lives.
    pub unsafe fn new(ptr: *const c_void, len: usize) -> Self {
        Self { ptr: ptr.cast(), len, _of: PhantomData }
    }

    /// How many bytes the caller said there are.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the caller said there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Copies the bytes into `dst`, which is as long as they are or shorter.
    pub fn copy_to(self, dst: &mut [u8]) -> Result<(), E> {
        if dst.is_empty() {
            return Ok(());
        }
        if self.ptr.is_null() || dst.len() > self.len {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: `dst` is no longer than the bytes (checked), which are readable, see `new`. Foreign memory may
        // overlap anything, so this is a move.
        unsafe { core::ptr::copy(self.ptr, dst.as_mut_ptr(), dst.len()) };
        Ok(())
    }

    /// A copy of the bytes; null with a length is an error.
    pub fn to_vec(self) -> Result<Vec<u8>, E> {
        if self.ptr.is_null() && self.len != 0 {
            return Err(E::NULL_POINTER);
        }
        let mut copy = vec![0; self.len];
        self.copy_to(&mut copy)?;
        Ok(copy)
    }
}

impl<'a, E: NullPointer> BytesMut<'a, E> {
    /// Wraps C bytes that the callee fills.
    ///
    /// # Safety
    /// `ptr` is null or valid for writing `len` bytes as long as the wrapper lives.
    pub unsafe fn new(ptr: *mut c_void, len: usize) -> Self {
        Self { ptr: ptr.cast(), len, _of: PhantomData }
    }

    /// How many bytes the caller has room for.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the caller has room for none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Copies `src` to the start of the room; an error if it does not fit.
    pub fn copy_from(self, src: &[u8]) -> Result<(), E> {
        if src.is_empty() {
            return Ok(());
        }
        if self.ptr.is_null() || src.len() > self.len {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: the room holds `src` (checked) and is writable, see `new`.
        unsafe { core::ptr::copy(src.as_ptr(), self.ptr, src.len()) };
        Ok(())
    }

    /// Writes text with its closing zero, cut to the room there is.
    pub fn set_text(self, text: &str) -> Result<(), E> {
        let room = self.len.checked_sub(1).ok_or(E::NULL_POINTER)?;
        let mut bytes = text.as_bytes().get(..room).unwrap_or(text.as_bytes()).to_vec();
        bytes.push(0);
        self.copy_from(&bytes)
    }
}

impl<'a, E: NullPointer> Str<'a, E> {
    /// Wraps a C string.
    ///
    /// # Safety
    /// `ptr` is null or points to bytes that end in zero, readable as long as the wrapper lives.
    pub unsafe fn new(ptr: *const c_char) -> Self {
        Self { ptr, _of: PhantomData }
    }

    /// The bytes before the closing zero; a null pointer is an error.
    pub fn bytes(self) -> Result<&'a [u8], E> {
        if self.ptr.is_null() {
            return Err(E::NULL_POINTER);
        }
        // SAFETY: zero-terminated and readable for 'a, see `new`.
        Ok(unsafe { CStr::from_ptr(self.ptr) }.to_bytes())
    }

    /// The text; null or not UTF-8 is an error.
    pub fn get(self) -> Result<&'a str, E> {
        core::str::from_utf8(self.bytes()?).map_err(|_| E::NULL_POINTER)
    }
}

/// An argument that says how long another one is: a number, or a pointer to one.
pub trait Length: Copy {
    /// The length; null and negative mean none.
    ///
    /// # Safety
    /// A pointer is null or readable.
    unsafe fn length(self) -> usize;
}

macro_rules! lengths {
    ($($t:ty)*) => { $(
        impl Length for $t {
            unsafe fn length(self) -> usize {
                usize::try_from(self).unwrap_or(0)
            }
        }
    )* };
}
lengths!(i32 u32 u64 usize);

impl<T: Length + Plain> Length for *const T {
    unsafe fn length(self) -> usize {
        if self.is_null() {
            return 0;
        }
        // SAFETY: not null, so readable by the caller's promise; the number itself needs no promise.
        unsafe { self.read_unaligned().length() }
    }
}

impl<T: Length + Plain> Length for *mut T {
    unsafe fn length(self) -> usize {
        // SAFETY: the caller's promise is the same.
        unsafe { self.cast_const().length() }
    }
}
