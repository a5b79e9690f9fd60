//! One expression for each operation of the IR.
//! In: an item that evaluates a value. Out: expressions in the draft. Knows no control flow and no
//! syntax.

use super::{Builder, known};
use crate::backend::interface::{Statements as _, StorageBuffer, defect, is_again, member, not_legal};
use crate::backend::text::draft::{Expr, Form, Label, Line, Operand, PLAIN, Placement, Reader, Text, View};
use crate::backend::text::names::Word;
use crate::backend::text::products::Product;
use crate::backend::text::put::put;
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::ir::{
    Array, Binary, Buffer, Def, Hint, HintRegister, Op, Resource, ScalarKind, Type, Unary, Value, ValueList,
};
use crate::machine::precision::bits::{INFINITY, MAGNITUDE};

impl<'a> Builder<'a> {
    /// Adds the evaluation of a value.
    #[inline(always)]
    pub fn item(&mut self, value: Value) -> Result<()> {
        let data = self.ir.values.get(value).ok_or_else(|| defect(format!("{value} does not exist")))?;
        let Def::Op(op) = data.def else {
            return Err(defect(format!("{value} is not an operation")));
        };
        let mut hint = data.hint;
        if self.is_sourced {
            self.begin_procedure(value);
            hint = self.named_hint(value);
        }
        let first = self.draft.nodes.len() as Expr;
        let view = self.operation(value, op, data.ty, Label::Hint(hint))?;
        self.draft.views[value.0 as usize] = Some(Operand { view, ty: data.ty });
        if self.draft.is_traced {
            self.draft.origins.push((first, self.draft.nodes.len() as Expr, value));
        }
        Ok(())
    }

    /// Returns the register that a value came from: by its name, if the source gives it one there.
    fn named_hint(&mut self, value: Value) -> Hint {
        let hint = self.ir.values[value].hint;
        let (HintRegister::Temp(_) | HintRegister::Output(_), Some(source)) =
            (hint.register, self.module.source.debug_source)
        else {
            return hint;
        };
        let pc = self.ir.place(value).and_then(|place| place.pc);
        let register = pc
            .and_then(|pc| source.destination(pc))
            .map_or(hint.register, |name| self.draft.words.named(hint.register, name));
        Hint { register, ..hint }
    }

    /// Notes where the procedure of the operations changes.
    fn begin_procedure(&mut self, value: Value) {
        let procedures = &self.module.source.interface.procedures;
        // What passes add belongs to the operations around it.
        let pc = self.ir.place(value).and_then(|place| place.pc);
        let Some(pc) = pc.filter(|_| !procedures.is_empty()) else { return };
        let found = procedures.iter().position(|procedure| procedure.holds(pc)).map(|index| index as u16);
        if self.procedure != Some(found) {
            self.procedure = Some(found);
            self.draft.lines.push(Line::Procedure(found));
        }
    }

    #[inline(always)]
    fn operation(&mut self, value: Value, op: Op, ty: Type, label: Label) -> Result<View> {
        let (form, operands): (Form, &[Operand]) = match op {
            Op::Unary(step, _) if step.is_pica() => return Err(not_legal(op)),
            Op::Binary(step, ..) if step.is_pica() => return Err(not_legal(op)),
            Op::Const(bits) => return Ok(self.draft.constant(ty, bits)),
            Op::Shuffle(lanes) => return Ok(self.shuffle(ty, lanes, label)),
            Op::Read(resource) => return self.read(resource, ty),
            Op::ReadAt(array, index) => return self.read_at(array, index, ty),
            // No expression: the use writes `!x`, or the opposite of an integer comparison.
            Op::Unary(Unary::Not, operand) if ty.lanes == 1 => {
                return Ok(self.value(operand).view.negated());
            }
            Op::Submit { args } => {
                if self.module.source.interface.stage().is_some() {
                    self.label_vertices(args, self.module.source.interface.outputs.len());
                    return Ok(self.emit_triangle(args)?.view);
                }
                let vectors = self.kernel()?.vectors;
                self.label_vertices(args, vectors as usize);
                return Ok(self.submit_triangle(self.ir, args, vectors)?.view);
            }
            Op::Call { helper, args } => {
                if usize::from(helper) >= self.module.helpers.len() {
                    return Err(defect(format!("there is no helper {helper}")));
                }
                let args = self.ir.get(args);
                if let (&[index], ScalarKind::F32) = (args, ty.kind)
                    && let Some((reader, index)) = self.relative(helper, index)?
                {
                    return Ok(self.draft.add(reader, ty, &[index], label).view);
                }
                let form = Form::Call(helper.into());
                match args {
                    &[a] => (form, &[self.value(a)]),
                    &[a, b] => (form, &[self.value(a), self.value(b)]),
                    &[a, b, c] => (form, &[self.value(a), self.value(b), self.value(c)]),
                    _several => (form, &args.iter().map(|&arg| self.value(arg)).collect::<Vec<_>>()[..]),
                }
            }
            Op::Unary(Unary::IsNan, operand) => return Ok(self.is_nan(operand, label)),
            Op::Unary(op, operand) => (Form::Unary(op), &[self.value(operand)]),
            Op::Binary(op, left, right) => {
                let lane = if op == Binary::Dot { self.product(value)? } else { None };
                if let Some(lane) = lane {
                    return Ok(lane);
                }
                let operands = self.pair(op, left, right);
                return Ok(self.binary(op, operands, ty, label));
            }
            // One condition for all lanes is `?:` in GLSL; a vector of them needs a function.
            Op::Select { cond, a, b } => {
                let condition = match self.repeated(cond) {
                    Some(scalar) => scalar,
                    None => self.value(cond),
                };
                (Form::Select, &[condition, self.value(a), self.value(b)])
            }
        };
        Ok(self.draft.add(form, ty, operands, label).view)
    }

    /// Returns the lane that a dot product is of the product of a vector and a matrix, which its
    /// first lane evaluates.
    fn product(&mut self, value: Value) -> Result<Option<View>> {
        let products = &self.module.declarations.products;
        // Numbers of values are those of the main function.
        if products.is_empty() || !std::ptr::eq(self.ir, &raw const self.module.source.module.main) {
            return Ok(None);
        }
        if let Ok(index) = products.binary_search_by_key(&value, |product| product.first) {
            let Product { member, vector, dots, lanes, .. } = products[index];
            let ty = Type::F32.with_lanes(lanes);
            let matrix = Operand { view: self.member(Type::F32X4, member, None, &[])?, ty: Type::F32X4 };
            let operands = [self.value(vector), matrix];
            let label = self.product_label(&dots[..usize::from(lanes)]);
            let product = self.draft.add(Form::Binary(Binary::Mul), ty, &operands, label);
            for (lane, dot) in (0..).zip(dots) {
                let lane = self.draft.lane(product, lane).view;
                dot.into_iter().for_each(|dot| self.set(dot, lane));
            }
        }
        // A dot product before the first one, which a loop evaluates early, is no lane.
        Ok(self.draft.views.get(value.0 as usize).copied().flatten().map(|lane| lane.view))
    }

    /// Returns the register of which dot products are the components in order.
    fn product_label(&mut self, dots: &[Option<Value>]) -> Label {
        let mut hint = |lane: usize| dots[lane].map_or(Hint::default(), |dot| self.named_hint(dot));
        let register = hint(0).register;
        if (0..dots.len()).all(|lane| hint(lane) == Hint { register, mask: 1 << lane }) {
            return Label::Hint(Hint { register, mask: (1 << dots.len()) - 1 });
        }
        PLAIN
    }

    /// Labels what is stored of each vertex with the names of the outputs.
    fn label_vertices(&mut self, args: ValueList, vectors: usize) {
        let outputs = &self.module.source.interface.outputs;
        for (index, &value) in self.ir.get(args).iter().skip(1).enumerate() {
            let Some(output) = outputs.get(index % vectors.max(1)) else { continue };
            if let View::Whole(expr) = self.view(value).view
                && self.draft.node(expr).label == PLAIN
            {
                self.draft.nodes[expr as usize].label = self.draft.titled("out_", &output.name);
            }
        }
    }

    /// Adds an operation on two operands, unless its result is known or its text is shorter in
    /// another form.
    fn binary(&mut self, op: Binary, operands: [Operand; 2], ty: Type, label: Label) -> View {
        if let Some(known) = known(op, operands) {
            return known.view;
        }
        let expr = match self.quantified(op, operands) {
            Some((form, vector)) => self.draft.add(form, ty, &[vector], label),
            None => self.draft.add(Form::Binary(op), ty, &operands, label),
        };
        expr.view
    }

    /// Asks for NaN by bits: WGSL has no function, and `isnan` of GLSL may always be false
    /// (drivers.md#glsl-nan).
    fn is_nan(&mut self, operand: Value, label: Label) -> View {
        let operand = self.value(operand);
        let ty = operand.ty.with_kind(ScalarKind::U32);
        let [magnitude, infinity] = [MAGNITUDE, INFINITY].map(|bits| Operand { view: View::Const(bits), ty });
        let bits = self.draft.add(Form::Unary(Unary::ToBits), ty, &[operand], PLAIN);
        let bits = self.draft.add(Form::Binary(Binary::BitAnd), ty, &[bits, magnitude], PLAIN);
        let form = Form::Binary(Binary::ULess);
        self.draft.add(form, ty.with_kind(ScalarKind::Bool), &[infinity, bits], label).view
    }

    fn read(&mut self, resource: Resource, ty: Type) -> Result<View> {
        match resource {
            Resource::Input(register) => {
                let input = self.inputs.get(usize::from(register)).copied().flatten();
                let input = input.ok_or_else(|| defect(format!("input v{register} is not declared")));
                Ok(input?.view)
            }
            Resource::Draw(field) => Ok(self.draw(field)?.view),
            Resource::Host(field) => {
                let [_, prefix, _] = &self.module.declarations.prefixes;
                Ok(self.draft.name(ty, prefix, field.name()).view)
            }
            Resource::Specialized(id) => Ok(self.draft.name(ty, "", &id.to_string()).view),
            Resource::Member { member, element } => self.member(ty, member, Some(element), &[]),
            Resource::Index { member: number, element } => {
                let interface = self.module.source.interface;
                let (data, _) = member(interface, number, Some(element))?;
                let array = self.module.declarations.array(&interface.block, data, element);
                let [index, subject] = [self.index(array, element), self.element(array, element, "")];
                let text = Text::unnamed(index, Placement::Anywhere);
                let text = Text { subject, is_index: true, is_memory: false, ..text };
                Ok(self.draft.add_text(text, ty, &[], PLAIN).view)
            }
            Resource::Uniform(_) | Resource::IntUniform { .. } | Resource::BoolUniform(_) => {
                Err(not_legal(Op::Read(resource)))
            }
        }
    }

    /// Reads an element by an index.
    fn read_at(&mut self, array: Array, value: Value, ty: Type) -> Result<View> {
        let index = self.value(value);
        let buffer = match array {
            Array::Member(member) => return self.member(ty, member, None, &[index]),
            Array::Buffer(buffer) => buffer,
            Array::Uniform(_) => return Err(not_legal(Op::ReadAt(array, value))),
        };
        // The feed is read-only, so its reads may move to their use. The state is written at the
        // end of the function.
        let (buffer, name, stay) = match (buffer, StorageBuffer::state(self.kernel()?)) {
            (Buffer::Feed, _) => (StorageBuffer::FEED, "vertex", Placement::Line),
            (Buffer::State, Some(state)) => (state, "word", Placement::OnlyLine),
            (Buffer::State, None) => return Err(defect("there is no state")),
        };
        let label = self.draft.titled("", name);
        let text = Text::unnamed(self.draft.word(buffer.name), stay);
        Ok(self.draft.add_text(text, ty, &[index], label).view)
    }

    /// Returns the call of a function for elements of a named array and its argument, if the index
    /// of an element is that of the array in its member and something else.
    fn relative(&mut self, helper: u16, index: Value) -> Result<Option<(Form, Operand)>> {
        let def = |value: Value| self.ir.values.get(value).map(|data| data.def);
        let Some(Def::Op(Op::Binary(Binary::IAdd, first, index))) = def(index) else { return Ok(None) };
        let Some(Def::Op(Op::Read(Resource::Index { member: number, element }))) = def(first) else {
            return Ok(None);
        };
        let interface = self.module.source.interface;
        let (data, _) = member(interface, number, Some(element))?;
        // Readers are functions on arrays of the first block.
        if is_again(interface, number) {
            return Ok(None);
        }
        let Some((array, ahead)) = self.module.declarations.array(&interface.block, data, element) else {
            return Ok(None);
        };
        let Some(name) = self.module.readers.get(usize::from(array)) else { return Ok(None) };
        let reader = Reader { array, helper };
        if !self.draft.readers.contains(&reader) {
            self.draft.readers.push(reader);
        }
        let operands = [self.value(index), Operand::int(ahead.into())];
        let view = self.binary(Binary::IAdd, operands, Type::I32, PLAIN);
        let array = self.draft.word(&interface.block.names[usize::from(array)].name);
        let form = self.draft.call(name, "", array);
        Ok(Some((form, Operand { view, ty: Type::I32 })))
    }

    /// Returns the operands of an operation. A factor that repeats a scalar is passed as the
    /// scalar.
    fn pair(&mut self, op: Binary, left: Value, right: Value) -> [Operand; 2] {
        if op == Binary::Mul {
            if let Some(scalar) = self.repeated(left) {
                return [scalar, self.value(right)];
            }
            if let Some(scalar) = self.repeated(right) {
                return [self.value(left), scalar];
            }
        }
        [self.value(left), self.value(right)]
    }

    /// Returns the vector of conditions of which `||` asks every lane, or `&&`.
    fn quantified(&self, op: Binary, operands: [Operand; 2]) -> Option<(Form, Operand)> {
        /// Operands of a tree over four lanes, with room to spare.
        const NODES: usize = 8;
        let form = match op {
            Binary::Or => Form::Any,
            Binary::And => Form::All,
            _other_operations => return None,
        };
        let (mut vector, mut lanes) = (None, 0u8);
        let (mut work, mut count) = ([operands[0]; NODES + 2], 2usize);
        work[1] = operands[1];
        for _ in 0..NODES {
            let Some(next) = count.checked_sub(1) else { break };
            count = next;
            match work[next].view {
                View::Lanes(expr, pattern) if *vector.get_or_insert(expr) == expr => {
                    lanes |= 1 << pattern.lane(0);
                }
                View::Whole(expr) if self.draft.node(expr).form == Form::Binary(op) => {
                    let inner = self.draft.operands(expr);
                    work[count..][..inner.len()].copy_from_slice(inner);
                    count += inner.len();
                }
                _other_condition => return None,
            }
        }
        let expr = vector.filter(|_| count == 0)?;
        let ty = self.draft.node(expr).ty;
        (operands[0].ty.lanes == 1 && lanes == (1 << ty.lanes) - 1)
            .then_some((form, Operand { view: View::Whole(expr), ty }))
    }

    /// Reads an element of a member of the uniform block, by a constant index or by an operand.
    fn member(&mut self, ty: Type, number: u16, element: Option<u16>, index: &[Operand]) -> Result<View> {
        let interface = self.module.source.interface;
        let (data, element) = member(interface, number, element)?;
        let declarations = &self.module.declarations;
        let name = &declarations.members[usize::from(number)];
        let start = self.draft.words.end();
        self.draft.word(&declarations.prefixes[if is_again(interface, number) { 2 } else { 0 }]);
        let mut subject = self.draft.word(name);
        let mut place = self.draft.words.since(start);
        if let Some(element) = element {
            let array = declarations.array(&interface.block, data, element);
            self.draft.word("[");
            self.index(array, element);
            self.draft.word("]");
            place = self.draft.words.since(start);
            subject = self.element(array, element, name);
        }
        // Uniforms do not change during a run, but the index may be a variable that a loop changes:
        // only reads without one may move anywhere.
        let placement = if index.is_empty() { Placement::Anywhere } else { Placement::Line };
        let text = Text { subject, ..Text::unnamed(place, placement) };
        Ok(self.draft.add_text(text, ty, index, PLAIN).view)
    }

    /// Adds the index of an element of a member: `palette + 1` in a named array, else `5`.
    fn index(&mut self, array: Option<(u16, u16)>, element: u16) -> Word {
        let declarations = &self.module.declarations;
        self.draft.words.add(|out| match array {
            None => put!(out, element),
            Some((array, ahead)) => {
                out.push_str(&declarations.offsets[usize::from(array)].0);
                if ahead > 0 {
                    put!(out, " + ", ahead);
                }
            }
        })
    }

    /// Adds the name of an element of a member: `palette_1` in a named array, else `modelView_1`,
    /// but `c5`.
    fn element(&mut self, array: Option<(u16, u16)>, element: u16, name: &str) -> Word {
        let block = &self.module.source.interface.block;
        self.draft.words.add(|out| match array {
            None => {
                put!(out, name, if name.len() > 1 { "_" } else { "" }, element);
            }
            Some((array, ahead)) => {
                out.push_str(&block.names[usize::from(array)].name);
                if ahead > 0 {
                    put!(out, "_", ahead);
                }
            }
        })
    }

    /// Returns the geometry program of the interface.
    pub fn kernel(&self) -> Result<&'a GeometryKernel> {
        let kernel = self.module.source.interface.kernel();
        kernel.ok_or_else(|| defect("only a geometry program has buffers and triangles"))
    }
}
