//! Regions of uncertain branches: where the paths meet again, and what they write until then.
//! In: a program, the control states of one execution. Out: [`Region`]s. Knows no number.
//! A driver that takes the other path executes other instructions of the region, and only of it.
//! So values that no instruction of a region writes are the same after it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use transpica::Program;
use transpica::interp::TraceRecord;
use transpica::isa::control::{Effect, Outcome, State, Test, step};
use transpica::isa::{DataOp, Dest, Flow, Inst, Pc};

/// Most control states of a region; larger ones are not looked for.
const MOST_STATES: usize = 1 << 10;
/// Most places where the paths may meet that are tried.
const MOST_PLACES: usize = 1 << 7;

/// Registers that the instructions of a region write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writes {
    /// Components of temporaries, bit 0 = x.
    pub(crate) temps: [u8; 16],
    /// Components of outputs.
    pub(crate) outputs: [u8; 16],
    /// True if a0 is written.
    pub(crate) addresses: bool,
    /// True if cmp is written.
    pub(crate) flags: bool,
    /// True if aL is written.
    pub(crate) counter: bool,
}

/// The paths from a branch to where they meet.
#[derive(Debug)]
pub(crate) struct Region {
    /// The control state in which they meet, or `None` if that is the end of the program.
    meet: Option<State>,
    pub(crate) writes: Writes,
}

/// Place of an execution in the program.
pub(crate) enum Place {
    /// Before an instruction.
    Inside,
    /// After the last one.
    Ended,
    /// Records do not determine it.
    Unknown,
}

/// Control states of an execution, and regions of branches.
pub(crate) struct Regions {
    insts: Vec<Inst>,
    entry: Pc,
    /// The state before the next instruction, or `None` if records do not determine it.
    state: Option<State>,
    has_ended: bool,
    known: HashMap<State, Option<Rc<Region>>>,
}

impl Regions {
    pub(crate) fn new(program: &Program<'_>) -> Self {
        let insts = (0..program.code().len()).map_while(|pc| program.inst(Pc(u16::try_from(pc).ok()?)));
        let (insts, entry) = (insts.collect(), program.entry());
        Self { insts, entry, state: Some(State::new(entry)), has_ended: false, known: HashMap::new() }
    }

    /// Begins another execution.
    pub(crate) fn begin(&mut self) {
        (self.state, self.has_ended) = (Some(State::new(self.entry)), false);
    }

    /// Returns where the execution is.
    pub(crate) fn place(&self) -> Place {
        match self.state {
            _ if self.has_ended => Place::Ended,
            Some(_) => Place::Inside,
            None => Place::Unknown,
        }
    }

    /// Returns whether the paths of a region have met before the next instruction.
    pub(crate) fn have_met(&self, region: &Region) -> bool {
        region.meet.is_some() && region.meet == self.state
    }

    /// Returns the region of the branch that comes next, unless it emits vertices or is too large.
    pub(crate) fn of_branch(&mut self) -> Option<Rc<Region>> {
        let state = self.state?;
        if let Some(known) = self.known.get(&state) {
            return known.clone();
        }
        let region = find(&self.insts, state).map(Rc::new);
        self.known.insert(state, region.clone());
        region
    }

    /// Follows an executed instruction.
    pub(crate) fn step(&mut self, record: &TraceRecord) {
        self.has_ended = record.next.is_none_or(|next| next.index() >= self.insts.len());
        let (Some(state), Some(next)) = (&mut self.state, record.next) else { return };
        if !matches!(record.inst, Inst::Flow(_)) && state.pc == record.pc && !state.ends_at(state.pc.next()) {
            state.pc = next;
            return;
        }
        let state = *state;
        let mut fitting = successors(&self.insts, state).filter(|(state, _)| state.pc == next);
        let first = fitting.next().filter(|_| state.pc == record.pc).map(|(state, _)| state);
        self.state = first.filter(|first| fitting.all(|(state, _)| state == *first));
    }
}

/// Returns the states that may follow, with the effects on loop data on the way. None follows the
/// end of the program.
fn successors(insts: &[Inst], from: State) -> impl Iterator<Item = (State, Vec<Effect>)> {
    let inst = insts.get(from.pc.index()).copied();
    // Failed tests first: an instruction's own, and whether a loop repeats.
    (0..4u8).filter_map(move |answers| {
        let (mut state, mut effects, mut used) = (from, Vec::new(), 0);
        let mut decide = |test: Test| {
            let bit = u8::from(matches!(test, Test::LoopRepeats { .. }));
            used |= 1 << bit;
            answers >> bit & 1 != 0
        };
        let outcome = step(&inst?, &mut state, &mut decide, &mut |effect| effects.push(effect));
        // A test that is not asked has no second answer.
        (outcome == Outcome::Continue && answers & !used == 0).then_some((state, effects))
    })
}

/// Finds the region of a branch: its paths meet in the first state, on any of them, that all go
/// through.
fn find(insts: &[Inst], branch: State) -> Option<Region> {
    let starts: Vec<State> = successors(insts, branch).map(|(state, _)| state).collect();
    let mut place = *starts.first()?;
    for _ in 0..MOST_PLACES {
        let is_end = ends(insts, &place);
        let meet = (!is_end).then_some(place);
        if let Some(writes) = writes(insts, &starts, meet) {
            return Some(Region { meet, writes });
        }
        place = successors(insts, place).map(|(state, _)| state).next().filter(|_| !is_end)?;
    }
    None
}

/// Returns whether the program ends with the next instruction, or has ended.
fn ends(insts: &[Inst], state: &State) -> bool {
    insts.get(state.pc.index()).is_none_or(|inst| matches!(inst, Inst::Flow(Flow::End)))
}

/// Collects what is written from some states to where all paths meet. `None` if a path goes
/// elsewhere, emits a vertex, or changes a loop that goes on there.
fn writes(insts: &[Inst], starts: &[State], meet: Option<State>) -> Option<Writes> {
    let mut writes = Writes::default();
    let mut seen = HashSet::new();
    let mut work = starts.to_vec();
    while let Some(state) = work.pop() {
        if Some(state) == meet || !seen.insert(state) {
            continue;
        }
        if seen.len() > MOST_STATES || meet.is_some() && ends(insts, &state) {
            return None;
        }
        match insts.get(state.pc.index()) {
            Some(Inst::Emit | Inst::SetEmit { .. }) => return None,
            Some(Inst::Data { dest, mask, op, .. }) => {
                let (bank, register) = match dest {
                    Dest::Output(register) => (&mut writes.outputs, register),
                    Dest::Temp(register) => (&mut writes.temps, register),
                };
                bank[usize::from(register & 15)] |= mask.0 & 15;
                writes.flags |= *op == DataOp::Litp;
            }
            Some(Inst::Mova { .. }) => writes.addresses = true,
            Some(Inst::Cmp { .. }) => writes.flags = true,
            None | Some(Inst::Flow(_) | Inst::Unassigned(_)) => {}
        }
        for (next, effects) in successors(insts, state) {
            let goes_on = |slot: u8| meet.is_some_and(|meet| usize::from(slot) < meet.loops.len());
            for effect in effects {
                match effect {
                    Effect::ShiftLoops => return None,
                    Effect::EnterLoop { slot, .. } | Effect::RepeatLoop { slot } if goes_on(slot) => {
                        return None;
                    }
                    Effect::EnterLoop { .. } | Effect::StepLoop { .. } | Effect::RestoreCounter { .. } => {
                        writes.counter = true;
                    }
                    Effect::RepeatLoop { .. } | Effect::CountJump => {}
                }
            }
            work.push(next);
        }
    }
    Some(writes)
}
