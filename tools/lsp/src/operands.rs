//! Operands as texts: registers with the components that they name.
//! In: a text. Out: registers. Knows no document.

use transpica::isa::Mask;

/// A register with the components that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Letter of its bank.
    pub bank: char,
    /// Its number.
    pub number: u8,
    /// The components.
    pub mask: Mask,
}

impl Register {
    /// Reads a register with components and sign.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('-');
        let (base, components) = text.split_once('.').unwrap_or((text, "xyzw"));
        let base = base.split('[').next().unwrap_or(base);
        let bank = base.chars().next().filter(|letter| "ovrcib".contains(*letter))?;
        let number = base[1..].parse().ok()?;
        Some(Self { bank, number, mask: mask(components)? })
    }

    /// Returns the same register with the components that a swizzle takes of it.
    #[must_use]
    pub fn with(self, components: &str) -> Self {
        Self { mask: mask(components).unwrap_or(self.mask), ..self }
    }
}

/// Returns the components that letters name, or `None` if one is no component.
fn mask(letters: &str) -> Option<Mask> {
    let bit = |letter: char| {
        let sets = ["xyzw", "rgba", "stpq"];
        sets.iter().find_map(|set| set.find(letter.to_ascii_lowercase())).map(|place| 1 << place)
    };
    letters.chars().try_fold(0, |all, letter| Some(all | bit(letter)?)).map(Mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_components() {
        let register = Register::parse("-r3.wx").expect("a register");
        assert_eq!((register.bank, register.number, register.mask), ('r', 3, Mask(9)));
        assert_eq!(
            [Register::parse("x1"), Register::parse("r"), Register::parse("r0.q1"), Register::parse("")],
            [None; 4]
        );
    }
}
