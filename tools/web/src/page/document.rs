//! The open document: a file with its programs, and its text.
//! In: bytes of any kind, or text. Out: [`Document`], whose bytes are always a file that parses, or
//! empty. A text with errors leaves the file of the last good one.

use super::cfg::reach::reach;
use serde::Serialize;
use transpica::container::{Model, ShaderType, write};
use transpica::host::dvle;
use transpica::host::registers::number;
use transpica::isa::Pc;
use transpica::{Limits, RegisterState, Shbin, Stage};
use transpica_asm::dis::{DisassemblerOptions, disassemble};
use transpica_asm::lint::{Finding, lint};
use transpica_asm::{Assembled, SourceText, assemble};
use transpica_containers::shbin::{Words, model_of_words};
use transpica_inspect::json::ProgramName;

use super::found::{self, FoundShader};
use super::problem::{Problem, Severity};

/// Largest text, in bytes.
pub const MOST_TEXT: usize = 1 << 20;

/// Largest file, in bytes.
pub const MOST_BYTES: usize = 64 << 20;

/// Largest number of code words of a file of words.
const MOST_WORDS: usize = 4096;

/// Kind of an opened file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A `.shbin` file.
    #[default]
    Shbin,
    /// Any file with shaders inside.
    Container,
    /// Assembler text.
    Source,
    /// Bare code words.
    Words,
}

/// A program of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramHead {
    index: usize,
    stage: &'static str,
    name: String,
    /// Address of the first instruction.
    entry: u16,
    /// Number of reachable instructions.
    instructions: usize,
    /// First address after all of them.
    end: usize,
}

/// A document. Serialized, it is the answer about it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// Its name.
    pub name: String,
    kind: Kind,
    /// Shaders of a container.
    pub found: Vec<FoundShader>,
    source: String,
    /// For each line of the source, from 0, the address of its instruction, or -1.
    #[serde(rename = "sourcePlaces")]
    pub places: Vec<i32>,
    programs: Vec<ProgramHead>,
    /// Number of the selected program.
    pub selected: usize,
    problems: Vec<Problem>,
    /// A `.shbin` file; empty before the first good text. The answer has its size.
    #[serde(serialize_with = "found::length")]
    pub bytes: Vec<u8>,
    /// Its content with the names of the text.
    #[serde(skip)]
    pub named: Option<Model>,
    /// Names that its text gives the registers that code words write.
    #[serde(skip)]
    pub destinations: Vec<String>,
}

impl Document {
    /// Opens a file.
    ///
    /// # Errors
    /// A file without a program, or one that is too large.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.len() > MOST_BYTES {
            return Err(Problem::error(format!("larger than {} MiB", MOST_BYTES >> 20)));
        }
        if bytes.starts_with(b"DVLB") && found::is_alone(bytes) {
            return Self::of_file(name, Kind::Shbin, bytes.to_vec());
        }
        if let Some(text) = text(bytes) {
            return match words_of_text(text) {
                Some((code, descriptors)) => Self::of_words(name, &code, &descriptors),
                // A text with errors has no program.
                None => {
                    let mut document = Self { name: name.to_owned(), kind: Kind::Source, ..Self::default() };
                    document.edit(text)?;
                    Ok(document)
                }
            };
        }
        let (found, problems) = found::scan(bytes);
        if let Some(first) = found.first() {
            let mut document = Self::of_file(name, Kind::Container, first.bytes.clone())?;
            document.problems.extend(problems);
            document.found = found;
            return Ok(document);
        }
        if bytes.starts_with(b"DVLB") {
            // The error says what is wrong with the file.
            return Self::of_file(name, Kind::Shbin, bytes.to_vec());
        }
        let (words, rest) = bytes.as_chunks::<4>();
        if !words.is_empty() && rest.is_empty() && words.len() <= MOST_WORDS {
            let words: Vec<u32> = words.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
            return Self::of_words(name, &words, &[]);
        }
        Err(Problem::error("no shader found")
            .hint("encrypted data and unknown compression cannot be searched"))
    }

    /// Opens one of the shaders inside this container.
    ///
    /// # Errors
    /// No such shader.
    pub fn open_found(&self, number: usize) -> Result<Self, Problem> {
        let missing = || Problem::error(format!("the file has no shader {number}"));
        let one = self.found.get(number).ok_or_else(missing)?;
        let mut document = Self::of_file(&self.name, Kind::Container, one.bytes.clone())?;
        document.found.clone_from(&self.found);
        Ok(document)
    }

    /// Opens a `.shbin` file.
    fn of_file(name: &str, kind: Kind, bytes: Vec<u8>) -> Result<Self, Problem> {
        let file = Shbin::parse(&bytes)?;
        let source = disassemble(&file, &DisassemblerOptions::default());
        let mut problems: Vec<Problem> = file.warnings().iter().map(Problem::of_warning).collect();
        let source = source.unwrap_or_else(|error| {
            problems.push((&error).into());
            String::new()
        });
        // The text has the same code words.
        let assembled = assembled(&source);
        let places = assembled.as_ref().map(|assembled| places(&sources("", &source), assembled));
        let places = places.unwrap_or_default();
        let named = assembled.map(|assembled| assembled.named);
        let name = name.to_owned();
        let mut document = Self { name, kind, source, places, problems, bytes, named, ..Self::default() };
        document.read_programs();
        Ok(document)
    }

    /// Opens bare words.
    fn of_words(name: &str, code: &[u32], descriptors: &[u32]) -> Result<Self, Problem> {
        let mut state = RegisterState::default();
        state.write(number::vertex::OUTPUT_MASK, 1);
        state.write(number::OUTMAP_TOTAL, 1);
        state.write(number::OUTMAP, 0x0302_0100);
        let model = model_of_words(&state, Stage::Vertex, Words { code, descriptors, entry: Pc(0) });
        let mut document = Self::of_file(name, Kind::Words, write(&model))?;
        if descriptors.is_empty() {
            let note = Problem::new(Severity::Note, "the words have no operand descriptors");
            let hint = "enter hexadecimal words, a line `descriptors`, and the words of those";
            document.problems.insert(0, note.hint(hint));
        }
        Ok(document)
    }

    /// Replaces the text, which may hold several [`sources`]; returns whether the file or a name in
    /// its texts is a new one.
    ///
    /// # Errors
    /// A text that is too long: nothing changes.
    pub fn edit(&mut self, text: &str) -> Result<bool, Problem> {
        if text.len() > MOST_TEXT {
            let message = format!("the text has {} bytes; the maximum is {MOST_TEXT}", text.len());
            return Err(Problem::error(message).hint("a program has at most 4096 instructions"));
        }
        text.clone_into(&mut self.source);
        let sources = sources(&self.name, text);
        let texts: Vec<_> =
            sources.iter().map(|&Part { name, text, .. }| SourceText { name, text }).collect();
        let assembled = match assemble(&texts) {
            Ok(assembled) => assembled,
            Err(report) => {
                self.problems = Problem::of_report(&report, &sources);
                self.places = vec![-1; text.lines().count()];
                return Ok(false);
            }
        };
        self.places = places(&sources, &assembled);
        let warnings = assembled.warnings.iter();
        self.problems =
            warnings.map(|warning| Problem::of_diagnostic(Severity::Warning, warning, &sources)).collect();
        let is_new = self.bytes != assembled.bytes || self.destinations != assembled.destinations;
        self.bytes = assembled.bytes;
        self.named = Some(assembled.named);
        self.destinations = assembled.destinations;
        self.read_programs();
        Ok(is_new)
    }

    /// Selects the first program of a stage, if there is one.
    pub fn select_stage(&mut self, stage: Stage) {
        let name = if stage == Stage::Geometry { "geometry" } else { "vertex" };
        let found = self.programs.iter().find(|program| program.stage == name);
        self.selected = found.map_or(self.selected, |program| program.index);
    }

    /// Selects a program.
    ///
    /// # Errors
    /// No such program.
    pub fn select(&mut self, index: usize) -> Result<(), Problem> {
        let is_there = self.programs.iter().any(|program| program.index == index);
        is_there
            .then(|| self.selected = index)
            .ok_or_else(|| Problem::error(format!("the file has no program {index}")))
    }

    /// Lists the programs of the file and the findings about them.
    fn read_programs(&mut self) {
        self.programs.clear();
        let Ok(file) = Shbin::parse(&self.bytes) else { return };
        let mut problems = Vec::new();
        for index in 0..file.executables.len() {
            match head(&file, index) {
                Ok((head, found)) => {
                    self.programs.push(head);
                    problems.extend(found.iter().map(|finding| finding_problem(finding, &self.places)));
                }
                Err(error) => problems.push(error),
            }
        }
        problems.dedup();
        self.problems.extend(problems);
        if self.select(self.selected).is_err() {
            self.selected = self.programs.first().map_or(0, |program| program.index);
        }
    }
}

/// Describes a program, with the findings about it.
fn head(file: &Shbin<'_>, index: usize) -> Result<(ProgramHead, Vec<Finding>), Problem> {
    let executable = file.executable(index)?;
    let limits = Limits::default();
    let program = dvle::program(file, index, &limits)?;
    let (mut instructions, mut end) = (0, 0);
    reach(&program, |pc, _| {
        instructions += 1;
        end = end.max(pc.index() + 1);
    });
    let stage = match executable.header.shader_type() {
        Some(ShaderType::Geometry) => "geometry",
        Some(ShaderType::Vertex) | None => "vertex",
    };
    let name = ProgramName::new(index, executable).entry;
    let head = ProgramHead { index, stage, name, entry: program.entry().0, instructions, end };
    Ok((head, lint(&program, file, index, &limits)?))
}

fn finding_problem(finding: &Finding, places: &[i32]) -> Problem {
    let message = format!("{} [{}]", finding.message, finding.rule);
    let pc = finding.pc.map(|pc| pc.0);
    let line = pc.and_then(|pc| places.iter().position(|&place| place == i32::from(pc)));
    Problem {
        pc,
        line: line.and_then(|line| u32::try_from(line + 1).ok()),
        ..Problem::new(Severity::Warning, message).hint(finding.rule.explanation())
    }
}

/// Returns bytes as text, if that is what they are.
fn text(bytes: &[u8]) -> Option<&str> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E | 0x80..);
    bytes.iter().all(is_text).then(|| std::str::from_utf8(bytes).ok())?
}

/// Reads words as text: hexadecimal numbers of eight digits, descriptors after a line
/// `descriptors`.
fn words_of_text(text: &str) -> Option<(Vec<u32>, Vec<u32>)> {
    let (code, descriptors) = text.split_once("descriptors").unwrap_or((text, ""));
    let word = |word: &str| {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let is_word = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_word)
    };
    let words = |text: &str| -> Option<Vec<u32>> {
        let separators = |letter: char| letter.is_ascii_whitespace() || matches!(letter, ',' | ':');
        text.split(separators).filter(|part| !part.is_empty()).map(word).collect()
    };
    let (code, descriptors) = (words(code)?, words(descriptors)?);
    (!code.is_empty() && code.len() <= MOST_WORDS && descriptors.len() <= MOST_WORDS)
        .then_some((code, descriptors))
}

fn assembled(source: &str) -> Option<Assembled> {
    assemble(&[SourceText { name: "", text: source }]).ok()
}

/// Begins the line above each source of a text of several ones.
const SOURCE: &str = "; file: ";

/// A source in a text.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Number of lines above it.
    pub above: u32,
}

/// Returns the sources of a text: if its first line is `; file: NAME`, each such line begins one.
pub fn sources<'a>(name: &'a str, text: &'a str) -> Vec<Part<'a>> {
    let mut parts = vec![Part { name, text, above: 0 }];
    if !text.starts_with(SOURCE) {
        return parts;
    }
    let mut start = 0;
    for (above, line) in (0..).zip(text.split_inclusive('\n')) {
        if let (Some(name), Some(rest)) = (line.strip_prefix(SOURCE), text.get(start..)) {
            if let Some(last) = parts.last_mut() {
                last.text = &last.text[..last.text.len() - rest.len()];
            }
            parts.push(Part { name: name.trim_end(), text: rest, above });
        }
        start += line.len();
    }
    // Nothing stands above the first of these lines.
    parts.remove(0);
    parts
}

/// Returns for each line of a text the first address of its instructions, or -1.
fn places(sources: &[Part<'_>], assembled: &Assembled) -> Vec<i32> {
    let mut places = vec![-1; sources.iter().map(|source| source.text.lines().count()).sum()];
    for (pc, place) in (0..i32::MAX).zip(&assembled.places) {
        // Files beyond the sources are those of line markers.
        let above = sources.get(place.file).map(|source| source.above as usize);
        let line = above.and_then(|above| (above + place.line as usize).checked_sub(1));
        if let Some(line @ -1) = line.and_then(|line| places.get_mut(line)) {
            *line = pc;
        }
    }
    places
}
