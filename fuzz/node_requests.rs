//! Requests to the daemon, a line each: every one has an answer, and devices are never given away twice.
//!
//! A line that begins with `!` is a stranger's. `@` stands for the name of the tenant that came last, which nobody can guess.
#![no_main]

use std::path::PathBuf;

use cleave_node::Machine;
use libfuzzer_sys::fuzz_target;

struct Stage {
    folder: PathBuf,
    machine: Machine,
}

impl Stage {
    fn build() -> Stage {
        let shm = PathBuf::from("/dev/shm");
        let base = if shm.is_dir() { shm } else { std::env::temp_dir() };
        let folder = base.join(format!("cleave-fuzz-node-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let machine = Machine::new(&folder).expect("a daemon");
        Stage { folder, machine }
    }

    fn last_tenant(&self) -> String {
        let tenants = self.machine.status().tenants;
        tenants.last().map_or_else(|| "nobody".into(), |tenant| tenant.id.clone())
    }

    fn send(&self, line: &[u8]) {
        let (line, stranger) = line.strip_prefix(b"!").map_or((line, false), |line| (line, true));
        let mut sent = Vec::new();
        for (number, part) in line.split(|byte| *byte == b'@').enumerate() {
            if number > 0 {
                sent.extend_from_slice(self.last_tenant().as_bytes());
            }
            sent.extend_from_slice(part);
        }
        let answer = self.machine.answer(&sent, stranger).expect("a socket");
        if let Some(answer) = answer {
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("a document");
            assert!(answer["answer"].is_string(), "{answer}");
        }
    }

    /// What every device has is enough for all that was granted of it.
    fn check(&self) {
        for device in self.machine.status().devices {
            assert!(device.granted <= device.total && device.compute_granted <= 100, "{device:?}");
        }
    }

    fn clear(&self) {
        for tenant in self.machine.status().tenants.into_iter().rev() {
            self.send(format!(r#"{{"request":"end","tenant":"{}"}}"#, tenant.id).as_bytes());
        }
        assert!(self.machine.status().tenants.is_empty());
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

thread_local! {
    /// The thread's own, so that it is dropped when the process ends.
    static STAGE: Stage = Stage::build();
}

fuzz_target!(|bytes: &[u8]| {
    STAGE.with(|stage| {
        for line in bytes.split(|byte| *byte == b'\n').take(16) {
            stage.send(line);
            stage.check();
        }
        stage.clear();
    });
});
