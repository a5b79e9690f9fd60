//! Functions around the bodies: helpers, and the entry point with its attributes, buffers, thread
//! and outputs.
//! In: a function and the interface. Out: its draft. Knows no operation, no control flow and no
//! syntax.

use super::{Builder, known};
use crate::backend::interface::{
    FIRST_THREAD_NAME, REGISTERS, Statements, StorageBuffer, defect, output_type, submission,
};
use crate::backend::text::declarations::writes_globals;
use crate::backend::text::draft::{Form, Line, Operand, PLAIN, Placement, Text, View};
use crate::backend::text::names::Word;
use crate::error::Result;
use crate::geometry::{GeometryKernel, GeometryStage};
use crate::interface::{EntryPoint, Interface, Location};
use crate::ir::{Binary, ScalarKind, Type, Value, ValueList};
use crate::support::fields::DrawField;

/// Maximum characters of an output without a name.
const OUTPUT: u16 = 26;

impl Builder<'_> {
    /// Builds a helper function and returns the type of its result.
    pub fn helper(mut self) -> Result<Type> {
        let (ir, parameters) = (self.ir, self.parameters);
        for (&param, name) in ir.get(ir.params).iter().zip(parameters) {
            let argument = self.draft.name(ir.ty(param), "", name);
            self.set(param, argument.view);
        }
        let Some(&[output]) = self.body()? else {
            return Err(defect(format!("helper {} does not have one output", ir.name)));
        };
        let result = self.value(output);
        self.draft.lines.push(Line::Return(result));
        Ok(ir.ty(output))
    }

    /// Builds the entry point.
    pub fn entry(self) -> Result<()> {
        let interface = self.module.source.interface;
        match &interface.entry_point {
            EntryPoint::Vertex | EntryPoint::Quaternions => self.vertex(interface),
            EntryPoint::Stage(stage) => self.stage(stage),
            EntryPoint::Kernel(kernel) => self.geometry(kernel),
            EntryPoint::Compute => self.compute(),
        }
    }

    fn vertex(mut self, interface: &Interface) -> Result<()> {
        let declarations = &self.module.declarations;
        for (attribute, name) in declarations.attributes.iter().zip(self.parameters) {
            let mut input = self.draft.name(attribute.ty, "", name);
            if attribute.ty.kind != ScalarKind::F32
                && declarations.reads.inputs >> attribute.register & 1 != 0
            {
                // Programs compute with floats.
                input = self.draft.add(Form::Build, Type::F32X4, &[input], PLAIN);
            }
            self.inputs[usize::from(attribute.register & 15)] = Some(input);
        }
        // All outputs are zero if no path reaches the end.
        let values = self.body()?;
        if values.is_some_and(|values| values.len() != interface.outputs.len()) {
            return Err(defect(format!("{values:?} for {} outputs", interface.outputs.len())));
        }
        let mut results = Vec::with_capacity(interface.outputs.len() + 1);
        for (&value, output) in values.unwrap_or_default().iter().zip(&interface.outputs) {
            results.push(self.output(&output.name, value));
        }
        if values.is_some() && declarations.ports.len() > results.len() {
            results.push(self.origin());
        }
        if self.module.dialect.has_globals {
            self.store_outputs(&results);
        } else {
            self.return_outputs(&mut results);
        }
        Ok(())
    }

    /// Builds a geometry stage: [`Resource::Input`](crate::ir::Resource::Input) n is vector n of an
    /// invocation.
    fn stage(mut self, stage: &GeometryStage) -> Result<()> {
        for (attribute, name) in self.module.declarations.attributes.iter().zip(self.parameters) {
            for vertex in 0..stage.primitive.vertices() {
                let input = self.draft.name(attribute.ty, &format!("{name}["), &format!("{vertex}]"));
                let register = usize::from(vertex * stage.vectors + attribute.register);
                self.inputs[register & 15] = Some(input);
            }
        }
        self.body().map(|_emitted| ())
    }

    /// Emits a triangle as a strip of its own and returns the number of triangles including it.
    pub(super) fn emit_triangle(&mut self, args: ValueList) -> Result<Operand> {
        let outputs = &self.module.source.interface.outputs;
        let (count, vertices) = submission(self.ir, args, outputs.len())?;
        let count = self.value(count);
        for vertex in vertices.chunks_exact(outputs.len().max(1)) {
            let mut results = Vec::with_capacity(outputs.len() + 1);
            for (&value, output) in vertex.iter().zip(outputs) {
                let (value, ty) = (self.value(value), output_type(output)?);
                results.push(self.first_lanes(value, ty));
            }
            results.push(self.origin());
            self.store_outputs(&results);
            let emit = self.draft.word("EmitVertex");
            self.draft.lines.push(Line::Call(emit));
        }
        let end = self.draft.word("EndPrimitive");
        self.draft.lines.push(Line::Call(end));
        Ok(self.integers(Binary::IAdd, [count, Operand::int(1)], None))
    }

    /// Returns the position that an interface lacks.
    fn origin(&mut self) -> Operand {
        let ty = Type::F32X4;
        Operand { view: self.draft.constant(ty, [0, 0, 0, 1f32.to_bits()]), ty }
    }

    /// Returns the value of an output, labeled with the name of the output.
    fn output(&mut self, name: &str, value: Value) -> Operand {
        let result = self.value(value);
        let added = match result.view {
            View::Whole(_) | View::Const(_) | View::Consts(_) | View::NotFinite(_) => 0,
            View::Lanes(..) => u16::from(result.ty.lanes) + 1,
            View::Splat(_) => 7,
            View::Not(..) => 4,
        };
        if let Some(expr) = result.view.expr() {
            let node = &mut self.draft.nodes[expr as usize];
            // Longer expressions get the name of the output, which documents the return.
            node.limit = OUTPUT - added;
            if let View::Whole(_) = result.view
                && !matches!(node.form, Form::Variable(_) | Form::Text(..))
            {
                self.draft.nodes[expr as usize].label = self.draft.titled("out_", name);
            }
        }
        result
    }

    /// Returns the outputs as a structure, in WGSL.
    fn return_outputs(&mut self, results: &mut [Operand]) {
        for (result, port) in results.iter_mut().zip(&self.module.declarations.ports) {
            if port.location == Location::ClipDistances {
                let array = self.draft.call("array<f32, 2>", "", Word::NONE);
                let lanes = [0, 1].map(|lane| self.draft.lane(*result, lane));
                *result = self.draft.add(array, result.ty, &lanes, PLAIN);
            }
        }
        let outputs = self.draft.add(Form::Outputs, Type::F32X4, results, PLAIN);
        self.draft.lines.push(Line::Return(outputs));
    }

    /// Stores the outputs in variables of their own, in GLSL.
    fn store_outputs(&mut self, results: &[Operand]) {
        if results.is_empty() {
            // Unreachable, but compilers may check that the position is written.
            let mut ports = self.module.declarations.ports.iter();
            let position = ports.find(|port| port.location == Location::Position);
            let name = position.map_or("gl_Position", |port| &port.name);
            self.store_word(name, Operand { view: View::Const(0), ty: Type::F32X4 });
        }
        for (&result, port) in results.iter().zip(&self.module.declarations.ports) {
            match port.location {
                Location::ClipDistances if !writes_globals(self.module.source) => {
                    self.store_word("gl_ClipDistance[0]", self.draft.lane(result, 0));
                    self.store_word("gl_ClipDistance[1]", self.draft.lane(result, 1));
                }
                _variable => self.store_word(&port.name, result),
            }
        }
    }

    fn store_word(&mut self, word: &str, value: Operand) {
        let word = self.draft.word(word);
        self.draft.lines.push(Line::Write { word, index: None, value });
    }

    /// The compute entry: invocation n reads `inputs[n]` and writes `outputs[n]`.
    fn compute(mut self) -> Result<()> {
        let (source, declarations) = (self.module.source, &self.module.declarations);
        let prefix = format!("{}.", self.parameters[0]);
        let id = format!("{prefix}x");
        let invocation = self.draft.name(Type::U32, &prefix, "x");
        let length = Text::unnamed(self.draft.word(self.module.dialect.length), Placement::Line);
        let length = self.draft.add_text(length, Type::U32, &[], PLAIN);
        self.leave_unless(Binary::ULess, invocation, length);
        for register in (0..16u8).filter(|register| declarations.reads.inputs >> register & 1 != 0) {
            let mut attributes = source.interface.attributes.iter();
            let name = attributes.find(|attribute| attribute.register == register);
            let name = name.map_or_else(|| format!("v{register}"), |attribute| attribute.name.clone());
            let label = self.draft.titled("", &name);
            let text = self.draft.word(&format!("{}[{id}][{register}]", StorageBuffer::INPUTS.name));
            let input = self.draft.add_text(Text::unnamed(text, Placement::Line), Type::F32X4, &[], label);
            self.inputs[usize::from(register)] = Some(input);
        }
        let Some(outputs) = self.body()? else { return Ok(()) };
        if outputs.len() != REGISTERS as usize {
            return Err(defect(format!("{} outputs instead of {REGISTERS}", outputs.len())));
        }
        for (register, &value) in outputs.iter().enumerate() {
            let value = self.value(value);
            self.store_word(&format!("{}[{id}][{register}]", StorageBuffer::OUTPUTS.name), value);
        }
        Ok(())
    }

    /// Returns the index of this thread in the dispatch.
    fn thread(&mut self) -> Operand {
        let text = format!("{}({}.x)", self.module.dialect.ty(Type::I32), self.parameters[0]);
        let text = Text::unnamed(self.draft.word(&text), Placement::Line);
        let label = self.draft.titled("", "thread");
        let thread = self.draft.add_text(text, Type::I32, &[], label);
        *self.thread.insert(thread)
    }

    /// Ends the invocation unless a comparison holds.
    fn leave_unless(&mut self, op: Binary, left: Operand, right: Operand) {
        let mut condition = self.integers(op, [left, right], None);
        condition.view = condition.view.negated();
        self.draft.lines.extend([Line::If(condition), Line::Leave, Line::End]);
    }

    /// Builds a geometry program: an early return for threads without work, the body, and stores of
    /// the number of triangles and of the state.
    fn geometry(mut self, kernel: &GeometryKernel) -> Result<()> {
        let mut thread = self.thread();
        if kernel.is_split() {
            let label = self.draft.node(self.draft.nodes.len() as u32 - 1).label;
            let first = self.draft.name(Type::I32, "draw.", FIRST_THREAD_NAME);
            thread = self.draft.add(Form::Binary(Binary::IAdd), Type::I32, &[thread, first], label);
            self.thread = Some(thread);
        }
        let threads = self.draw(DrawField::Threads)?;
        self.leave_unless(Binary::ILess, thread, threads);
        match self.body()? {
            Some(outputs) => self.end_geometry(kernel, outputs),
            None => Ok(()),
        }
    }
}

impl Statements for Builder<'_> {
    type Operand = Operand;

    fn operand(&mut self, value: Value) -> Result<Operand> {
        Ok(self.value(value))
    }

    fn int(&mut self, value: u32) -> Operand {
        Operand::int(value)
    }

    fn integers(&mut self, op: Binary, operands: [Operand; 2], name: Option<&str>) -> Operand {
        if let Some(known) = known(op, operands) {
            return known;
        }
        let label = name.map_or(PLAIN, |name| self.draft.titled("", name));
        self.draft.add(Form::Binary(op), op.result(operands[0].ty), &operands, label)
    }

    fn draw(&mut self, field: DrawField) -> Result<Operand> {
        if field == DrawField::Thread {
            return self.thread.ok_or_else(|| defect("only a compute entry has threads"));
        }
        // Only geometry programs have draw parameters.
        self.kernel()?;
        Ok(self.draft.name(Type::I32, "draw.", field.name()))
    }

    fn store(&mut self, buffer: StorageBuffer, index: Operand, value: Operand) {
        let word = self.draft.word(buffer.name);
        self.draft.operands.push(index);
        let index = Some(self.draft.operands.len() as u32 - 1);
        self.draft.lines.push(Line::Write { word, index, value });
    }

    fn when(&mut self, condition: Operand, then: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.draft.lines.push(Line::If(condition));
        then(self)?;
        self.draft.lines.push(Line::End);
        Ok(())
    }
}
