use anyhow::{Result, bail};
use std::io::Write;
use std::time::Instant;

type Action<'a> = Box<dyn Fn() -> Result<String> + 'a>;

/// A named list of actions, run in order; a failed one does not stop the others.
#[derive(Default)]
pub struct Steps<'a> {
    steps: Vec<(String, Action<'a>)>,
}

impl<'a> Steps<'a> {
    /// `action` returns a short remark for people, or why the step failed.
    pub fn add(&mut self, name: &str, action: impl Fn() -> Result<String> + 'a) {
        self.steps.push((name.to_string(), Box::new(action)));
    }

    /// Runs the steps whose name contains `only`, says how far it is, and fails if one of them did.
    pub fn run(self, only: Option<&str>) -> Result<()> {
        let chosen: Vec<_> =
            self.steps.into_iter().filter(|(name, _)| only.is_none_or(|word| name.contains(word))).collect();
        if chosen.is_empty() {
            bail!("no step has `{}` in its name", only.unwrap_or_default());
        }
        let (total, mut failed) = (chosen.len(), Vec::new());
        for (index, (name, action)) in chosen.iter().enumerate() {
            print!("[{:>2}/{total}] {name} … ", index + 1);
            std::io::stdout().flush()?;
            let started = Instant::now();
            let result = action();
            let seconds = started.elapsed().as_secs_f64();
            match result {
                Ok(remark) => println!("ok ({seconds:.1} s) {remark}"),
                Err(error) => {
                    println!("FAILED ({seconds:.1} s)\n{error:#}\n");
                    failed.push(name.as_str());
                }
            }
        }
        println!("\n{} passed, {} failed", total - failed.len(), failed.len());
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }
}
