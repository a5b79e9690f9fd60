//! Reads and writes of a program's interface: input registers, uniform block members, outputs.
//! In: indices of registers and members. Out: loads and stores. Knows no control flow but the
//! bounds check of the compute entry.

use ::spirv::{Op, StorageClass, Word};

use super::function::Body;
use crate::backend::interface::{
    REGISTERS, Statements as _, StorageBuffer, attribute_type, defect, element_type, host_type, is_again,
    member, output_type,
};
use crate::error::Result;
use crate::host::settings::AttributeKind;
use crate::interface::Location;
use crate::ir::{ScalarKind, Type, Value};
use crate::support::entity::bits;
use crate::support::fields::HostField;

/// Bindings of the buffers of the compute entry.
const IN: usize = StorageBuffer::INPUTS.binding as usize;
const OUT: usize = StorageBuffer::OUTPUTS.binding as usize;
/// log2 of the registers of one vertex.
const VERTEX_SHIFT: u32 = REGISTERS.trailing_zeros();

impl Body<'_> {
    /// Writes an early return of the compute entry for invocations outside the output buffer.
    pub(super) fn check_invocation(&mut self) -> Result<()> {
        if !self.source.interface.entry_point.is_compute() {
            return Ok(());
        }
        if self.source.interface.kernel().is_some() {
            return self.begin_kernel();
        }
        let (unsigned, boolean) = (self.w.ty(Type::U32), self.w.ty(Type::BOOL));
        let index = self.invocation();
        let length = self.w.value(Op::ArrayLength, unsigned, &[self.vars.buffers[OUT], 0]);
        // 16 vectors a vertex: a shift divides.
        let shift = self.w.unsigned(VERTEX_SHIFT);
        let vertices = self.w.value(Op::ShiftRightLogical, unsigned, &[length, shift]);
        let outside = self.w.value(Op::UGreaterThanEqual, boolean, &[index, vertices]);
        self.return_if(outside);
        self.base = self.first_register(index);
        Ok(())
    }

    /// Writes a return under a condition.
    pub(super) fn return_if(&mut self, cond: Word) {
        let (stop, go) = (self.w.id(), self.w.id());
        self.selection_merge(go);
        self.w.effect(Op::BranchConditional, &[cond, stop, go]);
        self.place(stop);
        self.w.effect(Op::Return, &[]);
        self.place(go);
    }

    /// Loads the index of this invocation.
    pub(super) fn invocation(&mut self) -> Word {
        let (vector, scalar) = (self.w.ty(Type::new(ScalarKind::U32, 3)), self.w.ty(Type::U32));
        let all = self.w.value(Op::Load, vector, &[self.vars.invocation]);
        self.w.value(Op::CompositeExtract, scalar, &[all, 0])
    }

    /// Returns the index of the buffer element that holds register 0 of an invocation's vertex.
    fn first_register(&mut self, invocation: Word) -> Word {
        let (unsigned, shift) = (self.w.ty(Type::U32), self.w.unsigned(VERTEX_SHIFT));
        self.w.value(Op::ShiftLeftLogical, unsigned, &[invocation, shift])
    }

    /// Loads the input registers that the function after the helpers so far reads, in order.
    pub(super) fn load_inputs(&mut self) {
        let reads = self.s.reads.get(self.s.helpers.len()).copied().unwrap_or_default();
        let vector = self.w.ty(Type::F32X4);
        let source = self.source;
        let is_compute = source.interface.entry_point.is_compute();
        // A helper has no base yet: only the main function checks its invocation.
        if is_compute && reads != 0 && self.base == 0 {
            let invocation = self.invocation();
            self.base = self.first_register(invocation);
        }
        for register in bits(reads.into()) {
            let pointer = match (source.interface.stage(), is_compute) {
                (Some(stage), _) => self.stage_input(stage, register),
                (None, true) => self.buffer_element(IN, register),
                (None, false) => self.vars.inputs[register as usize],
            };
            let kind = source.interface.attribute_kind(register as u8); // Range: below sixteen.
            self.registers[register as usize] = match kind {
                AttributeKind::Float => self.w.value(Op::Load, vector, &[pointer]),
                AttributeKind::Int => self.converted(pointer, kind, Op::ConvertSToF),
                AttributeKind::Uint => self.converted(pointer, kind, Op::ConvertUToF),
            };
        }
    }

    /// Loads an attribute of integers as floats.
    fn converted(&mut self, pointer: Word, kind: AttributeKind, conversion: Op) -> Word {
        let (integers, floats) = (self.w.ty(attribute_type(kind)), self.w.ty(Type::F32X4));
        let loaded = self.w.value(Op::Load, integers, &[pointer]);
        self.w.value(conversion, floats, &[loaded])
    }

    /// Loads a field of the host block.
    pub(super) fn load_host(&mut self, field: HostField) -> Word {
        let ty = self.w.ty(host_type(field));
        let pointer = self.w.pointer(StorageClass::Uniform, ty);
        let member = self.w.unsigned(field.index() as u32);
        let place = self.w.value(Op::AccessChain, pointer, &[self.vars.host, member]);
        self.w.value(Op::Load, ty, &[place])
    }

    /// Returns a pointer to a register of this invocation's vertex.
    fn buffer_element(&mut self, binding: usize, register: u32) -> Word {
        let (unsigned, vector) = (self.w.ty(Type::U32), self.w.ty(Type::F32X4));
        let pointer = self.w.pointer(self.vars.buffer_class.unwrap_or(StorageClass::Uniform), vector);
        let (zero, offset) = (self.w.unsigned(0), self.w.unsigned(register));
        let element = match register {
            0 => self.base,
            _ => self.w.value(Op::IAdd, unsigned, &[self.base, offset]),
        };
        self.w.value(Op::AccessChain, pointer, &[self.vars.buffers[binding], zero, element])
    }

    /// Stores the outputs of the main function and returns.
    pub(super) fn store_outputs(&mut self, values: &[Value]) -> Result<()> {
        let source = self.source;
        if let Some(kernel) = source.interface.kernel() {
            self.end_geometry(kernel, values)?;
        } else if source.interface.stage().is_none() {
            self.store_registers(values)?;
        } else {
            // A geometry stage emitted its vertices on the way.
        }
        self.w.effect(Op::Return, &[]);
        Ok(())
    }

    /// Stores the outputs of a vertex program.
    fn store_registers(&mut self, values: &[Value]) -> Result<()> {
        let source = self.source;
        let is_compute = source.interface.entry_point.is_compute();
        let expected = if is_compute { REGISTERS as usize } else { source.interface.outputs.len() };
        if values.len() != expected {
            return Err(defect(format!("{} outputs, the interface has {expected}", values.len())));
        }
        for (index, &value) in values.iter().enumerate() {
            let output = source.interface.outputs.get(index).filter(|_| !is_compute);
            let (ty, pointer) = match output {
                None => (Type::F32X4, self.buffer_element(OUT, index as u32)),
                Some(output) => (output_type(output)?, self.vars.outputs[index]),
            };
            if self.func.ty(value) != ty {
                return Err(defect(format!("output {index} is {}, not {ty}", self.func.ty(value))));
            }
            let mut id = self.id(value);
            if output.is_some_and(|output| output.location == Location::ClipDistances) {
                id = self.array_of(id, ty);
            }
            self.w.effect(Op::Store, &[pointer, id]);
        }
        Ok(())
    }

    /// Converts a vector of two lanes to an array.
    pub(super) fn array_of(&mut self, vector: Word, ty: Type) -> Word {
        let lane = self.w.ty(ty.with_lanes(1));
        let array = self.w.array(lane, ty.lanes.into(), 0);
        let lanes = [0, 1].map(|index| self.w.value(Op::CompositeExtract, lane, &[vector, index]));
        self.w.value(Op::CompositeConstruct, array, &lanes)
    }

    /// Loads a member of the uniform block, or one element of an array member: by a constant index,
    /// or by an i32 value.
    pub(super) fn load_member(
        &mut self,
        number: u16,
        element: Option<u16>,
        index: Option<Value>,
    ) -> Result<Word> {
        let (data, element) = member(self.source.interface, number, element)?;
        let ty = self.w.ty(element_type(data.ty));
        let pointer = self.w.pointer(StorageClass::Uniform, ty);
        let block = self.vars.blocks[usize::from(is_again(self.source.interface, number))];
        let place = usize::from(number) % self.vars.block_index.len();
        let member = self.w.unsigned(self.vars.block_index[place]);
        let element = match element {
            Some(element) => Some(self.w.unsigned(element.into())),
            None => index.map(|index| self.id(index)),
        };
        let place = match element {
            Some(element) => self.w.value(Op::AccessChain, pointer, &[block, member, element]),
            None => self.w.value(Op::AccessChain, pointer, &[block, member]),
        };
        Ok(self.w.value(Op::Load, ty, &[place]))
    }
}
