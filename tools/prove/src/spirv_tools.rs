//! The programs of spirv-tools, for tests: words in, an error or words out. Also runs other
//! command-line tools.

// The unit tests of the library use these functions, and must compile without this package.
#[path = "../../../src/backend/spirv/tests/tools.rs"]
mod tools;

use tools::bytes;
pub use tools::{tool, validate_for};

/// Validates a module of SPIR-V 1.3 or older for Vulkan 1.1 with `spirv-val`.
///
/// # Errors
/// The messages of `spirv-val`.
pub fn validate(words: &[u32]) -> Result<(), String> {
    validate_for(words, (1, 3))
}

/// Optimizes a module with `spirv-opt -O` and validates the result.
///
/// # Errors
/// The messages of `spirv-opt`, or of `spirv-val` about the result.
pub fn optimize(words: &[u32]) -> Result<Vec<u32>, String> {
    let bytes = tool("spirv-opt", &["--target-env=vulkan1.1", "-O", "-", "-o", "-"], &bytes(words))?;
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
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
    let bytes = tool("spirv-opt", &arguments, &bytes(words))?;
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
