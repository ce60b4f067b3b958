//! Tests that need a process of their own: settings are read once, and some tests end in a fork.

use std::process::Command;

/// Runs `body` in a new process with these settings. `name` is the full name of the calling test.
/// Gives what the child printed.
pub fn run(name: &str, settings: &[(&str, &str)], body: impl FnOnce()) -> String {
    const CHILD: &str = "CLEAVE_TEST_CHILD";
    if std::env::var(CHILD).is_ok_and(|child| child == name) {
        body();
        return String::new();
    }
    let exe = std::env::current_exe().expect("this test has a path");
    let mut child = Command::new(exe);
    child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(CHILD, name);
    // A device of its own, on which a context costs nothing, unless the test wants it otherwise.
    child.env("CLEAVE_SOFTGPU", "private").env("CLEAVE_SOFTGPU_CONTEXT", "0");
    child.envs(settings.iter().copied());
    let output = child.output().expect("this test runs again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "child of {name} failed:\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1 passed"), "no test is called {name}");
    text
}

/// Whether this is the child.
pub fn is_child() -> bool {
    std::env::var_os("CLEAVE_TEST_CHILD").is_some()
}
