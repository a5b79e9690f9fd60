//! Modules in text form go through every text target; naga accepts what comes out, and some of it is read here.

mod chains;
mod constructs;
mod entries;
mod machine;
mod operations;
mod random;
mod samples;

use crate::backend::{naga_ir, text};
use crate::host::{
    Attribute, Bank, ComponentSource, EntryPoint, Interface, Location, Member, MemberType, Options, Output,
    OutputValue, Profile, UniformBlock,
};
use crate::ir;

/// One output for each value that the main function yields: the first four-lane one is the position.
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
        }
    };
    (0..).zip(main.get(values)).map(&mut output).collect()
}

fn member(name: &str, bank: Bank, offset: u32, ty: MemberType) -> Member {
    Member { name: name.into(), bank, first: 0, count: 1, offset, ty }
}

/// What the text modules of these tests live in.
fn interface(module: &ir::Module) -> Interface {
    let attribute = |register: u8, name: &str| Attribute { register, name: name.into() };
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
        },
        ..Interface::default()
    }
}

/// The module in all forms, each accepted by naga.
fn translate(module: &ir::Module, interface: &Interface, entry: EntryPoint) -> naga::Module {
    ir::verify::verify(module, ir::verify::Stage::Legal).expect("is legal");
    let options = Options { entry, ..Options::default() };
    let built = naga_ir::build(module, interface, &options, &Profile::default()).expect("builds");
    naga_ir::validate(&built).expect("is valid");
    let wgsl = text::wgsl(&built, interface).expect("WGSL");
    let parsed =
        naga::front::wgsl::parse_str(&wgsl).unwrap_or_else(|e| panic!("{}\n{wgsl}", e.emit_to_string(&wgsl)));
    naga_ir::validate(&parsed).expect("the WGSL is valid");
    for version in text::GlslVersion::ALL {
        match text::glsl(&built, interface, version, &Profile::default()) {
            Ok(glsl) => assert_eq!(glsl.lines().nth(1), Some("// source: sample.shbin"), "{glsl}"),
            Err(error) => {
                let compute = (entry, version) == (EntryPoint::Compute, text::GlslVersion::Core330);
                assert!(compute, "{version:?}: {error}");
            }
        }
    }
    assert!(text::hlsl(&built, interface).expect("HLSL").contains(" main("));
    assert!(text::msl(&built, interface).expect("MSL").contains(text::MSL_ENTRY_POINT));
    built
}

/// Translates a module in text form; gives its WGSL.
fn check(source: &str) -> String {
    let module = ir::text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let interface = interface(&module);
    let built = translate(&module, &interface, EntryPoint::Vertex);
    text::wgsl(&built, &interface).expect("WGSL")
}

/// The main function of a module in WGSL.
fn main_function(source: &str) -> String {
    let wgsl = check(source);
    wgsl[wgsl.find("@vertex").expect("an entry point")..].to_owned()
}
