//! The same C source, compiled for the device by clang and for this processor by the system's compiler, on the same
//! random bits. The results must agree bit by bit.

use super::case::{Buffer, Case, Expected};
use super::device_unsafe::Device;
use super::{corpus, gpus, isas};
use cleave_simt::{Program, Target};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whole warps and half ones.
const BLOCK: u32 = 80;
const GRID: u32 = 5;
/// Bytes of each buffer: 8 for each thread.
const BYTES: usize = (BLOCK * GRID * 8) as usize;
const ROUNDS: u64 = 4;

#[test]
fn device_and_host_agree() {
    let folder = corpus().join("differential");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the kernels")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "c") && !path.ends_with("host.c")
        })
        .collect();
    sources.sort();
    assert!(sources.len() >= 10, "kernels are missing");
    let gpus = gpus();
    let mut failures = Vec::new();
    for source in &sources {
        let host = compile_for_host(source);
        for level in ["-O0", "-O2"] {
            let text = compile_for_device(source, level);
            if let Err(message) = compare(&text, &host, &gpus) {
                failures.push(format!("{} {level}: {message}", source.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn compare(text: &str, host: &Path, gpus: &[(String, cleave_simt::Gpu)]) -> Result<(), String> {
    let module = cleave_ptx::parse(text).map_err(|errors| format!("{errors:?}"))?;
    for round in 0..ROUNDS {
        let (a, b) = (random(2 * round), random(2 * round + 1));
        let expected = run_on_host(host, &a, &b);
        let buffer = |name: &str, before: Vec<u8>| Buffer { name: name.to_owned(), before, expected: None };
        let mut case = Case { grid: [GRID, 1, 1], block: [BLOCK, 1, 1], ..Case::default() };
        case.buffers = vec![buffer("a", a), buffer("b", b), buffer("d", vec![0; BYTES])];
        case.buffers[2].expected = Some(Expected::words(&expected));
        for isa in isas() {
            let device = Device::new(&case, &module)?;
            let program = Program::compile(&module, &device, &Target { isa }).map_err(|e| e.to_string())?;
            let kernel = program.kernel("test").ok_or("no kernel named test")?;
            for (mode, gpu) in gpus {
                device
                    .run(gpu, &kernel, &case)
                    .map_err(|message| format!("round {round}, {isa:?}, {mode}: {message}"))?;
            }
        }
    }
    Ok(())
}

fn output(source: &Path, suffix: &str) -> PathBuf {
    let stem = source.file_stem().expect("a file").to_string_lossy();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{stem}{suffix}"))
}

fn compile_for_device(source: &Path, level: &str) -> String {
    let ptx = output(source, &format!("{level}.ptx"));
    let mut clang = Command::new("clang");
    clang.args(["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib"]);
    clang.args(["-S", level, "-fwrapv", "-ffp-contract=off", "-o"]).arg(&ptx).arg(source);
    run(clang, "clang");
    std::fs::read_to_string(ptx).expect("what clang wrote")
}

fn compile_for_host(source: &Path) -> PathBuf {
    let program = output(source, ".host");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-fwrapv", "-ffp-contract=off", "-o"])
        .arg(&program)
        .arg(source)
        .arg(source.with_file_name("host.c"));
    run(cc, "gcc");
    program
}

fn run(mut command: Command, package: &str) {
    let outcome = command.output().unwrap_or_else(|e| panic!("{e}; apt-get install {package}"));
    assert!(outcome.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&outcome.stderr));
}

fn run_on_host(program: &Path, a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .args([(BLOCK * GRID).to_string(), BYTES.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host program");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(&[a, b].concat()).expect("room in the pipe");
    drop(input);
    let outcome = child.wait_with_output().expect("an end");
    assert!(outcome.status.success(), "{}: {}", program.display(), outcome.status);
    outcome.stdout
}

/// Bits in which numbers of all types and sizes occur, close ones and special ones too.
fn random(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let special = [
        0,
        1,
        u64::MAX,
        1 << 31,
        1 << 63,
        0x3f80_0000_4000_0000,
        0x7f80_0000_ff80_0000,
        0x3ff0_0000_0000_0000,
    ];
    let words = (0..BYTES / 8).map(|_| {
        let bits = next();
        match next() % 6 {
            0 => special[(next() % 8) as usize],
            1 => bits >> (next() % 64),
            // Two floats near one, or one double there.
            2 => bits & 0x807f_ffff_807f_ffff | 0x3f80_0000_3f80_0000,
            3 => bits & 0x800f_ffff_ffff_ffff | (0x3fe + next() % 8) << 52,
            _ => bits,
        }
    });
    words.flat_map(u64::to_le_bytes).collect()
}
