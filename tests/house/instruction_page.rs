//! `src/program/isa/README.md` contains the table of opcodes and the formats, and
//! `tools/asm/src/guide/language.md` the language of the assembler: these tests generate the pages,
//! and `UPDATE_EXPECT=1` rewrites them.

use std::fmt::Write as _;

use transpica::isa::reads::Reads;
use transpica::isa::table::{Info, Opcode, Role};
use transpica::isa::word::Format;
use transpica::isa::{Mask, sizes};
use transpica::{Machine, Options, Shbin};
use transpica_asm::manual::{bank, describe, form, meaning, operand_names, wide_sources};
use transpica_asm::vertex::{NUMBER_FORMATS, NumberFormat};
use transpica_asm::{SourceText, assemble, directives, output_types};

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

/// Opening of the page of the language.
const LANGUAGE: &str = "\
# The language

`transpica help language` prints this page, `transpica help mad` the page of an instruction or a directive, and
`transpica help directives` one section; `transpica help lint-rules` lists what lint finds. A line has at most one label (`name:`), one instruction or directive, and a comment after `;`.
Operands are separated by commas. A name is letters, digits and `_`, and does not begin like a register. This is a complete source:

```text
; A model, colored by its vertices.
.fvec projection[4]
.constf one(1.0, 1.0, 1.0, 1.0)
.in inpos v0
.in incol v1
.out outpos position
.out outcol color

.proc main
	mov r0.xyz, inpos
	mov r0.w, one.w
	dp4 outpos.x, projection[0], r0
	dp4 outpos.y, projection[1], r0
	dp4 outpos.z, projection[2], r0
	dp4 outpos.w, projection[3], r0
	mov outcol, incol
	end
.end
```

## Registers

";

/// Operands that instructions share, after the list of registers.
const OPERANDS: &str = "
`a0.x` and `a0.y`, set by `mova`, and the counter `aL` of `for` are indices: `bones[a0.x + 1]`. `cmp.x` and `cmp.y` are the flags, set by
`cmp`.

## Operands

A destination may name the components to write: `r0.xz`. A source may have a sign, an index if it is a uniform, and a swizzle:
`-light[aL].xyz`. A swizzle of fewer than four components repeats its last one; `x y z w`, `r g b a` and `s t p q` are the same components.
One source of an instruction may be a uniform, in the places that are listed below; a copy in an r register has no such limit. Two
sources must not be different v registers. An instruction takes `v15` as `v14[1]`.

";

/// Before the directives.
const DIRECTIVES: &str = "
## Directives

";

/// After the directives.
const LIMITS: &str = "
## Limits

";

/// Before the idioms.
const IDIOMS_HEAD: &str = "
## Idioms

`k` is declared by `.constf k(0.0, 1.0, 0.5, 2.0)`; `r1`, `r2` and `r3` are the arguments.

";

/// Results by their text, for `r1`, `r2`, `r3` as in [`ARGUMENTS`].
const IDIOMS: [(&str, &str, [f32; 3]); 12] = [
    ("`r1 - r2`", "add r0, r1, -r2", [-8.0, -2.0, 3.0]),
    ("absolute values", "max r0, r1, -r1", [4.0, 0.5, 4.0]),
    ("clamped to 0..1", "max r0, k.x, r1; min r0, k.y, r0", [0.0, 0.5, 1.0]),
    ("fractions", "flr r0, r1; add r0, r1, -r0", [0.0, 0.5, 0.0]),
    ("`r1.z / r2.x`", "rcp r0.x, r2.x; mul r0, r1.z, r0.x", [1.0; 3]),
    ("square root of `r1.z`", "rsq r0.x, r1.z; rcp r0, r0.x", [2.0; 3]),
    ("length of `r3.xyz`", "dp3 r0.x, r3, r3; rsq r0.x, r0.x; rcp r0, r0.x", [2.0; 3]),
    ("`r3.xyz`, with length 1", "dp3 r0.w, r3, r3; rsq r0.w, r0.w; mul r0.xyz, r3, r0.w", [0.0, 1.0, 0.0]),
    ("cross product", "mul r0.xyz, r1.yzx, r2.zxy; mad r0.xyz, -r2.yzx, r1.zxy, r0", [-9.5, 20.0, -12.0]),
    (
        "from `r1` to `r2` by `r3.y / 4`",
        "mul r0.w, k.z, r3.y; mul r0.w, k.z, r0.w; add r0.xyz, r2, -r1; mad r0.xyz, r0.w, r0, r1",
        [0.0, 1.5, 2.5],
    ),
    (
        "`r1.z` to the power of `r3.y`, for positive `r1.z`",
        "lg2 r0.x, r1.z; mul r0.x, r3.y, r0.x; ex2 r0, r0.x",
        [16.0; 3],
    ),
    ("`r1 >= r2 ? r2 : r3`", "sge r0, r1, r2; add r4, r2, -r3; mad r0, r0, r4, r3", [0.0, 2.0, 1.0]),
];

/// `r1`, `r2`, `r3`.
const ARGUMENTS: [[f32; 4]; 3] = [[-4.0, 0.5, 4.0, 1.0], [4.0, 2.5, 1.0, 1.0], [0.0, 2.0, 0.0, 1.0]];

/// Idioms of several lines, which assemble after [`FLOW_HEAD`].
const FLOW: &str = "
A matrix by its number, here of three rows, as `bones[12]` has four of them:

```text
	mul r1.x, three.x, inbone.x
	mova a0.x, r1.x
	dp4 r2.x, bones[a0.x], inpos
	dp4 r2.y, bones[a0.x + 1], inpos
	dp4 r2.z, bones[a0.x + 2], inpos
```

Lights in a loop, whose count is one more than `lights.x`; parts that a bool uniform switches:

```text
	for lights
		dp3 r3.x, lightDir[aL], innrm
		max r3.x, zero.x, r3.x
		mad r4.xyz, r3.x, lightColor[aL], r4
	.end
	ifu textured
		mov outuv, inuv
	.else
		mov outuv, zero
	.end
```

A choice by a comparison, and the end of a loop:

```text
	cmp r4.x, gt, lt, r4.y
	ifc cmp.x && !cmp.y
		mov r4.x, r4.y
	.end
	for lights
		add r4.x, r4.x, r4.y
		cmp r4.x, ge, ge, r4.y
		breakc cmp.x
	.end
```
";

/// Declarations of the names in [`FLOW`].
const FLOW_HEAD: &str = "\
.fvec bones[12], lightDir[4], lightColor[4]
.ivec lights
.bool textured
.constf three(3.0, 3.0, 3.0, 3.0)
.constf zero(0.0, 0.0, 0.0, 0.0)
.in inpos v0
.in innrm v1
.in inuv v2
.in inbone v3
.out - position o0
.out outuv texcoord0
.proc main
	mov r4, zero
";

/// Formats of vertices, before their table.
const VERTEX_FORMATS: &str = "
## Formats

A comment beside `.in` declares how the attribute lies in a vertex buffer: a number format and 1 to 4 components. picasso ignores it, and
so does the assembled file; `--bind-c` and `--bind-rust` write a vertex of it. Further text follows after another `;`:

```text
.in inpos v0 ; @format float 3
.in inuv v1 ; @format short 2
.in incol v2 ; @format ubyte 4 ; 255 is 255.0
```

Components that a format lacks are those of (0, 0, 0, 1).

| format | bytes of a component | libctru | C |
|---|---|---|---|
";

/// Returns the page of the language.
fn language() -> String {
    let (mut page, mut instructions) = (LANGUAGE.to_owned(), "\n## Instructions\n\n".to_owned());
    let counts = [("v", sizes::INPUTS), ("r", sizes::TEMPS), ("o", sizes::OUTPUTS), ("c", sizes::FLOATS)];
    for (letter, count) in counts.into_iter().chain([("i", sizes::INTS), ("b", sizes::BOOLS)]) {
        let about = letter.chars().next().map(bank).unwrap_or_default();
        page += &format!("- `{letter}0` to `{letter}{}`: {about}\n", count - 1);
    }
    page += OPERANDS;
    let mut described = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| !opcode.format().is_inverted()) {
        let wide: Vec<String> =
            wide_sources(opcode).iter().map(|place| format!("`s{}`", place + 1)).collect();
        let wide = match wide.as_slice() {
            [] => String::new(),
            wide => format!("; a uniform may be {}", wide.join(" or ")),
        };
        instructions += &format!("- `{}`: {}{wide}\n", form(opcode), meaning(opcode));
        for (number, name) in operand_names(opcode).into_iter().enumerate() {
            let is_source = opcode.info().operands.get(number) == Some(&Role::Source);
            let line = format!("- `{name}`: {}\n", describe(opcode, number));
            if !is_source && !described.contains(&line) {
                page += &line;
                described.push(line);
            }
        }
    }
    page += &instructions;
    page += DIRECTIVES;
    for known in directives() {
        page += &format!("- `{}`: {}\n", format!(".{} {}", known.name, known.form).trim_end(), known.meaning);
    }
    let types: Vec<String> = output_types().map(|name| format!("`{name}`")).collect();
    page += &format!("\nTypes of outputs: {}.\n", types.join(", "));
    page += VERTEX_FORMATS;
    for NumberFormat { name, size, libctru, c, .. } in NUMBER_FORMATS {
        page += &format!("| `{name}` | {size} | `{libctru}` | `{c}` |\n");
    }
    page += LIMITS;
    for (what, count) in [
        ("words of a file that the vertex unit runs", sizes::VERTEX_WORDS as usize),
        ("words of one that the geometry unit runs", sizes::GEOMETRY_WORDS as usize),
        ("different combinations of components, signs and swizzles in a file", sizes::DESCRIPTORS),
        ("of them for `mad`", sizes::MAD_DESCRIPTORS),
        ("calls in one another", sizes::CALL_DEPTH),
        ("`ifu` and `ifc` in one another, calls included", sizes::IF_DEPTH),
        ("`for` in one another, calls included", sizes::LOOP_DEPTH),
    ] {
        page += &format!("- {count} {what}\n");
    }
    page += IDIOMS_HEAD;
    for (result, lines, _) in IDIOMS {
        page += &format!("- {result}: `{}`\n", lines.replace("; ", "`, `"));
    }
    page + FLOW
}

/// Compares a page with its file, or rewrites that.
fn check(path: &str, made: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, made).expect("the page can be written");
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(page, made, "UPDATE_EXPECT=1 rewrites the page");
}

#[test]
fn the_page_shows_the_table() {
    check("src/program/isa/README.md", &markdown());
}

#[test]
fn the_page_of_the_language_shows_the_tables() {
    check("tools/asm/src/guide/language.md", &language());
}

/// Assembles a text, or fails with its errors and warnings.
fn assembled(text: &str) -> Vec<u8> {
    let done = assemble(&[SourceText { name: "page.v.pica", text }]);
    let done = done.unwrap_or_else(|report| panic!("{report}\n{text}"));
    assert!(done.warnings.is_empty(), "{text}");
    done.bytes
}

#[test]
fn idioms_compute_what_the_page_says() {
    for (result, lines, expected) in IDIOMS {
        let lines = lines.replace("; ", "\n");
        let text = format!(
            ".constf k(0.0, 1.0, 0.5, 2.0)\n.in a v0\n.in b v1\n.in c v2\n.out - position o0\n.proc main\n\
             mov r1, a\nmov r2, b\nmov r3, c\n{lines}\nmov o0, r0\nend\n.end\n"
        );
        let bytes = assembled(&text);
        let file = Shbin::parse(&bytes).expect("a file");
        let program = file.program(0).expect("a program");
        let options = Options::default().settings(1000);
        let mut machine = Machine::new(program.program(), options).expect("a machine");
        machine.set_uniforms(&program.uniforms());
        let mut inputs = [[0.0; 4]; 16];
        inputs[..3].copy_from_slice(&ARGUMENTS);
        let found = machine.run(&inputs).expect("outputs")[0];
        let is_near = |(found, expected): (f32, f32)| (found - expected).abs() < 1e-5;
        assert!(found.into_iter().zip(expected).all(is_near), "{result}: {found:?}");
    }
}

#[test]
fn examples_of_the_language_assemble() {
    let blocks = |page: &str| {
        page.split("```").skip(1).step_by(2).map(|text| text[5..].to_owned()).collect::<String>()
    };
    assembled(&blocks(LANGUAGE));
    assembled(&format!("{}\n.proc main\nend\n.end", blocks(VERTEX_FORMATS)));
    assembled(&format!("{FLOW_HEAD}{}\tmov o0, r4\n\tend\n.end\n", blocks(FLOW)));
}
