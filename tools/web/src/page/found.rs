//! Shaders inside other files.
//! In: bytes. Out: the shaders that a scan finds, each as a `.shbin` file. Vega ByteCode is left
//! out: it holds no program of this machine.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use transpica::container::write;
use transpica::{Shbin, Stage};
use transpica_containers::{Found, Limits, Scanner, shbin};

use super::problem::{Problem, Severity};

/// Most shaders of a file.
const MOST: usize = 4096;

/// Most bytes of all shaders of a file.
const MOST_BYTES: usize = 64 << 20;

/// A found shader.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundShader {
    number: usize,
    path: String,
    kind: &'static str,
    offset: u64,
    /// The file; an answer has its size.
    #[serde(serialize_with = "length")]
    pub bytes: Vec<u8>,
    programs: usize,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<usize>,
}

/// Serializes the number of bytes in place of the bytes.
pub fn length<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    bytes.len().serialize(serializer)
}

/// Returns whether a `.shbin` file ends where its last structure does, except for padding.
pub fn is_alone(bytes: &[u8]) -> bool {
    let Ok(file) = Shbin::parse(bytes) else { return false };
    bytes
        .get(file.length as usize..)
        .is_some_and(|rest| rest.len() < 64 || rest.iter().all(|&byte| byte == 0))
}

/// Finds shaders.
pub fn scan(bytes: &[u8]) -> (Vec<FoundShader>, Vec<Problem>) {
    let limits = Limits {
        // Memory that a page has taken is never given back.
        look_ahead: bytes.len(),
        unpacked: 32 << 20,
        unpacked_total: 256 << 20,
        hits: MOST,
        ..Limits::default()
    };
    let (mut all, mut first, mut taken) = (Vec::new(), BTreeMap::new(), 0);
    let summary = Scanner::new(limits).scan(bytes, &mut |found| {
        for bytes in files(&found) {
            taken += bytes.len();
            if taken > MOST_BYTES || all.len() == MOST {
                return;
            }
            let number = all.len();
            let original = *first.entry(found.hit.identity).or_insert(number);
            all.push(FoundShader {
                number,
                path: found.hit.place(),
                kind: found.hit.kind.name(),
                offset: found.hit.input_offset.unwrap_or(found.hit.offset),
                bytes,
                programs: found.hit.programs.len(),
                key: found.hit.identity.iter().map(|byte| format!("{byte:02x}")).collect(),
                duplicate_of: Some(original).filter(|&original| original != number),
            });
        }
    });
    let warnings = summary.map(|summary| summary.warnings).unwrap_or_default();
    let problem =
        |warning: &transpica_containers::Warning| Problem::new(Severity::Warning, warning.to_string());
    (all, warnings.iter().map(problem).collect())
}

/// Returns the files of a hit.
fn files(found: &Found<'_>) -> Vec<Vec<u8>> {
    let Some(state) = found.state else {
        return Some(found.bytes.to_vec()).filter(|bytes| Shbin::parse(bytes).is_ok()).into_iter().collect();
    };
    let is_there = |&stage: &Stage| found.hit.programs.iter().any(|program| program.stage == stage.into());
    let stages = [Stage::Vertex, Stage::Geometry].into_iter().filter(is_there);
    stages.filter_map(|stage| Some(write(&shbin::model(state, stage)?))).collect()
}
