//! Container engines: what they start is a child of their daemon, not of ours, and would be silently unlimited.

use std::ffi::{OsStr, OsString};
use std::path::Path;

const ENGINES: &[&str] = &["docker", "podman", "nerdctl"];

/// Commands that pass on the rest of their words as a program.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nohup", "nice", "ionice", "setsid", "time", "timeout", "stdbuf", "chrt",
    "taskset",
];

/// First words of an engine that bring up a container.
const STARTING: &[&str] = &["run", "create", "start", "restart", "exec", "compose", "up", "play", "kube"];
/// First words that do not; they tell that nothing later on the line is the engine's verb.
const HARMLESS: &[&str] = &[
    "attach", "build", "buildx", "commit", "context", "cp", "diff", "events", "export", "help", "history",
    "image", "images", "import", "info", "inspect", "kill", "load", "login", "logout", "logs", "network",
    "pause", "plugin", "port", "ps", "pull", "push", "rename", "rm", "rmi", "save", "search", "secret",
    "stats", "stop", "system", "tag", "top", "unpause", "update", "version", "volume", "wait",
];

/// The engine that this command line would start a container with.
pub fn starts_container(command: &[OsString]) -> Option<&'static str> {
    let (program, words) = command.split_first()?;
    if let Some(engine) = engine(program) {
        return starts(words).then_some(engine);
    }
    if !WRAPPERS.contains(&base(program)?) {
        return None;
    }
    // Which of a wrapper's options take a value is the wrapper's business: the engine's name is looked for everywhere.
    words.iter().enumerate().find_map(|(at, word)| engine(word).filter(|_| starts(&words[at + 1..])))
}

fn starts(words: &[OsString]) -> bool {
    // Values of options are no verbs, so that they need not be told apart; `docker container run` has its verb second.
    let verbs = words.iter().filter_map(|word| word.to_str());
    let first = verbs.into_iter().find(|word| STARTING.contains(word) || HARMLESS.contains(word));
    first.is_some_and(|word| STARTING.contains(&word))
}

fn engine(program: &OsStr) -> Option<&'static str> {
    let name = base(program)?;
    ENGINES.iter().copied().find(|engine| *engine == name)
}

fn base(program: &OsStr) -> Option<&str> {
    Path::new(program).file_name()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<&'static str> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        starts_container(&words)
    }

    #[test]
    fn whatever_starts_a_container_is_recognised() {
        for line in [
            "docker run --rm -it image",
            "/usr/bin/docker run image",
            "docker --context far run image",
            "docker -H tcp://host:1 container create image",
            "docker compose up",
            "docker exec box nvidia-smi",
            "sudo docker run image",
            "sudo -u ann -E env A=b docker run image",
            "env PATH=/bin /opt/docker run image",
            "timeout 5 docker start box",
        ] {
            assert_eq!(found(line), Some("docker"), "{line}");
        }
        assert_eq!(found("podman run image"), Some("podman"));
        assert_eq!(found("nerdctl run image"), Some("nerdctl"));
    }

    #[test]
    fn nothing_else_is() {
        for line in [
            "docker ps",
            "docker image inspect run",
            "docker",
            "python run docker run",
            "./docker-run run",
            "sudo make run",
            "env A=docker make run",
            "dockerd run",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
        assert_eq!(starts_container(&[]), None);
    }
}
