//! Debug information of the main function: lines, and the registers as variables.
//! In: the words of the function, those that evaluate each value, and the source of the program.
//! Out: the same words in the same order with instructions between them that change no result.
//! Knows no operation.
//! Facts: NonSemantic.Shader.DebugInfo.100 and SPIR-V 3.42.4 (debug instructions). Literals of the
//! set are ids of constants. A scope and a line end with their block. naga's reader accepts the set
//! and `OpLine` in blocks, but no `OpLine` before a function and no `OpSourceContinued`
//! (drivers.md#naga-debug).
//!
//! All new ids come last: a module without what has them, and without `OpLine`, is word for word
//! the module without debug information.

use ::spirv::{Op, SourceLanguage, Word};

use super::function::State;
use super::writer::{Section, Writer, cut};
use crate::backend::interface::{BackendInput, ENTRY_NAME};
use crate::error::{At, Result};
use crate::host::debug_source::DebugSource;
use crate::ir::places::Places;
use crate::ir::{Def, Func, HintRegister, ScalarKind, Type, Value};
use crate::limits;
use crate::support::entity::Handle;

/// Name of the set of instructions.
pub(super) const SET: &str = "NonSemantic.Shader.DebugInfo.100";
/// Maximum bytes of a string, well below the longest instruction.
const STRING_BYTES: usize = 0x3_0000;
/// Version of the set, then of DWARF, as glslang writes them.
const VERSIONS: [u32; 2] = [1, 4];
/// Encoding of a float.
const FLOAT: u32 = 3;
/// Public: flag of the function and of its type.
const PUBLIC: u32 = 3;
/// Flag of local variables.
const LOCAL: u32 = 4;

/// An instruction of the set.
#[derive(Clone, Copy)]
enum Info {
    CompilationUnit = 1,
    TypeBasic = 2,
    TypeVector = 6,
    TypeFunction = 8,
    Function = 20,
    Scope = 23,
    LocalVariable = 26,
    Value = 29,
    Expression = 31,
    Source = 35,
    FunctionDefinition = 101,
    SourceContinued = 102,
    Line = 103,
}

/// Returns the source of the program, if its module has debug information.
pub(super) fn source<'a>(input: &BackendInput<'a>) -> Option<&'a DebugSource> {
    input.debug_source.filter(|_| input.profile.debug_info)
}

/// Adds debug information to the main function, which starts at this word of the code and is the
/// last one, and moves its trace along. Returns the import of the set; 0 without debug information.
pub(super) fn add(
    w: &mut Writer,
    state: &mut State,
    input: &BackendInput<'_>,
    start: usize,
    main: Word,
) -> Result<Word> {
    let (Some(source), Some(trace)) = (source(input), &mut state.trace) else { return Ok(0) };
    let words = w.len() + (source.name.len() + source.text.len()) / 4;
    limits::check("output_words", words, input.limits.output_words, At::Whole)?;
    let func = &input.module.main;
    let origins = Origins { source, func, places: Places::new(func) };
    let first = trace.iter().find_map(|(_, value)| origins.line(*value)).unwrap_or(0);
    let code = w.section(Section::Code).split_off(start);
    let globals = Globals::declare(w, source, first);
    let mut annotator = Annotator::new(w, globals, func, &state.ids, main);
    let mut done = 0;
    for (range, value) in trace {
        annotator.copy(&code[done..range.start - start]);
        let own = &code[range.start - start..range.end - start];
        done = range.end - start;
        if !own.is_empty() || register(func, *value).is_some() {
            annotator.inside = origins.line(*value);
        }
        annotator.begin();
        let first = annotator.w.section(Section::Code).len();
        annotator.copy(own);
        *range = first..annotator.w.section(Section::Code).len();
        annotator.assign(*value);
        annotator.inside = None;
    }
    annotator.copy(&code[done..]);
    Ok(annotator.globals.set)
}

/// Lines of values.
struct Origins<'a> {
    source: &'a DebugSource,
    func: &'a Func,
    places: Places,
}

impl Origins<'_> {
    /// Returns the line of the first instruction that a value belongs to, or the line of its own
    /// one if it was merged with others.
    fn line(&self, value: Value) -> Option<u32> {
        let places = self.places.get(value);
        let own = self.func.place(value).and_then(|place| place.pc).filter(|pc| places.contains(pc));
        own.iter().chain(places).find_map(|&pc| self.source.line(pc))
    }
}

/// Returns the index of the register that a value is written to, r0..r15 then o0..o15.
fn register(func: &Func, value: Value) -> Option<usize> {
    let data = &func.values[value];
    let (first, number) = match data.hint.register {
        HintRegister::Temp(number) => (0, number),
        HintRegister::Output(number) => (16, number),
        _no_vector => return None,
    };
    (number < 16 && data.ty.kind == ScalarKind::F32).then(|| first + usize::from(number))
}

/// Returns the registers that phis may join, by id. Results that all branches agree on have the id
/// of another value, so the first value of an id is its phi.
fn joins(func: &Func, ids: &[Word]) -> Vec<(Word, Value)> {
    let is_join = |value: &Value| matches!(func.values[*value].def, Def::Param | Def::Result);
    let values = func.values.keys().filter(is_join).filter(|&value| register(func, value).is_some());
    let mut joins: Vec<_> = values.map(|value| (ids[value.index()], value)).collect();
    joins.sort_unstable();
    joins.dedup_by_key(|(id, _)| *id);
    joins
}

/// Global instructions.
struct Globals {
    /// The import of the set.
    set: Word,
    void: Word,
    /// Name of the file.
    file: Word,
    source: Word,
    function: Word,
    /// Id of the function's line.
    line: Word,
    expression: Word,
    /// Type of registers.
    vector: Word,
}

impl Globals {
    /// Writes the strings, the source, and what is the same for all registers.
    fn declare(w: &mut Writer, source: &DebugSource, line: u32) -> Self {
        let (set, void) = (w.id(), w.void());
        let info =
            |w: &mut Writer, info, operands: &[Word]| w.info(Section::Globals, [void, set], info, operands);
        let file = w.text(&source.name);
        // Language 0 with version 0: unknown.
        let language = SourceLanguage::Unknown as Word;
        w.append(Section::Strings, Op::Source, [language, 0, file]);
        let mut pieces = pieces(&source.text).map(|piece| w.text(piece)).collect::<Vec<_>>().into_iter();
        let text = pieces.next().unwrap_or(file);
        let source = info(w, Info::Source, &[file, text]);
        for piece in pieces {
            info(w, Info::SourceContinued, &[piece]);
        }
        let [version, dwarf, language] =
            [VERSIONS[0], VERSIONS[1], language].map(|number| w.unsigned(number));
        let unit = info(w, Info::CompilationUnit, &[version, dwarf, source, language]);
        let [public, line, zero, four] = [PUBLIC, line, 0, 4].map(|number| w.unsigned(number));
        let function_type = info(w, Info::TypeFunction, &[public, void]);
        let name = w.text(ENTRY_NAME);
        let operands = [name, function_type, source, line, zero, unit, name, public, line];
        let function = info(w, Info::Function, &operands);
        let (name, [size, encoding]) = (w.text("float"), [32, FLOAT].map(|number| w.unsigned(number)));
        let float = info(w, Info::TypeBasic, &[name, size, encoding, zero]);
        let vector = info(w, Info::TypeVector, &[float, four]);
        let expression = info(w, Info::Expression, &[]);
        Self { set, void, file, source, function, line, expression, vector }
    }
}

/// Returns the pieces of a text that fit strings; at least one. It ends before the first NUL.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split('\0').next().unwrap_or_default();
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let (piece, after) = text.split_at(cut(text, STRING_BYTES).len());
        rest = Some(after).filter(|after| !after.is_empty());
        Some(piece)
    })
}

impl Writer {
    /// Appends a string.
    fn text(&mut self, text: &str) -> Word {
        let id = self.id();
        self.put_string(Section::Strings, Op::String, &[id], cut(text, STRING_BYTES), &[]);
        id
    }
    /// Appends an instruction of the set, whose import follows the type `void`.
    fn info(&mut self, section: Section, [void, set]: [Word; 2], info: Info, operands: &[Word]) -> Word {
        let id = self.id();
        self.put_list(section, Op::ExtInst, &[void, id, set, info as Word], operands);
        id
    }
}

/// Copies the words of the function, with debug instructions between them.
struct Annotator<'a> {
    w: &'a mut Writer,
    globals: Globals,
    func: &'a Func,
    /// Id of each value.
    ids: &'a [Word],
    /// See [`joins`].
    joins: Vec<(Word, Value)>,
    /// The function, until its definition is written.
    main: Option<Word>,
    /// Variable of each register; 0 before the first use.
    locals: [Word; 32],
    /// Line of the block so far.
    line: Option<u32>,
    /// Line of the value that is being copied.
    inside: Option<u32>,
    /// A label was copied, and nothing but variables and phis since.
    is_head: bool,
    /// Registers that these phis join.
    phis: Vec<Value>,
}

impl<'a> Annotator<'a> {
    fn new(w: &'a mut Writer, globals: Globals, func: &'a Func, ids: &'a [Word], main: Word) -> Self {
        let (joins, phis) = (joins(func, ids), Vec::new());
        let (main, locals) = (Some(main), [0; 32]);
        Self { w, globals, func, ids, joins, main, locals, line: None, inside: None, is_head: false, phis }
    }

    /// Appends an instruction of the set to the function.
    fn info(&mut self, info: Info, operands: &[Word]) {
        self.w.info(Section::Code, [self.globals.void, self.globals.set], info, operands);
    }

    /// Copies instructions.
    fn copy(&mut self, words: &[Word]) {
        let mut rest = words;
        while let Some(&head) = rest.first() {
            let length = ((head >> 16) as usize).clamp(1, rest.len());
            let (instruction, after) = rest.split_at(length);
            rest = after;
            let is = |op: Op| head & 0xFFFF == op as Word;
            if !is(Op::Phi) && !is(Op::Variable) {
                self.begin();
            }
            if is(Op::Phi)
                && let Ok(found) = self.joins.binary_search_by_key(&instruction[2], |(id, _)| *id)
            {
                self.phis.push(self.joins[found].1);
            }
            self.w.section(Section::Code).extend_from_slice(instruction);
            if is(Op::Label) {
                (self.is_head, self.line) = (true, None);
            }
        }
    }

    /// Writes the scope of a block after its head, and any new line.
    fn begin(&mut self) {
        if std::mem::take(&mut self.is_head) {
            let function = self.globals.function;
            if let Some(main) = self.main.take() {
                self.info(Info::FunctionDefinition, &[function, main]);
            }
            self.info(Info::Scope, &[function]);
            for value in std::mem::take(&mut self.phis) {
                self.assign(value);
            }
        }
        if let Some(line) = self.inside
            && self.line != self.inside
        {
            self.line = self.inside;
            self.w.effect(Op::Line, &[self.globals.file, line, 0]);
            let (line, zero) = (self.w.unsigned(line), self.w.unsigned(0));
            self.info(Info::Line, &[self.globals.source, line, line, zero, zero]);
        }
    }

    /// Assigns a value to its register, if it has one.
    fn assign(&mut self, value: Value) {
        let Some(register) = register(self.func, value) else { return };
        let (data, id) = (&self.func.values[value], self.ids[value.index()]);
        let (local, expression) = (self.local(register), self.globals.expression);
        let (mask, lanes) = (data.hint.mask, u32::from(data.ty.lanes));
        if mask == 0xF && lanes == 4 {
            return self.info(Info::Value, &[local, id, expression]);
        }
        // A scalar goes to all components of the mask.
        if lanes != 1 && lanes != mask.count_ones() {
            return;
        }
        let components = (0..4).filter(|component| mask >> component & 1 != 0);
        for (lane, component) in (0..).zip(components) {
            let part = if lanes == 1 {
                id
            } else {
                let float = self.w.ty(Type::F32);
                self.w.value(Op::CompositeExtract, float, &[id, lane])
            };
            let component = self.w.unsigned(component);
            self.info(Info::Value, &[local, part, expression, component]);
        }
    }

    /// Returns the variable of a register.
    fn local(&mut self, register: usize) -> Word {
        if self.locals[register] == 0 {
            let letter = if register < 16 { 'r' } else { 'o' };
            let name = self.w.text(&format!("{letter}{}", register % 16));
            let Globals { set, void, vector, source, line, function, .. } = self.globals;
            let (zero, flags) = (self.w.unsigned(0), self.w.unsigned(LOCAL));
            let operands = [name, vector, source, line, zero, function, flags];
            self.locals[register] =
                self.w.info(Section::Globals, [void, set], Info::LocalVariable, &operands);
        }
        self.locals[register]
    }
}
