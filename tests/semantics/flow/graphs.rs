//! Programs for tests, written as text: words separated by `;`, targets as addresses.
//! `a` is a data instruction, `none` one that writes nothing, `cmp` writes the flags, `bad` is an
//! undefined opcode; conditions are `x`, `!x`, `y`, `!y`, `b3`, `!b3`. `if C dst num`, `jmp C dst`,
//! `call [C] dst num`, `loop iN last`, `break [C]`, `nop`, `end`. Whole instructions: `mad r1.xy
//! r2.xxxx v0 c3[a0.x]`, `mova xy v0`, `cmp eq true v0 v1`, `setemit 2 prim inv`, `emit`.

use transpica::isa::builder::Builder;
use transpica::isa::table::Class;
use transpica::isa::{
    CompareOp, Component, Condition, ConditionOp, DataOp, Dest, Flow, Index, Inst, Mask, Opcode, Operand, Pc,
    Source, Swizzle,
};
use transpica::{Limits, Program, Stage};

/// Parses a vertex program.
pub fn program(text: &str) -> Program<'static> {
    program_for(text, Stage::Vertex)
}

/// Parses a program of a stage.
pub fn program_for(text: &str, stage: Stage) -> Program<'static> {
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
    text.trim_start_matches(['b', 'i', '!']).parse().unwrap_or_else(|_| panic!("{text} is not a number"))
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
        ["setemit", vertex, ref flags @ ..] => {
            let has = |flag| flags.contains(&flag);
            return Inst::SetEmit { vertex: bool(vertex), prim: has("prim"), invert: has("inv") };
        }
        ["mova", components, source] => {
            return Inst::Mova { mask: mask(components), source: operand(source) };
        }
        ["cmp", x, y, a, b] => {
            return Inst::Cmp { x: compare(x), y: compare(y), sources: [a, b].map(operand) };
        }
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
        [mnemonic, dest, ref sources @ ..] => return data(mnemonic, dest, sources),
        _ => panic!("{words:?} is not a word"),
    })
}

/// An instruction that writes a register.
fn data(mnemonic: &str, dest: &str, sources: &[&str]) -> Inst {
    let Some(Class::Data(op)) = Opcode::from_mnemonic(mnemonic).map(|opcode| opcode.info().class) else {
        panic!("{mnemonic} is not a word");
    };
    let (register, components) = dest.split_once('.').unwrap_or((dest, "xyzw"));
    let number = number(&register[1..]) as u8;
    let dest = if register.starts_with('o') { Dest::Output(number) } else { Dest::Temp(number) };
    let sources: Vec<Operand> = sources.iter().map(|source| operand(source)).collect();
    Inst::data(op, dest, mask(components), &sources)
}

fn components(text: &str) -> impl Iterator<Item = Component> + '_ {
    let component = |letter| Component::ALL.into_iter().find(|component| component.letter() == letter);
    text.chars().map(move |letter| component(letter).unwrap_or_else(|| panic!("{text} are not components")))
}

/// Components, or `none`.
fn mask(text: &str) -> Mask {
    Mask(
        components(text.trim_matches(|c| "noe".contains(c)))
            .fold(0, |mask, component| mask | 1 << component.index()),
    )
}

/// `-r1.wzyx` or `c3[a0.x]`.
fn operand(text: &str) -> Operand {
    let (text, negate) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
    let (text, index) = match text.split_once('[') {
        None => (text, Index::None),
        Some((text, "a0.x]")) => (text, Index::A0x),
        Some((text, "a0.y]")) => (text, Index::A0y),
        Some((text, "aL]")) => (text, Index::Al),
        Some(_) => panic!("{text} is not an operand"),
    };
    let (register, swizzle) = text.split_once('.').unwrap_or((text, "xyzw"));
    let (bank, number) = (&register[..1], number(&register[1..]) as u8);
    let register = match bank {
        "v" => Source::Input(number),
        "r" => Source::Temp(number),
        "c" => Source::Uniform(number),
        _ => panic!("{text} is not an operand"),
    };
    let swizzle = components(swizzle).collect::<Vec<_>>();
    let swizzle = Swizzle::new(swizzle.try_into().expect("four components"));
    Operand { index, swizzle, negate, ..Operand::new(register) }
}

fn compare(text: &str) -> CompareOp {
    let place = ["eq", "ne", "lt", "le", "gt", "ge", "true"].iter().position(|name| *name == text);
    CompareOp::from_field(place.expect("a comparison") as u32)
}
