//! Tests of a worked example byte by byte, every sample, every truncation, and malformed files.

use super::*;
use crate::error::{At, Error, Kind};

/// A four-instruction program with one input, one uniform and one constant, as picasso writes it.
#[rustfmt::skip]
const WORKED: [u32; 48] = [
    0x424C_5644, 0x0000_0001, 0x0000_004C,
    0x504C_5644, 0x0000_0000, 0x0000_0028, 0x0000_0004, 0x0000_0038, 0x0000_0001,
    0x0000_0040, 0x0000_0000, 0x0000_0000, 0x0000_0000,
    0x2202_0000, 0xE021_FE00, 0x8400_0000, 0x8800_0000,
    0x7246_C36F, 0x0000_0000,
    0x454C_5644, 0x0000_1002, 0x0000_0000, 0x0000_0004,
    0x0001_0001, 0x0000_0000,
    0x0000_0040, 0x0000_0001, 0x0000_0054, 0x0000_0000,
    0x0000_0054, 0x0000_0001, 0x0000_005C, 0x0000_0002,
    0x0000_006C, 0x0000_0008,
    0x005F_0002, 0x003F_0000, 0x00BE_0000, 0x0040_8000, 0x0000_0000,
    0x0000_0000, 0x0000_000F,
    0x0000_0000, 0x0000_0000,
    0x0000_0002, 0x0010_0010,
    u32::from_le_bytes(*b"p\0sc"), u32::from_le_bytes(*b"ale\0"),
];

fn worked() -> Vec<u8> {
    WORKED.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A file inside another one has no length of its own, so what follows must not matter.
#[test]
fn a_file_ends_with_its_last_structure() {
    let bytes = worked();
    let length = |bytes: &[u8]| Shbin::parse(bytes).map(|file| file.length);
    assert_eq!(length(&bytes), Ok(192));
    assert_eq!(length(&[&bytes[..], &[7; 100]].concat()), Ok(192));
    // The names are last; a name may reach beyond the size of their table.
    let mut short = [&bytes[..], b"more\0"].concat();
    short[0x4C + 0x3C] = 1;
    assert_eq!(length(&short), Ok(192));
    short[191] = b'+';
    assert_eq!(length(&short), Ok(197));
    // The header of the last executable counts where it has no table.
    let without = Model { executables: vec![Executable::default()], code: vec![0], ..Model::default() };
    let without = write(&without);
    assert_eq!(length(&without), Ok(without.len() as u32));
}

#[test]
fn worked_example_has_every_field() {
    let bytes = worked();
    assert_eq!(bytes.len(), 192);
    let file = Shbin::parse(&bytes).unwrap();
    let package = &file.package;
    assert_eq!((package.start, package.short_header, package.reserved), (0xC, false, 0));
    assert_eq!(package.version, Version { major: 0, minor: 0 });
    assert_eq!(package.code.iter().collect::<Vec<_>>(), [0x2202_0000, 0xE021_FE00, 0x8400_0000, 0x8800_0000]);
    assert_eq!(
        package.descriptors.iter().collect::<Vec<_>>(),
        [DescriptorRecord { bits: 0x7246_C36F, usage: 0, reserved: 0 }]
    );
    assert!(package.lines.is_empty() && package.strings.bytes().is_empty());
    assert_eq!(file.executables.len(), 1);
    let executable = &file.executables[0];
    let header = Header {
        version: Version { major: 2, minor: 0x10 },
        endmain: 4,
        input_mask: 1,
        output_mask: 1,
        ..Header::default()
    };
    assert_eq!((executable.start, executable.header), (0x4C, header));
    assert_eq!(executable.header.shader_type(), Some(ShaderType::Vertex));
    assert_eq!(
        executable.constants.iter().map(Constant::value).collect::<Vec<_>>(),
        [Some(ConstantValue::Float { register: 95, value: [0x3F_0000, 0xBE_0000, 0x40_8000, 0] })]
    );
    assert!(executable.labels.is_empty());
    let position = OutputRecord { kind: 0, register: 0, mask: 15, reserved: 0 };
    assert_eq!(executable.outputs.iter().collect::<Vec<_>>(), [position]);
    let symbols: Vec<_> =
        executable.symbols.iter().map(|s| (executable.name(s.name).0, s.range().unwrap())).collect();
    let range = |bank| SymbolRange { bank, first: 0, count: 1 };
    assert_eq!(symbols, [(&b"p"[..], range(SymbolBank::Input)), (&b"scale"[..], range(SymbolBank::Float))]);
    assert_eq!(file.warnings(), []);
}

/// Every sample program, by name.
const SAMPLES: [(&str, &[u8]); 10] = [
    ("fog", include_bytes!("../../../shaders/fog.shbin")),
    ("library", include_bytes!("../../../shaders/library.shbin")),
    ("lights", include_bytes!("../../../shaders/lights.shbin")),
    ("points", include_bytes!("../../../shaders/points.shbin")),
    ("quaternion", include_bytes!("../../../shaders/quaternion.shbin")),
    ("skinning", include_bytes!("../../../shaders/skinning.shbin")),
    ("textured", include_bytes!("../../../shaders/textured.shbin")),
    ("toon", include_bytes!("../../../shaders/toon.shbin")),
    ("uber", include_bytes!("../../../shaders/uber.shbin")),
    ("water", include_bytes!("../../../shaders/water.shbin")),
];

/// Overwrites bytes, with zeros before them where the file is too short.
fn place(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    file.resize(file.len().max(at + bytes.len()), 0);
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

fn place_words(file: &mut Vec<u8>, at: usize, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    place(file, at, &bytes);
}

/// The worked example with one word replaced.
fn worked_with(at: usize, value: u32) -> Vec<u8> {
    let mut file = worked();
    place_words(&mut file, at, &[value]);
    file
}

/// The error of a file that must not parse.
fn error(file: &[u8]) -> Error {
    Shbin::parse(file).expect_err("this file makes no sense")
}

/// The text of that error.
fn refused(file: &[u8]) -> String {
    error(file).to_string()
}

/// Checks that a parsed file is the same after it is written and parsed again.
fn check_round_trip(file: &Shbin<'_>) {
    let model = Model::from(file);
    let bytes = write(&model);
    let again = Shbin::parse(&bytes).expect("what was parsed can be written and parsed");
    assert_eq!(Model::from(&again), model);
}

#[test]
fn samples_round_trip_byte_for_byte() {
    assert_eq!(write(&Model::from(&Shbin::parse(&worked()).unwrap())), worked());
    for (name, bytes) in SAMPLES {
        let file = Shbin::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(write(&Model::from(&file)) == bytes, "{name}");
        assert_eq!(file.warnings(), [], "{name}");
        assert_eq!(
            file.executables.len(),
            if name == "library" { 6 } else { 1 + usize::from(name == "points") }
        );
    }
}

#[test]
fn geometry_fields_are_read() {
    let mut file = worked();
    place(&mut file, 0x4C + 6, &[1, 3]);
    place(&mut file, 0x4C + 0x14, &[2, 37, 4, 6]);
    let parsed = Shbin::parse(&file).unwrap();
    let header = &parsed.executables[0].header;
    assert_eq!(header.shader_type(), Some(ShaderType::Geometry));
    assert_eq!(header.geometry_mode(), Some(GeometryMode::Fixed));
    let numbers = (header.geometry_start, header.geometry_main_vertices, header.geometry_fixed_vertices);
    assert_eq!(numbers, (37, 4, 6));
    assert!(header.merges_output_maps() && header.is_debug());
    check_round_trip(&parsed);
}

#[test]
fn every_output_type_and_mask_is_read() {
    let mut file = worked();
    let table = file.len();
    let rows: Vec<u32> = (0..16u32).flat_map(|kind| [kind | kind << 16, kind]).collect();
    place_words(&mut file, table, &rows);
    place_words(&mut file, 0x4C + 0x28, &[table as u32 - 0x4C, 16]);
    let parsed = Shbin::parse(&file).unwrap();
    let read: Vec<_> = parsed.executables[0].outputs.iter().collect();
    for (kind, output) in (0u16..).zip(&read) {
        assert_eq!((output.kind, output.register, output.mask), (kind, kind, kind));
    }
    use Semantic::*;
    let semantics = [Position, Quaternion, Color, Texcoord0, Texcoord0W, Texcoord1, Texcoord2].map(Some);
    assert_eq!(read.iter().map(|o| o.semantic()).take(7).collect::<Vec<_>>(), semantics);
    let rest: Vec<_> = read.iter().map(|o| o.semantic()).skip(7).collect();
    assert_eq!(rest, [None, Some(View), Some(Generic), None, None, None, None, None, None]);
    check_round_trip(&parsed);
}

#[test]
fn nihstro_layout_parses() {
    // 28-byte package header, the executable directly after it, tables in another order, the code
    // at the end.
    let mut file = Vec::new();
    place(&mut file, 0, b"DVLB");
    place_words(&mut file, 4, &[1, 0x28]);
    place(&mut file, 0x0C, b"DVLP");
    place_words(&mut file, 0x10, &[0, 0xC0 - 0xC, 2, 0x68 - 0xC, 1, 0]);
    place(&mut file, 0x28, b"DVLE");
    place_words(&mut file, 0x2C, &[0, 0, 2, 0, 0]);
    place_words(&mut file, 0x28 + 0x18, &[0, 0, 0x58, 1, 0x48, 1, 0x50, 1, 0x68, 0x0D]);
    place_words(&mut file, 0x68, &[0x0000_036F, 0, 0, 0xF, 4, 0x0012_0010]);
    place_words(&mut file, 0x80, &[0, 0, 2, 0]);
    place(&mut file, 0x90, b"top\0matrix\0xx");
    place_words(&mut file, 0xC0, &[0x4C00_0000, 0x8800_0000]);
    let parsed = Shbin::parse(&file).unwrap();
    assert!(parsed.package.short_header && parsed.package.lines.is_empty());
    assert_eq!(parsed.package.code.iter().collect::<Vec<_>>(), [0x4C00_0000, 0x8800_0000]);
    assert_eq!(parsed.package.descriptors.get(0).unwrap().bits, 0x36F);
    let executable = &parsed.executables[0];
    assert_eq!(executable.entry_label(), Some(Name(b"top")));
    let label = executable.labels.get(0).unwrap();
    assert_eq!((label.id, label.address, label.length), (0, 0, 2));
    let symbol = executable.symbols.get(0).unwrap();
    assert_eq!(executable.name(symbol.name), Name(b"matrix"));
    assert_eq!(symbol.range(), Some(SymbolRange { bank: SymbolBank::Float, first: 0, count: 3 }));
    assert_eq!(parsed.warnings(), []);
    check_round_trip(&parsed);
}

/// A file in the order of a vendor linker: names first, tables backwards, versions, labels, lines,
/// usage words.
fn vendor() -> Vec<u8> {
    let mut file = Vec::new();
    place(&mut file, 0, b"DVLB");
    place_words(&mut file, 4, &[2, 0x100, 0x80]);
    place(&mut file, 0x10, b"DVLP");
    place_words(&mut file, 0x14, &[0x0000_0301, 0x1C0, 3, 0x1D0, 2, 0x1E0, 3, 0x28, 0x14]);
    place(&mut file, 0x38, b"first.vsh\0second.vsh");
    // Executable 1, before executable 0; both use the tables after executable 0.
    for (start, main, tables) in [(0x80, 1, 0x80), (0x100, 0, 0)] {
        place(&mut file, start, b"DVLE");
        place_words(&mut file, start + 4, &[0x0200_0402, main, 2, 0x0001_8001, 0]);
        let [names, symbols, outputs, labels, constants] = [0x40, 0x50, 0x60, 0x70, 0x90].map(|o| tables + o);
        place_words(&mut file, start + 0x18, &[constants, 1, labels, 2, outputs, 1, symbols, 1, names, 0xF]);
    }
    place(&mut file, 0x140, b"main\0sub\0world\0");
    place_words(&mut file, 0x150, &[9, 0x0013_0010]);
    place_words(&mut file, 0x160, &[0x000F_0008, 7]);
    place_words(&mut file, 0x170, &[0x1_0000, 0, 8, 0, 0x1_0001, 1, 8, 5]);
    place_words(&mut file, 0x190, &[0x0002_0001, 0x00AB_0203, 0, 0, 0]);
    place_words(&mut file, 0x1D0, &[1, 2, 3, 0]);
    place_words(&mut file, 0x1E0, &[0xAAAA, 0x0005_0007, 0xBBBB, 0x0000_000F]);
    place_words(&mut file, 0x1F0, &[0, 10, 10, 20, 0, 12]);
    file
}

#[test]
fn vendor_layout_parses() {
    let file = vendor();
    let parsed = Shbin::parse(&file).unwrap();
    let package = &parsed.package;
    assert_eq!(package.version, Version { major: 1, minor: 3 });
    assert_eq!(package.code.iter().collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(package.descriptors.get(0), Some(DescriptorRecord { bits: 0xAAAA, usage: 7, reserved: 5 }));
    assert_eq!(package.source_line(0), Some((Name(b"first.vsh"), 10)));
    assert_eq!(package.source_line(1), Some((Name(b"second.vsh"), 20)));
    assert_eq!(package.source_line(3), None);
    assert_eq!(parsed.executables.iter().map(|e| e.start).collect::<Vec<_>>(), [0x100, 0x80]);
    for (executable, label) in parsed.executables.iter().zip([b"main".as_slice(), b"sub"]) {
        assert_eq!(executable.header.version, Version { major: 2, minor: 4 });
        assert!(executable.header.is_debug());
        assert_eq!(executable.entry_label(), Some(Name(label)));
        assert_eq!(executable.labels.get(1).unwrap().id, 0x1_0001);
        let symbol = executable.symbols.get(0).unwrap();
        assert_eq!(executable.name(symbol.name), Name(b"world"));
        let int = ConstantValue::Int { register: 2, value: [3, 2, 0xAB, 0] };
        assert_eq!(executable.constants.get(0).unwrap().value(), Some(int));
        assert_eq!(executable.outputs.get(0).unwrap().semantic(), Some(Semantic::View));
    }
    assert_eq!(parsed.warnings(), []);
    check_round_trip(&parsed);
}

#[test]
fn an_executable_inside_the_long_header_makes_it_short() {
    let mut file = vendor();
    // Code and descriptors allow the long form, so without the rule the magic would be read as a
    // table.
    let executable = file[0x80..0xC0].to_vec();
    place(&mut file, 0x2C, &executable);
    place_words(&mut file, 0x0C, &[0x2C]);
    place_words(&mut file, 0x2C + 0x18, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let parsed = Shbin::parse(&file).unwrap();
    assert!(parsed.package.short_header && parsed.package.lines.is_empty());
    assert_eq!(parsed.executables[1].start, 0x2C);
}

#[test]
fn every_truncation_of_the_worked_example_is_an_error() {
    let file = worked();
    for length in 0..file.len() {
        let error = error(&file[..length]);
        assert!(matches!(error.at, At::Offset(_)), "{length}: {error}");
    }
    for (name, bytes) in SAMPLES {
        for length in 0..bytes.len() - 3 {
            assert!(Shbin::parse(&bytes[..length]).is_err(), "{name} cut to {length}");
        }
    }
}

#[test]
fn wrong_magics_are_located() {
    assert_eq!(refused(b""), "offset 0x0: file ends inside the DVLB header: 8 bytes needed, 0 left");
    assert_eq!(refused(b"DVOJ...."), "offset 0x0: expected DVLB, found DVOJ");
    assert_eq!(refused(&worked_with(0x0C, 0)), "offset 0xc: expected DVLP, found \\x00\\x00\\x00\\x00");
    assert_eq!(refused(&worked_with(0x4C, 0x504C_5644)), "offset 0x4c: expected DVLE, found DVLP");
    assert_eq!(
        refused(&worked_with(8, 0xFFFF_FFFF)),
        "offset 0xffffffff: file ends inside the DVLE header: 64 bytes needed, 0 left"
    );
}

#[test]
fn tables_outside_the_file_are_located_at_their_fields() {
    // Offset field and entry size of each table.
    let tables = [(0x14, 4), (0x1C, 8), (0x64, 20), (0x6C, 16), (0x74, 8), (0x7C, 8), (0x84, 1)];
    for (field, size) in tables {
        for (offset, count) in [(0, 192 / size + 1), (193, 1), (0xFFFF_FFFF, 1), (0, 0xFFFF_FFFF)] {
            let mut file = worked();
            place_words(&mut file, field, &[offset, count]);
            let error = error(&file);
            assert!(matches!(error.kind, Kind::OutOfFile { .. }), "{field:#x}: {error}");
            assert_eq!(error.at, At::Offset(field as u32), "{field:#x}: {error}");
        }
    }
    // Line table and its names.
    for file in [worked_with(0x28, 100), worked_with(0x30, 0xFFFF_FFFF)] {
        assert!(matches!(error(&file).kind, Kind::OutOfFile { .. }));
    }
}

#[test]
fn an_entry_point_outside_the_code_is_an_error() {
    assert_eq!(
        refused(&worked_with(0x54, 4)),
        "offset 0x54: entry point 0x4 lies outside the code of 0x4 words"
    );
    assert!(Shbin::parse(&worked_with(0x54, 3)).is_ok());
    let empty = worked_with(0x18, 0);
    let file = Shbin::parse(&empty).expect("tables of a package without code");
    assert_eq!((file.package.code.len(), file.executables[0].header.main), (0, 0));
}

#[test]
fn an_output_register_above_15_is_an_error() {
    assert_eq!(
        refused(&worked_with(0xA0, 16 << 16)),
        "offset 0xa0: output register is 0x10 but must be 0 to 15"
    );
}

#[test]
fn too_many_executables_are_an_error() {
    assert_eq!(
        refused(&worked_with(4, 0xFFFF_FFFF)),
        "offset 0x4: executables: 4294967295 exceeds the limit of 1024"
    );
    assert_eq!(
        refused(&worked_with(4, 1024)),
        "offset 0x8: file ends inside the table of executables: 4096 bytes needed, 184 left"
    );
}

#[test]
fn entries_of_unknown_kind_are_kept_with_a_warning() {
    for (at, value, warning) in [
        (0x50, 0x0002_1002, "offset 0x52: shader type 2 is not defined"),
        (0x8C, 0x005F_0003, "offset 0x8c: constant type 3 is not defined"),
        (0x8C, 0x0060_0002, "offset 0x8c: a constant sets register 96, which does not exist"),
        (0x8C, 0x0004_0001, "offset 0x8c: a constant sets register 4, which does not exist"),
        (0xA0, 7, "offset 0xa0: output type 7 is not defined"),
        (0xA0, 10, "offset 0xa0: output type 10 is not defined"),
        (0xA4, 0x1F, "offset 0xa0: output mask 0x1f has undefined bits"),
        (0xB4, 0x000F_0010, "offset 0xb0: symbol \"scale\" names registers that do not exist: 0x10 to 0xf"),
        (0xB4, 0x0070_0010, "offset 0xb0: symbol \"scale\" names registers that do not exist: 0x10 to 0x70"),
        (0xB4, 0x0088_0088, "offset 0xb0: symbol \"scale\" names registers that do not exist: 0x88 to 0x88"),
    ] {
        let file = worked_with(at, value);
        let parsed = Shbin::parse(&file).unwrap();
        let warnings: Vec<_> = parsed.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings, [warning]);
        assert_eq!(parsed.executables[0].symbols.len(), 2);
        check_round_trip(&parsed);
    }
    let empty = write(&Model::default());
    let warnings = Shbin::parse(&empty).unwrap().warnings();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].to_string(), "input: the file has no executable");
}

#[test]
fn the_number_of_file_warnings_is_limited() {
    let mut model = Model { code: vec![0], executables: vec![Executable::default()], ..Model::default() };
    model.executables[0].constants = vec![Constant { kind: 9, register: 0, words: [0; 4] }; 5000];
    let bytes = write(&model);
    let warnings = Shbin::parse(&bytes).unwrap().warnings();
    assert_eq!(warnings.len(), 101);
    assert_eq!(warnings[100].text, "4900 more warnings are omitted");
}

#[test]
fn names_end_at_their_zero_byte() {
    // A size field of 4 cuts "scale"; loaders do not look at it.
    for size in [0, 1, 2, 4, 7] {
        let file = worked_with(0x88, size);
        let parsed = Shbin::parse(&file).unwrap();
        let executable = &parsed.executables[0];
        assert_eq!(executable.strings.iter().collect::<Vec<_>>(), [Name(b"p"), Name(b"scale")]);
        let text = format!("offset 0x88: the string table is {size} bytes long, but names reach 8 bytes");
        assert_eq!(parsed.warnings()[0].to_string(), text);
        check_round_trip(&parsed);
    }
    let mut unterminated = worked();
    *unterminated.last_mut().unwrap() = b'!';
    assert_eq!(
        refused(&unterminated),
        "offset 0xb0: name lies outside the file: 7 bytes from 0xba, the file has 0xc0"
    );
    assert_eq!(
        refused(&worked_with(0xA8, 0xFFFF_FFFF)),
        "offset 0xa8: name lies outside the file: 1 bytes from 0x1000000b7, the file has 0xc0"
    );
}

#[test]
fn long_names_are_cut() {
    let mut names = NameTable::default();
    let long = names.add(&[b'n'; 1000]);
    let after = names.add(b"after");
    assert_eq!((names.get(long).0.len(), names.get(after)), (255, Name(b"after")));
}

#[test]
fn overlapping_executables_are_accepted_up_to_a_limit() {
    let twice = Model::from(&Shbin::parse(&worked()).unwrap());
    let mut model = Model { executables: vec![twice.executables[0].clone(); 2], ..twice };
    let mut file = write(&model);
    let start: [u8; 4] = file[8..12].try_into().unwrap();
    place(&mut file, 12, &start);
    let parsed = Shbin::parse(&file).unwrap();
    assert_eq!(parsed.executables[0], parsed.executables[1]);

    // A thousand executables over one large table would turn 64 KiB into 50 MiB.
    model.executables.truncate(1);
    model.executables[0].constants = vec![Constant { kind: 2, register: 0, words: [0; 4] }; 2500];
    model.executables.resize(1000, Executable::default());
    let mut file = write(&model);
    file.truncate(4008 + 88 + 64 + 20 * 2500 + 100);
    let start: [u8; 4] = file[8..12].try_into().unwrap();
    (1..1000).for_each(|index| place(&mut file, 8 + 4 * index, &start));
    assert!(file.len() < 1 << 16);
    let error = error(&file);
    assert!(error.to_string().contains("overlap"), "{error}");
}

/// A deterministic random generator.
struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

#[test]
fn damaged_files_never_panic_and_round_trip_if_they_parse() {
    let worked = worked();
    let vendor = vendor();
    let files = SAMPLES.iter().map(|(_, bytes)| *bytes).chain([&worked[..], &vendor[..]]);
    let mut parsed = 0;
    for (seed, original) in files.enumerate() {
        let mut random = Random(seed as u64);
        let headers = original.len().min(0x200);
        for round in 0..10_000 {
            let mut file = original.to_vec();
            for _ in 0..=random.below(3) {
                // Half of the damage goes to the first bytes, where the headers are.
                let at = random.below(if round % 2 == 0 { headers } else { original.len() }) % file.len();
                match random.below(4) {
                    0 => file[at] ^= 1 << random.below(8),
                    1 => file[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)],
                    2 => place_words(&mut file, at & !3, &[random.next() as u32]),
                    _ => file.truncate(file.len().min(original.len() - random.below(8))),
                }
            }
            let Ok(damaged) = Shbin::parse(&file) else { continue };
            parsed += 1;
            damaged.warnings();
            check_round_trip(&damaged);
        }
    }
    assert!(parsed > 10_000, "{parsed} of 120,000 parse: the damage is too great to test what follows");
}

#[test]
fn the_registers_that_a_file_can_name_are_those_of_the_instruction_set() {
    use crate::program::isa::sizes::{BOOLS, FLOATS, INPUTS, INTS};

    let constants = |kind| {
        (0..=0xFF).filter(|&register| Constant { kind, register, words: [0; 4] }.value().is_some()).count()
    };
    assert_eq!([0, 1, 2].map(constants), [BOOLS, INTS, FLOATS]);
    let symbols = |bank| {
        let named = (0..=0xFF).filter_map(|first| Symbol { name: NameOffset(0), first, last: first }.range());
        named.filter(|range| range.bank == bank).count()
    };
    let banks = [SymbolBank::Input, SymbolBank::Float, SymbolBank::Int, SymbolBank::Bool];
    assert_eq!(banks.map(symbols), [INPUTS, FLOATS, INTS, BOOLS]);
}
