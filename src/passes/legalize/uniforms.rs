//! Register reads: the member of the uniform block, or the constant, that stands for a register.
//! In: reads of c, i and b registers, offsets of the relative ones. Out: reads of members. Knows no
//! arithmetic.
//!
//! Relative reads are exact: an offset outside the signed byte range counts as 0, the sum wraps at
//! 128, and registers beyond c95 read as ones (hardware tests). All registers that one read may
//! reach are elements of one array, as the layout makes it, so that a read is one load without a
//! branch. Reads never leave an array, since drivers differ there: unless the index is proven, a
//! helper function tests it, or the array is padded.

use std::borrow::Cow;

use super::built::Helpers;
use super::emit::Emit;
use crate::error::{At, Error, Result};
use crate::interface::{Bank, Member, MemberType, UniformBlock};
use crate::ir::FloatConstants;
use crate::ir::{Array, Binary, Func, Lane, Op, Resource, ScalarKind, Type, Unary, Value};
use crate::machine::precision::arith;
use crate::machine::precision::bits::ONE;
use crate::passes::analyze::offsets::Offset;
use crate::program::isa::sizes::{FLOATS, INDICES};

/// Registers that exist.
const REGISTERS: u8 = FLOATS as u8;

/// Uniforms of one module.
#[derive(Clone, Copy, Debug)]
pub struct Uniforms<'a> {
    /// The uniform block.
    pub block: &'a UniformBlock,
    /// The c registers whose values stand in the program file.
    pub constants: &'a FloatConstants,
    /// The relative reads of the main function, by ascending value.
    pub offsets: &'a [Offset],
}

/// Registers that one relative read may reach.
#[derive(Clone, Copy, Debug)]
enum Target<'a> {
    /// One, or ones for a register that does not exist.
    Register(u8),
    /// Registers of a member, including padding, plus nonexistent ones.
    Member(u16, &'a Member),
}

impl<'a> Uniforms<'a> {
    /// Checks that what each relative read may reach lies in one member.
    ///
    /// # Errors
    /// [`Kind::Verify`](crate::error::Kind::Verify) for other blocks.
    pub fn check(&self) -> Result<()> {
        if let Some(offset) = self.offsets.iter().find(|offset| self.target(offset).is_none()) {
            let text = format!(
                "the registers that a relative read from c{} can reach are not an array",
                offset.base
            );
            return Err(Error::new(crate::error::Kind::Verify(text), At::Whole));
        }
        Ok(())
    }

    /// Returns the target of a relative read, or `None` if no member has all its registers.
    fn target(&self, offset: &Offset) -> Option<Target<'a>> {
        let indices = offset.indices();
        let registers = indices & ((1 << REGISTERS) - 1);
        // Range: at most 128.
        let first = registers.trailing_zeros() as u8;
        if indices.is_power_of_two() || registers == 0 {
            return Some(Target::Register(first));
        }
        let (number, member) = self.member(Bank::Float, first)?;
        let last = registers.ilog2() as u8;
        (last - member.first < member.count).then_some(Target::Member(number, member))
    }

    fn member(&self, bank: Bank, register: u8) -> Option<(u16, &'a Member)> {
        let holds = |m: &Member| m.bank == bank && register.wrapping_sub(m.first) < m.count;
        self.block.members.iter().enumerate().find(|(_, m)| holds(m)).map(|(index, m)| (index as u16, m))
    }
}

/// A relative read in the function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub value: Value,
    pub base: u8,
    pub offset: Value,
    /// The offset, if it is constant.
    pub known: Option<u32>,
}

/// Sources of the registers of one module.
pub(super) struct Registers<'a> {
    uniforms: Uniforms<'a>,
    /// Helper functions built so far: limit of an offset, and reads by member.
    limit: Option<u16>,
    reads: Vec<(u16, u16)>,
}

impl<'a> Registers<'a> {
    /// Without helper functions.
    pub fn new(uniforms: Uniforms<'a>) -> Self {
        Self { uniforms, limit: None, reads: Vec::new() }
    }

    /// Returns the legal form of a read, or `None` if it does not read a register.
    pub fn read(&self, emit: &mut Emit<'_>, resource: Resource) -> Option<Op> {
        match resource {
            Resource::Uniform(register) => Some(self.float(register)),
            Resource::IntUniform { index, component } => Some(self.int(emit, index, component)),
            Resource::BoolUniform(register) => Some(self.bool(emit, register)),
            _legal_as_it_is => None,
        }
    }

    /// A read of c`register`, 0..=127.
    fn float(&self, register: u8) -> Op {
        if register >= REGISTERS {
            return Op::Const([ONE; 4]);
        }
        if let Some(bits) = self.uniforms.constants[usize::from(register)] {
            return Op::Const(bits);
        }
        // The layout has a member for each register that is read; anything else reads as 0.
        let found = self.uniforms.member(Bank::Float, register);
        found.map_or(Op::Const([0; 4]), |(member, found)| {
            Op::Read(Resource::Member { member, element: u16::from(register - found.first) })
        })
    }

    /// A component of i`register`.
    fn int(&self, emit: &mut Emit<'_>, register: u8, component: u8) -> Op {
        let Some((member, found)) = self.uniforms.member(Bank::Int, register) else {
            return Op::splat(Type::I32, 0);
        };
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
    fn bool(&self, emit: &mut Emit<'_>, register: u8) -> Op {
        let Some((member, found)) = self.uniforms.member(Bank::Bool, register) else {
            return Op::splat(Type::BOOL, 0);
        };
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

    /// A relative read, by an offset that the program computes, or knows.
    pub fn relative(&mut self, emit: &mut Emit<'_>, helpers: &mut Helpers<'_>, read: &Read) -> Op {
        let &Read { value, base, offset, known } = read;
        if let Some(bits) = known {
            return self.float(arith::uniform_index(base, bits.cast_signed()));
        }
        let found = self.uniforms.offsets.binary_search_by_key(&value, |offset| offset.read);
        let Some(range) = found.ok().and_then(|index| self.uniforms.offsets.get(index)) else {
            return Op::Const([0; 4]);
        };
        let (number, member) = match self.uniforms.target(range) {
            Some(Target::Member(number, member)) => (number, member),
            Some(Target::Register(register)) => return self.float(register),
            // As for a register without a member.
            None => return Op::Const([0; 4]),
        };
        let mut index = offset;
        if !range.is_byte() {
            let op = emit.call(self.limit_helper(helpers), &[index]);
            index = emit.op(Type::I32, op);
        }
        let element = match base.checked_sub(member.first) {
            Some(0) => None,
            Some(element) if element < member.count => {
                let place = Resource::Index { member: number, element: element.into() };
                Some(emit.op(Type::I32, Op::Read(place)))
            }
            Some(_) | None => Some(emit.int(i32::from(base) - i32::from(member.first))),
        };
        if let Some(element) = element {
            index = emit.binary(Binary::IAdd, element, index);
        }
        // Range: of several indices the last is not 0.
        let last = range.indices().ilog2() as u8;
        if last - member.first >= member.count {
            let helper = self.read_helper(helpers, number, member);
            return emit.call(helper, &[index]);
        }
        if range.wraps() {
            index = wrapped(emit, index);
        }
        Op::ReadAt(Array::Member(number), index)
    }

    /// `fn pica_offset(offset)`: 0 for one that is not a signed byte (hardware tests).
    fn limit_helper(&mut self, helpers: &mut Helpers<'_>) -> u16 {
        if let Some(helper) = self.limit {
            return helper;
        }
        let mut func = Func { name: Cow::Borrowed("pica_offset"), noun: "offset", ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let offset = emit.param(Type::I32);
        let (below, above, zero) = (emit.int(-129), emit.int(128), emit.int(0));
        let low = emit.binary(Binary::IGreater, offset, below);
        let high = emit.binary(Binary::ILess, offset, above);
        let inside = emit.binary(Binary::And, low, high);
        let offset = emit.select(inside, offset, zero);
        emit.finish(offset);
        *self.limit.insert(helpers.push(func.into()))
    }

    /// `fn <member>_at(index)`: an element, or ones after the last. The last is c95, unless the
    /// index is proven.
    fn read_helper(&mut self, helpers: &mut Helpers<'_>, number: u16, member: &Member) -> u16 {
        if let Some(&(_, helper)) = self.reads.iter().find(|(known, _)| *known == number) {
            return helper;
        }
        let Member { name, first, count, .. } = member;
        let mut func = Func { name: Cow::Owned(format!("{name}_at")), ..Func::default() };
        let mut emit = Emit::helper(&mut func);
        let mut index = emit.param(Type::I32);
        if *first == 0 {
            index = wrapped(&mut emit, index);
        }
        let (end, last) = (emit.int(i32::from(*count)), emit.int(i32::from(*count) - 1));
        let exists = emit.binary(Binary::ILess, index, end);
        // Why: drivers.md#reads-past-array.
        let element = emit.select(exists, index, last);
        let read = match member.ty {
            MemberType::Vec4Array(_) => Op::ReadAt(Array::Member(number), element),
            MemberType::Vec4
            | MemberType::IVec4
            | MemberType::IVec4Array(_)
            | MemberType::PackedInts
            | MemberType::Bits => Op::Read(Resource::Member { member: number, element: 0 }),
        };
        let read = emit.op(Type::F32X4, read);
        let all = emit.op(Type::new(ScalarKind::Bool, 4), Op::Shuffle([Lane::new(exists, 0); 4]));
        let ones = emit.float(4, 1.0);
        let result = emit.select(all, read, ones);
        emit.finish(result);
        let helper = helpers.push(func.into());
        self.reads.push((number, helper));
        helper
    }
}

/// Seven bits of an index.
fn wrapped(emit: &mut Emit<'_>, index: Value) -> Value {
    let mask = emit.int(INDICES as i32 - 1);
    emit.binary(Binary::IAnd, index, mask)
}
