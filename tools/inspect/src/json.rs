//! One spelling of numbers and programs in JSON documents.
//! In: numbers, executables. Out: JSON values. Words and f32 bits are strings of eight hexadecimal
//! digits, `"0x3f800000"`; where people read values, decimal numbers stand beside them, and what
//! people write, [`float`] reads. A program is `dvle`, `stage`, `entry`; a register is `"c5"`,
//! `"v0"` or `"o2"`.

use crate::precision::bits;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use transpica::container::{Dvle, ShaderType};
use transpica::reflect::Reflection;

/// Version of the tools, as documents name it.
pub const TOOL: &str = env!("CARGO_PKG_VERSION");

/// Returns the text of a document of a schema: `schema` and `tool` in front of these members.
pub fn document(schema: &str, members: Value) -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("schema".into(), schema.into());
    document.insert("tool".into(), TOOL.into());
    if let Value::Object(members) = members {
        document.extend(members);
    }
    document
}

/// Returns a document as indented text.
pub fn text(document: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Returns what a program reads and writes, as indented text.
pub fn reflection(reflection: &Reflection) -> String {
    serde_json::to_string_pretty(reflection).unwrap_or_default() + "\n"
}

/// Returns a word, or the bits of an f32.
pub fn word(bits: u32) -> Value {
    json!(format!("{bits:#010x}"))
}

/// Returns an f32 as a decimal number, or the text that state files have for other values.
pub fn decimal(value: f32) -> Value {
    if value.is_nan() {
        return json!("nan");
    }
    if value.is_infinite() {
        return json!(if value > 0.0 { "inf" } else { "-inf" });
    }
    // Shortest digits that give this f32: a conversion to f64 has more.
    json!(format!("{value:?}").parse::<f64>().unwrap_or_default())
}

/// Reads an f32 as people write it: `-1.5e3`, `1/255`, `inf`, `-inf`, `nan`, or `0x3f800000` for
/// its bits. Returns its bits, or `None` for any other text.
pub fn float(text: &str) -> Option<u32> {
    // `parse` and `from_str_radix` alone would accept words and signs.
    let decimal = |text: &str| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        text.parse::<f64>().ok().filter(|_| is_plain)
    };
    let value = match text.trim() {
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        "nan" => f64::NAN,
        text => match (text.strip_prefix("0x"), text.split_once('/')) {
            (Some(digits), _) => {
                let bits = u32::from_str_radix(digits, 16).ok();
                return bits.filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            }
            (None, Some((number, divisor))) => decimal(number.trim())? / decimal(divisor.trim())?,
            (None, None) => decimal(text)?,
        },
    };
    Some(if value.is_nan() { bits::NAN } else { (value as f32).to_bits() })
}

/// An executable of a file, as documents name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramName {
    /// Number in the file.
    pub dvle: usize,
    /// `vertex` or `geometry`, or `None` if the type is unknown.
    pub stage: Option<String>,
    /// Label of the entry point, or its code word without one.
    pub entry: String,
}

impl ProgramName {
    /// Returns the name of an executable.
    pub fn new(dvle: usize, executable: &Dvle<'_>) -> Self {
        let stage = executable.header.shader_type().map(|shader_type| match shader_type {
            ShaderType::Vertex => "vertex".into(),
            ShaderType::Geometry => "geometry".into(),
        });
        let word = || format!("code word {:#x}", executable.header.main);
        let entry = executable.entry_label().map_or_else(word, |label| label.to_text().into());
        Self { dvle, stage, entry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(word(0x3F80_0000), "0x3f800000");
        assert_eq!(decimal(0.1).to_string(), "0.1");
        assert_eq!(decimal(-0.0).to_string(), "-0.0");
        assert_eq!(decimal(f32::MIN_POSITIVE).to_string(), "1.1754944e-38");
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(decimal), ["nan", "inf", "-inf"]);
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("-1.5e3", -1500.0),
            (" .5 ", 0.5),
            ("1/255", 1.0 / 255.0),
            ("-1 / 4", -0.25),
            ("1e40", f32::INFINITY),
            ("-inf", f32::NEG_INFINITY),
            ("0x3f800000", 1.0),
            ("-0", -0.0),
        ] {
            assert_eq!(float(text), Some(value.to_bits()), "{text}");
        }
        assert_eq!((float("nan"), float("0/0"), float("0x1")), (Some(bits::NAN), Some(bits::NAN), Some(1)));
        for text in ["", "abc", "1,5", "infinity", "NaN", "0x", "0x+1", "0x123456789", "1/", "1/2/3", "1 2"] {
            assert_eq!(float(text), None, "{text}");
        }
    }
}
