//! The state file: uniforms and vertices as JSON, by registers or by the names of the program's
//! file. In: JSON text. Out: register values as f32 bits.
//! Every deviation from the format is an error that names the place as a path
//! (`vertices[3].v1[2]`). [`save`](crate::saved) writes such files.

use std::collections::{BTreeMap, BTreeSet};

use crate::values::Named;
pub use crate::words::did_you_mean;
use serde_json::{Map, Value};
use transpica::Stage;
use transpica::container::SymbolBank;
use transpica::host::Constants;
use transpica::interp::{GeometryMachine, Uniforms};
use transpica::isa::DEFAULT;
use transpica::isa::sizes::FLOATS;

use crate::draw::mesh::BuiltIn;
use crate::json;
use crate::symbols::{Symbols, letter};

/// Sixteen registers as f32 bits.
pub type Registers = [[u32; 4]; 16];

/// Registers as numbers.
pub fn floats(registers: &Registers) -> [[f32; 4]; 16] {
    registers.map(|register| register.map(f32::from_bits))
}

/// Registers as bits.
pub fn bits(registers: &[[f32; 4]; 16]) -> Registers {
    registers.map(|register| register.map(f32::to_bits))
}

/// Float uniforms that one invocation of a geometry program receives, with their registers.
pub type Delivered = Vec<(u8, [u32; 4])>;

/// Uniform values and vertices; registers absent from the file keep their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The built-in mesh that shows best what the program is for; only pictures take it.
    pub mesh: Option<BuiltIn>,
    /// Attributes that every vertex of a mesh has in a picture, by their registers.
    pub attributes: Vec<(usize, [u32; 4])>,
    /// The given uniforms, overridden by those of the file.
    pub uniforms: Uniforms,
    /// Float uniforms that the file sets.
    pub floats_set: [bool; FLOATS],
    /// v0..v15 of each vertex or invocation.
    pub vertices: Vec<Registers>,
    /// Uniforms delivered to each invocation of a geometry program; empty for vertices.
    pub delivered: Vec<Delivered>,
}

impl State {
    /// Builds a state of uniforms and vertices.
    pub fn new(uniforms: Uniforms, vertices: Vec<Registers>) -> Self {
        Self {
            mesh: None,
            attributes: Vec::new(),
            uniforms,
            floats_set: [false; FLOATS],
            vertices,
            delivered: Vec::new(),
        }
    }

    /// Delivers the uniforms of an invocation to its machine and returns its inputs.
    pub fn begin(&self, number: usize, machine: &mut GeometryMachine) -> [[f32; 4]; 16] {
        for &(register, value) in self.delivered.get(number).into_iter().flatten() {
            machine.deliver(register, &[value.map(f32::from_bits)]);
        }
        floats(&self.vertices[number])
    }

    /// Returns whether it sets no constant of the program's file, so that a module may fold them.
    pub fn keeps_constants(&self, constants: &Constants) -> bool {
        let mut floats = constants.floats.iter().zip(self.floats_set);
        !floats.any(|(value, set)| value.is_some() && set)
    }
}

/// Default of input registers: (0, 0, 0, 1).
pub const DEFAULT_REGISTERS: Registers = {
    let [x, y, z, w] = DEFAULT;
    [[x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()]; 16]
};

/// Parses a state file on top of uniforms that are already set.
pub fn parse(text: &str, uniforms: Uniforms, stage: Stage, symbols: &Symbols) -> Result<State, String> {
    parse_onto(text, (State::new(uniforms, Vec::new()), Set::new()), stage, symbols)
}

/// Uniform registers that are set, with what sets them.
pub type Set = BTreeMap<(SymbolBank, usize), String>;

/// Parses a state file on top of a state: vertex n of the file on top of its vertex n, if it has
/// one. The file may not set registers that are set at its level.
pub fn parse_onto(text: &str, start: (State, Set), stage: Stage, symbols: &Symbols) -> Result<State, String> {
    let root: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let root = object(&root, "the file")?;
    known_keys(root, &["uniforms", "vertices", "mesh", "attributes"], "the file")?;
    let mut setter = Setter { state: start.0, set: start.1 };
    if let Some(mesh) = root.get("mesh") {
        let found = mesh.as_str().and_then(BuiltIn::named);
        let names = || BuiltIn::ALL.map(|(name, _)| name).join(", ");
        setter.state.mesh = Some(found.ok_or_else(|| format!("mesh must be one of {}", names()))?);
    }
    for (key, value) in
        root.get("attributes").map(|given| object(given, "attributes")).transpose()?.into_iter().flatten()
    {
        let values = attribute(key, value, "attributes", stage, symbols)?;
        for (register, value, place) in values {
            setter.state.attributes.push((register, vector(value, &place)?));
        }
    }
    if let Some(given) = root.get("uniforms") {
        setter.set_uniforms(object(given, "uniforms")?, symbols)?;
    }
    let empty = Vec::new();
    let list = match root.get("vertices") {
        Some(list) => list.as_array().ok_or("vertices must be an array")?,
        None => &empty,
    };
    let Setter { mut state, set: _ } = setter;
    for (n, value) in list.iter().enumerate() {
        if n >= state.vertices.len() {
            state.vertices.push(DEFAULT_REGISTERS);
        }
        state.delivered.resize(state.vertices.len(), Delivered::new());
        let to = (&mut state.vertices[n], &mut state.delivered[n]);
        vertex(value, &format!("vertices[{n}]"), stage, symbols, to)?;
    }
    Ok(state)
}

/// Uniforms under construction.
struct Setter {
    state: State,
    set: Set,
}

impl Setter {
    /// Sets everything that an object names: banks of registers, and names of the program's file.
    fn set_uniforms(&mut self, given: &Map<String, Value>, symbols: &Symbols) -> Result<(), String> {
        for (key, value) in given {
            let place = format!("uniforms.{key}");
            let named = symbols.uniforms().find(|named| named.name == *key);
            let bank = match key.as_str() {
                "c" => Some((SymbolBank::Float, FLOATS)),
                "i" => Some((SymbolBank::Int, 4)),
                "b" => Some((SymbolBank::Bool, 16)),
                _ => None,
            };
            match (bank, named) {
                // A name like that of a bank has no object.
                (Some((bank, count)), named) if named.is_none() || value.is_object() => {
                    for (key, value) in object(value, &place)? {
                        let register = index(key, count, &place)?;
                        self.set_register(bank, register, value, &format!("{place}.{key}"))?;
                    }
                }
                (_, Some(named)) => {
                    for (register, value, place) in rows(named, value, &place)? {
                        self.set_register(named.bank, register, value, &place)?;
                    }
                }
                (_, None) => return Err(unknown_name(key, &["c", "i", "b"], symbols.uniforms(), "uniforms")),
            }
        }
        Ok(())
    }

    /// Sets a register.
    fn set_register(
        &mut self,
        bank: SymbolBank,
        register: usize,
        value: &Value,
        place: &str,
    ) -> Result<(), String> {
        if let Some(other) = self.set.insert((bank, register), place.to_owned()) {
            return Err(format!("{place}: the file sets {}{register} twice, also as {other}", letter(bank)));
        }
        self.state.set_uniform(bank, register, value, place)
    }
}

impl State {
    /// Sets a uniform to a value as files have it. Errors name `place`, and leave the old value.
    pub fn set_uniform(
        &mut self,
        bank: SymbolBank,
        register: usize,
        value: &Value,
        place: &str,
    ) -> Result<(), String> {
        let missing = || format!("{place}: {}{register} is not a uniform", letter(bank));
        let Uniforms { floats, ints, .. } = &mut self.uniforms;
        match bank {
            SymbolBank::Float => {
                let float = floats.get_mut(register).ok_or_else(missing)?;
                *float = vector(value, place)?.map(f32::from_bits);
                self.floats_set[register] = true;
            }
            SymbolBank::Int => *ints.get_mut(register).ok_or_else(missing)? = bytes(value, place)?,
            SymbolBank::Bool => {
                let register = u8::try_from(register).ok().filter(|&register| register < 16);
                let value = truth(value).ok_or_else(|| format!("{place} must be true or false"))?;
                self.uniforms.set_bool(register.ok_or_else(missing)?, value);
            }
            SymbolBank::Input => return Err(format!("{place} is an attribute; set it in vertices")),
        }
        Ok(())
    }
}

/// Returns a truth value, which may be 0 or 1.
pub fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_u64().filter(|&bit| bit < 2).map(|bit| bit == 1))
}

/// Divides the value of a name among its registers, each with its place: one value, or a list of
/// one for each register.
fn rows<'v>(named: &Named, value: &'v Value, place: &str) -> Result<Vec<(usize, &'v Value, String)>, String> {
    let is_row = |value: &Value| match named.bank {
        SymbolBank::Bool => value.is_boolean(),
        SymbolBank::Input | SymbolBank::Float | SymbolBank::Int => {
            value.as_array().is_some_and(|list| !list.iter().all(Value::is_array) || list.is_empty())
        }
    };
    if named.count == 1 && (is_row(value) || !value.is_array()) {
        return Ok(vec![(named.first, value, place.to_owned())]);
    }
    let list = value.as_array().filter(|list| list.len() == named.count && !is_row(value));
    let list = list.ok_or_else(|| {
        let (letter, first, last) = (letter(named.bank), named.first, named.first + named.count - 1);
        format!("{place} must be a list of {} values, for {letter}{first} to {letter}{last}", named.count)
    })?;
    let row = |(n, value)| (named.first + n, value, format!("{place}[{n}]"));
    Ok(list.iter().enumerate().map(row).collect())
}

/// Returns the registers that a key of attributes names, each with its value and place.
fn attribute<'v>(
    key: &str,
    value: &'v Value,
    place: &str,
    stage: Stage,
    symbols: &Symbols,
) -> Result<Vec<(usize, &'v Value, String)>, String> {
    let at = format!("{place}.{key}");
    // A register has precedence over a name that looks like one.
    let number = key.strip_prefix('v').filter(|number| number.parse::<i64>().is_ok());
    match (number, symbols.attributes().find(|named| named.name == *key)) {
        (Some(number), _) => Ok(vec![(index(number, 16, place)?, value, at)]),
        (None, Some(named)) => rows(named, value, &at),
        (None, None) => {
            let known: &[&str] = match stage {
                Stage::Vertex => &["v0..v15"],
                Stage::Geometry => &["v0..v15", "c"],
            };
            Err(unknown_name(key, known, symbols.attributes(), place))
        }
    }
}

/// Parses the inputs of one vertex or invocation, and the uniforms delivered to it.
fn vertex(
    value: &Value,
    place: &str,
    stage: Stage,
    symbols: &Symbols,
    (registers, delivered): (&mut Registers, &mut Delivered),
) -> Result<(), String> {
    let mut set = BTreeSet::new();
    for (key, value) in object(value, place)? {
        if key == "c" && stage == Stage::Geometry {
            let place = format!("{place}.c");
            for (key, value) in object(value, &place)? {
                // Range: below 96.
                let register = index(key, FLOATS, &place)? as u8;
                delivered.push((register, vector(value, &format!("{place}.{key}"))?));
            }
            continue;
        }
        let values = attribute(key, value, place, stage, symbols)?;
        for (register, value, at) in values {
            if !set.insert(register) {
                return Err(format!("{at}: the vertex sets v{register} twice"));
            }
            registers[register] = match stage {
                Stage::Vertex => vector(&completed(value), &at).map_err(|error| {
                    error.replace("an array of four numbers", "a number or an array of one to four")
                })?,
                Stage::Geometry => vector(value, &at)?,
            };
        }
    }
    Ok(())
}

/// Adds the components that vertex fetch gives an attribute with fewer than four.
fn completed(value: &Value) -> Value {
    let short = match value {
        Value::Array(list) if !list.is_empty() => &list[..],
        Value::Number(_) => std::slice::from_ref(value),
        other => return other.clone(),
    };
    short.iter().cloned().chain(DEFAULT.iter().skip(short.len()).map(|&x| x.into())).collect()
}

/// The error about a key that is neither a fixed one nor a name of the file.
fn unknown_name<'a>(
    key: &str,
    fixed: &[&str],
    names: impl Iterator<Item = &'a Named>,
    place: &str,
) -> String {
    let known: Vec<&str> = fixed.iter().copied().chain(names.map(|named| named.name.as_str())).collect();
    unknown_word(("key", key), &known, place)
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{place} must be an object"))
}

fn known_keys(map: &Map<String, Value>, known: &[&str], place: &str) -> Result<(), String> {
    let unknown = map.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| Err(unknown_word(("key", key), known, place)))
}

/// Returns the error about a word of a kind, as `key`, with the nearest known one, or else a list
/// of them.
pub fn unknown_word((kind, word): (&str, &str), known: &[&str], place: &str) -> String {
    let list = || format!("use {}", known.join(", "));
    let advice = did_you_mean(word, known.iter().copied()).unwrap_or_else(list);
    format!("{place}: unknown {kind} \"{word}\", {advice}")
}

fn index(key: &str, count: usize, place: &str) -> Result<usize, String> {
    // `parse` alone would accept a sign.
    let digits = key.bytes().all(|byte| byte.is_ascii_digit());
    let index = key.parse::<usize>().ok().filter(|&index| digits && index < count);
    index.ok_or_else(|| format!("{place}: register \"{key}\" must be 0..={}", count - 1))
}

fn vector(value: &Value, place: &str) -> Result<[u32; 4], String> {
    let list = value.as_array().filter(|list| list.len() == 4);
    let list = list.ok_or_else(|| format!("{place} must be an array of four numbers"))?;
    let mut bits = [0; 4];
    for (lane, (bits, value)) in bits.iter_mut().zip(list).enumerate() {
        *bits = float(value).ok_or_else(|| {
            let texts = "\"0x…\" with f32 bits, \"1/255\", \"inf\", \"-inf\" or \"nan\"";
            format!("{place}[{lane}] must be a number, {texts}")
        })?;
    }
    Ok(bits)
}

fn float(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => Some((number.as_f64()? as f32).to_bits()),
        Value::String(text) => json::float(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn bytes(value: &Value, place: &str) -> Result<[u8; 4], String> {
    let wrong = || format!("{place} must be an array of four numbers 0..=255");
    let list = value.as_array().filter(|list| list.len() == 4).ok_or_else(wrong)?;
    let mut bytes = [0; 4];
    for (byte, value) in bytes.iter_mut().zip(list) {
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        *byte = number.and_then(|number| u8::try_from(number).ok()).ok_or_else(wrong)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_number_forms_are_read() {
        let text = r#"{"uniforms":{"c":{"95":[1,"1/2","-inf","0x00000001"]},"i":{"3":[1,2,"3",255]},"b":{"15":true}},
                       "vertices":[{"v15":["nan","inf",-0.0,1e39]},{}]}"#;
        let state = parse(text, Uniforms::default(), Stage::Vertex, &Symbols::default()).expect("valid");
        assert_eq!(state.uniforms.floats[95].map(f32::to_bits), [0x3f80_0000, 0x3f00_0000, 0xff80_0000, 1]);
        assert!(state.floats_set[95] && !state.floats_set[0]);
        assert_eq!(state.uniforms.ints[3], [1, 2, 3, 255]);
        assert!(state.uniforms.bool(15) && !state.uniforms.bool(0));
        assert_eq!(state.vertices[0][15], [0x7fc0_0000, 0x7f80_0000, 0x8000_0000, 0x7f80_0000]);
        assert_eq!(state.vertices[1], DEFAULT_REGISTERS);
    }

    #[test]
    fn what_pictures_take_is_kept_in_a_saved_state() {
        let text = r#"{"mesh":"hills","attributes":{"v3":[1,"nan",0,0.5]},"vertices":[{}]}"#;
        let symbols = Symbols::default();
        let read = |text: &str| parse(text, Uniforms::default(), Stage::Vertex, &symbols).expect("valid");
        let state = read(text);
        assert_eq!((state.mesh, state.attributes[0].0), (Some(BuiltIn::Hills), 3));
        assert_eq!(read(&crate::saved::to_text(&state, &Uniforms::default(), &symbols)), state);
    }

    #[test]
    fn only_invocations_of_geometry_programs_take_float_uniforms() {
        let text = r#"{"vertices":[{"c":{"95":[1,0,0,"inf"],"3":[2,2,2,2]},"v1":[3,3,3,3]},{}]}"#;
        let state = parse(text, Uniforms::default(), Stage::Geometry, &Symbols::default()).expect("valid");
        let (one, infinity) = (1f32.to_bits(), f32::INFINITY.to_bits());
        let mut delivered = state.delivered;
        delivered[0].sort_unstable();
        assert_eq!(delivered, [vec![(3, [2f32.to_bits(); 4]), (95, [one, 0, 0, infinity])], vec![]]);
        assert_eq!(state.vertices[0][1], [3f32.to_bits(); 4]);
        let error = parse(text, Uniforms::default(), Stage::Vertex, &Symbols::default())
            .expect_err("of a vertex program");
        assert!(error.contains("unknown key \"c\""), "{error}");
    }

    #[test]
    fn errors_name_the_place() {
        for (text, place) in [
            ("{", "not JSON"),
            ("[]", "the file must be an object"),
            (
                r#"{"vertices":[],"x":0}"#,
                "the file: unknown key \"x\", use uniforms, vertices, mesh, attributes",
            ),
            (r#"{"attributes":{"v16":[0,0,0,0]}}"#, "attributes: register \"16\" must be 0..=15"),
            (r#"{"mesh":"vase"}"#, "mesh must be one of quad, cube, sphere, lathe, hills"),
            (r#"{"uniform":{}}"#, "the file: unknown key \"uniform\", did you mean `uniforms`?"),
            (r#"{"uniforms":{"f":{}}}"#, "uniforms: unknown key \"f\", did you mean"),
            (r#"{"uniforms":{"c":{"96":[0,0,0,0]}}}"#, "\"96\" must be 0..=95"),
            (r#"{"uniforms":{"c":{"+1":[0,0,0,0]}}}"#, "uniforms.c: register \"+1\" must be 0..=95"),
            (r#"{"uniforms":{"b":{"":true}}}"#, "register \"\" must be 0..=15"),
            (r#"{"uniforms":{"c":{"1":[0,"0x+1",0,0]}}}"#, "uniforms.c.1[1] must be a number"),
            (r#"{"vertices":[{"v+1":[0,0,0,0]}]}"#, "vertices[0]: register \"+1\" must be 0..=15"),
            (r#"{"uniforms":{"i":{"0":[0,0,0,256]}}}"#, "uniforms.i.0 must be"),
            (r#"{"vertices":[{},{"v1":[0,0,"x",0]}]}"#, "vertices[1].v1[2] must be"),
            (r#"{"vertices":[{"r0":[0,0,0,0]}]}"#, "unknown key \"r0\""),
            (r#"{"vertices":[{"c":[]}]}"#, "vertices[0].c must be an object"),
            (r#"{"vertices":[{"c":{"96":[0,0,0,0]}}]}"#, "vertices[0].c: register \"96\" must be 0..=95"),
            (r#"{"vertices":[{},{"c":{"7":[0,0,0]}}]}"#, "vertices[1].c.7 must be an array"),
        ] {
            let error = parse(text, Uniforms::default(), Stage::Geometry, &Symbols::default())
                .expect_err("malformed");
            assert!(error.contains(place), "{text}: {error}");
        }
    }
}
