//! Values that tell two programs apart, as small as they can be, and the instructions that do.
//! In: a comparison, values with different results. Out: a [`Difference`].

use std::collections::HashSet;

use transpica::isa::{DEFAULT, Mask, Pc};
use transpica::{Error, Stage};
use transpica_inspect::access::written;
use transpica_inspect::ancestry::ancestry;
use transpica_inspect::executor::ulp;
use transpica_inspect::recording::{Recording, Run};
use transpica_inspect::state::{State, bits};

use super::matching::OutputPair;
use super::sample::{Machines, Outputs, Values};
use super::{Comparison, distance_of};

/// Two programs that differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The smallest values found, as the first program has its registers.
    pub values: Values,
    /// The first component that differs, with both results; `None` if only one program ends, or if
    /// EMITs do not correspond.
    pub output: Option<Component>,
    /// Set for the programs that end within the budget.
    pub ended: [bool; 2],
    /// The first instruction of each vertex program whose result the other one never has on the way
    /// to the component.
    pub instructions: [Option<Pc>; 2],
}

/// A component with different results.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name and places.
    pub pair: OutputPair,
    /// Number of the EMIT of a geometry program, those of all invocations counted.
    pub emit: usize,
    /// Both results.
    pub results: [f32; 2],
    /// Distance in units in the last place, of finite results.
    pub ulp: Option<u32>,
}

/// Numbers that replace others as long as the results differ, the simplest first.
const SIMPLE: [f32; 7] = [0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 10.0];

/// Most instructions that both programs run while values are made smaller: some seconds.
const MOST_STEPS: u64 = 1 << 28;

/// Returns the difference that values show, after making them as small as they can be.
///
/// # Errors
/// A program that the machine refuses.
pub fn of(comparison: &Comparison<'_>, values: Values) -> Result<Difference, Error> {
    let mut machines = Machines::new(comparison)?;
    // Before most numbers are zero: results tell more.
    let both = machines.run(&values)?;
    let is_vertex = comparison.programs[0].program.stage() == Stage::Vertex;
    let instructions = match part(comparison, &both).flatten().filter(|_| is_vertex) {
        Some((_, number)) => instructions(comparison, &values, &comparison.matching.outputs[number])?,
        None => [None; 2],
    };
    let values = smallest(comparison, &mut machines, values)?;
    let both = machines.run(&values)?;
    let ended = both.each_ref().map(Option::is_some);
    let output = part(comparison, &both).flatten().and_then(|(emit, number)| {
        let pair = comparison.matching.outputs[number].clone();
        let result = |side: usize| {
            let (register, component) = pair.places[side];
            Some(both[side].as_ref()?.get(emit)?.outputs[register][component])
        };
        let results = [result(0)?, result(1)?];
        Some(Component { pair, emit, results, ulp: ulp(results[0], results[1]) })
    });
    Ok(Difference { values, output, ended, instructions })
}

/// The place of the first pair of outputs that differs, of programs that both end.
fn part(comparison: &Comparison<'_>, both: &[Outputs; 2]) -> Option<Option<(usize, usize)>> {
    let [Some(a), Some(b)] = both else { return None };
    distance_of(comparison, a, b).err()
}

/// Returns whether results differ: in a component, or in that one program ends.
fn differs(comparison: &Comparison<'_>, both: &[Outputs; 2]) -> bool {
    both[0].is_some() != both[1].is_some() || part(comparison, both).is_some()
}

/// Replaces numbers by simpler ones as long as the results differ and promises hold.
fn smallest(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    mut values: Values,
) -> Result<Values, Error> {
    let assume = comparison.options.assume;
    for (register, promise) in comparison.options.input.promises.into_iter().enumerate() {
        for (component, default) in DEFAULT.into_iter().enumerate() {
            let keeps = |number: f32| promise.holds(&[number]);
            let place = |values: &mut Values, number| values.inputs[register][component] = number;
            replace(comparison, machines, &mut values, place, keeps, default)?;
        }
    }
    for register in 0..values.uniforms.floats.len() {
        for component in 0..4 {
            let keeps = |number: f32| assume.uniforms.holds(&[number]);
            let place = |values: &mut Values, number| values.uniforms.floats[register][component] = number;
            replace(comparison, machines, &mut values, place, keeps, 0.0)?;
        }
    }
    for register in 0..values.uniforms.ints.len() {
        attempt(comparison, machines, &mut values, |values| values.uniforms.ints[register] = [0; 4])?;
    }
    for register in 0..16 {
        attempt(comparison, machines, &mut values, |values| values.uniforms.set_bool(register, false))?;
    }
    Ok(values)
}

/// Changes values and keeps the change if the results still differ. Returns whether they do.
fn attempt(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    values: &mut Values,
    change: impl FnOnce(&mut Values),
) -> Result<bool, Error> {
    if machines.steps > MOST_STEPS {
        return Ok(false);
    }
    let mut changed = values.clone();
    change(&mut changed);
    let is_kept = differs(comparison, &machines.run(&changed)?) && machines.keep_promise(&changed);
    if is_kept {
        *values = changed;
    }
    Ok(is_kept)
}

fn replace(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    values: &mut Values,
    place: impl Fn(&mut Values, f32),
    keeps: impl Fn(f32) -> bool,
    default: f32,
) -> Result<(), Error> {
    for number in [default].into_iter().chain(SIMPLE).filter(|number| keeps(*number)) {
        if attempt(comparison, machines, values, |values| place(values, number))? {
            return Ok(());
        }
    }
    Ok(())
}

/// The first instruction of each program, on the way to a component, whose result the other never
/// has there.
fn instructions(
    comparison: &Comparison<'_>,
    values: &Values,
    pair: &OutputPair,
) -> Result<[Option<Pc>; 2], Error> {
    let (uniforms, inputs) = (comparison.uniforms(&values.uniforms), comparison.inputs(&values.inputs));
    let mut ways = Vec::new();
    for (side, opened) in comparison.programs.iter().enumerate() {
        let state = State::new(uniforms[side].clone(), vec![bits(&inputs[side])]);
        let settings = comparison.settings();
        let run = Run { program: &opened.program, state: &state, settings, outputs: u16::MAX };
        let Some(recording) = run.record(0)? else { return Ok([None; 2]) };
        let (register, component) = pair.places[side];
        // Range: 16 registers with four components.
        let steps = ancestry(&recording, register as u8, Mask(1 << component)).steps;
        ways.push((recording, steps));
    }
    let results = |side: usize| -> HashSet<u32> {
        let (recording, steps): &(Recording, Vec<usize>) = &ways[side];
        steps.iter().flat_map(|&step| made(recording, step)).collect()
    };
    Ok([0, 1].map(|side| {
        let (recording, steps) = &ways[side];
        let others = results(1 - side);
        let first =
            steps.iter().find(|&&step| made(recording, step).iter().any(|bits| !others.contains(bits)));
        first.or(steps.last()).and_then(|&step| recording.pc(step))
    }))
}

/// The results of a step, each NaN and each zero as one number.
fn made(recording: &Recording, step: usize) -> Vec<u32> {
    let Some(inst) = recording.inst(step) else { return Vec::new() };
    let after = recording.state_before(step + 1);
    let own = written(&inst);
    let numbers = (0..64usize).filter_map(|lane| {
        let (register, component) = (lane / 4, lane % 4);
        let of =
            |set: u64, bank: &[[f32; 4]; 16]| (set >> lane & 1 != 0).then_some(bank[register][component]);
        of(own.temps, &after.temps).or_else(|| of(own.outputs, &after.outputs))
    });
    let one = |number: f32| match number {
        _ if number.is_nan() => f32::NAN.to_bits(),
        _ if number == 0.0 => 0,
        _ => number.to_bits(),
    };
    numbers.map(one).collect()
}
