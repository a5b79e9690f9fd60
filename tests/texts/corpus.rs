//! Every sample program becomes a valid module in every form, with its own control flow, and always
//! the same words.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use expect_test::expect_file;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::stages::backend::naga::validate;
use transpica::stages::backend::text::Language;
use transpica::{
    GlslVersion, Job, Options, Precision, Profile, Program, Shbin, Stage, Tier, Translation, Translator,
};
use transpica_proof::spirv_tools;

use crate::again::again;
use crate::samples::{Sample, samples};

/// Every precision, and every pair of job and layout.
const FORMS: [(Job<'static>, Layout, Precision); 4] = [
    (Job::Vertex, Layout::Symbols, Precision::Exact),
    (Job::Compute, Layout::Registers, Precision::Exact),
    (Job::Vertex, Layout::Registers, Precision::Fast),
    (Job::Compute, Layout::Symbols, Precision::F24),
];

/// A vertex program of a sample.
struct Case<'a> {
    name: String,
    file: &'a Shbin<'a>,
    index: usize,
    program: Program<'static>,
}

impl Case<'_> {
    fn translate(&self, translator: &mut Translator, job: Job<'_>) -> Translation {
        let environment = FileEnvironment::new(self.file, self.index, &self.name).expect("there");
        let translated = translator.translate(&self.program, &environment, job);
        translated.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
    fn words(&self, translator: &mut Translator, job: Job<'_>) -> Vec<u32> {
        let translated = self.translate(translator, job);
        translator.spirv(&translated).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

fn options((_, layout, precision): (Job<'_>, Layout, Precision)) -> Options {
    Options {
        block: Block { layout, ..Block::default() },
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        ..Options::default()
    }
}

fn parse(sample: &Sample) -> Shbin<'_> {
    Shbin::parse(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name))
}

/// Calls `run` with every vertex program of the samples.
fn with_cases<T>(run: impl FnOnce(&[Case<'_>]) -> T) -> T {
    let samples = samples();
    let files: Vec<_> = samples.iter().map(parse).collect();
    let mut cases = Vec::new();
    for (sample, file) in samples.iter().zip(&files) {
        for index in 0..file.executables.len() {
            let name = format!("{}#{index}", sample.name);
            let program = dvle::program(file, index, &Options::default().limits);
            let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
            if program.stage() == Stage::Vertex {
                cases.push(Case { name, file, index, program });
            }
        }
    }
    assert!(cases.len() > 80, "only {} programs", cases.len());
    run(&cases)
}

/// Calls `check` with every program, in parallel.
fn in_parallel(cases: &[Case<'_>], check: impl Fn(&Case<'_>) + Sync) {
    let workers = thread::available_parallelism().map_or(2, Into::into) + 1;
    thread::scope(|scope| {
        for worker in 0..workers {
            let (cases, check) = (&cases, &check);
            scope.spawn(move || cases.iter().skip(worker).step_by(workers).for_each(check));
        }
    });
}

fn naga_reads(words: &[u32]) -> Result<(), String> {
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..Default::default()
    };
    let module = naga::front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let module = module.map_err(|error| error.to_string())?;
    validate(&module).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn every_spirv_module_passes_the_validators() {
    with_cases(|cases| {
        in_parallel(cases, |case| {
            for form in FORMS {
                let words = case.words(&mut Translator::new(options(form), Profile::default()), form.0);
                spirv_tools::validate(&words)
                    .unwrap_or_else(|error| panic!("{} {form:?}: {error}", case.name));
                naga_reads(&words).unwrap_or_else(|error| panic!("{} {form:?}: naga: {error}", case.name));
            }
        });
    });
}

#[test]
fn every_text_is_written_and_wgsl_is_read_again() {
    with_cases(|cases| {
        in_parallel(cases, |case| {
            for form in FORMS {
                let mut translator = Translator::new(options(form), Profile::default());
                let translated = case.translate(&mut translator, form.0);
                let write = |language| {
                    let text = translated.text(language);
                    text.unwrap_or_else(|error| panic!("{} {form:?} {language:?}: {error}", case.name))
                };
                let wgsl = write(Language::Wgsl);
                let module = naga::front::wgsl::parse_str(&wgsl).unwrap_or_else(|error| {
                    panic!("{} {form:?}: {}", case.name, error.emit_to_string(&wgsl))
                });
                validate(&module).unwrap_or_else(|error| panic!("{} {form:?}: {error}\n{wgsl}", case.name));
                for (language, entry) in [
                    (Language::Glsl(GlslVersion::default()), "void main("),
                    (Language::Hlsl, " main("),
                    (Language::Msl, " main_("),
                ] {
                    assert!(write(language).contains(entry), "{} {form:?} {language:?}", case.name);
                }
            }
        });
    });
}

#[test]
fn a_module_or_text_may_be_as_long_as_the_limit() {
    with_cases(|cases| {
        let limited = |translated: &Translation, output_words| {
            let mut limited = translated.clone();
            limited.options.limits.output_words = output_words;
            limited
        };
        let mut usual = Translator::new(Options::default(), Profile::default());
        let translated = cases[0].translate(&mut usual, Job::Vertex);
        let words = usual.spirv(&translated).expect("SPIR-V").len() as u32;
        assert!(limited(&translated, words).spirv().is_ok());
        assert!(limited(&translated, words - 1).spirv().is_err());
        let text = translated.text(Language::Wgsl).expect("WGSL");
        let words = text.len().div_ceil(4) as u32;
        assert!(limited(&translated, words).text(Language::Wgsl).is_ok());
        assert!(limited(&translated, words - 1).text(Language::Wgsl).is_err());
    });
}

/// Samples whose WGSL has a switch. In each it is `switch 0`, a block with early exits; WGSL has no
/// other form.
const SWITCHES: [&str; 3] = ["shaders/library.shbin#4", "shaders/quaternion.shbin#0", "shaders/toon.shbin#0"];

#[test]
fn every_sample_keeps_its_own_control_flow() {
    with_cases(|cases| {
        let mut switches = Vec::new();
        for case in cases {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = case.translate(&mut translator, Job::Vertex);
            assert_eq!(translated.tier, Tier::Structured, "{}", case.name);
            let text = translated.text(Language::Wgsl).expect("WGSL");
            if text.contains("switch") {
                let block = |line: &str| ["switch 0 {", "switch 0i {"].contains(&line.trim());
                let other = text.lines().find(|line| line.contains("switch") && !block(line));
                assert_eq!(other, None, "{}: a switch that is not a block", case.name);
                switches.push(case.name.as_str());
            }
        }
        assert_eq!(switches, SWITCHES);
    });
}

/// Translates every program with one translator.
fn all_words(cases: &[Case<'_>]) -> Vec<Vec<u32>> {
    let mut translator = Translator::new(Options::default(), Profile::default());
    cases.iter().map(|case| case.words(&mut translator, Job::Vertex)).collect()
}

#[test]
fn words_are_the_same_every_time() {
    with_cases(|cases| {
        let mut translator = Translator::new(Options::default(), Profile::default());
        let first: Vec<_> = cases.iter().map(|case| case.words(&mut translator, Job::Vertex)).collect();
        for (case, first) in cases.iter().zip(&first).rev() {
            assert_eq!(
                &case.words(&mut translator, Job::Vertex),
                first,
                "{} with the same translator",
                case.name
            );
            let mut fresh = Translator::new(Options::default(), Profile::default());
            assert_eq!(&case.words(&mut fresh, Job::Vertex), first, "{} with a fresh translator", case.name);
        }
    });
}

#[test]
fn words_are_the_same_in_eight_threads_at_once() {
    with_cases(|cases| {
        let all: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| all_words(cases))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    });
}

/// Hash of words (FNV-1a).
fn digest(words: &[u32]) -> u64 {
    let step = |digest: u64, word: &u32| (digest ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3);
    words.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn words_are_the_same_in_another_process() {
    let here: BTreeMap<String, String> = with_cases(|cases| {
        let digests = all_words(cases).into_iter().map(|words| format!("{:016x}", digest(&words)));
        cases.iter().map(|case| case.name.clone()).zip(digests).collect()
    });
    let Some(text) = again(words_are_the_same_in_another_process, []) else {
        here.iter().for_each(|(name, digest)| println!("\nwords {name} {digest}"));
        return;
    };
    let there: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("words ")?.rsplit_once(' '))
        .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
        .collect();
    assert_eq!(here, there);
}

/// Golden texts; `UPDATE_EXPECT=1 cargo test -p transpica --test texts corpus` rewrites them.
#[test]
fn wgsl_of_three_samples_has_short_lines_and_names() {
    with_cases(|cases| {
        for name in ["lights", "textured", "fog"] {
            let wanted = format!("shaders/{name}.shbin#0");
            let case = cases.iter().find(|case| case.name == wanted).expect("there");
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = case.translate(&mut translator, Job::Vertex);
            let text = translated.text(Language::Wgsl).expect("WGSL");
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/wgsl");
            let golden = folder.join(format!("{name}.wgsl"));
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::write(&golden, &text).expect("writable");
            }
            expect_file![golden].assert_eq(&text);
        }
    });
}
