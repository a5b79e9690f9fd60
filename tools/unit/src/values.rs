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

/// Joins layers. Banks of registers are joined too. `is_foreign`: names of the first layer that are
/// left out.
fn joined<'a, 't>(layers: &[&'a DeTable<'t>], is_foreign: impl Fn(&str) -> bool) -> Entries<'a, 't> {
    let mut entries: Entries<'a, 't> = Vec::new();
    let mut add = |path: Vec<&'a str>, key: &'a Key<'t>, item: &'a Item<'t>| {
        entries.retain(|(known, ..)| *known != path);
        entries.push((path, key, item));
    };
    let all =
        layers.iter().copied().enumerate().flat_map(|(layer, table)| table.iter().map(move |it| (layer, it)));
    for (layer, (key, item)) in all {
        if layer == 0 && is_foreign(key.get_ref()) {
            continue;
        }
        let name = key.get_ref().as_ref();
        match item.get_ref().as_table().filter(|_| ["c", "i", "b"].contains(&name)) {
            Some(bank) => bank.iter().for_each(|(key, item)| add(vec![name, key.get_ref()], key, item)),
            None => add(vec![name], key, item),
        }
    }
    entries
}

/// Returns the state of a run. `defaults`: uniforms without a value.
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
    let (uniforms, attributes) =
        (joined(&layers.uniforms, is_foreign), joined(&layers.attributes, is_foreign));
    let mut given = Map::new();
    for (path, _, item) in &uniforms {
        let name = path.join(".");
        let named = to.symbols.uniforms().find(|named| path[..] == [named.name.as_str()]);
        let count = named.filter(|named| named.bank == SymbolBank::Float).map(|named| named.count);
        let found = matrix(reader, item, &format!("uniforms.{name}"))?;
        let value = match (found, count) {
            (Some(rows), Some(count @ 3..=4)) => json!(rows.get(..count)),
            (Some(_), _) if named.is_some() => {
                let message = format!("uniforms.{name}: a matrix needs the name of 3 or 4 float uniforms");
                return Err(reader.problem(item.span().start, message));
            }
            _other => value(item),
        };
        insert(&mut given, path, value);
    }
    let vertices = layers.invocations.map_or_else(
        || {
            let mut vertex = Map::new();
            attributes.iter().for_each(|(path, _, item)| insert(&mut vertex, path, value(item)));
            json!([vertex])
        },
        value,
    );
    let text = json!({ "uniforms": given, "vertices": vertices }).to_string();
    let stage = to.program.stage();
    state::parse(&text, defaults, stage, &to.symbols).map_err(|error| {
        let found = locate(&error, [&uniforms, &attributes], layers.invocations);
        let message = match stage {
            Stage::Vertex => error.replace("vertices[0]", "attributes"),
            Stage::Geometry => error.replace("vertices", "invocations"),
        };
        reader.problem(found.unwrap_or(start), message)
    })
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
