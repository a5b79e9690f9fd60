//! Types and constants, each written once.
//! In: types of the intermediate form, bits of literals. Out: their ids; the instructions go to the global section as
//! they are first asked for. Ids depend on the order of asking only, never on hash order.
//! SPIR-V 2.8: types that are no aggregates may not be declared twice.

use std::hash::{Hash, Hasher};

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::writer::{Section, Writer};
use crate::entity::Interner;
use crate::ir::{Kind, Type};

/// Bytes from one array element to the next (std140).
const STRIDE: Word = 16;

/// What has been written so far; 0 stands for "not yet".
#[derive(Default)]
pub(super) struct Types {
    values: [[Word; 4]; 4],
    void: Word,
    arrays: Vec<(Word, Word, Word)>,
    /// Arrays without a stride: their lanes as a vector, and ids.
    plain_arrays: Vec<(Word, u32, Word)>,
    /// Specialisation constants by their `SpecId`.
    specialized: [Word; 32],
    pointers: Vec<(StorageClass, Word, Word)>,
    /// Ids of result and parameter types of all function types, one after another, and their lengths.
    signatures: Vec<Word>,
    functions: Vec<(usize, Word)>,
    /// Literals, and the ids of those.
    literals: Interner<Literal>,
    literal_ids: Vec<Word>,
    /// Opcode, type and id of values without operands.
    bare: Vec<(Op, Word, Word)>,
}

/// A literal of a type: two lanes in each word, for literals are looked up more often than anything else.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Literal {
    ty: Type,
    words: (u64, u64),
}

impl Literal {
    /// The bits of a lane.
    fn lane(self, index: u8) -> u32 {
        let word = if index < 2 { self.words.0 } else { self.words.1 };
        (word >> (32 * (index & 1))) as u32 // Range: the lower half.
    }
}

impl Hash for Literal {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.words.0);
        state.write_u64(self.words.1);
        state.write_u16(u16::from(self.ty.lanes) << 8 | self.ty.kind as u16);
    }
}

impl Types {
    /// Forgets everything, keeps the memory.
    pub(super) fn start(&mut self) {
        self.values = Default::default();
        self.void = 0;
        self.arrays.clear();
        self.plain_arrays.clear();
        self.specialized = [0; 32];
        self.pointers.clear();
        self.signatures.clear();
        self.functions.clear();
        self.literals.clear();
        self.literal_ids.clear();
        self.bare.clear();
    }
}

impl Writer {
    /// Appends a type or constant.
    fn global(&mut self, op: Op, ty: Option<Word>, operands: impl IntoIterator<Item = Operand>) -> Word {
        let id = self.id();
        self.put(Section::Globals, op, (ty, Some(id)), operands);
        id
    }

    /// Appends a constant whose operands are all words.
    fn literal(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let id = self.id();
        self.word_list(Section::Globals, op, [ty, id], operands);
        id
    }

    /// A scalar or vector type.
    #[inline]
    pub(super) fn ty(&mut self, ty: Type) -> Word {
        debug_assert!((1..=4).contains(&ty.lanes));
        let lane = usize::from(ty.lanes.clamp(1, 4)) - 1;
        let id = self.types.values[ty.kind as usize][lane];
        if id != 0 { id } else { self.new_type(ty, lane) }
    }

    #[cold]
    fn new_type(&mut self, ty: Type, lane: usize) -> Word {
        let id = if lane > 0 {
            let scalar = self.ty(ty.with_lanes(1));
            let operands = [Operand::IdRef(scalar), Operand::LiteralBit32(lane as u32 + 1)];
            self.global(Op::TypeVector, None, operands)
        } else {
            let bits = Operand::LiteralBit32(32);
            match ty.kind {
                Kind::F32 => self.global(Op::TypeFloat, None, [bits]),
                Kind::I32 => self.global(Op::TypeInt, None, [bits, Operand::LiteralBit32(1)]),
                Kind::U32 => self.global(Op::TypeInt, None, [bits, Operand::LiteralBit32(0)]),
                Kind::Bool => self.global(Op::TypeBool, None, []),
            }
        };
        self.types.values[ty.kind as usize][lane] = id;
        id
    }

    /// `void`
    pub(super) fn void(&mut self) -> Word {
        if self.types.void == 0 {
            self.types.void = self.global(Op::TypeVoid, None, []);
        }
        self.types.void
    }

    /// An array of `element` with the std140 stride; `count` 0 makes a runtime array.
    pub(super) fn array(&mut self, element: Word, count: u32) -> Word {
        self.strided(element, count, STRIDE)
    }

    /// A runtime array in a storage buffer: elements are as far apart as they are large.
    pub(super) fn storage_array(&mut self, element: Type) -> Word {
        let stride = 4 * Word::from(element.lanes);
        let element = self.ty(element);
        self.strided(element, 0, stride)
    }

    /// An array; where the element is one and the count is, the stride must be.
    fn strided(&mut self, element: Word, count: u32, stride: Word) -> Word {
        if let Some(known) = self.types.arrays.iter().find(|known| (known.0, known.1) == (element, count)) {
            return known.2;
        }
        let id = if count == 0 {
            self.global(Op::TypeRuntimeArray, None, [Operand::IdRef(element)])
        } else {
            let length = self.constant(Type::U32, [count, 0, 0, 0]);
            self.global(Op::TypeArray, None, [Operand::IdRef(element), Operand::IdRef(length)])
        };
        self.decorate(id, Decoration::ArrayStride, Operand::LiteralBit32(stride));
        self.types.arrays.push((element, count, id));
        id
    }

    /// An array with as many elements as a vector has lanes, where no layout may be stated.
    pub(super) fn plain_array(&mut self, lanes: Type) -> Word {
        let element = self.ty(lanes.with_lanes(1));
        self.unlaid_array(element, lanes.lanes.into())
    }

    /// An array where no layout may be stated.
    pub(super) fn unlaid_array(&mut self, element: Word, count: u32) -> Word {
        let known = self.types.plain_arrays.iter().find(|known| (known.0, known.1) == (element, count));
        if let Some(known) = known {
            return known.2;
        }
        let length = self.constant(Type::U32, [count, 0, 0, 0]);
        let id = self.global(Op::TypeArray, None, [Operand::IdRef(element), Operand::IdRef(length)]);
        self.types.plain_arrays.push((element, count, id));
        id
    }

    /// The specialisation constant with this id: a bool below 16, else an i32; false or 0 unless set. Nothing from 32 on.
    pub(super) fn specialized(&mut self, id: u8) -> Option<Word> {
        let known = *self.types.specialized.get(usize::from(id))?;
        if known != 0 {
            return Some(known);
        }
        let constant = match id {
            0..16 => {
                let ty = self.ty(Type::BOOL);
                self.literal(Op::SpecConstantFalse, ty, &[])
            }
            _ => {
                let ty = self.ty(Type::I32);
                self.literal(Op::SpecConstant, ty, &[0])
            }
        };
        self.decorate(constant, Decoration::SpecId, Operand::LiteralBit32(id.into()));
        self.name(constant, &crate::host::profile::specialized_name(id));
        self.types.specialized[usize::from(id)] = constant;
        Some(constant)
    }

    /// A struct of its own: decorations of two equal structs must not mix.
    pub(super) fn structure(&mut self, members: impl IntoIterator<Item = Word>) -> Word {
        self.global(Op::TypeStruct, None, members.into_iter().map(Operand::IdRef))
    }

    /// A pointer type.
    pub(super) fn pointer(&mut self, class: StorageClass, to: Word) -> Word {
        if let Some(known) = self.types.pointers.iter().find(|known| (known.0, known.1) == (class, to)) {
            return known.2;
        }
        let id = self.global(Op::TypePointer, None, [Operand::StorageClass(class), Operand::IdRef(to)]);
        self.types.pointers.push((class, to, id));
        id
    }

    /// A variable of the module.
    pub(super) fn variable(&mut self, class: StorageClass, of: Word) -> Word {
        let pointer = self.pointer(class, of);
        self.global(Op::Variable, Some(pointer), [Operand::StorageClass(class)])
    }

    /// A function type; `signature` is the result's type, then the parameters'.
    pub(super) fn function_type(&mut self, signature: &[Word]) -> Word {
        let mut start = 0;
        for &(len, id) in &self.types.functions {
            if self.types.signatures[start..start + len] == *signature {
                return id;
            }
            start += len;
        }
        self.types.signatures.extend_from_slice(signature);
        let id = self.global(Op::TypeFunction, None, signature.iter().map(|&id| Operand::IdRef(id)));
        self.types.functions.push((signature.len(), id));
        id
    }

    /// A literal; lanes beyond the type's must be 0. Floats must be finite (naga refuses other constants).
    #[inline]
    pub(super) fn constant(&mut self, ty: Type, bits: [u32; 4]) -> Word {
        let [x, y, z, w] = bits.map(u64::from);
        self.find_constant(ty, x | y << 32, z | w << 32)
    }

    /// A literal by pairs of lanes. (In registers: pairs that were just written to memory lane by lane cannot be read until
    /// both have left the store buffer, which took 0.4 µs of a small program.)
    fn find_constant(&mut self, ty: Type, low: u64, high: u64) -> Word {
        let literal = Literal { ty, words: (low, high) };
        let (number, is_new) = self.types.literals.intern(literal);
        if is_new { self.new_constant(number, literal) } else { self.types.literal_ids[number] }
    }

    #[cold]
    fn new_constant(&mut self, number: usize, literal: Literal) -> Word {
        // It has its number already, so that it is hashed once; its lanes get theirs below.
        self.types.literal_ids.push(0);
        let ty = literal.ty;
        let type_id = self.ty(ty);
        let id = if ty.lanes > 1 {
            let mut parts = [0; 4];
            for (index, part) in (0..ty.lanes).zip(&mut parts) {
                *part = self.find_constant(ty.with_lanes(1), literal.lane(index).into(), 0);
            }
            self.literal(Op::ConstantComposite, type_id, &parts[..usize::from(ty.lanes)])
        } else {
            let bits = literal.lane(0);
            match ty.kind {
                Kind::F32 | Kind::I32 | Kind::U32 => self.literal(Op::Constant, type_id, &[bits]),
                Kind::Bool if bits != 0 => self.literal(Op::ConstantTrue, type_id, &[]),
                Kind::Bool => self.literal(Op::ConstantFalse, type_id, &[]),
            }
        };
        self.types.literal_ids[number] = id;
        id
    }

    /// The all-zero value of a type, where a value is needed that no path gives.
    pub(super) fn null(&mut self, ty: Type) -> Word {
        self.bare(Op::ConstantNull, ty)
    }

    /// Any value of a type, where none is needed. naga's reader takes it among the constants, and not in functions.
    pub(super) fn undefined(&mut self, ty: Type) -> Word {
        self.bare(Op::Undef, ty)
    }

    /// A value that follows from its type alone.
    fn bare(&mut self, op: Op, ty: Type) -> Word {
        let type_id = self.ty(ty);
        if let Some(known) = self.types.bare.iter().find(|known| (known.0, known.1) == (op, type_id)) {
            return known.2;
        }
        let id = self.literal(op, type_id, &[]);
        self.types.bare.push((op, type_id, id));
        id
    }
}
