//! Keeps a library under the Vulkan driver from complaining that there is no display.
//!
//! Mesa's layer that selects devices asks libwayland for the display once an instance has window-system extensions, and
//! wgpu's instances always have them. libwayland then prints an error where `XDG_RUNTIME_DIR` is no absolute path, as in
//! containers and services.

/// A folder that does not exist: no display is found there, without a word.
#[cfg(all(unix, not(target_vendor = "apple")))]
const NOWHERE: &str = "/nonexistent";

/// Starts this process anew with an `XDG_RUNTIME_DIR`, where it has none. Comes back where that is not needed, or fails.
///
/// The environment of a running process cannot be changed safely, since the C libraries read it too.
pub fn settle() {
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
        // It returns only where it fails; then the complaint is all that is wrong.
        let _ = command.args(arguments).env(variable, NOWHERE).exec();
    }
}
