//! Drivers, and the processes that measure on them.
//! RADV, Mesa's driver for AMD chips, compiles for any family of chips without one: its *null
//! hardware* maps no memory and executes nothing, but reports statistics of pipelines.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use transpica_proof::needs::{NAMED_DRIVERS, registered_drivers};

use super::worker::{Module, Reply, Tasks, Work};

/// Option of this program that starts the measuring process.
pub const WORKER: &str = "--worker";
const INSTALL_LINE: &str = "sudo apt-get install -y mesa-vulkan-drivers libvulkan1";

/// A driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The one that the environment selects.
    Present,
    /// RADV's null hardware of a family.
    Null(String),
}

impl Driver {
    /// Returns its name in tables.
    pub fn name(&self) -> &str {
        match self {
            Self::Present => "present",
            Self::Null(family) => family,
        }
    }

    /// Measures modules. Pipelines and first draws are timed without the driver's caches on disk,
    /// later draws with an empty one: a driver that compiles in every submission then takes the
    /// result of the first, and vertices are a larger part of the time.
    ///
    /// # Errors
    /// A missing driver, with the command that installs it; errors of the driver.
    pub fn measure(&self, groups: Vec<Vec<Module>>, tasks: Tasks) -> Result<Reply, String> {
        let mut work = Work { groups, tasks: Tasks { draws: 0, ..tasks } };
        let mut reply = self.process(&work, None)?;
        if tasks.draws > 0 {
            work.tasks = Tasks { pipelines: 0, firsts: 0, ..tasks };
            let cache = std::env::temp_dir().join(format!("transpica-bench-{}", std::process::id()));
            let drawn = self.process(&work, Some(&cache));
            let _ = std::fs::remove_dir_all(&cache);
            let drawn = drawn?.groups.into_iter().flatten();
            for (measured, drawn) in reply.groups.iter_mut().flatten().zip(drawn) {
                measured.vertex = drawn.vertex;
            }
        }
        Ok(reply)
    }

    /// Measures modules in a process.
    fn process(&self, work: &Work, cache: Option<&Path>) -> Result<Reply, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg(WORKER).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The cache of compiled shaders of every Mesa driver.
        match cache {
            Some(folder) => command.env("MESA_SHADER_CACHE_DIR", folder),
            None => command.env("MESA_SHADER_CACHE_DISABLE", "true"),
        };
        if let Self::Null(family) = self {
            let file = radv()?;
            command.envs(NAMED_DRIVERS.map(|name| (name, file.clone())));
            command.env("RADV_FORCE_FAMILY", family).env("RADV_DEBUG", "nocache");
        }
        let failed = |text: &str| match self {
            Self::Present => format!("the Vulkan driver: {text}\ninstall one with: {INSTALL_LINE}"),
            Self::Null(family) => format!("RADV for {family}: {text}"),
        };
        let mut child = command.spawn().map_err(|error| failed(&error.to_string()))?;
        let text = serde_json::to_string(work).map_err(|error| error.to_string())?;
        // The process reads everything before it writes.
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
        let output = child.wait_with_output().map_err(|error| failed(&error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim()));
        }
        written.map_err(|error| failed(&error.to_string()))?;
        serde_json::from_slice(&output.stdout).map_err(|error| failed(&error.to_string()))
    }
}

/// Returns the registration of RADV for this machine.
fn radv() -> Result<PathBuf, String> {
    let named = NAMED_DRIVERS.iter().filter_map(std::env::var_os);
    let named = named.flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>());
    let mut listed: Vec<PathBuf> = registered_drivers().collect();
    listed.sort();
    let mut all = named.chain(listed);
    all.find(|path| is_radv(path)).ok_or_else(|| {
        format!(
            "RADV is not installed, whose compiler for AMD chips this asks; install it with: {INSTALL_LINE}"
        )
    })
}

/// Returns whether a registration is RADV's, for this architecture if it names one.
fn is_radv(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let architecture = name.strip_prefix("radeon_icd").and_then(|rest| rest.strip_suffix(".json"));
    architecture.is_some_and(|end| end.is_empty() || end.strip_prefix('.') == Some(std::env::consts::ARCH))
}
