//! Tests with a process of their own: for what the tests of a program would share.

use std::any::type_name_of_val;
use std::io::Write as _;
use std::process::Command;

/// Set in the processes that [`again`] starts.
const CHILD: &str = "TRANSPICA_AGAIN";

/// Runs a test of this program again, alone in another process with these variables of the
/// environment, and returns what it printed; in that process, `None`.
///
/// # Panics
/// If the test fails there.
pub fn again<T: Fn(), const N: usize>(test: T, variables: [(&str, &str); N]) -> Option<String> {
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    // Without the name of the program, as filters have it.
    let (_, name) = type_name_of_val(&test).split_once("::").expect("a path");
    let child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .envs(variables)
        .output()
        .expect("this program can be run again");
    let text = String::from_utf8(child.stdout).expect("text");
    print!("{text}");
    let said = String::from_utf8_lossy(&child.stderr);
    // What a test leaves out is said where its runner captures nothing.
    for line in said.lines().filter(|line| line.starts_with("left out: ")) {
        let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
    }
    // A name that no test has would pass.
    let passed = child.status.success() && text.contains("1 passed");
    assert!(passed, "{name} in its own process:\n{said}");
    Some(text)
}
