//! Constants in uniform registers: few registers for all operands.
//! In: steps. Out: the registers with their values, and sources that read them.

use transpica::isa::Index;

use super::code::{Home, Source, Step};
use super::error::{Error, listed};

/// A uniform register with values.
pub(super) type Constant = (u8, [u32; 4]);

/// Gives every constant a component of a register that has it already, or of a free one, the
/// highest first. Returns those.
pub(super) fn run(steps: &mut [Step], free: u128, present: &[Constant]) -> Result<Vec<Constant>, Error> {
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for step in steps.iter_mut() {
        for_each_operand(step, &mut |lanes| {
            let mut set: Vec<u32> = lanes.iter().filter_map(bits).collect();
            set.sort_unstable();
            set.dedup();
            if !set.is_empty() && !sets.contains(&set) {
                sets.push(set);
            }
        });
    }
    // Large sets first: small ones find room beside them.
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut registers: Vec<Vec<u32>> = present.iter().map(|(_, values)| values.to_vec()).collect();
    for set in sets {
        let missing = |register: &Vec<u32>| set.iter().filter(|value| !register.contains(value)).count();
        // Those that are present have no room: they have four values.
        let fits =
            |register: &&mut Vec<u32>| missing(register) == 0 || register.len() + missing(register) <= 4;
        let best = registers.iter_mut().filter(fits).min_by_key(|register| missing(register));
        match best {
            Some(register) => {
                let more: Vec<u32> = set.into_iter().filter(|value| !register.contains(value)).collect();
                register.extend(more);
            }
            None => registers.push(set),
        }
    }
    let mut numbers = (0..96u8).rev().filter(|&number| free >> number & 1 != 0);
    let mut constants: Vec<Constant> = present.to_vec();
    for values in &registers[present.len()..] {
        let Some(number) = numbers.next() else {
            let values = registers[present.len()..].iter().flatten().map(|&bits| f32::from_bits(bits));
            let (taken, places) = (listed(&values.collect::<Vec<_>>()), Vec::new());
            let (needed, limit) = (Some(registers.len() - present.len()), free.count_ones() as usize);
            return Err(Error::Limit { what: "registers for constants", needed, limit, taken, places });
        };
        constants.push((number, std::array::from_fn(|n| values.get(n).copied().unwrap_or(0))));
    }
    for step in steps {
        for_each_operand(step, &mut |lanes| {
            let set: Vec<u32> = lanes.iter().filter_map(bits).collect();
            let Some(at) = registers.iter().position(|values| set.iter().all(|value| values.contains(value)))
            else {
                return;
            };
            for lane in lanes {
                if let Home::Const(bits) = lane.home {
                    let component = registers[at].iter().position(|&value| value == bits).unwrap_or(0) as u8;
                    lane.home = Home::Uniform { register: constants[at].0, index: Index::None, component };
                }
            }
        });
    }
    Ok(constants.split_off(present.len()))
}

fn bits(lane: &Source) -> Option<u32> {
    if let Home::Const(bits) = lane.home { Some(bits) } else { None }
}

fn for_each_operand(step: &mut Step, visit: &mut dyn FnMut(&mut [Source])) {
    match step {
        Step::Data(inst) => inst.sources.iter_mut().for_each(|lanes| visit(lanes)),
        Step::Compare { sources, .. } => sources.iter_mut().for_each(|lanes| visit(lanes)),
        Step::Address { lanes } => {
            let mut both: Vec<Source> = lanes.iter().copied().flatten().collect();
            visit(&mut both);
            lanes.iter_mut().flatten().zip(both).for_each(|(lane, new)| *lane = new);
        }
        _other => {}
    }
}
