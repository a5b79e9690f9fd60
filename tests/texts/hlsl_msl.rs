//! HLSL and MSL of every program with every entry: compilers accept them, no two buffers of MSL
//! share a slot, and a reflection has the registers, semantics, slots and attributes of the texts.
//! The HLSL stays in the target folder for DXC (`cargo xtask validate`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use naga::TypeInner;
use transpica::geometry::kernel::bindings;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Constants, Location, Output, UniformBlock, dvle};
use transpica::isa::Pc;
use transpica::reflect::Reflection;
use transpica::settings::{Arithmetic, Binding, Bindings, BoolUniforms, FlipY, Outputs};
use transpica::stages::backend::text::Language;
use transpica::{Job, Limits, Shbin};
use transpica::{Options, Precision, Profile, Program, Stage as UnitStage, Translation, Translator};
use transpica_proof::glslang::{self, Stage};
use transpica_proof::{metal, spirv_tools};

use crate::products::{with_products, with_some_products};

/// Every text in a language, by name; true for vertex stages.
fn texts(language: Language) -> BTreeMap<String, (String, bool)> {
    let texts = Mutex::new(BTreeMap::new());
    let count = with_products(|name, translated| {
        let text = translated.text(language);
        let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_vertex = !translated.interface.entry_point.is_compute();
        texts.lock().expect("no panic").insert(name.to_owned(), (text, is_vertex));
    });
    let texts = texts.into_inner().expect("no panic");
    assert_eq!(texts.len(), count, "names");
    assert!(count > 130, "{count} texts");
    texts
}

#[test]
fn no_two_buffers_of_msl_have_one_slot() {
    let mut kernels = 0;
    for (name, (text, is_vertex)) in texts(Language::Msl) {
        let mut slots = metal::slots(&text);
        let count = slots.len();
        assert_eq!(slots.contains(&bindings::SIZES), !is_vertex, "{name}: runtime arrays\n{text}");
        kernels += usize::from(slots.contains(&bindings::DRAW));
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), count, "{name}: two buffers with one slot\n{text}");
    }
    assert!(kernels > 15, "{kernels} kernels with buffers of their own");
}

#[test]
fn slots_of_msl_are_found() {
    let text = "constant A& a [[buffer(3)]]\n, device B& b [[buffer(12)]]\n, constant C& c [[buffer(3)]]";
    assert_eq!(metal::slots(text), [3, 12, 3]);
}

/// Assertions in MSL that the members of the uniform block have the block's offsets.
fn offsets(text: &str, block: &UniformBlock) -> String {
    let struct_of = text.split("struct Uniforms {\n").nth(1).and_then(|rest| rest.split("};").next());
    let names = struct_of.unwrap_or_default().lines();
    let names = names.filter_map(|line| line.trim().strip_suffix(';')?.rsplit(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.starts_with("_pad")).collect();
    let order = block.by_offset();
    assert_eq!(names.len(), order.len(), "{text}");
    let assertion = |(name, index): (&str, usize)| {
        let offset = block.members[index].offset;
        format!("static_assert(__builtin_offsetof(Uniforms, {name}) == {offset}, \"{name}\");\n")
    };
    names.into_iter().zip(order).map(assertion).collect()
}

#[test]
fn a_compiler_reads_msl_and_finds_uniforms_where_the_block_has_them() {
    needs!("g++");
    let texts = Mutex::new(Vec::new());
    with_some_products("a C++ compiler", 2, |name, translated| {
        let text = translated.text(Language::Msl).expect("MSL");
        let text = format!("{text}\n{}", offsets(&text, &translated.interface.block));
        texts.lock().expect("no panic").push((name.to_owned(), text));
    });
    let texts = texts.into_inner().expect("no panic");
    let with_blocks = texts.iter().filter(|(_, text)| text.contains("static_assert")).count();
    assert!(with_blocks > 40, "only {with_blocks} texts");
    let named = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    metal::read(named).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn compilers_read_matrices_and_find_them_where_the_block_has_them() {
    needs!("g++", "glslangValidator");
    let arithmetic = Arithmetic { precision: Precision::Fast, ..Arithmetic::default() };
    let mut translator = Translator::new(Options { arithmetic, ..Options::default() }, Profile::default());
    let bytes = include_bytes!("../../shaders/textured.shbin");
    let file = Shbin::parse(bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "textured.shbin").expect("an executable");
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
    let text = translated.text(Language::Hlsl).expect("HLSL");
    assert!(text.contains("mul(projection, mul(modelView, "), "{text}");
    let words = glslang::hlsl(&text, Stage::Vertex).unwrap_or_else(|error| panic!("{error}\n{text}"));
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let text = translated.text(Language::Msl).expect("MSL");
    assert!(text.contains(" * modelView) * projection;"), "{text}");
    let text = format!("{text}\n{}", offsets(&text, &translated.interface.block));
    metal::read([("textured", text.as_str())]).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_compiler_of_msl_reports_errors() {
    needs!("g++");
    let bytes = include_bytes!("../../shaders/lights.shbin");
    let file = Shbin::parse(bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "lights.shbin").expect("an executable");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
    let text = translated.text(Language::Msl).expect("MSL");
    let text = format!("{text}\n{}", offsets(&text, &translated.interface.block));
    let reads = |text: &str| metal::read([("text", text)]);
    reads(&text).expect("as it is");
    for (from, to) in [
        ("metal::float4(", "metal::float3("),
        ("metal::rsqrt(", "metal::root_of("),
        (" _e", " _f"),
        ("uniforms.", "uniform."),
        ("    return metal::select(", "    return !metal::select("),
        ("metal::select(", "metal::select(0.0, "),
        ("    metal::int4 lightLoop;", "    metal::float2 added;\n    metal::int4 lightLoop;"),
    ] {
        assert!(text.contains(from), "{from}\n{text}");
        assert!(reads(&text.replacen(from, to, 1)).is_err(), "{from} as {to}");
    }
}

#[test]
fn glslang_reads_hlsl() {
    needs!("glslangValidator");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hlsl");
    // Forms that no longer exist must not remain from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    with_some_products("glslang, as HLSL,", 2, |name, translated| {
        let text = translated.text(Language::Hlsl).expect("HLSL");
        let (stage, end) = if translated.interface.entry_point.is_compute() {
            (Stage::Compute, "cs")
        } else {
            (Stage::Vertex, "vs")
        };
        let file = name.replace(['/', ' '], "-").replace(".shbin", "");
        fs::write(folder.join(format!("{file}.{end}.hlsl")), &text).expect("writable");
        let words = glslang::hlsl(&text, stage).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    });
}

/// Last word of a text: the name that it declares.
fn declared(text: &str) -> &str {
    let name = text.trim_end().rsplit([' ', '*', '&', '\n']).next().unwrap_or_default();
    name.split('[').next().unwrap_or_default()
}

/// Names with their registers and semantics in HLSL.
fn hlsl_places(text: &str) -> BTreeSet<String> {
    let registers = text.split(": register(").collect::<Vec<_>>();
    let registers = registers
        .windows(2)
        .map(|pair| format!("{} {}", declared(pair[0]), pair[1].split(')').next().unwrap_or_default()));
    let is_semantic =
        |place: &str| place.starts_with("LOC") || place.starts_with("SV_") && place != "SV_DispatchThreadID";
    let parts = text.split([';', ',', '(', ')', '{', '}', '\n']).filter_map(|part| part.split_once(" : "));
    let semantics = parts.filter(|(_, place)| is_semantic(place));
    registers.chain(semantics.map(|(head, place)| format!("{} {place}", declared(head)))).collect()
}

/// Names with their slots and attributes in MSL.
fn msl_places(text: &str) -> BTreeSet<String> {
    let parts = text.split("[[").collect::<Vec<_>>();
    let places = parts.windows(2).filter_map(|pair| {
        let place = pair[1].split([']', ',']).next().unwrap_or_default();
        let is_place = ["buffer(", "attribute(", "user(", "position", "clip_distance"]
            .iter()
            .any(|start| place.starts_with(start));
        is_place.then(|| format!("{} {place}", declared(pair[0])))
    });
    places.collect()
}

/// The places of a reflection in the same words: in HLSL and in MSL.
fn reflected_places(reflection: &Reflection, module: &naga::Module) -> [BTreeSet<String>; 2] {
    let mut places = [BTreeSet::new(), BTreeSet::new()];
    let mut add = |name: &str, hlsl: Option<String>, msl: Option<String>| {
        for (places, place) in places.iter_mut().zip([hlsl, msl]) {
            places.extend(place.map(|place| format!("{name} {place}")));
        }
    };
    let attributes = reflection.interface.attributes.iter().map(|attribute| &attribute.name);
    for (name, place) in attributes.zip(&reflection.places.attributes) {
        add(name, place.hlsl.clone(), place.msl.clone());
    }
    let outputs = reflection.interface.outputs.iter().map(|output| &output.name);
    for (name, place) in outputs.zip(&reflection.places.outputs) {
        add(name, place.hlsl.clone(), place.msl.clone());
    }
    let slot = |slot: Option<u32>| slot.map(|slot| format!("buffer({slot})"));
    for one in &reflection.buffers {
        add(one.name, one.hlsl.map(|register| register.to_string()), slot(one.msl));
    }
    let blocks = [reflection.uniform_block, reflection.host_block, reflection.draw_block];
    for one in blocks.into_iter().flatten() {
        let mut globals = module.global_variables.iter();
        let is_it = |place: naga::ResourceBinding| (place.group, place.binding) == (one.set, one.binding);
        let variable = globals.find(|(_, variable)| variable.binding.is_some_and(is_it)).expect("declared").1;
        let name = variable.name.as_deref().expect("a name");
        add(name, one.hlsl.map(|register| register.to_string()), slot(one.msl));
    }
    add("_buffer_sizes", None, slot(reflection.module.msl_sizes));
    places
}

/// The places of a text by the names of a reflection: where attributes and outputs have one name,
/// naga adds a number to that of one.
fn without_numbers(found: BTreeSet<String>, known: &BTreeSet<String>) -> BTreeSet<String> {
    let plain = |line: &str| {
        let (name, place) = line.split_once(' ')?;
        let (stem, number) = name.rsplit_once('_')?;
        let plain = format!("{stem} {place}");
        (number.parse::<u8>().is_ok() && known.contains(&plain)).then_some(plain)
    };
    found.into_iter().map(|line| plain(&line).unwrap_or(line)).collect()
}

/// Describes a translation; its program has no influence on places.
fn of_any_program(translated: &Translation) -> Reflection {
    let program =
        Program::from_raw(&[0x8800_0000][..], &[][..], Pc(0), UnitStage::Vertex).expect("a program");
    Reflection::new(&program, translated, &Constants::default())
}

#[test]
fn registers_and_slots_are_those_of_the_texts() {
    let counts = Mutex::new([0; 3]);
    with_products(|name, translated| {
        let (reflection, module) = (of_any_program(translated), translated.naga().expect("a module"));
        let [hlsl, mut msl] = reflected_places(&reflection, &module);
        let text = translated.hlsl().expect("HLSL");
        assert_eq!(without_numbers(hlsl_places(&text), &hlsl), hlsl, "{name}\n{text}");
        let text = translated.msl().expect("MSL");
        // Entries in MSL have no parameter for a buffer that the program does not use.
        for unused in reflection.buffers.iter().filter(|one| !text.contains(&format!("{}[", one.name))) {
            assert!(msl.remove(&format!("{} buffer({})", unused.name, unused.binding)), "{name}");
        }
        assert_eq!(without_numbers(msl_places(&text), &msl), msl, "{name}\n{text}");
        // Sizes are those of the buffers, in order.
        let arrays = module.global_variables.iter().filter(|(_, variable)| {
            matches!(module.types[variable.ty].inner, TypeInner::Array { size: naga::ArraySize::Dynamic, .. })
        });
        let arrays: Vec<_> = arrays.map(|(_, variable)| variable.name.clone().expect("a name")).collect();
        let buffers: Vec<_> = reflection.buffers.iter().map(|buffer| buffer.name.to_owned()).collect();
        assert_eq!(arrays, buffers, "{name}");
        let sizes = text.split("struct _mslBufferSizes {").nth(1).and_then(|rest| rest.split('}').next());
        assert_eq!(sizes.unwrap_or_default().matches("uint size").count(), buffers.len(), "{name}\n{text}");
        let mut counts = counts.lock().expect("no panic");
        let is_varying = |output: &&Output| matches!(output.location, Location::Varying(_));
        counts[0] += reflection.interface.attributes.len();
        counts[1] += reflection.interface.outputs.iter().filter(|output| !is_varying(output)).count();
        counts[2] += buffers.len();
    });
    let counts = counts.into_inner().expect("no panic");
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}

#[test]
fn the_stage_before_a_geometry_stage_has_the_places_of_its_texts() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("there");
    let file = Shbin::parse(&bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "sample.shbin").expect("an executable");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let job = Job::BeforeGeometry { outputs: 3, vertices: 1 };
    let translated = translator.translate(&program, &environment, job).expect("translates");
    let [mut hlsl, mut msl] =
        reflected_places(&of_any_program(&translated), &translated.naga().expect("a module"));
    // Texts declare a position that no stage reads.
    hlsl.insert("position SV_Position".into());
    msl.insert("position position".into());
    assert_eq!(hlsl_places(&translated.hlsl().expect("HLSL")), hlsl);
    assert_eq!(msl_places(&translated.msl().expect("MSL")), msl);
}

#[test]
fn a_language_that_cannot_have_a_module_has_no_places() {
    let bytes = include_bytes!("../../shaders/lights.shbin");
    let file = Shbin::parse(bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "sample.shbin").expect("an executable");
    let at = |set, binding| Binding { set, binding };
    let flip_y = Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() };
    let bools = BoolUniforms { specialized: 0xFFFF, ..BoolUniforms::default() };
    for (uniforms, host, specialized, expected) in [
        (at(0, 0), at(0, 1), false, [true, true]),
        (at(255, 30), at(1, 0), false, [true, true]),
        (at(0, 0), at(256, 1), false, [false, true]),
        (at(0, 31), at(0, 1), false, [true, false]),
        (at(0, 1), at(1, 1), false, [true, false]),
        (at(0, 0), at(0, 1), true, [false, false]),
    ] {
        let mut options = Options { outputs: flip_y, ..Options::default() };
        if specialized {
            options.control.bools = bools;
        }
        let profile =
            Profile { bindings: Bindings { uniforms, host, ..Bindings::default() }, ..Profile::default() };
        let mut translator = Translator::new(options, profile);
        let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
        let case = format!("{uniforms:?} {host:?} {specialized}");
        assert_eq!([translated.hlsl().is_ok(), translated.msl().is_ok()], expected, "{case}");
        let reflection = of_any_program(&translated);
        let blocks = [reflection.uniform_block, reflection.host_block].map(|block| block.expect("read"));
        let (attribute, output) = (&reflection.places.attributes[0], &reflection.places.outputs[0]);
        let hlsl = [
            attribute.hlsl.is_some(),
            output.hlsl.is_some(),
            blocks[0].hlsl.is_some(),
            blocks[1].hlsl.is_some(),
        ];
        let msl =
            [attribute.msl.is_some(), output.msl.is_some(), blocks[0].msl.is_some(), blocks[1].msl.is_some()];
        assert_eq!([hlsl, msl], expected.map(|has| [has; 4]), "{case}");
    }
}
