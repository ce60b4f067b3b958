//! Memory and events that go from process to process.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod fd_unsafe;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;
#[allow(dead_code)]
mod peer;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Plain;
use host_unsafe::*;
use peer::{Folder, Peer, hear, say};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::Ordering::SeqCst;

const MIB: usize = 1 << 20;
const SETTINGS: &[(&str, &str)] = &[("CLEAVE_SOFTGPU_MEMORY", "64M")];

fn text(bytes: &[u8; 64]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &str) -> [u8; 64] {
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal");
    std::array::from_fn(byte)
}

fn open(handle: [u8; 64]) -> Result<CUdeviceptr, CUresult> {
    out(|dptr| Libcuda.cuIpcOpenMemHandle_v2(dptr, CUipcMemHandle { reserved: handle }, 1))
}

fn free() -> usize {
    out(|free| Libcuda.cuMemGetInfo_v2(free, null())).expect("information")
}

/// Shows what it has to others; each line it hears is a number of bytes, `free`, or what the bytes should be now.
fn exporter() {
    context();
    let mut held = Vec::new();
    loop {
        let line = hear();
        match line.split_once(' ').unwrap_or((&line, "0")) {
            ("share", bytes) => {
                let bytes: usize = bytes.parse().expect("a number");
                let memory = memory(bytes);
                write(memory, &vec![3u8; bytes]);
                held.push((memory, bytes));
                let inside = CUdeviceptr(memory.0 + bytes as u64 / 2);
                let handle = out(|handle| Libcuda.cuIpcGetMemHandle(handle, inside)).expect("a handle");
                assert_eq!(open(handle.reserved), Err(CUDA_ERROR_INVALID_CONTEXT), "its own");
                say(text(&handle.reserved));
            }
            ("free", _) => {
                held.drain(..).for_each(|(memory, _)| assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS));
                say(free());
            }
            ("read", byte) => {
                let byte: u8 = byte.parse().expect("a number");
                let same = |&(memory, bytes): &(CUdeviceptr, usize)| {
                    read_back::<u8>(memory, bytes).iter().all(|&b| b == byte)
                };
                say(held.iter().all(same));
            }
            _ => say(free()),
        }
    }
}

/// Opens what it is given, fills it, closes it.
fn importer() {
    context();
    let mut opened = Vec::new();
    loop {
        let line = hear();
        match line.split_once(' ').unwrap_or((&line, "0")) {
            ("open", handle) => match open(bytes(handle)) {
                Ok(memory) => {
                    assert_eq!(open(bytes(handle)), Ok(memory), "once more, the same");
                    assert_eq!(Libcuda.cuIpcCloseMemHandle(memory), CUDA_SUCCESS);
                    let mut size = 0;
                    let base = out(|base| Libcuda.cuMemGetAddressRange_v2(base, out_of(&mut size), memory));
                    assert_eq!(base, Ok(memory));
                    opened.push((memory, size));
                    assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE, "not ours to free");
                    say(size);
                }
                Err(code) => say(format_args!("error {}", code.0)),
            },
            ("read", byte) => {
                let byte: u8 = byte.parse().expect("a number");
                let same = |&(memory, bytes): &(CUdeviceptr, usize)| {
                    read_back::<u8>(memory, bytes).iter().all(|&b| b == byte)
                };
                say(opened.iter().all(same));
            }
            ("fill", byte) => {
                let byte: u8 = byte.parse().expect("a number");
                opened.iter().for_each(|&(memory, bytes)| write(memory, &vec![byte; bytes]));
                say("filled");
            }
            ("close", _) => {
                for (memory, _) in opened.drain(..) {
                    assert_eq!(Libcuda.cuIpcCloseMemHandle(memory), CUDA_SUCCESS);
                    assert_eq!(Libcuda.cuIpcCloseMemHandle(memory), CUDA_ERROR_INVALID_VALUE);
                }
                say(free());
            }
            _ => say(free()),
        }
    }
}

const PARTS: &[(&str, fn())] = &[("exporter", exporter), ("importer", importer)];

#[test]
fn linear_memory_goes_from_process_to_process() {
    const NAME: &str = "linear_memory_goes_from_process_to_process";
    if peer::acts(PARTS) {
        return;
    }
    let folder = Folder::new();
    let start = |role| Peer::start(NAME, role, &folder, SETTINGS);
    let (mut a, mut b) = (start("exporter"), start("importer"));
    assert_eq!(b.ask("info"), (64 * MIB).to_string());
    // Chunks of their own, and small ones that lie in one chunk with others.
    let sizes = [5 * MIB, 1000, 100_000, 700_000, 700_000, 900_000, 900_000];
    for bytes in sizes {
        let handle = a.ask(format_args!("share {bytes}"));
        assert_eq!(b.ask(format_args!("open {handle}")), bytes.to_string());
    }
    let used = 64 * MIB - a.number("info") as usize;
    assert_eq!(used, 6 * MIB + 4 * MIB, "counted once");
    assert_eq!(b.number("info") as usize, 64 * MIB - used);
    assert_eq!(b.ask("read 3"), "true");
    assert_eq!(b.ask("fill 8"), "filled");
    assert_eq!(a.ask("read 8"), "true");
    // What is no handle is none, changed by a bit or not one at all.
    let handle = a.ask("share 100");
    let changed = format!("{}{}", if handle.starts_with('0') { '1' } else { '0' }, &handle[1..]);
    for wrong in [changed, "0".repeat(128)] {
        let said = b.ask(format_args!("open {wrong}"));
        assert_eq!(said, format!("error {}", CUDA_ERROR_INVALID_VALUE.0));
    }
    // The importer closes: nothing changes for the exporter. The exporter frees: all is free.
    b.ask("close");
    assert_eq!(a.number("info") as usize, 64 * MIB - used);
    assert_eq!(a.number("free") as usize, 64 * MIB);
    let stale = b.ask(format_args!("open {handle}"));
    assert_eq!(stale, format!("error {}", CUDA_ERROR_INVALID_HANDLE.0));
}

#[test]
fn memory_lives_while_anyone_has_it() {
    const NAME: &str = "memory_lives_while_anyone_has_it";
    if peer::acts(PARTS) {
        return;
    }
    let folder = Folder::new();
    let start = |role| Peer::start(NAME, role, &folder, SETTINGS);
    let (mut a, mut b, mut c) = (start("exporter"), start("importer"), start("importer"));
    let handle = a.ask(format_args!("share {}", 5 * MIB));
    assert_eq!(b.ask(format_args!("open {handle}")), (5 * MIB).to_string());
    assert_eq!(c.ask(format_args!("open {handle}")), (5 * MIB).to_string());
    // An importer dies: nobody else notices.
    c.kill();
    assert_eq!(a.ask("read 3"), "true");
    assert_eq!(a.number("info") as usize, 58 * MIB);
    // The exporter dies: its memory goes on where it is open, and to nobody else.
    a.kill();
    assert_eq!(b.number("info") as usize, 58 * MIB);
    assert_eq!(b.ask("read 3"), "true");
    assert_eq!(b.ask("fill 9"), "filled");
    let mut d = start("exporter");
    d.ask(format_args!("share {}", 58 * MIB));
    assert_eq!(b.ask("read 9"), "true", "all the rest is taken, and this is not touched");
    d.kill();
    assert_eq!(b.number("close") as usize, 64 * MIB);
}

#[test]
fn an_exporter_that_frees_leaves_the_importer_its_memory() {
    const NAME: &str = "an_exporter_that_frees_leaves_the_importer_its_memory";
    if peer::acts(PARTS) {
        return;
    }
    let folder = Folder::new();
    let start = |role| Peer::start(NAME, role, &folder, SETTINGS);
    let (mut a, mut b) = (start("exporter"), start("importer"));
    let handle = a.ask(format_args!("share {}", 4 * MIB));
    b.ask(format_args!("open {handle}"));
    assert_eq!(a.number("free") as usize, 60 * MIB);
    a.ask(format_args!("share {}", 60 * MIB));
    assert_eq!(b.ask("read 3"), "true");
    assert_eq!(b.number("close") as usize, 4 * MIB);
    // It was somebody else's before: zero now.
    let mut c = start("importer");
    assert_eq!(c.number("info") as usize, 4 * MIB);
}

fn record(event: CUevent, stream: CUstream) {
    assert_eq!(Libcuda.cuEventRecord(event, stream), CUDA_SUCCESS);
}

const SHARED_EVENT: u32 = CU_EVENT_INTERPROCESS.0 | CU_EVENT_DISABLE_TIMING.0;

/// Records an event behind a wait that ends when it is told so.
fn recorder() {
    context();
    let (event, stream, (gate, value)) = (event(SHARED_EVENT), stream(0), word());
    let plain = call_unsafe::event(CU_EVENT_DISABLE_TIMING.0);
    let refused = out(|handle| Libcuda.cuIpcGetEventHandle(handle, plain));
    assert!(refused.is_err(), "only events made for it can be shared");
    let handle = out(|handle| Libcuda.cuIpcGetEventHandle(handle, event)).expect("a handle");
    let own = out(|event| Libcuda.cuIpcOpenEventHandle(event, handle));
    assert_eq!(own, Err(CUDA_ERROR_INVALID_CONTEXT));
    say(text(&handle.reserved));
    let mut round = 0;
    loop {
        match hear().as_str() {
            "record" => {
                round += 1;
                let wait = Libcuda.cuStreamWaitValue32_v2(stream, gate, round, CU_STREAM_WAIT_VALUE_GEQ.0);
                assert_eq!(wait, CUDA_SUCCESS);
                record(event, stream);
                say(Libcuda.cuEventQuery(event).0);
            }
            "let go" => {
                value.store(round, SeqCst);
                assert_eq!(Libcuda.cuEventSynchronize(event), CUDA_SUCCESS);
                say("went");
            }
            // The other process has recorded it: what is it to us?
            "query" => say(Libcuda.cuEventQuery(event).0),
            "destroy" => say(Libcuda.cuEventDestroy_v2(event).0),
            "finish" => {
                value.store(round, SeqCst);
                say(Libcuda.cuStreamSynchronize(stream).0);
            }
            _ => return,
        }
    }
}

/// Opens an event and does with it what it is told.
fn waiter() {
    context();
    let (stream, (gate, value)) = (stream(0), word());
    let handle = CUipcEventHandle { reserved: bytes(&hear()) };
    let event = out(|event| Libcuda.cuIpcOpenEventHandle(event, handle)).expect("an event");
    say("open");
    loop {
        match hear().as_str() {
            "query" => say(Libcuda.cuEventQuery(event).0),
            "wait" => {
                assert_eq!(Libcuda.cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
                say(Libcuda.cuStreamQuery(stream).0);
                say(Libcuda.cuStreamSynchronize(stream).0);
            }
            "synchronise" => say(Libcuda.cuEventSynchronize(event).0),
            "record" => {
                let wait = Libcuda.cuStreamWaitValue32_v2(stream, gate, 1, CU_STREAM_WAIT_VALUE_GEQ.0);
                assert_eq!(wait, CUDA_SUCCESS);
                record(event, stream);
                say("recorded");
            }
            "let go" => {
                value.store(1, SeqCst);
                say(Libcuda.cuStreamSynchronize(stream).0);
            }
            "again" => {
                say(out(|event| Libcuda.cuIpcOpenEventHandle(event, handle)).map_or_else(|c| c.0, |_| 0))
            }
            _ => return,
        }
    }
}

#[test]
fn events_order_processes() {
    const NAME: &str = "events_order_processes";
    if peer::acts(&[("recorder", recorder), ("waiter", waiter)]) {
        return;
    }
    let folder = Folder::new();
    let start = |role| Peer::start(NAME, role, &folder, SETTINGS);
    let (mut a, mut b) = (start("recorder"), start("waiter"));
    let handle = a.listen();
    assert_eq!(b.ask(&handle), "open");
    let (done, busy) = (u64::from(CUDA_SUCCESS.0), u64::from(CUDA_ERROR_NOT_READY.0));
    assert_eq!(b.number("query"), done, "never recorded");
    assert_eq!(a.number("record"), busy);
    assert_eq!(b.number("query"), busy);
    assert_eq!(b.number("wait"), busy, "its stream waits for the other process");
    assert_eq!(a.ask("let go"), "went");
    assert_eq!(b.listen(), "0", "and goes on");
    assert_eq!(b.number("query"), done);
    // The other way round: who opened it records it.
    assert_eq!(b.ask("record"), "recorded");
    assert_eq!(a.number("query"), busy);
    assert_eq!(b.number("let go"), done);
    assert_eq!(a.number("query"), done);
    // Destroyed where it was made, its point is reached all the same; then it is gone.
    assert_eq!(a.number("record"), busy);
    assert_eq!(a.number("destroy"), done);
    assert_eq!(b.number("query"), busy);
    assert_eq!(a.number("finish"), done);
    assert_eq!(b.number("synchronise"), done);
    let gone = u64::from(CUDA_ERROR_INVALID_HANDLE.0);
    assert!((0..1000).any(|_| b.number("again") == gone));
}

#[test]
fn nobody_waits_for_the_dead() {
    const NAME: &str = "nobody_waits_for_the_dead";
    if peer::acts(&[("recorder", recorder), ("waiter", waiter)]) {
        return;
    }
    let folder = Folder::new();
    let start = |role| Peer::start(NAME, role, &folder, SETTINGS);
    let (mut a, mut b) = (start("recorder"), start("waiter"));
    let handle = a.listen();
    assert_eq!(b.ask(&handle), "open");
    a.ask("record");
    assert_eq!(b.number("wait"), u64::from(CUDA_ERROR_NOT_READY.0));
    a.kill();
    assert_eq!(b.listen(), "0");
}

const DESCRIPTOR: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

fn on_device() -> CUmemLocation {
    CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }
}

/// Maps physical memory for this process to read and write.
fn map(handle: CUmemGenericAllocationHandle, bytes: usize) -> CUdeviceptr {
    let at = out(|ptr| Libcuda.cuMemAddressReserve(ptr, bytes, 0, CUdeviceptr(0), 0)).expect("addresses");
    assert_eq!(Libcuda.cuMemMap(at, bytes, 0, handle, 0), CUDA_SUCCESS);
    let access = [CUmemAccessDesc { location: on_device(), flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE }];
    assert_eq!(Libcuda.cuMemSetAccess(at, bytes, slice(&access), 1), CUDA_SUCCESS);
    at
}

/// What the driver writes where it is told, as a descriptor of ours.
fn descriptor(export: impl FnOnce(cleave_api::edge::Ptr<std::ffi::c_void>) -> CUresult) -> OwnedFd {
    let mut number = -1i32;
    assert_eq!(export(raw_to(&mut number)), CUDA_SUCCESS);
    fd_unsafe::own(number)
}

fn post() -> UnixStream {
    UnixStream::connect(std::env::var("POST").expect("a socket")).expect("a socket")
}

/// Fills memory, gives it away as a descriptor, and forgets it if told to.
fn giver() {
    context();
    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: on_device(),
        requestedHandleTypes: DESCRIPTOR,
        ..CUmemAllocationProp::zeroed()
    };
    let physical = out(|handle| Libcuda.cuMemCreate(handle, 4 * MIB, input(&prop), 0)).expect("memory");
    let at = map(physical, 4 * MIB);
    write(at, &vec![6u8; 4 * MIB]);
    let linear = memory(100);
    assert_eq!(
        Libcuda.cuIpcGetMemHandle(out_of(&mut CUipcMemHandle::zeroed()), at),
        CUDA_ERROR_INVALID_VALUE
    );
    assert_eq!(Libcuda.cuMemFree_v2(linear), CUDA_SUCCESS);
    let fd = descriptor(|place| Libcuda.cuMemExportToShareableHandle(place, physical, DESCRIPTOR, 0));
    fd_unsafe::send(&post(), fd.as_raw_fd()).expect("sent");
    drop(fd);
    say("sent");
    hear();
    assert_eq!(Libcuda.cuMemUnmap(at, 4 * MIB), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemRelease(physical), CUDA_SUCCESS);
    say(free());
    hear();
}

/// Takes what was given.
fn taker() {
    context();
    let fd = fd_unsafe::receive(&post()).expect("a descriptor");
    let import = |number: i32| {
        out(|handle| Libcuda.cuMemImportFromShareableHandle(handle, raw(number as u64), DESCRIPTOR))
    };
    assert_eq!(import(0), Err(CUDA_ERROR_INVALID_VALUE), "a descriptor of something else");
    assert_eq!(import(9999), Err(CUDA_ERROR_INVALID_VALUE));
    let physical = import(fd.as_raw_fd()).expect("memory");
    drop(fd);
    let at = map(physical, 4 * MIB);
    say(read_back::<u8>(at, 4 * MIB).iter().all(|&b| b == 6));
    write(at, &[1u8; 100]);
    hear();
    assert_eq!(read_back::<u8>(at, 100), [1; 100]);
    assert_eq!(Libcuda.cuMemUnmap(at, 4 * MIB), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemRelease(physical), CUDA_SUCCESS);
    say(free());
    hear();
}

/// A place where descriptors wait for who comes for them.
fn post_office(folder: &Folder) -> (UnixListener, String) {
    let path = folder.path().with_extension("post");
    let listener = UnixListener::bind(&path).expect("a socket");
    (listener, path.to_str().expect("text").to_owned())
}

fn looker() {
    context();
    loop {
        hear();
        say(free());
    }
}

#[test]
fn a_descriptor_keeps_memory_while_nobody_else_does() {
    const NAME: &str = "a_descriptor_keeps_memory_while_nobody_else_does";
    if peer::acts(&[("giver", giver), ("taker", taker), ("looker", looker)]) {
        return;
    }
    let folder = Folder::new();
    let (post, path) = post_office(&folder);
    let settings = [SETTINGS, &[("POST", path.as_str())]].concat();
    let start = |role| Peer::start(NAME, role, &folder, &settings);
    let mut looker = start("looker");
    for dies in [false, true] {
        let mut giver = start("giver");
        let (socket, _) = post.accept().expect("somebody posts");
        let fd = fd_unsafe::receive(&socket).expect("a descriptor");
        assert_eq!(giver.listen(), "sent");
        if dies {
            giver.kill();
        } else {
            assert_eq!(giver.number("forget it") as usize, 60 * MIB, "given away, not gone");
        }
        assert_eq!(looker.number("look") as usize, 60 * MIB);
        let mut taker = start("taker");
        let (socket, _) = post.accept().expect("somebody fetches");
        fd_unsafe::send(&socket, fd.as_raw_fd()).expect("sent");
        drop(fd);
        assert_eq!(taker.listen(), "true");
        assert_eq!(looker.number("look") as usize, 60 * MIB);
        assert_eq!(taker.number("forget it") as usize, 64 * MIB);
        assert_eq!(looker.number("look") as usize, 64 * MIB);
    }
    // A descriptor that nobody ever used: closed, its memory is free.
    let giver = start("giver");
    let (socket, _) = post.accept().expect("somebody posts");
    let fd = fd_unsafe::receive(&socket).expect("a descriptor");
    giver.kill();
    assert_eq!(looker.number("look") as usize, 60 * MIB);
    drop(fd);
    std::fs::remove_file(path).expect("the socket was there");
    let free = (0..1000).map(|_| looker.number("look") as usize).find(|&free| free == 64 * MIB);
    assert_eq!(free, Some(64 * MIB));
}

/// Shares a pool and memory of it.
fn pool_giver() {
    context();
    let props = CUmemPoolProps {
        allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: DESCRIPTOR,
        location: on_device(),
        ..CUmemPoolProps::zeroed()
    };
    let pool = out(|pool| Libcuda.cuMemPoolCreate(pool, input(&props))).expect("a pool");
    let stream = stream(0);
    let memory = out(|ptr| Libcuda.cuMemAllocFromPoolAsync(ptr, 10_000, pool, stream)).expect("memory");
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    write(memory, &[4u8; 10_000]);
    let fd = descriptor(|place| Libcuda.cuMemPoolExportToShareableHandle(place, pool, DESCRIPTOR, 0));
    fd_unsafe::send(&post(), fd.as_raw_fd()).expect("sent");
    let data = out(|data| Libcuda.cuMemPoolExportPointer(data, memory)).expect("a handle");
    say(text(&data.reserved));
    hear();
    assert_eq!(read_back::<u8>(memory, 10_000), [5; 10_000]);
    assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemPoolDestroy(pool), CUDA_SUCCESS);
    say(free());
    hear();
}

fn pool_taker() {
    context();
    let data = CUmemPoolPtrExportData { reserved: bytes(&hear()) };
    let fd = fd_unsafe::receive(&post()).expect("a descriptor");
    let place = raw(fd.as_raw_fd() as u64);
    let pool =
        out(|pool| Libcuda.cuMemPoolImportFromShareableHandle(pool, place, DESCRIPTOR, 0)).expect("a pool");
    let stream = stream(0);
    let nothing = out(|ptr| Libcuda.cuMemAllocFromPoolAsync(ptr, 100, pool, stream));
    assert_eq!(nothing, Err(CUDA_ERROR_INVALID_VALUE), "an imported pool has no memory of its own");
    let wrong = CUmemPoolPtrExportData { reserved: [7; 64] };
    assert!(out(|ptr| Libcuda.cuMemPoolImportPointer(ptr, pool, input(&wrong))).is_err());
    let memory = out(|ptr| Libcuda.cuMemPoolImportPointer(ptr, pool, input(&data))).expect("memory");
    assert_eq!(read_back::<u8>(memory, 10_000), [4; 10_000]);
    write(memory, &[5u8; 10_000]);
    assert_eq!(Libcuda.cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuMemPoolDestroy(pool), CUDA_SUCCESS);
    say("done");
    hear();
}

#[test]
fn pools_are_shared() {
    const NAME: &str = "pools_are_shared";
    if peer::acts(&[("giver", pool_giver), ("taker", pool_taker)]) {
        return;
    }
    let folder = Folder::new();
    let (post, path) = post_office(&folder);
    let settings = [SETTINGS, &[("POST", path.as_str())]].concat();
    let start = |role| Peer::start(NAME, role, &folder, &settings);
    let (mut giver, mut taker) = (start("giver"), start("taker"));
    let (socket, _) = post.accept().expect("somebody posts");
    let fd = fd_unsafe::receive(&socket).expect("a descriptor");
    let data = giver.listen();
    taker.tell(data);
    let (socket, _) = post.accept().expect("somebody fetches");
    fd_unsafe::send(&socket, fd.as_raw_fd()).expect("sent");
    assert_eq!(taker.listen(), "done");
    assert_eq!(giver.number("and now?") as usize, 64 * MIB);
    std::fs::remove_file(path).expect("the socket was there");
}
