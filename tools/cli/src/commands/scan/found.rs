//! Findings of a scan: files and their hits.

use std::path::PathBuf;

use transpica_containers::{Hit, Summary};

/// A hit, and what concerns other hits.
pub struct Row {
    pub hit: Hit,
    /// Place of the first hit with the same programs.
    pub same_as: Option<String>,
    /// Files that it was extracted to.
    pub extracted: Vec<String>,
}

/// One file.
pub struct File {
    /// Its path as given.
    pub path: String,
    pub rows: Vec<Row>,
    pub summary: Summary,
    /// The reason why it was not read to its end.
    pub error: Option<String>,
}

impl File {
    pub fn unreadable(path: String, error: String) -> Self {
        Self { path, rows: Vec::new(), summary: Summary::default(), error: Some(error) }
    }
    /// Returns the place of a hit with the path of the file.
    pub fn place(&self, hit: &Hit) -> String {
        format!("{}/{}", self.path, hit.place())
    }
}

/// Returns the name of a file without folders and without its ending.
pub fn stem(path: &str) -> String {
    PathBuf::from(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns 32 hex digits.
pub fn hex(digest: &[u8; 16]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
