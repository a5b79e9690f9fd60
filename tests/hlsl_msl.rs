//! HLSL and MSL of every program with every entry: compilers accept them, and no two buffers of MSL
//! share a slot.
//! Without glslang and g++ this fails and says how to install them. The HLSL stays in the target
//! folder for DXC (`cargo xtask validate`).

mod products;
mod samples;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use products::with_products;
use transpica::stages::backend::text::Language;
use transpica::stages::container::Shbin;
use transpica::stages::geometry::kernel::bindings;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::stages::host::{Job, UniformBlock};
use transpica::stages::limits::Limits;
use transpica::{Options, Profile, Translator};
use transpica_prove::glslang::{self, Stage};
use transpica_prove::{metal, spirv_tools};

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
    let texts = Mutex::new(Vec::new());
    with_products(|name, translated| {
        let text = translated.text(Language::Msl).expect("MSL");
        let text = format!("{text}\n{}", offsets(&text, &translated.interface.block));
        texts.lock().expect("no panic").push((name.to_owned(), text));
    });
    let texts = texts.into_inner().expect("no panic");
    assert!(texts.iter().filter(|(_, text)| text.contains("static_assert")).count() > 80);
    let named = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    metal::read(named).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_compiler_of_msl_reports_errors() {
    let bytes = include_bytes!("../shaders/lights.shbin");
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
        ("metal::abs(", "metal::abs_of("),
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
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hlsl");
    // Forms that no longer exist must not remain from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    with_products(|name, translated| {
        let text = translated.text(Language::Hlsl).expect("HLSL");
        let (stage, end) = match translated.interface.entry_point.is_compute() {
            false => (Stage::Vertex, "vs"),
            true => (Stage::Compute, "cs"),
        };
        let file = name.replace(['/', ' '], "-").replace(".shbin", "");
        fs::write(folder.join(format!("{file}.{end}.hlsl")), &text).expect("writable");
        let words = glslang::hlsl(&text, stage).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    });
}
