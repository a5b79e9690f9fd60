//! The code of one section: procedures, blocks, labels and instructions, in the order of the words.
//! In: the layout and names. Out: lines. Knows no table of an executable.
//! Facts: the assembler's padding, which the text omits where the assembler inserts it again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use super::instruction::{Context, Target, descriptor_use, line};
use super::layout::{Block, Kind, Layout, call_range};
use super::names::{NameSet, spelling};
use super::section::ProcNames;
use super::symbols::Registers;
use super::{DisassemblerOptions, Form};
use crate::asm::syntax::{is_break, is_jump_or_call};
use transpica::container::{Executable, Model};
use transpica::isa::word::Field;
use transpica::isa::{Move, Opcode, Word};

/// Column at which the comments of `--hex` begin.
const COMMENT: usize = 48;

/// An open block.
#[derive(Clone, Copy)]
struct OpenBlock {
    block: Block,
    in_else: bool,
}

impl OpenBlock {
    /// Returns whether the line at `pc` is `.else`.
    fn is_split(&self, pc: usize) -> bool {
        self.block.kind == Kind::If && !self.in_else && self.block.split == pc && self.block.end > pc
    }
    /// Returns whether the line at `pc` is `.end`.
    fn is_end(&self, pc: usize) -> bool {
        self.block.end == pc && (self.in_else || self.block.kind != Kind::If || self.block.split == pc)
    }
    /// The first word of its content.
    fn first(&self) -> usize {
        match self.block.kind {
            Kind::Proc => self.block.start,
            Kind::If | Kind::For => self.block.start + 1,
        }
    }
}

/// Printer of code, section by section.
pub(super) struct Printer<'a> {
    model: &'a Model,
    form: Form,
    options: DisassemblerOptions,
    layout: &'a Layout,
    procs: &'a ProcNames,
    /// For each descriptor the first word that names it, and the bits that no word reads.
    unread: Vec<Option<(usize, u32)>>,
    next: usize,
    open: Vec<OpenBlock>,
    /// The last line closed an IF or a loop.
    just_closed: bool,
    /// The last word was padding that the text omits.
    is_left_out: bool,
}

impl<'a> Printer<'a> {
    /// Creates a printer at the first word.
    pub fn new(
        model: &'a Model,
        form: Form,
        options: DisassemblerOptions,
        layout: &'a Layout,
        procs: &'a ProcNames,
    ) -> Self {
        let unread = if form.descriptors { Vec::new() } else { unread(model) };
        Self {
            model,
            form,
            options,
            layout,
            procs,
            unread,
            next: 0,
            open: Vec::new(),
            just_closed: false,
            is_left_out: false,
        }
    }

    /// Prints a part of the code, or returns `None` if the form cannot express it.
    pub fn section(
        &mut self,
        out: &mut String,
        range: Range<usize>,
        registers: &Registers,
        executable: Option<&Executable>,
    ) -> Option<()> {
        self.just_closed = false;
        let labels = self.labels(range.clone(), executable);
        let descriptors = &self.model.descriptors;
        for pc in range.clone() {
            self.close(out, pc)?;
            self.open_procs(out, pc, range.start);
            self.label(out, &labels, pc);
            let word = Word(self.model.code[pc]);
            if word == Word::new(Opcode::Nop) && self.is_padding(pc) {
                // The assembler inserts it again.
                (self.just_closed, self.is_left_out) = (false, true);
                continue;
            }
            let opens = self.layout.opens(pc);
            let required = self.required(pc, word);
            let context = Context { registers, descriptors, form: self.form, required };
            let text = line(word, self.target(word, opens, &labels), context)?;
            self.write_line(out, &text, Some(pc));
            self.just_closed = false;
            if opens && let Some(&block) = self.layout.blocks.get(self.next) {
                self.next += 1;
                self.open.push(OpenBlock { block, in_else: false });
            }
        }
        self.close(out, range.end)?;
        self.label(out, &labels, range.end);
        Some(())
    }

    /// Bits of the descriptor that only the text of this word can set.
    fn required(&self, pc: usize, word: Word) -> u32 {
        let number = word.get(Field::Descriptor).map_or(0, |number| number as usize);
        match self.unread.get(number) {
            Some(Some((maker, bits))) if *maker == pc => *bits,
            Some(_) | None => 0,
        }
    }

    /// The labels that the section's jumps need.
    fn labels(&self, range: Range<usize>, executable: Option<&Executable>) -> BTreeMap<usize, String> {
        let mut labels = BTreeMap::new();
        if !self.form.readable {
            return labels;
        }
        for &word in &self.model.code[range.clone()] {
            let word = Word(word);
            if word.moves() == Some(Move::Jump)
                && let Some(target) = word.get(Field::Target).map(|target| target as usize)
                && (range.start..=range.end).contains(&target)
            {
                labels.insert(target, String::new());
            }
        }
        let mut taken = NameSet::default();
        for label in executable.map_or(&[][..], |executable| &executable.labels) {
            let names = executable.map(|executable| &executable.names);
            if let Some(name) = labels.get_mut(&(label.address as usize)).filter(|name| name.is_empty())
                && let Some(known) = names.and_then(|names| spelling(names.get(label.name).0))
                && taken.insert(&known)
            {
                *name = known;
            }
        }
        for (address, name) in labels.iter_mut().filter(|(_, name)| name.is_empty()) {
            *name = taken.insert_unique(format!("label_{address:x}"));
        }
        labels
    }

    fn target<'t>(&'t self, word: Word, opens: bool, labels: &'t BTreeMap<usize, String>) -> Target<'t> {
        let address = word.get(Field::Target).map_or(0, |target| target as usize);
        let name = match (call_range(word), word.moves()) {
            _ if opens => return Target::Block,
            (Some((start, length)), _) if self.form.readable => self.procs.name(start, start + length),
            (_, Some(Move::Jump)) => labels.get(&address).map(String::as_str),
            _ => None,
        };
        name.map_or(Target::Number, Target::Name)
    }

    fn write_line(&self, out: &mut String, text: &str, pc: Option<usize>) {
        let tabs = self.open.len();
        out.extend(std::iter::repeat_n('\t', tabs));
        out.push_str(text);
        if self.options.hex
            && let Some(pc) = pc
        {
            let used = 4 * tabs + text.len();
            out.extend(std::iter::repeat_n(' ', COMMENT.saturating_sub(used).max(1)));
            // Writing to a string cannot fail.
            let _ = write!(out, "; {pc:03x}  {:08x}", self.model.code[pc]);
        }
        out.push('\n');
    }

    fn label(&self, out: &mut String, labels: &BTreeMap<usize, String>, pc: usize) {
        if let Some(name) = labels.get(&pc) {
            let _ = writeln!(out, "{name}:");
        }
    }

    fn open_procs(&mut self, out: &mut String, pc: usize, section: usize) {
        while let Some(&block) = self.layout.blocks.get(self.next)
            && block.start == pc
            && block.kind == Kind::Proc
        {
            self.next += 1;
            if self.open.is_empty() && pc > section {
                out.push('\n');
            }
            let name = self.procs.name(block.start, block.end).unwrap_or_default();
            self.write_line(out, &format!(".proc {name}"), None);
            self.open.push(OpenBlock { block, in_else: false });
        }
    }

    /// Prints the ends of parts and blocks at an address, or returns `None` if the assembler would
    /// insert padding that the code lacks.
    fn close(&mut self, out: &mut String, pc: usize) -> Option<()> {
        while let Some(&top) = self.open.last() {
            let is_split = top.is_split(pc);
            if !is_split && !top.is_end(pc) {
                break;
            }
            let is_padded = std::mem::take(&mut self.is_left_out);
            if !self.form.verbatim && !is_padded && self.pads(&top, pc, is_split) {
                return None;
            }
            self.open.pop();
            if is_split {
                self.write_line(out, ".else", None);
                self.open.push(OpenBlock { in_else: true, ..top });
                self.just_closed = false;
            } else {
                self.write_line(out, ".end", None);
                self.just_closed = top.block.kind != Kind::Proc;
            }
        }
        Some(())
    }

    /// Returns whether the assembler would insert a NOP at `pc`, where a part or block ends.
    fn pads(&self, top: &OpenBlock, pc: usize, is_split: bool) -> bool {
        let is_loop = top.block.kind == Kind::For && !is_split;
        let last = pc.checked_sub(1).map(|last| Word(self.model.code[last]));
        let needs = |last: Word| is_jump_or_call(last) || is_loop && is_break(last) || pc == top.first();
        self.just_closed || last.is_some_and(needs)
    }

    /// Returns whether the NOP at `pc` is padding that the assembler will insert.
    fn is_padding(&self, pc: usize) -> bool {
        !self.form.verbatim
            && self.form.readable
            && self.open.last().is_some_and(|top| {
                let is_split = top.is_split(pc + 1);
                (is_split || top.is_end(pc + 1)) && self.pads(top, pc, is_split)
            })
    }
}

/// For each descriptor the first word that names it, and the bits that no word reads.
fn unread(model: &Model) -> Vec<Option<(usize, u32)>> {
    let mut unread = vec![None; model.descriptors.len()];
    for (pc, &word) in model.code.iter().enumerate() {
        if let Some((number, bits)) = descriptor_use(Word(word), &model.descriptors)
            && let Some(entry) = unread.get_mut(number)
        {
            let (_, left) = entry.get_or_insert((pc, u32::MAX));
            *left &= !bits;
        }
    }
    unread
}
