//! A key is an error exactly where the translation is one, for the reason that the translation
//! gives. Keys depend on the vertex input of attributes that a program reads, and on no others.

use std::collections::BTreeMap;

use fastrand::Rng;
use transpica::container::ShaderType;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{DrawEnvironment, Environment, dvle};
use transpica::isa::Pc;
use transpica::settings::{Arithmetic, AttributeFormat, AttributeKind, Control, Varying, VertexInput};
use transpica::{Code, Kind as Reason};
use transpica::{
    Job, Limits, Options, Precision, Profile, Program, RegisterState, Setup, Shbin, Stage, Translator,
};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate, generate_geometry};
use transpica_proof::unnamed::Unnamed;

use super::values::Values;
use crate::samples::samples;

/// Verdicts by what they are.
#[derive(Debug, Default)]
struct Verdicts {
    accepted: usize,
    /// Refused by both, by the group of the error.
    refused: BTreeMap<Code, usize>,
    /// Refused only by the translation.
    late: usize,
}

impl Verdicts {
    /// Compares the verdict of the key with that of the translation.
    fn add(
        &mut self,
        translator: &mut Translator,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
    ) {
        let key = translator.key(program, environment, job, b"");
        match (key, translator.translate(program, environment, job)) {
            (Ok(_), Ok(_)) => self.accepted += 1,
            (Err(early), Err(error)) => {
                assert_eq!(early, error, "{job:?}");
                *self.refused.entry(error.kind.code()).or_default() += 1;
            }
            (Err(early), Ok(_)) => panic!("{job:?}: {early} though it translates"),
            (Ok(_), Err(error)) => {
                // The reasons that the documentation lists.
                let is_late = match &error.kind {
                    Reason::Limit { .. } => true,
                    Reason::NoGeometryStage(why) => {
                        why.contains("earlier ones") || why.contains("no proven bound")
                    }
                    _other => false,
                };
                assert!(is_late, "{job:?}: a key though {error}");
                self.late += 1;
            }
        }
    }
}

/// Options and profiles, some of which contradict themselves.
fn settings(random: &mut Rng) -> (Options, Profile) {
    let (mut options, mut profile) = (Options::default(), Profile::default());
    for _ in 0..random.usize(..3) {
        let mut all = options.others();
        options = all.swap_remove(random.usize(..all.len())).1;
        let mut all = profile.others();
        profile = all.swap_remove(random.usize(..all.len())).1;
    }
    let permissive = random.usize(..8) == 0;
    options.control = Control { permissive, ..options.control };
    if random.usize(..4) == 0 {
        profile.varyings = Varying::AZAHAR;
        profile.varyings.to_mut()[0].location = random.usize(..9) as u32;
    }
    // Programs are longer than small limits, which is an error of the program.
    options.limits = Limits::default();
    (options, profile)
}

/// Replaces words by undefined opcodes, here and there.
fn damaged(code: &[u32], random: &mut Rng) -> Vec<u32> {
    let mut code = code.to_vec();
    for _ in 0..random.usize(..3) {
        let at = random.usize(..code.len());
        code[at] = 0x4000_0000 | random.u32(..) & 0x03FF_FFFF;
    }
    code
}

#[test]
fn keys_are_errors_where_translations_are() {
    let mut verdicts = Verdicts::default();
    let mut random = Rng::with_seed(17);
    for seed in 0..daily::cases("programs whose keys are errors or not", 400, 1500) {
        let (options, profile) = settings(&mut random);
        let mut translator = Translator::new(options, profile);
        let generated = generate_geometry(seed);
        let mut setups = generated.setup.others();
        setups.push((String::new(), generated.setup));
        let setup = setups.swap_remove(random.usize(..setups.len())).1;
        let geometry = generated.geometry();
        let wild = generate(Kind::ALL[seed as usize % Kind::ALL.len()], seed);
        let stage = if random.usize(..2) == 0 { Stage::Vertex } else { Stage::Geometry };
        let (code, more) = (damaged(&wild.code, &mut random), damaged(geometry.code(), &mut random));
        let programs = [
            Program::new(code, wild.descriptors.clone(), wild.entry, stage, &Limits::default()),
            Program::new(more, geometry.descriptors(), geometry.entry(), Stage::Geometry, &Limits::default()),
        ];
        let environment = Unnamed { map: setup.map };
        let input = VertexInput::default().others();
        let draw = environment.with_input(input[random.usize(..input.len())].1);
        let outputs = setup.vertex_outputs;
        for program in programs.iter().flatten() {
            for job in [
                Job::Vertex,
                Job::Compute,
                Job::BeforeGeometry { outputs, vertices: 1 },
                Job::Geometry(&setup),
                Job::Emits { outputs },
                Job::GeometryStage(&setup),
                Job::Draw(&setup),
                Job::Quaternions,
            ] {
                verdicts.add(&mut translator, program, &environment, job);
                verdicts.add(&mut translator, program, &draw, job);
            }
        }
    }
    println!("{verdicts:?}");
    assert!(verdicts.accepted > 1_300 && verdicts.late > 2);
    for code in [Code::BadOpcode, Code::BadOption, Code::Stage, Code::NoGeometryStage] {
        assert!(verdicts.refused.get(&code).is_some_and(|&count| count > 12), "{code:?}");
    }
}

/// Counts keys and modules of one program.
#[derive(Debug, Default)]
struct Inputs {
    changes: usize,
    same_words: usize,
    second_keys: usize,
}

/// Compares keys and words of a program under changes of one attribute.
fn change(
    inputs: &mut Inputs,
    translator: &mut Translator,
    (program, environment): (&Program<'_>, &dyn Environment),
    random: &mut Rng,
) {
    let job = [Job::Vertex, Job::Vertex, Job::Compute][random.usize(..3)];
    let mut module = |input| {
        let draw = DrawEnvironment { environment, input };
        let key = translator.key(program, &draw, job, b"").ok()?;
        let translated = translator.translate(program, &draw, job).expect("it has a key");
        Some((key, translator.spirv(&translated).expect("SPIR-V")))
    };
    let mut base = VertexInput::default();
    for _ in 0..random.usize(..4) {
        let mut others = base.others();
        others.retain(|(_, input)| input.formats.iter().all(|format| (1..=4).contains(&format.components)));
        base = others.swap_remove(random.usize(..others.len())).1;
    }
    let Some((key, words)) = module(base) else { return };
    for _ in 0..24 {
        let others = base.others();
        let (path, input) = &others[random.usize(..others.len())];
        let Some((other, found)) = module(*input) else { continue };
        inputs.changes += 1;
        inputs.same_words += usize::from(found == words);
        inputs.second_keys += usize::from(found == words && other != key);
        assert!(found == words || other != key, "{path}: one key, two modules");
    }
}

#[test]
fn formats_of_attributes_that_no_word_reads_are_not_in_the_key() {
    let mut random = Rng::with_seed(5);
    let limits = |limits| Options { limits, ..Options::default() };
    let fast = Arithmetic { precision: Precision::Fast, ..Arithmetic::default() };
    // The last two are those of the other tiers.
    let mut translators = [
        Options::default(),
        Options { arithmetic: fast, ..Options::default() },
        limits(Limits { depth: 0, ..Limits::default() }),
        limits(Limits { nodes_base: 0, nodes_per_instruction: 0, ..Limits::default() }),
    ]
    .map(|options| Translator::new(options, Profile::default()));
    let mut inputs = Inputs::default();
    for seed in 0..240 {
        let generated = generate(Kind::ALL[seed as usize % Kind::ALL.len()], seed);
        let state = RegisterState::default();
        let translator = &mut translators[seed as usize % 4];
        change(&mut inputs, translator, (&generated.program(), &state.vertex()), &mut random);
    }
    println!("random programs: {inputs:?}");
    assert!(inputs.changes > 4_000 && inputs.same_words < inputs.changes);
    let mut inputs = Inputs::default();
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() == Some(ShaderType::Vertex)
                && let Ok(program) = dvle::program(&file, index, &Limits::default())
            {
                let environment = FileEnvironment::new(&file, index, "").expect("exists");
                change(&mut inputs, &mut translators[0], (&program, &environment), &mut random);
            }
        }
    }
    println!("samples: {inputs:?}");
    assert!(inputs.changes > 1_000 && inputs.second_keys * 40 < inputs.changes, "{inputs:?}");
}

/// Names of all formats of an attribute.
fn formats() -> impl Iterator<Item = AttributeFormat> {
    let kinds = [AttributeKind::Float, AttributeKind::Int, AttributeKind::Uint];
    kinds.into_iter().flat_map(|kind| (1..=4).map(move |components| AttributeFormat { kind, components }))
}

#[test]
fn each_module_of_a_sample_has_one_key_whatever_the_formats() {
    let (mut changes, mut same, mut second) = (0, 0, 0);
    let mut translator = Translator::new(Options::default(), Profile::default());
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let Ok(program) = dvle::program(&file, index, &Limits::default()) else { continue };
            let environment = FileEnvironment::new(&file, index, "").expect("exists");
            let mut module = |input: VertexInput| {
                let draw = environment.with_input(input);
                let translated = translator.translate(&program, &draw, Job::Vertex).ok()?;
                let key = translator.key(&program, &draw, Job::Vertex, b"").expect("translates");
                Some((key, translator.spirv(&translated).expect("SPIR-V")))
            };
            let Some(plain) = module(VertexInput::default()) else { continue };
            // Most samples read some of the first five, none reads v12. Keys do not see that the
            // result of a read is dead.
            for register in [0, 1, 2, 3, 4, 12] {
                for format in formats() {
                    let mut input = VertexInput::default();
                    input.formats[register] = format;
                    let changed = module(input).expect("as before");
                    changes += 1;
                    same += usize::from(changed.1 == plain.1);
                    second += usize::from(changed.1 == plain.1 && changed.0 != plain.0);
                    assert!(
                        changed.1 == plain.1 || changed.0 != plain.0,
                        "{} v{register} {format:?}",
                        sample.name
                    );
                }
            }
        }
    }
    println!("{changes} formats, {same} without effect, {second} of those with another key");
    assert!(same > 1_000 && second * 20 < same, "{same} {second}");
}

#[test]
fn vertex_input_takes_the_place_of_options() {
    // mov o0, v1; end
    let code = [0x4C00_1000, 0x8800_0000];
    let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Vertex).expect("a program");
    let mut state = RegisterState::default();
    for (register, value) in [(0x2BD, 1), (0x4F, 1), (0x50, 0x0302_0100)] {
        state.write(register, value);
    }
    let view = state.vertex();
    for (path, input) in VertexInput::default().others() {
        let mut plain = Translator::new(Options { input, ..Options::default() }, Profile::default());
        let mut other = Translator::new(Options::default(), Profile::default());
        let draw = view.with_input(input);
        assert_eq!(
            plain.key(&program, &view, Job::Vertex, b""),
            other.key(&program, &draw, Job::Vertex, b""),
            "{path}"
        );
        let words = |translator: &mut Translator, environment: &dyn Environment| {
            let translated = translator.translate(&program, environment, Job::Vertex)?;
            assert_eq!(translated.options.input, input);
            translator.spirv(&translated)
        };
        assert_eq!(words(&mut plain, &view), words(&mut other, &draw), "{path}");
    }
    // The second attribute feeds v1.
    let mut by_attribute = VertexInput::default();
    by_attribute.formats[3].components = 2;
    let mut map = [None; 16];
    (map[1], map[2]) = (Some(3), Some(200));
    let permuted = by_attribute.permuted(map);
    assert_eq!(permuted.formats[1].components, 2);
    assert_eq!(permuted.formats[3], VertexInput::default().formats[3]);
}

#[test]
fn a_key_of_a_forwarding_stage_ignores_the_program() {
    let state = RegisterState::default();
    let setup = Setup::from_registers(&state).expect("a setup");
    let translator = Translator::new(Options::default(), Profile::default());
    let key = |code: &[u32]| {
        let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex).expect("a program");
        translator.key(&program, &state.vertex(), Job::Draw(&setup), b"").expect("translates")
    };
    // The last program has an undefined opcode.
    assert_eq!(key(&[0x8800_0000]), key(&[0x4C00_0000, 0x8800_0000]));
    assert_eq!(key(&[0x8800_0000]), key(&[0x4000_0000]));
}
