//! The header of a case file. Lines are comments of PTX:
//!
//! ```text
//! // what it is about
//! //
//! // launch grid=2 block=64 shared=1024 cooperative
//! // in a b32
//! //   3f800000 40000000
//! // out d f32 within relative 2^-22 or absolute 2^-126
//! //   3f000000 3f400000
//! ```
//!
//! The kernel `test` gets the addresses of the buffers in the order of their first mention. Outputs start as zeros; an
//! output with the name of an input is what that buffer must hold in the end. `// fault Trap` expects the launch to end
//! so, `// refused text` expects the module not to compile, with that text in the reason.

/// One file.
#[derive(Debug, Default)]
pub struct Case {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub cooperative: bool,
    pub buffers: Vec<Buffer>,
    pub fault: Option<String>,
    pub refused: Option<String>,
}

/// Memory that the kernel gets a pointer to.
#[derive(Debug)]
pub struct Buffer {
    pub name: String,
    /// What it holds before the launch.
    pub before: Vec<u8>,
    pub expected: Option<Expected>,
}

/// What a buffer must hold after the launch.
#[derive(Debug)]
pub struct Expected {
    /// Bytes of one element.
    width: usize,
    values: Vec<u64>,
    within: Option<Within>,
}

/// How far a float may be off.
#[derive(Debug)]
struct Within {
    format: Float,
    relative: f64,
    absolute: f64,
}

#[derive(Clone, Copy, Debug)]
enum Float {
    F16,
    BF16,
    F32,
    F64,
}

impl Case {
    pub fn read(text: &str) -> Result<Case, String> {
        let mut case = Case { grid: [1; 3], block: [1; 3], ..Case::default() };
        let mut lines = text.lines().map_while(|line| line.strip_prefix("//")).peekable();
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["launch", ref options @ ..] => case.launch(options)?,
                ["fault", kind] => case.fault = Some(kind.to_owned()),
                ["refused", ref reason @ ..] => case.refused = Some(reason.join(" ")),
                [kind @ ("in" | "out"), name, element, ref within @ ..] => {
                    let mut values = Vec::new();
                    while let Some(row) = lines.next_if(|row| row.starts_with("   ")) {
                        for word in row.split_whitespace() {
                            values.push(u64::from_str_radix(word, 16).map_err(|e| format!("{word}: {e}"))?);
                        }
                    }
                    case.buffer(kind == "in", name, element, within, values)?;
                }
                _ => {}
            }
        }
        Ok(case)
    }

    /// The outcome when the module does not compile for this reason.
    pub fn refusal(&self, reason: &str) -> Result<(), String> {
        match &self.refused {
            Some(expected) if reason.contains(expected) => Ok(()),
            Some(expected) => Err(format!("refused because of «{reason}», not «{expected}»")),
            None => Err(reason.to_owned()),
        }
    }

    fn launch(&mut self, options: &[&str]) -> Result<(), String> {
        for option in options {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let mut numbers = value.split(',').map(|n| n.parse().map_err(|_| format!("launch {option}")));
            match key {
                "cooperative" => self.cooperative = true,
                "shared" => self.shared = numbers.next().unwrap_or(Ok(0))?,
                "grid" | "block" => {
                    let target = if key == "grid" { &mut self.grid } else { &mut self.block };
                    for (dimension, number) in target.iter_mut().zip(numbers) {
                        *dimension = number?;
                    }
                }
                _ => return Err(format!("launch {option}")),
            }
        }
        Ok(())
    }

    fn buffer(
        &mut self,
        input: bool,
        name: &str,
        element: &str,
        within: &[&str],
        values: Vec<u64>,
    ) -> Result<(), String> {
        let (scalar, count) = element.split_once('x').map_or((element, 1), |(scalar, _)| (scalar, 2));
        let digits = scalar.trim_start_matches(|c: char| !c.is_ascii_digit());
        let bits: usize = digits.parse().map_err(|_| format!("element type {element}"))?;
        // Elements of a packed type are compared one by one.
        let (width, values) = match count {
            1 => (bits / 8, values),
            _ => (bits / 8, values.iter().flat_map(|v| [v & 0xffff, v >> 16]).collect()),
        };
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()[..width].to_vec()).collect::<Vec<u8>>();
        let at = match self.buffers.iter().position(|buffer| buffer.name == name) {
            Some(at) => at,
            None => {
                let before = if input { bytes } else { vec![0; bytes.len()] };
                self.buffers.push(Buffer { name: name.to_owned(), before, expected: None });
                self.buffers.len() - 1
            }
        };
        if !input {
            let within = Within::read(scalar, within)?;
            self.buffers[at].expected = Some(Expected { width, values, within });
        }
        Ok(())
    }
}

impl Expected {
    /// Exactly these bytes, a multiple of eight.
    pub fn words(bytes: &[u8]) -> Expected {
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        Expected { width: 8, values: bytes.chunks_exact(8).map(word).collect(), within: None }
    }

    /// The first element of `found` that is wrong, if any.
    pub fn mismatch(&self, found: &[u8]) -> Option<String> {
        let elements = found.chunks_exact(self.width).map(|bytes| {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(padded)
        });
        let wrong = |&(_, (&expected, found)): &(usize, (&u64, u64))| match &self.within {
            None => expected != found,
            Some(within) => !within.allows(expected, found),
        };
        let (at, (expected, found)) = self.values.iter().zip(elements).enumerate().find(wrong)?;
        let digits = 2 * self.width;
        Some(format!("element {at} is {found:0digits$x}, not {expected:0digits$x}"))
    }
}

impl Within {
    fn read(scalar: &str, words: &[&str]) -> Result<Option<Within>, String> {
        let format = match scalar {
            _ if words.is_empty() => return Ok(None),
            "f16" => Float::F16,
            "bf16" => Float::BF16,
            "f32" => Float::F32,
            "f64" => Float::F64,
            _ => return Err(format!("tolerance for {scalar}")),
        };
        let mut within = Within { format, relative: 0.0, absolute: 0.0 };
        for pair in words.windows(2) {
            let power = || pair[1].strip_prefix("2^").and_then(|n| n.parse().ok()).map(|n| 2f64.powi(n));
            match pair[0] {
                "relative" => within.relative = power().ok_or("relative what")?,
                "absolute" => within.absolute = power().ok_or("absolute what")?,
                _ => {}
            }
        }
        Ok(Some(within))
    }

    fn allows(&self, expected: u64, found: u64) -> bool {
        let (expected, found) = (self.format.value(expected), self.format.value(found));
        if expected.is_nan() || expected.is_infinite() || expected == 0.0 && self.absolute == 0.0 {
            return expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
        }
        let error = (expected - found).abs();
        error <= expected.abs() * self.relative || error <= self.absolute
    }
}

impl Float {
    fn value(self, bits: u64) -> f64 {
        match self {
            Float::F16 => {
                let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
                let magnitude = match exponent {
                    0 => fraction * 2f64.powi(-24),
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
                };
                if bits & 0x8000 == 0 { magnitude } else { -magnitude }
            }
            Float::BF16 => f32::from_bits((bits as u32) << 16).into(),
            Float::F32 => f32::from_bits(bits as u32).into(),
            Float::F64 => f64::from_bits(bits),
        }
    }
}
