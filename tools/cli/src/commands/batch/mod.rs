//! `transpica translate --out-dir`: every program of many files to some targets, on all cores.
//! In: files and folders. Out: results, a manifest, a summary. A file or program with an error
//! does not end the run.
//! Fresh results are not written: a file that the last manifest lists with the same settings, whose
//! results are there unchanged, is not even translated; a result that is on disk already stays as
//! it is. Each result is written before the next program is translated, so memory holds one file
//! of each thread, and the manifest.

mod manifest;
mod plan;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use transpica::container::Dvle;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::reflect::Reflection;
use transpica::{Error, Job, Key, Setup, Shbin, Stage, Translation, Translator};
use transpica_inspect::json;
use xxhash_rust::xxh3::xxh3_128;

use super::dis;
use super::translate::{Emitted, Request, emit, glsl_ending};
use crate::args::{Common, Target, Translate, spelled};
use crate::files;
use crate::json::{ProgramName, Schema, row};
use crate::report::Failure;
use manifest::{FileRecord, Manifest, OutputRecord, ProgramRecord, ShardRecord};
use plan::Input;

pub use manifest::merge;

/// Settings of a batch, and its counters.
struct Work<'a> {
    folder: &'a Path,
    manifest: &'a Path,
    request: &'a Request<'a>,
    /// Complete files of the last manifest with the same settings, by relative path.
    known: HashMap<String, FileRecord>,
    /// Results that were written.
    written: AtomicUsize,
    /// Results that were there.
    fresh: AtomicUsize,
}

/// Translates all programs of the files and folders of a request.
pub fn run(folder: &Path, request: &Request<'_>, common: &Common) -> Result<(), Failure> {
    let Translate { files: paths, batch, .. } = request.arguments;
    let start = Instant::now();
    let inputs = plan::inputs(paths, &batch.name, batch.shard)?;
    fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    let shard = batch.shard.map(|shard| ShardRecord { index: shard.index, count: shard.count });
    let path = folder.join(manifest_name(shard));
    let settings = settings(request);
    let work = Work {
        folder,
        manifest: &path,
        request,
        known: known(&path, &settings, common),
        written: AtomicUsize::new(0),
        fresh: AtomicUsize::new(0),
    };
    common.detail(format_args!("{} files found in {:?}", inputs.len(), start.elapsed()));
    let translator = || request.translator();
    let file = |translator: &mut Translator, input: &Input| work.file(translator, input);
    let records = super::on_all_cores(&inputs, common, translator, file, |_| String::new());
    let manifest = Manifest::new(settings, shard, records);
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
fn manifest_name(shard: Option<ShardRecord>) -> String {
    shard.map_or("manifest.json".into(), |ShardRecord { index, count }| {
        format!("manifest.{index}-of-{count}.json")
    })
}

/// Returns everything that results follow from besides the files.
fn settings(request: &Request<'_>) -> Value {
    let Translate { batch, geometry, salt, .. } = request.arguments;
    let targets: Vec<&str> = request.targets.iter().map(|target| target.option()).collect();
    let entry = match request.vertex {
        Job::Compute => "compute",
        Job::Quaternions => "quaternions",
        _other_jobs_are_no_choice => "vertex",
    };
    json!({
        "targets": targets,
        "name": batch.name.text,
        "entry": entry,
        "glsl_version": spelled(request.version),
        "vertex": geometry.vertex,
        "stride": geometry.stride,
        "options": request.resolved.options,
        "profile": request.resolved.profile,
        "salt": salt,
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
        let mut record = FileRecord {
            file: input.relative.clone(),
            bytes: None,
            digest: None,
            error: input.fault.clone(),
            programs: Vec::new(),
        };
        if record.error.is_some() {
            return record;
        }
        let bytes = match files::read_container(&input.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                record.error = Some(error);
                return record;
            }
        };
        record.bytes = Some(bytes.len() as u64);
        record.digest = Some(digest(&bytes));
        if let Some(known) = self.known.get(&record.file)
            && known.digest == record.digest
            && self.is_there(known)
        {
            let outputs = known.programs.iter().map(|program| program.outputs.len()).sum();
            self.fresh.fetch_add(outputs, Ordering::Relaxed);
            return known.clone();
        }
        let opened = match super::Input::of_bytes(&input.path, bytes) {
            Ok(opened) => opened,
            Err(failure) => {
                record.error = Some(failure.message().to_string());
                return record;
            }
        };
        match Shbin::parse(&opened.bytes) {
            Ok(container) => {
                let executables = container.executables.iter().enumerate();
                let programs = executables.map(|(index, executable)| {
                    self.program(translator, input, &container, (index, executable))
                });
                record.programs = programs.collect();
            }
            Err(error) => record.error = Some(error.to_string()),
        }
        record
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

    /// Translates one program and writes its results.
    fn program(
        &self,
        translator: &mut Translator,
        input: &Input,
        container: &Shbin<'_>,
        (index, executable): (usize, &Dvle<'_>),
    ) -> ProgramRecord {
        let mut record = ProgramRecord {
            program: ProgramName::new(index, executable),
            key: None,
            outputs: Vec::new(),
            warnings: Vec::new(),
            errors: Vec::new(),
        };
        if let Err(error) = self.translate(translator, input, container, &mut record) {
            record.errors.push(error.to_string());
        }
        record
    }

    /// Translates one program, writes its results and adds them to the record.
    ///
    /// # Errors
    /// A program that cannot be translated. What concerns one target is added to the record.
    fn translate(
        &self,
        translator: &mut Translator,
        input: &Input,
        container: &Shbin<'_>,
        record: &mut ProgramRecord,
    ) -> Result<(), Error> {
        let index = record.program.dvle;
        let name = input.path.file_name().unwrap_or_default().to_string_lossy();
        let Translate { geometry, salt, .. } = self.request.arguments;
        let program = dvle::program(container, index, &self.request.resolved.options.limits)?;
        let environment = FileEnvironment::new(container, index, &name)?;
        let setup = match program.stage() {
            Stage::Vertex => None,
            Stage::Geometry => Some(Setup::with_nearest(container, index, geometry.vertex, geometry.stride)?),
        };
        let job = setup.as_ref().map_or(self.request.vertex, Job::Geometry);
        let sourced = dis::sourced(&environment, container, translator.profile(), &input.path);
        record.key = Some(translator.key(&program, &*sourced, job, salt.as_bytes())?.to_string());
        let translated = translator.translate(&program, &*sourced, job)?;
        record.warnings = translated.warnings.iter().map(ToString::to_string).collect();
        let reflection = || {
            let reflection = Reflection::new(&program, &translated, &environment.constants());
            reflection.with_symbols(environment.executable())
        };
        for &target in &self.request.targets {
            let result =
                emit(translator, &translated, target, self.request.version, reflection, json::reflection)
                    .map_err(|error| error.to_string())
                    .and_then(|Emitted { bytes, warnings }| {
                        record.warnings.extend(warnings);
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
        let below = input.output(&self.request.arguments.batch.name, &dvle.to_string(), target, ending);
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

/// Writes a file, and makes its folder if that is missing.
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
