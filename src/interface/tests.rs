//! Interfaces of the sample programs and of small made-up executables.

use super::*;
use crate::error::Kind;
use crate::host::constants::{Constants, constants};
use crate::host::settings::{Block, Layout, Options, Profile, RegisterLayout};
use crate::limits::Limits;
use crate::program::container::{
    Constant, ConstantValue, Executable, Label, Model, OutputRecord as Entry, Semantic, Shbin, Symbol,
    SymbolBank, SymbolRange, write,
};
use crate::program::executable;
use crate::program::isa::{Pc, Stage, Uniforms};

const TEXTURED: &[u8] = include_bytes!("../../shaders/textured.shbin");

/// Usage of `textured`: three inputs, both matrices, the scale and a constant.
fn textured_usage() -> Usage {
    Usage { inputs: 7, floats: 0x1FF | 1 << 95, outputs: 7, ..Usage::default() }
}

fn members(block: &UniformBlock) -> Vec<(&str, u8, u32, MemberType)> {
    block.members.iter().map(|m| (m.name.as_str(), m.first, m.offset, m.ty)).collect()
}

#[test]
fn textured_has_named_attributes_outputs_and_members() {
    let file = Shbin::parse(TEXTURED).unwrap();
    let interface = whole_interface(&file, &textured_usage(), "textured");
    assert_eq!(
        (interface.source.as_str(), interface.executable, interface.entry_label.as_deref(), interface.entry),
        ("textured", Some(0), None, Some(Pc(0)))
    );
    assert_eq!(interface.entry_name().as_deref(), Some("code word 0x0"));
    let attributes: Vec<_> = interface.attributes.iter().map(|a| (a.register, a.name.as_str())).collect();
    assert_eq!(attributes, [(0, "inpos"), (1, "inuv"), (2, "incol")]);
    let outputs: Vec<_> =
        interface.outputs.iter().map(|o| (o.name.as_str(), o.location, o.lanes(), o.value)).collect();
    assert_eq!(
        outputs,
        [
            ("position", Location::Position, 4, OutputValue::Position),
            ("color", Location::Varying(0), 4, OutputValue::Color),
            ("texcoord0_uv", Location::Varying(1), 2, OutputValue::Plain),
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
fn constants_that_are_not_folded_are_members() {
    let file = Shbin::parse(TEXTURED).unwrap();
    let options =
        Options { block: Block { fold_constants: false, ..Block::default() }, ..Options::default() };
    let interface = interface_at(&file, 0, &textured_usage(), &options, "");
    assert_eq!(*interface.folded, Constants::default());
    assert_eq!(members(&interface.block)[3..], [("c95_unbound", 95, 144, MemberType::Vec4)]);
    let mut values = Uniforms::default();
    constants(&file.executables[0]).apply(&mut values);
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
            relative: u128::MAX,
            joined: u128::MAX >> 1,
            ..Usage::default()
        };
        for index in 0..file.executables.len() {
            let program = executable::program(&file, index, &Limits::default()).unwrap();
            assert_eq!(program.code().len(), file.package.code.len());
            for layout in [Layout::Symbols, Layout::Registers] {
                let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
                let interface = interface_at(&file, index, &everything, &options, name);
                every_register_is_found_once(&interface);
            }
        }
    }
}

/// Checks that each register lies in exactly one member or is folded, and that members do not
/// overlap and have aligned offsets.
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
        assert!(member.offset >= end && member.offset.is_multiple_of(align), "{member:?}");
        end = member.offset + size;
    }
    assert!(interface.block.size >= end && interface.block.size.is_multiple_of(16));
}

/// Builds a file with four code words and this executable.
fn file_of(executable: Executable) -> Vec<u8> {
    write(&Model { code: vec![0x8800_0000; 4], executables: vec![executable], ..Model::default() })
}

/// Builds an executable with these symbols: name, bank, first register, number of registers.
fn with_symbols(symbols: &[(&str, SymbolBank, u8, u8)]) -> Executable {
    let mut executable = Executable::default();
    for &(name, bank, first, count) in symbols {
        let name = executable.names.add(name.as_bytes());
        executable.symbols.push(Symbol::new(name, SymbolRange { bank, first, count }));
    }
    executable
}

/// Returns the interface of an executable with default options.
fn interface_of(executable: Executable, usage: &Usage) -> Interface {
    let bytes = file_of(executable);
    whole_interface(&Shbin::parse(&bytes).unwrap(), usage, "test")
}

/// Returns the interface of the first executable, with default options and its outputs.
fn whole_interface(file: &Shbin<'_>, usage: &Usage, name: &str) -> Interface {
    interface_at(file, 0, usage, &Options::default(), name)
}

/// Returns the interface of an executable with its outputs.
fn interface_at(file: &Shbin<'_>, index: usize, usage: &Usage, options: &Options, name: &str) -> Interface {
    let environment = FileEnvironment::new(file, index, name).unwrap();
    let outputs = varying::outputs(&environment.output_map(), options, &Profile::default());
    let folded = environment.folded(options);
    let known = environment.interface(&usage.without(&folded), options).unwrap();
    Interface::new(known, outputs, EntryPoint::Vertex, *options, folded)
}

#[test]
fn only_symbols_that_are_read_become_members() {
    let executable = with_symbols(&[("a", SymbolBank::Float, 0, 4), ("b", SymbolBank::Float, 4, 2)]);
    let interface = interface_of(executable, &Usage { floats: 1 << 5, ..Usage::default() });
    assert_eq!(members(&interface.block), [("b", 4, 0, MemberType::Vec4Array(2))]);
}

#[test]
fn a_program_without_uniforms_has_no_block() {
    let executable = with_symbols(&[("a", SymbolBank::Float, 0, 4)]);
    for layout in [Layout::Symbols, Layout::Registers] {
        let bytes = file_of(executable.clone());
        let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
        let file = Shbin::parse(&bytes).unwrap();
        let interface = interface_at(&file, 0, &Usage::default(), &options, "");
        assert_eq!(interface.block, UniformBlock::default());
    }
}

#[test]
fn registers_without_a_symbol_become_maximal_runs() {
    let executable = with_symbols(&[("a", SymbolBank::Float, 2, 1), ("n", SymbolBank::Int, 1, 1)]);
    let usage = Usage { floats: 0b111_0111, ints: 0b1011, bools: 0b1100_0001, ..Usage::default() };
    let interface = interface_of(executable, &usage);
    assert_eq!(
        members(&interface.block),
        [
            ("c0_unbound", 0, 0, MemberType::Vec4Array(2)),
            ("a", 2, 32, MemberType::Vec4),
            ("c4_unbound", 4, 48, MemberType::Vec4Array(3)),
            ("i0_unbound", 0, 96, MemberType::IVec4),
            ("n", 1, 112, MemberType::IVec4),
            ("i3_unbound", 3, 128, MemberType::IVec4),
            ("b0_unbound", 0, 144, MemberType::Bits),
            ("b6_unbound", 6, 148, MemberType::Bits),
        ]
    );
    assert_eq!(interface.block.size, 160);
    assert_eq!(interface.block.find(Bank::Bool, 7).map(|(m, bit)| (m.first, bit)), Some((6, 1)));
    assert_eq!(interface.block.find(Bank::Bool, 8), None);
    assert_eq!(interface.block.find(Bank::Float, 3), None);
}

#[test]
fn the_first_of_overlapping_symbols_names_the_member() {
    let executable = with_symbols(&[
        ("wide", SymbolBank::Float, 2, 4),
        ("tail", SymbolBank::Float, 5, 2),
        ("bits", SymbolBank::Bool, 0, 3),
        ("bit", SymbolBank::Bool, 2, 1),
    ]);
    let usage = Usage { floats: 0b110_0000, bools: 0b100, ..Usage::default() };
    assert_eq!(
        members(&interface_of(executable, &usage).block),
        [
            ("wide", 2, 0, MemberType::Vec4Array(4)),
            ("c6_unbound", 6, 64, MemberType::Vec4),
            ("bits", 0, 80, MemberType::Bits),
        ]
    );
}

#[test]
fn equal_symbol_names_become_distinct_members() {
    let executable = with_symbols(&[("m.x", SymbolBank::Float, 0, 1), ("m$x", SymbolBank::Float, 1, 1)]);
    let interface = interface_of(executable, &Usage { floats: 3, ..Usage::default() });
    assert_eq!(interface.block.members[0].name, "m_x");
    assert_eq!(interface.block.members[1].name, "m_x_a");
}

fn float_constant(register: u8) -> Constant {
    Constant::new(ConstantValue::Float { register, value: [0x3F_0000, 0, 0, 0] })
}

#[test]
fn an_unknown_relative_read_makes_one_array_of_all_registers() {
    let mut executable = with_symbols(&[("palette", SymbolBank::Float, 4, 30)]);
    executable.constants = vec![float_constant(95), float_constant(50), float_constant(10)];
    let usage = Usage { ints: 1, ..relative(0, 127) };
    let interface = interface_of(executable, &usage);
    assert_eq!(
        members(&interface.block),
        [("c", 0, 0, MemberType::Vec4Array(96)), ("i0_unbound", 0, 1536, MemberType::IVec4)]
    );
    assert_eq!(interface.block.names, [named("palette", 4, 30)]);
    // c10 has a name, so its constant is a default that hosts may change.
    let literals: Vec<_> = (0..96).filter(|&n| interface.folded.floats[n].is_some()).collect();
    assert_eq!(literals, [50, 95]);
    every_float_is_found_or_folded(&interface);
}

fn every_float_is_found_or_folded(interface: &Interface) {
    for register in 0..96 {
        let folded = interface.folded.floats[usize::from(register)].is_some();
        assert!(folded || interface.block.find(Bank::Float, register).is_some(), "c{register}");
    }
}

/// Usage of one relative read of these indices.
fn relative(first: u32, last: u32) -> Usage {
    let relative = u128::MAX << first & u128::MAX >> (127 - last);
    Usage { relative, joined: relative & relative >> 1, ..Usage::default() }
}

fn named(name: &str, first: u8, count: u8) -> ArrayName {
    ArrayName { name: name.into(), first, count }
}

#[test]
fn a_relative_read_of_known_reach_joins_what_it_reaches() {
    let symbols =
        [("a", SymbolBank::Float, 0, 4), ("b", SymbolBank::Float, 6, 4), ("c", SymbolBank::Float, 12, 2)];
    // From a over c4 and c5 to b; the name of the array is that of a symbol already.
    let usage = Usage { floats: 1 << 12, ..relative(3, 6) };
    let block = interface_of(with_symbols(&symbols), &usage).block;
    let expected = [("c_a", 0, 0, MemberType::Vec4Array(10)), ("c", 12, 160, MemberType::Vec4Array(2))];
    assert_eq!(members(&block), expected);
    assert_eq!(block.names, [named("a", 0, 4), named("b", 6, 4)]);
    assert_eq!(block.names_in(&block.members[0]).len(), 2);
    assert_eq!(block.names_in(&block.members[1]).len(), 0);
    // A symbol that a read cannot leave stays a member.
    let (one, other) = (relative(6, 9), relative(12, 13));
    let usage = Usage { relative: one.relative | other.relative, joined: one.joined | other.joined, ..one };
    let block = interface_of(with_symbols(&symbols), &usage).block;
    let expected = [("b", 6, 0, MemberType::Vec4Array(4)), ("c", 12, 64, MemberType::Vec4Array(2))];
    assert_eq!((members(&block), block.names.len()), (expected.to_vec(), 0));
}

#[test]
fn a_padded_array_ends_with_ones() {
    let padded = Block { padded: true, ..Block::default() };
    let options = Options { block: padded, ..Options::default() };
    let bytes = file_of(with_symbols(&[("a", SymbolBank::Float, 90, 4)]));
    let file = Shbin::parse(&bytes).unwrap();
    let block_of = |usage| interface_at(&file, 0, &usage, &options, "").block;
    let mut values = Uniforms::default();
    values.floats[95] = [2.0; 4];
    for (usage, first, count) in [(relative(0, 127), 0, 128), (relative(91, 100), 90, 11)] {
        let block = block_of(usage);
        assert_eq!(members(&block), [("c", first, 0, MemberType::Vec4Array(count))]);
        let bytes = pack(&block, &values);
        let Padding { offset, size } = block.padding().unwrap();
        assert_eq!((offset + size, block.size), (u32::from(count) * 16, u32::from(count) * 16));
        let ones = bytes[offset as usize..].chunks_exact(4).all(|word| word == 1f32.to_le_bytes());
        assert!(ones && bytes[offset as usize - 4..][..4] == 2f32.to_le_bytes());
    }
    // Without reads beyond c95 nothing is padded.
    assert_eq!(block_of(relative(90, 93)).padding(), None);
    // In a register layout the padding must have room.
    let of = |layout| Options { block: Block { layout, ..padded }, ..Options::default() };
    assert_eq!(of(Layout::Registers).block.registers(), Some(RegisterLayout::PADDED));
    assert!(
        [Layout::Symbols, Layout::Registers, Layout::Azahar].iter().all(|&layout| of(layout).check().is_ok())
    );
    let error = of(Layout::Panda3ds).check().unwrap_err();
    assert_eq!(error.kind, Kind::OverlappingBanks(["floats", "ints"]));
}

#[test]
fn packing_puts_each_register_at_its_member() {
    let executable = with_symbols(&[
        ("a", SymbolBank::Float, 7, 2),
        ("n", SymbolBank::Int, 2, 2),
        ("flag", SymbolBank::Bool, 3, 1),
        ("flags", SymbolBank::Bool, 9, 2),
    ]);
    let usage = Usage { floats: 3 << 7, ints: 12, bools: u16::MAX, ..Usage::default() };
    let block = interface_of(executable, &usage).block;
    let mut values = Uniforms::default();
    values.floats[8] = [1, 2, 3, 0xFFFF_FFFF].map(f32::from_bits);
    values.ints[3] = [4, 5, 255, 7];
    values.bools = 0b0000_0100_0000_1000;
    let words: Vec<u32> = pack(&block, &values)
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    assert_eq!(words[..8], [0, 0, 0, 0, 1, 2, 3, 0xFFFF_FFFF]);
    assert_eq!(words[8..16], [0, 0, 0, 0, 4, 5, 255, 7]);
    // b0_unbound, flag, b4_unbound, flags, b11_unbound
    assert_eq!(words[16..], [0, 1, 0, 2, 0, 0, 0, 0]);
}

#[test]
fn the_later_of_two_constants_for_a_register_counts() {
    let constant = |value| Constant::new(value);
    let executable = Executable {
        constants: vec![
            constant(ConstantValue::Bool { register: 4, value: true }),
            constant(ConstantValue::Int { register: 1, value: [9; 4] }),
            constant(ConstantValue::Bool { register: 4, value: false }),
            constant(ConstantValue::Int { register: 1, value: [1, 2, 3, 4] }),
        ],
        ..Executable::default()
    };
    let bytes = file_of(executable);
    let constants = constants(&Shbin::parse(&bytes).unwrap().executables[0]);
    assert_eq!((constants.bools[4], constants.ints[1]), (Some(false), Some([1, 2, 3, 4])));
    let mut values = Uniforms { bools: 0xFFFF, ..Uniforms::default() };
    constants.apply(&mut values);
    assert_eq!((values.bools, values.ints[1], values.floats[0]), (0xFFEF, [1, 2, 3, 4], [0.0; 4]));
}

/// Returns the names and sources (`o1.x` or `1`) of the outputs of a map; then the warnings.
fn outputs_of(map: &[(Semantic, u16, u16)]) -> (Vec<String>, Vec<String>) {
    let entry = |&(semantic, register, mask): &(Semantic, _, _)| Entry {
        kind: semantic.info().kind,
        register,
        mask,
        reserved: 0,
    };
    let executable = Executable { outputs: map.iter().map(entry).collect(), ..Executable::default() };
    let interface = interface_of(executable, &Usage::default());
    let text = |output: &Output| {
        let sources = output.components.iter().map(|source| match source {
            ComponentSource::One => " 1".to_string(),
            ComponentSource::Zero => " 0".to_string(),
            ComponentSource::Register { register, component } => {
                format!(" o{register}.{}", component.letter())
            }
        });
        sources.fold(output.name.clone(), |text, source| text + &source)
    };
    let warnings = interface.warnings.iter().map(|warning| warning.text.clone()).collect();
    (interface.outputs.iter().map(text).collect(), warnings)
}

#[test]
fn outputs_are_sorted_by_location() {
    use Semantic::*;
    let all =
        [View, Quaternion, Texcoord0W, Texcoord2, Texcoord1, Texcoord0, Color, Position].into_iter().zip(0..);
    let map: Vec<_> = all.map(|(semantic, register)| (semantic, register, 15)).collect();
    let expected = [
        "position o7.x o7.y o7.z o7.w",
        "color o6.x o6.y o6.z o6.w",
        "texcoord0_uv o5.x o5.y",
        "texcoord1_uv o4.x o4.y",
        "texcoord2_uv o3.x o3.y",
        "texcoord0_w o2.x",
        "normal_quaternion o1.x o1.y o1.z o1.w",
        "view o0.x o0.y o0.z",
    ];
    assert_eq!(outputs_of(&map), (expected.map(String::from).to_vec(), vec![]));
}

#[test]
fn semantics_take_set_mask_bits_in_ascending_order() {
    use Semantic::*;
    let (outputs, _) = outputs_of(&[(Texcoord0, 2, 0b1010), (Texcoord0W, 2, 0b0100), (Color, 3, 0b1000)]);
    assert_eq!(
        outputs,
        ["position 1 1 1 1", "color o3.w 1 1 1", "texcoord0_uv o2.y o2.w", "texcoord0_w o2.z"]
    );
}

#[test]
fn the_higher_register_of_two_with_one_semantic_counts() {
    use Semantic::*;
    let (outputs, _) = outputs_of(&[(Color, 5, 15), (Color, 1, 15), (Color, 6, 1)]);
    assert_eq!(outputs[1], "color o6.x o5.y o5.z o5.w");
    // Within one register the later entry replaces the earlier one.
    let (outputs, _) = outputs_of(&[(Color, 1, 15), (View, 1, 3)]);
    assert_eq!(outputs[1..], ["color 1 1 o1.z o1.w", "view o1.x o1.y 1"]);
}

#[test]
fn an_empty_mask_makes_no_output_and_generic_ones_warn() {
    let (outputs, warnings) = outputs_of(&[(Semantic::View, 1, 0), (Semantic::Generic, 2, 15)]);
    assert_eq!(outputs, ["position 1 1 1 1"]);
    assert_eq!(warnings, ["o2 is generic: only a geometry program can read it"]);
}

/// The geometry program of the same file takes them.
#[test]
fn generic_outputs_of_a_pair_are_those_of_its_geometry_program() {
    let output = Entry { kind: Semantic::Generic.info().kind, register: 2, mask: 15, reserved: 0 };
    let vertex = Executable { outputs: vec![output], ..Executable::default() };
    let mut geometry = Executable::default();
    geometry.header.kind = 1;
    let warnings = |executables: Vec<Executable>| {
        let bytes = write(&Model { code: vec![0x8800_0000; 4], executables, ..Model::default() });
        let interface = whole_interface(&Shbin::parse(&bytes).unwrap(), &Usage::default(), "test");
        interface.warnings.iter().map(|warning| warning.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(warnings(vec![vertex.clone()]), ["o2 is generic: only a geometry program can read it"]);
    let taken = format!("{}; DVLE 1 is that program", map_warnings::TAKEN);
    assert_eq!(warnings(vec![vertex.clone(), geometry.clone()]), [taken]);
    // One that the rasterizer takes may be meant for draws without it.
    let position = Entry { kind: Semantic::Position.info().kind, register: 0, ..output };
    let vertex = Executable { outputs: vec![position, output], ..vertex };
    assert_eq!(warnings(vec![vertex, geometry]), [""; 0]);
}

#[test]
fn attributes_are_named_by_their_first_symbol() {
    let executable = with_symbols(&[
        ("pos", SymbolBank::Input, 2, 1),
        ("alias", SymbolBank::Input, 2, 1),
        ("pair", SymbolBank::Input, 4, 2),
        ("unread", SymbolBank::Input, 7, 1),
    ]);
    let interface = interface_of(executable, &Usage { inputs: 0b11_0101, ..Usage::default() });
    let attributes: Vec<_> = interface.attributes.iter().map(|a| (a.register, a.name.as_str())).collect();
    assert_eq!(attributes, [(0, "v0_unbound"), (2, "pos"), (4, "pair"), (5, "pair_a")]);
}

#[test]
fn the_entry_label_names_the_entry() {
    let mut executable = Executable::default();
    executable.header.main = 2;
    for (name, address) in [("other", 0), ("sky", 2)] {
        let name = executable.names.add(name.as_bytes());
        executable.labels.push(Label { id: 0, address, length: 0, name });
    }
    let interface = interface_of(executable, &Usage::default());
    assert_eq!((interface.entry_label.as_deref(), interface.entry), (Some("sky"), Some(Pc(2))));
    assert_eq!(interface.entry_name().as_deref(), Some("sky"));
}

#[test]
fn programs_keep_entry_and_stage() {
    let points = std::fs::read("shaders/points.shbin").unwrap();
    let file = Shbin::parse(&points).unwrap();
    for (index, stage) in [(0, Stage::Vertex), (1, Stage::Geometry)] {
        let program = executable::program(&file, index, &Limits::default()).unwrap();
        assert_eq!(program.stage(), stage);
        assert_eq!(u32::from(program.entry().0), file.executables[index].header.main);
        assert_eq!(program.descriptors().len(), file.package.descriptors.len());
    }
    let refused = |index, limits: &Limits| executable::program(&file, index, limits).unwrap_err().to_string();
    assert_eq!(refused(2, &Limits::default()), "input: DVLE 2 does not exist; the file has 2");
    let few = Limits { code_words: 28, ..Limits::default() };
    assert_eq!(refused(0, &few), "offset 0x38: code words: 29 exceeds the limit of 28");
}

#[test]
fn a_vertex_program_begins_in_the_first_512_words() {
    let mut executable = Executable::default();
    executable.header.main = 600;
    let mut model = Model { code: vec![0x8800_0000; 700], executables: vec![executable], ..Model::default() };
    let program = |model: &Model| {
        let bytes = write(model);
        executable::program(&Shbin::parse(&bytes).unwrap(), 0, &Limits::default())
            .map(|program| program.entry().0)
    };
    assert_eq!(
        program(&model).unwrap_err().to_string(),
        "pc 0x258: entry point 0x258 lies beyond the 512 words that the vertex unit holds"
    );
    model.executables[0].header.kind = 1;
    assert_eq!(program(&model), Ok(600));
    model.executables[0].header.kind = 2;
    assert!(program(&model).unwrap_err().to_string().contains("shader type is 0x2"));
}

#[test]
fn damaged_files_never_panic() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let usage = Usage { inputs: u16::MAX, relative: u128::MAX, joined: u128::MAX >> 1, ..textured_usage() };
    for _ in 0..20_000 {
        let mut bytes = TEXTURED.to_vec();
        for _ in 0..2 {
            let at = random() % bytes.len();
            bytes[at] = random() as u8;
        }
        let Ok(file) = Shbin::parse(&bytes) else { continue };
        for index in 0..file.executables.len() {
            let program = executable::program(&file, index, &Limits::default());
            let interface = interface_at(&file, index, &usage, &Options::default(), "damaged");
            assert_eq!(pack(&interface.block, &Uniforms::default()).len(), interface.block.size as usize);
            assert!(program.is_err() || interface.outputs[0].location == Location::Position);
            every_float_is_found_or_folded(&interface);
        }
    }
}
