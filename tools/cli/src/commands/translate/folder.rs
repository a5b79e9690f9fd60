//! `transpica translate --out-dir`: every program of many files to some targets, on all cores.
//! In: files and folders. Out: results, a manifest, a summary. A file or program with an error
//! does not end the run.
//! Fresh results are not written: a file that the last manifest lists with the same settings, whose
//! results are unchanged on disk, is not even translated; a result that is already on disk stays as
//! it is. Each result is written before the next program is translated, so memory holds one file
//! of each thread, and the manifest.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use transpica::{Error, GlslVersion, Job, Key, Shbin, Translation, Translator};
use transpica_inspect::json;
use xxhash_rust::xxh3::xxh3_128;

use super::names::NamePattern;
use super::plan::{self, Input};
use super::target::{Emitted, Target, emit, glsl_ending, spelled};
use crate::commands::manifest::{FileRecord, Manifest, OutputRecord, ProgramRecord, Shard};
use crate::debug_source::sourced;
use crate::files;
use crate::input::{self, programs};
use crate::jobs::{GeometryOptions, Translatable};
use crate::json::{Schema, row};
use crate::progress::on_all_cores;
use crate::report::{Common, Failure};
use crate::settings::Resolved;

/// Help of `--name`. clap takes `{n}` for a line break, so an empty style stands within it.
const NAME_HELP: &str = "Names of files in --out-dir: {stem} or {name} of the input, {\u{1b}[0mn} the number of the program, {target}, {ext}; / separates folders";

/// Translation of many programs into a folder.
#[derive(Args, Debug)]
pub struct Batch {
    /// Translate all programs in the files and folders into this folder
    ///
    /// Uses all cores. Searches folders for .shbin files, and for .pica sources that have none
    /// next to them. Keeps the folder structure, leaves unchanged files alone, and lists everything
    /// in manifest.json.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "reflect", "source_map", "code", "dvle"])]
    pub out_dir: Option<PathBuf>,
    /// Names of files in --out-dir
    #[arg(
        long,
        help = NAME_HELP,
        hide_short_help = true,
        value_name = "PATTERN",
        default_value = "{stem}.{n}.{ext}",
        value_parser = NamePattern::parse
    )]
    pub name: NamePattern,
    /// Translate only part K of N (0 to N-1), chosen by a digest of each file's path in its folder;
    /// the manifest is manifest.K-of-N.json
    #[arg(long, hide_short_help = true, value_name = "K/N", value_parser = Shard::parse, requires = "out_dir")]
    pub shard: Option<Shard>,
    /// Print the summary of --out-dir as JSON
    #[arg(long, hide_short_help = true, requires = "out_dir")]
    pub json: bool,
}

/// Requested translation.
pub struct Request<'a> {
    pub resolved: Resolved,
    /// The job of a vertex program, and the connection of a geometry program.
    pub job: (Job<'static>, GeometryOptions),
    /// One target, or several of a folder.
    pub targets: Vec<Target>,
    pub version: GlslVersion,
    pub salt: &'a str,
}

impl Request<'_> {
    /// Builds a translator with the chosen settings.
    pub fn translator(&self) -> Translator {
        Translator::new(self.resolved.options, self.resolved.profile.clone())
    }
}

/// Settings of a batch, and its counters.
struct Work<'a> {
    folder: &'a Path,
    manifest: &'a Path,
    name: &'a NamePattern,
    request: &'a Request<'a>,
    /// Complete files of the last manifest with the same settings, by relative path.
    known: HashMap<String, FileRecord>,
    /// Results that were written.
    written: AtomicUsize,
    /// Results that existed unchanged.
    fresh: AtomicUsize,
}

/// Translates all programs of the files and folders of a request.
pub fn run(
    (paths, folder): (&[PathBuf], &Path),
    batch: &Batch,
    request: &Request<'_>,
    common: &Common,
) -> Result<(), Failure> {
    let start = Instant::now();
    let inputs = plan::inputs(paths, &batch.name, batch.shard)?;
    fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    let path = folder.join(manifest_name(batch.shard));
    let settings = settings(request, &batch.name);
    let work = Work {
        folder,
        manifest: &path,
        name: &batch.name,
        request,
        known: known(&path, &settings, common),
        written: AtomicUsize::new(0),
        fresh: AtomicUsize::new(0),
    };
    common.detail(format_args!("{} files found in {:?}", inputs.len(), start.elapsed()));
    let translator = || request.translator();
    let file = |translator: &mut Translator, input: &Input| work.file(translator, input);
    let records = on_all_cores(&inputs, common, translator, file, |_| String::new());
    let manifest = Manifest::new(settings, batch.shard, records);
    manifest.write(&path)?;
    let [written, fresh] = [&work.written, &work.fresh].map(|count| count.load(Ordering::Relaxed));
    let summary = if batch.json { summary_json } else { summary };
    let text = summary(&manifest, &path, written, fresh);
    files::write(None, text.as_bytes())?;
    match manifest.counts.failed {
        0 => Ok(()),
        failed => {
            let total = manifest.counts.programs;
            let text = format!("{failed} failed, out of {} files with {total} programs", inputs.len());
            Err(Failure::new(text).hint(format!("see {} for the reasons", path.display())))
        }
    }
}

/// Returns the name of the manifest of a shard, or of all files.
fn manifest_name(shard: Option<Shard>) -> String {
    shard.map_or("manifest.json".into(), |Shard { index, count }| format!("manifest.{index}-of-{count}.json"))
}

/// Returns everything but the files that results follow from.
fn settings(request: &Request<'_>, name: &NamePattern) -> Value {
    let (vertex, geometry) = request.job;
    let targets: Vec<&str> = request.targets.iter().map(|target| target.option()).collect();
    let entry = match vertex {
        Job::Compute => "compute",
        Job::Quaternions => "quaternions",
        _other_jobs_are_no_choice => "vertex",
    };
    json!({
        "targets": targets,
        "name": name.text,
        "entry": entry,
        "glsl_version": spelled(request.version),
        "vertex": geometry.vertex,
        "stride": geometry.stride,
        "options": request.resolved.options,
        "profile": request.resolved.profile,
        "salt": request.salt,
    })
}

/// Returns the files of an older manifest whose results are still valid.
fn known(path: &Path, settings: &Value, common: &Common) -> HashMap<String, FileRecord> {
    if !path.exists() {
        return HashMap::new();
    }
    match Manifest::read(path) {
        Ok(manifest) if manifest.tool == crate::json::TOOL && manifest.settings == *settings => {
            let complete = manifest.files.into_iter().filter(FileRecord::is_complete);
            complete.map(|record| (record.file.clone(), record)).collect()
        }
        Ok(_) => {
            common.detail(
                "the last manifest has different settings or another version; translating everything",
            );
            HashMap::new()
        }
        Err(failure) => {
            common.warn(format_args!("{}; translating everything", failure.message()));
            HashMap::new()
        }
    }
}

/// Returns the digest of bytes, as manifests spell it.
fn digest(bytes: &[u8]) -> String {
    Key(xxh3_128(bytes).to_be_bytes()).to_string()
}

impl Work<'_> {
    /// Translates every program of one file.
    fn file(&self, translator: &mut Translator, input: &Input) -> FileRecord {
        let (file, programs) = (input.relative.clone(), Vec::new());
        let mut record = FileRecord { file, bytes: None, digest: None, error: None, programs };
        match self.programs(translator, input, &mut record) {
            Ok(programs) => record.programs = programs,
            Err(error) => record.error = Some(error),
        }
        record
    }

    /// Translates every program of one file, whose size and digest it adds to the record.
    ///
    /// # Errors
    /// The reason for which the file has no programs.
    fn programs(
        &self,
        translator: &mut Translator,
        input: &Input,
        record: &mut FileRecord,
    ) -> Result<Vec<ProgramRecord>, String> {
        input.fault.clone().map_or(Ok(()), Err)?;
        let bytes = files::read_at_most(&input.path, files::MOST)?;
        record.bytes = Some(bytes.len() as u64);
        record.digest = Some(digest(&bytes));
        if let Some(known) = self.known.get(&record.file)
            && known.digest == record.digest
            && self.is_there(known)
        {
            let outputs = known.programs.iter().map(|program| program.outputs.len()).sum();
            self.fresh.fetch_add(outputs, Ordering::Relaxed);
            return Ok(known.programs.clone());
        }
        programs(input::Input::of_bytes(&input.path, bytes), |opened, file, program| {
            let outputs = Vec::new();
            let mut record =
                ProgramRecord { program, key: None, outputs, warnings: Vec::new(), errors: Vec::new() };
            if let Err(error) = self.translate(translator, input, (opened, file), &mut record) {
                record.errors.push(error.to_string());
            }
            record
        })
    }

    /// Returns whether all results of a file are on disk, unchanged.
    fn is_there(&self, record: &FileRecord) -> bool {
        let mut outputs = record.programs.iter().flat_map(|program| &program.outputs);
        outputs.all(|output| {
            let path = self.folder.join(&output.file);
            fs::metadata(&path).is_ok_and(|data| data.len() == output.bytes)
                && fs::read(&path).is_ok_and(|bytes| digest(&bytes) == output.digest)
        })
    }

    /// Translates one program, writes its results and adds them to the record.
    ///
    /// # Errors
    /// A program that cannot be translated. What concerns one target is added to the record.
    fn translate(
        &self,
        translator: &mut Translator,
        input: &Input,
        (opened, container): (&input::Input, &Shbin<'_>),
        record: &mut ProgramRecord,
    ) -> Result<(), Error> {
        let (index, request) = (record.program.dvle, self.request);
        let name = input.path.file_name().unwrap_or_default().to_string_lossy();
        let limits = &request.resolved.options.limits;
        let source = Translatable::new(container, index, &name, limits, request.job)?;
        let Translatable { program, environment, .. } = &source;
        let environment = sourced(environment, container, translator.profile(), opened);
        let key = translator.key(program, &*environment, source.job(), request.salt.as_bytes())?;
        record.key = Some(key.to_string());
        let translated = translator.translate(program, &*environment, source.job())?;
        record.warnings = translated.warnings.iter().map(ToString::to_string).collect();
        for &target in &request.targets {
            let reflection = || source.reflection(&translated);
            let form = (target, request.version);
            let result = emit(translator, &translated, form, reflection, json::reflection)
                .map_err(|failure| failure.message().to_owned())
                .and_then(|Emitted { bytes, warning }| {
                    record.warnings.extend(warning);
                    self.write(input, index, (target, &translated), &bytes)
                });
            match result {
                Ok(output) => record.outputs.push(output),
                Err(error) => record.errors.push(format!("{}: {error}", target.option())),
            }
        }
        Ok(())
    }

    /// Writes a result, unless the file has that content.
    fn write(
        &self,
        input: &Input,
        dvle: usize,
        (target, translated): (Target, &Translation),
        bytes: &[u8],
    ) -> Result<OutputRecord, String> {
        let ending = target.ending(glsl_ending(translated));
        let below = input.output(self.name, &dvle.to_string(), target, ending);
        let path = self.folder.join(&below);
        if path == self.manifest {
            return Err("its name would be the name of the manifest; choose another --name".into());
        }
        let is_there = fs::metadata(&path)
            .is_ok_and(|data| data.is_file() && data.len() == bytes.len() as u64)
            && fs::read(&path).is_ok_and(|old| old == bytes);
        if is_there {
            self.fresh.fetch_add(1, Ordering::Relaxed);
        } else {
            let failed = |error| format!("cannot write {}: {error}", plan::spelled(&below));
            write_below(&path, bytes).map_err(failed)?;
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        let (bytes, digest) = (bytes.len() as u64, digest(bytes));
        Ok(OutputRecord { target: target.option().into(), file: plan::spelled(&below), bytes, digest })
    }
}

/// Writes a file, and creates its folder if it is missing.
fn write_below(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::write(path, bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)
        }
        result => result,
    }
}

/// Iterates over the errors of a manifest: file, program, text.
fn failures(manifest: &Manifest) -> impl Iterator<Item = (&FileRecord, Option<&ProgramRecord>, &str)> {
    manifest.files.iter().flat_map(|file| {
        let own = file.error.iter().map(move |error| (file, None, error.as_str()));
        let programs = file.programs.iter().flat_map(move |program| {
            program.errors.iter().map(move |error| (file, Some(program), error.as_str()))
        });
        own.chain(programs)
    })
}

/// Returns a line for each error, and totals.
fn summary(manifest: &Manifest, path: &Path, written: usize, fresh: usize) -> String {
    let mut text = String::new();
    for (file, program, error) in failures(manifest) {
        let program = program.map_or(String::new(), |program| format!("dvle {} ", program.program.dvle));
        let _ = writeln!(text, "FAIL {} {program}{error}", file.file);
    }
    let counts = manifest.counts;
    let _ = writeln!(
        text,
        "{} files, {} programs, {} failed; {written} files written, {fresh} up to date; {}",
        counts.files,
        counts.programs,
        counts.failed,
        path.display()
    );
    text
}

/// Returns the same as JSON.
fn summary_json(manifest: &Manifest, path: &Path, written: usize, fresh: usize) -> String {
    let failures: Vec<Value> = failures(manifest)
        .map(|(file, program, error)| {
            row(&file.file, program.map(|program| &program.program), json!({ "error": error }))
        })
        .collect();
    Schema::TRANSLATE.text(json!({
        "manifest": path.display().to_string(), "counts": manifest.counts, "written": written, "fresh": fresh,
        "failures": failures,
    }))
}
