//! Data dependences of an invocation on earlier ones.
//! In: the forward analysis. Out: [`Observation`]s. Every read of undefined state counts as a
//! dependence, even if its result is dead. EMIT reads the forwarded outputs only.

use std::collections::BTreeMap;

use super::flow::{Flow, State, Step};
use super::{Observation, StateItem};
use crate::flow::cfg::{Action, Block, Cfg, Terminator};
use crate::program::isa::access::{ADDRESS, COUNTER, FLAGS, lane, tested_flags};
use crate::program::isa::control::Test;
use crate::program::isa::uniforms::HAS_RUN;
use crate::program::isa::{Component, Mask, Pc, Program};

/// Returns the state of earlier invocations that an invocation of a geometry program may read, each
/// with its first place, sorted. `outputs` are the components of o0..o15 that are forwarded and
/// used. If there is none, all invocations are independent.
///
/// Inputs and uniforms are left out: inputs do not carry over, and the configuration says which
/// uniforms receive vertices.
///
/// ```
/// use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
/// use transpica::geometry::{StateItem, observe};
/// use transpica::isa::{Mask, Pc};
/// use transpica::{Limits, Program, Stage};
/// // mov o0, v0; emit; end
/// let code = [0x4C00_0000, 0xA800_0000, 0x8800_0000];
/// let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Geometry)?;
/// let Explored::Graph(cfg) = explore(&program, &ExploreOptions::default(), &Limits::default())? else { unreachable!() };
/// let mut outputs = [Mask::NONE; 16];
/// outputs[0] = Mask::XYZW;
/// let seen: Vec<_> = observe(&program, &cfg, &outputs).iter().map(|seen| (seen.item, seen.pc)).collect();
/// // Without SETEMIT, EMIT may submit a triangle of the slots that it does not fill.
/// let slots = [0, 1, 2].map(|slot| (StateItem::Slot(slot), Pc(1)));
/// assert_eq!(seen, [&slots[..], &[(StateItem::Setting, Pc(1))]].concat());
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn observe(program: &Program<'_>, cfg: &Cfg, outputs: &[Mask; 16]) -> Vec<Observation> {
    let flow = Flow::new(program, cfg);
    let mut observer = Observer { passed_on: lanes_of(outputs), seen: BTreeMap::new() };
    for block in cfg.blocks.keys() {
        let Some(mut state) = flow.state(block) else { continue };
        for (action, step) in cfg.actions_of(block).iter().zip(flow.steps(block)) {
            if let Action::Run(pc) = *action {
                observer.step(&state, step, pc);
            }
            state.apply(step);
        }
        observer.end(&state, cfg, block);
    }
    observer.seen.into_iter().map(|(item, pc)| Observation { item, pc }).collect()
}

/// Packs components of registers into one set.
fn lanes_of(outputs: &[Mask; 16]) -> u64 {
    outputs.iter().rev().fold(0, |lanes, mask| lanes << 4 | u64::from(mask.0 & 15))
}

struct Observer {
    /// Components of the forwarded outputs.
    passed_on: u64,
    /// The state that is read, and the lowest address that reads it.
    seen: BTreeMap<StateItem, Pc>,
}

impl Observer {
    fn record_read(&mut self, carried: StateItem, pc: Pc) {
        let first = self.seen.entry(carried).or_insert(pc);
        *first = pc.min(*first);
    }

    /// Adds components of registers.
    fn lanes(&mut self, lanes: u64, carried: impl Fn(u8, Component) -> StateItem, pc: Pc) {
        if lanes == 0 {
            return;
        }
        for register in 0..16 {
            for component in Component::ALL {
                if lanes & lane(register, component) != 0 {
                    self.record_read(carried(register, component), pc);
                }
            }
        }
    }

    /// Adds other registers.
    fn rest(&mut self, set: u16, pc: Pc) {
        for (bit, carried) in [
            (ADDRESS, StateItem::Address(Component::X)),
            (ADDRESS << 1, StateItem::Address(Component::Y)),
            (COUNTER, StateItem::Counter),
            (FLAGS, StateItem::Flag(Component::X)),
            (FLAGS << 1, StateItem::Flag(Component::Y)),
        ] {
            if set & bit != 0 {
                self.record_read(carried, pc);
            }
        }
    }

    /// Adds the state that an action reads.
    fn step(&mut self, state: &State, step: &Step, pc: Pc) {
        match step {
            Step::Access(access) => {
                let temps = access.temps_read & !state.temps;
                self.lanes(temps, |register, component| StateItem::Temp { register, component }, pc);
                self.rest(access.rest_read & !state.rest, pc);
            }
            Step::Emit => {
                let [even, odd] = state.outputs;
                if let Some([written, _]) = even {
                    let carried = |register, component| StateItem::Current { register, component };
                    self.lanes(self.passed_on & !written, carried, pc);
                }
                if let Some([_, written]) = odd {
                    let carried = |register, component| StateItem::Other { register, component };
                    self.lanes(self.passed_on & !written, carried, pc);
                }
                state.stale_slots().for_each(|slot| self.record_read(StateItem::Slot(slot), pc));
                if state.settings.are_inherited() {
                    self.record_read(StateItem::Setting, pc);
                }
            }
            Step::Nothing | Step::SetEmit(_) | Step::Loop(_) => {}
        }
    }

    /// Adds the state that the terminator of a block tests.
    fn end(&mut self, state: &State, cfg: &Cfg, block: Block) {
        let data = &cfg.blocks[block];
        let Terminator::Branch { test, .. } = data.terminator else { return };
        // Every such test is an instruction's; graphs from elsewhere may not say which.
        let pc = data.end.or(data.pc).unwrap_or_default();
        match test {
            Test::Cmp(condition) => self.rest(tested_flags(condition) & !state.rest, pc),
            Test::Bool { id, .. } if id & 15 == HAS_RUN => self.record_read(StateItem::Ran, pc),
            // Loop counts and the loop guard start anew with each invocation.
            Test::Bool { .. } | Test::LoopRepeats { .. } | Test::JumpsLeft => {}
        }
    }
}
