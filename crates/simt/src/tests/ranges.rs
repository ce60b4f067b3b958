use super::harness_unsafe::{Device, compile, quiet, range, shape};
use crate::{FaultKind, RangeError, Ranges};

#[test]
fn ranges_are_exact_disjoint_and_dated() {
    let ranges = Ranges::new();
    ranges.insert(range(0x1000, 0x100)).unwrap();
    ranges.insert(range(0x1100, 1)).unwrap();
    assert_eq!(ranges.insert(range(0x10ff, 1)), Err(RangeError::Overlaps { start: 0x1000 }));
    assert_eq!(ranges.insert(range(0xf00, 0x101)), Err(RangeError::Overlaps { start: 0x1000 }));
    assert_eq!(ranges.insert(range(0x5000, 0)), Err(RangeError::Empty));
    assert_eq!(ranges.insert(range(u64::MAX, 2)), Err(RangeError::Empty));
    assert_eq!(ranges.find(0xfff), None);
    assert_eq!(ranges.find(0x10ff).map(|r| r.start()), Some(0x1000));
    assert_eq!(ranges.find(0x1100).map(|r| r.start()), Some(0x1100));
    assert_eq!(ranges.find(0x1101), None);
    let before = ranges.generation();
    assert!(ranges.remove(0x1001).is_none());
    assert_eq!(ranges.generation(), before);
    assert!(ranges.remove(0x1000).is_some());
    assert_ne!(ranges.generation(), before);
    assert_eq!(ranges.find(0x1000), None);
}

#[test]
fn memory_that_was_freed_faults_though_it_was_cached() {
    let program = compile(
        "
.visible .entry k(.param .u64 p) {
    .reg .b32 %r; .reg .b64 %rd;
    ld.param.u64 %rd, [p];
    ld.global.u32 %r, [%rd];
    st.global.u32 [%rd], %r;
    ret;
}",
    );
    let mut device = Device::new(quiet(1));
    let memory = device.alloc(4);
    device.run(&program, shape("k", 4, 32, &[memory])).unwrap();
    device.ranges.remove(memory);
    let fault = device.run(&program, shape("k", 4, 32, &[memory])).unwrap_err();
    assert_eq!((fault.kind, fault.address), (FaultKind::IllegalAddress, memory));
    let fault = device.run(&program, shape("k", 1, 1, &[memory + 2])).unwrap_err();
    assert_eq!(fault.kind, FaultKind::MisalignedAddress);
}
