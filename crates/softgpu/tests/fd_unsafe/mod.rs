//! Descriptors on their way through a socket.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Room for the message that carries one descriptor.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Sends a descriptor.
pub fn send(socket: &UnixStream, descriptor: RawFd) -> io::Result<()> {
    let (mut byte, mut control) = ([1u8], Control([0; 64]));
    // SAFETY: the message points to locals that outlive the call; the control buffer has room for one descriptor.
    let sent = unsafe {
        let mut message = message(&mut byte, &mut control);
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        libc::sendmsg(socket.as_raw_fd(), &raw const message, 0)
    };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Receives a descriptor.
pub fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    let (mut byte, mut control) = ([0u8], Control([0; 64]));
    // SAFETY: as above; the kernel says how much of the control buffer it has filled.
    unsafe {
        let mut message = message(&mut byte, &mut control);
        message.msg_controllen = control.0.len() as _;
        if libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) != 1 {
            return Err(io::Error::last_os_error());
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()))
    }
}

/// Makes the number of a descriptor the caller's to close.
pub fn own(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the driver has just made it for us.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

fn message(byte: &mut [u8; 1], control: &mut Control) -> libc::msghdr {
    // One part per message, leaked: a few bytes in a test.
    let part = Box::leak(Box::new(libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 }));
    // SAFETY: a struct of numbers and pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message
}
