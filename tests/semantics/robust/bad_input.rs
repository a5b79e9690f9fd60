//! No file makes the library panic or violate its own invariants: damaged samples go through all
//! stages from bytes to a module, and errors name their place.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use fastrand::Rng;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::isa::Pc;
use transpica::settings::{Arithmetic, Block, Control, Layout};
use transpica::stages::backend::text::Language;
use transpica::{
    At, Error, Job, Kind, Options, Precision, Profile, Result, Setup, Shbin, Stage, Translation, Translator,
};
use transpica_proof::daily;
use transpica_proof::spirv_tools;

use crate::samples::{Sample, samples};

/// Number of inputs by the stage that they reached.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    inputs: usize,
    parsed: usize,
    programs: usize,
    tried: usize,
    translated: usize,
    texts: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.inputs += other.inputs;
        self.parsed += other.parsed;
        self.programs += other.programs;
        self.tried += other.tried;
        self.translated += other.translated;
        self.texts += other.texts;
    }
}

/// Stages that an input goes through, beyond parsing.
#[derive(Clone, Copy)]
struct Effort {
    translate: bool,
    text: bool,
    options: Options,
    /// Job of vertex programs.
    job: Job<'static>,
}

/// Runs all stages. Errors are fine, except those that report a defect of the library.
fn attempt(bytes: &[u8], effort: Effort, count: &mut Count) -> Result<()> {
    count.inputs += 1;
    let file = Shbin::parse(bytes)?;
    count.parsed += 1;
    file.warnings().iter().for_each(|warning| assert!(!warning.to_string().is_empty()));
    let mut result = Ok(());
    for index in 0..file.executables.len() {
        result = result.and(check_one(&file, index, effort, count));
    }
    result
}

fn check_one(file: &Shbin<'_>, index: usize, effort: Effort, count: &mut Count) -> Result<()> {
    let program = dvle::program(file, index, &effort.options.limits)?;
    count.programs += 1;
    program.warnings((0..program.code().len()).map(|pc| Pc(pc as u16)));
    if !effort.translate {
        return Ok(());
    }
    count.tried += 1;
    let mut translator = Translator::new(effort.options, Profile::default());
    let environment = FileEnvironment::new(file, index, "damaged.shbin")?;
    let translated = match program.stage() {
        Stage::Vertex => translator.translate(&program, &environment, effort.job)?,
        Stage::Geometry => translator.translate(
            &program,
            &environment,
            Job::Geometry(&Setup::of_geometry(file, index, None)?),
        )?,
    };
    spirv_tools::validate(&translator.spirv(&translated)?).unwrap_or_else(|error| panic!("{error}"));
    count.translated += 1;
    if effort.text {
        // In debug builds naga checks the module by all of its rules here.
        translated.text(Language::Wgsl)?;
        count.texts += 1;
    }
    Ok(())
}

/// Fails on a panic and on errors that report a defect of the library.
fn survive(name: &str, bytes: &[u8], effort: Effort, count: &mut Count) {
    match catch_unwind(AssertUnwindSafe(|| attempt(bytes, effort, count))) {
        Err(_) => panic!("{name}: panicked, see above"),
        Ok(Err(error)) => assert!(!is_defect(&error), "{name}: {error}"),
        Ok(Ok(())) => {}
    }
}

fn is_defect(error: &Error) -> bool {
    matches!(error.kind, Kind::Verify(_) | Kind::Backend(_))
}

/// Distributes indices over the cores.
fn in_parallel(end: usize, run: impl Fn(usize, &mut Count) + Sync) -> Count {
    let total = Mutex::new(Count::default());
    let workers = thread::available_parallelism().map_or(2, Into::into);
    thread::scope(|scope| {
        for worker in 0..workers {
            let (run, total) = (&run, &total);
            scope.spawn(move || {
                let mut count = Count::default();
                (worker..end).step_by(workers).for_each(|number| run(number, &mut count));
                total.lock().expect("no panic").add(count);
            });
        }
    });
    total.into_inner().expect("no panic")
}

#[test]
fn samples_cut_short_at_every_length_are_refused_or_translated() {
    let samples = samples();
    let count = in_parallel(samples.len(), |number, count| {
        let Sample { name, bytes } = &samples[number];
        for length in 0..bytes.len() {
            let translate = length % 16 == number % 16;
            let effort = Effort { translate, text: false, options: Options::default(), job: Job::Vertex };
            survive(&format!("{name} cut at {length}"), &bytes[..length], effort, count);
        }
    });
    println!("cut short: {count:?}");
    assert!(count.inputs > 20_000 && count.parsed * 2 < count.inputs, "{count:?}");
}

/// Damages a file at one to four places: single bits, bytes, words, copies of other words.
fn damage(bytes: &mut [u8], random: &mut Rng) {
    for _ in 0..=random.usize(..4) {
        let (byte, word) = (random.usize(..bytes.len()), random.usize(..(bytes.len() / 4).max(1)) * 4);
        let value = random.u32(..);
        let write =
            |bytes: &mut [u8], value: u32| bytes[word..word + 4].copy_from_slice(&value.to_le_bytes());
        match random.usize(..8) {
            0 => bytes[byte] ^= 1 << random.usize(..8),
            1 => bytes[byte] = 0,
            2 => bytes[byte] = 0xFF,
            3 => bytes[byte] = value as u8,
            4 => write(bytes, value),
            5 => write(bytes, value >> random.usize(..32)),
            6 => write(bytes, u32::MAX << random.usize(..32)),
            _ => {
                let from = random.usize(..(bytes.len() / 4).max(1)) * 4;
                bytes.copy_within(from..from + 4, word);
            }
        }
    }
}

/// Translates only one in this many damaged files, since all are parsed; a few of those become
/// text.
const TRANSLATED: usize = 12;
const TEXTS: usize = TRANSLATED * 8;
const DAMAGED: usize = 120_000;

#[test]
fn damaged_samples_are_refused_or_translated() {
    let samples = samples();
    let files = daily::cases("damaged files", DAMAGED as u64 / 4, DAMAGED as u64) as usize;
    let count = in_parallel(files, |number, count| {
        let sample = &samples[number % samples.len()];
        let mut random = Rng::with_seed(number as u64);
        let mut bytes = sample.bytes.clone();
        damage(&mut bytes, &mut random);
        let pick = random.usize(..8);
        let options = Options {
            arithmetic: Arithmetic {
                precision: [Precision::Exact, Precision::Fast, Precision::F24][pick % 3],
                ..Arithmetic::default()
            },
            block: Block {
                layout: if pick & 2 == 0 { Layout::Symbols } else { Layout::Registers },
                ..Block::default()
            },
            control: Control { permissive: pick & 4 == 0, ..Control::default() },
            ..Options::default()
        };
        let turn = random.usize(..TEXTS);
        let job = if pick & 1 == 0 { Job::Vertex } else { Job::Compute };
        let effort = Effort { translate: turn.is_multiple_of(TRANSLATED), text: turn == 0, options, job };
        survive(&format!("{} damage {number}", sample.name), &bytes, effort, count);
    });
    println!("damaged: {count:?}");
    assert_eq!(count.inputs, files);
    assert!(count.parsed > files / 3 && count.translated > files / TRANSLATED / 4, "{count:?}");
}

const TEXTURED: &[u8] = include_bytes!("../../../shaders/textured.shbin");

/// A copy of `textured.shbin` with other words. Offsets are relative to the start of a structure.
#[derive(Clone)]
struct PatchedFile {
    bytes: Vec<u8>,
    package: usize,
    executable: usize,
}

impl PatchedFile {
    fn new() -> Self {
        let word = |at: usize| u32::from_le_bytes(TEXTURED[at..at + 4].try_into().expect("four")) as usize;
        Self { bytes: TEXTURED.to_vec(), package: 8 + 4 * word(4), executable: word(8) }
    }
    fn set(mut self, at: usize, value: u32) -> Self {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }
    fn package(self, at: usize, value: u32) -> Self {
        let at = self.package + at;
        self.set(at, value)
    }
    fn executable(self, at: usize, value: u32) -> Self {
        let at = self.executable + at;
        self.set(at, value)
    }
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four"))
    }
    /// Replaces a code word.
    fn code(self, pc: usize, value: u32) -> Self {
        let at = self.package + self.word(self.package + 8) as usize + 4 * pc;
        self.set(at, value)
    }
    fn translate(&self, options: Options) -> Result<Translation> {
        let file = Shbin::parse(&self.bytes)?;
        let program = dvle::program(&file, 0, &options.limits)?;
        let mut translator = Translator::new(options, Profile::default());
        let translated =
            translator.translate(&program, &FileEnvironment::new(&file, 0, "patched")?, Job::Vertex)?;
        spirv_tools::validate(&translator.spirv(&translated)?).unwrap_or_else(|error| panic!("{error}"));
        Ok(translated)
    }
    fn error(&self) -> Error {
        self.translate(Options::default()).expect_err("malformed")
    }
}

/// Fields of a package and of an executable: the offset of a table, and its number of entries.
const PACKAGE_TABLES: [(usize, usize); 2] = [(0x08, 0x0C), (0x10, 0x14)];
const EXECUTABLE_TABLES: [(usize, usize); 4] = [(0x18, 0x1C), (0x20, 0x24), (0x28, 0x2C), (0x30, 0x34)];

#[test]
fn tables_outside_the_file_are_refused_at_a_place() {
    for (offset, count) in PACKAGE_TABLES {
        for patched in [
            PatchedFile::new().package(offset, 0x10_0000).package(count, 1),
            PatchedFile::new().package(offset, u32::MAX).package(count, 1),
            PatchedFile::new().package(count, 0x7FFF_FFFF),
            PatchedFile::new().package(count, u32::MAX),
        ] {
            let error = patched.error();
            assert!(matches!(error.at, At::Offset(_)) && error.kind.hint().is_some(), "{offset:#x}: {error}");
        }
    }
    for (offset, count) in EXECUTABLE_TABLES {
        for patched in [
            PatchedFile::new().executable(offset, 0x10_0000).executable(count, 1),
            PatchedFile::new().executable(offset, u32::MAX).executable(count, 1),
            PatchedFile::new().executable(count, 0x1FFF_FFFF),
            PatchedFile::new().executable(count, u32::MAX),
        ] {
            let error = patched.error();
            assert!(matches!(error.at, At::Offset(_)) && error.kind.hint().is_some(), "{offset:#x}: {error}");
        }
    }
    for count in [1025, 0x4000_0000, u32::MAX] {
        assert_eq!(PatchedFile::new().set(4, count).error().at, At::Offset(4));
    }
}

#[test]
fn tables_that_overlap_are_read_where_they_are() {
    // The descriptors overlap the code words, and the constants the executable's own header.
    let code = PatchedFile::new();
    let offset = code.word(code.package + 8);
    let words = code.word(code.package + 0x0C);
    let overlapping = code.package(0x10, offset).package(0x14, words / 2);
    overlapping.translate(Options::default()).expect("descriptors over code");
    let constants = PatchedFile::new().executable(0x18, 0).executable(0x1C, 2);
    constants.translate(Options::default()).expect("constants over the header");
}

#[test]
fn an_undefined_opcode_is_an_error_or_nop_when_permissive() {
    let permissive =
        Options { control: Control { permissive: true, ..Control::default() }, ..Options::default() };
    let nop = PatchedFile::new().code(2, 0x21 << 26).translate(Options::default()).expect("valid");
    let mut undefined = 0;
    for opcode in 0u8..64 {
        let patched = PatchedFile::new().code(2, u32::from(opcode) << 26);
        match patched.translate(Options::default()) {
            Err(Error { kind: Kind::BadOpcode(found), at }) => {
                assert_eq!((found, at), (opcode, At::Pc(2)));
                let translated = patched.translate(permissive).expect("NOP");
                let text = |translated: &Translation| transpica::stages::ir::text::print(&translated.module);
                assert_eq!(text(&translated), text(&nop), "opcode {opcode:#x}");
                undefined += 1;
            }
            Err(error) => panic!("opcode {opcode:#x}: {error}"),
            Ok(_) => {}
        }
    }
    assert!(undefined > 4, "only {undefined} are undefined");
    // After the end of the program any word is fine.
    let end = 12;
    let unreachable = PatchedFile::new().code(end - 1, 0x22 << 26).code(end, 0x3F << 26);
    assert!(unreachable.translate(Options::default()).is_ok());
}

#[test]
fn an_entry_point_outside_the_code_is_refused() {
    for entry in [13, 512, 0xFFFF, 0x1_0000, u32::MAX] {
        let error = PatchedFile::new().executable(8, entry).error();
        assert!(matches!(error.kind, Kind::EntryOutOfCode { entry: found, .. } if found == entry), "{error}");
    }
}

#[test]
fn a_vertex_program_cannot_begin_at_word_512() {
    use transpica::container::{Model, write};
    let file = Shbin::parse(TEXTURED).expect("valid");
    let mut model = Model::from(&file);
    model.code.resize(600, 0x22 << 26);
    model.executables[0].header.main = 511;
    let start = |model: &Model| {
        let bytes = write(model);
        let file = Shbin::parse(&bytes).expect("well formed");
        dvle::program(&file, 0, &Options::default().limits).map(|program| program.entry())
    };
    assert_eq!(start(&model), Ok(Pc(511)));
    model.executables[0].header.main = 512;
    let error = start(&model).expect_err("outside the vertex unit");
    assert_eq!(error.kind, Kind::EntryOutOfReach { entry: 512, words: 512 });
}

#[test]
fn an_unknown_shader_type_and_a_geometry_program_are_refused() {
    let kinds = [(1u32, "geometry program"), (7, "shader type is 0x7")];
    for (kind, text) in kinds {
        let patched = PatchedFile::new();
        let word = patched.word(patched.executable + 4) & 0xFF00_FFFF | kind << 16;
        let error = patched.executable(4, word).error();
        assert!(error.to_string().contains(text), "{error}");
    }
}
