//! Types and constants, each written once.
//! In: types of the intermediate form, bits of constants. Out: their ids; the instructions go to
//! the global section on first use. Ids depend on the order of uses only, never on hash order.
//! SPIR-V 2.8: types that are not aggregates may not be declared twice.

use std::hash::{Hash, Hasher};

use ::spirv::{Decoration, Op, StorageClass, Word};

use super::writer::{Section, Writer};
use crate::ir::{ScalarKind, Type};
use crate::support::entity::Interner;
use crate::support::fields::SpecId;

/// Types and constants so far.
#[derive(Default)]
pub(super) struct Types {
    /// Scalars and vectors by kind and lanes; 0 before the first use.
    values: [[Word; 4]; 4],
    /// Opcode, up to three operands, and id of every other instruction that is written once.
    known: Vec<([Word; 4], Word)>,
    /// Position of each function type in the global section.
    functions: Vec<usize>,
    /// Constants; `constant_ids` has their ids.
    constants: Interner<Constant>,
    constant_ids: Vec<Word>,
}

/// A constant of a type, with two lanes in each word: constants are the most frequent look-ups.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Constant {
    ty: Type,
    words: [u64; 2],
}

impl Hash for Constant {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.words[0]);
        state.write_u64(self.words[1]);
        state.write_u16(u16::from(self.ty.lanes) << 8 | self.ty.kind as u16);
    }
}

impl Types {
    /// Forgets everything, keeps the memory.
    pub(super) fn start(&mut self) {
        self.values = Default::default();
        self.known.clear();
        self.functions.clear();
        self.constants.clear();
        self.constant_ids.clear();
    }
}

impl Writer {
    /// Appends a type.
    fn new_type(&mut self, op: Op, operands: &[Word]) -> Word {
        let id = self.id();
        self.put_list(Section::Globals, op, &[id], operands);
        id
    }

    /// Appends a constant or a variable.
    fn new_global(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let id = self.id();
        self.put_list(Section::Globals, op, &[ty, id], operands);
        id
    }

    /// Returns the id of an instruction that is written once.
    fn once(&mut self, op: Op, operands: [Word; 3], write: impl FnOnce(&mut Self) -> Word) -> Word {
        let key = [op as Word, operands[0], operands[1], operands[2]];
        // A module has few of these, so a linear search suffices.
        if let Some(&(_, id)) = self.types.known.iter().find(|(known, _)| *known == key) {
            return id;
        }
        let id = write(self);
        self.types.known.push((key, id));
        id
    }

    /// Returns a scalar or vector type.
    #[inline]
    pub(super) fn ty(&mut self, ty: Type) -> Word {
        debug_assert!((1..=4).contains(&ty.lanes));
        let lane = usize::from(ty.lanes.clamp(1, 4)) - 1;
        let id = self.types.values[ty.kind as usize][lane];
        // SPIR-V has no id 0, so 0 marks types that are not declared yet.
        if id != 0 { id } else { self.new_value_type(ty, lane) }
    }

    #[cold]
    fn new_value_type(&mut self, ty: Type, lane: usize) -> Word {
        let id = if lane > 0 {
            let scalar = self.ty(ty.with_lanes(1));
            self.new_type(Op::TypeVector, &[scalar, lane as Word + 1])
        } else {
            match ty.kind {
                ScalarKind::F32 => self.new_type(Op::TypeFloat, &[32]),
                ScalarKind::I32 => self.new_type(Op::TypeInt, &[32, 1]),
                ScalarKind::U32 => self.new_type(Op::TypeInt, &[32, 0]),
                ScalarKind::Bool => self.new_type(Op::TypeBool, &[]),
            }
        };
        self.types.values[ty.kind as usize][lane] = id;
        id
    }

    /// `void`
    pub(super) fn void(&mut self) -> Word {
        self.once(Op::TypeVoid, [0; 3], |w| w.new_type(Op::TypeVoid, &[]))
    }

    /// Returns an array of `element`; a runtime array if `count` is 0. Variables outside blocks
    /// require one without a layout, with the stride 0.
    pub(super) fn array(&mut self, element: Word, count: u32, stride: Word) -> Word {
        // The stride is a decoration of the type, so arrays of different strides are different
        // types.
        self.once(Op::TypeArray, [element, count, stride], |w| {
            let id = if count == 0 {
                w.new_type(Op::TypeRuntimeArray, &[element])
            } else {
                let length = w.unsigned(count);
                w.new_type(Op::TypeArray, &[element, length])
            };
            if stride > 0 {
                w.decorate(id, Decoration::ArrayStride, stride);
            }
            id
        })
    }

    /// Returns a specialization constant, a bool or an i32; false or 0 unless set.
    pub(super) fn specialized(&mut self, id: SpecId) -> Word {
        self.once(Op::SpecConstant, [id.get().into(), 0, 0], |w| {
            let is_int = id.component().is_some();
            let ty = w.ty(if is_int { Type::I32 } else { Type::BOOL });
            let constant = if is_int {
                w.new_global(Op::SpecConstant, ty, &[0])
            } else {
                w.new_global(Op::SpecConstantFalse, ty, &[])
            };
            w.decorate(constant, Decoration::SpecId, id.get().into());
            w.name(constant, &id.to_string());
            constant
        })
    }

    /// Returns a new struct type: decorations of two equal structs must not mix.
    pub(super) fn structure(&mut self, members: &[Word]) -> Word {
        self.new_type(Op::TypeStruct, members)
    }

    /// Returns a pointer type.
    pub(super) fn pointer(&mut self, class: StorageClass, to: Word) -> Word {
        let class = class as Word;
        self.once(Op::TypePointer, [class, to, 0], |w| w.new_type(Op::TypePointer, &[class, to]))
    }

    /// Returns a new variable of the module.
    pub(super) fn variable(&mut self, class: StorageClass, of: Word) -> Word {
        let pointer = self.pointer(class, of);
        self.new_global(Op::Variable, pointer, &[class as Word])
    }

    /// Returns a function type; `signature` is the type of the result, then those of the
    /// parameters.
    pub(super) fn function_type(&mut self, signature: &[Word]) -> Word {
        let globals = &self.sections[Section::Globals as usize];
        let head = (2 + signature.len() as Word) << 16 | Op::TypeFunction as Word;
        // Compares opcode, length and operands; the result id between them is skipped.
        let is_equal = |&&at: &&usize| globals[at] == head && globals[at + 2..].starts_with(signature);
        if let Some(&at) = self.types.functions.iter().find(is_equal) {
            return globals[at + 1];
        }
        self.types.functions.push(globals.len());
        self.new_type(Op::TypeFunction, signature)
    }

    /// Returns a constant. Lanes beyond those of the type must be 0. Floats must be finite
    /// (drivers.md#naga-infinity).
    #[inline]
    pub(super) fn constant(&mut self, ty: Type, bits: [u32; 4]) -> Word {
        let [x, y, z, w] = bits.map(u64::from);
        self.find_constant(ty, x | y << 32, z | w << 32)
    }

    /// Returns an unsigned integer constant.
    pub(super) fn unsigned(&mut self, value: u32) -> Word {
        self.constant(Type::U32, [value, 0, 0, 0])
    }

    /// Returns a constant, given by pairs of lanes.
    fn find_constant(&mut self, ty: Type, low: u64, high: u64) -> Word {
        let constant = Constant { ty, words: [low, high] };
        let (number, is_new) = self.types.constants.intern(constant);
        if is_new { self.new_constant(number, constant) } else { self.types.constant_ids[number] }
    }

    #[cold]
    fn new_constant(&mut self, number: usize, Constant { ty, words }: Constant) -> Word {
        // It has its number already, so that it is hashed once; its lanes get theirs below.
        self.types.constant_ids.push(0);
        let type_id = self.ty(ty);
        let lane = |index: usize| (words[index / 2] >> (32 * (index % 2))) as u32; // Range: the lower half.
        let id = if ty.lanes > 1 {
            let mut parts = [0; 4];
            let parts = &mut parts[..usize::from(ty.lanes.min(4))];
            for (index, part) in parts.iter_mut().enumerate() {
                *part = self.find_constant(ty.with_lanes(1), lane(index).into(), 0);
            }
            self.new_global(Op::ConstantComposite, type_id, parts)
        } else {
            match ty.kind {
                ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32 => {
                    self.new_global(Op::Constant, type_id, &[lane(0)])
                }
                ScalarKind::Bool if lane(0) != 0 => self.new_global(Op::ConstantTrue, type_id, &[]),
                ScalarKind::Bool => self.new_global(Op::ConstantFalse, type_id, &[]),
            }
        };
        self.types.constant_ids[number] = id;
        id
    }

    /// Returns a value that depends on its type alone: `OpConstantNull` for a value that no path
    /// defines, `OpUndef` for a dead value. naga's reader accepts `OpUndef` among the constants,
    /// but not in functions (drivers.md#naga-undefined).
    pub(super) fn bare(&mut self, op: Op, ty: Type) -> Word {
        let ty = self.ty(ty);
        self.once(op, [ty, 0, 0], |w| w.new_global(op, ty, &[]))
    }
}
