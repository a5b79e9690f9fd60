//! The sample programs, for tests that cover all of them.

use std::fs;
use std::path::Path;

/// A file of the samples.
pub struct Sample {
    /// Its path in the repository.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Every binary of our own shaders and of the assembler's cases, by name.
pub fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = Vec::new();
    for folder in ["shaders", "tests/cases/picasso"] {
        for entry in fs::read_dir(root.join(folder)).expect("folder") {
            let path = entry.expect("entry").path();
            if path.extension().is_some_and(|end| end == "shbin") {
                let name = path.file_name().expect("file").to_string_lossy();
                samples.push(Sample {
                    name: format!("{folder}/{name}"),
                    bytes: fs::read(&path).expect("readable"),
                });
            }
        }
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}
