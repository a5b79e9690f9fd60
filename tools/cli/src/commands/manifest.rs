//! The manifest of `translate --out-dir`: what became of each program of each file. `transpica
//! manifest` merges the manifests of shards.
//! In: records. Out: JSON, the same for the same inputs: no times, no order of threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::Arguments;
use crate::files;
use crate::json::{ProgramName, Schema, TOOL};
use crate::report::Failure;
use crate::streams::Streams;

/// Merge the manifests of shards into one
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica manifest out/manifest.*-of-4.json -o out/manifest.json

The manifests must have the same version and settings. A file that is listed twice must have the same results.

Exit status 1 if a shard is missing: the others are merged, and both the message and the result name the missing ones.")]
pub struct Merge {
    /// Manifests of the shards
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Arguments for Merge {
    fn streams(&self) -> Streams<'_> {
        Streams::of_files(&self.files, self.output.as_deref()).with_extensions(["json"])
    }
}

/// A manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of its schema.
    pub schema: String,
    /// Version of this tool.
    pub tool: String,
    /// Everything but the files that results follow from.
    pub settings: Value,
    /// The part of the files that it lists, or `None` for all files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Shards that were not merged, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_shards: Option<MissingShards>,
    /// Totals.
    pub counts: Counts,
    /// Files in the order of their paths.
    pub files: Vec<FileRecord>,
}

/// One part of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the part, below the count.
    pub index: u32,
    /// Number of parts.
    pub count: u32,
}

impl Shard {
    /// Parses `K/N`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let both = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match both {
            Some((index, count)) if index < count => Ok(Self { index, count }),
            Some((_, count @ 1..)) => Err(format!("shards are numbered from 0 to {}", count - 1)),
            Some((_, 0)) | None => Err("must look like 3/64: a shard and the number of shards".into()),
        }
    }
}

/// Shards whose manifests were not merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingShards {
    /// Number of all shards.
    pub count: u32,
    /// Ranges of the numbers of missing ones.
    pub missing: Vec<ShardRange>,
}

/// Shards with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRange {
    /// The first one.
    pub first: u32,
    /// The last one.
    pub last: u32,
}

impl MissingShards {
    /// Finds the shards that are not among these.
    fn new(shards: &[Shard]) -> Option<Self> {
        let count = shards.first()?.count;
        let mut present: Vec<u32> = shards.iter().map(|shard| shard.index).filter(|&it| it < count).collect();
        present.sort_unstable();
        let (mut missing, mut next) = (Vec::new(), 0);
        // After the last one.
        for index in present.into_iter().chain([count]) {
            if next < index {
                missing.push(ShardRange { first: next, last: index - 1 });
            }
            next = index.saturating_add(1);
        }
        (!missing.is_empty()).then_some(Self { count, missing })
    }
}

impl fmt::Display for MissingShards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Most ranges of a message.
        const NAMED: usize = 8;
        let number: u32 = self.missing.iter().map(|range| range.last - range.first + 1).sum();
        let name = |range: &ShardRange| match range {
            ShardRange { first, last } if first == last => first.to_string(),
            ShardRange { first, last } => format!("{first} to {last}"),
        };
        let named: Vec<String> = self.missing.iter().take(NAMED).map(name).collect();
        let more = if self.missing.len() > NAMED { ", …" } else { "" };
        write!(f, "{number} of {} shards missing: {}{more}", self.count, named.join(", "))
    }
}

/// Totals of a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files, and folders that cannot be read.
    pub files: usize,
    /// Programs of all files.
    pub programs: usize,
    /// Programs and files with an error.
    pub failed: usize,
}

/// Results of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Path below the given folder.
    pub file: String,
    /// Size, if it can be read.
    pub bytes: Option<u64>,
    /// Digest of its bytes.
    pub digest: Option<String>,
    /// The reason for having no programs.
    pub error: Option<String>,
    /// Its programs.
    pub programs: Vec<ProgramRecord>,
}

/// Results of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramRecord {
    /// The executable.
    #[serde(flatten)]
    pub program: ProgramName,
    /// Cache key.
    pub key: Option<String>,
    /// Files that were written, or had their content already.
    pub outputs: Vec<OutputRecord>,
    /// Warnings of the translation.
    pub warnings: Vec<String>,
    /// Reasons for missing outputs.
    pub errors: Vec<String>,
}

/// A file that holds a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Target as `--to` spells it.
    pub target: String,
    /// Path below the folder of the manifest.
    pub file: String,
    /// Size.
    pub bytes: u64,
    /// Digest of its bytes.
    pub digest: String,
}

impl FileRecord {
    /// Returns whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.error.is_none() && self.programs.iter().all(|program| program.errors.is_empty())
    }
}

impl Manifest {
    /// Builds a manifest of these files, which are sorted.
    pub fn new(settings: Value, shard: Option<Shard>, files: Vec<FileRecord>) -> Self {
        let mut counts = Counts { files: files.len(), ..Counts::default() };
        for file in &files {
            counts.programs += file.programs.len();
            counts.failed += usize::from(file.error.is_some());
            counts.failed += file.programs.iter().filter(|program| !program.errors.is_empty()).count();
        }
        let (schema, tool) = (Schema::MANIFEST.name().into(), TOOL.into());
        Self { schema, tool, settings, shard, missing_shards: None, counts, files }
    }

    /// Reads a manifest.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let named = |text: String| Failure::new(format!("{}: {text}", path.display()));
        let bytes = files::read_at_most(path, files::MOST_OF_LARGE).map_err(named)?;
        let hint = "transpica translate --out-dir writes manifests";
        let manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| named(error.to_string()).hint(hint))?;
        if manifest.schema != Schema::MANIFEST.name() {
            let text = format!("a document of {}, not {}", manifest.schema, Schema::MANIFEST.name());
            return Err(named(text).hint(hint));
        }
        Ok(manifest)
    }

    /// Returns its text.
    fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Writes it, so that a run that is stopped leaves the old one or the new one. One with the
    /// same content stays.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = self.text();
        if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
        written.map_err(|error| Failure::io("write", path, &error))
    }
}

/// Advice where shards are missing.
const ALL_SHARDS: &str = "translate the missing shards, then merge all manifests";

/// Runs the command. The result is written even if shards are missing.
pub fn run(Merge { files: paths, output }: &Merge) -> Result<(), Failure> {
    let mut first: Option<(&Path, Manifest)> = None;
    let mut records: BTreeMap<String, (FileRecord, &Path)> = BTreeMap::new();
    let mut shards = Vec::new();
    for path in paths {
        let mut manifest = Manifest::read(path)?;
        if let Some(missing) = &manifest.missing_shards {
            return Err(Failure::new(format!("{}: {missing}", path.display())).hint(ALL_SHARDS));
        }
        let files = std::mem::take(&mut manifest.files);
        shards.extend(manifest.shard);
        match &first {
            Some((other, first)) => agree((other, first), (path, &manifest))?,
            None => first = Some((path, manifest)),
        }
        for record in files {
            if let Some((known, other)) = records.get(&record.file) {
                if *known != record {
                    let [a, b] = [other, &path.as_path()].map(|path| path.display());
                    let text = format!("{a} and {b} differ in {}", record.file);
                    return Err(Failure::new(text).hint("translate all shards again from the same files"));
                }
                continue;
            }
            records.insert(record.file.clone(), (record, path));
        }
    }
    let Some((_, first)) = first else { return Ok(()) };
    let files = records.into_values().map(|(record, _)| record).collect();
    let merged = Manifest::new(first.settings, None, files);
    // The versions agree, but need not be this tool's.
    let missing_shards = MissingShards::new(&shards);
    let merged = Manifest { tool: first.tool, missing_shards, ..merged };
    match output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => merged.write(path)?,
        None => files::write(None, merged.text().as_bytes())?,
    }
    merged.missing_shards.map_or(Ok(()), |missing| Err(Failure::new(missing.to_string()).hint(ALL_SHARDS)))
}

/// Checks that two manifests are parts of one run.
fn agree((first, a): (&Path, &Manifest), (second, b): (&Path, &Manifest)) -> Result<(), Failure> {
    let what = if a.tool != b.tool {
        "versions of transpica"
    } else if a.settings != b.settings {
        "settings"
    } else if a.shard.map(|shard| shard.count) != b.shard.map(|shard| shard.count) {
        "numbers of shards"
    } else {
        return Ok(());
    };
    let text = format!("{} and {} have different {what}", first.display(), second.display());
    Err(Failure::new(text).hint("translate all shards with the same version and options"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_count_from_zero() {
        assert_eq!(Shard::parse("3/64"), Ok(Shard { index: 3, count: 64 }));
        for bad in ["64/64", "1/0", "0/0", "1", "-1/2", "+1/2", "a/b", ""] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }
}
