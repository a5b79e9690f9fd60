//! Starts the built command in the root of the repository.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Result of a run of the command.
pub struct Ran {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.out.clone()).expect("text")
    }
    /// Returns the standard output of a command that must succeed.
    pub fn succeeded(self) -> String {
        assert_eq!(self.status, 0, "{}", self.err);
        self.text()
    }
    /// Standard error in one line, without the drawing around it.
    pub fn report(&self) -> String {
        let words = self.err.split_whitespace().filter(|word| !["│", "×", "├─▶", "╰─▶"].contains(word));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command with these arguments.
pub fn transpica(arguments: &[&str]) -> Ran {
    transpica_reading(arguments, &[])
}

/// Runs the command with these arguments and this standard input.
pub fn transpica_reading(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_transpica"));
    // A fixed terminal type, so that tests do not depend on the machine's.
    command.args(arguments).env("TERM", "xterm");
    ran(&mut command, input)
}

/// Runs a shell command on its own terminal, where standard output and standard error are one. The
/// command under test is `$TRANSPICA`.
pub fn on_terminal(line: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("script");
    command.args(["-qec", line, "/dev/null"]).env("TRANSPICA", env!("CARGO_BIN_EXE_transpica"));
    command.env_remove("NO_COLOR").env("TERM", "xterm").env("LC_ALL", "C.UTF-8");
    ran(command.envs(variables.iter().copied()), &[])
}

/// Runs a command in the root of the repository.
pub fn ran(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // A command that ignores its input closes it, so a write error is fine.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("ends");
    Ran {
        status: output.status.code().expect("no signal"),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Creates an empty folder for a test.
pub fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("folder");
    path
}

/// Checks a document against the file of its schema.
pub fn follows_schema(document: &serde_json::Value) {
    let name = document["schema"].as_str().and_then(|name| name.strip_prefix("transpica."));
    let (name, _) = name.and_then(|name| name.split_once('/')).expect("a name and version of ours");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schema/{name}.json"));
    let schema = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}
