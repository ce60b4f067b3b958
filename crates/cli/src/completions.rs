//! `cleave completions`: what a shell offers after Tab.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::Failure;

#[derive(Args)]
pub struct Arguments {
    /// The shell; in bash: source <(cleave completions bash)
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Result<String, Failure> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut crate::Arguments::command(), "cleave", &mut text);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_knows_the_options() {
        for shell in Shell::value_variants() {
            let Ok(text) = run(&Arguments { shell: *shell }) else { panic!("{shell}") };
            assert!(text.contains("compute") && text.contains("doctor"), "{shell}");
        }
    }
}
