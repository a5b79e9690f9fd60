//! The tables of one executable: stage, names, constants, outputs, labels, entry point.
//! In: an executable. Out: directives; the plain ones if the assembler makes the same entry of
//! them, else the entry as numbers. Knows no instruction, except that SETEMIT declares a geometry
//! program.
//! Facts: the assembler's.

use std::fmt::Write;

use super::Form;
use super::section::Shared;
use super::symbols::{self, Declarations, Registers};
use crate::asm::syntax::{
    DUMMY_OUTPUT, FLOAT, HEADER_FIELDS, INT, OUTPUT_TYPES, Space, UniformKind, float24, name_text,
};
use transpica::container::{Constant, ConstantValue, Executable, Header, OutputRecord, Version};
use transpica::isa::sizes::{FLOATS, OUTPUTS};
use transpica::isa::{Mask, Opcode, Word};

/// The section, as far as it determines the assembler's header.
pub(super) struct Section<'a> {
    /// The code of its section.
    pub code: &'a [u32],
    /// The procedure at its entry point.
    pub entry: Option<&'a str>,
    pub form: Form,
}

/// Prints all tables and returns the names of registers.
pub(super) fn print(
    out: &mut String,
    executable: &Executable,
    section: &Section<'_>,
    shared: &mut Shared,
) -> Registers {
    let readable = section.form.readable;
    let begin = out.len();
    let mut header = Header { version: Version::PICASSO, ..Header::default() };
    if section.code.iter().any(|&word| Word(word).opcode() == Some(Opcode::Setemit)) {
        header.kind = 1;
    }
    shared.space.next_file();
    let mut geometry_space = None;
    let mut is_legacy = true;
    if readable && let Some(stage) = stage(executable) {
        out.push_str(&stage.text);
        header = Header { version: Version::PICASSO, ..stage.header };
        geometry_space = stage.first.map(|first| Space::geometry(first.into()));
        is_legacy = geometry_space.is_none();
    }
    let mut declarations = Declarations { geometry_space, shared };
    let (mut registers, inputs) = symbols::print(out, executable, &mut declarations, readable);
    header.input_mask = inputs;
    constants(out, executable, &mut declarations, &mut registers, readable);
    let is_geometry = header.kind == 1;
    let merges = outputs(out, executable, is_geometry, readable);
    header.flags = u8::from(merges && !is_legacy);
    header.output_mask = executable.outputs.iter().fold(0, |mask, output| mask | 1 << output.register);
    for label in &executable.labels {
        let name = name_text(executable.names.get(label.name).0);
        let _ = writeln!(out, ".label {name} {:#x} {:#x} {:#x}", label.address, label.id, label.length);
    }
    if let Some(entry) = section.entry {
        (header.main, header.endmain) = (executable.header.main, executable.header.endmain);
        if entry != "main" {
            let _ = writeln!(out, ".entry {entry}");
        }
    }
    for field in HEADER_FIELDS {
        let value = (field.get)(&executable.header);
        let is_entry = matches!(field.name, "main" | "endmain");
        if value != (field.get)(&header) || is_entry && section.entry.is_none() {
            let _ = writeln!(out, ".header {} {value:#x}", field.name);
        }
    }
    if out.len() > begin {
        out.push('\n');
    }
    registers
}

/// A `.gsh` line and its effect.
struct GeometryLine {
    text: String,
    header: Header,
    /// First uniform of its own, or `None` if it shares those of vertex programs.
    first: Option<u8>,
}

/// The `.gsh` line of a geometry program.
fn stage(executable: &Executable) -> Option<GeometryLine> {
    let header = &executable.header;
    if header.kind != 1 {
        return None;
    }
    let lowest = symbols::lowest_float(&executable.symbols);
    let has_dummy = executable.outputs.iter().any(|output| output.kind == DUMMY_OUTPUT);
    let mut made = Header { kind: 1, geometry_mode: header.geometry_mode, ..Header::default() };
    let (operands, first) = match header.geometry_mode {
        0 if has_dummy && !header.merges_output_maps() => (String::new(), None),
        0 => {
            let first = lowest.unwrap_or(0);
            (format!(" point c{first}"), Some(first))
        }
        1 => {
            let (first, count) = (lowest.unwrap_or(0), header.geometry_main_vertices);
            made.geometry_main_vertices = count;
            (format!(" variable c{first} {count}"), Some(first))
        }
        2 => {
            let (start, count) = (header.geometry_start, header.geometry_fixed_vertices);
            let first = lowest.unwrap_or(start.saturating_add(1));
            if start >= first || usize::from(first) >= FLOATS {
                return None;
            }
            (made.geometry_start, made.geometry_fixed_vertices) = (start, count);
            (format!(" fixed c{first} c{start} {count}"), Some(first))
        }
        _ => return None,
    };
    Some(GeometryLine { text: format!(".gsh{operands}\n"), header: made, first })
}

/// Prints the constants: by name if the allocator would choose the same register, else by register.
fn constants(
    out: &mut String,
    executable: &Executable,
    declarations: &mut Declarations<'_>,
    registers: &mut Registers,
    readable: bool,
) {
    // The assembler limits what its plain directives declare.
    let plain = readable && executable.constants.len() <= FLOATS;
    let mut rest = &executable.constants[..];
    while let Some((constant, others)) = rest.split_first() {
        rest = others;
        let value = constant.value().filter(|&value| plain && Constant::new(value) == *constant);
        match value {
            Some(ConstantValue::Bool { register, value }) => {
                let _ = writeln!(out, ".setb b{register} {value}");
            }
            Some(ConstantValue::Int { register, value: [x, y, z, w] }) => {
                let first = INT + u32::from(register);
                let target = match take(declarations, UniformKind::Int, first, 1) {
                    Some(_) => {
                        let name = registers.taken.insert_unique(format!("int_{register}"));
                        registers.add(&name, first, 1);
                        format!(".consti {name}")
                    }
                    None => format!(".seti i{register}"),
                };
                let _ = writeln!(out, "{target}({x}, {y}, {z}, {w})");
            }
            Some(ConstantValue::Float { .. }) => {
                rest = float(out, constant, others, declarations, registers);
            }
            None => {
                let _ = write!(out, ".constant {} {}", constant.kind, constant.register);
                for word in constant.words {
                    let _ = write!(out, " {word:#x}");
                }
                out.push('\n');
            }
        }
    }
}

/// Allocates registers for a constant that must begin at `first`: as few as make the allocator
/// choose that register, up to `most`. Returns their number.
fn take(declarations: &mut Declarations<'_>, kind: UniformKind, first: u32, most: u32) -> Option<u32> {
    let space = *declarations.space();
    (1..=most).find(|&count| {
        let mut tried = space;
        let fits = tried.constant(kind, count) == Some(first);
        if fits {
            *declarations.space() = tried;
        }
        fits
    })
}

/// Prints a float constant, or an array of it and some that follow; returns the rest of those.
fn float<'a>(
    out: &mut String,
    constant: &Constant,
    rest: &'a [Constant],
    declarations: &mut Declarations<'_>,
    registers: &mut Registers,
) -> &'a [Constant] {
    let register = constant.register;
    let first = FLOAT + u32::from(register);
    // Range: there are 96 registers.
    let most = run(constant, rest).len() as u32 + 1;
    let Some(count) = take(declarations, UniformKind::Float, first, most) else {
        let _ = writeln!(out, ".setf c{register}({})", values(constant));
        return rest;
    };
    let name = registers.taken.insert_unique(format!("float_{register}"));
    registers.add(&name, first, count);
    if count == 1 {
        let _ = writeln!(out, ".constf {name}({})", values(constant));
        return rest;
    }
    let _ = writeln!(out, ".constfa {name}[]\n\t.constfa ({})", values(constant));
    let (elements, after) = rest.split_at(count as usize - 1);
    for element in elements {
        let _ = writeln!(out, "\t.constfa ({})", values(element));
    }
    out.push_str(".end\n");
    after
}

/// The constants of consecutive registers after the first one's.
fn run<'a>(first: &Constant, rest: &'a [Constant]) -> &'a [Constant] {
    let follows = |(constant, register): &(&Constant, u32)| {
        constant.kind == 2
            && u32::from(constant.register) == *register
            && constant.value().is_some_and(|value| Constant::new(value) == **constant)
    };
    let length = rest.iter().zip(u32::from(first.register) + 1..).take_while(follows).count();
    &rest[..length]
}

/// The values of a float constant.
fn values(constant: &Constant) -> String {
    constant.words.map(float_text).join(", ")
}

/// The shortest decimal number that the assembler rounds to these bits.
fn float_text(bits: u32) -> String {
    let (sign, exponent, mantissa) = (bits >> 23 & 1, bits >> 16 & 0x7F, bits & 0xFFFF);
    let negative = if sign == 1 { "-" } else { "" };
    match (exponent, mantissa) {
        (0, 0) => return format!("{negative}0.0"),
        (0x7F, 0) => return format!("{negative}inf"),
        _ => {}
    }
    // The assembler truncates seven bits of the mantissa, so any number between these two is right.
    let least = sign << 31 | (exponent + 64) << 23 | mantissa << 7;
    for digits in 0..9 {
        for value in [least, least | 0x40, least | 0x7F].map(f32::from_bits) {
            let rounded: f32 = format!("{value:.digits$e}").parse().unwrap_or(value);
            if float24(rounded) == bits {
                return format!("{rounded:?}");
            }
        }
    }
    format!("{:?}", f32::from_bits(least))
}

/// Prints the output map; returns whether an entry merges the output maps.
fn outputs(out: &mut String, executable: &Executable, is_geometry: bool, readable: bool) -> bool {
    let mut used = 0u16;
    let mut components = 0u32;
    let mut merges = false;
    let plain = readable && executable.outputs.len() <= OUTPUTS;
    for output in &executable.outputs {
        let text = if plain { output_text(output, used, components, is_geometry) } else { None };
        match text {
            Some(text) => {
                out.push_str(&text);
                merges |= output.kind == DUMMY_OUTPUT;
            }
            None => {
                let OutputRecord { kind, register, mask, reserved } = output;
                let _ = writeln!(out, ".output {kind} {register} {mask:#x} {reserved:#x}");
            }
        }
        used |= 1 << output.register;
        components |= u32::from(output.mask & 15) << (output.register * 4 % 32);
    }
    merges
}

/// The `.out` line of an entry. `used` are the registers of earlier entries, `components` their
/// components in picasso's mask.
fn output_text(output: &OutputRecord, used: u16, components: u32, is_geometry: bool) -> Option<String> {
    let OutputRecord { kind, register, mask, reserved } = *output;
    let (name, _) = OUTPUT_TYPES.iter().find(|(_, code)| *code == kind)?;
    let is_possible = register < 7 || kind == DUMMY_OUTPUT && !is_geometry;
    if !is_possible || reserved != 0 || !(1..16).contains(&mask) {
        return None;
    }
    let letters = match mask {
        15 => String::new(),
        mask => format!(".{}", Mask(mask as u8)), // Range: checked.
    };
    if components & u32::from(mask) << (register * 4 % 32) == 0 {
        return Some(format!(".out - {name} o{register}{letters}\n"));
    }
    // picasso reports a collision although there is none; it does not check the next free register.
    (used.trailing_ones() == u32::from(register)).then(|| format!(".out - {name}{letters}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float24_has_a_decimal_text() {
        for exponent in 0..0x80u32 {
            for mantissa in (0..0x10000u32).step_by(619).chain([0xFFFF, 1]) {
                for bits in [exponent << 16 | mantissa, 0x80_0000 | exponent << 16 | mantissa] {
                    let text = float_text(bits);
                    // As in the assembler.
                    let value = text.parse::<f64>().expect("a number") as f32;
                    assert_eq!(float24(value), bits, "{bits:#x} {text}");
                }
            }
        }
        assert_eq!([0x3F_0000, 0x3B_9999, 0xBE_0000].map(float_text), ["1.0", "0.1", "-0.5"]);
    }

    #[test]
    fn an_output_register_that_picasso_refuses_is_left_out() {
        let dummy = OutputRecord { kind: 9, register: 8, mask: 15, reserved: 0 };
        assert_eq!(output_text(&dummy, 0xFF, 0xF, false).as_deref(), Some(".out - dummy\n"));
        assert_eq!(output_text(&dummy, 0x7F, 0xF, false), None);
        let position = OutputRecord { kind: 0, register: 2, mask: 7, reserved: 0 };
        assert_eq!(output_text(&position, 0, 0, false).as_deref(), Some(".out - position o2.xyz\n"));
    }
}
