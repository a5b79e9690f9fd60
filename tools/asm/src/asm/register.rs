//! Registers by picasso's numbers, and the parts of an operand.
//! In: text. Out: numbers, names, swizzles. Knows no declarations: see [`operand`](super::operand).
//! Facts: picasso's manual and probes.

use super::lex;
use super::report::{Parse, fault, hinted, invalid};
use transpica::isa::sizes::{BOOLS, FLOATS, TEMPS};
use transpica::isa::{Component, Index, Mask, Swizzle};

/// Number of r0.
pub(crate) const TEMP: u32 = 0x10;
/// Number of c0.
pub(crate) const FLOAT: u32 = 0x20;
/// Number of i0.
pub(crate) const INT: u32 = 0x80;
/// Number of b0.
pub(crate) const BOOL: u32 = 0x88;

/// A bank of registers.
pub(super) struct Bank {
    pub letter: char,
    /// Number of its register 0.
    pub base: u32,
    /// Number of registers that picasso knows by name.
    pub count: u32,
    /// Name in messages.
    pub kind: &'static str,
}

/// The banks, highest numbers first. Outputs have the numbers of inputs.
pub(super) const BANKS: [Bank; 5] = [
    Bank { letter: 'b', base: BOOL, count: BOOLS as u32, kind: "boolean uniform" },
    // picasso accepts i0 to i7; hardware reads two bits of the index.
    Bank { letter: 'i', base: INT, count: 8, kind: "integer uniform" },
    Bank { letter: 'c', base: FLOAT, count: FLOATS as u32, kind: "floating-point uniform" },
    Bank { letter: 'r', base: TEMP, count: TEMPS as u32, kind: "temporary" },
    // picasso rejects v15, which can be written as v14[1].
    Bank { letter: 'v', base: 0, count: 15, kind: "input" },
];

/// The bank of a register.
pub(super) fn bank_of(register: u32) -> &'static Bank {
    let [.., inputs] = &BANKS;
    BANKS.iter().find(|bank| register >= bank.base).unwrap_or(inputs)
}

/// The name of a source register.
pub(crate) fn register_name(register: u32) -> String {
    let Bank { letter, base, .. } = bank_of(register);
    format!("{letter}{}", register - base)
}

/// Returns whether a text looks like a register: a letter and a digit.
pub(crate) fn is_register_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| "ovrcib".contains(letter.to_ascii_lowercase()))
        && letters.next().is_some_and(|digit| digit.is_ascii_digit())
}

/// A register with swizzle, sign and address register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub register: u32,
    pub index: Index,
    pub swizzle: Swizzle,
    pub negate: bool,
    pub spelling: Spelling,
    /// Number of registers that its name stands for, if a declaration says so.
    pub count: Option<u32>,
}

impl Operand {
    /// A register without modifiers.
    pub fn plain(register: u32) -> Self {
        let spelling = Spelling::Other;
        Self { register, index: Index::None, swizzle: Swizzle::XYZW, negate: false, spelling, count: None }
    }
    /// The first of some registers that one name stands for.
    pub fn array(register: u32, count: u32) -> Self {
        Self { count: Some(count), ..Self::plain(register) }
    }
}

/// The bank that a text names, which numbers do not distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Input,
    Output,
    Other,
}

/// Letters of the components, in order.
const LETTERS: [&str; 3] = ["xyzw", "rgba", "stpq"];

fn component(letter: char) -> Option<Component> {
    let letter = letter.to_ascii_lowercase();
    LETTERS.iter().find_map(|set| set.find(letter)).and_then(|index| Component::ALL.get(index).copied())
}

/// Reads the letters after the dot; fewer than four repeat the last, none is `.xxxx`.
pub(super) fn swizzle(text: &str) -> Parse<'_, Swizzle> {
    let mut components = [Component::X; 4];
    let mut count = 0;
    for letter in text.chars() {
        let (Some(component), Some(place)) = (component(letter), components.get_mut(count)) else {
            let hint = "one to four letters of xyzw, rgba or stpq";
            return hinted(text, invalid("swizzling mask", text), hint);
        };
        *place = component;
        count += 1;
    }
    let last = components[count.saturating_sub(1)];
    components[count..].fill(last);
    Ok(Swizzle::new(components))
}

/// The components that a swizzle names.
pub(super) fn mask(swizzle: Swizzle) -> Mask {
    Mask(swizzle.components().iter().fold(0, |mask, &component| mask | 1 << component as u8))
}

/// The address register of this name.
pub(super) fn address_register(name: &str) -> Option<Index> {
    match name.to_ascii_lowercase().as_str() {
        "a0" | "a0.x" => Some(Index::A0x),
        "a1" | "a0.y" => Some(Index::A0y),
        "a2" | "al" | "lcnt" => Some(Index::Al),
        _ => None,
    }
}

/// The parts of an operand without its sign.
pub(super) struct Parts<'a> {
    pub base: &'a str,
    pub offset: Option<&'a str>,
    /// Text between the offset and the swizzle, which picasso ignores.
    pub ignored: &'a str,
    pub swizzle: Option<&'a str>,
}

/// Splits an operand.
pub(super) fn split(text: &str) -> Parse<'_, Parts<'_>> {
    let parts = |(before, swizzle)| (before, Some(swizzle));
    let dot = |text| str::split_once(text, '.').map_or((text, None), parts);
    let Some((base, rest)) = text.split_once('[') else {
        let (base, swizzle) = dot(text);
        return Ok(Parts { base, offset: None, ignored: "", swizzle });
    };
    let Some((offset, after)) = rest.split_once(']') else {
        return fault(text, "missing ']'");
    };
    let (ignored, swizzle) = dot(after);
    Ok(Parts { base, offset: Some(offset), ignored: lex::trim(ignored), swizzle })
}

/// An operand as picasso quotes it: without offset and swizzle.
pub(super) fn base(text: &str) -> &str {
    text.split(['[', '.']).next().unwrap_or(text)
}
