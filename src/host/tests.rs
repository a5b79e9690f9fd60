//! Interfaces of the sample programs and of small made-up executables.

use super::*;
use crate::container::Shbin;
use crate::limits::Limits;

const TEXTURED: &[u8] = include_bytes!("../../shaders/textured.shbin");

/// What `textured` reads: three inputs, both matrices, the scale and a constant.
fn textured_usage() -> Usage {
    Usage { inputs: 7, floats: 0x1FF | 1 << 95, outputs: 7, ..Usage::default() }
}

fn members(block: &UniformBlock) -> Vec<(&str, u8, u32, MemberType)> {
    block.members.iter().map(|m| (m.name.as_str(), m.first, m.offset, m.ty)).collect()
}

#[test]
fn textured_has_named_attributes_outputs_and_members() {
    let file = Shbin::parse(TEXTURED).unwrap();
    let interface = dvle::interface(&file, 0, &textured_usage(), &Options::default(), "textured").unwrap();
    assert_eq!((interface.source.as_str(), interface.entry_label.as_deref()), ("textured", None));
    let attributes: Vec<_> = interface.attributes.iter().map(|a| (a.register, a.name.as_str())).collect();
    assert_eq!(attributes, [(0, "inpos"), (1, "inuv"), (2, "incol")]);
    let outputs: Vec<_> = interface
        .outputs
        .iter()
        .map(|o| (o.name.as_str(), o.location, o.components.len(), o.color))
        .collect();
    assert_eq!(
        outputs,
        [
            ("position", Location::Position, 4, false),
            ("color", Location::Varying(0), 4, true),
            ("texcoord0_uv", Location::Varying(1), 2, false),
        ]
    );
    assert_eq!(
        members(&interface.block),
        [
            ("projection", 0, 0, MemberType::Vec4Array(4)),
            ("modelView", 4, 64, MemberType::Vec4Array(4)),
            ("texScale", 8, 128, MemberType::Vec4),
        ]
    );
    assert_eq!(interface.block.size, 144);
    assert_eq!(interface.folded.floats[95], Some([1f32.to_bits(), 0, 0.5f32.to_bits(), 0x3B80_8080]));
    assert_eq!(interface.warnings, []);
}

#[test]
fn unfolded_constants_are_unbound_members() {
    let file = Shbin::parse(TEXTURED).unwrap();
    let options = Options { fold_constants: false, ..Options::default() };
    let interface = dvle::interface(&file, 0, &textured_usage(), &options, "").unwrap();
    assert_eq!(interface.folded, Constants::default());
    assert_eq!(members(&interface.block)[3..], [("c95_unbound", 95, 144, MemberType::Vec4)]);
    let mut values = UniformValues::default();
    values.apply(&dvle::constants(&file.executables[0]));
    assert_eq!(pack(&interface.block, &values)[144..148], 1f32.to_le_bytes());
}

#[test]
fn every_sample_makes_programs_and_interfaces() {
    for name in ["fog", "library", "lights", "points", "quaternion", "skinning", "toon", "uber", "water"] {
        let bytes = std::fs::read(format!("shaders/{name}.shbin")).unwrap();
        let file = Shbin::parse(&bytes).unwrap();
        let everything = Usage {
            inputs: u16::MAX,
            ints: 15,
            bools: u16::MAX,
            relative: Some(Reach::Anywhere),
            ..Usage::default()
        };
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Limits::default()).unwrap();
            assert_eq!(program.code().len(), file.package.code.len());
            for layout in [Layout::Symbols, Layout::Registers] {
                let options = Options { layout, ..Options::default() };
                let interface = dvle::interface(&file, index, &everything, &options, name).unwrap();
                every_register_is_found_once(&interface);
            }
        }
    }
}

/// Each register lies in exactly one member or is folded; members do not overlap and have aligned offsets.
fn every_register_is_found_once(interface: &Interface) {
    for (bank, count) in [(Bank::Float, 96), (Bank::Int, 4), (Bank::Bool, 16)] {
        for register in 0..count {
            let folded = bank == Bank::Float && interface.folded.floats[usize::from(register)].is_some();
            let holds = |m: &&Member| m.bank == bank && (m.first..m.first + m.count).contains(&register);
            let holders: Vec<_> = interface.block.members.iter().filter(holds).collect();
            let found = interface.block.find(bank, register);
            match (folded, holders.as_slice()) {
                (true, []) => assert_eq!(found, None),
                (_, [holder]) => assert_eq!(found, Some((*holder, register - holder.first))),
                (_, other) => panic!("{bank:?} {register}: {other:?}"),
            }
        }
    }
    let mut end = 0;
    for member in &interface.block.members {
        let (align, size) = match member.ty {
            MemberType::Bits => (4, 4),
            _ => (16, 16 * u32::from(member.count)),
        };
        assert!(member.offset >= end && member.offset % align == 0, "{member:?}");
        end = member.offset + size;
    }
    assert!(interface.block.size >= end && interface.block.size % 16 == 0);
}
