use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A program that works beside others and speaks in lines. It is killed when it is dropped.
pub struct Worker {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Worker {
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("a piped output is there")?;
        Ok(Self { child, lines: BufReader::new(stdout) })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads up to a line of exactly this text.
    pub fn wait_for(&mut self, text: &str) -> Result<()> {
        while self.line()? != text {}
        Ok(())
    }

    /// Reads up to the line `name value`.
    pub fn value(&mut self, name: &str) -> Result<f64> {
        Ok(self.text(name)?.parse()?)
    }

    /// Reads up to the line `name text`.
    pub fn text(&mut self, name: &str) -> Result<String> {
        loop {
            if let Some(text) = self.line()?.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')) {
                return Ok(text.to_string());
            }
        }
    }

    /// Lets a worker that waits for a line go on.
    pub fn go(&mut self) -> Result<()> {
        let stdin = self.child.stdin.as_mut().context("a piped input is there")?;
        Ok(writeln!(stdin, "go")?)
    }

    /// Ends the input of a worker that works until then, and waits for its `done`.
    pub fn end(&mut self) -> Result<()> {
        drop(self.child.stdin.take());
        self.wait_for("done")
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            bail!("a worker of the bench ended early: {}", self.child.wait()?);
        }
        Ok(line.trim_end().to_string())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lines `name value`.
pub fn values(text: &str) -> Result<BTreeMap<String, f64>> {
    let line = |line: &str| -> Result<(String, f64)> {
        let (name, value) = line.split_once(' ').with_context(|| format!("`{line}` is no figure"))?;
        Ok((name.to_string(), value.parse()?))
    };
    text.lines().map(line).collect()
}
