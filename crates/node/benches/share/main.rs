//! Shares in virtual time: the shim's gate, the node's arbiter and the device model in one loop, over the whole matrix.
//!
//! `cargo bench -p cleave-node --bench share` prints a row per case and ends with 1 if one of them missed. `--json` prints the rows
//! as JSON lines, which say that themselves, `--only TEXT` runs the cases whose name contains the text, `--seed N` has saturating tenants wake up late at other times. `cargo test` runs the quick ones: a node that fails among few tenants.

/// The gate's view of the modelled device.
mod device;
/// A node that dies or stops.
mod failures;
/// The matrix.
mod matrix;
/// What programs do.
mod program;
/// What a case shows, and whether it held.
mod report;
/// Everything together.
mod world;

use report::Row;

/// Among so many tenants it is looked what a node that fails does to them.
const FEW: usize = 3;
const MANY: usize = 8;

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    let after = |word: &str| arguments.iter().skip_while(|argument| *argument != word).nth(1);
    let only = after("--only");
    let seed = after("--seed").map_or(Ok(1), |seed| seed.parse());
    let Ok(seed) = seed else {
        eprintln!("--seed needs a number, such as --seed 2");
        return std::process::ExitCode::FAILURE;
    };
    // Cargo's tests run this as well, and that must not take minutes.
    let cases = match arguments.iter().any(|argument| argument == "--bench") {
        true => matrix::cases(seed).into_iter().chain(failures::cases(MANY)).collect(),
        false => failures::cases(FEW),
    };
    let cases = cases.into_iter();
    let cases = cases.filter(|case| only.is_none_or(|text| case.name.contains(text.as_str())));
    let (mut missed, mut count) = (0, 0);
    for case in cases {
        let rows = (case.run)();
        for row in &rows {
            count += 1;
            missed += usize::from(!row.held());
            match json {
                true => println!("{}", row.json(&case.name)),
                false => println!("{}", row.text(&case.name)),
            }
        }
    }
    if json {
        return std::process::ExitCode::SUCCESS;
    }
    println!("{count} figures, {missed} missed");
    match missed {
        0 => std::process::ExitCode::SUCCESS,
        _ => std::process::ExitCode::FAILURE,
    }
}

/// A case of the matrix.
pub struct Case {
    pub name: String,
    pub run: Box<dyn Fn() -> Vec<Row>>,
}
