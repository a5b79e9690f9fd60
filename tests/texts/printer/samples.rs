//! The sample shaders: what their WGSL says computes what their IR does.

use super::machine::{Val, run};
use super::parse;
use super::random::{Random, bits, masked};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Interface, MemberType, dvle};
use transpica::settings::Arithmetic;
use transpica::stages::backend::Language;
use transpica::stages::ir::Exit;
use transpica::{Job, Options, Precision, Profile, Shbin, Stage, Translation, Translator};
use transpica_proof::ir::{InputValues, Lanes, eval};

/// A number of the usual size, or rarely an unusual one.
fn float(random: &mut Random) -> f32 {
    match random.below(24) {
        0 => [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 1e38, 1e-38][random.below(6)],
        _ => (random.below(4001) as f32 - 2000.0) / 256.0,
    }
}

fn floats(random: &mut Random) -> (Lanes, Val) {
    let lanes: [f32; 4] = std::array::from_fn(|_| float(random));
    (lanes.map(f32::to_bits), Val::List(lanes.map(Val::F).to_vec()))
}

/// One element of a member, for the IR and for naga.
fn element(ty: MemberType, random: &mut Random) -> (Lanes, Val) {
    match ty {
        MemberType::Vec4 | MemberType::Vec4Array(_) => floats(random),
        MemberType::IVec4 | MemberType::IVec4Array(_) => {
            let lanes: [u32; 4] = std::array::from_fn(|_| random.below(4) as u32);
            (lanes, Val::List(lanes.map(|lane| Val::I(lane as i32)).to_vec()))
        }
        MemberType::PackedInts | MemberType::Bits => {
            let word = random.next();
            ([word, 0, 0, 0], Val::U(word))
        }
    }
}

/// Attributes and uniforms, for the IR and for naga.
fn environment(interface: &Interface, random: &mut Random) -> (InputValues, Vec<Val>, Val) {
    let mut registers = InputValues::default();
    let mut arguments = Vec::new();
    for attribute in &interface.attributes {
        let (lanes, value) = floats(random);
        registers.inputs[usize::from(attribute.register)] = lanes;
        arguments.push(value);
    }
    let block = &interface.block;
    registers.members = vec![Vec::new(); block.members.len()];
    let mut uniforms = Vec::new();
    for number in block.by_offset() {
        let ty = block.members[number].ty;
        let length = match ty {
            MemberType::Vec4Array(length) | MemberType::IVec4Array(length) => Some(length),
            MemberType::Vec4 | MemberType::IVec4 | MemberType::PackedInts | MemberType::Bits => None,
        };
        let (lanes, values): (Vec<Lanes>, Vec<Val>) =
            (0..length.unwrap_or(1)).map(|_| element(ty, random)).unzip();
        registers.members[number] = lanes;
        uniforms.push(if length.is_some() { Val::List(values) } else { values[0].clone() });
    }
    (registers, arguments, Val::List(uniforms))
}

/// Runs the IR and its WGSL on random inputs.
fn compare(what: &str, translated: &Translation, wgsl: &str, random: &mut Random) {
    let parsed = parse(wgsl);
    let main = &translated.module.main;
    let Some(Exit::Yield(outputs)) = main.body.map(|body| main.regions[body].exit) else { return };
    let widths: Vec<usize> =
        main.get(outputs).iter().map(|&value| usize::from(main.ty(value).lanes)).collect();
    for _ in 0..4 {
        let (registers, arguments, uniforms) = environment(&translated.interface, random);
        let results = eval(&translated.module, Precision::Exact, &registers, 1_000_000).unwrap();
        let found: Vec<Vec<u32>> = run(&parsed, arguments, &uniforms).iter().map(bits).collect();
        assert_eq!(found, masked(&results, &widths), "{what}\n{wgsl}");
    }
}

#[test]
fn wgsl_of_the_samples_matches_the_evaluator() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "shbin"));
    paths.sort();
    assert!(paths.len() > 10);
    let mut random = Random(7);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let file = Shbin::parse(&bytes).unwrap();
        for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
            let mut translator = Translator::new(
                Options {
                    arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                    ..Options::default()
                },
                Profile::default(),
            );
            for index in 0.. {
                let Ok(program) = dvle::program(&file, index, &Options::default().limits) else { break };
                if program.stage() == Stage::Geometry {
                    continue;
                }
                let what = format!("{} {index} {precision:?}", path.display());
                let environment = FileEnvironment::new(&file, index, "sample").unwrap();
                let translated = translator.translate(&program, &environment, Job::Vertex).unwrap();
                let wgsl = translated.text(Language::Wgsl).unwrap();
                compare(&what, &translated, &wgsl, &mut random);
            }
        }
    }
}
