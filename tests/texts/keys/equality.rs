//! Keys identify modules: equal keys, equal words; other behavior, another key; ignored bits do not
//! affect it. Options, profile and configurations are in `key_values.rs`.

use transpica::container::ShaderType;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Settings;
use transpica::isa::Pc;
use transpica::settings::{
    Arithmetic, Block, BoolUniforms, ClipPlanes, Control, Layout, Outputs, UndefinedValue,
};
use transpica::stages::cfg::reach::reach;
use transpica::stages::key::SettingsDigest;
use transpica::stages::translate::key;
use transpica::{
    Job, Key, Limits, Machine, Options, Precision, Profile, Program, RegisterState, Shbin, Stage,
    Translation, Translator,
};
use transpica_proof::daily;
use transpica_proof::generate::{Generated, Kind, generate};
use transpica_proof::spirv_tools;

use crate::samples::samples;

/// A source of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }
    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

fn program<'a>(code: &'a [u32], descriptors: &'a [u32], entry: Pc) -> Program<'a> {
    Program::new(code, descriptors, entry, Stage::Vertex, &Limits::default()).expect("within the limits")
}

/// Registers with a few outputs.
fn registers() -> RegisterState {
    let mut state = RegisterState::default();
    state.write(0x2BD, 0b11_0011);
    state.write(0x4F, 4);
    for (number, word) in [(0x50, 0x0302_0100), (0x51, 0x0B0A_0908), (0x52, 0x1F10_0D0C), (0x53, 0x0706_0504)]
    {
        state.write(number, word);
    }
    state
}

/// The reachable addresses.
fn reachable(program: &Program<'_>) -> Vec<Pc> {
    let mut pcs = Vec::new();
    reach(program, |pc, _| pcs.push(pc));
    pcs
}

/// Applies random changes that preserve the key, one after another: unreachable words, and ignored
/// bits of reachable words and of descriptors.
fn disguised(
    generated: &Generated,
    of: &impl Fn(&[u32], &[u32]) -> Key,
    random: &mut Random,
) -> (Vec<u32>, Vec<u32>) {
    let (mut code, mut descriptors) = (generated.code.clone(), generated.descriptors.clone());
    let pcs = reachable(&program(&code, &descriptors, generated.entry));
    let wanted = of(&code, &descriptors);
    for (pc, word) in code.iter_mut().enumerate() {
        if !pcs.contains(&Pc(pc as u16)) {
            *word = random.next();
        }
    }
    assert_eq!(of(&code, &descriptors), wanted, "unreachable words");
    // Words after the program have no effect unless it runs into them.
    let mut longer = code.clone();
    longer.extend((0..random.below(300)).map(|_| random.next()));
    if reachable(&program(&longer, &descriptors, generated.entry)) == pcs {
        code = longer;
        assert_eq!(of(&code, &descriptors), wanted, "words after the program");
    }
    for _ in 0..200 {
        let is_word = random.next() & 1 == 0;
        let (index, bit) = (random.next() as usize, 1 << random.below(32));
        let change = |code: &mut [u32], descriptors: &mut [u32]| {
            if is_word {
                code[pcs[index % pcs.len()].index()] ^= bit;
            } else if let Some(at) = index.checked_rem(descriptors.len()) {
                descriptors[at] ^= bit;
            }
        };
        change(&mut code, &mut descriptors);
        if of(&code, &descriptors) != wanted {
            change(&mut code, &mut descriptors);
        }
    }
    (code, descriptors)
}

/// Options under which programs take each tier, and some that affect the values of undefined
/// components.
fn settings() -> Vec<Options> {
    let limits = |limits| Options { limits, ..Options::default() };
    vec![
        Options::default(),
        Options {
            arithmetic: Arithmetic { precision: Precision::Fast, ..Arithmetic::default() },
            block: Block { layout: Layout::Registers, ..Block::default() },
            ..Options::default()
        },
        Options {
            arithmetic: Arithmetic { uninitialized: UndefinedValue::Zero, ..Arithmetic::default() },
            ..Options::default()
        },
        Options {
            control: Control {
                loop_guard: Some(3),
                bools: BoolUniforms { baked: 0x00F0, values: 0x0050, specialized: 0x000F },
                ..Control::default()
            },
            outputs: Outputs { clip_planes: ClipPlanes::Varying, ..Outputs::default() },
            ..Options::default()
        },
        Options {
            control: Control {
                loop_guard: Some(3),
                ..limits(Limits { nodes_base: 0, nodes_per_instruction: 0, ..Limits::default() }).control
            },
            ..limits(Limits { nodes_base: 0, nodes_per_instruction: 0, ..Limits::default() })
        },
        limits(Limits { nodes_base: 0, nodes_per_instruction: 0, ..Limits::default() }),
        limits(Limits { depth: 0, ..Limits::default() }),
    ]
}

#[test]
fn equal_keys_give_equal_words() {
    let state = registers();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut translators: Vec<Translator> =
        settings().into_iter().map(|options| Translator::new(options, Profile::default())).collect();
    let (mut changed, mut modules) = (0, 0);
    for seed in 0..daily::cases("programs with equal keys", 80, 240) {
        let generated = generate(Kind::ALL[seed as usize % Kind::ALL.len()], seed);
        let first = &translators[0];
        let of = |code: &[u32], descriptors: &[u32]| {
            let program = program(code, descriptors, generated.entry);
            // An undefined opcode is an error of `key`; the digest has no errors.
            let digest = SettingsDigest::new(first.options(), first.profile());
            digest.digest(&program, &state.vertex(), Job::Vertex, first.options(), b"").key
        };
        let (code, descriptors) = disguised(&generated, &of, &mut random);
        changed += usize::from((&code, &descriptors) != (&generated.code, &generated.descriptors));
        for (translator, job) in translators.iter_mut().zip([Job::Vertex, Job::Compute].into_iter().cycle()) {
            let mut words = |program: &Program<'_>| -> transpica::Result<Vec<u32>> {
                let translated: Translation = translator.translate(program, &state.vertex(), job)?;
                translator.spirv(&translated)
            };
            let plain = words(&generated.program());
            let other = words(&program(&code, &descriptors, generated.entry));
            assert!(
                plain == other,
                "{:?} {seed}: other words, tier of {:?}",
                generated.kind,
                translator.options().limits
            );
            if let Ok(words) = &plain {
                spirv_tools::validate(words)
                    .unwrap_or_else(|error| panic!("{:?} {seed}: {error}", generated.kind));
            }
            modules += 1;
        }
    }
    println!("{changed} programs with changes, {modules} pairs of modules");
    assert!(changed > 75, "{changed} programs only");
}

#[test]
fn programs_with_other_results_have_another_key() {
    let state = registers();
    let translator = Translator::new(Options::default(), Profile::default());
    let mut random = Random(0xFEED_5EED);
    let settings = Settings { budget: 4096, ..Settings::default() };
    let (mut differ, mut same) = (0, 0);
    for seed in 0..4000 {
        let generated = generate(Kind::ALL[seed as usize % Kind::ALL.len()], seed);
        let run = |program: &Program<'_>| -> Vec<Result<[[u32; 4]; 16], String>> {
            let Ok(mut machine) = Machine::new(program, settings) else { return Vec::new() };
            machine.set_uniforms(&generated.uniforms());
            let results = generated.inputs(2).into_iter().map(|inputs| match machine.run(&inputs) {
                Ok(outputs) => Ok(outputs.map(|register| register.map(f32::to_bits))),
                Err(error) => Err(error.to_string()),
            });
            results.collect()
        };
        let plain = generated.program();
        let pcs = reachable(&plain);
        let (mut code, mut descriptors) = (generated.code.clone(), generated.descriptors.clone());
        match random.below(4) {
            0 if !descriptors.is_empty() => {
                let at = random.below(descriptors.len());
                descriptors[at] ^= 1 << random.below(32);
            }
            _others => code[pcs[random.below(pcs.len())].index()] ^= 1 << random.below(32),
        }
        let other = program(&code, &descriptors, generated.entry);
        let keys = [&plain, &other].map(|program| {
            let digest = SettingsDigest::new(translator.options(), translator.profile());
            digest.digest(program, &state.vertex(), Job::Vertex, translator.options(), b"").key
        });
        if run(&plain) == run(&other) {
            same += 1;
        } else {
            assert_ne!(keys[0], keys[1], "{:?} {seed}", generated.kind);
            differ += 1;
        }
    }
    println!("{differ} programs behaved otherwise, {same} alike");
    assert!(differ > 800, "{differ} programs only");
}

#[test]
fn programs_of_one_file_have_one_key_for_each_entry_point() {
    let file = Shbin::parse(include_bytes!("../../../shaders/library.shbin")).expect("valid");
    let mut keys = Vec::new();
    for (index, executable) in file.executables.iter().enumerate() {
        if executable.header.shader_type() == Some(ShaderType::Vertex) {
            let program = dvle::program(&file, index, &Limits::default()).expect("valid");
            let environment = FileEnvironment::new(&file, index, "library").expect("exists");
            keys.push(
                key(&program, &environment, Job::Vertex, &Options::default(), &Profile::default(), b"")
                    .expect("translates"),
            );
            // The name of the file appears only in comments.
            let again = FileEnvironment::new(&file, index, "other name").expect("exists");
            assert_eq!(
                keys.last(),
                key(&program, &again, Job::Vertex, &Options::default(), &Profile::default(), b"")
                    .ok()
                    .as_ref()
            );
        }
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn the_interface_and_the_salt_are_in_the_key() {
    let file = Shbin::parse(include_bytes!("../../../shaders/textured.shbin")).expect("valid");
    let program = dvle::program(&file, 0, &Limits::default()).expect("valid");
    let environment = FileEnvironment::new(&file, 0, "textured").expect("exists");
    let state = RegisterState::from_dvle(&file, 0, None).expect("valid");
    let (options, profile) = (Options::default(), Profile::default());
    let mut keys = [
        key(&program, &environment, Job::Vertex, &options, &profile, b""),
        key(&program, &environment, Job::Vertex, &options, &profile, b"driver"),
        key(&program, &state.vertex(), Job::Vertex, &options, &profile, b""),
        key(&program, &registers().vertex(), Job::Vertex, &options, &profile, b""),
    ]
    .map(|key| key.expect("translates"))
    .to_vec();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn registers_that_feed_no_output_are_not_in_the_key() {
    let mut state = registers();
    state.write(0x2CB, 0);
    state.write(0x2CC, 0x4C00_0000);
    state.write(0x2CC, 0x8800_0000);
    let translator = Translator::new(Options::default(), Profile::default());
    let key = |state: &RegisterState| {
        let program = state.program(Stage::Vertex).expect("valid");
        translator.key(&program, &state.vertex(), Job::Vertex, b"").expect("translates")
    };
    let before = key(&state);
    state.write(0x2D5, 1);
    for (register, value) in
        [(0x2B0, 7), (0x2B1, 7), (0x2BB, 0x7654_3210), (0x54, 0x0100), (0x2CC, 5), (0x2D6, 5)]
    {
        state.write(register, value);
        assert_eq!(key(&state), before, "{register:#x}");
    }
    state.write(0x51, 0x1F1F_1F1F);
    assert_ne!(key(&state), before);
}

/// Keys are for caches on disk: within one version of the library they never change. Before the
/// first release a new option may change them, too.
#[test]
fn a_sample_keeps_its_key() {
    let file = Shbin::parse(include_bytes!("../../../shaders/lights.shbin")).expect("valid");
    let state = RegisterState::from_dvle(&file, 0, None).expect("valid");
    let program = state.program(Stage::Vertex).expect("valid");
    let translator = Translator::new(Options::default(), Profile::default());
    let key = translator.key(&program, &state.vertex(), Job::Vertex, b"").expect("translates").to_string();
    assert_eq!((env!("CARGO_PKG_VERSION"), &key[..]), ("0.1.0", "c518aa07f7cab1ae77cc6a723af8b868"));
}

#[test]
fn samples_of_different_code_have_different_keys() {
    let translator = Translator::new(Options::default(), Profile::default());
    let state = registers();
    let mut keys = Vec::new();
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() == Some(ShaderType::Vertex)
                && let Ok(program) = dvle::program(&file, index, &Limits::default())
            {
                keys.extend(translator.key(&program, &state.vertex(), Job::Vertex, b"").ok());
            }
        }
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    println!("{count} executables, {} keys", keys.len());
    assert!(keys.len() > 60, "{} keys", keys.len());
}
