//! Any text is refused or accepted without a crash, and what is accepted prints to the same module.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = String::from_utf8_lossy(bytes);
    let Ok(module) = cleave_ptx::parse(&source) else { return };
    let printed = module.to_string();
    match cleave_ptx::parse(&printed) {
        Ok(again) => assert!(module == again, "printing changes the module:\n{printed}"),
        Err(diagnostics) => panic!("the printed module is refused: {}\n{printed}", diagnostics[0]),
    }
});
