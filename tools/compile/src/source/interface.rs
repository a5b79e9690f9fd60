//! Interface of a lowered program: registers, names and types.
//! In: filled by the lowering. Out: read by the back end, by code of the host, by comparisons.
//!
//! | registers | hold |
//! |---|---|
//! | v | [`Attribute`]s, by location |
//! | c, from c0 | [`Uniform`]s that the program reads, then [`Derived`] ones; the rest is free for constants |
//! | c, up to c95 | tables of constants, which the file has |
//! | b, i | [`Flag`]s and [`Count`]s of host expressions |
//!
//! A vector has a register of its own, a matrix one for each row (as citro3d stores it), an array
//! its elements one after the other, a struct its members.

use std::collections::BTreeMap;

use transpica::container::{Semantic, SymbolBank};

use super::data::{Data, Scalar, Shape};
use super::functions::nearest;
use super::host::{Graph, NodeId, Part};
use super::lanes::{Component, Lanes};

/// An attribute of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// v0 to v11: its location.
    pub register: u8,
    /// Its name in the source.
    pub name: String,
    /// Its type. Whole numbers arrive as floats.
    pub shape: Shape,
    /// The program divides it by 255.
    pub is_scaled: bool,
    /// An output depends on it.
    pub is_read: bool,
}

/// An output; the value that the main function yields at the same index has as many lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its semantic. A third lane of texcoord0 is texcoord0.w.
    pub semantic: Semantic,
    /// Its name in the source.
    pub name: String,
    /// 1 to 4; semantics beyond them are not written.
    pub lanes: u8,
    /// Index of the member of the source's result.
    pub member: usize,
    /// Index of the member that is the tangent of this normal.
    pub tangent: Option<usize>,
    /// The line of the statement that stores it, or else returns it, from 1.
    pub line: Option<u32>,
}

/// Registers of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// A scalar, vector or matrix.
    Leaf(Shape),
    /// Members in order.
    Struct(Vec<(String, Layout)>),
    /// Elements in order.
    Array(Box<Layout>, usize),
}

/// A declared uniform: a variable, or a member of a struct variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// Its name, unique.
    pub name: String,
    /// Its struct variable and its name there, where it is a member of one.
    pub member: Option<(String, String)>,
    /// Its type.
    pub layout: Layout,
    /// Its first c register; `None` if only the host reads it.
    pub register: Option<u8>,
}

/// Float registers that the host computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Its name, unique: of a `let` of the source, or a number.
    pub name: String,
    /// Its values, one for each element of a table; a single one otherwise.
    pub nodes: Vec<NodeId>,
    /// The line of the source that computes it first, from 1.
    pub line: Option<usize>,
    /// Its first c register.
    pub register: u8,
    /// Its first lane there.
    pub lane: u8,
}

/// A truth value that the host computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// b0 to b14
    pub register: u8,
    /// Its name, unique.
    pub name: String,
    /// Its value.
    pub node: NodeId,
    /// The line of the source that asks for it first.
    pub line: Option<u32>,
}

/// A number of rounds that the host computes: `(clamp(rounds, 1, 256) - 1, start, step, 0)`. The
/// console counts no further: more rounds of the source are not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// i0 to i3
    pub register: u8,
    /// Its name, unique.
    pub name: String,
    /// A whole number.
    pub node: NodeId,
    /// The line of its loop.
    pub line: Option<u32>,
    /// First value of aL.
    pub start: u8,
    /// Added to aL in each round.
    pub step: u8,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Name of the entry point.
    pub entry: String,
    /// Attributes, by register.
    pub attributes: Vec<Attribute>,
    /// Outputs, in the order of the results of the main function.
    pub outputs: Vec<Output>,
    /// Declared uniforms that the program or the host reads, in order of declaration.
    pub uniforms: Vec<Uniform>,
    /// Values that the host computes for c registers.
    pub derived: Vec<Derived>,
    /// Tables of constants, which the file has: from c95 down, in this order.
    pub tables: Vec<Derived>,
    /// Values that the host computes for b registers.
    pub flags: Vec<Flag>,
    /// Values that the host computes for i registers.
    pub counts: Vec<Count>,
    /// The host's expressions.
    pub host: Graph,
    /// The first c register that is free.
    pub free: u8,
}

/// A register that the host computes.
struct Computed<'a> {
    name: &'a str,
    node: NodeId,
    /// The row of a matrix; of a number of rounds, the first value of aL and what is added to it.
    steps: [u8; 2],
}

/// Values of uniforms in declared form: for each of [`Interface::uniforms`] its registers, by bits
/// of the kind of its type.
pub type UniformValues = Vec<Vec<[u32; 4]>>;

/// Values of all uniform registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UniformRegisters {
    /// c0 to c95
    pub floats: Vec<[f32; 4]>,
    /// i0 to i3
    pub ints: [[u8; 4]; 4],
    /// Bit n is bn.
    pub bools: u16,
}

impl Derived {
    /// Returns whether it is a table of constants that a file holds: numbers of 24 bits, and whole
    /// ones exactly.
    pub(super) fn is_table(&self, host: &Graph) -> bool {
        let is_held = |data: &Data| {
            data.in_registers().into_iter().all(|value| {
                let is_near = data.shape.scalar == Scalar::Float || nearest(value) == value;
                is_near && (value == 0.0 || (1e-18..1e19).contains(&value.abs()))
            })
        };
        self.nodes.len() > 1 && self.nodes.iter().all(|&node| host.constant(node).is_some_and(is_held))
    }
}

impl Layout {
    /// Number of registers.
    pub fn registers(&self) -> usize {
        match self {
            Self::Leaf(shape) => shape.registers(),
            Self::Struct(members) => members.iter().map(|(_, member)| member.registers()).sum(),
            Self::Array(element, count) => element.registers() * count,
        }
    }

    /// All leaves with their first registers, in order.
    pub fn leaves(&self) -> Vec<(usize, Shape)> {
        if let Self::Leaf(shape) = self {
            return vec![(0, *shape)];
        }
        let (mut leaves, mut next) = (Vec::new(), 0);
        let mut work = vec![self];
        while let Some(layout) = work.pop() {
            match layout {
                Self::Leaf(shape) => {
                    leaves.push((next, *shape));
                    next += layout.registers();
                }
                Self::Struct(members) => work.extend(members.iter().rev().map(|(_, member)| member)),
                Self::Array(element, count) => work.extend(std::iter::repeat_n(&**element, *count)),
            }
        }
        leaves
    }
}

impl Interface {
    /// All scalars, vectors and matrices of uniforms.
    pub(super) fn leaves(&self) -> Vec<(Part, Shape)> {
        let of = |(uniform, declared): (usize, &Uniform)| {
            let leaves = declared.layout.leaves().into_iter();
            leaves.map(move |(offset, shape)| (Part { uniform, offset }, shape))
        };
        self.uniforms.iter().enumerate().flat_map(of).collect()
    }

    /// The registers of a table of constants, as near as a file holds them.
    pub(crate) fn rows(&self, table: &Derived) -> Vec<[f32; 4]> {
        let mut rows = Vec::new();
        for data in table.nodes.iter().filter_map(|&node| self.host.constant(node)) {
            let first = rows.len();
            rows.resize(first + Layout::Leaf(data.shape).registers(), [0.0; 4]);
            store(&mut rows, first, 0, data);
        }
        rows.into_iter().map(|row| row.map(nearest)).collect()
    }

    /// Bool and int registers, such as b0, whose values depend on a declared uniform.
    pub fn decided_by(&self, uniform: usize) -> Vec<String> {
        let others = self.host.known(|part: Part| part.uniform != uniform);
        let flags = self.flags.iter().map(|flag| ('b', flag.register, flag.node));
        let all = flags.chain(self.counts.iter().map(|count| ('i', count.register, count.node)));
        let decided = all.filter(|(.., node)| others.get(node.index()) == Some(&false));
        decided.map(|(bank, register, _)| format!("{bank}{register}")).collect()
    }

    /// Registers that the host computes, by bank, number and lane.
    fn computed(&self) -> BTreeMap<(char, usize, u8), Computed<'_>> {
        let mut all = BTreeMap::new();
        for Derived { name, nodes, register, lane, .. } in &self.derived {
            let mut register = usize::from(*register);
            for &node in nodes {
                for row in 0..self.host.shape(node).registers() {
                    let steps = [row as u8, 0];
                    all.insert(('c', register + row, *lane), Computed { name, node, steps });
                }
                register += self.host.shape(node).registers();
            }
        }
        for &Flag { register, ref name, node, .. } in &self.flags {
            all.insert(('b', register.into(), 0), Computed { name, node, steps: [0; 2] });
        }
        for &Count { register, ref name, node, start, step, .. } in &self.counts {
            all.insert(('i', register.into(), 0), Computed { name, node, steps: [start, step] });
        }
        all
    }

    /// Names of registers that the host computes.
    pub fn computed_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.computed().into_values().map(|one| one.name).collect();
        names.dedup();
        names
    }

    /// Names of registers for which two hosts that are given equal uniforms send different values,
    /// as far as their expressions tell: a comparison of both programs for equal registers is none
    /// of both sources. `first` is the number of this program's register that stands for one of the
    /// other's, in a bank.
    pub fn computed_otherwise(&self, other: &Self, first: impl Fn(char, usize) -> usize) -> Vec<String> {
        let part = |part: Part| {
            let name = &other.uniforms.get(part.uniform)?.name;
            let uniform = self.uniforms.iter().position(|one| one.name == *name)?;
            Some(Part { uniform, ..part })
        };
        let declared = |it: &Self| -> Vec<usize> {
            let registers = |one: &Uniform| Some((one.register?.into(), one.layout.registers()));
            let ranges = it.uniforms.iter().filter_map(registers);
            ranges.flat_map(|(first, count): (usize, usize)| first..first + count).collect()
        };
        let (same, here, own) = (self.host.same(&other.host, part), declared(self), self.computed());
        let is_other = |&(&(bank, register, lane), there): &(&(char, usize, u8), &Computed<'_>)| {
            let register = first(bank, register);
            match own.get(&(bank, register, lane)) {
                Some(one) => same[there.node.index()] != Some(one.node) || one.steps != there.steps,
                None => bank == 'c' && here.contains(&register),
            }
        };
        let theirs = other.computed();
        let mut names: Vec<&str> = theirs.iter().filter(is_other).map(|(_, one)| one.name).collect();
        let there: Vec<usize> = declared(other).into_iter().map(|register| first('c', register)).collect();
        let taken = own.iter().filter(|((bank, register, _), _)| *bank == 'c' && there.contains(register));
        names.extend(taken.map(|(_, one)| one.name));
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Reads part of a uniform.
    pub fn part(&self, values: &UniformValues, part: Part, shape: Shape) -> Option<Data> {
        let registers = values.get(part.uniform)?.get(part.offset..)?;
        lanes(shape, |row, lane| registers.get(row)?.get(lane).copied())
    }

    /// Reads part of a uniform for each of several vertices: the uniforms of so many each.
    pub(super) fn parts(
        &self,
        runs: &[(&UniformValues, usize)],
        part: Part,
        shape: Shape,
    ) -> Option<Data<Lanes>> {
        let all = runs.iter().map(|(values, _)| values.get(part.uniform)?.get(part.offset..));
        let all = all.collect::<Option<Vec<_>>>()?;
        let is_there = |row: usize| all.iter().all(|registers| row < registers.len());
        lanes(shape, |row, lane| {
            let bits =
                |(registers, (_, count)): (&&[[u32; 4]], &(_, usize))| (registers[row][lane & 3], *count);
            is_there(row).then(|| Lanes::runs(all.iter().zip(runs).map(bits)))
        })
    }

    /// Computes all registers from the declared uniforms, as generated code of the host does.
    pub fn registers(&self, values: &UniformValues) -> Option<UniformRegisters> {
        let mut all = UniformRegisters { floats: vec![[0.0; 4]; 96], ..UniformRegisters::default() };
        self.registers_onto(values, |_| true, None, &mut all)?;
        Some(all)
    }

    /// Computes the registers that depend on known parts of uniforms only, with a layer just those
    /// that depend on a part of it; others stay.
    pub fn registers_onto(
        &self,
        values: &UniformValues,
        is_known: impl Fn(Part) -> bool,
        layer: Option<&dyn Fn(Part) -> bool>,
        all: &mut UniformRegisters,
    ) -> Option<()> {
        let nodes = self.host.evaluate(&mut |part, shape| self.part(values, part, shape))?;
        let is_new = |part| layer.is_none_or(|is_in| is_in(part));
        let (known, old) = (self.host.known(&is_known), self.host.known(|part| !is_new(part)));
        let has = |all: &[bool], node: &NodeId| all.get(node.index()) == Some(&true);
        let is_written = |node: &NodeId| has(&known, node) && (layer.is_none() || !has(&old, node));
        let value = |node: &NodeId| nodes.get(node.index()).filter(|_| is_written(node)).cloned();
        self.write_registers((values, &self.leaves()), |part| is_known(part) && is_new(part), value, all)
    }

    /// Returns the registers that depend on a scalar, vector or matrix.
    pub fn registers_of(&self, part: Part, shape: Shape) -> Vec<(SymbolBank, usize)> {
        let others = self.host.known(|other| other != part);
        let reads = |node: &NodeId| others.get(node.index()) == Some(&false);
        let floats = |first: usize, shape: Shape| {
            (first..first + shape.registers()).map(|register| (SymbolBank::Float, register))
        };
        let own = self.uniforms.get(part.uniform).and_then(|uniform| uniform.register);
        let mut all: Vec<_> =
            own.into_iter().flat_map(|own| floats(usize::from(own) + part.offset, shape)).collect();
        for derived in &self.derived {
            let mut register = usize::from(derived.register);
            for node in &derived.nodes {
                let shape = self.host.shape(*node);
                all.extend(floats(register, shape).filter(|_| reads(node)));
                register += shape.registers();
            }
        }
        let flags = self.flags.iter().map(|flag| (SymbolBank::Bool, flag.register, &flag.node));
        let counts = self.counts.iter().map(|count| (SymbolBank::Int, count.register, &count.node));
        let scalars = flags.chain(counts).filter(|(.., node)| reads(node));
        all.extend(scalars.map(|(bank, register, _)| (bank, register.into())));
        all
    }

    /// Computes all registers of several vertices, at most [`VERTICES`].
    pub fn registers_of_all(&self, values: &[&UniformValues]) -> Option<Vec<UniformRegisters>> {
        let runs: Vec<_> = values.iter().map(|values| (*values, 1)).collect();
        let nodes = self.host.evaluate(&mut |part, shape| self.parts(&runs, part, shape))?;
        let leaves = self.leaves();
        let of = |(vertex, values): (usize, &&UniformValues)| {
            let mut all = UniformRegisters { floats: vec![[0.0; 4]; 96], ..UniformRegisters::default() };
            let value = |node: &NodeId| {
                let data = nodes.get(node.index())?;
                Some(Data::new(data.shape, data.lanes.iter().map(|lanes| lanes.get(vertex)).collect()))
            };
            self.write_registers((values, &leaves), |_| true, value, &mut all)?;
            Some(all)
        };
        values.iter().enumerate().map(of).collect()
    }

    /// Writes registers of uniforms, and of the values that nodes have.
    fn write_registers(
        &self,
        (values, leaves): (&UniformValues, &[(Part, Shape)]),
        is_known: impl Fn(Part) -> bool,
        value: impl Fn(&NodeId) -> Option<Data>,
        all: &mut UniformRegisters,
    ) -> Option<()> {
        for &(part, shape) in leaves.iter().filter(|(part, _)| is_known(*part)) {
            let Some(first) = self.uniforms.get(part.uniform)?.register else { continue };
            let (rows, width) = if shape.is_matrix() { (shape.rows, shape.columns) } else { (1, shape.rows) };
            let from = values.get(part.uniform)?.get(part.offset..)?.get(..rows.into())?;
            let to = all.floats.get_mut(usize::from(first) + part.offset..)?;
            for (from, to) in from.iter().zip(to) {
                let lanes = from.iter().zip(to).take(width.into());
                lanes.for_each(|(bits, lane)| *lane = shape.scalar.in_register(*bits));
            }
        }
        for derived in self.derived.iter().chain(&self.tables) {
            let mut register = usize::from(derived.register);
            for node in &derived.nodes {
                if let Some(data) = value(node) {
                    store(&mut all.floats, register, derived.lane.into(), &data)?;
                }
                register += self.host.shape(*node).registers();
            }
        }
        for flag in &self.flags {
            if let Some(data) = value(&flag.node) {
                all.bools &= !(1 << flag.register);
                all.bools |= u16::from(data.truth()?) << flag.register;
            }
        }
        for count in &self.counts {
            if let Some(data) = value(&count.node) {
                let rounds = u8::try_from(data.whole()?.clamp(1, 256) - 1).ok()?;
                *all.ints.get_mut(usize::from(count.register))? = [rounds, count.start, count.step, 0];
            }
        }
        Some(())
    }
}

/// Collects the lanes of a shape from registers.
fn lanes<L: Component>(shape: Shape, at: impl Fn(usize, usize) -> Option<L>) -> Option<Data<L>> {
    let rows = usize::from(shape.rows);
    // Registers are rows, the lanes of a matrix go by columns.
    let lane = |lane: usize| if shape.is_matrix() { at(lane % rows, lane / rows) } else { at(0, lane) };
    Some(Data::new(shape, (0..shape.lanes()).map(lane).collect::<Option<_>>()?))
}

/// Writes a value to registers from a lane on.
fn store(floats: &mut [[f32; 4]], register: usize, first: usize, data: &Data) -> Option<()> {
    let rows = usize::from(data.shape.rows);
    for (lane, value) in data.in_registers().into_iter().enumerate() {
        let (row, lane) = if data.shape.is_matrix() { (lane % rows, lane / rows) } else { (0, first + lane) };
        *floats.get_mut(register + row)?.get_mut(lane)? = value;
    }
    Some(())
}

impl Shape {
    /// Number of registers: a matrix has one for each row.
    pub fn registers(self) -> usize {
        if self.is_matrix() { self.rows.into() } else { 1 }
    }

    /// Its name in WGSL, for reports.
    pub fn name(self) -> String {
        let scalar = match self.scalar {
            Scalar::Float => "f32",
            Scalar::Int => "i32",
            Scalar::Uint => "u32",
            Scalar::Bool => "bool",
        };
        match (self.columns, self.rows) {
            (1, 1) => scalar.to_string(),
            (1, rows) => format!("vec{rows}<{scalar}>"),
            (columns, rows) => format!("mat{columns}x{rows}<{scalar}>"),
        }
    }
}
