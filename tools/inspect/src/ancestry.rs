//! Ancestry of a result: the steps of a recorded run that it was made by, and the inputs and
//! uniforms that it was made from.
//! In: a recording, components of an output register at its end. Out: steps, addresses, names of
//! inputs. A slice of data: what a branch tested is not part of it, but what an address register
//! was made from is.

use std::collections::BTreeSet;

use crate::precision::arith::uniform_index;
use transpica::isa::sizes::FLOATS;
use transpica::isa::{Flow, Index, Inst, Mask, Pc, Source};

use crate::access::{COUNTER, Components, Read, reads, written};
use crate::recording::Recording;

/// The origin of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// Numbers of steps, in order.
    pub steps: Vec<usize>,
    /// Addresses of their instructions, in order.
    pub pcs: Vec<Pc>,
    /// Components of inputs and uniforms, as `v0.x`, `c4.y` and `i0`.
    pub inputs: Vec<String>,
}

/// Returns the origin of components of an output register at the end of a run.
pub fn ancestry(recording: &Recording, output: u8, components: Mask) -> Ancestry {
    ancestry_before(recording, recording.len(), output, components)
}

/// Returns the origin of components of an output register in front of a step, such as an EMIT.
pub fn ancestry_before(recording: &Recording, end: usize, output: u8, components: Mask) -> Ancestry {
    let mut wanted = Components::of_output(output, components);
    let (mut steps, mut pcs, mut inputs) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    // An EMIT swaps the banks of outputs: those that are wanted of the other one.
    let mut other = 0;
    for number in (0..end.min(recording.len())).rev() {
        if wanted.is_empty() && other == 0 {
            break;
        }
        let (Some(pc), Some(inst)) = (recording.pc(number), recording.inst(number)) else { continue };
        if recording.swaps(&inst) {
            std::mem::swap(&mut wanted.outputs, &mut other);
            continue;
        }
        if let (Inst::Flow(Flow::Loop { int, .. }), true) = (inst, wanted.rest & COUNTER != 0) {
            inputs.insert(('i', int, 0));
            wanted.rest &= !COUNTER;
            steps.push(number);
            pcs.insert(pc);
            continue;
        }
        let own = written(&inst);
        if own.common(wanted).is_empty() {
            continue;
        }
        let needed = reads(&inst, wanted);
        wanted = wanted.without(own).with(needed.components);
        steps.push(number);
        pcs.insert(pc);
        for read in needed.sources {
            let (bank, register) = origin(recording, number, read);
            inputs.extend(read.mask.iter().filter_map(|one| Some((bank, register?, 1 + one as u8))));
        }
    }
    steps.reverse();
    let name = |(bank, register, component): (char, u8, u8)| match component.checked_sub(1) {
        None => format!("{bank}{register}"),
        Some(component) => format!("{bank}{register}.{}", ['x', 'y', 'z', 'w'][usize::from(component & 3)]),
    };
    Ancestry { steps, pcs: pcs.into_iter().collect(), inputs: inputs.into_iter().map(name).collect() }
}

/// Returns the bank and the register that a step read; no register beyond the uniforms.
pub fn origin(recording: &Recording, number: usize, read: Read) -> (char, Option<u8>) {
    match read.register {
        Source::Input(register) => ('v', Some(register)),
        Source::Temp(register) => ('r', Some(register)),
        Source::Uniform(base) => {
            let ([x, y], counter) = recording.index_before(number);
            let register = match read.index {
                Index::None => base,
                Index::A0x => uniform_index(base, x),
                Index::A0y => uniform_index(base, y),
                Index::Al => uniform_index(base, counter),
            };
            ('c', Some(register).filter(|&register| usize::from(register) < FLOATS))
        }
    }
}

#[cfg(test)]
mod tests {
    use transpica::host::dvle;
    use transpica::interp::{Settings, Uniforms};
    use transpica::{Limits, Shbin};
    use transpica_asm::{SourceText, assemble};

    use super::*;
    use crate::dead::dead;
    use crate::recording::Run;
    use crate::state::{DEFAULT_REGISTERS, State};

    /// Steps and inputs of o0.`components` of a program, and its dead instructions.
    fn check(body: &str, components: Mask, expected: (&[usize], &[&str]), unused: &[u16]) {
        let text = format!(
            ".fvec first, second\n.ivec count\n.constf one(1.0, 1.0, 1.0, 1.0)\n.out result position\n\
             .alias a v0\n.alias b v1\n.proc main\n{body}\nend\n.end\n"
        );
        let bytes = assemble(&[SourceText { name: "", text: &text }]).expect("a program").bytes;
        let file = Shbin::parse(&bytes).expect("a file");
        let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
        let mut uniforms = Uniforms::default();
        uniforms.ints[0] = [2, 0, 1, 0];
        let vertices = vec![DEFAULT_REGISTERS];
        let state = State::new(uniforms, vertices);
        let run = Run { program: &program, state: &state, settings: Settings::default(), outputs: 1 };
        let recording = run.record(0).expect("it runs").expect("a vertex");
        let found = ancestry(&recording, 0, components);
        let inputs: Vec<&str> = found.inputs.iter().map(String::as_str).collect();
        assert_eq!((&found.steps[..], &inputs[..]), expected, "{body}");
        assert_eq!(dead(&program, 1, &Limits::default()).expect("a graph"), unused, "{body}");
    }

    #[test]
    fn components_are_followed_one_by_one() {
        let body = "mov r0, a\nmov r0.y, b\nmov r1, b\nadd result, first, r0";
        check(
            body,
            Mask::XYZW,
            (&[0, 1, 3], &["c0.x", "c0.y", "c0.z", "c0.w", "v0.x", "v0.z", "v0.w", "v1.y"]),
            &[2],
        );
        check(body, Mask(1), (&[0, 3], &["c0.x", "v0.x"]), &[2]);
        check(body, Mask(2), (&[1, 3], &["c0.y", "v1.y"]), &[2]);
    }

    #[test]
    fn swizzles_and_products_name_what_they_read() {
        check(
            "mov r0, a\ndp3 result, first.wzyx, r0",
            Mask(8),
            (&[0, 1], &["c0.y", "c0.z", "c0.w", "v0.x", "v0.y", "v0.z"]),
            &[],
        );
        check("rcp r1, a.w\nmov result, r1.z", Mask(1), (&[0, 1], &["v0.w"]), &[]);
    }

    #[test]
    fn relative_reads_name_the_register_and_the_address() {
        check("mova a0.x, a.w\nmov result, first[a0.x]", Mask(1), (&[0, 1], &["c1.x", "v0.w"]), &[]);
    }

    #[test]
    fn overwritten_values_are_no_ancestors() {
        check("mov r0, a\nmov r0, b\nmov result, r0", Mask(1), (&[1, 2], &["v1.x"]), &[0]);
    }

    #[test]
    fn loops_are_followed_through_their_iterations() {
        let body = "mov r0, a\nmov r1, b\nfor count\nadd r0, first[aL], r0\nnop\n.end\nmov result, r0";
        let adds = [0, 2, 3, 5, 7, 9];
        check(body, Mask(1), (&adds, &["c0.x", "c1.x", "c2.x", "i0", "v0.x"]), &[1]);
    }

    #[test]
    fn what_a_branch_tests_is_not_dead() {
        let body = "mov r0, a\nmov r1, b\ncmp r0, gt, gt, r1\nifc cmp.x\nmov r2, a\n.else\nmov r2, b\n.end\nmov result, r2";
        // With equal inputs the second part runs: step 4.
        check(body, Mask(1), (&[4, 5], &["v1.x"]), &[]);
    }
}
