//! What tests need beyond Rust: the programs and the Vulkan driver of `needs.tsv`. This is the one
//! place that decides what it means if one is missing: the test fails, and says how to get it.

use std::sync::OnceLock;

/// Name of the Vulkan driver in `needs.tsv`.
pub const VULKAN: &str = "vulkan";

/// Ends a test without something that it needs, unless the test fails.
macro_rules! needs {
    ($($name:expr),+) => {$(
        if !$crate::support::needs::is_there($name) {
            return;
        }
    )+};
}
pub(crate) use needs;

/// Returns whether the system has a need of `needs.tsv`: a program by its name, or [`VULKAN`].
///
/// # Panics
/// It is missing, or the table does not have it.
pub fn is_there(name: &str) -> bool {
    let table = include_str!("../../needs.tsv");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let row = rows.find(|cells| matches!(cells[..], [_, kind, own, _] if [kind, own].contains(&name)));
    let row = row.unwrap_or_else(|| panic!("needs.tsv lacks {name}"));
    let is_there = if name == VULKAN { has_driver() } else { has_program(name) };
    is_there || missing(name, &format!("sudo apt-get install -y {}", row[0]))
}

/// Decides on a missing need.
///
/// # Panics
/// Always.
pub fn missing(name: &str, how: &str) -> bool {
    panic!("this test needs {name}; install it with: {how}")
}

/// Returns whether a program is in the path.
fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Returns whether a GPU can be opened, a software driver's included.
fn has_driver() -> bool {
    static HAS_DRIVER: OnceLock<bool> = OnceLock::new();
    *HAS_DRIVER.get_or_init(|| transpica_gpu::Gpu::open(None).is_ok())
}
