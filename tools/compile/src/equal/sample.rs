//! Runs of two programs on the same values, to find values that tell them apart. Geometry programs
//! run three invocations in a row.
//! In: two programs, what is known and promised of their uniforms and inputs. Out: a count of equal
//! vertices, or the first values with different results. The values are those of a game, those
//! that find faults, and the numbers of both programs' tables with their neighbors.
//!
//! Speed: `lights.v.pica` against itself takes 1.2 million vertices a second on one core, in a
//! release build, so [`Effort::default`](super::Effort) takes a twentieth of a second.

use transpica::interp::{Emit, GeometryMachine, Settings, Uniforms};
use transpica::settings::Promise;
use transpica::{Error, Kind, Machine, Program, Stage};
use transpica_draw::batch::{Batch, LANES};
use transpica_inspect::promises::{keep, results_keep};
use transpica_inspect::values::{self, Random};

use super::{Comparison, Distance, Opened, distance, distance_of};
use crate::paths;

/// Vertices that are run with the same uniforms.
const ROUND: usize = LANES;
/// A vertex that neither program finishes counts as this many, so that endless programs end soon.
const UNFINISHED: u64 = 16;
/// Factor of the budget of a program that does not end where the other one does.
const PATIENCE: u64 = 16;

/// Sixteen registers.
type Vectors = [[f32; 4]; 16];

/// Values of one vertex, as the first program has its registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// All uniforms, before the constants of either file.
    pub uniforms: Uniforms,
    /// v0..v15
    pub inputs: [[f32; 4]; 16],
}

/// Result of the runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// Vertices that both programs finished with equal results.
    pub vertices: u64,
    /// Vertices that neither finished within its budget.
    pub unfinished: u64,
    /// The largest distance of two results that count as equal.
    pub worst: Distance,
    /// The first values with different results.
    pub found: Option<Box<Values>>,
}

/// A vertex that a program sends on: its outputs, with what was set for the EMIT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// Vertex slot, 0 for a vertex program.
    pub slot: u8,
    /// Set if the EMIT makes a triangle, and if its winding is inverted.
    pub triangle: [bool; 2],
    /// o0..o15
    pub outputs: [[f32; 4]; 16],
}

/// Everything that a program sends on, or `None` if it does not end within the budget.
pub type Outputs = Option<Vec<Sent>>;

/// Invocations of a geometry program one after the other: its registers carry over.
const INVOCATIONS: u32 = 3;

/// A machine of either stage.
pub(crate) enum Executor {
    Vertex(Box<Machine>),
    Geometry(Box<GeometryMachine>),
}

impl Executor {
    pub(crate) fn new(program: &Program<'_>, settings: Settings) -> Result<Self, Error> {
        Ok(match program.stage() {
            Stage::Vertex => Self::Vertex(Box::new(Machine::new(program, settings)?)),
            Stage::Geometry => Self::Geometry(Box::new(GeometryMachine::new(program, u16::MAX, settings)?)),
        })
    }

    /// The number of times that [`run`](Self::run) runs the program.
    pub(crate) fn runs(&self) -> u32 {
        match self {
            Self::Vertex(_) => 1,
            Self::Geometry(_) => INVOCATIONS,
        }
    }

    /// Runs the program from its start, and counts the instructions.
    pub(crate) fn run(
        &mut self,
        budget: u64,
        uniforms: &Uniforms,
        inputs: &[[f32; 4]; 16],
        steps: &mut u64,
    ) -> Result<Outputs, Error> {
        match self {
            Self::Vertex(machine) => {
                machine.set_budget(budget);
                machine.set_uniforms(uniforms);
                let sent = |outputs: &_| vec![Sent { slot: 0, triangle: [false; 2], outputs: *outputs }];
                let outputs = ended(machine.run(inputs).map(sent));
                *steps = steps.saturating_add(machine.steps());
                outputs
            }
            Self::Geometry(machine) => {
                machine.reset();
                machine.set_budget(budget);
                machine.set_uniforms(uniforms);
                let mut all = Vec::new();
                for _ in 0..INVOCATIONS {
                    let invocation = ended(machine.run(inputs).map(|invocation| {
                        let sent = |emit: Emit<'_>| Sent {
                            slot: emit.slot,
                            triangle: [emit.prim, emit.invert],
                            outputs: *emit.outputs,
                        };
                        invocation.emits().map(sent).collect()
                    }))?;
                    *steps = steps.saturating_add(machine.steps());
                    let Some(mut sent) = invocation else { return Ok(None) };
                    all.append(&mut sent);
                }
                Ok(Some(all))
            }
        }
    }
}

/// Both programs on the reference machine, for one vertex or invocation at a time.
pub struct Machines<'a> {
    comparison: &'a Comparison<'a>,
    executors: [Executor; 2],
    /// Instructions that ran.
    pub steps: u64,
}

impl<'a> Machines<'a> {
    /// Decodes both programs.
    ///
    /// # Errors
    /// A program that the machine refuses.
    pub fn new(comparison: &'a Comparison<'a>) -> Result<Self, Error> {
        let settings = comparison.settings();
        let [a, b] = comparison.programs.map(|opened| Executor::new(&opened.program, settings));
        Ok(Self { comparison, executors: [a?, b?], steps: 0 })
    }

    /// Runs both programs.
    ///
    /// # Errors
    /// Errors of the machine other than an exceeded budget.
    pub fn run(&mut self, values: &Values) -> Result<[Outputs; 2], Error> {
        let uniforms = self.comparison.uniforms(&values.uniforms);
        let inputs = self.comparison.inputs(&values.inputs);
        let budget = self.comparison.effort.budget;
        let Self { executors, steps, .. } = self;
        let mut run =
            |side: usize, budget| executors[side].run(budget, &uniforms[side], &inputs[side], steps);
        let mut both = [run(0, budget)?, run(1, budget)?];
        if let Some(side) = (0..2).find(|&side| both[side].is_none() && both[1 - side].is_some()) {
            both[side] = run(side, budget.saturating_mul(PATIENCE))?;
        }
        Ok(both)
    }

    /// Returns whether the results of both programs keep the promise about results, if one is made.
    /// Geometry programs make none.
    pub fn keep_promise(&mut self, values: &Values) -> bool {
        let promise = self.comparison.options.assume.results;
        if promise == Promise::Nothing {
            return true;
        }
        let uniforms = self.comparison.uniforms(&values.uniforms);
        let inputs = self.comparison.inputs(&values.inputs);
        self.executors.iter_mut().enumerate().all(|(side, executor)| match executor {
            Executor::Geometry(_) => true,
            Executor::Vertex(machine) => {
                machine.set_uniforms(&uniforms[side]);
                results_keep(machine, &inputs[side], promise)
            }
        })
    }
}

/// A result, none if the run exceeded its budget of instructions or EMITs.
fn ended<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(Error { kind: Kind::StepBudget(_) | Kind::Limit { .. }, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs both programs on values of a seed until results differ.
///
/// # Errors
/// A program that the machine refuses.
pub fn run(comparison: &Comparison<'_>) -> Result<Sampled, Error> {
    let mut sampler = Sampler::new(comparison)?;
    let mut left = comparison.effort.vertices;
    let mut round = 0;
    while left > 0 && sampler.sampled.found.is_none() {
        let count = left.min(ROUND as u64);
        let before = sampler.sampled.unfinished;
        // Range: at most a round.
        sampler.round(round, count as usize)?;
        left = left.saturating_sub(count + UNFINISHED * (sampler.sampled.unfinished - before));
        round += 1;
    }
    Ok(sampler.sampled)
}

struct Sampler<'a> {
    comparison: &'a Comparison<'a>,
    machines: Machines<'a>,
    /// Of vertex programs.
    batches: Option<[Batch; 2]>,
    /// Bool uniforms that either program tests, as the first program has them.
    bools: Vec<u8>,
    /// Numbers of both programs, and their neighbors.
    numbers: Vec<f32>,
    sampled: Sampled,
}

impl<'a> Sampler<'a> {
    fn new(comparison: &'a Comparison<'a>) -> Result<Self, Error> {
        let settings = comparison.settings();
        let batch = |opened: &Opened| Batch::new(&opened.program, settings);
        let batches = match comparison.programs.map(batch) {
            [Ok(a), Ok(b)] => Some([a, b]),
            _geometry => None,
        };
        Ok(Self {
            comparison,
            machines: Machines::new(comparison)?,
            batches,
            bools: tested(comparison),
            numbers: numbers(comparison),
            sampled: Sampled::default(),
        })
    }

    /// Values of a round: all rounds have other ones.
    fn values(&self, round: u64, count: usize) -> (Uniforms, Vec<[[f32; 4]; 16]>) {
        let comparison = self.comparison;
        let seed = comparison.effort.seed.wrapping_add(round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let names = comparison.programs[0].symbols.as_slice();
        // Distances are measured on values as games have them.
        let kind = if comparison.rounding.is_some() { 0 } else { round % 4 };
        let (mut uniforms, mut inputs) = match kind {
            0 => (values::plausible_uniforms(seed, names), values::plausible_inputs(seed, count, names)),
            1 => (values::uniforms(seed), values::inputs(seed, count)),
            2 => (values::special_uniforms(seed), values::special_inputs(seed, count)),
            _ => {
                let mut uniforms = values::plausible_uniforms(seed, names);
                uniforms.ints = values::uniforms(seed).ints;
                (uniforms, values::plausible_inputs(seed, count, names))
            }
        };
        if kind == 3 && !self.numbers.is_empty() {
            let mut random = Random::new(seed, "numbers of the programs");
            let all = uniforms.floats.iter_mut().chain(inputs.iter_mut().flatten()).flatten();
            for component in all {
                if random.chance(25) {
                    *component = random.pick(&self.numbers);
                }
            }
        }
        uniforms.bools = self.bools(round, uniforms.bools);
        keep(&comparison.options, &mut uniforms, &mut inputs);
        (uniforms, inputs)
    }

    /// Bools of a round: every combination of those that are tested in turn, if they are few.
    fn bools(&self, round: u64, random: u16) -> u16 {
        if self.bools.len() > 12 {
            return random;
        }
        // Four kinds of values take turns.
        let combination = round / 4 + round % 4;
        let set = self.bools.iter().enumerate().filter(|(place, _)| combination >> place & 1 != 0);
        set.fold(0, |all, (_, &register)| all | 1 << register)
    }

    fn round(&mut self, round: u64, count: usize) -> Result<(), Error> {
        let (uniforms, inputs) = self.values(round, count);
        let together = self.together(&uniforms, &inputs)?;
        for (vertex, inputs) in inputs.iter().enumerate() {
            let values = || Values { uniforms: uniforms.clone(), inputs: *inputs };
            let compared = match &together {
                Some([a, b]) => distance(self.comparison, &a[vertex], &b[vertex]).map(Some).map_err(|_| ()),
                None => match self.machines.run(&values())? {
                    [Some(a), Some(b)] => distance_of(self.comparison, &a, &b).map(Some).map_err(|_| ()),
                    [None, None] => Ok(None),
                    [..] => Err(()),
                },
            };
            match compared {
                Ok(Some(worst)) => {
                    self.sampled.vertices += 1;
                    self.sampled.worst = self.sampled.worst.larger(worst);
                }
                Ok(None) => self.sampled.unfinished += 1,
                Err(()) if self.machines.keep_promise(&values()) => {
                    self.sampled.found = Some(Box::new(values()));
                    return Ok(());
                }
                Err(()) => {}
            }
        }
        Ok(())
    }

    /// Runs vertices side by side. Returns `None` if one does not end, or for geometry programs.
    fn together(
        &mut self,
        uniforms: &Uniforms,
        inputs: &[[[f32; 4]; 16]],
    ) -> Result<Option<[Vec<Vectors>; 2]>, Error> {
        let Some(batches) = &mut self.batches else { return Ok(None) };
        let of_both = self.comparison.uniforms(uniforms);
        let mut outputs = [(); 2].map(|()| vec![[[0.0; 4]; 16]; inputs.len()]);
        for (side, batch) in batches.iter_mut().enumerate() {
            let own: Vec<_> = inputs.iter().map(|inputs| self.comparison.inputs(inputs)[side]).collect();
            batch.set_uniforms(&of_both[side]);
            let ran = batch.run_all(&own, &mut outputs[side]).map_err(|stopped| stopped.error);
            if ended(ran)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(outputs))
    }
}

/// Bool uniforms that some instruction of either program tests, as the first program numbers them.
fn tested(comparison: &Comparison<'_>) -> Vec<u8> {
    let [first, second] = comparison.programs.map(|opened| paths::tested(&opened.program));
    let moved = (0..).zip(comparison.matching.registers.bools);
    let moved = moved.filter(|(own, _): &(u16, u8)| second >> own & 1 != 0);
    let all = moved.fold(first, |all, (_, number)| all | 1 << (number & 15));
    (0..16).filter(|register| all >> register & 1 != 0).collect()
}

/// Constants of both files, their neighbors, negatives and inverses.
fn numbers(comparison: &Comparison<'_>) -> Vec<f32> {
    let constants = comparison.programs.iter().map(|opened| opened.constants.floats);
    let mut numbers: Vec<f32> = Vec::new();
    for number in constants.flatten().flatten().flatten().map(f32::from_bits) {
        numbers.extend([number, number.next_up(), number.next_down(), -number, 1.0 / number]);
    }
    numbers.sort_by_cached_key(|number| {
        let bits = number.to_bits();
        u64::from(if number.is_sign_negative() { !bits } else { bits | 1 << 31 })
    });
    numbers.dedup_by_key(|number| number.to_bits());
    numbers
}
