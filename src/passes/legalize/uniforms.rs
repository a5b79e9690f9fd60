//! Register reads: the member of the uniform block, or the constant, that stands for a register.
//! In: reads of c, i and b registers. Out: reads of members; relative reads call helpers. Knows no
//! arithmetic.
//!
//! Relative reads are exact: an offset outside the signed byte range counts as 0, the sum wraps at
//! 128, and registers beyond c95 read as ones (hardware tests). Reads never leave a member's array:
//! drivers differ there. Where all registers are one array the read is free of branches. Else a
//! read whose base lies in an array member tries that member first, and a tree of `if`s over all
//! registers stands behind it, skipped unless the program leaves the array.

use std::borrow::Cow;

use super::emit::{Emit, splat};
use super::helpers::Helpers;
use crate::host::{Bank, Member, MemberType, UniformBlock};
use crate::ir::known::FloatConstants;
use crate::ir::{Array, Binary, Func, Item, Lane, Op, Resource, ScalarKind, Type, Unary, Value};
use crate::isa::limits::FLOATS;
use crate::precision::arith;
use crate::precision::bits::ONE;

/// Registers that exist, and registers that an index can name.
const REGISTERS: u8 = FLOATS as u8;
const INDICES: u8 = 128;

/// Source of a run of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Known.
    Literal([u32; 4]),
    /// A member that is no array.
    Single(u16),
    /// An array; its first register.
    Array(u16, u8),
}

/// The registers `first` up to the next run's.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u8,
    source: Source,
}

/// Sources of the registers of one module.
pub(super) struct Registers<'a> {
    block: &'a UniformBlock,
    constants: &'a FloatConstants,
    /// Member of each float register.
    float: [Option<u16>; REGISTERS as usize],
    /// Helper functions built so far: index computation, read by index, read by base and offset,
    /// and by member.
    index: Option<u16>,
    register: Option<u16>,
    relative: Option<u16>,
    members: Vec<(u16, u16)>,
}

impl<'a> Registers<'a> {
    /// Looks up where each float register is.
    pub fn new(block: &'a UniformBlock, constants: &'a FloatConstants) -> Self {
        let mut float = [None; REGISTERS as usize];
        for (index, member) in block.members.iter().enumerate().filter(|(_, m)| m.bank == Bank::Float) {
            let end = member.first.saturating_add(member.count).min(REGISTERS);
            for slot in float.get_mut(usize::from(member.first)..usize::from(end)).into_iter().flatten() {
                *slot = Some(index as u16);
            }
        }
        Self { block, constants, float, index: None, register: None, relative: None, members: Vec::new() }
    }

    fn source(&self, register: u8) -> Source {
        if register >= REGISTERS {
            return Source::Literal([ONE; 4]);
        }
        if let Some(bits) = self.constants[usize::from(register)] {
            return Source::Literal(bits);
        }
        // The layout has a member for each register that is read; anything else reads as 0.
        let Some(member) = self.float[usize::from(register)] else { return Source::Literal([0; 4]) };
        match self.block.members[usize::from(member)].ty {
            MemberType::Vec4Array(_) => Source::Array(member, self.block.members[usize::from(member)].first),
            MemberType::Vec4
            | MemberType::IVec4
            | MemberType::IVec4Array(_)
            | MemberType::PackedInts
            | MemberType::Bits => Source::Single(member),
        }
    }

    /// A read of c`register`, 0..=127.
    pub fn float(&self, register: u8) -> Op {
        match self.source(register) {
            Source::Literal(bits) => Op::Const(bits),
            Source::Single(member) => Op::Read(Resource::Member { member, element: 0 }),
            Source::Array(member, first) => {
                Op::Read(Resource::Member { member, element: u16::from(register - first) })
            }
        }
    }

    fn member(&self, bank: Bank, register: u8) -> Option<(u16, &Member)> {
        let holds =
            |m: &Member| m.bank == bank && register.checked_sub(m.first).is_some_and(|at| at < m.count);
        self.block.members.iter().enumerate().find(|(_, m)| holds(m)).map(|(index, m)| (index as u16, m))
    }

    /// A component of i`register`.
    pub fn int(&self, emit: &mut Emit<'_>, register: u8, component: u8) -> Op {
        let Some((member, found)) = self.member(Bank::Int, register) else { return splat(Type::I32, 0) };
        let element = register - found.first;
        if found.ty == MemberType::PackedInts {
            let all =
                emit.op(Type::new(ScalarKind::U32, 4), Op::Read(Resource::Member { member, element: 0 }));
            let mut word = emit.op(Type::U32, Op::Shuffle([Lane::new(all, element & 3); 4]));
            let shift = emit.splat(Type::U32, 8 * u32::from(component & 3));
            word = emit.binary(Binary::ShiftRight, word, shift);
            let byte = emit.splat(Type::U32, 0xFF);
            word = emit.binary(Binary::BitAnd, word, byte);
            return Op::Unary(Unary::UintToInt, word);
        }
        let element = u16::from(element);
        let whole = emit.op(Type::new(ScalarKind::I32, 4), Op::Read(Resource::Member { member, element }));
        Op::Shuffle([Lane::new(whole, component & 3); 4])
    }

    /// b`register`: a member of one register is true where any bit is set.
    pub fn bool(&self, emit: &mut Emit<'_>, register: u8) -> Op {
        let Some((member, found)) = self.member(Bank::Bool, register) else { return splat(Type::BOOL, 0) };
        let mut bits = emit.op(Type::U32, Op::Read(Resource::Member { member, element: 0 }));
        // A member of one register is a bool of its own.
        if found.count != 1 {
            let bit = emit.splat(Type::U32, 1 << ((register - found.first) & 31));
            bits = emit.binary(Binary::BitAnd, bits, bit);
        }
        let none = emit.splat(Type::U32, 0);
        let clear = emit.binary(Binary::UEqual, bits, none);
        Op::Unary(Unary::Not, clear)
    }

    /// A read of c`base` plus an offset that the program computes, or knows.
    pub fn relative(
        &mut self,
        emit: &mut Emit<'_>,
        helpers: &mut Helpers<'_>,
        base: u8,
        offset: Value,
        known: Option<u32>,
    ) -> Op {
        if let Some(bits) = known {
            return self.float(arith::uniform_index(base, bits.cast_signed()));
        }
        let helper = match self.source(base) {
            Source::Array(member, _) if !self.is_one_array() && self.is_unfolded(member) => {
                self.member_helper(helpers, member)
            }
            Source::Array(..) | Source::Single(_) | Source::Literal(_) => self.relative_helper(helpers),
        };
        let base = emit.int(i32::from(base));
        emit.call(helper, &[base, offset])
    }

    /// Runs of registers with one source, the first at 0, the last the ones beyond c95.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for first in 0..=REGISTERS {
            let source = self.source(first);
            if runs.last().is_none_or(|run| run.source != source) {
                runs.push(Run { first, source });
            }
        }
        runs
    }

    fn is_one_array(&self) -> bool {
        let same = |register| matches!(self.source(register), Source::Array(member, 0) if Some(member) == self.float[0]);
        same(0) && (1..REGISTERS).all(same)
    }

    /// Returns whether no register of an array has a constant in its place.
    fn is_unfolded(&self, member: u16) -> bool {
        let Member { first, count, .. } = self.block.members[usize::from(member)];
        let registers = usize::from(first)..usize::from(first.saturating_add(count).min(REGISTERS));
        self.constants.get(registers).is_some_and(|constants| constants.iter().all(Option::is_none))
    }

    /// `fn <member>_at(base, offset)`.
    fn member_helper(&mut self, helpers: &mut Helpers<'_>, member: u16) -> u16 {
        if let Some(&(_, helper)) = self.members.iter().find(|(known, _)| *known == member) {
            return helper;
        }
        let index_helper = self.index_helper(helpers);
        let register_helper = self.register_helper(helpers);
        let Member { name, first, count, .. } = &self.block.members[usize::from(member)];
        let mut func = Func { name: Cow::Owned(format!("{name}_at")), ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let (base, offset) = (emit.param(Type::I32), emit.param(Type::I32));
        let index = emit.call(index_helper, &[base, offset]);
        let index = emit.op(Type::I32, index);
        let first = emit.int(i32::from(*first));
        let element = emit.binary(Binary::ISub, index, first);
        // The IR has no `>=` for integers.
        let below = emit.int(-1);
        let low = emit.binary(Binary::IGreater, element, below);
        let count = emit.int(i32::from(*count));
        let high = emit.binary(Binary::ILess, element, count);
        let inside = emit.binary(Binary::And, low, high);
        let outer = std::mem::take(&mut emit.items);
        let read = emit.op(Type::F32X4, Op::ReadAt(Array::Member(member), element));
        let items = std::mem::take(&mut emit.items);
        let then = emit.region(items, read);
        let read = emit.call(register_helper, &[index]);
        let read = emit.op(Type::F32X4, read);
        let items = std::mem::replace(&mut emit.items, outer);
        let otherwise = emit.region(items, read);
        let result = emit.branch(inside, Type::F32X4, then, otherwise);
        emit.finish(result);
        let helper = helpers.push(func);
        self.members.push((member, helper));
        helper
    }

    /// `fn pica_uniform_at(base, offset)`: any register.
    fn relative_helper(&mut self, helpers: &mut Helpers<'_>) -> u16 {
        if let Some(helper) = self.relative {
            return helper;
        }
        let index_helper = self.index_helper(helpers);
        let register_helper = self.register_helper(helpers);
        let mut func = Func { name: Cow::Borrowed("pica_uniform_at"), ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let (base, offset) = (emit.param(Type::I32), emit.param(Type::I32));
        let index = emit.call(index_helper, &[base, offset]);
        let index = emit.op(Type::I32, index);
        let read = emit.call(register_helper, &[index]);
        let read = emit.op(Type::F32X4, read);
        emit.finish(read);
        *self.relative.insert(helpers.push(func))
    }

    /// `fn pica_uniform_index(base, offset)`: 0..=127.
    fn index_helper(&mut self, helpers: &mut Helpers<'_>) -> u16 {
        if let Some(helper) = self.index {
            return helper;
        }
        let mut func = Func { name: Cow::Borrowed("pica_uniform_index"), ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let (base, offset) = (emit.param(Type::I32), emit.param(Type::I32));
        // Outside of a signed byte the address register counts as 0 (hardware tests).
        let (below, above, zero) = (emit.int(-129), emit.int(128), emit.int(0));
        let low = emit.binary(Binary::IGreater, offset, below);
        let high = emit.binary(Binary::ILess, offset, above);
        let inside = emit.binary(Binary::And, low, high);
        let offset = emit.select(inside, offset, zero);
        let sum = emit.binary(Binary::IAdd, base, offset);
        // Seven bits.
        let mask = emit.int(0x7F);
        let index = emit.binary(Binary::IAnd, sum, mask);
        emit.finish(index);
        *self.index.insert(helpers.push(func))
    }

    /// `fn pica_uniform_register(index)`, 0..=127.
    fn register_helper(&mut self, helpers: &mut Helpers<'_>) -> u16 {
        if let Some(helper) = self.register {
            return helper;
        }
        let mut func = Func { name: Cow::Borrowed("pica_uniform_register"), ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let index = emit.param(Type::I32);
        let runs = self.runs();
        let read = match *runs.as_slice() {
            // One array and the ones behind it need no branch.
            [Run { source: Source::Array(member, 0), .. }, _] if self.is_one_array() => {
                one_array(&mut emit, member, index)
            }
            _ => {
                emit.func.values.reserve(4 * runs.len());
                emit.func.pool.reserve(4 * runs.len());
                emit.func.regions.reserve(2 * runs.len());
                emit.func.nodes.reserve(runs.len());
                tree(&mut emit, &runs, index)
            }
        };
        emit.finish(read);
        *self.register.insert(helpers.push(func))
    }
}

/// `index < 96 ? member[min(index, 95)] : 1`.
fn one_array(emit: &mut Emit<'_>, member: u16, index: Value) -> Value {
    let end = emit.int(i32::from(REGISTERS));
    let exists = emit.binary(Binary::ILess, index, end);
    let last = emit.int(i32::from(REGISTERS) - 1);
    // Drivers differ in what reads beyond an array give.
    let index = emit.select(exists, index, last);
    let read = emit.op(Type::F32X4, Op::ReadAt(Array::Member(member), index));
    let all = emit.op(Type::new(ScalarKind::Bool, 4), Op::Shuffle([Lane::new(exists, 0); 4]));
    let ones = emit.float(4, 1.0);
    emit.select(all, read, ones)
}

/// Chooses among the runs by halving; at most seven deep, since an index names one of 128
/// registers.
fn tree(emit: &mut Emit<'_>, runs: &[Run], index: Value) -> Value {
    debug_assert!(runs.len() <= usize::from(INDICES));
    let (left, right) = runs.split_at(runs.len() / 2);
    let (Some(_), Some(start)) = (left.first(), right.first()) else {
        return leaf(emit, runs.first().map_or(Source::Literal([0; 4]), |run| run.source), index);
    };
    let start = emit.int(i32::from(start.first));
    let cond = emit.binary(Binary::ILess, index, start);
    let outer = std::mem::take(&mut emit.items);
    let value = tree(emit, left, index);
    let items: Vec<Item> = std::mem::take(&mut emit.items);
    let then = emit.region(items, value);
    let value = tree(emit, right, index);
    let items = std::mem::replace(&mut emit.items, outer);
    let otherwise = emit.region(items, value);
    emit.branch(cond, Type::F32X4, then, otherwise)
}

fn leaf(emit: &mut Emit<'_>, source: Source, index: Value) -> Value {
    match source {
        Source::Literal(bits) => emit.op(Type::F32X4, Op::Const(bits)),
        Source::Single(member) => emit.op(Type::F32X4, Op::Read(Resource::Member { member, element: 0 })),
        Source::Array(member, first) => {
            let first = emit.int(i32::from(first));
            let index = emit.binary(Binary::ISub, index, first);
            emit.op(Type::F32X4, Op::ReadAt(Array::Member(member), index))
        }
    }
}
