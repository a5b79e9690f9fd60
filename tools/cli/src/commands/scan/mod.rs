//! `transpica scan`: shaders inside any kind of file, on all cores.
//! In: files and folders, or standard input. Out: a table or JSON; the programs as files. A file
//! that cannot be read does not end the run. The containers crate finds and describes programs.

mod extract;
mod found;
mod report;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use transpica_containers::{Limits, Scanner, Summary};

use crate::arguments::{Arguments, Results};
use crate::files;
use crate::progress::on_all_cores;
use crate::report::{Common, Failure};
use crate::streams::Streams;
use extract::Folder;
use found::{File, Row};

/// Find shaders inside any kind of file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica scan romfs
  transpica scan romfs --extract shaders && transpica survey shaders
  transpica scan model.bcmdl pack.arc code.bin --json
  cat image | transpica scan -

Reads every file below a folder, whatever its name. Finds .shbin files (DVLB), GPU command lists that upload a program, and VBC, bare or in CGFX, BCH, MFX, SARC, darc, GARC, ExeFS, GFL packages, LZ10, \
LZ11, Yaz0 and the compressed .code, nested or not. A place such as \
pack.arc/SARC:shader/a.bcsdr/DVLB@0x40 names the containers and the offset in the innermost one. \
Nothing can be found in encrypted files.

--extract writes .shbin files, and code, descriptors and registers of command lists with outputs that a .shbin file cannot express.

Exit status 1 if nothing was found or a file could not be read; the others are still listed.")]
pub struct Scan {
    /// Files of any kind, and folders; - reads standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write each distinct file or program to this folder, created if missing
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    #[command(flatten)]
    pub results: Results,
}

impl Arguments for Scan {
    fn streams(&self) -> Streams<'_> {
        Streams { reads_any: true, ..self.results.streams([]).below(&self.paths) }
    }
}

/// Runs the command.
pub fn run(arguments: &Scan, common: &Common) -> Result<(), Failure> {
    let Scan { paths, extract, results } = arguments;
    let inputs = files::list(paths);
    let folder = extract.as_deref().map(Folder::create).transpose()?;
    let work = |scanner: &mut Scanner, input: &Result<PathBuf, Failure>| match input {
        Ok(path) => file(scanner, path, folder.as_ref()),
        Err(failure) => File::unreadable(String::new(), failure.message().to_string()),
    };
    let bytes = |all: &[File]| {
        let bytes: u64 = all.iter().map(|file| file.summary.bytes).sum();
        format!(", {bytes} bytes")
    };
    let scanner = || Scanner::new(Limits::default());
    let mut all = on_all_cores(&inputs, common, scanner, work, bytes);
    mark_duplicates(&mut all);
    if let Some(folder) = folder {
        folder.name(&mut all)?;
    }
    for file in &all {
        file.error.iter().for_each(|error| common.warn(format_args!("{}: {error}", file.path)));
        let warnings = file.summary.warnings.iter();
        warnings.for_each(|warning| common.warn(format_args!("{}/{warning}", file.path)));
    }
    let is_json = results.is_json();
    results.write(&if is_json { report::json(&all) } else { report::table(&all, common.quiet) })?;
    verdict(&all)
}

/// Returns the failure that the result amounts to.
fn verdict(all: &[File]) -> Result<(), Failure> {
    let unreadable = all.iter().filter(|file| file.error.is_some()).count();
    let hits = all.iter().map(|file| file.rows.len()).sum::<usize>();
    if unreadable > 0 {
        return Err(Failure::new(format!("{unreadable} of {} files could not be read", all.len())));
    }
    if hits == 0 {
        let hint = "encrypted data and unknown compression cannot be searched; for an emulator's shader caches, use transpica doctor";
        return Err(Failure::new("no shader found").hint(hint));
    }
    Ok(())
}

/// Scans one file.
fn file(scanner: &mut Scanner, path: &Path, folder: Option<&Folder>) -> File {
    let name = if path == Path::new("-") { "standard input".to_string() } else { path.display().to_string() };
    let input = match files::open(path) {
        Ok(input) => input,
        Err(error) => return File::unreadable(name, format!("cannot be read: {error}")),
    };
    let mut rows = Vec::new();
    let summary = scanner.scan(input, &mut |found| {
        let extracted = folder.map_or_else(Vec::new, |folder| folder.write(&found));
        rows.push(Row { hit: found.hit, same_as: None, extracted });
    });
    match summary {
        Ok(summary) => File { path: name, rows, summary, error: None },
        Err(error) => {
            let summary = Summary { hits: rows.len(), ..Summary::default() };
            File { path: name, rows, summary, error: Some(format!("cannot be read: {error}")) }
        }
    }
}

/// Marks hits whose programs an earlier hit has.
fn mark_duplicates(all: &mut [File]) {
    let mut first: HashMap<[u8; 16], String> = HashMap::new();
    for file in all {
        let places: Vec<String> = file.rows.iter().map(|row| file.place(&row.hit)).collect();
        for (row, place) in file.rows.iter_mut().zip(places) {
            match first.get(&row.hit.identity) {
                Some(place) => row.same_as = Some(place.clone()),
                None => drop(first.insert(row.hit.identity, place)),
            }
        }
    }
}
