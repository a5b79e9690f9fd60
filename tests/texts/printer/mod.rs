//! Modules in text form are written in every language; naga accepts what comes out, and some of it
//! is read here.

mod chains;
mod constructs;
mod entries;
mod kept;
mod loops;
mod machine;
mod operations;
mod random;
mod samples;

use transpica::host::{
    Attribute, Bank, ComponentSource, EntryPoint, Interface, Location, Member, MemberType, Output,
    OutputValue, UniformBlock,
};
use transpica::stages::backend::{BackendInput, naga, text};
use transpica::stages::{error, ir};
use transpica::{Options, Profile};

/// One output for each value that the main function yields: the first four-lane one is the
/// position.
fn outputs(module: &ir::Module) -> Vec<Output> {
    let main = &module.main;
    let Some(ir::Exit::Yield(values)) = main.body.map(|body| main.regions[body].exit) else {
        return Vec::new();
    };
    let mut position = true;
    let mut output = |(index, value): (u32, &ir::Value)| {
        let lanes = usize::from(main.ty(*value).lanes);
        let here = position && lanes == 4;
        position &= !here;
        Output {
            name: if here { "position".into() } else { format!("varying_{index}") },
            location: if here { Location::Position } else { Location::Varying(index) },
            components: vec![ComponentSource::One; lanes],
            value: OutputValue::Plain,
            semantic: None,
            hooks: Vec::new(),
        }
    };
    (0..).zip(main.get(values)).map(&mut output).collect()
}

fn member(name: &str, bank: Bank, offset: u32, ty: MemberType) -> Member {
    Member { name: name.into(), bank, first: 0, count: 1, offset, ty }
}

/// Returns the interface of the text modules of these tests.
fn interface(module: &ir::Module) -> Interface {
    let attribute =
        |register: u8, name: &str| Attribute { register, name: name.into(), format: Default::default() };
    Interface {
        source: "sample.shbin".into(),
        entry_label: Some("main".into()),
        attributes: vec![attribute(0, "position"), attribute(1, "color"), attribute(2, "weights")],
        outputs: outputs(module),
        block: UniformBlock {
            members: vec![
                member("projection", Bank::Float, 0, MemberType::Vec4Array(4)),
                member("bones", Bank::Float, 64, MemberType::Vec4Array(12)),
                member("light", Bank::Float, 256, MemberType::Vec4),
                member("counts", Bank::Int, 272, MemberType::IVec4),
                member("flags", Bank::Bool, 288, MemberType::Bits),
            ],
            size: 304,
            ..UniformBlock::default()
        },
        ..Interface::default()
    }
}

/// Calls a generator with a module, under default options except for the entry.
fn write<T>(
    module: &ir::Module,
    interface: &Interface,
    entry: EntryPoint,
    write: impl FnOnce(&BackendInput<'_>) -> error::Result<T>,
) -> error::Result<T> {
    let (options, profile) = (Options::default(), Profile::default());
    let interface = Interface { entry_point: entry, ..interface.clone() };
    let limits = &options.limits;
    write(&BackendInput { module, interface: &interface, limits, profile: &profile, debug_source: None })
}

/// WGSL as naga reads it.
fn parse(wgsl: &str) -> ::naga::Module {
    let parsed = ::naga::front::wgsl::parse_str(wgsl);
    let parsed = parsed.unwrap_or_else(|error| panic!("{}\n{wgsl}", error.emit_to_string(wgsl)));
    naga::validate(&parsed).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    parsed
}

/// The module in all languages, and its WGSL, which naga accepts.
fn translate(module: &ir::Module, interface: &Interface, entry: EntryPoint) -> String {
    ir::verify::verify(module, ir::verify::Phase::Legal).expect("is legal");
    let wgsl = write(module, interface, entry.clone(), |source| text::wgsl(source, None)).expect("WGSL");
    parse(&wgsl);
    for version in text::GlslVersion::ALL {
        match write(module, interface, entry.clone(), |source| text::glsl(source, version, None)) {
            Ok(glsl) => assert_eq!(glsl.lines().nth(1), Some("// source: sample.shbin"), "{glsl}"),
            Err(error) => {
                let compute = entry.is_compute() && !version.has_compute();
                assert!(compute, "{version:?}: {error}");
            }
        }
    }
    assert!(write(module, interface, entry.clone(), naga::hlsl).expect("HLSL").contains(" main("));
    assert!(write(module, interface, entry.clone(), naga::msl).expect("MSL").contains(naga::MSL_ENTRY_POINT));
    wgsl
}

/// Translates a module in text form; gives its WGSL.
fn check(source: &str) -> String {
    let module = transpica_proof::ir::parse(source).unwrap_or_else(|error| panic!("{error}"));
    translate(&module, &interface(&module), EntryPoint::Vertex)
}

/// The main function of a module in WGSL.
fn main_function(source: &str) -> String {
    let wgsl = check(source);
    wgsl[wgsl.find("@vertex").expect("an entry point")..].to_owned()
}
