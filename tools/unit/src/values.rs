//! Values of uniforms and attributes in test files: in layers, of which the last counts, with
//! matrices.
//! In: tables of TOML, names of a program. Out: a state; an error at the value that is wrong.

use serde_json::{Map, Value, json};
use toml::de::DeTable;
use transpica::Stage;
use transpica::container::SymbolBank;
use transpica::isa::uniforms::Uniforms;
use transpica_inspect::state::{self, State};

use crate::matrix::{self, IDENTITY, Matrix};
use crate::shader::{Executable, Problem, Shader};
use crate::toml::{Item, Key, Reader, value};

/// Values with their keys and their paths below `uniforms` or `attributes`.
type Entries<'a, 't> = Vec<(Vec<&'a str>, &'a Key<'t>, &'a Item<'t>)>;

/// Tables of a case: the file's, then the case's, then a row's.
#[derive(Clone, Default)]
pub(crate) struct Layers<'a, 't> {
    pub uniforms: Vec<&'a DeTable<'t>>,
    pub attributes: Vec<&'a DeTable<'t>>,
    pub expect: Vec<&'a DeTable<'t>>,
    /// Invocations of a geometry program, in place of attributes.
    pub invocations: Option<&'a Item<'t>>,
}

/// Returns the values of a layer. Each register of a bank has a path of its own.
fn entries<'a, 't>(layer: &'a DeTable<'t>, is_left_out: impl Fn(&str) -> bool) -> Entries<'a, 't> {
    let mut entries: Entries<'a, 't> = Vec::new();
    for (key, item) in layer.iter().filter(|(key, _)| !is_left_out(key.get_ref())) {
        let name = key.get_ref().as_ref();
        match item.get_ref().as_table().filter(|_| ["c", "i", "b"].contains(&name)) {
            Some(bank) => {
                entries.extend(bank.iter().map(|(key, item)| (vec![name, key.get_ref()], key, item)))
            }
            None => entries.push((vec![name], key, item)),
        }
    }
    entries
}

/// Returns the state of a run: each layer on top of those before it, by registers, so that a later
/// name may stand for a register that an earlier one set. `defaults`: uniforms without a value.
pub(crate) fn state<'t>(
    reader: Reader<'t>,
    layers: &Layers<'_, 't>,
    (shader, index): (&Shader, usize),
    defaults: Uniforms,
    start: usize,
) -> Result<State, Problem> {
    let to = shader.executables.get(index).ok_or_else(|| reader.problem(start, "no such program"))?;
    let has = |it: &Executable, name: &str| it.symbols.as_slice().iter().any(|named| named.name == name);
    let is_foreign = |name: &str| !has(to, name) && shader.executables.iter().any(|it| has(it, name));
    let stage = to.program.stage();
    let parsed = |text: Value, state: State, entries: [&Entries<'_, 't>; 2]| {
        state::parse_onto(&text.to_string(), state, stage, &to.symbols).map_err(|error| {
            let found = locate(&error, entries, layers.invocations);
            let message = match stage {
                Stage::Vertex => error.replace("vertices[0]", "attributes"),
                Stage::Geometry => error.replace("vertices", "invocations"),
            };
            reader.problem(found.unwrap_or(start), message)
        })
    };
    let (mut state, none) = (State::new(defaults, Vec::new()), Vec::new());
    for (number, layer) in layers.uniforms.iter().enumerate() {
        let entries = entries(layer, |name| number == 0 && is_foreign(name));
        let mut given = Map::new();
        for (path, _, item) in &entries {
            insert(&mut given, path, uniform(reader, to, path, item)?);
        }
        state = parsed(json!({ "uniforms": given }), state, [&entries, &none])?;
    }
    if let Some(item) = layers.invocations {
        return parsed(json!({ "vertices": value(item) }), state, [&none, &none]);
    }
    for (number, layer) in layers.attributes.iter().enumerate() {
        let entries = entries(layer, |name| number == 0 && is_foreign(name));
        let mut vertex = Map::new();
        entries.iter().for_each(|(path, _, item)| insert(&mut vertex, path, value(item)));
        state = parsed(json!({ "vertices": [vertex] }), state, [&none, &entries])?;
    }
    Ok(state)
}

/// Returns the value of a uniform with the rows of its matrix.
fn uniform<'t>(
    reader: Reader<'t>,
    to: &Executable,
    path: &[&str],
    item: &Item<'t>,
) -> Result<Value, Problem> {
    let name = path.join(".");
    let named = to.symbols.uniforms().find(|named| path[..] == [named.name.as_str()]);
    let count = named.filter(|named| named.bank == SymbolBank::Float).map(|named| named.count);
    match (matrix(reader, item, &format!("uniforms.{name}"))?, count) {
        (Some(rows), Some(count @ 3..=4)) => Ok(json!(rows.get(..count))),
        (Some(_), _) if named.is_some() => {
            let message = format!("uniforms.{name}: a matrix needs the name of 3 or 4 float uniforms");
            Err(reader.problem(item.span().start, message))
        }
        _other => Ok(value(item)),
    }
}

fn insert(to: &mut Map<String, Value>, path: &[&str], value: Value) {
    let [name, rest @ ..] = path else { return };
    match (rest, to.entry(*name).or_insert_with(|| json!({}))) {
        ([member, ..], Value::Object(bank)) => drop(bank.insert((*member).to_owned(), value)),
        (_, own) => *own = value,
    }
}

/// Returns the place that an error about a state is about: it begins with a path, and may quote a
/// key.
fn locate<'a, 't>(
    error: &str,
    [uniforms, attributes]: [&Entries<'a, 't>; 2],
    invocations: Option<&'a Item<'t>>,
) -> Option<usize> {
    let path = error.split([' ', ':']).next()?;
    let parts: Vec<&str> = path.split(['.', '[']).map(|part| part.trim_end_matches(']')).collect();
    let quoted =
        error.split('"').nth(1).filter(|_| error.contains(": unknown key") || error.contains(": register"));
    let (entries, rest) = match (&parts[..], invocations) {
        (["uniforms", rest @ ..], _) => (uniforms, rest),
        (["vertices", rest @ ..], Some(item)) => return Some(deepest(item, rest, quoted)),
        (["vertices", _, rest @ ..], None) => (attributes, rest),
        _other => return None,
    };
    let value =
        entries.iter().find_map(|(path, _, item)| Some(deepest(item, rest.strip_prefix(&path[..])?, quoted)));
    let key = || entries.iter().find(|(path, ..)| path.last().copied() == quoted);
    value.or_else(|| key().map(|(_, key, _)| key.span().start))
}

/// Returns the place of a value below another, as far down as there is one.
fn deepest(item: &Item<'_>, path: &[&str], quoted: Option<&str>) -> usize {
    let table = item.get_ref().as_table();
    let [part, rest @ ..] = path else {
        let key = table.zip(quoted).and_then(|(table, key)| table.get_key_value(key));
        return key.map_or(item.span().start, |(key, _)| key.span().start);
    };
    let element = || item.get_ref().as_array()?.get(part.parse::<usize>().ok()?);
    let below = table.and_then(|table| table.get(*part)).or_else(element);
    below.map_or(item.span().start, |below| deepest(below, rest, quoted))
}

/// Names of matrices.
const MATRICES: [&str; 7] = ["look_at", "ortho", "perspective", "product", "rotate", "scale", "translate"];

/// Returns a matrix, or `None` for other values.
fn matrix<'t>(reader: Reader<'t>, item: &Item<'t>, what: &str) -> Result<Option<Matrix>, Problem> {
    if item.get_ref().as_str() == Some("identity") {
        return Ok(Some(IDENTITY));
    }
    let Some(table) = item.get_ref().as_table() else { return Ok(None) };
    reader.check_keys(table, &MATRICES, what)?;
    let mut entries = table.iter();
    let (Some((name, item)), None) = (entries.next(), entries.next()) else {
        return Err(
            reader.problem(item.span().start, format!("{what} must have one of {}", MATRICES.join(", ")))
        );
    };
    let (name, what) = (name.get_ref().as_ref(), &format!("{what}.{}", name.get_ref()));
    Ok(Some(match name {
        "look_at" => {
            let wrong =
                || reader.problem(item.span().start, format!("{what} must be a list of eye, target and up"));
            let [eye, target, up] = reader.list(item, what)? else { return Err(wrong()) };
            let point = |item| reader.numbers(item, what);
            matrix::look_at(point(eye)?, point(target)?, point(up)?)
        }
        "ortho" => matrix::ortho(reader.numbers(item, what)?),
        "perspective" => matrix::perspective(reader.numbers(item, what)?),
        "rotate" => matrix::rotate(reader.numbers(item, what)?),
        "scale" => matrix::scale(reader.numbers(item, what)?),
        "translate" => matrix::translate(reader.numbers(item, what)?),
        _product => {
            let mut all = Vec::new();
            for item in reader.list(item, what)? {
                let factor = matrix(reader, item, what)?;
                let wrong =
                    || reader.problem(item.span().start, format!("{what} must be a list of matrices"));
                all.push(factor.ok_or_else(wrong)?);
            }
            matrix::product(&all)
        }
    }))
}
