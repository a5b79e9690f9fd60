//! The programs of spirv-tools, for tests: words in, an error or words out. And how any such program is run.

use std::io::Write;
use std::process::{Command, Stdio};

/// Gives bytes to a program of spirv-tools, glslang or a compiler and returns what it writes.
///
/// # Errors
/// What it says when it fails, or how to install it.
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
    // It reads everything before it writes. Where it ends early, its output says why.
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(bytes));
    let output = child.wait_with_output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() && written.is_ok() {
        return Ok(output.stdout);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{name}: {}", String::from_utf8_lossy(&said)))
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Lets `spirv-val` judge a module of SPIR-V 1.3 or older for Vulkan 1.1.
///
/// # Errors
/// What it has against the module.
pub fn validate(words: &[u32]) -> Result<(), String> {
    validate_for(words, (1, 3))
}

/// Lets `spirv-val` judge a module in the oldest Vulkan that takes its version of SPIR-V; of 1.1 and 1.2, which none does,
/// by the rules of SPIR-V alone.
///
/// # Errors
/// What it has against the module.
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
    tool("spirv-val", &["--target-env", environment, "-"], &bytes(words)).map(|_| ())
}

/// The module after `spirv-opt -O`, which is valid too.
///
/// # Errors
/// What the optimiser says, or `spirv-val` of its result.
pub fn optimise(words: &[u32]) -> Result<Vec<u32>, String> {
    let bytes = tool("spirv-opt", &["--target-env=vulkan1.1", "-O", "-", "-o", "-"], &bytes(words))?;
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    validate(&words)?;
    Ok(words)
}

/// The module with other defaults of specialisation constants, by their ids.
///
/// # Errors
/// What `spirv-opt` says.
pub fn specialise(words: &[u32], values: &[(u32, String)]) -> Result<Vec<u32>, String> {
    let values: Vec<String> = values.iter().map(|(id, value)| format!("{id}:{value}")).collect();
    let values = values.join(" ");
    let arguments = ["--target-env=vulkan1.1", "--set-spec-const-default-value", &values, "-", "-o", "-"];
    let bytes = tool("spirv-opt", &arguments, &bytes(words))?;
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
