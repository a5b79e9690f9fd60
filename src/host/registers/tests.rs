//! Register writes and the resulting programs, uniforms and interfaces.

use super::*;
use crate::geometry::GeometryInput;
use crate::host::settings::{Block, Layout, Options, Profile, Setup};
use crate::interface::varying::outputs;
use crate::interface::{Environment, Usage};
use crate::program::container::Shbin;
use crate::program::isa::Pc;

/// Header of a command with this register, number of further words and consecutive flag.
fn header(register: u32, more: u32, is_consecutive: bool) -> u32 {
    u32::from(is_consecutive) << 31 | more << 20 | 15 << 16 | register
}

/// Findings of a list of writes.
fn findings(writes: &[(u32, u32)]) -> Vec<String> {
    let list: Vec<u32> =
        writes.iter().flat_map(|&(register, value)| [value, header(register, 0, false)]).collect();
    let mut state = RegisterState::default();
    let found = state.check_commands(&list).iter().map(ToString::to_string).collect();
    let mut plain = RegisterState::default();
    plain.commands(&list);
    assert_eq!(state, plain, "it executes them as well");
    found
}

const DRAW: (u32, u32) = (0x22E, 1);
const WITH_GEOMETRY: [(u32, u32); 4] = [(0x229, 2), (0x244, 1), (0x289, 0x0800_0001), (0x2BD, 3)];
const WITHOUT: [(u32, u32); 2] = [(0x229, 0), (0x244, 0)];

#[test]
fn a_draw_without_geometry_program_behind_one_with_it_hangs_consoles() {
    let all = |parts: &[&[(u32, u32)]]| findings(&parts.concat());
    let hangs = "offset 0x38: a draw without a geometry program behind one with it hangs the GPU; end the list between them";
    assert_eq!(all(&[&WITH_GEOMETRY, &[DRAW], &WITHOUT, &[DRAW, DRAW]]), [hangs]);
    assert_eq!(all(&[&WITH_GEOMETRY, &[DRAW], &WITHOUT, &[(0x22F, 1)]]), [hangs]);
    assert_eq!(all(&[&WITHOUT, &[DRAW], &WITH_GEOMETRY, &[DRAW, DRAW]]), [""; 0]);
    assert_eq!(all(&[&WITH_GEOMETRY, &WITHOUT, &[DRAW]]), [""; 0], "no draw with it");
    // A list of its own.
    let mut state = RegisterState::default();
    for writes in [&WITH_GEOMETRY[..], &[DRAW], &WITHOUT, &[DRAW]] {
        let list: Vec<u32> =
            writes.iter().flat_map(|&(register, value)| [value, header(register, 0, false)]).collect();
        assert_eq!(state.check_commands(&list), []);
    }
}

#[test]
fn counts_of_vertex_outputs_fit_their_mask_at_a_draw() {
    let counts = |register, count| findings(&[(0x2BD, 0b111), (register, count), DRAW, DRAW]);
    for register in [0x24A, 0x251] {
        let found =
            format!("offset 0x10: register {register:#x} counts 2 vertex outputs, but the mask has 3");
        assert_eq!(counts(register, 1), [found]);
        assert_eq!((counts(register, 2), counts(register, 0)), (vec![], vec![]), "0 is not set");
    }
    assert_eq!(findings(&[(0x2BD, 0b111), (0x24A, 1)]), [""; 0], "nothing is drawn");
    // Point, variable and fixed mode; the point mode takes any number of vertices.
    for (taken, input, fits) in [
        (6, 0, true),
        (3, 0, true),
        (2, 0, false),
        (3, 1, true),
        (6, 1, false),
        (1, 0x2002, true),
        (3, 0x5002, false),
    ] {
        let found = findings(&[(0x229, 2), (0x2BD, 0b111), (0x252, input), (0x289, taken - 1), DRAW]);
        assert_eq!(found.is_empty(), fits, "{taken} {input:#x}: {found:?}");
        assert!(found.iter().all(|text| text.ends_with("vectors, but a vertex has 3")), "{found:?}");
    }
}

#[test]
fn overwritten_uniforms_and_lists_without_an_end_are_found() {
    let lost = "uniforms of the geometry program were overwritten by those of a vertex program before it";
    for [geometry, vertex] in [[0x280, 0x2B0], [0x281, 0x2B4], [0x291, 0x2C1], [0x298, 0x2C8]] {
        let own = [(geometry, 7)];
        let found = |parts: &[&[(u32, u32)]]| findings(&parts.concat());
        let between = [&[(0x229, 0), (0x244, 0)][..], &[(vertex, 9)], &WITH_GEOMETRY].concat();
        assert_eq!(found(&[&own, &between, &[DRAW, DRAW]]), [format!("offset 0x40: {lost}")]);
        assert_eq!(found(&[&own, &between, &own, &[DRAW]]), [""; 0], "written again");
        assert_eq!(found(&[&between, &[DRAW]]), [""; 0], "nothing was there");
        assert_eq!(
            found(&[&own, &[(0x244, 1), (vertex, 9)], &WITH_GEOMETRY, &[DRAW]]),
            [""; 0],
            "not mirrored"
        );
    }
    // Code and configuration are no uniforms.
    assert_eq!(
        findings(&[&[(0x280, 7), (0x2CC, 1), (0x2B9, 1)][..], &WITH_GEOMETRY, &[DRAW]].concat()),
        [""; 0]
    );
    let found =
        RegisterState::default().check_commands(&[0, header(0x2B0, 0, false), 1, header(0x2B1, 2, true), 5]);
    assert_eq!(
        found[0].to_string(),
        "offset 0x8: a command goes on past the end of the list, and is not executed"
    );
}

#[test]
fn float24_vectors_come_w_first_in_three_words() {
    let mut state = RegisterState::default();
    state.write(0x2C0, 5);
    // 1.0, -1.0, 0.5, 3.0
    let [x, y, z, w] = [0x3F_0000u32, 0xBF_0000, 0x3E_0000, 0x40_8000];
    let words = [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x];
    for (alias, word) in [0x2C1, 0x2C8, 0x2C4].into_iter().zip(words) {
        state.write(alias, word);
    }
    // The next vector goes to the next register.
    words.iter().for_each(|&word| state.write(0x2C1, word));
    let floats = state.uniforms(Stage::Vertex).floats;
    assert_eq!(floats[5], [1.0, -1.0, 0.5, 3.0]);
    assert_eq!((floats[6], floats[4], floats[7]), (floats[5], [0.0; 4], [0.0; 4]));
}

#[test]
fn float32_vectors_come_w_first_in_four_words() {
    let mut state = RegisterState::default();
    state.write(0x2C0, 1 << 31 | 95);
    for value in [4.0f32, 3.0, 2.0, 1.1, 9.0, 9.0, 9.0, 9.0] {
        state.write(0x2C1, value.to_bits());
    }
    // The second vector has no register; the index does not wrap around to c0.
    let floats = state.uniforms(Stage::Vertex).floats;
    assert_eq!((floats[95], floats[0]), ([1.1, 2.0, 3.0, 4.0], [0.0; 4]));
}

#[test]
fn writing_the_index_drops_half_a_vector() {
    let mut state = RegisterState::default();
    state.write(0x2C0, 1 << 31);
    state.write(0x2C1, 7);
    state.write(0x2C0, 1 << 31);
    (0..4).for_each(|_| state.write(0x2C1, 1f32.to_bits()));
    assert_eq!(state.uniforms(Stage::Vertex).floats[0], [1.0; 4]);
}

#[test]
fn ints_and_bools_are_plain_registers() {
    let mut state = RegisterState::default();
    state.write(0x2B0, 0x7FFF_8005);
    state.write(0x2B4, 0x0403_0201);
    let uniforms = state.uniforms(Stage::Vertex);
    assert_eq!((uniforms.bools, uniforms.ints[3]), (0x8005, [1, 2, 3, 4]));
    state.write_masked(0x2B4, 0xAABB_CCDD, 0b0101);
    assert_eq!(state.uniforms(Stage::Vertex).ints[3], [0xDD, 2, 0xBB, 4]);
    state.write_masked(0x2B4, 0, 0);
    assert_eq!(state.read(0x2B4), 0x04BB_02DD);
}

#[test]
fn code_and_descriptors_fill_up_from_their_index() {
    let mut state = RegisterState::default();
    state.write(0x2CB, 2);
    state.write(0x2CC, 0x8800_0000);
    state.write(0x2D3, 0x8400_0000);
    state.write(0x2D5, 1);
    state.write(0x2D6, 0x36F);
    state.write(0x2BA, 0x7FFF_0002);
    let program = state.program(Stage::Vertex).expect("valid");
    assert_eq!(program.code(), [0, 0, 0x8800_0000, 0x8400_0000]);
    assert_eq!((program.descriptors(), program.entry()), (&[0, 0x36F][..], Pc(2)));
}

#[test]
fn uploads_beyond_the_memory_are_ignored() {
    let mut state = RegisterState::default();
    state.write(0x244, 1);
    state.write(0x2CB, 510);
    state.commands(&[1, header(0x2CC, 2, false), 2, 3]);
    assert!(state.program(Stage::Vertex).is_err(), "three words do not fit");
    state.commands(&[1, header(0x2CC, 1, false), 2, 0]);
    assert_eq!(state.program(Stage::Vertex).map(|program| program.code()[510..].to_vec()), Ok(vec![1, 2]));
    state.write(0x2CC, 3);
    assert_eq!(state.program(Stage::Vertex).map(|program| program.code().len()), Ok(512));
    state.write(0x29B, 4095);
    state.write(0x29C, 7);
    state.write(0x29C, 8);
    assert_eq!(state.program(Stage::Geometry).map(|program| program.code()[4095]), Ok(7));
    state.write(0x2D5, 127);
    state.write(0x2D6, 1);
    state.write(0x2D6, 2);
    assert_eq!(state.program(Stage::Vertex).map(|program| program.descriptors().len()), Ok(128));
}

#[test]
fn entry_points_have_as_many_bits_as_addresses() {
    let mut state = RegisterState::default();
    state.write(0x29B, 4095);
    state.write(0x29C, 0x8800_0000);
    state.write(0x28A, 0x7FFF_FFFF);
    assert_eq!(state.program(Stage::Geometry).map(|program| program.entry()), Ok(Pc(4095)));
    state.write(0x2CB, 511);
    state.write(0x2CC, 0x8800_0000);
    state.write(0x2BA, 0x7FFF_FFFF);
    assert_eq!(state.program(Stage::Vertex).map(|program| program.entry()), Ok(Pc(511)));
}

#[test]
fn command_lists_are_walked_with_their_padding() {
    let mut state = RegisterState::default();
    state.commands(&[
        0x0101_0101,
        header(0x2B1, 1, true),
        0x0202_0202,
        0xDEAD_BEEF, // padding
        0x7FFF_0003,
        header(0x2B0, 0, false),
        0,
        header(0x2C0, 0, false),
        0x4080_003E,
        header(0x2C1, 2, false),
        0xBF00_0000,
        0x0000_0000,
    ]);
    let uniforms = state.uniforms(Stage::Vertex);
    assert_eq!(uniforms.ints[..2], [[1; 4], [2; 4]]);
    assert_eq!((uniforms.bools, uniforms.floats[0][3]), (3, 3.0));
    assert_eq!(uniforms.ints[2], [0; 4], "padding is not a parameter");
}

#[test]
fn truncated_lists_execute_their_complete_commands() {
    let list = [1, header(0x2B0, 0, false), 7, header(0x2B1, 3, true), 8, 9];
    let mut state = RegisterState::default();
    state.commands(&list);
    assert_eq!((state.read(0x2B0), state.read(0x2B1)), (1, 0));
    for end in 0..list.len() {
        RegisterState::default().commands(&list[..end]);
    }
}

#[test]
fn random_command_lists_do_not_panic() {
    let mut state = RegisterState::default();
    let mut random = 1u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 4 ^ random << 17
    };
    for round in 0..2000 {
        let list: Vec<u32> = (0..round % 70).map(|_| next()).collect();
        state.commands(&list);
        state.write_masked((0x270 + next() % 0x80) as u16, next(), next());
        state.write(0x2B0 + (next() % 0x30) as u16, next());
        state.write((next() & 0xFFFF) as u16, next());
    }
    state.commands(&[0, header(0xFFFF, 255, true)]);
    let _: OutputMap = state.geometry().output_map();
}

#[test]
fn the_geometry_unit_shares_vertex_writes_until_it_is_configured_separately() {
    let write = |state: &mut RegisterState| {
        state.write(0x2CB, 0);
        state.write(0x2CC, 0x8800_0000);
        state.write(0x2B0, 5);
    };
    let mut state = RegisterState::default();
    write(&mut state);
    assert_eq!((state.uniforms(Stage::Geometry).bools, state.program(Stage::Geometry).is_ok()), (5, true));
    for (register, value) in [(0x244, 1), (0x229, 2)] {
        let mut state = RegisterState::default();
        state.write(register, value);
        write(&mut state);
        assert_eq!(
            (state.uniforms(Stage::Geometry).bools, state.program(Stage::Geometry).is_ok()),
            (0, false)
        );
        assert_eq!(state.uniforms(Stage::Vertex).bools, 5);
    }
    state.write(0x280, 9);
    assert_eq!(state.uniforms(Stage::Vertex).bools, 5, "nothing goes the other way");
}

#[test]
fn consecutive_words_beyond_the_last_register_are_dropped() {
    for register in 0xFF00..=0xFFFF {
        let mut list = vec![7, header(register, 255, true)];
        list.extend([7; 256]);
        let mut state = RegisterState::default();
        state.commands(&list);
        assert_eq!(state, RegisterState::default(), "{register:#X}");
        // The next command comes after all of its words.
        state.commands(&[list, vec![5, header(0x2B0, 0, false)]].concat());
        assert_eq!(state.read(0x2B0), 5, "{register:#X}");
    }
}

#[test]
fn vectors_at_indices_beyond_the_last_float_are_dropped() {
    for index in 0x5E..=0xFF {
        for mode in [0, 1 << 31] {
            let mut state = RegisterState::default();
            state.write(0x2C0, mode | 0x7FFF_FF00 | index);
            (0..4 * 300).for_each(|_| state.write(0x2C1, 0x3F3F_3F3F));
            let written = |vector: &&[f32; 4]| **vector != [0.0; 4];
            let floats = state.uniforms(Stage::Vertex).floats;
            let count = 0x60usize.saturating_sub(index as usize);
            assert_eq!(floats.iter().rev().take_while(written).count(), count, "{index:#X}");
            assert_eq!(floats.iter().filter(written).count(), count, "{index:#X}");
        }
    }
}

#[test]
fn copies_for_single_vertex_units_have_no_effect() {
    let mut state = RegisterState::default();
    for register in (0x2E0..0x340).chain(0x340..0x1000).chain(0..0x4F) {
        state.write(register, 0x0101_0101);
        assert_eq!(state, RegisterState::default(), "{register:#X}");
    }
}

#[test]
fn all_that_the_vertex_unit_receives_is_mirrored() {
    let mut state = RegisterState::default();
    state.write(0x2CB, 3);
    state.write(0x2C0, 1 << 31 | 9);
    for register in (0x2B0..0x2C0).chain(0x2C1..0x2CB).chain(0x2CC..0x2E0) {
        (0..4).for_each(|word| state.write(register, 0x3F80_0000 + word));
    }
    assert_eq!(state.geometry, state.vertex);
    assert_eq!((state.read(0x28B), state.read(0x28C)), (0x3F80_0003, 0x3F80_0003));
}

#[test]
fn the_permutation_of_the_geometry_unit_is_that_of_point_mode() {
    let permutation = [(0x28B, 0x89AB_CDEF), (0x28C, 0x0123_4567)];
    let setup = |writes: &[(u16, u32)], permutation: &[(u16, u32)]| {
        let mut state = RegisterState::default();
        let writes = [(0x244, 1), (0x2BD, 3)].iter().chain(writes).chain(permutation);
        writes.for_each(|&(register, value)| state.write(register, value));
        Setup::from_registers(&state).expect("valid").geometry.expect("a geometry program").input
    };
    let registers = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
    let point = [(0x229, 2), (0x289, 5)];
    assert_eq!(setup(&point, &permutation), GeometryInput::Point { inputs: 6, registers });
    assert_eq!(setup(&point, &[]), GeometryInput::Point { inputs: 6, registers: [0; 16] });
    for other in [
        [(0x229, 1 << 31 | 2), (0x252, 1), (0x289, 0x101)],
        [(0x229, 2), (0x252, 0x0100_1202), (0x289, 0x101)],
    ] {
        assert_eq!(setup(&other, &permutation), setup(&other, &[]));
    }
}

#[test]
fn the_kth_enabled_output_has_the_semantics_of_the_kth_word() {
    let mut state = RegisterState::default();
    state.write(0x2BD, 0x11);
    state.write(0x4F, 2);
    state.write(0x50, 0x0302_0100);
    state.write(0x51, 0x1F0A_0908);
    let expected = OutputMap::from_words([(0, [0, 1, 2, 3]), (4, [8, 9, 10, 31])]);
    assert_eq!(state.vertex().output_map(), expected);
    // Slots beyond the total are ignored.
    state.write(0x4F, 1);
    assert_eq!(state.vertex().output_map(), OutputMap::from_words([(0, [0, 1, 2, 3])]));
    // Upper bits of a code are ignored.
    state.write(0x50, 0xE3C2_A180);
    assert_eq!(state.vertex().output_map(), OutputMap::from_words([(0, [0, 1, 2, 3])]));
}

#[test]
fn a_vertex_program_before_a_geometry_program_has_no_output_map() {
    let mut state = RegisterState::default();
    state.write(0x2BD, 1);
    state.write(0x28D, 2);
    state.write(0x4F, 1);
    state.write(0x50, 0x0302_0100);
    assert_eq!(state.geometry().output_map(), OutputMap::default());
    state.write(0x229, 2);
    assert_eq!(state.vertex().output_map(), OutputMap::default());
    assert_eq!(state.geometry().output_map(), OutputMap::from_words([(1, [0, 1, 2, 3])]));
}

#[test]
fn of_two_attributes_for_a_register_the_last_counts() {
    let mut state = RegisterState::default();
    state.write(0x2B9, 0xA000_0002);
    state.write(0x2BB, 0x0000_3131);
    let view = state.vertex();
    assert_eq!(view.input_count(), 3);
    let map = view.input_map();
    assert_eq!((map[1], map[3], map[0]), (Some(2), Some(1), None), "the fourth does not come in");
}

#[test]
fn members_without_symbols_are_runs_of_read_registers() {
    let state = RegisterState::default();
    let usage = Usage { inputs: 0b1001, floats: 0b110_0010, bools: 1, ..Usage::default() };
    let interface = state.vertex().interface(&usage, &Options::default()).expect("never fails");
    let names: Vec<&str> = interface.attributes.iter().map(|attribute| &attribute.name[..]).collect();
    assert_eq!(names, ["v0", "v3"]);
    let members: Vec<(&str, u8, u32)> =
        interface.block.members.iter().map(|m| (&m.name[..], m.count, m.offset)).collect();
    assert_eq!(members, [("c1", 1, 0), ("c5", 2, 16), ("b0", 1, 48)]);
    let options =
        Options { block: Block { layout: Layout::Azahar, ..Block::default() }, ..Options::default() };
    let interface = state.vertex().interface(&usage, &options).expect("never fails");
    assert_eq!(interface.block.size, 1616);
    let none = state.vertex().interface(&Usage::default(), &options).expect("never fails");
    assert_eq!(none.block.size, 0);
}

#[test]
fn a_file_is_programmed_as_the_system_library_does() {
    let file = Shbin::parse(include_bytes!("../../../shaders/textured.shbin")).expect("valid");
    let state = RegisterState::from_dvle(&file, 0, None).expect("a vertex program");
    let program = state.program(Stage::Vertex).expect("valid");
    assert_eq!(program.code(), file.package.code.iter().collect::<Vec<_>>());
    assert_eq!(state.vertex().input_count(), 3);
    assert_eq!((state.read(0x24A), state.read(0x251), state.read(0x25E)), (2, 2, 2));
    assert_eq!((state.read(0x4F), state.read(0x229), state.read(0x289)), (3, 0, 0xA000_0000));
    assert_eq!(state.read(0x53), 0x1F1F_1F1F);
    assert_eq!(state.read(0x64), 1);
    assert_eq!(state.vertex().output_map(), OutputMap::from_executable(&file.executables[0]));
    assert!(RegisterState::from_dvle(&file, 1, None).is_err());
    assert!(RegisterState::from_dvle(&file, 0, Some(0)).is_err());
}

#[test]
fn a_geometry_program_gets_the_rasterizer() {
    let file = Shbin::parse(include_bytes!("../../../shaders/points.shbin")).expect("valid");
    let state = RegisterState::from_dvle(&file, 0, Some(1)).expect("a pair");
    assert!(state.has_geometry() && !state.is_mirrored());
    assert_eq!(
        state.program(Stage::Geometry).map(|program| u32::from(program.entry().0)),
        Ok(file.executables[1].header.main)
    );
    assert_eq!(state.geometry().output_map(), OutputMap::from_executable(&file.executables[1]));
    assert!(RegisterState::from_dvle(&file, 1, None).is_err());
}

#[test]
fn register_views_give_named_outputs() {
    let mut state = RegisterState::default();
    state.write(0x2BD, 4);
    state.write(0x4F, 1);
    state.write(0x50, 0x0B0A_0908);
    let outputs = outputs(&state.vertex().output_map(), &Options::default(), &Profile::default());
    let names: Vec<&str> = outputs.iter().map(|output| &output.name[..]).collect();
    assert_eq!(names, ["position", "color"]);
}
