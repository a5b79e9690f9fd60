//! Values of flags that are not a single word: their spelling on the command line.
//! In: a text. Out: changes of fields. Whether a field takes the value is the library's to check.

use crate::words::did_you_mean;
use serde_json::{Value, json};
use transpica::settings::{Promise, Varying};

/// A change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Path of the field.
    pub path: String,
    /// The new value.
    pub to: To,
}

/// New value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum To {
    /// This value.
    Value(Value),
    /// The old value with these bits cleared, then those set.
    Bits {
        /// Bits that become 0.
        clear: u64,
        /// Bits that become 1, last.
        set: u64,
    },
}

impl Change {
    /// Sets a field.
    pub fn new(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { path: path.into(), to: To::Value(value.into()) }
    }
    /// Makes the bits of a mask 1 or 0.
    fn bits(path: &str, mask: u64, is_set: bool) -> Self {
        let set = if is_set { mask } else { 0 };
        Self { path: path.into(), to: To::Bits { clear: mask, set } }
    }
}

/// Reads a value.
pub type Spelling = fn(&str) -> Result<Vec<Change>, String>;

/// Returns the registers of a bank, such as `b`, that a program names so.
pub type Names<'n> = &'n dyn Fn(char, &str) -> Result<Vec<usize>, String>;

/// Reads a value about registers, which may have names.
pub type NamedSpelling = fn(&str, Names<'_>) -> Result<Vec<Change>, String>;

/// [`Names`] before the program is known: any name stands for register 0.
pub fn any_name(_: char, name: &str) -> Result<Vec<usize>, String> {
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    is_name.then(|| vec![0]).ok_or_else(|| format!("`{name}` is not a name"))
}

/// Splits `a=b`.
fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once('=').ok_or_else(|| format!("`{text}` must look like NAME=VALUE"))
}

/// Reads a list of `a=b`.
fn list(text: &str, one: impl Fn(&str, &str) -> Result<Vec<Change>, String>) -> Result<Vec<Change>, String> {
    let mut changes = Vec::new();
    for part in text.split(',') {
        let (name, value) = pair(part)?;
        changes.extend(one(name, value)?);
    }
    Ok(changes)
}

/// Reads a register of a bank: `b3`, all of them as `b*`, or those with a name.
fn registers(name: &str, bank: char, count: usize, names: Names<'_>) -> Result<Vec<usize>, String> {
    let wrong = |end: &str| format!("`{name}` must be {bank}0 to {bank}{}, or {bank}*{end}", count - 1);
    let number = name.strip_prefix(bank);
    if number == Some("*") {
        return Ok((0..count).collect());
    }
    // `parse` alone would accept a sign.
    let is_number = |number: &&str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.filter(is_number).map(|digits| digits.parse().ok().filter(|&number| number < count)) {
        Some(Some(number)) => Ok(vec![number]),
        Some(None) => Err(wrong("")),
        None => {
            let found = names(bank, name).map_err(|reason| wrong(&format!(": {reason}")))?;
            Ok(found.into_iter().filter(|&register| register < count).collect())
        }
    }
}

/// Finds a word among some, or suggests the nearest.
pub(crate) fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    // Without case, so that the names of variants are words, too.
    let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|&(_, value)| value);
    found.ok_or_else(|| {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let advice = did_you_mean(text, all.iter().copied());
        let advice = advice.unwrap_or_else(|| format!("must be one of {}", all.join(", ")));
        format!("`{text}` is unknown; {advice}")
    })
}

/// Returns whether a text must be JSON: a bracket begins it, so its fault is worth a message.
pub(crate) fn is_json(text: &str) -> bool {
    text == "null" || text.starts_with(['{', '[', '"'])
}

/// Reads a value as JSON; a text that is none is a string.
pub fn json(path: String, text: &str) -> Result<Change, String> {
    let value = serde_json::from_str(text).or_else(|error| {
        if is_json(text) { Err(format!("not JSON: {error}")) } else { Ok(Value::from(text)) }
    });
    Ok(Change::new(path, value?))
}

/// Reads `NAME=VALUE,…` of an object.
pub fn members(
    object: &str,
    text: &str,
    value: impl Fn(String, &str) -> Result<Change, String>,
) -> Result<Vec<Change>, String> {
    list(text, |name, text| Ok(vec![value(format!("{object}.{name}"), text)?]))
}

/// Reads a number, or `none` for its absence.
pub fn number_or_none(path: &str, text: &str) -> Result<Vec<Change>, String> {
    let value = match text {
        "none" => Value::Null,
        number => number.parse::<u32>().map_err(|_| "must be a number, or none".to_string())?.into(),
    };
    Ok(vec![Change::new(path, value)])
}

/// `--bools`
pub fn bools(text: &str, names: Names<'_>) -> Result<Vec<Change>, String> {
    // Constant, its value, specialized.
    let ways = [
        ("true", (true, true, false)),
        ("false", (true, false, false)),
        ("specialized", (false, false, true)),
        ("uniform", (false, false, false)),
    ];
    list(text, |name, how| {
        let (baked, value, specialized) = word(how, &ways)?;
        let mask =
            registers(name, 'b', 16, names)?.into_iter().fold(0, |mask, register| mask | 1 << register);
        let set = |field: &str, is_set| Change::bits(&format!("control.bools.{field}"), mask, is_set);
        Ok(vec![set("baked", baked), set("values", value), set("specialized", specialized)])
    })
}

/// `--float-controls`
pub fn float_controls(text: &str) -> Result<Vec<Change>, String> {
    const RULES: [&str; 3] = ["nan", "subnormals", "rounding"];
    let named: Vec<&str> = match text {
        "all" => RULES.to_vec(),
        "none" => Vec::new(),
        rules => rules.split(',').collect(),
    };
    if let Some(wrong) = named.iter().find(|rule| !RULES.contains(rule)) {
        return Err(format!("must be all, none, or a list of nan, subnormals and rounding, not `{wrong}`"));
    }
    let change = |rule| Change::new(format!("float_controls.{rule}"), Value::Bool(named.contains(&rule)));
    Ok(RULES.map(change).into())
}

/// `--ints`
pub fn ints(text: &str, names: Names<'_>) -> Result<Vec<Change>, String> {
    let (name, how) = pair(text)?;
    let (value, specialized) = match how {
        "uniform" => (Value::Null, false),
        "specialized" => (Value::Null, true),
        numbers => {
            let numbers: Option<Vec<u8>> =
                numbers.split(',').map(|number| number.parse::<u8>().ok()).collect();
            let numbers = numbers.filter(|numbers| numbers.len() == 4);
            let wrong = "must look like i0=3,0,1,0 with numbers up to 255, i0=specialized or i0=uniform";
            (numbers.ok_or_else(|| wrong.to_string())?.into(), false)
        }
    };
    let mut changes = Vec::new();
    for register in registers(name, 'i', 4, names)? {
        changes.push(Change::new(format!("control.ints.baked.{register}"), value.clone()));
        changes.push(Change::bits("control.ints.specialized", 1 << register, specialized));
    }
    Ok(changes)
}

/// `--snap-depth`
pub fn snap_depth(text: &str) -> Result<Vec<Change>, String> {
    let wrong = || "must be two numbers NEAR,FAR of 0 or more and less than 1".to_string();
    let (near, far) = text.split_once(',').ok_or_else(wrong)?;
    // As f32, so that equal texts are equal numbers whatever their way.
    let number = |text: &str| text.parse::<f32>().ok().filter(|number| (0.0..1.0).contains(number));
    let (near, far) = (number(near).ok_or_else(wrong)?, number(far).ok_or_else(wrong)?);
    Ok(vec![Change::new("outputs.snap_depth.near", near), Change::new("outputs.snap_depth.far", far)])
}

/// `--layout`
pub fn layout(text: &str) -> Result<Vec<Change>, String> {
    let value = if text.starts_with('{') {
        let offsets: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        if offsets.get("Custom").is_some() { offsets } else { json!({ "Custom": offsets }) }
    } else {
        let names = [
            ("symbols", "Symbols"),
            ("registers", "Registers"),
            ("azahar", "Azahar"),
            ("panda3ds", "Panda3ds"),
        ];
        word(text, &names)?.into()
    };
    Ok(vec![Change::new("block.layout", value)])
}

/// `--attributes`
pub fn attributes(text: &str, names: Names<'_>) -> Result<Vec<Change>, String> {
    list(text, |name, format| {
        let (kind, components) = format.split_once(':').unwrap_or((format, "4"));
        let kind = word(kind, &[("float", "Float"), ("int", "Int"), ("uint", "Uint")])?;
        let components = components.parse::<u8>().ok().filter(|count| (1..=4).contains(count));
        let components = components.ok_or("an attribute has 1 to 4 components")?;
        let value = json!({ "kind": kind, "components": components });
        let registers = registers(name, 'v', 16, names)?.into_iter();
        Ok(registers
            .map(|register| Change::new(format!("input.formats.{register}"), value.clone()))
            .collect())
    })
}

/// Reads a promise about numbers: any, no-nan, finite, 2^N, below:N or 2^M..2^N.
pub fn promise(text: &str) -> Option<Promise> {
    let (least, below) = match text {
        "any" => return Some(Promise::Nothing),
        "no-nan" => return Some(Promise::NotNan),
        // Every finite number is below 2^128.
        "finite" => return Some(Promise::Below(128)),
        bounds => bounds.split_once("..").map_or((None, bounds), |(least, below)| (Some(least), below)),
    };
    let exponent = below.strip_prefix("below:").or_else(|| below.strip_prefix("2^"))?.parse().ok()?;
    if exponent > 128 {
        return None;
    }
    match least {
        None => Some(Promise::Below(exponent)),
        Some(least) => Some(Promise::Between(least.strip_prefix("2^")?.parse().ok()?, exponent)),
    }
}

/// `--assume`
pub fn assume(text: &str, names: Names<'_>) -> Result<Vec<Change>, String> {
    let wrong = || {
        "must look like uniforms=no-nan: uniforms, attributes, v0 to v15 or results, and any, no-nan, finite, 2^N, \
         below:N or 2^M..2^N, with N from 0 to 128, M from -128, M below N"
            .to_string()
    };
    let mut changes = Vec::new();
    for part in text.split(',') {
        let (about, promise) = part.split_once('=').ok_or_else(wrong)?;
        let promise = json!(self::promise(promise).ok_or_else(wrong)?);
        let attribute = |register| Change::new(format!("input.promises.{register}"), promise.clone());
        match about {
            "uniforms" => changes.push(Change::new("assume.uniforms", promise)),
            "results" => changes.push(Change::new("assume.results", promise)),
            "attributes" => changes.extend((0..16).map(attribute)),
            register => {
                let found = registers(register, 'v', 16, names);
                let found = found.map_err(|reason| format!("{}; {reason}", wrong()))?;
                changes.extend(found.into_iter().map(attribute));
            }
        }
    }
    Ok(changes)
}

/// `--spirv-version`
pub fn spirv_version(text: &str) -> Result<Vec<Change>, String> {
    let version = text.split_once('.').and_then(|(major, minor)| {
        let version: (u8, u8) = (major.parse().ok()?, minor.parse().ok()?);
        matches!(version, (1, 0..=6)).then_some(version)
    });
    let (major, minor) = version.ok_or("must be 1.0 to 1.6")?;
    Ok(vec![Change::new("spirv_version", json!([major, minor]))])
}

/// `--bindings`
pub fn bindings(text: &str) -> Result<Vec<Change>, String> {
    list(text, |block, place| {
        let block = word(block, &[("uniforms", "uniforms"), ("host", "host"), ("again", "again")])?;
        let place = place
            .split_once(':')
            .and_then(|(set, binding)| Some((set.parse::<u32>().ok()?, binding.parse::<u32>().ok()?)));
        let (set, binding) = place.ok_or_else(|| format!("must look like {block}=SET:BINDING"))?;
        let change = |field, number| Change::new(format!("bindings.{block}.{field}"), number);
        Ok(vec![change("set", set), change("binding", binding)])
    })
}

/// `--varyings`
pub fn varyings(text: &str) -> Result<Vec<Change>, String> {
    let table =
        serde_json::to_value(word(text, &[("dense", &Varying::DENSE), ("azahar", &Varying::AZAHAR)])?);
    Ok(vec![Change::new("varyings", table.map_err(|error| error.to_string())?)])
}

/// `--glsl-uniforms`, `--glsl-host`, `--glsl-again`
pub fn block(object: &str, text: &str) -> Result<Vec<Change>, String> {
    if is_json(text) {
        return Err("must look like BLOCK:INSTANCE".into());
    }
    let named = text.split_once(':').map(|(block, instance)| (block, Value::from(instance)));
    let (block, instance) = named.unwrap_or((text, Value::Null));
    Ok(vec![Change::new(object, json!({ "block": block, "instance": instance }))])
}

/// `--glsl-entry`
pub fn entry(text: &str) -> Result<Vec<Change>, String> {
    Ok(vec![Change::new("glsl.entry", text)])
}

/// `--glsl-attributes`
pub fn attribute_names(text: &str) -> Result<Vec<Change>, String> {
    let (how, text) = text.split_once(':').ok_or("must look like named:in_ or numbered:v")?;
    let how = word(how, &[("named", "Named"), ("numbered", "Numbered")])?;
    Ok(vec![Change::new("glsl.attributes", json!({ how: text }))])
}
