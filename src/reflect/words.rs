//! Spelling of words and registers in serialized reflections: bits as `"0x3f800000"`, an input
//! register as `"v3"`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::UniformDefault;

/// Returns the text of a word.
fn text(word: u32) -> String {
    format!("{word:#010x}")
}

/// Reads the text of a word.
fn parse(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// A field with a word.
pub(super) mod word {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(word: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&text(*word))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        parse(&String::deserialize(from)?).ok_or_else(|| Error::custom("a word must be like 0x3f800000"))
    }
}

/// A field with an input register.
pub(super) mod input {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(register: &u8, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("v{register}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
        let text = String::deserialize(from)?;
        let register = text.strip_prefix('v').and_then(|number| number.parse().ok());
        register.ok_or_else(|| Error::custom("an input register must be like v0"))
    }
}

/// A component of a default value: bits of a float, or a number.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Component {
    Bits(String),
    Number(u32),
}

/// A [`UniformDefault`] as it is serialized.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredDefault {
    register: String,
    value: Vec<Component>,
    folded: bool,
}

impl From<UniformDefault> for StoredDefault {
    fn from(default: UniformDefault) -> Self {
        let UniformDefault { register, value, folded } = default;
        let is_float = register.starts_with('c');
        let component = |bits| if is_float { Component::Bits(text(bits)) } else { Component::Number(bits) };
        Self { value: value.into_iter().map(component).collect(), register, folded }
    }
}

impl TryFrom<StoredDefault> for UniformDefault {
    type Error = String;

    fn try_from(stored: StoredDefault) -> Result<Self, String> {
        let StoredDefault { register, value, folded } = stored;
        let component = |component| match component {
            Component::Number(number) => Ok(number),
            Component::Bits(text) => {
                parse(&text).ok_or_else(|| format!("{text} must be like 0x3f800000, the bits of a float"))
            }
        };
        let value = value.into_iter().map(component).collect::<Result<_, _>>()?;
        Ok(Self { register, value, folded })
    }
}
