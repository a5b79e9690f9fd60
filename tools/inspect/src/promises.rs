//! Promises about numbers in runs: generated numbers keep them, given ones are checked.
//! In: a program with its options, a [`State`]. Out: a state, or the place of the first breach.
//! Facts: [`Reliance`] says which promises a module needs. A promise about results is one about a
//! program, so the interpreter shows whether a vertex keeps it.

use transpica::host::dvle::FileEnvironment;
use transpica::interp::{GeometryMachine, Settings, TraceRecord, Uniforms};
use transpica::isa::{DataOp, Inst, Mask};
use transpica::settings::{Assume, Promise, Reliance, Watch};
use transpica::{Error, Job, Machine, Options, Profile, Program, Shbin, Stage, Translator};

use crate::inputs::{Seed, of_seed};
use crate::state::{State, floats};
use crate::symbols::Symbols;

/// Vertices to choose one from whose results keep a promise.
const CANDIDATES: usize = 16;

/// A program in a run, with options that have promises.
#[derive(Clone, Copy)]
pub struct Promised<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Its constants.
    pub environment: &'a FileEnvironment<'a>,
    /// Its names.
    pub symbols: &'a Symbols,
    /// Options of the run.
    pub options: Options,
    /// Limit of instructions for each vertex or invocation.
    pub budget: u64,
}

impl Promised<'_> {
    /// Returns the state of a run without a state file. Its numbers keep the promises; vertices
    /// whose results break one are replaced, as far as that can be.
    ///
    /// # Errors
    /// Errors of the interpreter.
    pub fn of_seed(&self, file: &Shbin<'_>, seed: Seed) -> Result<State, Error> {
        let Assume { uniforms, results } = self.options.assume;
        let candidates = if results == Promise::Nothing { 1 } else { CANDIDATES };
        let count = seed.count.saturating_mul(candidates);
        let mut state = of_seed(file, self.environment, self.symbols, Seed { count, ..seed });
        let kept = |promise, register: &mut [u32; 4]| {
            *register = register.map(|bits| kept(promise, f32::from_bits(bits)).to_bits());
        };
        keep(&self.options, &mut state.uniforms, &mut []);
        self.environment.constants().apply(&mut state.uniforms);
        for vertex in &mut state.vertices {
            vertex
                .iter_mut()
                .zip(self.options.input.promises)
                .for_each(|(register, promise)| kept(promise, register));
        }
        state.delivered.iter_mut().flatten().for_each(|(_, value)| kept(uniforms, value));
        if candidates > 1 {
            self.keep_results(&mut state, seed.count)?;
        }
        Ok(state)
    }

    /// Leaves the first vertices, or invocations, of a state whose results keep the promise.
    fn keep_results(&self, state: &mut State, count: usize) -> Result<(), Error> {
        let promise = self.options.assume.results;
        // Drivers may flush subnormal numbers, which makes other results.
        let [kept, flushed] = [false, true].map(|flush| self.executor(&state.uniforms, flush));
        let mut executors = [kept?, flushed?];
        let mut chosen = Vec::new();
        for number in 0..state.vertices.len() {
            if chosen.len() == count {
                break;
            }
            let before = executors.clone();
            if executors.iter_mut().any(|executor| executor.breach(promise, state, number).is_some()) {
                // What it carries to the next one is undone.
                executors = before;
            } else {
                chosen.push(number);
            }
        }
        state.vertices = chosen.iter().map(|&number| state.vertices[number]).collect();
        state.delivered = chosen.iter().filter_map(|&number| state.delivered.get(number).cloned()).collect();
        Ok(())
    }

    /// Builds an interpreter.
    fn executor(&self, uniforms: &Uniforms, flush_subnormals: bool) -> Result<Executor, Error> {
        let Self { program, options, budget, .. } = self;
        let settings = Settings { flush_subnormals, ..options.settings(*budget) };
        let mut uniforms = uniforms.clone();
        options.control.apply(&mut uniforms);
        Ok(match program.stage() {
            Stage::Vertex => {
                let mut machine = Machine::new(program, settings)?;
                machine.set_uniforms(&uniforms);
                Executor::Vertex(machine)
            }
            Stage::Geometry => {
                let mut machine = GeometryMachine::new(program, u16::MAX, settings)?;
                machine.set_uniforms(&uniforms);
                Executor::Geometry(Box::new(machine))
            }
        })
    }

    /// Returns the promises that the module of a run needs.
    fn reliance(&self, state: &State) -> Result<Reliance, Error> {
        let (mut options, outputs) = (self.options, self.environment.executable().output_mask());
        let job = match self.program.stage() {
            Stage::Vertex => Job::Compute,
            Stage::Geometry => Job::Emits { outputs },
        };
        // Constants of the file arrive with the other registers of an invocation.
        let can_fold = job == Job::Compute && state.keeps_constants(&self.environment.constants());
        options.block.fold_constants &= can_fold;
        let mut translator = Translator::new(options, Profile::default());
        Ok(translator.translate(self.program, self.environment, job)?.relies_on)
    }

    /// Returns the first number that breaks a promise which the module of the run needs, and its
    /// place.
    ///
    /// # Errors
    /// Errors of the translation.
    pub fn breach(&self, state: &State) -> Result<Option<String>, Error> {
        if self.options == self.options.unpromised() {
            return Ok(None);
        }
        let relies_on = self.reliance(state)?;
        let (Assume { uniforms, results }, attributes) = (relies_on.promises, relies_on.attribute_promises);
        let what = |bank, register: usize, value: [f32; 4], promise| {
            let kind = if bank == 'v' { "attributes" } else { "uniforms" };
            let name = self.symbols.name(bank, register).map_or(String::new(), |name| format!(" ({name})"));
            format!("{bank}{register}{name} = {value:?} breaks the promise about {kind}: {promise}")
        };
        let broken = Watch::new(uniforms, &state.uniforms.floats).broken() & relies_on.uniforms;
        let broken = broken.trailing_zeros() as usize;
        if let Some(&value) = state.uniforms.floats.get(broken) {
            return Ok(Some(what('c', broken, value, uniforms)));
        }
        let place = if self.program.stage() == Stage::Vertex { "vertex" } else { "invocation" };
        let mut executor = self.executor(&state.uniforms, false)?;
        for (number, vertex) in state.vertices.iter().enumerate() {
            let at = |text: String| Ok(Some(format!("{place} {number}: {text}")));
            for &(register, value) in state.delivered.get(number).into_iter().flatten() {
                let value = value.map(f32::from_bits);
                if relies_on.uniforms >> register & 1 != 0 && !uniforms.holds(&value) {
                    return at(what('c', register.into(), value, uniforms));
                }
            }
            for register in (0..16usize).filter(|register| relies_on.attributes >> register & 1 != 0) {
                let value = vertex[register].map(f32::from_bits);
                if !attributes[register].holds(&value) {
                    return at(what('v', register, value, attributes[register]));
                }
            }
            if relies_on.results
                && let Some(TraceRecord { pc, inst, result, .. }) = executor.breach(results, state, number)
            {
                return at(format!(
                    "pc {pc}: {inst} = {result:?} breaks the promise about results: {results}"
                ));
            }
        }
        Ok(None)
    }
}

/// An interpreter of either stage that looks for results that break a promise.
#[derive(Clone)]
enum Executor {
    Vertex(Machine),
    Geometry(Box<GeometryMachine>),
}

impl Executor {
    /// Runs a vertex, or the next invocation, of a state. Returns the first instruction whose
    /// result breaks a promise. Errors are left to the run.
    fn breach(&mut self, promise: Promise, state: &State, number: usize) -> Option<TraceRecord> {
        let mut found = None;
        let mut trace = |step: &TraceRecord| {
            if found.is_none() && !keeps(promise, step) {
                found = Some(*step);
            }
        };
        match self {
            Self::Vertex(machine) => _ = machine.run_traced(&floats(&state.vertices[number]), &mut trace),
            Self::Geometry(machine) => {
                let inputs = state.begin(number, machine);
                _ = machine.run_traced(&inputs, &mut trace);
            }
        }
        found
    }
}

/// Returns a number that keeps a promise: the number itself if it does, else an extreme one.
///
/// ```
/// use transpica::settings::Promise;
/// use transpica_inspect::promises::kept;
/// assert_eq!(kept(Promise::Below(4), -3.0), -3.0);
/// assert_eq!(kept(Promise::NotNan, f32::NAN), f32::INFINITY);
/// assert!(kept(Promise::Below(4), -100.0) < -15.9);
/// ```
pub fn kept(promise: Promise, number: f32) -> f32 {
    match promise {
        _any if promise.holds(&[number]) => number,
        Promise::Nothing | Promise::NotNan => f32::INFINITY,
        Promise::Between(least, _) if number.abs() < 1.0 => 2f32.powi(least.into()).copysign(number),
        Promise::Below(exponent) | Promise::Between(_, exponent) => {
            // The largest number below the power of two.
            let largest = f32::from_bits(((u32::from(exponent.min(128)) + 127) << 23) - 1);
            largest.copysign(number)
        }
    }
}

/// Makes uniforms and the inputs of vertices keep promises.
pub fn keep(options: &Options, uniforms: &mut Uniforms, vertices: &mut [[[f32; 4]; 16]]) {
    for register in &mut uniforms.floats {
        *register = register.map(|number| kept(options.assume.uniforms, number));
    }
    for (register, &promise) in
        vertices.iter_mut().flat_map(|inputs| inputs.iter_mut().zip(&options.input.promises))
    {
        *register = register.map(|number| kept(promise, number));
    }
}

/// Returns whether an executed instruction keeps a promise about results of arithmetic. What
/// other instructions write is not such a result, be it a copy or a selection.
pub fn keeps(promise: Promise, step: &TraceRecord) -> bool {
    let Inst::Data { op, mask, .. } = step.inst else { return true };
    let computed = match op {
        // Its other components are copies and 1.
        DataOp::Dst => Mask(2),
        DataOp::Mov | DataOp::Max | DataOp::Min | DataOp::Sge | DataOp::Slt | DataOp::Flr | DataOp::Litp => {
            Mask::NONE
        }
        _arithmetic => Mask::XYZW,
    };
    let written = mask.iter().filter(|component| computed.has(*component));
    written.map(|component| step.result[component.index()]).all(|number| promise.holds(&[number]))
}

/// Returns whether all results of a vertex keep a promise. One that runs too long does not.
pub fn results_keep(machine: &mut Machine, inputs: &[[f32; 4]; 16], promise: Promise) -> bool {
    let mut holds = true;
    let mut trace = |step: &TraceRecord| holds &= keeps(promise, step);
    machine.run_traced(inputs, &mut trace).is_ok() && holds
}
