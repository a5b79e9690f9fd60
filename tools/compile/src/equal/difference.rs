//! Values that tell two programs apart, as small as they can be, and the instructions that do.
//! In: a comparison, values with different results. Out: a [`Difference`].

use std::ops::Range;

use transpica::isa::{DEFAULT, Pc};
use transpica::settings::Promise;
use transpica::{Error, Stage};
use transpica_inspect::executor::ulp;
use transpica_inspect::recording::Run;
use transpica_inspect::state::{State, bits};

use super::divergence::{self, Side};
use super::matching::OutputPair;
use super::sample::{Machines, Outputs, Values};
use super::{Comparison, distance_of};

/// Two programs that differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The smallest values found, as the first program has its registers, with the known ones.
    pub values: Values,
    /// The first component that differs, with both results; `None` if only one program ends, or if
    /// EMITs do not correspond.
    pub output: Option<Component>,
    /// Set for the programs that end within the budget.
    pub ended: [bool; 2],
    /// The instructions at which vertex programs part on the way to the component.
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
    let mut values = smallest(comparison, &mut machines, values)?;
    comparison.options.control.apply(&mut values.uniforms);
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
    let (promises, uniforms) = (comparison.options.input.promises, comparison.options.assume.uniforms);
    // First what nothing needs, in few steps: a program without an end takes long for each.
    clear(comparison, machines, &mut values, 0..16, |values, register| {
        for (number, default) in values.inputs[register].iter_mut().zip(DEFAULT) {
            *number = if promises[register].holds(&[default]) { default } else { *number };
        }
    })?;
    let floats = 0..if uniforms.holds(&[0.0]) { values.uniforms.floats.len() } else { 0 };
    clear(comparison, machines, &mut values, floats, |values, register| {
        values.uniforms.floats[register] = [0.0; 4];
    })?;
    clear(comparison, machines, &mut values, 0..4, |values, register| {
        values.uniforms.ints[register] = [0; 4];
    })?;
    clear(comparison, machines, &mut values, 0..16, |values, register| {
        // Range: 16 registers.
        values.uniforms.set_bool(register as u8, false);
    })?;
    for (register, promise) in promises.into_iter().enumerate() {
        for (component, default) in DEFAULT.into_iter().enumerate() {
            replace(comparison, machines, &mut values, (promise, default), |values| {
                &mut values.inputs[register][component]
            })?;
        }
    }
    for register in 0..values.uniforms.floats.len() {
        for component in 0..4 {
            replace(comparison, machines, &mut values, (uniforms, 0.0), |values| {
                &mut values.uniforms.floats[register][component]
            })?;
        }
    }
    Ok(values)
}

/// Resets registers as long as the results differ: all at once, else the ones of each half.
fn clear(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    values: &mut Values,
    registers: Range<usize>,
    reset: impl Fn(&mut Values, usize),
) -> Result<(), Error> {
    let mut left = vec![registers];
    while let Some(range) = left.pop() {
        let all = |values: &mut Values| range.clone().for_each(|register| reset(values, register));
        if !attempt(comparison, machines, values, all)? && range.len() > 1 {
            let middle = range.start + range.len() / 2;
            left.extend([middle..range.end, range.start..middle]);
        }
    }
    Ok(())
}

/// Changes values and keeps the change if the results still differ. Returns whether they do.
fn attempt(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    values: &mut Values,
    change: impl FnOnce(&mut Values),
) -> Result<bool, Error> {
    let mut changed = values.clone();
    change(&mut changed);
    if machines.steps > MOST_STEPS || changed == *values {
        return Ok(false);
    }
    let is_kept = differs(comparison, &machines.run(&changed)?) && machines.keep_promise(&changed);
    if is_kept {
        *values = changed;
    }
    Ok(is_kept)
}

/// Replaces a number by the simplest one with which the results differ.
fn replace(
    comparison: &Comparison<'_>,
    machines: &mut Machines<'_>,
    values: &mut Values,
    (promise, default): (Promise, f32),
    place: impl Fn(&mut Values) -> &mut f32,
) -> Result<(), Error> {
    let own = *place(values);
    let simpler = [default].into_iter().chain(SIMPLE).take_while(|number| number.to_bits() != own.to_bits());
    for number in simpler.filter(|number| promise.holds(&[*number])) {
        if attempt(comparison, machines, values, |values| *place(values) = number)? {
            return Ok(());
        }
    }
    Ok(())
}

/// The instructions at which both programs part on the way to a component.
fn instructions(
    comparison: &Comparison<'_>,
    values: &Values,
    pair: &OutputPair,
) -> Result<[Option<Pc>; 2], Error> {
    let (uniforms, inputs) = (comparison.uniforms(&values.uniforms), comparison.inputs(&values.inputs));
    let record = |side: usize| -> Result<_, Error> {
        let state = State::new(uniforms[side].clone(), vec![bits(&inputs[side])]);
        let (program, settings) = (&comparison.programs[side].program, comparison.settings());
        let recording = Run { program, state: &state, settings, outputs: u16::MAX }.record(0)?;
        // A recording ends before long programs do.
        let ended = recording.filter(|recording| recording.error.is_none());
        Ok(ended.map(|recording| Side { recording, uniforms: state.uniforms }))
    };
    let [Some(a), Some(b)] = [record(0)?, record(1)?] else { return Ok([None; 2]) };
    // Range: 16 registers with four components.
    Ok(divergence::instructions(
        [&a, &b],
        pair.places.map(|(register, component)| (register as u8, component as u8)),
    ))
}
