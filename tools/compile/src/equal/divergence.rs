//! The instructions at which two vertex programs part, on the way to a component that differs.
//! In: recordings of both, the component. Out: an instruction of each.
//!
//! From the component back: instructions with one opcode lead on to those that wrote an operand
//! with different values. Other opcodes, or an operand that one program takes from elsewhere, are
//! the place. If branches went other ways, the comparisons of the first one are followed instead.

use transpica::interp::Uniforms;
use transpica::isa::access::{ADDRESS, COUNTER, FLAGS};
use transpica::isa::{DataOp, Index, Inst, Mask, Operand, Pc, Source, Test};
use transpica_inspect::access::{Components, Read, written};
use transpica_inspect::ancestry::origin;
use transpica_inspect::recording::{Recording, Snapshot};

use super::is_equal;

/// A recorded run of one program.
pub struct Side {
    /// Its steps.
    pub recording: Recording,
    /// Its uniforms.
    pub uniforms: Uniforms,
}

/// A step and the component that it wrote.
type Place = (usize, u8);

/// A component that an instruction reads.
#[derive(Clone, Copy)]
struct Lane {
    value: f32,
    is_negated: bool,
    /// Set whose last writer decided about the value; empty for inputs.
    origin: Components,
}

impl Lane {
    /// The value as the instruction uses it.
    fn used(&self) -> f32 {
        if self.is_negated { -self.value } else { self.value }
    }
}

/// Returns the instructions at which programs part on the way to a component of an output, for each
/// its register and number. A program that never writes it has none.
pub fn instructions(sides: [&Side; 2], outputs: [(u8, u8); 2]) -> [Option<Pc>; 2] {
    let last = |side: usize| {
        let (register, component) = outputs[side];
        let wanted = Components::of_output(register, Mask(1 << component));
        Some((sides[side].writer(sides[side].recording.len(), wanted)?, component))
    };
    let last = [last(0), last(1)];
    let both = if let [Some(a), Some(b)] = last { Some([a, b]) } else { None };
    // After a branch went another way, other instructions follow.
    let steps = match branches(sides).or(both) {
        Some(places) => descend(sides, places).map(Some),
        None => last.map(|place| place.map(|(step, _)| step)),
    };
    [0, 1].map(|side| sides[side].recording.pc(steps[side]?))
}

/// Goes back from two steps with different results to those where the programs part.
fn descend(sides: [&Side; 2], mut at: [Place; 2]) -> [usize; 2] {
    loop {
        let here = at.map(|(step, _)| step);
        let [Some(a), Some(b)] = [0, 1].map(|side: usize| sides[side].recording.inst(at[side].0)) else {
            return here;
        };
        let mut lanes = [0, 1].map(|side: usize| sides[side].lanes(at[side]));
        if !has_same_opcode(&a, &b) {
            let copied = [0, 1].map(|side: usize| {
                let is_copy = matches!([a, b][side], Inst::Data { op: DataOp::Mov, .. });
                let lane = *lanes[side].first()?.first().filter(|lane| is_copy && !lane.is_negated)?;
                sides[side].before(at[side], &lane)
            });
            match copied {
                [Some(place), None] => at[0] = place,
                [None, Some(place)] => at[1] = place,
                [..] => return here,
            }
            continue;
        }
        exchange(&a, &mut lanes);
        let [first, second] = lanes;
        let pairs = first.iter().flatten().zip(second.iter().flatten());
        let unequal: Vec<(&Lane, &Lane)> = pairs.filter(|(x, y)| !is_equal(x.used(), y.used())).collect();
        let is_here = |&(x, y): &(&Lane, &Lane)| {
            is_equal(x.value, y.value)
                || x.origin != y.origin
                    && (sides[1].holds(at[1].0, x.value) || sides[0].holds(at[0].0, y.value))
        };
        let next = unequal.first().filter(|_| !unequal.iter().any(is_here));
        let Some((x, y)) = next else { return here };
        match [sides[0].before(at[0], x), sides[1].before(at[1], y)] {
            [Some(a), Some(b)] => at = [a, b],
            [None, None] => return here,
            [a, b] => return [a.unwrap_or(at[0]), b.unwrap_or(at[1])].map(|(step, _)| step),
        }
    }
}

/// Exchanges operands of a sum or product where more of them are equal then.
fn exchange(inst: &Inst, lanes: &mut [Vec<Vec<Lane>>; 2]) {
    let [first, second] = lanes;
    let equal = |first: &[Vec<Lane>], second: &[Vec<Lane>]| {
        let pairs = first.iter().flatten().zip(second.iter().flatten());
        pairs.filter(|(x, y)| is_equal(x.used(), y.used())).count()
    };
    if let Inst::Data { op: DataOp::Add | DataOp::Mul | DataOp::Mad | DataOp::Dp3 | DataOp::Dp4, .. } = inst {
        let before = equal(first, second);
        second.swap(0, 1);
        if equal(first, second) <= before {
            second.swap(0, 1);
        }
    }
}

fn has_same_opcode(a: &Inst, b: &Inst) -> bool {
    match (a, b) {
        (Inst::Data { op: a, .. }, Inst::Data { op: b, .. }) => a == b,
        (Inst::Cmp { x, y, .. }, Inst::Cmp { x: other_x, y: other_y, .. }) => [x, y] == [other_x, other_y],
        (a, b) => matches!([a, b], [Inst::Mova { .. }, Inst::Mova { .. }]),
    }
}

/// The comparisons in front of the first branch that went another way, if the same ones lead to it.
fn branches(sides: [&Side; 2]) -> Option<[Place; 2]> {
    let tests = |side: usize| {
        let recording = &sides[side].recording;
        (0..recording.len()).filter_map(move |step| {
            let Inst::Flow(flow) = recording.inst(step)? else { return None };
            let Test::Cmp(condition) = flow.test()? else { return None };
            Some((step, condition, recording.state_before(step).flags))
        })
    };
    let mut pairs = tests(0).zip(tests(1));
    let parted = pairs
        .find(|((_, one, a), (_, other, b))| one != other || one.test(a[0], a[1]) != other.test(b[0], b[1]));
    let ((a, condition, flags), (b, other, others)) = parted?;
    let component = u8::from(flags[0] == others[0]);
    let wanted = Components { rest: FLAGS << component, ..Components::default() };
    let places = [sides[0].writer(a, wanted)?, sides[1].writer(b, wanted)?];
    (condition == other).then(|| places.map(|step| (step, component)))
}

impl Side {
    /// The last step in front of one that writes something of a set.
    fn writer(&self, end: usize, wanted: Components) -> Option<usize> {
        (0..end).rev().find(|&step| {
            self.recording.inst(step).is_some_and(|inst| !written(&inst).common(wanted).is_empty())
        })
    }

    /// The step that decided about a component that a step reads.
    fn before(&self, (step, _): Place, lane: &Lane) -> Option<Place> {
        let Components { temps, rest, .. } = lane.origin;
        let component = if temps == 0 { rest.trailing_zeros() } else { temps.trailing_zeros() % 4 };
        // Range: four components, or the address registers.
        Some((self.writer(step, lane.origin)?, component as u8))
    }

    /// Returns whether a temporary has a value in front of a step.
    fn holds(&self, step: usize, value: f32) -> bool {
        self.recording.state_before(step).temps.iter().flatten().any(|&own| is_equal(own, value))
    }

    /// The components that a step reads for one that it writes, for each operand.
    fn lanes(&self, (step, component): Place) -> Vec<Vec<Lane>> {
        let one = Mask(1 << component);
        let snapshot = self.recording.state_before(step);
        let lanes = |operand: &Operand, mask: Mask| -> Vec<Lane> {
            mask.iter()
                .map(|lane| self.lane(step, &snapshot, operand, operand.swizzle.get(lane).index()))
                .collect()
        };
        match self.recording.inst(step) {
            Some(Inst::Data { op, sources, .. }) => sources
                .iter()
                .zip(op.reads())
                .map(|(source, reads)| lanes(source, reads.for_mask(one)))
                .collect(),
            Some(Inst::Mova { source, .. }) => vec![lanes(&source, one)],
            Some(Inst::Cmp { sources, .. }) => sources.iter().map(|source| lanes(source, one)).collect(),
            Some(Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_)) | None => {
                Vec::new()
            }
        }
    }

    fn lane(&self, step: usize, snapshot: &Snapshot, operand: &Operand, component: usize) -> Lane {
        // Range: four components.
        let read = Read { register: operand.register, index: operand.index, mask: Mask(1 << component) };
        let number = origin(&self.recording, step, read).1.map_or(usize::MAX, usize::from);
        let bank_of = match operand.register {
            Source::Input(_) => &snapshot.inputs[..],
            Source::Temp(_) => &snapshot.temps,
            Source::Uniform(_) => &self.uniforms.floats,
        };
        // Registers that do not exist are ones.
        let value = bank_of.get(number).map_or(1.0, |register| register[component]);
        let rest = match operand.index {
            Index::None => 0,
            Index::A0x => ADDRESS,
            Index::A0y => ADDRESS << 1,
            Index::Al => COUNTER,
        };
        let temps = match operand.register {
            Source::Temp(register) => 1 << (4 * (register & 15) as usize + component),
            Source::Input(_) | Source::Uniform(_) => 0,
        };
        let origin = Components { temps, rest, ..Components::default() };
        Lane { value, is_negated: operand.negate, origin }
    }
}
