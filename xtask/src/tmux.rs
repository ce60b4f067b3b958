//! A terminal that nobody looks at but the tests.

use crate::{install, run};
use anyhow::Result;
use std::process::Command;

/// A program on a terminal of its own, by a tmux server of its own. It ends when it is dropped.
pub struct Tmux {
    server: String,
}

impl Tmux {
    pub fn start(command: &Command, columns: u32, lines: u32) -> Result<Self> {
        install::program("tmux", "tmux")?;
        let tmux = Self { server: format!("cleave-{}", std::process::id()) };
        let [columns, lines] = [columns, lines].map(|size| size.to_string());
        let mut start = tmux.ask(&["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &lines]);
        for (name, value) in command.get_envs() {
            let value = value.unwrap_or_default().to_string_lossy();
            start.arg("-e").arg(format!("{}={value}", name.to_string_lossy()));
        }
        run::quiet(start.arg("--").arg(command.get_program()).args(command.get_args()))?;
        Ok(tmux)
    }

    /// What stands there now.
    pub fn screen(&self) -> Result<String> {
        run::quiet(&mut self.ask(&["capture-pane", "-p"]))
    }

    fn ask(&self, words: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.server]).args(words);
        tmux
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // The program may have ended by itself, and the server with it.
        let _ = run::quiet(&mut self.ask(&["kill-server"]));
    }
}
