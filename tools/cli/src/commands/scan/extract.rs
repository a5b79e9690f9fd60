//! Found programs as files below one folder.
//! In: hits with their bytes, from several threads. Out: each distinct content once, named after
//! the first hit that has it. Names from files choose no folder: letters, digits, `.`, `-` and `_`
//! are all that is left of them, of every script.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::json;
use transpica::container::write as bytes_of;
use transpica::host::registers::number;
use transpica::{RegisterState, Stage};
use transpica_containers::{Found, Kind, shbin, to_bytes};
use unicode_width::UnicodeWidthChar;

use super::found::{File, hex, stem};
use crate::json::{self, Schema};
use crate::report::Failure;

/// Longest part of a file name that comes from a file, in characters.
const LONGEST: usize = 48;
/// Hex digits of the digest in a file name.
const DIGITS: usize = 12;
/// End of the name of a file whose hit is not known yet.
const PART: &str = "part";

/// A folder that receives files.
pub(super) struct Folder {
    path: PathBuf,
    /// Digests of what is written.
    written: Mutex<HashSet<[u8; 16]>>,
    /// The first failure.
    failure: Mutex<Option<Failure>>,
}

impl Folder {
    /// Creates the folder, if it is missing.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| Failure::io("create", path, &error))?;
        let (written, failure) = (Mutex::default(), Mutex::default());
        Ok(Self { path: path.to_path_buf(), written, failure })
    }

    /// Writes what a hit consists of, once, under its digest; returns the endings of the names.
    pub fn write(&self, found: &Found<'_>) -> Vec<String> {
        let files = files(found);
        let is_new = self.written.lock().is_ok_and(|mut written| written.insert(found.hit.digest));
        let digest = hex(&found.hit.digest);
        for (ending, bytes) in files.iter().filter(|_| is_new) {
            let path = self.path.join(format!("{digest}{ending}.{PART}"));
            if let Err(error) = fs::write(&path, bytes)
                && let Ok(mut failure) = self.failure.lock()
            {
                failure.get_or_insert(Failure::io("write", &path, &error));
            }
        }
        files.into_iter().map(|(ending, _)| ending).collect()
    }

    /// Names the files after the hits, which now have their order.
    pub fn name(self, all: &mut [File]) -> Result<(), Failure> {
        if let Some(failure) = self.failure.into_inner().ok().flatten() {
            return Err(failure);
        }
        let mut names: HashMap<[u8; 16], String> = HashMap::new();
        for file in all {
            let of_file = stem(&file.path);
            for row in &mut file.rows {
                let digest = hex(&row.hit.digest);
                let is_new = !names.contains_key(&row.hit.digest);
                // Numbers of entries say less than the name of their file.
                let named = row.hit.name.as_deref().filter(|name| name.contains(char::is_alphabetic));
                let stem = named.map_or_else(|| of_file.clone(), last_part);
                let name = format!("{}-{:.DIGITS$}", safe(&stem), digest);
                let name = names.entry(row.hit.digest).or_insert(name).clone();
                for ending in &mut row.extracted {
                    let from = self.path.join(format!("{digest}{ending}.{PART}"));
                    *ending = format!("{name}{ending}");
                    let to = self.path.join(&*ending);
                    if is_new {
                        fs::rename(&from, &to).map_err(|error| Failure::io("write", &to, &error))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the last part of a name without its ending.
fn last_part(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.rsplit_once('.').map_or(last, |(stem, _)| stem).to_string()
}

/// Returns whether a character is a mark on the letter before it, and visible.
fn is_mark(c: char) -> bool {
    let is_hidden = matches!(c, '\u{61c}' | '\u{200b}'..='\u{206f}' | '\u{feff}') || c.is_control();
    c.width() == Some(0) && !is_hidden
}

/// Returns what of a name may stand in a file name on every system.
fn safe(name: &str) -> String {
    let kept = name.chars().take(LONGEST).map(|c| match c {
        c if c.is_alphanumeric() || is_mark(c) => c,
        '.' | '-' | '_' => c,
        _other => '_',
    });
    let kept: String = kept.collect();
    match kept.trim_matches('.') {
        "" => "shader".to_string(),
        kept => kept.to_string(),
    }
}

/// Returns the endings and contents of the files of a hit.
fn files(found: &Found<'_>) -> Vec<(String, Vec<u8>)> {
    match (found.hit.kind, found.state) {
        (Kind::Vbc, _) => vec![(".vbc".to_string(), found.bytes.to_vec())],
        (_, None) => vec![(".shbin".to_string(), found.bytes.to_vec())],
        (_, Some(state)) => [Stage::Vertex, Stage::Geometry]
            .into_iter()
            .filter(|&stage| found.hit.programs.iter().any(|program| program.stage == stage.into()))
            .flat_map(|stage| unit(state, stage))
            .collect(),
    }
}

/// Returns the files of the program of a unit.
fn unit(state: &RegisterState, stage: Stage) -> Vec<(String, Vec<u8>)> {
    let name = match stage {
        Stage::Vertex => "",
        Stage::Geometry => ".geometry",
    };
    let (Some(model), Ok(program)) = (shbin::model(state, stage), state.program(stage)) else {
        return Vec::new();
    };
    let bytes = bytes_of(&model);
    let is_complete = shbin::is_complete(&bytes, state, stage);
    let mut files = vec![(format!("{name}.shbin"), bytes)];
    if !is_complete {
        files.push((format!("{name}.code.bin"), to_bytes(program.code())));
        files.push((format!("{name}.descriptors.bin"), to_bytes(program.descriptors())));
        files.push((format!("{name}.registers.json"), registers(state, stage).into_bytes()));
    }
    files
}

/// Returns the registers that a program depends on apart from its words, and its uniforms as a
/// state file has them.
fn registers(state: &RegisterState, stage: Stage) -> String {
    let unit = match stage {
        Stage::Vertex => number::VERTEX_UNIT,
        Stage::Geometry => number::GEOMETRY_UNIT,
    };
    let all = (unit..unit + 0x0E).chain(number::GLOBALS);
    let registers = all.map(|register| (format!("{register:#05x}"), json::word(state.read(register))));
    let registers: serde_json::Map<_, _> = registers.collect();
    let uniforms = state.uniforms(stage);
    let floats = uniforms.floats.iter().enumerate().filter(|(_, value)| **value != [0.0; 4]);
    let floats = floats.map(|(register, value)| {
        (register.to_string(), json!(value.map(|component| json::word(component.to_bits()))))
    });
    let floats: serde_json::Map<_, _> = floats.collect();
    let ints = uniforms.ints.iter().enumerate().map(|(register, value)| (register.to_string(), json!(value)));
    let ints: serde_json::Map<_, _> = ints.collect();
    let bools = (0..16).map(|register| (register.to_string(), json!(uniforms.bools >> register & 1 != 0)));
    let bools: serde_json::Map<_, _> = bools.collect();
    Schema::REGISTERS
        .text(json!({ "registers": registers, "uniforms": { "c": floats, "i": ints, "b": bools } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_no_folder() {
        for (name, expected) in [
            ("shader/a.bcsdr", "a"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\x.y.z", "x.y"),
            ("..", "shader"),
            ("", "shader"),
            ("a b\u{202e}\0c", "a_b__c"),
            ("model/Wasser_fläche.bch", "Wasser_fläche"),
            ("シェーダー/水面 1.bcsdr", "水面_1"),
            ("cafe\u{301}\u{200b}\u{feff}.x", "cafe\u{301}__"),
        ] {
            assert_eq!(safe(&last_part(name)), expected, "{name}");
        }
        // With digest and ending a name fits the 255 bytes of most file systems.
        assert_eq!(safe(&"x".repeat(500)).len(), LONGEST);
        assert!(safe(&"𠮷".repeat(500)).len() + DIGITS + "-.geometry.descriptors.bin".len() < 255);
    }
}
