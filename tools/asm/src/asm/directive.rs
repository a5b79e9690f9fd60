//! Directives except constants: blocks, names, uniforms, inputs, outputs, and the geometry mode.
//! In: their text. Out: names, exports and outputs of the executable. Knows no instruction.
//! Facts: picasso's manual and probes.

use super::executable::{Export, Stage};
use super::outline::SymbolKind;
use super::register::{FLOAT, Operand, Spelling, is_register_name, swizzle};
use super::report::{Fault, Parse, fault, hinted, invalid, quote};
use super::space::{Space, UniformKind};
use super::state::{Assembler, BlockKind, Uniform};
use super::{extension, habits, header, lex};
use crate::vertex::{DECLARATION, NUMBER_FORMATS, VertexFormat};
use crate::words::did_you_mean;
use transpica::container::OutputRecord;
use transpica::isa::sizes::{FLOATS, INPUTS, OUTPUTS};
use transpica::isa::{Index, Mask};

/// Maximum number of symbols of one executable.
const MAX_EXPORTS: usize = FLOATS;
/// Maximum number of outputs of one executable.
const MAX_OUTPUTS: usize = OUTPUTS;

/// Output types by name, with their codes in the output map.
pub(crate) const OUTPUT_TYPES: [(&str, u16); 16] = [
    ("position", 0),
    ("pos", 0),
    ("normalquat", 1),
    ("nquat", 1),
    ("color", 2),
    ("clr", 2),
    ("texcoord0", 3),
    ("tcoord0", 3),
    ("texcoord0w", 4),
    ("tcoord0w", 4),
    ("texcoord1", 5),
    ("tcoord1", 5),
    ("texcoord2", 6),
    ("tcoord2", 6),
    ("view", 8),
    ("dummy", DUMMY_OUTPUT),
];
/// The type of an output that only geometry programs read or pass on.
pub(crate) const DUMMY_OUTPUT: u16 = 9;

/// A directive of picasso, as help about it shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Its name without the dot.
    pub name: &'static str,
    /// Its operands; optional ones in brackets.
    pub form: &'static str,
    /// Its semantics.
    pub meaning: &'static str,
}

macro_rules! directives {
    ($($name:literal $form:literal $meaning:literal;)*) => {
        /// The directives of picasso.
        const DIRECTIVES: &[Directive] = &[$(Directive { name: $name, form: $form, meaning: $meaning }),*];
    };
}
directives! {
    "proc" "NAME" "begins a procedure, up to its `.end`";
    "else" "" "begins the else part of an `ifc` or `ifu` block";
    "end" "" "ends the innermost block; the instruction that ends the program is `end`";
    "alias" "NAME REGISTER" "gives a register a name, with sign, swizzle and offset";
    "fvec" "NAME[COUNT], …" "declares float uniforms, which the host sets; a name that begins with `_` is hidden from it";
    "ivec" "NAME, …" "declares int uniforms for `for`: iterations minus one, first aL, step of aL";
    "bool" "NAME, …" "declares bool uniforms for `ifu`, `callu` and `jmpu`";
    "constf" "NAME(X, Y, Z, W)" "declares a float constant, in the highest free c register";
    "consti" "NAME(X, Y, Z, W)" "declares an int constant, in the highest free i register";
    "constfa" "NAME[COUNT]" "begins an array of float constants: lines `.constfa (x, y, z, w)` up to `.end`";
    "setf" "REGISTER(X, Y, Z, W)" "sets a float uniform when the program is loaded";
    "seti" "REGISTER(X, Y, Z, W)" "sets an int uniform when the program is loaded";
    "setb" "REGISTER VALUE" "sets a bool uniform when the program is loaded: `true` or `false`";
    "in" "NAME [REGISTER]" "declares an input, by default in the next free v register";
    "out" "NAME TYPE[.MASK] [REGISTER]" "declares an output, by default in the next free o register";
    "entry" "NAME" "names the procedure at which the program begins; the default is `main`";
    "nodvle" "" "makes no program of this source: its procedures are for other sources";
    "gsh" "[MODE FIRST …]" "makes a geometry program: `point FIRST`, `variable FIRST COUNT`, `fixed FIRST START COUNT`";
}

/// Returns the directives of picasso.
pub const fn directives() -> &'static [Directive] {
    DIRECTIVES
}

/// Returns the types of outputs, which `.out` names; some have two names.
pub fn output_types() -> impl Iterator<Item = &'static str> {
    OUTPUT_TYPES.iter().map(|(name, _)| *name)
}

/// Returns whether this is the name of a directive, in lower case and without the dot.
pub(crate) fn is_directive(name: &str) -> bool {
    DIRECTIVES.iter().any(|directive| directive.name == name) || extension::DIRECTIVES.contains(&name)
}

fn output_type(name: &str) -> Option<u16> {
    OUTPUT_TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, code)| code)
}

/// Code of a register in the symbol table.
fn symbol_number(register: u32) -> u16 {
    // Range: numbers of registers end at 0x97. Inputs keep theirs, uniforms begin 16 lower.
    (if register < FLOAT { register } else { register - 0x10 }) as u16
}

/// Symbol of a name for registers.
fn symbol(name: &str, register: u32, count: u32) -> Export {
    let first = symbol_number(register);
    let last = symbol_number(register + count - 1);
    Export { name: name.replace('$', ".").into_bytes(), first, last }
}

impl<'a> Assembler<'a> {
    /// Executes a directive; `at` is its name with the dot.
    pub(super) fn directive(&mut self, at: &'a str, name: &str, rest: &'a str) -> Parse<'a, ()> {
        match name.to_ascii_lowercase().as_str() {
            "proc" => self.proc(rest),
            "else" => no_operands(rest).and_then(|()| self.else_part(at)),
            "end" => no_operands(rest).and_then(|()| self.close(at)),
            "alias" => self.alias(rest),
            "fvec" => self.uniforms(rest, UniformKind::Float),
            "ivec" => self.uniforms(rest, UniformKind::Int),
            "bool" => self.uniforms(rest, UniformKind::Bool),
            "constf" => self.constant(rest, UniformKind::Float, true),
            "consti" => self.constant(rest, UniformKind::Int, true),
            "constfa" => self.constfa(rest),
            "setf" => self.constant(rest, UniformKind::Float, false),
            "seti" => self.constant(rest, UniformKind::Int, false),
            "setb" => self.setb(rest),
            "in" => self.input(rest),
            "out" => self.output(rest),
            "entry" => self.entry(rest),
            "nodvle" => {
                self.executable().is_suppressed = true;
                no_operands(rest)
            }
            "gsh" => self.geometry(at, rest),
            lower if extension::DIRECTIVES.contains(&lower) => self.extension(at, lower, rest),
            lower => {
                let message = invalid("instruction", name);
                let known = || {
                    did_you_mean(lower, DIRECTIVES.iter().map(|known| known.name))
                        .map(|hint| hint.replacen('`', "`.", 1))
                };
                let hint = habits::statement(lower, "").map(str::to_owned).or_else(known);
                Err(Fault::new(at, message).optional_hint(hint))
            }
        }
    }

    fn proc(&mut self, text: &'a str) -> Parse<'a, ()> {
        let [name] = lex::exactly(text)?;
        if let Some(first) = self.procs.get(name).map(|proc| proc.site) {
            let hint = format!("the first one is at {}", self.messages.place_text(first));
            return hinted(name, format!("proc already exists: {}", quote(name)), hint);
        }
        let mut blocks = self.file.blocks.iter();
        if let Some(outer) =
            blocks.find(|block| matches!(block.kind, BlockKind::Proc { name: open, .. } if open == name))
        {
            let place = self.messages.place_text(outer.site);
            let hint = format!("rename one of them; the outer one is at {place}");
            self.messages.warn(
                name,
                "two procedures have this name; it refers to the inner one",
                Some(&hint),
            );
        }
        if !lex::is_name(name) {
            self.messages.warn(name, "nothing can refer to this name", Some(lex::NAME));
        }
        let start = self.code.len();
        self.file.repeated.remove("outside");
        self.note_code(name, SymbolKind::Procedure);
        self.open(name, BlockKind::Proc { name, start })
    }

    fn alias(&mut self, text: &'a str) -> Parse<'a, ()> {
        let [name, register] = lex::exactly(text)?;
        lex::check_name(name)?;
        if is_register_name(name) {
            let hint = "a name must not begin like a register: a letter of ovrcib and a digit";
            return hinted(name, format!("cannot redefine register: {}", quote(name)), hint);
        }
        let mut operand = Operand { count: None, ..self.direct(register)? };
        if operand.register > 0xFF {
            // picasso accepts any offset here. Its register numbers suggest that a name is one
            // integer, with the register in the low eight bits and sign and swizzle above; this was
            // not probed.
            operand.negate |= operand.register & 0x100 != 0;
            operand.swizzle.0 |= (operand.register >> 9 & 0xFF) as u8; // Range: the mask.
            operand.register &= 0xFF;
            let hint =
                "the offset is beyond all registers; the sign and swizzle of the name may be wrong, too";
            self.messages.warn(register, "only eight bits of the register number are used", Some(hint));
        }
        self.define(name, operand)
    }

    /// `.fvec`, `.ivec`, `.bool`
    fn uniforms(&mut self, text: &'a str, kind: UniformKind) -> Parse<'a, ()> {
        self.executable();
        for item in lex::operands(text) {
            let (name, count) = match item.split_once('[') {
                None => (item, 1),
                Some((name, size)) => {
                    let Some((number, behind)) = size.split_once(']') else {
                        return hinted(item, "missing ']'", "write `]` after the number");
                    };
                    self.check_number(number);
                    if !behind.is_empty() {
                        self.messages.warn(behind, "this is ignored", Some("separate names by commas"));
                    }
                    (name, lex::decimal(number))
                }
            };
            self.check_uniform_name(name)?;
            self.check_shadow(name);
            match u32::try_from(count) {
                Ok(count) if count > 0 => self.uniform(item, name, kind, count)?,
                _ => return fault(item, format!("invalid array size: {count}")),
            }
        }
        Ok(())
    }

    /// Checks the name of a uniform. It may be empty: nothing between two commas declares a uniform
    /// in picasso.
    fn check_uniform_name(&mut self, name: &'a str) -> Parse<'a, ()> {
        if name.is_empty() {
            let hint = "remove the comma, or name the uniform";
            self.messages.warn(name, "this uniform has no name", Some(hint));
            return Ok(());
        }
        lex::check_name(name).map_err(|fault| match habits::missing_comma(name) {
            Some(hint) => fault.hint(hint),
            None if lex::is_name(lex::trim(name)) => fault.hint("no space is allowed before the `[`"),
            None => fault,
        })
    }

    fn uniform(&mut self, at: &'a str, name: &'a str, kind: UniformKind, count: u32) -> Parse<'a, ()> {
        let declared = self.declared.get(name).copied().filter(|_| self.file.space.is_none());
        let register = match declared {
            Some(declared) if declared.kind != kind => {
                return fault(at, format!("mismatched uniform type: {}", quote(name)));
            }
            Some(declared) if declared.count != count => {
                let size = declared.count;
                let message = format!("uniform '{}' previously declared as having size {size}", quote(name));
                return fault(at, message);
            }
            Some(declared) => declared.first,
            None => {
                let Some(first) = self.space().uniform(kind, count) else {
                    return fault(at, format!("not enough uniform space: {}[{count}]", quote(name)));
                };
                if self.file.space.is_none() {
                    self.declared.insert(name, Uniform { kind, first, count });
                }
                first
            }
        };
        self.define(name, Operand::array(register, count))?;
        // A leading underscore hides the uniform from the host.
        if name.starts_with('_') {
            self.hide(name, register, count);
            return Ok(());
        }
        if self.file.space.is_none() {
            self.definitions.push(header::Definition { name, kind, first: register - kind.base(), count });
        }
        self.export(at, name, register, count)
    }

    /// Warns about a name that shadows a register.
    pub(super) fn check_shadow(&mut self, name: &'a str) {
        if is_register_name(name) {
            let hint = "choose a name that does not look like a register";
            self.messages.warn(name, "this name hides the register", Some(hint));
        }
    }

    /// Adds a symbol that the host can bind.
    fn export(&mut self, at: &'a str, name: &'a str, register: u32, count: u32) -> Parse<'a, ()> {
        let exports = &mut self.executable().exports;
        if exports.len() >= MAX_EXPORTS {
            return fault(at, format!("too many uniforms (limit is {MAX_EXPORTS})"));
        }
        exports.push(symbol(name, register, count));
        Ok(())
    }

    /// Notes a name of registers that the file does not have.
    pub(super) fn hide(&mut self, name: &'a str, register: u32, count: u32) {
        self.executable().hidden.push(symbol(name, register, count));
    }

    /// `.in NAME [REG]`
    fn input(&mut self, text: &'a str) -> Parse<'a, ()> {
        let words: Vec<_> = lex::words(text).collect();
        lex::count(text, &words, 1, 2)?;
        let name = words[0];
        lex::check_name(name)?;
        let used = self.executable().header.input_mask;
        let number = match words.get(1) {
            Some(register) => self.bank(register, 0, INPUTS)?,
            None => used.trailing_ones(),
        };
        if number >= 16 {
            return fault(name, "too many inputs");
        }
        self.check_shadow(name);
        self.executable().header.input_mask |= 1 << number;
        self.define(name, Operand { spelling: Spelling::Input, ..Operand::plain(number) })?;
        self.export(text, name, number, 1)
    }

    /// `@format NUMBER COUNT` in the comment beside `.in`: the format of the attribute in vertex
    /// buffers. Text before and after it is between other `;`.
    pub(super) fn vertex_format(&mut self, line: &'a str) -> Parse<'a, ()> {
        let mut parts = line.split(';').skip(1).map(lex::trim);
        let Some(text) = parts.find(|part| part.starts_with('@')) else { return Ok(()) };
        let (word, rest) = lex::first_word(text);
        let mut statement = lex::words(self.messages.statement);
        let is_input = statement.next().is_some_and(|directive| directive.eq_ignore_ascii_case(".in"));
        let name = statement.next().filter(|_| is_input);
        let input = name.and_then(|name| self.file.names.get_key_value(name));
        let (Some((&name, operand)), DECLARATION) = (input, word) else {
            let hint = match input {
                Some(_) => self.messages.suggest(word, [DECLARATION]),
                None => (word == DECLARATION).then(|| "write it in the comment of an `.in`".to_owned()),
            };
            if hint.is_some() {
                self.messages.warn(word, "this declares no format", hint.as_deref());
            }
            return Ok(());
        };
        let form = "declare `@format NUMBER COUNT`, as `@format ubyte 4`; another `;` ends it";
        let [number, count] = lex::exactly(rest).map_err(|fault| fault.hint(form))?;
        let Some(number) = NUMBER_FORMATS.iter().find(|known| known.name == number) else {
            let names = NUMBER_FORMATS.map(|known| known.name);
            let hint = self.messages.suggest(number, names);
            let hint = hint.unwrap_or_else(|| format!("formats: {}", names.join(", ")));
            return hinted(number, invalid("number format", number), hint);
        };
        let Some(components) = (1..=4).find(|known| known.to_string() == count) else {
            return hinted(count, invalid("number of components", count), "an attribute has 1 to 4");
        };
        let register = operand.register as u8; // Range: an input.
        let format = VertexFormat { name: name.to_owned(), register, number, components };
        self.executable().formats.push(format);
        if self.file.is_geometry() {
            let hint = "declare it in the vertex program before it";
            self.messages.warn(text, "a geometry program has no vertex buffer", Some(hint));
        }
        Ok(())
    }

    /// `.out NAME TYPE[.mask] [REG[.mask]]`; `-` is not a name.
    fn output(&mut self, text: &'a str) -> Parse<'a, ()> {
        let words: Vec<_> = lex::words(text).collect();
        lex::count(text, &words, 2, 3)?;
        let (name, mut kind_text) = (words[0], words[1]);
        if name != "-" {
            lex::check_name(name)?;
        }
        let (number, mask) = match words.get(2) {
            Some(register) => self.explicit_output(register)?,
            None => {
                let mask = match kind_text.split_once('.') {
                    None => Mask::XYZW,
                    Some((kind, letters)) => {
                        kind_text = kind;
                        self.mask(letters, swizzle(letters)?)
                    }
                };
                (self.next_output(name)?, mask)
            }
        };
        let Some(kind) = output_type(kind_text) else {
            let names = OUTPUT_TYPES.iter().map(|(name, _)| *name);
            let hint = match kind_text.split_once('.') {
                Some((kind, _)) if output_type(kind).is_some() => "put the mask on the register".into(),
                _ => did_you_mean(kind_text, names.clone())
                    .unwrap_or_else(|| format!("types: {}", names.collect::<Vec<_>>().join(", "))),
            };
            return hinted(kind_text, invalid("output type", kind_text), hint);
        };
        if number >= 7 && kind != DUMMY_OUTPUT {
            let hint = "the rasterizer reads o0 to o6";
            return hinted(text, format!("this register (o{number}) can only be a dummy output"), hint);
        }
        self.add_output(text, kind, number, mask)?;
        if name == "-" {
            return Ok(());
        }
        self.check_shadow(name);
        self.define(name, Operand { spelling: Spelling::Output, ..Operand::plain(number) })
    }

    /// Reads an explicit output register.
    fn explicit_output(&mut self, text: &'a str) -> Parse<'a, (u32, Mask)> {
        let operand = self.operand(text)?;
        if operand.register >= 16 || operand.index != Index::None {
            return fault(text, invalid("output register", text));
        }
        let mask = self.mask(text, operand.swizzle);
        // picasso keeps 32 bits for 64 components; o8 and above wrap around to o0.
        if self.executable().used_components & component_bits(operand.register, mask) != 0 {
            let hint =
                "o8 and above collide with o0 and above; leave out the register to get the next free one";
            let hint =
                if operand.register >= 8 { hint } else { "each component of a register has one meaning" };
            return hinted(text, "this output collides with another one previously defined", hint);
        }
        Ok((operand.register, mask))
    }

    /// The lowest unused output register.
    fn next_output(&mut self, at: &'a str) -> Parse<'a, u32> {
        let most = if self.file.is_geometry() { 7 } else { 16 };
        match self.executable().header.output_mask.trailing_ones() {
            number if number < most => Ok(number),
            _ => fault(at, "too many outputs"),
        }
    }

    fn add_output(&mut self, at: &'a str, kind: u16, number: u32, mask: Mask) -> Parse<'a, ()> {
        let executable = self.executable();
        if executable.outputs.len() >= MAX_OUTPUTS {
            return fault(at, "too many outputs");
        }
        executable.used_components |= component_bits(number, mask);
        executable.header.output_mask |= 1 << number;
        executable.header.flags |= u8::from(kind == DUMMY_OUTPUT && executable.stage == Stage::Geometry);
        // Range: below 16.
        executable.outputs.push(OutputRecord {
            kind,
            register: number as u16,
            mask: mask.0.into(),
            reserved: 0,
        });
        Ok(())
    }

    fn entry(&mut self, text: &'a str) -> Parse<'a, ()> {
        let [name] = lex::exactly(text)?;
        lex::check_name(name)?;
        let site = self.messages.site(name);
        let executable = self.executable();
        (executable.entry, executable.site, executable.is_entry_named) = (name, site, true);
        Ok(())
    }

    /// `.gsh [point FIRST | variable FIRST N | fixed FIRST START N]`. Without operands it may be
    /// anywhere, repeatedly.
    fn geometry(&mut self, at: &'a str, text: &'a str) -> Parse<'a, ()> {
        let executable = self.executable();
        let words: Vec<_> = lex::words(text).collect();
        let Some(&mode) = words.first() else {
            if executable.stage == Stage::Vertex {
                executable.stage = Stage::LegacyGeometry;
            }
            return Ok(());
        };
        if executable.stage != Stage::Vertex {
            return fault(at, ".gsh had already been used");
        }
        if !executable.constants.is_empty()
            || !executable.exports.is_empty()
            || !executable.outputs.is_empty()
        {
            let hint = "move it to the top of the file";
            let message = ".gsh must be used before any constant, uniform or output is declared";
            return hinted(at, message, hint);
        }
        let (code, operands) = match mode.to_ascii_lowercase().as_str() {
            "point" => (0, 1),
            "variable" | "subdivision" => (1, 2),
            "fixed" | "particle" => (2, 3),
            _ => {
                let hint = "modes: point, variable, fixed";
                return hinted(mode, format!("unknown geometry shader operation mode: {mode}"), hint);
            }
        };
        lex::count(text, &words, operands + 1, operands + 1)?;
        let first = self.bank(words[1], FLOAT, FLOATS)?;
        let mut header = self.executable().header;
        header.geometry_mode = code;
        match code {
            1 => header.geometry_main_vertices = self.vertex_count(words[2])?,
            2 => {
                let start = self.bank(words[2], FLOAT, FLOATS)?;
                if start >= first {
                    return fault(words[2], "the vertices must begin before the first uniform");
                }
                header.geometry_start = start as u8; // Range: the bank's size.
                header.geometry_fixed_vertices = self.vertex_count(words[3])?;
            }
            _ => {}
        }
        (self.executable().stage, self.executable().header) = (Stage::Geometry, header);
        self.file.space = Some(Space::geometry(first));
        Ok(())
    }

    fn vertex_count(&mut self, text: &'a str) -> Parse<'a, u8> {
        self.check_integer(text, text);
        let count = lex::integer(text).and_then(|count| u8::try_from(count.value).ok());
        count.map_or_else(|| fault(text, format!("value out of range (0..255): {}", quote(text))), Ok)
    }
}

fn no_operands(rest: &str) -> Parse<'_, ()> {
    if rest.is_empty() { Ok(()) } else { fault(rest, "too many parameters") }
}

/// Bits of an output's components in picasso's mask of 32.
fn component_bits(register: u32, mask: Mask) -> u32 {
    u32::from(mask.0) << (register * 4 % 32)
}
