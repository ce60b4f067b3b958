//! The edge wrappers on memory a test owns. Named `_unsafe` because it builds them from pointers.

#![allow(unsafe_code)]

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, BytesMut, In, InOut, Length, Out, Plain, Ptr, Slice, SliceMut, Str, Union};
use core::ptr::{null, null_mut};

const NULL: CUresult = CUDA_ERROR_INVALID_VALUE;

#[test]
fn one_value_goes_in_and_out() {
    let mut value = 7_u32;
    // SAFETY: `value` outlives the wrappers.
    let (into, out, both) =
        unsafe { (In::<u32>::new(&value), Out::<u32>::new(&mut value), InOut::<u32>::new(&mut value)) };
    assert_eq!((into.get(), both.get()), (Ok(7), Ok(7)));
    assert_eq!((out.set(8), into.get()), (Ok(()), Ok(8)));
    assert_eq!((both.set(9), into.get_if()), (Ok(()), Some(9)));
    assert_eq!(into.addr(), out.addr());
}

#[test]
fn null_is_an_error_or_absent() {
    // SAFETY: null is always allowed.
    let (into, out, both) =
        unsafe { (In::<u32>::new(null()), Out::<u32>::new(null_mut()), InOut::<u32>::new(null_mut())) };
    assert_eq!((into.get(), into.get_if()), (Err(NULL), None));
    assert_eq!((out.set(1), both.get(), both.set(1)), (Err(NULL), Err(NULL), Err(NULL)));
    out.set_if(1);
    both.set_if(1);
    assert!(into.is_null() && out.is_null() && both.is_null());
}

#[test]
fn arrays_end_where_the_count_says() {
    let mut values = [1_u16, 2, 3, 4];
    // SAFETY: two of the four values.
    let (read, write) =
        unsafe { (Slice::<u16>::new(values.as_ptr(), 2), SliceMut::<u16>::new(values.as_mut_ptr(), 2)) };
    assert_eq!((read.to_vec(), read.get(1), read.get(2)), (Ok(vec![1, 2]), Some(2), None));
    assert_eq!((write.set(2, 9), write.fill(&[7, 8, 9])), (Err(NULL), 2));
    assert_eq!((write.get(0), values), (Some(7), [7, 8, 3, 4]));
}

#[test]
fn a_null_array_is_empty_only_if_it_says_so() {
    // SAFETY: null is always allowed.
    let (empty, missing) = unsafe { (Slice::<u16>::new(null(), 0), Slice::<u16>::new(null(), 3)) };
    assert_eq!((empty.to_vec(), missing.to_vec()), (Ok(Vec::new()), Err(NULL)));
    assert_eq!(missing.iter().count(), 0);
}

#[test]
fn bytes_are_copied_whole_or_not_at_all() {
    let mut room = [0_u8; 4];
    // SAFETY: the literal and the room are as long as said.
    let (from, to) = unsafe {
        (
            Bytes::<CUresult>::new(b"abc".as_ptr().cast(), 3),
            BytesMut::<CUresult>::new(room.as_mut_ptr().cast(), 4),
        )
    };
    let mut copy = [0; 4];
    assert_eq!((from.to_vec(), from.copy_to(&mut copy)), (Ok(b"abc".to_vec()), Err(NULL)));
    assert_eq!((to.copy_from(b"12345"), to.copy_from(b"123")), (Err(NULL), Ok(())));
    assert_eq!(room, *b"123\0");
}

#[test]
fn text_is_cut_to_the_room_and_always_closed() {
    let mut room = [b'x'; 4];
    // SAFETY: the room is as long as said.
    let (whole, none) = unsafe {
        (BytesMut::<CUresult>::new(room.as_mut_ptr().cast(), 4), BytesMut::<CUresult>::new(null_mut(), 0))
    };
    assert_eq!((whole.set_text("device"), none.set_text("device")), (Ok(()), Err(NULL)));
    assert_eq!(room, *b"dev\0");
    // SAFETY: a C string literal, then bytes that are not text.
    let (text, broken) =
        unsafe { (Str::<CUresult>::new(c"name".as_ptr()), Str::<CUresult>::new(c"\xff".as_ptr())) };
    assert_eq!((text.get(), broken.get(), broken.bytes()), (Ok("name"), Err(NULL), Ok(&b"\xff"[..])));
}

#[test]
fn lengths_come_from_numbers_and_pointers() {
    let (mut count, none) = (5_usize, null_mut::<u32>());
    // SAFETY: `count` is readable, null is allowed.
    let lengths = unsafe { [(-3_i32).length(), 4_u32.length(), (&raw mut count).length(), none.length()] };
    assert_eq!(lengths, [0, 4, 5, 0]);
}

#[test]
fn a_union_reads_back_the_arm_that_was_written() {
    let mut params = CUstreamBatchMemOpParams::default();
    let write = CUstreamMemOpWriteValueParams {
        operation: CU_STREAM_MEM_OP_WRITE_VALUE_32,
        address: CUdeviceptr(0x1000),
        value: Union::of(7_u32),
        ..Default::default()
    };
    params.value.set(write);
    let read: CUstreamMemOpWriteValueParams = params.value.get();
    assert_eq!((read.operation, read.address), (write.operation, write.address));
    assert_eq!((read.value.get::<u32>(), read.value.get::<u64>()), (7, 7));
}

#[test]
fn a_pointer_in_a_struct_leads_to_its_values() {
    static VALUES: [u32; 3] = [1, 2, 3];
    let pointer = Ptr::to(&VALUES).cast::<u32>();
    assert_eq!(pointer.slice::<CUresult>(3).to_vec(), Ok(vec![1, 2, 3]));
    assert_eq!(pointer.one::<CUresult>().get(), Ok(1));
    assert_eq!(Ptr::<u32>::NULL.one::<CUresult>().get(), Err(NULL));
    assert_eq!(Ptr::to_bytes(b"text\0").cast::<u8>().text::<CUresult>().get(), Ok("text"));
    assert_eq!(CUDA_MEMCPY2D::zeroed().Height, 0);
}
