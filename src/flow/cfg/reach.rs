//! The words that execution might reach for any uniforms: the plain graph of addresses.
//! In: [`Program`]. Out: each word that some rings and some answers lead to, once. Knows no
//! uniform's value.
//!
//! Every tier of the translation reads these words alone, so they identify a program: other words
//! may be anything.

use crate::program::isa::table::{Class, Role, Shape, is_control};
use crate::program::isa::word::Field;
use crate::program::isa::{Move, Pc, Program};

/// Calls `visit` for each word that is reachable from the entry point, with its address. The order
/// depends on these words alone.
///
/// ```
/// use transpica::stages::cfg::reach::reach;
/// use transpica::isa::Pc;
/// use transpica::{Program, Stage};
/// let words = [0x8800_0000, 0x4C00_0000]; // end, and a mov after it
/// let program = Program::from_raw(&words[..], &[][..], Pc(0), Stage::Vertex)?;
/// let mut reached = Vec::new();
/// reach(&program, |pc, word| reached.push((pc, word)));
/// assert_eq!(reached, [(Pc(0), 0x8800_0000)]);
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn reach(program: &Program<'_>, mut visit: impl FnMut(Pc, u32)) {
    reach_runs(program, |start, words| {
        (start.0..).zip(words).for_each(|(pc, &word)| visit(Pc(pc), word));
    });
}

/// As [`reach`], for each run of words that follow each other: the address of the first, and the
/// words.
pub fn reach_runs(program: &Program<'_>, mut visit: impl FnMut(Pc, &[u32])) {
    let code = program.code();
    // One byte each: with bits, keys take 6 to 8 % longer.
    let mut seen = vec![false; code.len()];
    let mut work = Vec::with_capacity(32);
    work.push(program.entry());
    while let Some(start) = work.pop() {
        let (Some(words), Some(seen)) = (code.get(start.index()..), seen.get_mut(start.index()..)) else {
            continue;
        };
        let mut count = 0;
        for (&word, is_seen) in words.iter().zip(seen) {
            if std::mem::replace(is_seen, true) {
                break;
            }
            count += 1;
            // Most words are data instructions, which need no table lookup.
            if is_control(word) {
                let Some(leads) = jump_targets(word) else { break };
                work.extend(leads.into_iter().flatten());
            }
        }
        if count > 0 {
            visit(start, &words[..count]);
        }
    }
}

/// Returns the targets of a control-flow instruction besides the next word, now or when its scope
/// ends, or `None` if it ends the program. Complete decoding would take several times as long.
#[inline]
fn jump_targets(word: u32) -> Option<[Option<Pc>; 2]> {
    let Some(Shape { class: Class::Control(op), format, .. }) = Shape::of_word(word) else {
        return Some([None; 2]);
    };
    // Ranges: a target has twelve bits; eight of the length are read.
    let target = Pc(format.field(Field::Target, word) as u16);
    let length = (format.field(Field::Num, word) & Role::Length.reads(Field::Num)) as u8;
    match op.moves() {
        Move::Call | Move::Jump => Some([Some(target), None]),
        Move::If => Some([Some(target), Some(target.plus(length))]),
        Move::Loop => Some([Some(target.next()), None]),
        Move::Next | Move::Break => Some([None; 2]),
        Move::End => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::Stage;

    fn reached(words: &[u32], entry: u16) -> Vec<u16> {
        let program = Program::from_raw(words, &[][..], Pc(entry), Stage::Vertex).expect("valid");
        let mut pcs = Vec::new();
        reach(&program, |pc, _| pcs.push(pc.0));
        pcs.sort_unstable();
        pcs
    }

    const END: u32 = 0x8800_0000;
    const NOP: u32 = 0x8400_0000;

    #[test]
    fn words_after_a_callee_are_not_reached() {
        // 0: call 3, 1 word; 1: end; 2: nop; 3: end; 4: nop
        assert_eq!(reached(&[0x9000_0C01, END, NOP, END, NOP], 0), [0, 1, 3]);
        // Without END the callee runs on, as far as the plain graph knows.
        assert_eq!(reached(&[0x9000_0C01, END, NOP, NOP, NOP], 0), [0, 1, 3, 4]);
    }

    #[test]
    fn both_parts_of_an_if_and_its_end_are_reached() {
        // 0: ifu b0, else at 2, 1 word; 1: end; 2: end; 3: end; 4: nop
        assert_eq!(reached(&[0x9C00_0801, END, END, END, NOP], 0), [0, 1, 2, 3]);
    }

    #[test]
    fn jumps_reach_every_address_inside_the_code() {
        // 1: jmpu b0 to 4; 2: end
        assert_eq!(reached(&[NOP, 0xB400_1000, END, NOP, END], 1), [1, 2, 4]);
        assert_eq!(reached(&[0xB43F_FC00, END], 0), [0, 1]);
        assert_eq!(reached(&[NOP, NOP], 1), [1]);
    }

    #[test]
    fn words_after_a_loop_are_reached_though_its_body_ends_the_program() {
        // 0: loop i0 to 1; 1: end; 2: nop; 3: end; 4: nop
        assert_eq!(reached(&[0xA400_0400, END, NOP, END, NOP], 0), [0, 1, 2, 3]);
    }
}
