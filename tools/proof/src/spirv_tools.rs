//! The programs of spirv-tools, for tests: words in, an error or words out. Also runs other
//! command-line tools.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::needs;

/// Passes bytes to a command-line tool, such as spirv-tools, glslang or a compiler, and returns its
/// output.
///
/// # Errors
/// Its messages if it fails, or how to install it.
pub fn tool(name: &str, arguments: &[&str], bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            let package = match name {
                "g++" => "g++",
                _ if name.starts_with("glslang") => "glslang-tools",
                _ => "spirv-tools",
            };
            format!("{name}: {error}; install it with: sudo apt-get install -y {package}")
        })?;
    // These tools read everything before they write. If one ends early, its output states the
    // reason.
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(bytes));
    let output = child.wait_with_output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() && written.is_ok() {
        return Ok(output.stdout);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{name}: {}", String::from_utf8_lossy(&said)))
}

/// Validates a module with `spirv-val` for the oldest Vulkan that accepts its version of SPIR-V.
/// SPIR-V 1.1 and 1.2, which have no such Vulkan, are validated by the rules of SPIR-V alone. A
/// test without `spirv-val` runs without this, and says so.
///
/// # Errors
/// The messages of `spirv-val`.
#[track_caller]
pub fn validate_for(words: &[u32], version: (u8, u8)) -> Result<(), String> {
    let environment = match version {
        (1, 0) => "vulkan1.0",
        (1, 1) => "spv1.1",
        (1, 2) => "spv1.2",
        (1, 4) => "vulkan1.1spv1.4",
        (1, 5) => "vulkan1.2",
        (1, 6) => "vulkan1.3",
        _ => "vulkan1.1",
    };
    if !needs::has(&["spirv-val"]) {
        return Ok(());
    }
    tool("spirv-val", &["--target-env", environment, "-"], &bytes(words)).map(|_| ())
}

/// The bytes of a module.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of a module.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// Validates a module of SPIR-V 1.3 or older for Vulkan 1.1 with `spirv-val`.
///
/// # Errors
/// The messages of `spirv-val`.
#[track_caller]
pub fn validate(words: &[u32]) -> Result<(), String> {
    validate_for(words, (1, 3))
}

/// Optimizes a module with `spirv-opt -O` and validates the result.
///
/// # Errors
/// The messages of `spirv-opt`, or of `spirv-val` about the result.
pub fn optimize(words: &[u32]) -> Result<Vec<u32>, String> {
    let bytes = tool("spirv-opt", &["--target-env=vulkan1.1", "-O", "-", "-o", "-"], &bytes(words))?;
    let words = self::words(&bytes);
    validate(&words)?;
    Ok(words)
}

/// Sets other defaults for specialization constants, by id.
///
/// # Errors
/// The messages of `spirv-opt`.
pub fn specialize(words: &[u32], values: &[(u32, String)]) -> Result<Vec<u32>, String> {
    let values: Vec<String> = values.iter().map(|(id, value)| format!("{id}:{value}")).collect();
    let values = values.join(" ");
    let arguments = ["--target-env=vulkan1.1", "--set-spec-const-default-value", &values, "-", "-o", "-"];
    tool("spirv-opt", &arguments, &bytes(words)).map(|bytes| self::words(&bytes))
}
