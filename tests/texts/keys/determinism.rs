//! The same program and options give the same bytes: in every run, process and thread, regardless
//! of earlier translations and of the seeds of hash tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use transpica::container::{DescriptorRecord, Model, ShaderType, write};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::Arithmetic;
use transpica::{Job, Options, Precision, Profile, Result, Shbin, Translation, Translator};
use transpica_proof::generate::{Kind, generate};
use transpica_proof::spirv_tools;

use crate::again::again;
use crate::samples::samples;

const THREADS: usize = 8;
const RANDOM_PROGRAMS: u64 = 200;

/// A program in its file.
struct Input {
    name: String,
    bytes: Vec<u8>,
    executable: usize,
}

/// Every vertex program of the samples, and random ones.
fn inputs() -> &'static [Input] {
    static INPUTS: OnceLock<Vec<Input>> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let mut inputs = Vec::new();
        for sample in samples() {
            let file = Shbin::parse(&sample.bytes).expect("valid");
            for (executable, dvle) in file.executables.iter().enumerate() {
                if dvle.header.shader_type() == Some(ShaderType::Vertex) {
                    let (name, bytes) = (sample.name.clone(), sample.bytes.clone());
                    inputs.push(Input { name, bytes, executable });
                }
            }
        }
        let container = Shbin::parse(include_bytes!("../../../shaders/textured.shbin")).expect("valid");
        for seed in 0..RANDOM_PROGRAMS {
            let kind = Kind::ALL[seed as usize % Kind::ALL.len()];
            let generated = generate(kind, seed);
            let mut model = Model::from(&container);
            model.code = generated.code;
            let descriptors = generated.descriptors.into_iter();
            model.descriptors =
                descriptors.map(|bits| DescriptorRecord { bits, usage: 0, reserved: 0 }).collect();
            model.executables[0].header.main = generated.entry.0.into();
            inputs.push(Input { name: format!("{kind:?} {seed}"), bytes: write(&model), executable: 0 });
        }
        inputs
    })
}

/// Options that differ for neighboring indices, so that a translator is used for different things.
fn options(index: usize) -> Options {
    Options {
        arithmetic: Arithmetic {
            precision: [Precision::Exact, Precision::Fast, Precision::F24][index / 2 % 3],
            ..Arithmetic::default()
        },
        ..Options::default()
    }
}

/// Number of different options.
const OPTIONS: usize = 6;

/// A fresh translator and its job.
fn translator(index: usize) -> (Translator, Job<'static>) {
    let job = [Job::Vertex, Job::Compute][index % 2];
    (Translator::new(options(index), Profile::default()), job)
}

/// Translators for all options, to be used many times.
fn translators() -> Vec<(Translator, Job<'static>)> {
    (0..OPTIONS).map(translator).collect()
}

fn translate(
    (translator, job): &mut (Translator, Job<'static>),
    input: &Input,
) -> Result<(Translation, Vec<u32>)> {
    let file = Shbin::parse(&input.bytes)?;
    let program = dvle::program(&file, input.executable, &translator.options().limits)?;
    let environment = FileEnvironment::new(&file, input.executable, &input.name)?;
    let translated = translator.translate(&program, &environment, *job)?;
    let words = translator.spirv(&translated)?;
    Ok((translated, words))
}

/// Hash of everything that a translation returns, or the error.
fn fingerprint(translator: &mut (Translator, Job<'static>), input: &Input) -> String {
    match translate(translator, input) {
        Ok((translated, words)) => {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            let rest = format!("{:?} {:?}", translated.interface, translated.warnings);
            let text = text(&translated);
            format!("{:016x}", hash(bytes.chain(rest.into_bytes()).chain(text.into_bytes())))
        }
        Err(error) => error.to_string(),
    }
}

fn text(translated: &Translation) -> String {
    let text = translated.text(transpica::stages::backend::text::Language::Wgsl);
    text.unwrap_or_else(|error| error.to_string())
}

/// FNV-1a, which is the same everywhere.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Fingerprints of all inputs, each from a fresh translator, in order.
fn expected() -> &'static [String] {
    static EXPECTED: OnceLock<Vec<String>> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let one = |(index, input)| fingerprint(&mut translator(index), input);
        inputs().iter().enumerate().map(one).collect()
    })
}

/// Translates all inputs in a scattered order with reused translators, and compares.
fn check_scattered(start: usize) {
    let mut translators = translators();
    let inputs = inputs();
    // 7919 is prime and larger than their number, so each input is visited.
    for step in 0..inputs.len() {
        let index = (start + step * 7919) % inputs.len();
        let found = fingerprint(&mut translators[index % OPTIONS], &inputs[index]);
        assert_eq!(found, expected()[index], "{}", inputs[index].name);
    }
}

/// `spirv-val` validates each of them.
#[test]
fn all_modules_are_valid() {
    for (index, input) in inputs().iter().enumerate() {
        if let Ok((_, words)) = translate(&mut translator(index), input) {
            spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{}: {error}", input.name));
        }
    }
}

#[test]
fn a_reused_translator_gives_the_words_of_a_new_one() {
    let translated = expected().iter().filter(|found| found.len() == 16).count();
    assert!(translated > inputs().len() * 9 / 10, "{translated} of {} were translated", inputs().len());
    let different: BTreeSet<_> = expected().iter().collect();
    assert!(different.len() > inputs().len() / 2, "only {} results differ", different.len());
    check_scattered(1);
}

#[test]
fn eight_threads_give_the_words_of_one() {
    expected();
    thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || check_scattered(number * 31));
        }
    });
}

/// Start of the line that the other process prints.
const MARK: &str = "fingerprint of everything: ";

/// Hash tables of the standard library get a new random seed in each process.
#[test]
fn another_process_gives_the_same_words() {
    let all = format!("{MARK}{:016x}", hash(expected().concat().bytes()));
    let Some(output) = again(another_process_gives_the_same_words, []) else {
        println!("\n{all}");
        return;
    };
    let found = output.lines().find(|line| line.starts_with(MARK));
    assert_eq!(found, Some(&all[..]), "{output}");
}

/// The library has no hash table of the standard library, so no seed can matter. Its own tables
/// (`entity.rs`, `passes/optimize/equal.rs`) hash without a seed and number values in the order of
/// arrival.
#[test]
fn no_hash_table_is_randomly_seeded() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.clone()];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("readable");
                if ["HashMap", "HashSet", "HashTable", "RandomState", "DefaultHasher"]
                    .iter()
                    .any(|name| text.contains(name))
                {
                    let path = path.strip_prefix(&source).expect("below it");
                    found.insert(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
    }
    assert_eq!(found, BTreeSet::new(), "use a Vec, a BTreeMap or the interner of `entity.rs`");
}
