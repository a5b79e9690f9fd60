//! `src/program/isa/README.md` contains the table of opcodes and the formats: this test generates
//! the page, and `UPDATE_EXPECT=1` rewrites it.

use std::fmt::Write as _;

use transpica::isa::Mask;
use transpica::isa::reads::Reads;
use transpica::isa::table::{Info, Opcode, Role};
use transpica::isa::word::Format;

const HEAD: &str = "\
# Instruction set

This page is made from `table.rs` and `word.rs`; `UPDATE_EXPECT=1 cargo test -p transpica --test house instruction_page` rewrites it.

Every instruction is one 32-bit word with its code in bits 31..26. `s1`, `s2`, `s3` are the sources after swizzle and
negation; `·` is the product where inf·0 = 0. The low code bits of `cmp`, `mad` and `madi` belong to their first field.
The column `reads` has the components of each source that can change a result: always, and in parentheses those that are
read where the same component is written. Facts: 3dbrew \"GPU/Shader Instruction Set\", checked with words that picasso made.

A program is a list of such words, a list of operand descriptors and an entry point, an index of words. All addresses count
words. The vertex unit holds 512 words, the geometry unit 4,096, and each 128 descriptors. Two words and one descriptor that
copy `v0` to `o0`:

| word | bits | text |
|---|---|---|
| 0x4C000000 | code 0x13, dest 0, src1 0, desc 0 | `mov o0, v0` |
| 0x88000000 | code 0x22 | `end` |
| descriptor 0x0000036F | components 0xF, no negation, swizzle 0x1B = 00 01 10 11 | all components, `.xyzw` |

## Opcodes

| code | text | format | reads | result |
|---|---|---|---|---|
";

const FORMATS: &str = "
## Formats

Bits are counted from 0 and given as high..low. The wide source (seven bits, may be a uniform, takes the address register
`idx`) is set in bold. Bits that are not listed are ignored.

| format | fields |
|---|---|
";

const TAIL: &str = "
* Sources: 0x00..0x0F `v0..v15`, 0x10..0x1F `r0..r15`, 0x20..0x7F `c0..c95` (wide only). Destinations: 0x00..0x0F
  `o0..o15`, 0x10..0x1F `r0..r15`.
* `idx`: 0 none, 1 `a0.x`, 2 `a0.y`, 3 `aL`; without effect unless the wide source is a uniform.
* `desc` is the number of an operand descriptor. Only bits 7..0 of `num` count, and only bits 1..0 of the `id` of `for`.
* `condop`: 0 or, 1 and, 2 only x, 3 only y. `opx`, `opy`: 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge, 6 and 7 always true.

## Operand descriptor

| bits | field |
|---|---|
| 3..0 | components that are written; bit 3 is x |
| 4, 12..5 | first source: negation, swizzle |
| 13, 21..14 | second source: negation, swizzle |
| 22, 30..23 | third source: negation, swizzle |

Bits 7..6 of a swizzle choose what becomes x, 5..4 y, 3..2 z, 1..0 w.
";

/// Placeholder of an operand in a syntax line.
fn placeholder(role: Role) -> &'static str {
    match role {
        Role::Dest => "dest",
        Role::AddressDest => "a0",
        Role::Source => "s",
        Role::CompareOp => "op",
        Role::Condition => "condition",
        Role::Bool => "b",
        Role::BoolOrNot => "[!]b",
        Role::Int => "i",
        Role::Target => "dst",
        Role::Last => "last",
        Role::Length => "num",
        Role::Vertex => "vertex",
        Role::Flags => "[prim] [inv]",
    }
}

/// Text of an instruction with placeholders, such as `add dest, s1, s2`.
fn syntax(opcode: Opcode) -> String {
    let (mut text, mut sources) = (opcode.mnemonic().to_string(), 0);
    let mut compares = ["opx", "opy"].into_iter();
    for (position, role) in opcode.info().operands.iter().enumerate() {
        text += if position == 0 { " " } else { ", " };
        match role {
            Role::Source => {
                sources += 1;
                text += &format!("s{sources}");
            }
            Role::CompareOp => text += compares.next().unwrap_or(placeholder(*role)),
            Role::Dest
            | Role::AddressDest
            | Role::Condition
            | Role::Bool
            | Role::BoolOrNot
            | Role::Int
            | Role::Target
            | Role::Last
            | Role::Length
            | Role::Vertex
            | Role::Flags => text += placeholder(*role),
        }
    }
    text
}

/// Components that an instruction reads of each source.
fn reads(info: &Info) -> String {
    let one = |reads: &Reads| {
        let always = reads.for_mask(Mask::NONE);
        let lanewise = Mask(reads.for_mask(Mask::XYZW).0 & !always.0);
        if lanewise.is_empty() { always.to_string() } else { format!("{always}({lanewise})") }
    };
    info.reads.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The instruction set as a Markdown page.
fn markdown() -> String {
    let mut page = HEAD.to_string();
    for &opcode in Opcode::ALL {
        let info = opcode.info();
        let codes = match info.last {
            last if last == info.first => format!("{:#04X}", info.first),
            last => format!("{:#04X}..{last:#04X}", info.first),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | `{}` | {} | {} | {} |",
            codes.replace('X', "x"),
            syntax(opcode),
            info.format.name(),
            reads(info),
            info.meaning
        );
    }
    page += FORMATS;
    for format in Format::ALL {
        let fields = format.layout().iter().map(|(field, bits)| {
            let name = if format.wide() == Some(*field) {
                format!("**{}**", field.name())
            } else {
                field.name().to_string()
            };
            match (bits.high(), bits.low()) {
                (high, low) if high == low => format!("{name} {low}"),
                (high, low) => format!("{name} {high}..{low}"),
            }
        });
        let _ = writeln!(page, "| {} | {} |", format.name(), fields.collect::<Vec<_>>().join(", "));
    }
    page + TAIL
}

#[test]
fn the_page_shows_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/program/isa/README.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, markdown()).expect("the page can be written");
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(page, markdown(), "UPDATE_EXPECT=1 rewrites the page");
}
