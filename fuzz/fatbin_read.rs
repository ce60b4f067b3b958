//! Any bytes are a fatbin or an error, never a crash; entries never unpack to more than they say.

#![no_main]

use cleave_ptx::fatbin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(header) = bytes.first_chunk() {
        let _ = fatbin::total_size(header);
    }
    let Ok(entries) = fatbin::entries(bytes) else { return };
    for entry in entries.iter().take(8) {
        let _ = entry.bytes();
    }
    let _ = fatbin::ptx(bytes, 80);
});
