//! The text of a compiled shader: declarations, and instructions with the names of the source.
//! In: instructions with numbers of registers, the interface, the source. Out: a text whose
//! declarations have the same registers, with lines of the source as comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use transpica::container::Semantic;
use transpica::isa::Pc;

use crate::emit::Emitted;
use crate::source::data::Data;
use crate::source::interface::{Attribute, Count, Output};
use crate::source::{Interface, Role};

/// Names by bank and register; a name of several registers has the number of each.
type Names = BTreeMap<(char, u8), String>;

/// The text of a program.
pub(super) struct Program {
    pub text: String,
    /// The names in it.
    pub names: Names,
    /// For each of its lines the line of the source.
    pub lines: Vec<Option<u32>>,
}

/// Returns the text of a program.
///
/// # Errors
/// A register without a name.
pub(super) fn program(emitted: &Emitted, interface: &Interface, source: &str) -> Result<Program, String> {
    let mut taken = Taken::default();
    let mut names = Names::new();

    let (words, temporaries) = (emitted.words(), temporaries(&emitted.text));
    let mut text =
        format!("; Compiled from {}: {words} words, {temporaries} temporaries.\n", interface.entry);
    uniforms(&mut text, &mut taken, &mut names, interface)?;
    for table in &interface.tables {
        let own = taken.name(&table.name);
        let _ = writeln!(text, ".constfa {own}[]");
        for (place, [x, y, z, w]) in (0u8..).zip(interface.rows(table)) {
            let _ = writeln!(text, ".constfa ({x:?}, {y:?}, {z:?}, {w:?})");
            names.insert(('c', table.register + place), format!("{own}[{place}]"));
        }
        text.push_str(".end\n");
    }
    for &(register, value) in &emitted.constants {
        let [x, y, z, w] = value.map(|bits| format!("{:?}", f32::from_bits(bits)));
        let _ = writeln!(text, ".setf c{register}({x}, {y}, {z}, {w})");
    }
    let read = interface.attributes.iter().filter(|attribute| attribute.is_read);
    for Attribute { register, name, shape, is_scaled, .. } in read {
        let own = taken.name_with(name, "in_");
        let scaled = if *is_scaled { ", 0 to 255" } else { "" };
        let _ = writeln!(text, ".in {own} v{register} ; {}{scaled}", shape.name());
        names.insert(('v', *register), own);
    }
    for (register, output) in (0u8..).zip(&interface.outputs) {
        let own = outputs(&mut text, &mut taken, register, output);
        names.insert(('o', register), own);
    }
    text.push('\n');
    let mut lines = vec![None; text.lines().count()];
    let source: Vec<&str> = source.lines().map(str::trim).collect();
    let mut last = None;
    for ((line, &place), own) in emitted.text.lines().zip(&emitted.places).zip(own_lines(emitted, interface))
    {
        let is_copy = line.trim_start().starts_with("mov ");
        let shown = own.filter(|_| place.is_some() || is_copy);
        if shown.is_some() && shown != last {
            last = shown;
            let comment = shown.and_then(|shown| comment(line, shown, &source));
            lines.extend(comment.iter().map(|_| None));
            text.extend(comment);
        }
        text += &named(line, &names);
        text.push('\n');
        lines.push(own);
    }
    Ok(Program { text, names, lines })
}

/// Declares the uniforms of an interface.
fn uniforms(
    text: &mut String,
    taken: &mut Taken,
    names: &mut Names,
    interface: &Interface,
) -> Result<(), String> {
    let mut floats = floats(interface);
    floats.sort_by_key(|&(register, ..)| register);
    let mut next = 0;
    for (register, name, count) in floats {
        if register != next {
            return Err(format!("c{next} has no name"));
        }
        next += count;
        let name = taken.name(&name);
        let size = if count == 1 { String::new() } else { format!("[{count}]") };
        let _ = writeln!(text, ".fvec {name}{size}");
        for place in 0..count {
            let own = if count == 1 { name.clone() } else { format!("{name}[{place}]") };
            names.insert(('c', register + place), own);
        }
    }
    let bools = interface.flags.iter().map(|flag| ('b', flag.register, &flag.name));
    let ints = interface.counts.iter().map(|count| ('i', count.register, &count.name));
    for (bank, register, name) in bools.chain(ints) {
        let name = taken.name(name);
        let _ = writeln!(text, ".{} {name}", if bank == 'b' { "bool" } else { "ivec" });
        names.insert((bank, register), name);
    }
    // A host need not set what is always the same.
    for Count { register, node, start, step, .. } in &interface.counts {
        if let Some(rounds) = interface.host.constant(*node).and_then(Data::whole) {
            let _ = writeln!(text, ".seti i{register}({}, {start}, {step}, 0)", rounds.clamp(1, 256) - 1);
        }
    }
    Ok(())
}

/// The line of the source for each line of a program. A test of flags has the line of the
/// comparison, and a copy to an output that of the statement that stores it; MOVA has that of the
/// instruction after it, and what the host decides the line that computes it. Others have none.
fn own_lines(emitted: &Emitted, interface: &Interface) -> Vec<Option<u32>> {
    let line = |place: &Pc| u32::from(place.0);
    let texts: Vec<&str> = emitted.text.lines().collect();
    let all = texts.iter().enumerate().map(|(n, text)| {
        let (before, after) = emitted.places.split_at(n);
        let mut words = text.split_whitespace();
        match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
            _ if after.first().is_some_and(Option::is_some) => after.iter().flatten().next().map(line),
            ("mova", _) => after.iter().flatten().next().map(line),
            ("ifc" | "breakc" | "jmpc", _) => {
                let is_test = |text: &&str| text.trim_start().starts_with("cmp");
                texts[..n].iter().rposition(is_test).and_then(|cmp| before[cmp].as_ref()).map(line)
            }
            // The arms of a branch store for it.
            ("mov", to) if !text.starts_with("\t\t") => {
                output_register(to).and_then(|to| interface.outputs.get(to)?.line)
            }
            ("ifu" | "jmpu", bool) => {
                let is_it = |register: u8| bool.trim_matches(['!', ',']) == format!("b{register}");
                interface.flags.iter().find(|flag| is_it(flag.register)).and_then(|flag| flag.line)
            }
            ("for", int) => {
                let is_it = |register: u8| int == format!("i{register}");
                interface.counts.iter().find(|count| is_it(count.register)).and_then(|count| count.line)
            }
            _no_word_or_end => None,
        }
    });
    all.collect()
}

/// The number of the output register that a copy writes.
fn output_register(target: &str) -> Option<usize> {
    target.strip_prefix('o')?.split(['.', ',']).next()?.parse().ok()
}

/// The line of the source that an instruction is made for.
fn comment(instruction: &str, number: u32, source: &[&str]) -> Option<String> {
    let line = source.get((number as usize).checked_sub(1)?)?;
    let indent = &instruction[..instruction.len() - instruction.trim_start().len()];
    Some(format!("{indent}; {number}: {line}\n"))
}

/// Returns the number of temporaries that instructions name.
fn temporaries(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let numbers = words.filter_map(|word| word.strip_prefix('r')?.parse::<u8>().ok());
    numbers.collect::<BTreeSet<_>>().len()
}

/// Uniforms and values of the host, with their registers. Values that share a register have one
/// name.
fn floats(interface: &Interface) -> Vec<(u8, String, u8)> {
    let mut all: Vec<(u8, String, u8)> = Vec::new();
    for uniform in &interface.uniforms {
        let Some(register) = uniform.register else { continue };
        // Range: uniforms fit into 96 registers.
        all.push((register, uniform.name.clone(), uniform.layout.registers() as u8));
    }
    for derived in &interface.derived {
        let count: usize = derived.nodes.iter().map(|&node| interface.host.shape(node).registers()).sum();
        match all.iter_mut().find(|(register, ..)| *register == derived.register) {
            Some((_, name, own)) => {
                name.push('_');
                name.push_str(&derived.name);
                *own = (*own).max(count as u8);
            }
            None => all.push((derived.register, derived.name.clone(), count as u8)),
        }
    }
    all
}

/// Writes the declarations of an output, and returns its name.
fn outputs(text: &mut String, taken: &mut Taken, register: u8, output: &Output) -> String {
    let name = taken.name_with(&output.name, "out_");
    let semantic = Role::Semantic(output.semantic).name();
    let lanes = usize::from(output.lanes.clamp(1, 4));
    if output.semantic == Semantic::Texcoord0 && lanes == 3 {
        let depth = taken.name(&format!("{}Depth", output.name));
        let _ = writeln!(text, ".out {name} texcoord0 o{register}.xy\n.out {depth} texcoord0w o{register}.z");
    } else {
        let mask = if lanes == 4 { "" } else { [".x", ".xy", ".xyz"][lanes - 1] };
        let _ = writeln!(text, ".out {name} {semantic} o{register}{mask}");
    }
    name
}

/// A line with names in place of registers that have one.
fn named(line: &str, names: &Names) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        // A dot begins a directive or a swizzle.
        let word = &rest[..end.max(1)];
        rest = &rest[word.len()..];
        let mut letters = word.chars();
        let number = letters.next().zip(letters.as_str().parse().ok());
        let Some(name) = number.and_then(|register| names.get(&register)) else {
            text.push_str(word);
            continue;
        };
        // c8[a0.x] is bones[a0.x + 3], if it is the fourth register of bones.
        match (rest.strip_prefix('[').and_then(|rest| rest.split_once(']')), name.strip_suffix(']')) {
            (Some((index, after)), Some(place)) => {
                let sum = place.strip_suffix("[0").map(|name| format!("{name}[{index}]"));
                let sum = sum.or_else(|| Some(place.replacen('[', &format!("[{index} + "), 1) + "]"));
                text.push_str(&sum.unwrap_or_default());
                rest = after;
            }
            _direct => text.push_str(name),
        }
    }
    text.push_str(rest);
    text
}

/// Names of a text, each once.
#[derive(Default)]
struct Taken(Vec<String>);

impl Taken {
    /// Returns a name; if another bank has it, with a prefix.
    fn name_with(&mut self, of: &str, prefix: &str) -> String {
        if self.0.iter().any(|known| known == of) {
            self.name(&format!("{prefix}{of}"))
        } else {
            self.name(of)
        }
    }

    /// Returns a name for a name of the source: letters, digits and `_`, unlike a register.
    fn name(&mut self, of: &str) -> String {
        let plain: String = of.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut letters = plain.chars();
        let is_register = letters.next().is_none_or(|letter| "ovrcibacmp".contains(letter))
            && letters.next().is_none_or(|digit| digit.is_ascii_digit() || digit == 'L' || plain == "cmp");
        let plain = if is_register || plain.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
            format!("u_{plain}")
        } else {
            plain
        };
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut all = [plain.clone()].into_iter().chain(numbered);
        let name = all.find(|name| !self.0.contains(name)).unwrap_or(plain);
        self.0.push(name.clone());
        name
    }
}
