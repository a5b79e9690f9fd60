//! Every value of every option, of the profile and of a configuration has its own key, and
//! different words have different keys. The types determine the values: see `values`.

use std::collections::{BTreeMap, BTreeSet};

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::isa::Pc;
use transpica::settings::{Block, BoolUniforms, Control, Layout, Varying, VertexInput};
use transpica::stages::key::SettingsDigest;
use transpica::{
    Job, Key, Limits, Options, Profile, Program, RegisterState, Setup, Shbin, Stage, Translation, Translator,
};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate};

use super::values::Values;

/// Options and profiles that differ in one part from these, with the name of the part.
fn others(options: Options, profile: Profile) -> Vec<(String, Options, Profile)> {
    let changed = options.others().into_iter().map(|(path, options)| (path, options, profile.clone()));
    let hosts = profile.others().into_iter().map(|(path, profile)| (path, options, profile));
    changed.chain(hosts).collect()
}

/// Returns whether attributes have 1 to 4 components. Others are refused before there is a key.
fn has_components(options: &Options) -> bool {
    options.input.formats.iter().all(|format| (1..=4).contains(&format.components))
}

/// Options whose bool uniforms are all fixed, so that their values have an effect.
fn all_known(options: Options) -> Options {
    Options {
        control: Control {
            bools: BoolUniforms { baked: 0xFFFF, values: 0x5A5A, specialized: 0 },
            ..options.control
        },
        ..options
    }
}

/// A random number (xorshift).
fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 32) as usize
}

/// Options and profile far from the defaults: a hundred changes one after another.
fn anything(seed: u64) -> (Options, Profile) {
    let mut state = seed;
    let (mut options, mut profile) = (Options::default(), Profile::default());
    for _ in 0..100 {
        let mut all = options.others();
        options = all.swap_remove(random(&mut state) % all.len()).1;
        let mut all = profile.others();
        profile = all.swap_remove(random(&mut state) % all.len()).1;
    }
    (options, profile)
}

#[test]
fn all_values_of_options_and_profile_have_different_keys() {
    let mut bases = vec![(all_known(Options::default()), Profile::default())];
    let random = daily::cases("random options whose values have different keys", 4, 19);
    bases.extend((1..=random).map(|seed| {
        let (options, profile) = anything(seed);
        (
            Options {
                input: VertexInput { formats: Default::default(), ..options.input },
                ..all_known(options)
            },
            profile,
        )
    }));
    for (options, profile) in bases {
        let mut seen = BTreeMap::from([(key_of(&options, &profile), "base".to_owned())]);
        let mut all = others(options, profile);
        all.retain(|(_, options, _)| has_components(options));
        for (path, options, profile) in &all {
            if let Some(other) = seen.insert(key_of(options, profile), path.clone()) {
                panic!("{other} and {path} have one key, of {options:?} {profile:?}");
            }
        }
        assert!(all.len() > 1_000, "{} values", all.len());
    }
}

/// The key that options and profile give a program that reads every attribute. Settings that a
/// translation refuses have one, too.
fn key_of(options: &Options, profile: &Profile) -> Key {
    let state = RegisterState::default();
    let reads = (0..16).map(|register| 0x4C00_0000 | register << 12);
    let code: Vec<u32> = reads.chain([0x8800_0000]).collect();
    let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Vertex).expect("a program");
    SettingsDigest::new(options, profile).digest(&program, &state.vertex(), Job::Vertex, options, b"").key
}

#[test]
fn values_of_uniforms_that_are_not_known_are_not_in_the_key() {
    let mut options = Options::default();
    options.control.bools.baked = 0x00F0;
    let mut of = |values| {
        options.control.bools.values = values;
        key_of(&options, &Profile::default())
    };
    assert_eq!(of(0), of(0xFF0F));
    assert_ne!(of(0), of(0x0010));
}

/// Modules by key.
#[derive(Default)]
struct Products {
    by_key: BTreeMap<Key, (String, Result<Vec<u32>, String>)>,
}

impl Products {
    /// Records a key with its words, or with the error if there are none.
    ///
    /// A program without a key has no words.
    fn add(&mut self, key: transpica::Result<Key>, name: &str, words: Result<Vec<u32>, String>) {
        let key = match key {
            Ok(key) => key,
            Err(error) => return assert_eq!(words, Err(error.to_string()), "{name}"),
        };
        match self.by_key.get(&key) {
            None => {
                self.by_key.insert(key, (name.to_owned(), words));
            }
            Some((other, found)) => assert!(*found == words, "{other} and {name}: one key, other words"),
        }
    }

    /// Number of different modules.
    fn modules(&self) -> usize {
        let modules: BTreeSet<_> =
            self.by_key.values().filter_map(|(_, words)| words.as_ref().ok()).collect();
        println!("{} keys, {} modules", self.by_key.len(), modules.len());
        modules.len()
    }
}

/// The words of a translation or its error.
fn words(
    translator: &mut Translator,
    translate: impl FnOnce(&mut Translator) -> transpica::Result<Translation>,
) -> Result<Vec<u32>, String> {
    let translated = translate(translator).map_err(|error| error.to_string())?;
    translator.spirv(&translated).map_err(|error| error.to_string())
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

#[test]
fn options_that_give_other_words_give_another_key() {
    let state = registers();
    let file = Shbin::parse(include_bytes!("../../../shaders/lights.shbin")).expect("a file");
    let lights = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "lights").expect("an executable");
    let random =
        [(Kind::Clean, 3), (Kind::Wild, 5), (Kind::Numeric, 1)].map(|(kind, seed)| generate(kind, seed));
    // Far from the defaults, but still a valid input.
    let (options, profile) = anything(7);
    let options = Options {
        block: Block { layout: Layout::Azahar, ..options.block },
        limits: Limits::default(),
        ..options
    };
    let options = Options {
        input: VertexInput { formats: Default::default(), ..options.input },
        control: Control { ints: Default::default(), ..all_known(options).control },
        ..all_known(options)
    };
    let far = (options, Profile { spirv_version: (1, 5), varyings: Varying::AZAHAR, ..profile });
    for (options, profile) in [(Options::default(), Profile::default()), far] {
        let mut products = Products::default();
        let mut all = others(options, profile.clone());
        all.push((String::new(), options, profile));
        for (path, options, profile) in all {
            let mut translator = Translator::new(options, profile);
            let key = translator.key(&lights, &environment, Job::Vertex, b"");
            let found =
                words(&mut translator, |translator| translator.translate(&lights, &environment, Job::Vertex));
            products.add(key, &path, found);
            for (number, program) in random.iter().enumerate() {
                let program = program.program();
                let key = translator.key(&program, &state.vertex(), Job::Vertex, b"");
                let found = words(&mut translator, |translator| {
                    translator.translate(&program, &state.vertex(), Job::Vertex)
                });
                products.add(key, &format!("{number}{path}"), found);
            }
        }
        assert!(products.modules() > 500, "{}", products.modules());
    }
}

#[test]
fn configurations_that_give_other_words_give_another_key() {
    let mut products = Products::default();
    let samples: [(&str, &[u8]); 3] = [
        ("points", include_bytes!("../../../shaders/points.shbin")),
        ("silhouette", include_bytes!("../../../shaders/silhouette.shbin")),
        ("trail", include_bytes!("../../../shaders/trail.shbin")),
    ];
    for (sample, bytes) in samples {
        let file = Shbin::parse(bytes).expect("a file");
        let [vertex, geometry] =
            [0, 1].map(|index| dvle::program(&file, index, &Limits::default()).expect("a program"));
        let [before, environment] =
            [0, 1].map(|index| FileEnvironment::new(&file, index, sample).expect("an executable"));
        let mut translator = Translator::new(Options::default(), Profile::default());
        let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
        let mut all = setup.others();
        all.push((String::new(), setup));
        for (path, setup) in &all {
            let outputs = setup.vertex_outputs;
            let jobs = [
                ("kernel", &geometry, &environment, Job::Geometry(setup)),
                ("stage", &geometry, &environment, Job::GeometryStage(setup)),
                ("draw", &geometry, &environment, Job::Draw(setup)),
                ("before", &vertex, &before, Job::BeforeGeometry { outputs, vertices: 1 }),
                ("vertex", &vertex, &before, Job::Vertex),
            ];
            for (product, program, environment, job) in jobs {
                let key = translator.key(program, environment, job, b"");
                let found =
                    words(&mut translator, |translator| translator.translate(program, environment, job));
                // Rejected settings are an error whatever the key is.
                if found.is_ok() {
                    products.add(key, &format!("{sample} {product}{path}"), found);
                }
            }
        }
    }
    assert!(products.modules() > 300);
}
