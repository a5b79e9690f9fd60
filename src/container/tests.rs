//! The worked example byte by byte, every sample, every truncation, hostile files.

use super::*;

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
        [Descriptor { bits: 0x7246_C36F, usage: 0, reserved: 0 }]
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
    let position = Output { kind: 0, register: 0, mask: 15, reserved: 0 };
    assert_eq!(executable.outputs.iter().collect::<Vec<_>>(), [position]);
    let symbols: Vec<_> =
        executable.symbols.iter().map(|s| (executable.name(s.name).0, s.range().unwrap())).collect();
    let range = |bank| SymbolRange { bank, first: 0, count: 1 };
    assert_eq!(symbols, [(&b"p"[..], range(SymbolBank::Input)), (&b"scale"[..], range(SymbolBank::Float))]);
    assert_eq!(file.warnings(), []);
}
