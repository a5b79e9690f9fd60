//! VBC: files of random content are read as they were written; files of translated programs; what
//! does not fit.

use proptest::collection::vec;
use proptest::prelude::*;
use transpica::settings::Layout;
use transpica::{Job, Options, Profile, Shbin, Translator};
use transpica_containers::vbc::{
    Base, Fault, Member, Resource, Slot, SubpassInput, Texels, Type, Uniform, Variable, Vbc,
};

use crate::support::sample;

fn ty() -> impl Strategy<Value = Type> {
    (0..4usize, any::<[u8; 3]>()).prop_map(|(base, [rows, columns, array])| Type {
        base: Base::ALL[base],
        rows,
        columns,
        array,
    })
}

fn variables() -> impl Strategy<Value = Vec<Variable>> {
    vec((any::<u8>(), ty()).prop_map(|(location, ty)| Variable { location, ty }), 0..20)
}

fn resource() -> impl Strategy<Value = Resource> {
    prop_oneof![
        Just(Resource::Sampler),
        Just(Resource::Image),
        any::<(bool, u16)>().prop_map(|(is_writable, element)| Resource::Buffer { is_writable, element }),
        any::<(bool, [u8; 4])>().prop_map(|(is_writable, [rank, base, size, components])| {
            Resource::Texels { is_writable, texels: Texels { rank, base, size, components } }
        }),
    ]
}

fn slot() -> impl Strategy<Value = Slot> {
    (0..32u8, any::<u16>(), resource()).prop_map(|(slot, stages, resource)| Slot { slot, stages, resource })
}

fn member() -> impl Strategy<Value = Member> {
    ("[ -~äλ]{0,80}", any::<u16>(), ty()).prop_map(|(name, offset, ty)| Member { name, offset, ty })
}

fn uniform() -> impl Strategy<Value = Option<Uniform>> {
    let block = (1..=u16::MAX, any::<u16>(), vec(member(), 0..20));
    proptest::option::of(block.prop_map(|(size, stages, members)| Uniform { size, stages, members }))
}

fn stage() -> impl Strategy<Value = Vec<u32>> {
    let words = vec(any::<u32>(), 0..40).prop_map(|rest| [vec![0x0723_0203], rest].concat());
    prop_oneof![Just(Vec::new()), words]
}

prop_compose! {
    fn file()(
        stages in [stage(), stage(), stage(), stage(), stage()],
        tables in any::<[u16; 5]>(),
        inputs in variables(),
        outputs in variables(),
        bindings in vec(slot(), 0..20),
        uniform in uniform(),
        subpass in vec(any::<(u8, u8)>(), 0..=4),
    ) -> Vbc {
        let subpass = subpass.into_iter().map(|(base, components)| SubpassInput { base, components });
        Vbc { stages, tables, inputs, outputs, bindings, uniform, subpass: subpass.collect() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn files_are_read_as_they_were_written(file in file()) {
        let bytes = file.write().expect("every value fits");
        prop_assert_eq!(Vbc::read(&bytes), Ok(file.clone()));
        prop_assert_eq!(Vbc::read_start(&[&bytes[..], &[0; 9]].concat()), Ok((file, bytes.len())));
        let trailing = Vbc::read(&[&bytes[..], &[0]].concat()).expect_err("a byte too many");
        prop_assert_eq!(trailing.fault, Fault::Trailing(1));
    }

    #[test]
    fn every_shorter_file_is_an_error_with_a_place(file in file(), cut in any::<prop::sample::Index>()) {
        let bytes = file.write().expect("every value fits");
        let cut = cut.index(bytes.len());
        let error = Vbc::read(&bytes[..cut]).expect_err("cut off");
        prop_assert!(error.at.is_some_and(|at| at <= cut), "{}", error);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300)) {
        let _ = Vbc::read(&[&b"VBC\x01\x01"[..], &bytes].concat());
    }
}

#[test]
fn larger_records_of_subpass_inputs_are_read() {
    let mut file = Vbc { subpass: vec![SubpassInput { base: 4, components: 3 }; 2], ..Vbc::default() };
    file.stages[4] = vec![0x0723_0203, 1, 2];
    let bytes = file.write().expect("small");
    let words = bytes.len() - 12;
    for record in [8usize, 12, 16, 32] {
        let mut wide = bytes[..words - 8].to_vec();
        (0..2).for_each(|_| {
            wide.extend_from_slice(&[4, 3]);
            wide.resize(wide.len() + record - 2, 0xEE);
        });
        wide.extend_from_slice(&bytes[words..]);
        assert_eq!(Vbc::read(&wide), Ok(file.clone()), "{record}");
    }
}

/// Returns the file of a sample's program under options.
fn translated(
    name: &str,
    options: Options,
    profile: Profile,
    job: Job<'_>,
) -> Result<(Vbc, Vec<String>), transpica_containers::vbc::Error> {
    let bytes = sample(name);
    let file = Shbin::parse(&bytes).expect("a sample");
    let program = file.program(0).expect("a program");
    let mut translator = Translator::new(options, profile);
    let module = translator.translate(program.program(), program.environment(), job).expect("translated");
    let words = translator.spirv(&module).expect("words");
    Vbc::from_translation(&module, &program.reflect(&module), words)
}

#[test]
fn every_vertex_program_of_the_samples_fits() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "shbin") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a sample");
        for index in 0..file.executables.len() {
            let program = file.program(index).expect("a program");
            let module = program.translate(&Options::default()).expect("translated");
            let reflection = program.reflect(&module);
            let words = module.spirv().expect("words");
            let made = Vbc::from_translation(&module, &reflection, words.clone());
            if program.program().stage() == transpica::Stage::Geometry {
                assert_eq!(made.expect_err("a compute stage").fault, Fault::Compute);
                continue;
            }
            let (file, _) = made.expect("fits");
            assert_eq!(file.stages[0], words);
            let locations: Vec<u32> = file.inputs.iter().map(|input| input.location.into()).collect();
            let expected: Vec<u32> =
                reflection.interface.attributes.iter().map(|one| one.register.into()).collect();
            assert_eq!(locations, expected, "{}", path.display());
            let size = file.uniform.as_ref().map(|block| u32::from(block.size));
            assert_eq!(size, reflection.uniform_block.map(|block| block.size));
            assert_eq!(Vbc::read(&file.write().expect("fits")), Ok(file));
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn members_have_the_types_of_the_block() {
    let mut types = std::collections::BTreeSet::new();
    for layout in [Layout::Symbols, Layout::Registers, Layout::Azahar, Layout::Panda3ds] {
        let block = transpica::settings::Block { layout, ..Default::default() };
        let options = Options { block, ..Options::default() };
        let bytes = sample("lights");
        let shaders = Shbin::parse(&bytes).expect("a sample");
        let program = shaders.program(0).expect("a program");
        let reflection = program.reflect(&program.translate(&options).expect("translates"));
        let (file, _) = translated("lights", options, Profile::default(), Job::Vertex).expect("fits");
        let spelled = |ty: &str| match ty.split_once(", ") {
            None => ty.replace("vec4f", "float4").replace("vec4i", "int4").replace("vec4u", "uint4"),
            Some((element, count)) => {
                let element = element.trim_start_matches("array<");
                format!(
                    "{}4[{}]",
                    if element == "vec4f" { "float" } else { "int" },
                    count.trim_end_matches('>')
                )
            }
        };
        let mut expected: Vec<_> = (reflection.interface.block.members.iter())
            .map(|member| {
                (member.offset, member.name.clone(), spelled(&member.ty.to_string()).replace("u32", "uint"))
            })
            .collect();
        expected.sort();
        let members = file.uniform.expect("a block").members;
        let found: Vec<_> =
            members.iter().map(|m| (u32::from(m.offset), m.name.clone(), m.ty.to_string())).collect();
        assert_eq!(found, expected, "{layout:?}");
        types.extend(found.into_iter().map(|(_, _, ty)| ty));
    }
    // Panda3DS packs ints.
    for ty in ["float4[96]", "int4", "int4[4]", "uint4", "uint"] {
        assert!(types.contains(ty), "{ty}: {types:?}");
    }
}

#[test]
fn what_a_file_leaves_out_is_listed() {
    let clip = Options {
        outputs: transpica::settings::Outputs {
            clip_planes: transpica::settings::ClipPlanes::BuiltIn,
            ..Default::default()
        },
        ..Options::default()
    };
    let (file, _) = translated("fog", clip, Profile::default(), Job::Vertex).expect("fits");
    let [host] = file.bindings[..] else { panic!("{:?}", file.bindings) };
    assert!(matches!(host.resource, Resource::Buffer { is_writable: false, element: 16.. }));
    assert_eq!(file.tables[2], u16::from(host.slot) + 1);

    let mut profile = Profile::default();
    profile.bindings.uniforms.set = 3;
    let (_, left_out) = translated("fog", Options::default(), profile.clone(), Job::Vertex).expect("fits");
    let expected =
        ["names of parts of arrays", "values that binding the executable sets", "set 3 of the uniform block"];
    assert_eq!(left_out, expected);
    profile.bindings.host.binding = 40;
    let error = translated("fog", clip, profile, Job::Vertex).expect_err("a slot over 31");
    assert!(error.to_string().contains("slot of a binding: 40, at most 31"), "{error}");
    assert!(error.hint().is_some());

    let error = translated("fog", Options::default(), Profile::default(), Job::Compute).expect_err("compute");
    assert_eq!(error.fault, Fault::Compute);
    let registers = Options {
        block: transpica::settings::Block { layout: Layout::Registers, ..Default::default() },
        ..Options::default()
    };
    assert!(translated("fog", registers, Profile::default(), Job::Vertex).is_ok());
}

#[test]
fn values_over_their_fields_are_errors_with_hints() {
    let words = |count| {
        let mut file = Vbc::default();
        file.stages[0] = vec![0x0723_0203; count];
        file.write()
    };
    assert!(words(65_535).is_ok());
    let error = words(65_536).expect_err("a word too many");
    assert_eq!(error.to_string(), "VBC cannot contain the words of a stage: 65536, at most 65535");
    assert!(error.hint().is_some_and(|hint| hint.contains("--assume")));

    let member = |length| Member {
        name: "x".repeat(length),
        offset: 0,
        ty: Type { base: Base::Float, rows: 4, columns: 1, array: 1 },
    };
    let named = |length| {
        let uniform = Uniform { size: 16, stages: 1, members: vec![member(length)] };
        Vbc { uniform: Some(uniform), ..Vbc::default() }.write()
    };
    assert!(named(255).is_ok());
    assert!(named(256).expect_err("a long name").hint().is_some());
    let slot = Slot { slot: 32, stages: 1, resource: Resource::Sampler };
    assert!(Vbc { bindings: vec![slot], ..Vbc::default() }.write().is_err());
    let subpass = vec![SubpassInput { base: 4, components: 4 }; 5];
    assert!(Vbc { subpass, ..Vbc::default() }.write().is_err());
}
