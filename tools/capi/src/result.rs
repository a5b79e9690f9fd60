//! Results: modules, texts, messages, and the interface of a program for the host.
//! In: a translated program or a problem. Out: [`TranspicaResult`], and structures that are filled
//! from it.

use std::ffi::c_char;
use std::ptr::null;

use transpica::geometry::GeometryKernel;
use transpica::host::{Interface, Location, Member, MemberType, Uniform, UniformBlock};
use transpica::settings::Reliance;
use transpica::{At, Translation, Warning};

use crate::boundary::{free, plain, shared, value};
use crate::chain::{Structure, TranspicaHead, fill, structures};
use crate::enums::{
    TranspicaBank, TranspicaCode, TranspicaDestination, TranspicaMemberType, TranspicaPlace, TranspicaStatus,
    TranspicaTarget, TranspicaTier,
};
use crate::memory::{Buffer, Memory};
use crate::problem::Problem;
use crate::settings::text;

/// Counts and sizes of a result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaFigures {
    /// TRANSPICA_TYPE_FIGURES
    pub head: TranspicaHead,
    /// A TranspicaTier.
    pub tier: u32,
    /// Number of errors.
    pub error_count: u32,
    /// Number of warnings.
    pub warning_count: u32,
    /// Number of attributes that the program reads.
    pub input_count: u32,
    /// Number of outputs.
    pub output_count: u32,
    /// Number of members of the uniform block, and of symbols that are names in a member.
    pub member_count: u32,
    /// Bytes of the bound uniform block, a multiple of 16; 0 if there is none.
    pub uniform_size: u32,
    /// Bytes up to the end of its last member, which must be filled.
    pub uniform_minimum: u32,
}

/// An error or a warning.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaMessage {
    /// TRANSPICA_TYPE_MESSAGE
    pub head: TranspicaHead,
    /// Description of the problem and its place; ends with a zero. Lives as long as the result.
    pub text: *const c_char,
    /// Bytes of the text, without the zero.
    pub text_length: usize,
    /// A TranspicaCode.
    pub code: u32,
    /// A TranspicaPlace: the unit of `at`.
    pub place: u32,
    /// Place: a byte offset in the file, or a code word.
    pub at: u32,
}

/// An attribute that a program reads.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaInput {
    /// TRANSPICA_TYPE_INPUT
    pub head: TranspicaHead,
    /// Its name; ends with a zero. Lives as long as the result.
    pub name: *const c_char,
    /// Bytes of the name, without the zero.
    pub name_length: usize,
    /// Its v register, 0 to 15.
    pub number: u32,
    /// Its location.
    pub location: u32,
}

/// An output of the vertex entry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaOutput {
    /// TRANSPICA_TYPE_OUTPUT
    pub head: TranspicaHead,
    /// Its name; ends with a zero. Lives as long as the result.
    pub name: *const c_char,
    /// Bytes of the name, without the zero.
    pub name_length: usize,
    /// A TranspicaDestination.
    pub destination: u32,
    /// The location of a varying.
    pub location: u32,
    /// Number of components.
    pub components: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// A member of the uniform block. After the members follow symbols without a member of their own:
/// their registers lie in a member that is an array, whose bytes they share.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaMember {
    /// TRANSPICA_TYPE_MEMBER
    pub head: TranspicaHead,
    /// Its name; ends with a zero. Lives as long as the result.
    pub name: *const c_char,
    /// Bytes of the name, without the zero.
    pub name_length: usize,
    /// A TranspicaBank.
    pub bank: u32,
    /// First register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// A TranspicaMemberType.
    pub r#type: u32,
    /// Byte offset in the block.
    pub offset: u32,
    /// Size in bytes.
    pub byte_count: u32,
}

structures! {
    TranspicaFigures => Figures,
    TranspicaMessage => Message,
    TranspicaInput => Input,
    TranspicaOutput => Output,
    TranspicaMember => Member,
}

/// Range of a text within the names.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    length: usize,
}

/// Texts, each terminated by a zero.
#[derive(Default)]
struct Names(Vec<u8>);

impl Names {
    fn add_all<'a>(&mut self, names: impl Iterator<Item = &'a String>) -> Vec<Span> {
        names.map(|name| self.add(name)).collect()
    }

    fn add(&mut self, text: &str) -> Span {
        let span = Span { start: self.0.len(), length: text.len() };
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        span
    }

    fn warnings(&mut self, warnings: &[Warning]) -> Vec<Message> {
        let message = |warning: &Warning| Message {
            text: self.add(&warning.to_string()),
            code: TranspicaCode::None,
            at: warning.at,
        };
        warnings.iter().map(message).collect()
    }
}

/// An error or a warning; its text is stored separately.
#[derive(Clone, Copy, Debug)]
struct Message {
    text: Span,
    code: TranspicaCode,
    at: At,
}

/// Result of a call: status, words, texts, messages, reflection. Does not change; any thread may
/// read it. Free it with transpica_result_free.
#[derive(Default)]
pub struct TranspicaResult {
    status: TranspicaStatus,
    words: Buffer<u32>,
    texts: Vec<(TranspicaTarget, Buffer<u8>)>,
    names: Buffer<u8>,
    errors: Vec<Message>,
    warnings: Vec<Message>,
    /// None without a program, whose interface is below: its names are stored separately, in the
    /// same order.
    tier: Option<TranspicaTier>,
    interface: Interface,
    inputs: Vec<Span>,
    outputs: Vec<Span>,
    /// Members of the uniform block, and after them the names within members.
    members: Vec<(Span, Member)>,
    relies_on: Reliance,
}

impl TranspicaResult {
    /// Builds the result of a problem.
    pub(crate) fn of_problem(problem: Problem, memory: Memory) -> Self {
        let Problem { mut status, mut code, at, text } = problem;
        let mut names = Names::default();
        let mut text = names.add(&text);
        let names = memory.keep(names.0).ok().filter(|_| status != TranspicaStatus::OutOfMemory);
        let names = names.unwrap_or_else(|| {
            (status, code) = (TranspicaStatus::OutOfMemory, TranspicaCode::OutOfMemory);
            let mut names = Names::default();
            text = names.add("the caller's allocator failed");
            Buffer::Own(names.0)
        });
        Self { errors: vec![Message { text, code, at }], status, names, ..Self::default() }
    }

    /// Builds the result of a check.
    pub(crate) fn of_warnings(warnings: &[Warning], memory: Memory) -> Result<Self, Problem> {
        let mut names = Names::default();
        let warnings = names.warnings(warnings);
        Ok(Self { warnings, names: memory.keep(names.0)?, ..Self::default() })
    }

    /// Builds the result of a translation.
    pub(crate) fn of_program(
        translated: Translation,
        words: Vec<u32>,
        texts: Vec<(TranspicaTarget, String)>,
        memory: Memory,
    ) -> Result<Self, Problem> {
        let Translation { interface, tier, warnings, relies_on, .. } = translated;
        let mut names = Names::default();
        let inputs = names.add_all(interface.attributes.iter().map(|input| &input.name));
        let outputs = names.add_all(interface.outputs.iter().map(|output| &output.name));
        let mut members = interface.block.uniforms();
        members.sort_by_key(|uniform| uniform.array.is_some());
        let members = members.into_iter().map(|Uniform { member, .. }| (names.add(&member.name), member));
        let members = members.collect();
        let warnings = names.warnings(&warnings);
        let ended = |text: String| {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            bytes
        };
        let texts = texts.into_iter().map(|(target, text)| Ok((target, memory.keep(ended(text))?)));
        Ok(Self {
            words: memory.keep(words)?,
            texts: texts.collect::<Result<_, Problem>>()?,
            warnings,
            tier: Some(tier.into()),
            interface,
            inputs,
            outputs,
            members,
            relies_on,
            status: TranspicaStatus::Ok,
            names: memory.keep(names.0)?,
            errors: Vec::new(),
        })
    }

    pub(crate) fn status(&self) -> TranspicaStatus {
        self.status
    }

    /// Returns the result, if it has a program.
    fn described(&self) -> Result<&Self, Problem> {
        let text = "the result has no program";
        let problem = || Problem::argument(TranspicaCode::NoProgram, text.to_owned());
        self.tier.map(|_| self).ok_or_else(problem)
    }

    /// Returns the uniform block of the program.
    pub(crate) fn block(&self) -> Result<&UniformBlock, Problem> {
        Ok(&self.described()?.interface.block)
    }

    /// Returns the promises that the program relies on.
    pub(crate) fn relies_on(&self) -> Result<&Reliance, Problem> {
        Ok(&self.described()?.relies_on)
    }

    /// Returns the needs of a geometry program in a compute stage.
    pub(crate) fn kernel(&self) -> Result<&GeometryKernel, Problem> {
        self.interface.kernel().ok_or_else(|| {
            let text = "the result is not from TRANSPICA_ENTRY_POINT_GEOMETRY".to_owned();
            Problem::argument(TranspicaCode::MisplacedType, text)
        })
    }

    fn text(&self, span: Span) -> *const c_char {
        self.names[span.start..].as_ptr().cast()
    }

    fn figures(&self, head: TranspicaHead) -> TranspicaFigures {
        let Self { interface: Interface { block, .. }, .. } = self;
        // Range: none of these lists has more than a few thousand entries.
        TranspicaFigures {
            head,
            tier: self.tier.unwrap_or(TranspicaTier::Structured) as u32,
            error_count: self.errors.len() as u32,
            warning_count: self.warnings.len() as u32,
            input_count: self.inputs.len() as u32,
            output_count: self.outputs.len() as u32,
            member_count: self.members.len() as u32,
            uniform_size: block.size,
            uniform_minimum: block.used(),
        }
    }

    fn message(&self, message: Message, head: TranspicaHead) -> TranspicaMessage {
        let (place, at) = match message.at {
            At::Whole => (TranspicaPlace::Whole, 0),
            At::Offset(offset) => (TranspicaPlace::ByteOffset, offset),
            At::Pc(pc) => (TranspicaPlace::CodeWord, u32::from(pc)),
        };
        let Message { text, code, .. } = message;
        TranspicaMessage {
            head,
            text: self.text(text),
            text_length: text.length,
            code: code as u32,
            place: place as u32,
            at,
        }
    }

    fn input(&self, index: usize, head: TranspicaHead) -> TranspicaInput {
        let (name, number) = (self.inputs[index], self.interface.attributes[index].register.into());
        TranspicaInput { head, name: self.text(name), name_length: name.length, number, location: number }
    }

    fn output(&self, index: usize, head: TranspicaHead) -> TranspicaOutput {
        let (name, output) = (self.outputs[index], &self.interface.outputs[index]);
        let (destination, location) = match output.location {
            Location::Position => (TranspicaDestination::Position, 0),
            Location::Varying(location) => (TranspicaDestination::Varying, location),
            Location::ClipDistances => (TranspicaDestination::ClipDistances, 0),
        };
        TranspicaOutput {
            head,
            name: self.text(name),
            name_length: name.length,
            destination: destination as u32,
            location,
            components: output.lanes() as u32, // Range: at most four.
            reserved: 0,
        }
    }

    fn member(&self, index: usize, head: TranspicaHead) -> TranspicaMember {
        let (name, member) = &self.members[index];
        let kind = match member.ty {
            MemberType::Vec4 | MemberType::Vec4Array(_) => TranspicaMemberType::FloatVectors,
            MemberType::IVec4 | MemberType::IVec4Array(_) => TranspicaMemberType::IntVectors,
            MemberType::PackedInts => TranspicaMemberType::PackedInts,
            MemberType::Bits => TranspicaMemberType::Bits,
        };
        TranspicaMember {
            head,
            name: self.text(*name),
            name_length: name.length,
            bank: TranspicaBank::from(member.bank) as u32,
            first: member.first.into(),
            count: member.count.into(),
            r#type: kind as u32,
            offset: member.offset,
            byte_count: member.ty.size(),
        }
    }
}

/// Fills a structure about an entry of a list of the result.
///
/// # Safety
/// `result` is NULL or a result; as for [`fill`].
unsafe fn entry<T: Structure>(
    result: *const TranspicaResult,
    index: usize,
    out: *mut T,
    count: fn(&TranspicaResult) -> usize,
    make: fn(&TranspicaResult, usize, TranspicaHead) -> T,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: guaranteed by the caller.
        let result = unsafe { shared(result, "result")? };
        let count = count(result);
        if index >= count {
            return Err(Problem::choice(format!("{} {index} does not exist; there are {count}", T::NAME)));
        }
        // SAFETY: guaranteed by the caller.
        unsafe { fill(out, |head| make(result, index, head)) }
    })
}

/// Returns the status of the call that made the result; TRANSPICA_STATUS_BAD_ARGUMENT for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_status(result: *const TranspicaResult) -> TranspicaStatus {
    // SAFETY: NULL or a result, as the caller guarantees; so in all functions below.
    unsafe { shared(result, "result") }.map_or(TranspicaStatus::BadArgument, TranspicaResult::status)
}

/// Returns the words of the SPIR-V module, and through `count` (unless NULL) their number. NULL if
/// there are none. They live as long as the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_words(
    result: *const TranspicaResult,
    count: *mut usize,
) -> *const u32 {
    value(null(), || {
        // SAFETY: as above.
        let words = unsafe { shared(result, "result") }.map_or(&[][..], |result| &result.words);
        if !count.is_null() {
            // SAFETY: not NULL, so a place for a number.
            unsafe { count.write(words.len()) };
        }
        Ok(if words.is_empty() { null() } else { words.as_ptr() })
    })
}

/// Returns a text of the result, which ends with a zero, and through `length` (unless NULL) its
/// bytes without the zero. `target` is one TranspicaTarget. NULL if there is none. It lives as long
/// as the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_text(
    result: *const TranspicaResult,
    target: u32,
    length: *mut usize,
) -> *const c_char {
    value(null(), || {
        // SAFETY: as above.
        let texts = unsafe { shared(result, "result") }.map_or(&[][..], |result| &result.texts);
        let text = texts.iter().find(|(which, _)| *which as u32 == target).map(|(_, text)| text);
        if !length.is_null() {
            // SAFETY: not NULL, so a place for a number. The zero does not count.
            unsafe { length.write(text.map_or(0, |text| text.len() - 1)) };
        }
        Ok(text.map_or(null(), |text| text.as_ptr().cast()))
    })
}

/// Fills `figures`, whose head has type and size. Works for results without a program, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_figures(
    result: *const TranspicaResult,
    figures: *mut TranspicaFigures,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: as above.
        let result = unsafe { shared(result, "result")? };
        // SAFETY: NULL or such a structure.
        unsafe { fill(figures, |head| result.figures(head)) }
    })
}

/// Fills `message` with error number `index`, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_error(
    result: *const TranspicaResult,
    index: usize,
    message: *mut TranspicaMessage,
) -> TranspicaStatus {
    // SAFETY: NULL or such a structure.
    unsafe {
        entry(result, index, message, |of| of.errors.len(), |of, n, head| of.message(of.errors[n], head))
    }
}

/// Fills `message` with warning number `index`, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_warning(
    result: *const TranspicaResult,
    index: usize,
    message: *mut TranspicaMessage,
) -> TranspicaStatus {
    // SAFETY: NULL or such a structure.
    unsafe {
        entry(result, index, message, |of| of.warnings.len(), |of, n, head| of.message(of.warnings[n], head))
    }
}

/// Fills `input` with attribute number `index` of those that the program reads, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_input(
    result: *const TranspicaResult,
    index: usize,
    input: *mut TranspicaInput,
) -> TranspicaStatus {
    // SAFETY: NULL or such a structure.
    unsafe { entry(result, index, input, |of| of.inputs.len(), TranspicaResult::input) }
}

/// Fills `output` with output number `index`, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_output(
    result: *const TranspicaResult,
    index: usize,
    output: *mut TranspicaOutput,
) -> TranspicaStatus {
    // SAFETY: NULL or such a structure.
    unsafe { entry(result, index, output, |of| of.outputs.len(), TranspicaResult::output) }
}

/// Fills `member` with member number `index` of the uniform block, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_member(
    result: *const TranspicaResult,
    index: usize,
    member: *mut TranspicaMember,
) -> TranspicaStatus {
    // SAFETY: NULL or such a structure.
    unsafe { entry(result, index, member, |of| of.members.len(), TranspicaResult::member) }
}

/// Fills `member` with the member or symbol of this name, which ends with a zero.
/// TRANSPICA_STATUS_BAD_ARGUMENT if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_member_named(
    result: *const TranspicaResult,
    name: *const c_char,
    member: *mut TranspicaMember,
) -> TranspicaStatus {
    let index = value(usize::MAX, || {
        // SAFETY: NULL or a result, and NULL or a text.
        let (result, name) = unsafe { (shared(result, "result")?, text(name, "name")?) };
        let is_it =
            |(span, _): &(Span, Member)| result.names[span.start..][..span.length] == *name.as_bytes();
        Ok(result.members.iter().position(is_it).unwrap_or(usize::MAX))
    });
    // SAFETY: guaranteed by the caller.
    unsafe { transpica_result_member(result, index, member) }
}

/// Frees a result and everything that it owns. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_free(result: *mut TranspicaResult) {
    // SAFETY: NULL or a result that is no longer used.
    unsafe { free(result) }
}
