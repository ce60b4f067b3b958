//! A terminal that nobody looks at but a test: programs get one end of it, the test has the other.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fd::OwnedFd;
use rustix::pty::{self, OpenptFlags};
use rustix::termios::{self, Termios, Winsize};

/// A terminal of some size.
pub struct Terminal {
    /// The test's end; the keyboard.
    master: File,
    /// The programs' end, kept open so that there is a terminal when they have ended.
    slave: File,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    pub fn new(columns: u16, rows: u16) -> Terminal {
        let master: OwnedFd = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        pty::grantpt(&master).expect("the right to use it");
        pty::unlockpt(&master).expect("its other end");
        let name = pty::ptsname(&master, Vec::new()).expect("the name of its other end");
        let path = name.into_string().expect("a name that can be written");
        // Without becoming the terminal of the test itself.
        let not_ours = OpenptFlags::NOCTTY.bits() as i32;
        let slave = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(not_ours)
            .open(path)
            .expect("its other end");
        let terminal = Terminal { master: master.into(), slave, written: Arc::default() };
        terminal.resize(columns, rows);
        let (mut reader, written) =
            (terminal.master.try_clone().expect("one more descriptor"), terminal.written.clone());
        // Reads until the terminal is gone.
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                written.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..count]);
            }
        });
        terminal
    }

    /// Another size; programs on it are told by a signal.
    pub fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        termios::tcsetwinsize(&self.master, size).expect("another size");
    }

    /// Starts a command with this as its terminal, in a session of its own. The child is the command itself.
    pub fn start(&self, command: &Command) -> Child {
        let end = || Stdio::from(self.slave.try_clone().expect("one more descriptor"));
        let mut session = Command::new("setsid");
        session.arg("--ctty").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => session.env(name, value),
                None => session.env_remove(name),
            };
        }
        session.stdin(end()).stdout(end()).stderr(end()).spawn().expect("setsid is there")
    }

    pub fn press(&self, keys: &[u8]) {
        (&self.master).write_all(keys).expect("somebody who reads keys");
    }

    /// All that was written there since it was last forgotten.
    pub fn written(&self) -> String {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&written).into_owned()
    }

    pub fn forget(&self) {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// How the terminal behaves: whether it echoes, joins keys to lines, makes signals of keys.
    pub fn manner(&self) -> String {
        let Termios { input_modes, output_modes, control_modes, local_modes, .. } =
            termios::tcgetattr(&self.slave).expect("a terminal");
        format!("{input_modes:?} {output_modes:?} {control_modes:?} {local_modes:?}")
    }
}
