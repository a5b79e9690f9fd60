//! Names of registers: bind symbols as declarations and in operands.
//! In: the symbols of an executable. Out: directives, and the name of each register. Knows no
//! instruction.
//! Facts: the assembler's allocation of uniforms; 3dbrew "SHBIN" for the codes of symbols.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::names::{NameSet, spelling};
use super::section::Shared;
use crate::asm::syntax::{BOOL, FLOAT, INT, Space, UniformKind, name_text, register_name};
use transpica::container::{Executable, Model, Symbol, SymbolBank, SymbolRange};
use transpica::isa::sizes::FLOATS;

/// The names of a section's registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    /// Every name of the section.
    pub taken: NameSet,
    names: Vec<String>,
    /// For each register by picasso's number: index of its name, and its place in the array.
    by_register: BTreeMap<u32, (usize, u32)>,
}

impl Registers {
    /// Names registers that have no name yet.
    pub fn add(&mut self, name: &str, first: u32, count: u32) {
        let index = self.names.len();
        self.names.push(name.to_owned());
        for offset in 0..count {
            self.by_register.entry(first + offset).or_insert((index, offset));
        }
    }
    /// The name of a register by picasso's number, and its place in the array of that name.
    pub fn find(&self, register: u32) -> Option<(&str, u32)> {
        let &(index, offset) = self.by_register.get(&register)?;
        self.names.get(index).map(|name| (name.as_str(), offset))
    }
}

/// The uniforms of the section being printed.
pub(super) struct Declarations<'s> {
    /// The uniforms of a geometry program, or `None` if the section uses the shared ones.
    pub geometry_space: Option<Space>,
    pub shared: &'s mut Shared,
}

impl Declarations<'_> {
    /// The space in which the section allocates.
    pub fn space(&mut self) -> &mut Space {
        self.geometry_space.as_mut().unwrap_or(&mut self.shared.space)
    }
}

/// Prints the symbols of an executable: as declarations if those give the same table, else one by
/// one.
pub(super) fn print(
    out: &mut String,
    executable: &Executable,
    declarations: &mut Declarations<'_>,
    readable: bool,
) -> (Registers, u16) {
    if readable {
        let before = (out.len(), declarations.geometry_space, declarations.shared.clone());
        if let Some(declared) = declare(out, executable, declarations) {
            return declared;
        }
        out.truncate(before.0);
        declarations.geometry_space = before.1;
        *declarations.shared = before.2;
    }
    let mut registers = Registers::default();
    for symbol in &executable.symbols {
        let name = executable.names.get(symbol.name);
        let _ = writeln!(out, ".symbol {} {:#x} {:#x}", name_text(name.0), symbol.first, symbol.last);
    }
    for symbol in executable.symbols.iter().filter(|_| readable) {
        let (Some(name), Some(range)) = (spelling(executable.names.get(symbol.name).0), symbol.range())
        else {
            continue;
        };
        if registers.taken.insert(&name) {
            let register = register_text(number(range));
            let _ = writeln!(out, ".alias {name} {register}");
            registers.add(&name, number(range), u32::from(range.count));
        }
    }
    (registers, 0)
}

/// picasso's number of the first register.
fn number(range: SymbolRange) -> u32 {
    [0, FLOAT, INT, BOOL][range.bank as usize] + u32::from(range.first)
}

/// Text of a register by picasso's number: picasso has no name for v15.
pub(super) fn register_text(register: u32) -> String {
    if register == 15 { "v14[1]".into() } else { register_name(register) }
}

/// Declares symbols by `.in`, `.fvec`, `.ivec` and `.bool`. Gaps between uniforms become hidden
/// ones.
fn declare(
    out: &mut String,
    executable: &Executable,
    declarations: &mut Declarations<'_>,
) -> Option<(Registers, u16)> {
    let symbols = &executable.symbols;
    // The assembler sorts declared symbols by register and limits their number.
    if !symbols.is_sorted_by_key(|symbol| symbol.first) || symbols.len() > FLOATS {
        return None;
    }
    let mut registers = Registers::default();
    let mut inputs = 0;
    for symbol in symbols {
        let name = spelling(executable.names.get(symbol.name).0)?;
        let range = symbol.range()?;
        if !registers.taken.insert(&name) {
            return None;
        }
        match kind_of(range.bank) {
            Some(kind) => uniform(out, &name, kind, range, declarations, &mut registers)?,
            None if range.count == 1 => {
                let _ = writeln!(out, ".in {name} {}", register_text(number(range)));
                registers.add(&name, number(range), 1);
                inputs |= 1 << range.first;
            }
            None => return None,
        }
    }
    Some((registers, inputs))
}

/// Declares one uniform, if the allocator gives it the right registers.
fn uniform(
    out: &mut String,
    name: &str,
    kind: UniformKind,
    range: SymbolRange,
    declarations: &mut Declarations<'_>,
    registers: &mut Registers,
) -> Option<()> {
    // The assembler would give it no symbol.
    if name.starts_with('_') {
        return None;
    }
    let directive = kind.directive();
    let (first, count) = (number(range), u32::from(range.count));
    let sized = |name: &str, count: u32| match count {
        1 => format!(".{directive} {name}\n"),
        _ => format!(".{directive} {name}[{count}]\n"),
    };
    let is_shared = declarations.geometry_space.is_none();
    let known = declarations.shared.declared.get(name).filter(|_| is_shared);
    match known {
        Some(known) if *known == (kind, first, count) => {}
        Some(_) => return None,
        None => {
            let next = declarations.space().next_uniform(kind);
            let gap = first.checked_sub(next)?;
            if gap > 0 {
                let hidden = registers.taken.insert_unique(format!("_unused_{}", register_text(first)));
                declarations.space().uniform(kind, gap)?;
                if is_shared {
                    // Another section may have a hidden uniform in the same gap.
                    if declarations.shared.declared.contains_key(&hidden) {
                        return None;
                    }
                    declarations.shared.declared.insert(hidden.clone(), (kind, next, gap));
                }
                out.push_str(&sized(&hidden, gap));
            }
            declarations.space().uniform(kind, count)?;
            if is_shared {
                declarations.shared.declared.insert(name.to_owned(), (kind, first, count));
            }
        }
    }
    out.push_str(&sized(name, count));
    registers.add(name, first, count);
    Some(())
}

/// Declares the uniforms of all vertex programs in a section without an executable, if only that
/// gives each the right register. Programs that share a library of procedures have symbols only for
/// the uniforms they use.
pub(super) fn library(out: &mut String, model: &Model, shared: &mut Shared) {
    let Some(all) = sparse_uniforms(model) else { return };
    let before = (out.len(), shared.clone());
    let mut registers = Registers::default();
    out.push_str(".nodvle\n");
    let mut declarations = Declarations { geometry_space: None, shared };
    for (range, name) in &all {
        let is_declared = registers.taken.insert(name)
            && kind_of(range.bank)
                .and_then(|kind| uniform(out, name, kind, *range, &mut declarations, &mut registers))
                .is_some();
        if !is_declared {
            // The programs disagree, so each declares its own.
            out.truncate(before.0);
            *shared = before.1;
            return;
        }
    }
    out.push('\n');
}

/// The uniforms of all vertex programs by register, if a program has some below those of an earlier
/// program.
fn sparse_uniforms(model: &Model) -> Option<Vec<(SymbolRange, String)>> {
    let mut all: Vec<(SymbolRange, String)> = Vec::new();
    let mut is_gapped = false;
    for executable in model.executables.iter().filter(|executable| executable.header.kind == 0) {
        let before = all.clone();
        let ends =
            |range: &SymbolRange| before.iter().any(|(k, _)| k.bank == range.bank && k.first > range.first);
        for symbol in &executable.symbols {
            let name = spelling(executable.names.get(symbol.name).0).filter(|name| !name.starts_with('_'));
            let (Some(name), Some(range)) = (name, symbol.range()) else { continue };
            let place =
                all.partition_point(|(known, _)| (known.bank, known.first) < (range.bank, range.first));
            let is_known = all.get(place).is_some_and(|known| *known == (range, name.clone()));
            if range.bank != SymbolBank::Input && !is_known {
                is_gapped |= ends(&range);
                all.insert(place, (range, name));
            }
        }
        // More names than registers cannot agree, and the search would take long.
        if all.len() > 116 {
            return None;
        }
    }
    is_gapped.then_some(all)
}

/// The kind of the uniforms in a bank.
fn kind_of(bank: SymbolBank) -> Option<UniformKind> {
    match bank {
        SymbolBank::Input => None,
        SymbolBank::Float => Some(UniformKind::Float),
        SymbolBank::Int => Some(UniformKind::Int),
        SymbolBank::Bool => Some(UniformKind::Bool),
    }
}

/// The lowest float uniform of the symbols.
pub(super) fn lowest_float(symbols: &[Symbol]) -> Option<u8> {
    let ranges = symbols.iter().filter_map(|symbol| symbol.range());
    ranges.filter(|range| range.bank == SymbolBank::Float).map(|range| range.first).min()
}
