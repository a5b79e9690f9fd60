//! Suppresses a complaint about a missing display from a library below the Vulkan driver.
//!
//! Mesa's device-selection layer opens the display with libwayland for any instance that has
//! window-system extensions, and wgpu's instances always have them. libwayland then prints an error
//! if `XDG_RUNTIME_DIR` is not an absolute path, as in containers and services
//! (drivers.md#missing-display).

/// A folder that does not exist, in which libwayland finds no display and prints nothing.
#[cfg(all(unix, not(target_vendor = "apple")))]
const NOWHERE: &str = "/nonexistent";

/// Restarts this process with an `XDG_RUNTIME_DIR` if it has none. Returns if that is not needed,
/// or fails.
///
/// The environment of a running process cannot be changed safely, since the C libraries read it
/// too.
pub fn suppress_complaint() {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        use std::env;
        use std::os::unix::process::CommandExt;
        use std::path::Path;
        use std::process::Command;

        let variable = "XDG_RUNTIME_DIR";
        if env::var_os(variable).is_some_and(|folder| Path::new(&folder).is_absolute()) {
            return;
        }
        let Ok(program) = env::current_exe() else { return };
        let mut command = Command::new(program);
        let mut arguments = env::args_os();
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        // `exec` returns only if it fails; then libwayland's message appears, and nothing else is
        // wrong.
        let _ = command.args(arguments).env(variable, NOWHERE).exec();
    }
}
