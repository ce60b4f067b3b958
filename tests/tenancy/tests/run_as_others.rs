//! Tenants that are not simply children of whoever runs the daemon: containers, and other users.
#![cfg(feature = "dist")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, c_client, say, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(20);
const GIB: u64 = 1 << 30;

/// Whether this machine lets a test do what it needs; says so if not.
fn allowed(program: &str, words: &[&str]) -> bool {
    let done = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let allowed = done.is_ok_and(|status| status.success());
    if !allowed {
        println!("skipped: {program} {} is not allowed here", words.join(" "));
    }
    allowed
}

/// What `cleave grant --json` says a container needs, as a script that mounts it the way an engine does. The script runs in
/// namespaces of its own; `$etc` is a copy of /etc.
fn mounts(container: &Value, etc: &Path) -> String {
    let mut script = format!(
        "set -e; cp -a /etc {etc}; mount --bind {etc} /etc; : >/etc/ld.so.preload; mount -t tmpfs none /run; \
         mkdir -p /run/cleave/tenant /run/cleave/lib /run/cleave/front; ",
        etc = etc.display()
    );
    for mount in container["mounts"].as_array().expect("mounts") {
        let [source, target] = ["source", "target"].map(|name| mount[name].as_str().expect("a path"));
        // The software GPU keeps its place.
        if source != target {
            script += &format!("mount --bind '{source}' '{target}'; ");
        }
    }
    script
}

#[test]
fn a_container_is_limited_even_if_it_clears_its_environment() {
    if !allowed("unshare", &["-m", "-p", "-f", "--mount-proc", "true"]) {
        return;
    }
    let home = Home::new();
    let said = say(&mut home.cleave(["grant", "--mem", "1G", "--compute", "100", "--name", "box", "--json"]));
    let grant: Value = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error} in {said:?}"));
    let script = mounts(&grant["container"], &home.folder().join("etc"));
    // No LD_PRELOAD, no CLEAVE_TENANT: the preload file and the mounted folder are enough.
    let variables = grant["container"]["variables"].as_array().unwrap().iter();
    let variables: Vec<String> = variables
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
        .filter(|(name, _)| *name != "LD_PRELOAD")
        .map(|(name, value)| format!("{name}='{value}'"))
        .collect();
    let program = |words: &str| {
        let script = format!("{script} exec env -i {} \"$0\" {words}", variables.join(" "));
        let mut command = home.command("unshare");
        command.args(["-m", "-p", "-f", "--mount-proc", "sh", "-c", &script]).arg(c_client("tenant"));
        command
    };
    let said = say(&mut program("info"));
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "{said:?}");
    fs::remove_dir_all(home.folder().join("etc")).unwrap();
    let said = say(&mut program(&format!("take {}", GIB + 1)));
    assert_eq!(said.out, "2\n", "{said:?}");
    fs::remove_dir_all(home.folder().join("etc")).unwrap();

    // From outside, what it holds is its own and not a stranger's.
    let mut holder = Held::start(program(&format!("hold {}", GIB / 2)));
    let status = until("the daemon to see it", PATIENCE, || {
        let status = home.status();
        let grant = &status["tenants"][0]["grants"][0];
        (grant["processes"].as_array()?.len() == 1 && grant["used"].as_u64()? >= GIB / 2).then_some(status)
    });
    assert_eq!(status["devices"][0]["unmanaged"], Value::Array(Vec::new()), "{status}");
    holder.end();
    let said = say(&mut home.cleave(["end", "box"]));
    assert!(said.status.success(), "{said:?}");
    assert_eq!(home.status()["tenants"], Value::Array(Vec::new()));
}

#[test]
fn under_another_user_limits_are_out_of_reach() {
    const OTHER: &[&str] = &["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    if !allowed("setpriv", &[OTHER, &["true"]].concat()) {
        return;
    }
    let home = Home::new();
    let cleave = home.dist().cleave();
    if !allowed("setpriv", &[OTHER, &[cleave.to_str().unwrap(), "--version"]].concat()) {
        return; // The build lies where others may not look.
    }
    // A daemon for all users, with a device that all may use.
    fs::create_dir_all(home.node()).unwrap();
    fs::write(home.node().join("config.toml"), "[socket]\neveryone = true\n").unwrap();
    let cache = home.folder().join("cache");
    fs::create_dir(&cache).unwrap();
    let open = [home.folder().join("gpu"), cache.clone()];
    assert!(Command::new("chmod").arg("1777").args(open).status().unwrap().success());
    let mut daemon = home.cleave(["node"]).stderr(Stdio::null()).spawn().unwrap();
    until("the daemon", PATIENCE, || home.node().join("node.sock").exists().then_some(()));
    let other = |words: &[&str]| {
        let mut command = home.command("setpriv");
        command.env("XDG_CACHE_HOME", &cache).args(OTHER).arg(&cleave).args(words);
        say(&mut command)
    };
    let tenant = c_client("tenant");
    let said = other(&["run", "--mem", "1G", "--", tenant.to_str().unwrap(), "info"]);
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "{said:?}");
    let write = "cd \"$CLEAVE_TENANT\"; for file in gpu0/limits tenant.json; do \
                 (true >>$file) 2>/dev/null && echo writable; done; rm -rf gpu0 2>/dev/null; ls";
    let said = other(&["run", "--mem", "1G", "--", "sh", "-c", write]);
    assert!(said.out.contains("gpu0") && !said.out.contains("writable"), "{said:?}");
    let set = format!("'{}' set mine --mem 2G", cleave.display());
    let said = other(&["run", "--mem", "1G", "--name", "mine", "--", "sh", "-c", &set]);
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.err.contains("only root and the user the daemon runs as"), "{said:?}");
    let said = say(&mut home.cleave(["doctor"]));
    assert!(said.status.success(), "{said:?}");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

/// A program that stays until its input ends.
struct Held(Child);

impl Held {
    fn start(mut command: Command) -> Held {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("text");
        assert_eq!(line, "0\n");
        Held(child)
    }

    fn end(&mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("our child").success());
    }
}
