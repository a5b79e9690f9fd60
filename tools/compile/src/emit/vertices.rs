//! Vertices that a geometry program sends: outputs, SETEMIT, EMIT.
//! In: a submission with the setting and the registers. Out: steps. Rules: pica200.md §8.3. Two
//! banks of outputs take turns, so an output stays as it is only if both hold its value.

use crate::geometry::RECORDED;
use crate::ir::walk::{Step as At, Walk};
use crate::ir::{Exit, Func, Node, NodeData, Op, Value, ValueList};

use transpica::isa::Index;

use super::code::{Code, Home, Inst, Lanes, Source, Step, Target, Var};
use super::error::Error;
use super::flow::Flow;
use super::hoist;
use super::select::{ONE, Operand, Root};

/// Operands of SETEMIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub slot: u8,
    pub prim: bool,
    pub invert: bool,
}

/// Components of outputs, with what they hold.
type Outputs = Vec<(Target, Operand)>;

/// Contents of what EMIT reads, as far as straight code knows them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    /// The outputs of the last EMITs, the latest first.
    last: [Option<Outputs>; 2],
    setting: Option<Setting>,
}

impl Flow<'_> {
    /// Writes the outputs of a vertex and sends it.
    pub(super) fn submit(&mut self, value: Value, args: ValueList) -> Result<(), Error> {
        let f = self.select.f;
        let &[_, setting, ref registers @ ..] = f.get(args) else { return Ok(()) };
        let bits = [0, 1, 2].map(|lane| match self.select.operand(setting, lane).0 {
            Root::Const(bits) => Some(bits),
            _other => None,
        });
        let [Some(slot), Some(prim), Some(invert)] = bits else {
            let place = self.select.place(value);
            return Err(Error::unsupported("SETEMIT that control flow chooses", place));
        };
        // Range: two bits.
        let slot = ((slot ^ RECORDED.to_bits()) & 3) as u8;
        let setting = Setting { slot, prim: prim == ONE, invert: invert == ONE };
        let mut outputs = Outputs::new();
        for (&value, &(register, mask)) in registers.iter().zip(self.outputs) {
            for component in mask.iter().map(|component| component as u8) {
                let target = Target::Output { register, component };
                outputs.push((target, self.select.operand(value, component)));
            }
        }
        let stays = |output: &(Target, Operand)| {
            self.sent.last.iter().all(|last| last.as_ref().is_some_and(|last| last.contains(output)))
        };
        let written = outputs.iter().copied().filter(|output| !stays(output)).collect();
        self.copy(written)?;
        if self.sent.setting.replace(setting) != Some(setting) {
            self.select.code.steps.push(Step::SetEmit(setting));
        }
        self.select.code.steps.push(Step::Emit);
        self.sent.last.swap(0, 1);
        self.sent.last[0] = Some(outputs);
        Ok(())
    }
}

/// Parameters and results that count what was sent before: they only keep the order.
pub(super) fn counts(f: &Func) -> Vec<Value> {
    let mut counts: Vec<Value> = Vec::new();
    let mut is_count: Vec<bool> =
        f.values.keys().map(|value| matches!(f.op(value), Some(Op::Submit { .. }))).collect();
    if !is_count.contains(&true) {
        return counts;
    }
    loop {
        let before = counts.len();
        let mut give = |takers: ValueList, given: ValueList| {
            for (taker, value) in f.get(takers).iter().zip(f.get(given)) {
                if is_count[value.0 as usize] && !std::mem::replace(&mut is_count[taker.0 as usize], true) {
                    counts.push(*taker);
                }
            }
        };
        let mut walk = Walk::new(f);
        let mut open: Vec<Node> = Vec::new();
        while let Some(step) = walk.next(f) {
            match step {
                At::Enter(node) => {
                    open.push(node);
                    if let NodeData::Loop { params, inits, .. } = f.nodes[node] {
                        give(params, inits);
                    }
                }
                At::Leave(_) => {
                    open.pop();
                }
                At::End(region) => {
                    let exit = f.regions[region].exit;
                    match (exit, walk.target(exit).map(|target| target.node), open.last()) {
                        (Exit::Continue(list), Some(node), _) => give(f.nodes[node].params(), list),
                        (Exit::Break(list), Some(node), _) | (Exit::Yield(list), _, Some(&node)) => {
                            give(f.nodes[node].results(), list);
                        }
                        _body => {}
                    }
                }
                At::Begin(_) | At::Let(_) => {}
            }
        }
        if counts.len() == before {
            return counts;
        }
    }
}

/// The stretch of straight code of each step: EMIT and control flow begin another.
fn stretches(steps: &[Step]) -> Vec<usize> {
    let mut stretch = 0;
    let number = steps.iter().map(|step| {
        let is_straight = matches!(
            step,
            Step::Data(_)
                | Step::Copy(_)
                | Step::Compare { .. }
                | Step::Address { .. }
                | Step::SetEmit(_)
                | Step::Nothing
        );
        stretch += usize::from(!is_straight);
        stretch
    });
    number.collect()
}

/// Returns whether steps send vertices.
pub(super) fn send(steps: &[Step]) -> bool {
    steps.contains(&Step::Emit)
}

/// The step that assigns each variable, if there is one alone.
fn assignments(code: &Code) -> Vec<Option<usize>> {
    let once = |all: Vec<usize>| if let [only] = all[..] { Some(only) } else { None };
    hoist::assignments(code).into_iter().map(once).collect()
}

/// Keeps the outputs that variables can become: those in whose stretch of code they are assigned.
pub(super) fn keep_near(code: &Code, goals: &mut [Vec<Target>]) {
    let (stretches, assigned) = (stretches(&code.steps), assignments(code));
    for (goals, at) in goals.iter_mut().zip(&assigned) {
        if at.is_none() {
            goals.clear();
        }
    }
    for (n, step) in code.steps.iter().enumerate() {
        let Step::Copy(copies) = step else { continue };
        for (_, source) in copies {
            if let Some(var) = source.as_var()
                && assigned[var.0 as usize].is_some_and(|at| stretches[at] != stretches[n])
            {
                goals[var.0 as usize].clear();
            }
        }
    }
}

/// The variables that something but a copy to outputs reads.
fn read_otherwise(code: &Code) -> Vec<bool> {
    let mut is_read = vec![false; code.hints.len()];
    for step in &code.steps {
        let goes_out = |var: Var| match step {
            Step::Copy(copies) => copies
                .iter()
                .filter(|(_, source)| source.as_var() == Some(var))
                .all(|(target, source)| target.output().is_some() && !source.negate),
            _other => false,
        };
        step.for_each_source(|source| {
            if let Some(var) = source.as_var() {
                is_read[var.0 as usize] |= !goes_out(var);
            }
        });
    }
    is_read
}

/// Computes again what several vertices take from one instruction and nothing else reads: a copy
/// takes as many words.
pub(super) fn compute_again(code: &mut Code) {
    let (stretches, assigned) = (stretches(&code.steps), assignments(code));
    let is_read = read_otherwise(code);
    let is_fixed = |source: &Source| match source.home {
        Home::Var(var) => assigned[var.0 as usize].is_some(),
        Home::Input { .. } | Home::Const(_) => true,
        Home::Uniform { index, .. } => index == Index::None,
    };
    let origin = |source: &Source| {
        let var = source.as_var()?;
        assigned[var.0 as usize].filter(|_| !is_read[var.0 as usize])
    };
    let steps = std::mem::take(&mut code.steps);
    let mut done: Vec<Step> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let Step::Copy(copies) = step else {
            done.push(step.clone());
            continue;
        };
        let mut left = copies.clone();
        for register in 0..16 {
            let is_own = |(target, source): &&(Target, Source)| {
                target.output() == Some(register) && source.as_var().is_some()
            };
            let own: Vec<(Target, Source)> = copies.iter().filter(is_own).copied().collect();
            let Some(at) = own.first().and_then(|(_, source)| origin(source)) else { continue };
            let Step::Data(inst) = &steps[at] else { continue };
            let is_whole = own.iter().all(|(_, source)| origin(source) == Some(at));
            if is_whole && stretches[at] != stretches[n] && inst.sources.iter().flatten().all(is_fixed) {
                done.push(again(code, inst, &own, &mut left));
            }
        }
        done.push(Step::Copy(left));
    }
    code.steps = done;
}

/// Repeats an instruction for some copies, which then copy the new results.
fn again(code: &mut Code, inst: &Inst, own: &[(Target, Source)], copies: &mut [(Target, Source)]) -> Step {
    let mut new =
        Inst { op: inst.op, targets: Vec::new(), sources: vec![Vec::new(); inst.sources.len()], pc: inst.pc };
    if inst.lanes() == Lanes::All {
        new.sources.clone_from(&inst.sources);
    }
    for (lane, target) in inst.targets.iter().enumerate() {
        let takers =
            own.iter().filter(|(_, source)| source.as_var().is_some() && source.as_var() == target.as_var());
        let mut var = None;
        for taker in takers {
            let var = *var.get_or_insert_with(|| code.var(None));
            copies.iter_mut().filter(|copy| *copy == taker).for_each(|copy| copy.1 = Source::var(var));
        }
        let Some(var) = var else { continue };
        new.targets.push(Target::Var(var));
        if inst.lanes() == Lanes::Each {
            new.sources.iter_mut().zip(&inst.sources).for_each(|(to, from)| to.push(from[lane]));
        }
    }
    Step::Data(new)
}
