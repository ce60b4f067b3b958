//! Sixty-four bytes that name something in any process: what a program passes on when it shares memory or an event.

/// What a handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Linear memory (cuIpcGetMemHandle).
    Memory = 1,
    /// An event.
    Event = 2,
    /// Memory without an address (cuMemExportToShareableHandle).
    Physical = 3,
    /// A pool.
    Pool = 4,
    /// Memory of a pool.
    Pooled = 5,
}

/// A handle, taken apart. It needs no table anywhere: memory is found by the numbers of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    pub kind: Kind,
    /// Which machine's devices.
    pub machine: [u8; 16],
    /// Number of the device on that machine.
    pub device: u8,
    /// The process that made it: its record, and which of the record's owners it was.
    pub record: u16,
    pub generation: u32,
    /// Number of the first chunk, or of an event or a pool.
    pub first: u64,
    /// How many chunks have successive numbers; an event's slot.
    pub count: u32,
    /// Number of the chunk after those, if there is one more with a number of its own.
    pub second: u64,
    /// Where the memory begins in the first chunk.
    pub offset: u32,
    /// How many bytes it has.
    pub len: u64,
}

pub const HANDLE_BYTES: usize = 64;

const MAGIC: [u8; 3] = *b"\xc1ea";

impl Handle {
    pub fn pack(&self) -> [u8; HANDLE_BYTES] {
        let mut bytes = Vec::with_capacity(HANDLE_BYTES);
        bytes.extend(MAGIC);
        bytes.push(self.kind as u8);
        bytes.extend(self.machine);
        bytes.extend([self.device, 0]);
        bytes.extend(self.record.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.second.to_le_bytes());
        bytes.extend(self.len.to_le_bytes());
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(checksum(&bytes).to_le_bytes());
        let mut packed = [0; HANDLE_BYTES];
        packed.copy_from_slice(&bytes);
        packed
    }

    /// `None` for bytes that are no handle.
    pub fn unpack(bytes: &[u8; HANDLE_BYTES]) -> Option<Handle> {
        let (body, sum) = bytes.split_at(HANDLE_BYTES - 4);
        if sum != checksum(body).to_le_bytes() || !body.starts_with(&MAGIC) {
            return None;
        }
        let mut rest = &body[MAGIC.len()..];
        let [code] = take(&mut rest);
        let kinds = [Kind::Memory, Kind::Event, Kind::Physical, Kind::Pool, Kind::Pooled];
        let kind = kinds.into_iter().find(|&kind| kind as u8 == code)?;
        let machine = take(&mut rest);
        let [device, _] = take(&mut rest);
        Some(Handle {
            kind,
            machine,
            device,
            record: u16::from_le_bytes(take(&mut rest)),
            generation: u32::from_le_bytes(take(&mut rest)),
            count: u32::from_le_bytes(take(&mut rest)),
            first: u64::from_le_bytes(take(&mut rest)),
            second: u64::from_le_bytes(take(&mut rest)),
            len: u64::from_le_bytes(take(&mut rest)),
            offset: u32::from_le_bytes(take(&mut rest)),
        })
    }

    /// Whether it names the chunk of device `device` with this number.
    pub fn names(&self, device: usize, number: u64) -> bool {
        let first = self.first..self.first.saturating_add(self.count.into());
        usize::from(self.device) == device && (first.contains(&number) || number == self.second)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let mut taken = [0; N];
    // Always there: the length of a handle is fixed.
    if let Some((head, tail)) = rest.split_first_chunk::<N>() {
        taken = *head;
        *rest = tail;
    }
    taken
}

/// FNV-1a: against accidents, not against forgers.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum: u32, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDLE: Handle = Handle {
        kind: Kind::Pooled,
        machine: [7; 16],
        device: 3,
        record: 1022,
        generation: u32::MAX,
        first: 1 << 48,
        count: 4000,
        second: 12,
        offset: 512,
        len: 1 << 40,
    };

    #[test]
    fn a_handle_comes_back_and_a_changed_one_does_not() {
        let bytes = HANDLE.pack();
        assert_eq!(Handle::unpack(&bytes), Some(HANDLE));
        for bit in 0..HANDLE_BYTES * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Handle::unpack(&changed), None, "bit {bit}");
        }
        assert_eq!(Handle::unpack(&[0; HANDLE_BYTES]), None);
    }

    #[test]
    fn which_chunks_it_names() {
        let named = |number| HANDLE.names(3, number);
        assert!(named(1 << 48) && named((1 << 48) + 3999) && named(12));
        assert!(!named((1 << 48) + 4000) && !named(11) && !HANDLE.names(2, 12));
    }
}
