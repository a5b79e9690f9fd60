//! Code between the intermediate form and text: machine operations on scalar variables.
//! Knows neither the intermediate form nor which register a variable gets.

use std::fmt;

use transpica::isa::{CompareOp, ConditionOp, DataOp, Index, Pc};

use super::vertices::Setting;

transpica::define_handle! {
    /// A scalar variable: one component of a temporary.
    Var, "t";
}

/// Storage that one lane of an operand is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// A variable.
    Var(Var),
    /// A component of v0..v15.
    Input { register: u8, component: u8 },
    /// A component of a float uniform.
    Uniform { register: u8, index: Index, component: u8 },
    /// A constant, which gets a uniform of its own.
    Const(u32),
}

/// One lane of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub home: Home,
    pub negate: bool,
}

/// Register that all lanes of one operand share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Var,
    Input(u8),
    Uniform(u8, Index),
    Const,
}

impl Source {
    pub const fn plain(home: Home) -> Self {
        Self { home, negate: false }
    }
    pub const fn var(var: Var) -> Self {
        Self::plain(Home::Var(var))
    }
    pub fn as_var(self) -> Option<Var> {
        if let Home::Var(var) = self.home { Some(var) } else { None }
    }
    pub fn class(self) -> (Class, bool) {
        let class = match self.home {
            Home::Var(_) => Class::Var,
            Home::Input { register, .. } => Class::Input(register),
            Home::Uniform { register, index, .. } => Class::Uniform(register, index),
            Home::Const(_) => Class::Const,
        };
        (class, self.negate)
    }
}

/// A component that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Var(Var),
    Output { register: u8, component: u8 },
}

impl Target {
    /// Its output register, if it is one.
    pub fn output(&self) -> Option<u8> {
        if let Self::Output { register, .. } = *self { Some(register) } else { None }
    }
    pub fn as_var(self) -> Option<Var> {
        if let Self::Var(var) = self { Some(var) } else { None }
    }
}

/// Correspondence of the targets and lanes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Target n from lane n of each operand.
    Each,
    /// Every target from all lanes.
    All,
}

/// An instruction that computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inst {
    pub op: DataOp,
    pub targets: Vec<Target>,
    pub sources: Vec<Vec<Source>>,
    /// Place in the source.
    pub pc: Option<Pc>,
}

impl Inst {
    pub fn lanes(&self) -> Lanes {
        lanes(self.op)
    }
}

/// Numbers from 0 on in groups of equal keys, in order.
pub(super) fn grouped<K: PartialEq>(count: usize, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for n in 0..count {
        match groups.iter_mut().find(|group| key(group[0]) == key(n)) {
            Some(group) => group.push(n),
            None => groups.push(vec![n]),
        }
    }
    groups
}

/// Correspondence of targets and lanes.
pub(super) fn lanes(op: DataOp) -> Lanes {
    match op {
        DataOp::Dp3
        | DataOp::Dp4
        | DataOp::Dph
        | DataOp::Dst
        | DataOp::Ex2
        | DataOp::Lg2
        | DataOp::Litp
        | DataOp::Rcp
        | DataOp::Rsq => Lanes::All,
        _other => Lanes::Each,
    }
}

/// A test that control flow depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// A bool uniform.
    Bool { id: u8, expected: bool },
    /// Flags, as the comparisons with these numbers set them.
    Flags { op: ConditionOp, expected: [bool; 2] },
}

impl Test {
    /// The opposite.
    pub fn negated(self) -> Self {
        match self {
            Self::Bool { id, expected } => Self::Bool { id, expected: !expected },
            Self::Flags { op, expected } => {
                let op = match op {
                    ConditionOp::Or => ConditionOp::And,
                    ConditionOp::And => ConditionOp::Or,
                    ConditionOp::X | ConditionOp::Y => op,
                };
                Self::Flags { op, expected: expected.map(|flag| !flag) }
            }
        }
    }
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An instruction.
    Data(Inst),
    /// Copies that happen at once.
    Copy(Vec<(Target, Source)>),
    /// CMP.
    Compare {
        ops: [CompareOp; 2],
        sources: [Vec<Source>; 2],
        pc: Option<Pc>,
    },
    /// MOVA: a0.x from the first lane, a0.y from the second.
    Address {
        lanes: [Option<Source>; 2],
    },
    /// The next steps up to `Else` or `EndIf`, if a test holds.
    If(Test),
    Else,
    EndIf,
    /// Counted by an int uniform.
    Loop(u8),
    EndLoop,
    /// Leaves the loop if a test holds.
    BreakIf(Test),
    /// A place to jump to.
    Label(u32),
    /// Jumps if a test holds.
    JumpIf(u32, Test),
    /// SETEMIT
    SetEmit(Setting),
    /// EMIT
    Emit,
    /// Nothing: removed.
    Nothing,
}

impl Step {
    /// Visits the lanes that it reads.
    pub fn for_each_source(&self, mut visit: impl FnMut(Source)) {
        match self {
            Self::Data(inst) => inst.sources.iter().flatten().copied().for_each(visit),
            Self::Copy(copies) => copies.iter().for_each(|&(_, source)| visit(source)),
            Self::Compare { sources, .. } => sources.iter().flatten().copied().for_each(visit),
            Self::Address { lanes } => lanes.iter().copied().flatten().for_each(visit),
            _other => {}
        }
    }
    /// Visits the lanes that it reads, to change them.
    pub fn for_each_source_mut(&mut self, mut visit: impl FnMut(&mut Source)) {
        match self {
            Self::Data(inst) => inst.sources.iter_mut().flatten().for_each(visit),
            Self::Copy(copies) => copies.iter_mut().for_each(|(_, source)| visit(source)),
            Self::Compare { sources, .. } => sources.iter_mut().flatten().for_each(visit),
            Self::Address { lanes } => lanes.iter_mut().flatten().for_each(visit),
            _other => {}
        }
    }
    /// Visits what it writes.
    pub fn for_each_target(&self, visit: impl FnMut(Target)) {
        match self {
            Self::Data(inst) => inst.targets.iter().copied().for_each(visit),
            Self::Copy(copies) => copies.iter().map(|&(target, _)| target).for_each(visit),
            _other => {}
        }
    }
    /// Visits what it writes, to change it.
    pub fn for_each_target_mut(&mut self, visit: impl FnMut(&mut Target)) {
        match self {
            Self::Data(inst) => inst.targets.iter_mut().for_each(visit),
            Self::Copy(copies) => copies.iter_mut().map(|(target, _)| target).for_each(visit),
            _other => {}
        }
    }
}

/// A program on variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub steps: Vec<Step>,
    /// The register and component that each variable had in its source, if known.
    pub hints: Vec<Option<(u8, u8)>>,
    /// Variables that have a value at the start and need one at the end, in these registers.
    pub pins: Vec<(Var, (u8, u8))>,
}

impl Code {
    pub fn var(&mut self, hint: Option<(u8, u8)>) -> Var {
        self.hints.push(hint);
        Var(self.hints.len() as u32 - 1) // Range: checked by the limit on values.
    }
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Var(var) => write!(f, "{var}"),
            Self::Input { register, component } => write!(f, "v{register}.{component}"),
            Self::Uniform { register, component, .. } => write!(f, "c{register}.{component}"),
            Self::Const(bits) => write!(f, "{}", f32::from_bits(bits)),
        }
    }
}
