//! State files as text: what a seed generated, to be changed by hand and given back.
//! In: register values, names of a file. Out: JSON that [`state`](crate::state) reads to the same
//! bits. Registers without a name that have their default are left out.

use crate::precision::bits;
use crate::values::Named;
use serde_json::{Map, Value, json};
use transpica::container::SymbolBank;
use transpica::interp::Uniforms;

use crate::draw::mesh::BuiltIn;
use crate::state::{DEFAULT_REGISTERS, State};
use crate::symbols::{Symbols, letter};

/// Returns the text of a state. `base` are the uniforms that the program starts with.
pub fn to_text(state: &State, base: &Uniforms, symbols: &Symbols) -> String {
    let vertices = (0..state.vertices.len()).map(|n| vertex(state, n, symbols)).collect();
    let mut root = json!({ "uniforms": uniforms(state, base, symbols), "vertices": Value::Array(vertices) });
    if let Some((name, _)) = BuiltIn::ALL.iter().find(|(_, mesh)| state.mesh == Some(*mesh)) {
        root["mesh"] = Value::from(*name);
    }
    for &(register, bits) in &state.attributes {
        root["attributes"][format!("v{register}")] = vector(bits);
    }
    let mut text = String::new();
    write(&mut text, &root, 0);
    text.push('\n');
    text
}

/// A component: a decimal number where that has the same bits.
pub fn number(bits: u32) -> Value {
    let float = f32::from_bits(bits);
    let hex = || Value::from(format!("{bits:#010x}"));
    match float {
        _ if bits == bits::NAN => "nan".into(),
        _ if float.is_nan() => hex(),
        f32::INFINITY => "inf".into(),
        f32::NEG_INFINITY => "-inf".into(),
        _ => {
            // The shortest decimals of an f32, read as f64 and rounded again.
            let decimal = float.to_string().parse::<f64>().ok();
            let decimal = decimal.filter(|decimal| (*decimal as f32).to_bits() == bits);
            decimal.map_or_else(hex, Value::from)
        }
    }
}

fn vector(register: [u32; 4]) -> Value {
    Value::from(register.map(number).to_vec())
}

/// The values of a name: one, or a list.
fn of_name(named: &Named, value: impl Fn(usize) -> Value) -> Value {
    match named.count {
        1 => value(named.first),
        count => (named.first..named.first + count).map(value).collect::<Vec<_>>().into(),
    }
}

fn uniforms(state: &State, base: &Uniforms, symbols: &Symbols) -> Value {
    let given = &state.uniforms;
    let value = |bank: SymbolBank, register: usize| match bank {
        SymbolBank::Float => given.floats.get(register).map(|value| vector(value.map(f32::to_bits))),
        SymbolBank::Int => given.ints.get(register).map(|value| json!(value)),
        SymbolBank::Bool => Some((given.bools >> (register & 15) & 1 != 0).into()),
        SymbolBank::Input => None,
    };
    let mut fields = Map::new();
    let mut named = Vec::new();
    for symbol in symbols.uniforms() {
        let registers = symbol.first..symbol.first + symbol.count;
        let is_new = registers.clone().all(|register| !named.contains(&(symbol.bank, register)));
        // A name of a bank, or a second name of a register, would not be read back.
        if is_new && !["c", "i", "b"].contains(&symbol.name.as_str()) {
            named.extend(registers.map(|register| (symbol.bank, register)));
            let of_register = |register| value(symbol.bank, register).unwrap_or_default();
            fields.insert(symbol.name.clone(), of_name(symbol, of_register));
        }
    }
    let differs = |bank: SymbolBank, register: usize| match bank {
        SymbolBank::Float => {
            given.floats[register].map(f32::to_bits) != base.floats[register].map(f32::to_bits)
        }
        SymbolBank::Int => given.ints[register] != base.ints[register],
        SymbolBank::Bool => (given.bools ^ base.bools) >> register & 1 != 0,
        SymbolBank::Input => false,
    };
    for (bank, count) in
        [(SymbolBank::Float, given.floats.len()), (SymbolBank::Int, 4), (SymbolBank::Bool, 16)]
    {
        let rest =
            (0..count).filter(|&register| !named.contains(&(bank, register)) && differs(bank, register));
        let rest: Map<String, Value> =
            rest.filter_map(|register| Some((register.to_string(), value(bank, register)?))).collect();
        if !rest.is_empty() {
            fields.insert(letter(bank).to_string(), rest.into());
        }
    }
    fields.into()
}

fn vertex(state: &State, n: usize, symbols: &Symbols) -> Value {
    let registers = &state.vertices[n];
    let mut fields = Map::new();
    let mut named = [false; 16];
    for symbol in symbols.attributes() {
        let range = symbol.first..(symbol.first + symbol.count).min(16);
        let is_register = symbol.name.starts_with('v') && symbol.name[1..].parse::<i64>().is_ok();
        if !is_register && symbol.name != "c" && !named[range.clone()].contains(&true) {
            named[range].fill(true);
            fields.insert(symbol.name.clone(), of_name(symbol, |register| vector(registers[register])));
        }
    }
    for (register, value) in registers.iter().enumerate() {
        if !named[register] && *value != DEFAULT_REGISTERS[register] {
            fields.insert(format!("v{register}"), vector(*value));
        }
    }
    if let Some(delivered) = state.delivered.get(n).filter(|delivered| !delivered.is_empty()) {
        let values = delivered.iter().map(|&(register, value)| (register.to_string(), vector(value)));
        fields.insert("c".into(), values.collect::<Map<_, _>>().into());
    }
    fields.into()
}

/// Writes a value with a line for each member and element, but vectors in one line.
fn write(text: &mut String, value: &Value, depth: usize) {
    let is_flat = |value: &Value| !value.is_object() && !value.is_array();
    let (brackets, items): (_, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(map) if !map.is_empty() => {
            (['{', '}'], map.iter().map(|(k, v)| (Some(k), v)).collect())
        }
        Value::Array(list) if !list.iter().all(is_flat) => {
            (['[', ']'], list.iter().map(|v| (None, v)).collect())
        }
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(Value::to_string).collect();
            text.push_str(&format!("[{}]", list.join(", ")));
            return;
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
            return;
        }
    };
    text.push(brackets[0]);
    for (n, (key, value)) in items.into_iter().enumerate() {
        text.push_str(if n == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            text.push_str(&format!("{}: ", Value::from(key.as_str())));
        }
        // The depth is that of the format: four.
        write(text, value, depth + 1);
    }
    text.push_str(&format!("\n{}{}", "  ".repeat(depth), brackets[1]));
}
