//! `transpica doctor`: every program of an emulator's shader caches, interpreter against GPU.
//! In: caches. Out: a report to publish, without paths; failed programs as files.
//! Programs with equal keys are one, whatever else their memories and registers hold. Modules have
//! the uniform block of the emulator that writes these caches, and attributes of floats. Each is
//! compared in compute; the vertex stage is created and draws a vertex, so that the driver compiles
//! it.

mod examination;
mod extract;
mod report;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use transpica::interp::Uniforms;
use transpica::settings::{Block, Layout};
use transpica::{Job, Key, Options, Profile, RegisterState, Stage, Translator, key};
use transpica_gpu::arithmetic::Arithmetic;
use transpica_gpu::compare::{self, Case, CompareError};
use transpica_gpu::{Gpu, Report, Route, VertexJob, functions, run_vertex};
use xxhash_rust::xxh3::xxh3_128;

use super::comparison::{Checked, Class, Fault, counted};
use crate::arguments::{Arguments, Results, vertices};
use crate::caches::{self, StoredProgram};
use crate::files::{self, Found};
use crate::gpu;
use crate::progress::progress;
use crate::report::{Common, Failure};
use crate::streams::Streams;
use examination::{Distinct, Examination, File, Row};

/// Check an emulator's shader caches on this GPU, and write a report
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica doctor shaders/vulkan/transferable
  transpica doctor 0004000000030800_vs.vkch -o report.md --extract failed
  transpica doctor shaders/opengl/transferable --adapter llvmpipe --json
  transpica doctor --arithmetic -o arithmetic.md      what this driver computes

Caches are the *_vs.vkch files and OpenGL .bin files in shaders/*/transferable of an emulator's user folder. They contain no constants, so each program runs with generated ones; both a compute and a vertex stage are created. The report is Markdown without paths, ready to paste into an issue.

Exit status 1 if a program failed or a file could not be read; a damaged end of a file is only a warning.")]
pub struct Doctor {
    /// Cache files, and folders that contain them; - reads standard input
    #[arg(required_unless_present = "arithmetic")]
    pub paths: Vec<PathBuf>,
    /// Measure the driver's arithmetic instead: operations on numbers of every kind, with and
    /// without what the device declares, and RCP, RSQ, EX2, LG2
    #[arg(long, conflicts_with_all = ["paths", "extract", "json", "vertices", "seed"])]
    pub arithmetic: bool,
    /// Compare these four for all 2^32 operands (minutes)
    #[arg(long, requires = "arithmetic")]
    pub every: bool,
    /// Vertices per program
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = vertices())]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Write each failed program to this folder as a .shbin file, to attach to the report
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    #[command(flatten)]
    pub results: Results,
}

impl Arguments for Doctor {
    fn streams(&self) -> Streams<'_> {
        self.results.streams([]).below(&self.paths).with_extensions(["md", "txt", "json"]).on_gpu(true)
    }
}

/// Limit of instructions per vertex on the interpreter: more than any vertex of a game takes.
const BUDGET: u64 = 1 << 18;
/// Most devices that are open at the same time.
const DEVICES: usize = 8;
/// Programs that are worth a device.
const PROGRAMS_OF_DEVICE: usize = 8;

/// Job of a program, and what else its verdict depends on.
struct Work<'a> {
    options: Options,
    route: Route,
    seed: u64,
    inputs: &'a [[[f32; 4]; 16]],
}

/// Runs the command.
pub fn run(arguments: &Doctor, common: &Common) -> Result<(), Failure> {
    let &Doctor { ref paths, vertices, seed, ref adapter, ref extract, ref results, .. } = arguments;
    if arguments.arithmetic {
        return arithmetic(arguments, common);
    }
    let (files, others) = read(paths)?;
    if let Some((reason, rest)) = none_readable(&files) {
        let rest =
            if rest == 0 { String::new() } else { format!(", and {rest} other files could not be read") };
        return Err(Failure::new(format!("{reason}{rest}")));
    }
    let first = gpu::open(adapter.as_deref(), common)?;
    let route = first.usual_route();
    let driver = Report::new(&first).map_err(|error| Failure::new(error.to_string()))?;
    let inputs = transpica_inspect::values::inputs(seed, vertices);
    let work = Work { options: options(), route, seed, inputs: &inputs };
    let distinct = distinct(&files, &work.options);
    let gpus = devices(first, adapter.as_deref(), distinct.len());
    let checked = work.check_programs(&gpus, &distinct, common)?;
    let rows = distinct.into_iter().zip(checked).map(Row::new).collect();
    let examination = Examination { files: &files, others, rows, driver, vertices, seed, route };
    if let Some(folder) = extract {
        extract::write(&examination, folder)?;
    }
    let is_json = results.is_json();
    results.write(&if is_json { report::json(&examination) } else { report::markdown(&examination) })?;
    verdict(&examination)
}

/// Blocks of 2^20 operands of a function, of 4,096.
const BLOCKS: u32 = 16;

/// Measures a driver's arithmetic.
fn arithmetic(Doctor { adapter, every, results, .. }: &Doctor, common: &Common) -> Result<(), Failure> {
    let gpu = gpu::open(adapter.as_deref(), common)?;
    let failed = |error: CompareError| Failure::new(error.to_string());
    let report = Report::new(&gpu).map_err(failed)?;
    let blocks = if *every { functions::BLOCKS } else { BLOCKS };
    let measured = Arithmetic::new(&gpu, blocks, &mut |function| {
        common.detail(format_args!("{}: {} differ", function.name, function.differing));
    });
    let measured = measured.map_err(failed)?;
    results.write(&format!("```text\n{report}```\n{measured}"))?;
    if measured.passed() {
        Ok(())
    } else {
        Err(Failure::new("the driver's arithmetic is not what it declares"))
    }
}

/// Returns why the first file could not be read, and the number of others, if none could be.
fn none_readable(files: &[File]) -> Option<(String, usize)> {
    let (first, rest) = files.split_first()?;
    let reason = first.cache.as_ref().err()?;
    let is_none = rest.iter().all(|file| file.cache.is_err());
    is_none.then(|| (format!("{}: {reason}", first.name), rest.len()))
}

/// Returns the failure that the result amounts to.
fn verdict(examination: &Examination<'_>) -> Result<(), Failure> {
    let count = |class: Class| (examination.count(class), class.name());
    let unreadable = examination.files.iter().filter(|file| file.cache.is_err()).count();
    let parts = Class::ALL.into_iter().filter(|class| class.fails()).map(count);
    let parts = counted(parts.chain([(unreadable, "files could not be read")]));
    if parts.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("of {} distinct programs: {parts}", examination.rows.len())))
}

/// Options of an emulator that writes these caches.
fn options() -> Options {
    Options { block: Block { layout: Layout::Azahar, ..Block::default() }, ..Options::default() }
}

/// Reads all caches, and returns them with the names of caches of other kinds.
fn read(paths: &[PathBuf]) -> Result<(Vec<File>, Vec<String>), Failure> {
    let mut others = Vec::new();
    let mut files = Vec::new();
    for found in files::caches(paths)? {
        files.push(match found {
            Found::Other(path) => {
                others.push(files::name(&path));
                continue;
            }
            Found::Unreadable(failure) => {
                File { name: "-".into(), bytes: 0, cache: Err(failure.message().to_string()) }
            }
            Found::Cache(path) => match files::read_at_most(&path, files::MOST_OF_LARGE) {
                Err(error) => File { name: files::name(&path), bytes: 0, cache: Err(error) },
                Ok(bytes) => {
                    let cache = caches::read(&bytes).map_err(|fault| fault.to_string());
                    File { name: files::name(&path), bytes: bytes.len(), cache }
                }
            },
        });
    }
    Ok((files, others))
}

/// Returns one program of each key, in the order of the files.
fn distinct<'a>(files: &'a [File], options: &Options) -> Vec<Distinct<'a>> {
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut all: Vec<Distinct<'_>> = Vec::new();
    for file in files {
        for program in file.cache.iter().flat_map(|cache| &cache.programs) {
            let key = key_of(program, options);
            let place = *places.entry(key).or_insert(all.len());
            match all.get_mut(place) {
                Some(distinct) => distinct.count += 1,
                None => all.push(Distinct { key, program, file: &file.name, count: 1 }),
            }
        }
    }
    all
}

/// Returns the job of the program's stage.
fn job(state: &RegisterState) -> Job<'static> {
    if state.has_geometry() {
        Job::BeforeGeometry { outputs: state.vertex().output_mask(), vertices: 1 }
    } else {
        Job::Vertex
    }
}

/// Returns the key of a program; of one that the library refuses, a hash of all that is stored.
fn key_of(stored: &StoredProgram, options: &Options) -> Key {
    let state = stored.state();
    if let Ok(program) = state.program(Stage::Vertex)
        && let Ok(key) = key(&program, &state.vertex(), job(&state), options, &Profile::default(), b"")
    {
        return key;
    }
    let registers = stored.registers.iter().flat_map(|&(register, value)| [u32::from(register), value]);
    let words = stored.words.code.iter().chain(&stored.words.descriptors).copied().chain(registers);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    Key(xxh3_128(&bytes).to_le_bytes())
}

/// Opens as many devices as the work is worth. Each thread has its own: errors of a device concern
/// one program only.
fn devices(first: Gpu, adapter: Option<&str>, programs: usize) -> Vec<Gpu> {
    let wanted = rayon::current_num_threads().min(DEVICES).min(programs / PROGRAMS_OF_DEVICE);
    let mut all = vec![first];
    while all.len() < wanted {
        // One device is enough, so a driver that gives no more is fine.
        let Ok(gpu) = Gpu::open(adapter) else { break };
        all.push(gpu);
    }
    all
}

impl Work<'_> {
    /// Checks all programs, one thread for each device.
    fn check_programs(
        &self,
        gpus: &[Gpu],
        programs: &[Distinct<'_>],
        common: &Common,
    ) -> Result<Vec<Checked>, Failure> {
        let bar = progress(programs.len(), "programs", common.quiet);
        let pool = ThreadPoolBuilder::new().num_threads(gpus.len()).build();
        let pool = pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
        let checked = pool.install(|| {
            let checks = programs.par_iter().map(|distinct| {
                let gpu = &gpus[rayon::current_thread_index().unwrap_or(0) % gpus.len()];
                // The last of these lines names the program if the driver ends the process.
                common.detail(format_args!(
                    "{} {:#x} in {}",
                    distinct.key, distinct.program.offset, distinct.file
                ));
                let checked = self.program(gpu, distinct.program);
                bar.inc(1);
                checked
            });
            checks.collect()
        });
        bar.finish_and_clear();
        Ok(checked)
    }

    /// Checks one program.
    fn program(&self, gpu: &Gpu, stored: &StoredProgram) -> Checked {
        let state = stored.state();
        let program = state.program(Stage::Vertex)?;
        let (uniforms, inputs) = (self.uniforms(stored, &state), self.inputs(stored));
        let environment = state.vertex();
        let case = Case {
            program: &program,
            environment: &environment,
            uniforms: &uniforms,
            inputs: &inputs,
            options: self.options,
            budget: BUDGET,
        };
        let verdict = compare::compare(gpu, &case, self.route)?;
        match self.stage(gpu, &case, job(&state)) {
            Err(CompareError::Gpu(error)) if verdict.passed() => {
                Err(Fault { class: Class::Rejected, text: format!("as a vertex stage: {error}") })
            }
            Err(error @ CompareError::Program(_)) if verdict.passed() => Err(error.into()),
            Ok(()) | Err(_) => Ok(verdict),
        }
    }

    /// Creates the vertex stage and draws the first vertex, if that ends. Programs in front of a
    /// geometry program are drawn in compute, so they are translated only.
    fn stage(&self, gpu: &Gpu, case: &Case<'_>, job: Job<'_>) -> Result<(), CompareError> {
        let mut translator = Translator::new(self.options, Profile::default());
        let translated = translator.translate(case.program, case.environment, job)?;
        let shader = compare::shader(gpu, &mut translator, &translated, self.route)?;
        let first = &case.inputs[..case.inputs.len().min(1)];
        let ends = compare::reference(&Case { inputs: first, ..*case }, gpu.facts().subnormals)?;
        let (Job::Vertex, [Some(_)], [vertex]) = (job, &ends[..], first) else { return Ok(()) };
        let uniforms = compare::uniform_bytes(&translated, case.uniforms);
        let vertices = [vertex.map(|register| register.map(f32::to_bits))];
        run_vertex(gpu, VertexJob::new(shader, &translated.interface, &uniforms, &vertices))?;
        Ok(())
    }

    /// Returns generated uniforms, with the bools and ints of the draw if they are stored.
    fn uniforms(&self, stored: &StoredProgram, state: &RegisterState) -> Uniforms {
        let generated = transpica_inspect::values::uniforms(self.seed);
        if stored.has_values {
            Uniforms { floats: generated.floats, ..state.uniforms(Stage::Vertex) }
        } else {
            generated
        }
    }

    /// Returns the inputs. Every other vertex has values that its attributes can hold.
    fn inputs(&self, stored: &StoredProgram) -> Vec<[[f32; 4]; 16]> {
        let mut inputs = self.inputs.to_vec();
        for vertex in inputs.iter_mut().step_by(2) {
            for (register, format) in vertex.iter_mut().zip(stored.formats) {
                *register = format.shape(*register);
            }
        }
        inputs
    }
}

#[cfg(test)]
mod tests {
    use transpica_gpu::GpuError;
    use transpica_gpu::compare::{Difference, Verdict};

    use super::*;

    #[test]
    fn results_are_classified_as_in_compare() {
        let first = Difference { vertex: 3, register: 1, component: 2, expected: 0x3F80_0000, found: 0 };
        let equal = Verdict { vertices: 8, values: 32, components: 4, ..Verdict::default() };
        let different = Verdict { differing: 2, first: Some(first), ..equal.clone() };
        let none = Verdict { values: 0, ..equal.clone() };
        let too_long = GpuError::TooLong { invocations: 1, of: 8, rounds: 65_535 };
        for (checked, class, fails, detail) in [
            (Ok(equal), Class::Equal, false, ""),
            (Ok(different), Class::Different, true, "2 values differ; first: vertex 3 o1.z: interpreter 1.0"),
            (Ok(Verdict { is_open: true, ..none.clone() }), Class::Nothing, false, "are the driver's"),
            (Ok(Verdict { unfinished: 9, ..none }), Class::Nothing, false, "within the instruction budget"),
            (Err(CompareError::Gpu(too_long).into()), Class::CutShort, true, "1 of 8 invocations"),
            (Err(CompareError::Gpu(GpuError::Refused("no".into())).into()), Class::Rejected, true, "no"),
        ] {
            let program = &StoredProgram {
                words: caches::Words { code: Vec::new(), descriptors: Vec::new() }.into(),
                registers: Vec::new(),
                has_values: false,
                formats: Default::default(),
                offset: 0,
            };
            let row = Row::new((Distinct { key: Key([0; 16]), program, file: "", count: 1 }, checked));
            assert_eq!((row.class, class.fails()), (class, fails));
            assert!(row.detail.contains(detail), "{}", row.detail);
        }
    }
}
