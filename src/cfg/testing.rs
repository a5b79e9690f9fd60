//! Programs for tests, written as text: words separated by `;`, targets as addresses.
//! `a` is a data instruction, `none` one that writes nothing, `cmp` writes the flags, `bad` is an undefined opcode;
//! conditions are `x`, `!x`, `y`, `!y`, `b3`, `!b3`.
//! `if C dst num`, `jmp C dst`, `call [C] dst num`, `loop iN last`, `break [C]`, `nop`, `end`.

use crate::isa::builder::Builder;
use crate::isa::{
    CompareOp, Condition, ConditionOp, DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Program, Source, Stage,
};
use crate::limits::Limits;

/// The vertex program that a text describes.
pub(crate) fn program(text: &str) -> Program<'static> {
    program_for(text, Stage::Vertex)
}

/// The program that a text describes.
pub(crate) fn program_for(text: &str, stage: Stage) -> Program<'static> {
    let mut builder = Builder::new();
    let mut bad = Vec::new();
    for (pc, word) in text.split(';').enumerate() {
        let words: Vec<&str> = word.split_whitespace().collect();
        if words == ["bad"] {
            bad.push(pc);
        }
        builder.push(inst(&words));
    }
    let (mut code, descriptors) = builder.finish().expect("builds");
    for pc in bad {
        code[pc] = 0x10 << 26;
    }
    Program::new(code, descriptors, Pc(0), stage, &Limits::default()).expect("is a program")
}

fn number(text: &str) -> u16 {
    text.trim_start_matches(['b', 'i', '!']).parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn condition(text: &str) -> Condition {
    let wanted = !text.starts_with('!');
    let op = if text.ends_with('x') { ConditionOp::X } else { ConditionOp::Y };
    Condition { op, ref_x: wanted, ref_y: wanted }
}

fn inst(words: &[&str]) -> Inst {
    let bool = |text: &str| number(text) as u8;
    let pc = |text: &str| Pc(number(text));
    Inst::Flow(match *words {
        ["a" | "bad"] => {
            return Inst::data(DataOp::Mov, Dest::Temp(0), Mask::XYZW, &[Operand::new(Source::Input(0))]);
        }
        ["cmp"] => {
            let sources = [Operand::new(Source::Input(0)); 2];
            return Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Eq, sources };
        }
        ["emit"] => return Inst::Emit,
        ["none"] => {
            return Inst::data(DataOp::Mov, Dest::Temp(0), Mask::NONE, &[Operand::new(Source::Input(0))]);
        }
        ["nop"] => Flow::Nop,
        ["end"] => Flow::End,
        ["break"] => Flow::Break,
        ["break", c] => Flow::BreakC(condition(c)),
        ["call", dst, num] => Flow::Call { target: pc(dst), length: number(num) as u8 },
        ["call", c, dst, num] if c.contains('b') => {
            Flow::CallU { bool: bool(c), target: pc(dst), length: number(num) as u8 }
        }
        ["call", c, dst, num] => {
            Flow::CallC { condition: condition(c), target: pc(dst), length: number(num) as u8 }
        }
        ["if", c, dst, num] if c.contains('b') => {
            Flow::IfU { bool: bool(c), target: pc(dst), length: number(num) as u8 }
        }
        ["if", c, dst, num] => {
            Flow::IfC { condition: condition(c), target: pc(dst), length: number(num) as u8 }
        }
        ["jmp", c, dst] if c.contains('b') => {
            Flow::JmpU { bool: bool(c), expected: !c.starts_with('!'), target: pc(dst) }
        }
        ["jmp", c, dst] => Flow::JmpC { condition: condition(c), target: pc(dst) },
        ["loop", int, last] => Flow::Loop { int: bool(int), last: pc(last) },
        _ => panic!("{words:?} is no word"),
    })
}
