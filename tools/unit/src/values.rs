//! Values of uniforms and attributes in test files: in layers, of which the last counts, with
//! matrices.
//! In: tables of TOML, names of a program. Out: a state; an error at the value that is wrong.

use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};
use transpica::Stage;
use transpica::container::SymbolBank;
use transpica::isa::uniforms::Uniforms;
use transpica_inspect::state::{self, Set, State, did_you_mean};
use transpica_inspect::symbols::letter;
use transpica_inspect::values::Named;

use crate::declared::{Declared, Values};
use crate::keys::Place;
use crate::matrix::{self, CONSOLE, Depth, IDENTITY, Matrix};
use crate::shader::{Executable, Problem, Shader};
use crate::toml::{Item, Key, Reader, value};

/// Values with their keys and their paths below `uniforms` or `attributes`.
type Entries<'a, 't> = Vec<(Vec<&'a str>, &'a Key<'t>, &'a Item<'t>)>;

/// A register that a part of a name's value sets: its path in a state, its path in the test file,
/// the part.
type Row<'a, 't> = (String, String, &'a Item<'t>);

/// A part of a name's value: its first register, counted from the name's, and its matrix.
type Part<'a, 't> = (Option<usize>, &'a Item<'t>, Option<Matrix>);

/// Tables of a case: the file's, then the case's, then a row's.
#[derive(Clone, Default)]
pub(crate) struct Layers<'a, 't> {
    pub uniforms: Vec<&'a DeTable<'t>>,
    pub attributes: Vec<&'a DeTable<'t>>,
    pub expect: Vec<&'a DeTable<'t>>,
    /// Invocations of a geometry program, in place of attributes.
    pub invocations: Option<&'a Item<'t>>,
}

/// Returns whether a key of uniforms stands for a bank of registers.
pub(crate) fn is_bank(key: &str, item: &Item<'_>) -> bool {
    item.get_ref().is_table() && ["c", "i", "b"].contains(&key)
}

/// Returns the values of a layer. Each register of a bank has a path of its own.
fn entries<'a, 't>(layer: &'a DeTable<'t>, is_left_out: impl Fn(&str, &Item<'t>) -> bool) -> Entries<'a, 't> {
    let mut entries: Entries<'a, 't> = Vec::new();
    for (key, item) in layer.iter().filter(|(key, item)| !is_left_out(key.get_ref(), item)) {
        let name = key.get_ref().as_ref();
        match item.get_ref().as_table().filter(|_| is_bank(name, item)) {
            Some(bank) => {
                entries.extend(bank.iter().map(|(key, item)| (vec![name, key.get_ref()], key, item)))
            }
            None => entries.push((vec![name], key, item)),
        }
    }
    entries
}

/// Uniforms without a value of the layers.
pub(crate) struct Defaults {
    pub uniforms: Uniforms,
    /// Uniforms that a source declares are zeros, from which the host computes registers. Otherwise
    /// it leaves those that depend on uniforms without a value.
    pub are_zero: bool,
}

/// Returns the state of a run: each layer on top of those before it, by registers, so that a later
/// name may stand for a register that an earlier one set. What the host computes from a declared
/// name is of the layer that sets it.
pub(crate) fn state<'t>(
    reader: Reader<'t>,
    layers: &Layers<'_, 't>,
    (shader, index): (&Shader, usize),
    defaults: Defaults,
    start: usize,
) -> Result<State, Problem> {
    let to = shader.executables.get(index).ok_or_else(|| reader.problem(start, "no such program"))?;
    let has = |it: &Executable, name: &str| it.symbols.as_slice().iter().any(|named| named.name == name);
    let is_foreign = |name: &str| !has(to, name) && shader.executables.iter().any(|it| has(it, name));
    let stage = to.program.stage();
    let parsed = |text: Value, state: (State, Set), entries: [&Entries<'_, 't>; 2], rows: &[Row<'_, 't>]| {
        state::parse_onto(&text.to_string(), state, stage, &to.symbols).map_err(|mut error| {
            let mut found = locate(&error, entries, layers.invocations);
            let row = rows.iter().find(|(path, ..)| error.split([' ', '[', ':']).next() == Some(path));
            if let Some((path, place, item)) = row {
                error = error.replacen(path, place, 1);
                found = Some(item.span().start);
            }
            let message = match stage {
                Stage::Vertex => error.replace("vertices[0]", "attributes"),
                Stage::Geometry => error.replace("vertices", "invocations"),
            };
            reader.problem(found.unwrap_or(start), typed(message, shader.declared.as_ref()))
        })
    };
    let (mut state, none) = (State::new(defaults.uniforms, Vec::new()), Vec::new());
    let values = shader.declared.as_ref();
    let values = values.map(|it| Values::new(it, (reader, &to.symbols), &layers.uniforms));
    let values = values.transpose()?;
    for (number, layer) in layers.uniforms.iter().enumerate() {
        let entries = entries(layer, |name, item| {
            let is_declared = shader.declared.as_ref().is_some_and(|declared| declared.takes(name, item));
            number == 0 && is_foreign(name) || is_declared
        });
        let (mut given, mut rows) = (Map::new(), Vec::new());
        for (path, _, item) in &entries {
            uniform(reader, to, (path, item), &mut given, &mut rows)?;
        }
        let onto = |values: &Values<'_>| values.onto(&mut state.uniforms, defaults.are_zero, number);
        let missing = || reader.problem(start, "the host cannot compute a register from these uniforms");
        let set = values.as_ref().map_or(Some(Set::new()), onto).ok_or_else(missing)?;
        state = parsed(json!({ "uniforms": given }), (state, set), [&entries, &none], &rows)?;
    }
    if let Some(item) = layers.invocations {
        return parsed(json!({ "vertices": value(item) }), (state, Set::new()), [&none, &none], &[]);
    }
    for (number, layer) in layers.attributes.iter().enumerate() {
        let entries = entries(layer, |name, _| number == 0 && is_foreign(name));
        let vertex = vertex(reader, (shader, to), &entries)?;
        state = parsed(json!({ "vertices": [vertex] }), (state, Set::new()), [&none, &entries], &[])?;
    }
    Ok(state)
}

/// Returns the attributes of a layer by names of the program.
fn vertex(
    reader: Reader<'_>,
    (shader, to): (&Shader, &Executable),
    entries: &Entries<'_, '_>,
) -> Result<Map<String, Value>, Problem> {
    let mut vertex = Map::new();
    for (path, key, item) in entries {
        // Another bank may have the name in the text of the program.
        let is_known = |name: &str| to.symbols.attributes().any(|named| named.name == name);
        let own = path.first().filter(|name| !is_known(name));
        let register = own.zip(shader.declared.as_ref()).and_then(|(name, it)| it.attribute(name));
        let name = register.as_deref().unwrap_or(key.get_ref());
        if vertex.insert(name.to_owned(), value(item)).is_some() {
            let message = format!("attributes.{}: the vertex sets {name} twice", key.get_ref());
            return Err(reader.problem(key.span().start, message));
        }
    }
    Ok(vertex)
}

/// Says the type of an attribute that the source declares.
fn typed(message: String, declared: Option<&Declared>) -> String {
    let typed = || {
        let path = message.strip_suffix(" must be a number or an array of one to four")?;
        let [_, attributes, _] = declared?.names();
        let name = path.strip_prefix("attributes.")?;
        let (_, ty) = attributes.into_iter().find(|(own, _)| own == name)?;
        Some(format!("{path} must be a list of numbers, those of its {ty} in the source"))
    };
    typed().unwrap_or(message)
}

/// Adds the value of a uniform: whole, or register by register where it has matrices or indices.
fn uniform<'a, 't>(
    reader: Reader<'t>,
    to: &Executable,
    (path, item): (&[&str], &'a Item<'t>),
    given: &mut Map<String, Value>,
    rows: &mut Vec<Row<'a, 't>>,
) -> Result<(), Problem> {
    let what = format!("uniforms.{}", path.join("."));
    let named = to.symbols.uniforms().find(|named| path == [named.name.as_str()]);
    let parts = named.map(|named| parts(reader, named, item, &what)).transpose()?.flatten();
    let twice = || reader.problem(item.span().start, format!("{what}: the file sets a register twice"));
    let (Some(named), Some((parts, size))) = (named, parts) else {
        return insert(given, path, value(item)).map_or(Ok(()), |_| Err(twice()));
    };
    for (start, item, found) in parts {
        let values: Vec<Value> = match found {
            Some(matrix) => matrix.iter().take(size).map(|row| json!(row)).collect(),
            None => vec![value(item)],
        };
        for (offset, value) in (start.unwrap_or_default()..).zip(values) {
            let (bank, register) = (letter(named.bank).to_string(), (named.first + offset).to_string());
            rows.push((format!("uniforms.{bank}.{register}"), format!("{what}[{offset}]"), item));
            if insert(given, &[&bank, &register], value).is_some() {
                return Err(twice());
            }
        }
    }
    Ok(())
}

/// Divides the value of a name: a matrix, a list with matrices, or a table of values by their
/// indices. Returns the parts with their places and the rows of a matrix, or `None` for others.
fn parts<'a, 't>(
    reader: Reader<'t>,
    named: &Named,
    item: &'a Item<'t>,
    what: &str,
) -> Result<Option<(Vec<Part<'a, 't>>, usize)>, Problem> {
    let index = |key: &str| key.parse().ok().filter(|_| key.bytes().all(|byte| byte.is_ascii_digit()));
    let name = |item: &Item<'t>| item.get_ref().as_str().and_then(matrix_name);
    let is_matrix = |item: &Item<'t>| item.get_ref().is_table() || name(item).is_some();
    let mut all: Vec<(Option<usize>, &Item<'t>)> = match item.get_ref() {
        DeValue::Table(table)
            if !table.is_empty() && table.keys().all(|key| index(key.get_ref()).is_some()) =>
        {
            table.iter().map(|(key, item)| (index(key.get_ref()), item)).collect()
        }
        DeValue::Array(list) if named.bank == SymbolBank::Float && list.iter().any(is_matrix) => {
            list.iter().map(|item| (None, item)).collect()
        }
        _other => vec![(None, item)],
    };
    all.sort_by_key(|(index, _)| *index);
    let is_float = named.bank == SymbolBank::Float;
    let part = |(index, item)| {
        let found = if is_float { matrix(reader, item, what, CONSOLE)? } else { None };
        Ok::<Part<'a, 't>, Problem>((index, item, found))
    };
    let all = all.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let is_whole = all.iter().any(|&(_, part, _)| std::ptr::eq(part, item));
    let has_matrix = all.iter().any(|(.., found)| found.is_some());
    let wrong = |message: &str| Err(reader.problem(item.span().start, format!("{what}: {message}")));
    match (is_whole, has_matrix, named.count) {
        (true, false, _) => return Ok(None),
        (true, true, count @ 3..=4) => return Ok(Some((all, count))),
        (true, true, _) => return wrong("a matrix needs the name of 3 or 4 float uniforms"),
        (false, ..) => {}
    }
    // A matrix has 3 or 4 rows: as many as end with the name's registers, or as begin at multiples.
    let sizes = if has_matrix { &[3, 4][..] } else { &[1] };
    let placed = |&size: &usize| placed(&all, size, named.count).map(|(parts, fit)| (fit, parts, size));
    let mut fitting: Vec<_> = sizes.iter().filter_map(placed).collect();
    fitting.sort_by_key(|(fit, ..)| *fit);
    match &mut fitting[..] {
        [(first, ..), (second, ..), ..] if first == second => wrong(
            "matrices of 3 and of 4 rows fit; name one more, 3 or 4 registers after another, as { 0 = …, 3 = … }",
        ),
        [(_, parts, size), ..] => Ok(Some((std::mem::take(parts), *size))),
        [] => {
            let rows =
                if has_matrix { "; keys of matrices are their first registers, 3 or 4 apart" } else { "" };
            let registers = if named.count == 1 { "register" } else { "registers" };
            wrong(&format!("these values do not fit its {} {registers}{rows}", named.count))
        }
    }
}

/// Ways in which matrices fit, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The last one ends with the last register.
    Full,
    /// Each begins at a multiple of its size, of which the registers are one, too.
    Regular,
    Somewhere,
}

/// Places parts one after the other, or where their indices say. Returns `None` if they do not fit.
fn placed<'a, 't>(parts: &[Part<'a, 't>], size: usize, count: usize) -> Option<(Vec<Part<'a, 't>>, Fit)> {
    let (mut end, mut is_regular, mut all) = (0, count.is_multiple_of(size), Vec::new());
    let is_indexed = parts.iter().any(|(index, ..)| index.is_some());
    let mut first = None;
    for &(index, item, found) in parts {
        let start = index.unwrap_or(end);
        // Matrices with indices follow each other at a distance of whole matrices.
        let is_apart = !is_indexed
            || found.is_none()
            || start.checked_sub(*first.get_or_insert(start)).is_some_and(|apart| apart.is_multiple_of(size));
        if start < end || start >= count || !is_apart {
            return None;
        }
        is_regular &= found.is_none() || start.is_multiple_of(size);
        end = start + if found.is_some() { size } else { 1 };
        all.push((Some(start), item, found));
    }
    let fit = match (end == count && !is_indexed, is_regular) {
        (true, _) => Fit::Full,
        (false, true) => Fit::Regular,
        (false, false) => Fit::Somewhere,
    };
    (end <= count).then_some((all, fit))
}

pub(crate) fn insert(to: &mut Map<String, Value>, path: &[&str], value: Value) -> Option<Value> {
    let [name, rest @ ..] = path else { return None };
    let Some(member) = rest.first() else { return to.insert((*name).to_owned(), value) };
    let bank = to.entry(*name).or_insert_with(|| json!({}));
    bank.as_object_mut().and_then(|bank| bank.insert((*member).to_owned(), value))
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

/// Returns the hint about a text that is nearly the name of a matrix, or is it.
fn matrix_name(text: &str) -> Option<String> {
    did_you_mean(text, ["identity"])
}

/// Returns a matrix, or `None` for other values. Projections have a depth.
pub(crate) fn matrix<'t>(
    reader: Reader<'t>,
    item: &Item<'t>,
    what: &str,
    depth: Depth,
) -> Result<Option<Matrix>, Problem> {
    if let Some(name) = item.get_ref().as_str()
        && let Some(advice) = matrix_name(name)
    {
        let message = format!("{what}: unknown matrix \"{name}\", {advice}");
        let is_it = name == "identity";
        return if is_it { Ok(Some(IDENTITY)) } else { Err(reader.problem(item.span().start, message)) };
    }
    let Some(table) = item.get_ref().as_table() else { return Ok(None) };
    reader.check_keys(table, Place::Matrix, what)?;
    let mut entries = table.iter();
    let (Some((name, item)), None) = (entries.next(), entries.next()) else {
        return Err(reader.problem(
            item.span().start,
            format!("{what} must have one of {}", Place::Matrix.keys().join(", ")),
        ));
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
        "ortho" => matrix::ortho_to(depth, reader.numbers(item, what)?),
        "perspective" => matrix::perspective_to(depth, reader.numbers(item, what)?),
        "rotate" => matrix::rotate(reader.numbers(item, what)?),
        "scale" => matrix::scale(reader.numbers(item, what)?),
        "translate" => matrix::translate(reader.numbers(item, what)?),
        _product => {
            let wrong = |item: &Item<'t>| {
                reader.problem(item.span().start, format!("{what} must be a list of matrices"))
            };
            let factor = |item| matrix(reader, item, what, depth)?.ok_or_else(|| wrong(item));
            let all = reader.list(item, what)?.iter().map(factor).collect::<Result<Vec<_>, _>>()?;
            matrix::product(&all)
        }
    }))
}

#[cfg(test)]
mod tests {
    use crate::tests::{load, of_source};
    use crate::{Batched, IDENTITY};

    /// Palettes of 6 and of 24 registers.
    const PALETTES: &str = ".fvec bones[6]\n.fvec many[24]\n.fvec tint\n.bool lit[2]\n.in p v0\n.out - position o0\n.proc main\n\t\
                            mov o0, p\n\tend\n.end\n";

    #[test]
    fn later_layers_count_by_register() {
        let source = ".fvec pair[2]\n.fvec k\n.in p v0\n.out - position o0\n.out - color o1\n.proc main\n \
                      mul o0, pair[0], p\n mov r0, pair[1]\n add o1, k, r0\n end\n.end\n";
        let check = |text: &str| {
            let file = of_source(source, text)?;
            let checked = file.cases.iter().filter_map(|case| case.check("", &file.shader, &Batched).failure);
            Ok::<_, String>(checked.collect::<String>())
        };
        // Names over registers, registers over names, and one of several registers of a name.
        let passes = check(
            "[uniforms]\npair = [[1, 1, 1, 1], [2, 2, 2, 2]]\nc.2 = [1, 1, 1, 1]\n[attributes]\np = [1, 1, 1, 1]\n\
             [[case]]\nname = \"a\"\nuniforms = { c.1 = [5, 5, 5, 5], k = [2, 2, 2, 2] }\nattributes = { v0 = [3, 3, 3, 3] }\n\
             expect = { position = [3, 3, 3, 3], color = [7, 7, 7, 7] }\n\
             rows = [{}, { uniforms = { pair = [[4, 4, 4, 4], [0, 0, 0, 0]] }, expect = { o0 = [12, 12, 12, \"_\"], \
             o1 = [2, 2, 2, 2] } }, { attributes = { p = [1, 2, 3, 4] }, expect = { o0 = [1, 2, 3, 4] } }]\n",
        );
        assert_eq!(passes, Ok(String::new()));
        // Within a layer both count: of values that is an error, and expectations may contradict.
        let error = check(
            "[[case]]\nname = \"a\"\ninstructions = 9\nuniforms = { c.2 = [0, 0, 0, 0], k = [1, 1, 1, 1] }\n",
        );
        assert_eq!(
            error,
            Err("a.test.toml:4:38: uniforms.k: the file sets c2 twice, also as uniforms.c.2".to_owned())
        );
        let failure =
            check("[[case]]\nname = \"a\"\nexpect = { position = [0, 0, 0, 0], o0 = [1, 0, 0, 0] }\n");
        assert!(failure.is_ok_and(|text| text.contains("o0.x (o0.x): expected 1.0, got 0.0")));
    }

    #[test]
    fn only_the_file_may_name_what_another_program_has() {
        let sources = "shader = [\"points.v.pica\", \"points.g.pica\"]\n";
        let case = "[[case]]\nname = \"a\"\ninstructions = 99\n";
        let error = |text: String| load("foreign", &text).map(drop).err();
        assert_eq!(error(format!("{sources}uniforms.pointSize = [0, 0, 0, 0]\n{case}")), None);
        let unknown = |place: &str| {
            format!("lights.test.toml:{place}: uniforms: unknown key \"pointSize\", use c, i, b, projection")
        };
        let own = format!("{sources}{case}uniforms.pointSize = [0, 0, 0, 0]\n");
        assert_eq!(error(own), Some(unknown("5:10")));
        let row = format!("{sources}{case}rows = [{{ uniforms.pointSize = [0, 0, 0, 0] }}]\n");
        assert_eq!(error(row), Some(unknown("5:20")));
    }

    #[test]
    fn palettes_are_set_by_name_and_index() {
        let loaded = |uniforms: &str| {
            let text = format!("[[case]]\nname = \"a\"\ninstructions = 9\n[case.uniforms]\n{uniforms}\n");
            Ok::<_, String>(of_source(PALETTES, &text)?.cases[0].rows[0].trial.state.clone())
        };
        let rows =
            |uniforms: &str| loaded(uniforms).unwrap_or_else(|error| panic!("{error}")).uniforms.floats;
        let [x, y, z, w] = IDENTITY;
        let moved = [[1.0, 0.0, 0.0, 7.0], [0.0, 1.0, 0.0, 8.0], [0.0, 0.0, 1.0, 9.0]];
        let (mv, none) = ("{ translate = [7, 8, 9] }", [0.0; 4]);
        let list = rows(&format!("bones = [\"identity\", {mv}]"));
        assert_eq!(list[..7], [x, y, z, moved[0], moved[1], moved[2], none]);
        assert_eq!(rows(&format!("bones = {{ 0 = \"identity\", 3 = {mv} }}"))[..6], list[..6]);
        // A vector before a matrix; the second half alone; registers of the first half alone.
        let mixed = rows("bones = [[1, 2, 3, 4], [5, 6, 7, 8], \"identity\"]");
        assert_eq!(mixed[..6], [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], x, y, z, w]);
        assert_eq!(
            rows(&format!("bones = {{ 3 = {mv} }}"))[..6],
            [none, none, none, moved[0], moved[1], moved[2]]
        );
        assert_eq!(rows("bones = { 1 = [1, 2, 3, 4] }")[..3], [none, [1.0, 2.0, 3.0, 4.0], none]);
        // 24 registers are eight matrices of three rows, or six of four.
        let eight = rows(&format!("many = [{}{mv}]", "\"identity\",".repeat(7)));
        assert_eq!(eight[26..31], [z, moved[0], moved[1], moved[2], none]);
        let six = rows(&format!("many = [{}\"identity\"]", format!("{mv},").repeat(5)));
        assert_eq!(six[22..31], [moved[0], moved[1], moved[2], w, x, y, z, w, none]);
        assert_eq!(rows("many = { 8 = \"identity\" }")[14..18], [x, y, z, w]);
        assert_eq!(rows("many = { 9 = \"identity\" }")[15..19], [x, y, z, none]);
        assert_eq!(loaded("lit = { 1 = true }").map(|state| state.uniforms.bools), Ok(2));
        // Numbers as texts are no matrices.
        assert_eq!(rows("tint = [\"1/2\", \"inf\", 0, 1]")[30], [0.5, f32::INFINITY, 0.0, 1.0]);
        let error = |uniforms: &str| loaded(uniforms).expect_err("malformed");
        for (uniforms, expected) in [
            (
                "many = [\"identity\"]",
                "5:8: uniforms.many: matrices of 3 and of 4 rows fit; name one more, 3 or 4 registers after another, as { 0 = …, 3 = … }",
            ),
            ("bones = \"identity\"", "5:9: uniforms.bones: a matrix needs the name of 3 or 4 float uniforms"),
            (
                "bones = { 4 = \"identity\" }",
                "5:9: uniforms.bones: these values do not fit its 6 registers; keys of matrices are their first registers, 3 or 4 apart",
            ),
            ("bones = { 6 = [0, 0, 0, 0] }", "5:9: uniforms.bones: these values do not fit its 6 registers"),
            (
                "bones = { 0 = \"identity\", 2 = \"identity\" }",
                "5:9: uniforms.bones: these values do not fit its 6 registers; keys of matrices are their first registers, 3 or 4 apart",
            ),
            (
                "many = { 0 = \"identity\", 5 = \"identity\", 8 = \"identity\" }",
                "5:8: uniforms.many: these values do not fit its 24 registers; keys of matrices are their first registers, 3 or 4 apart",
            ),
            (
                "bones = { 18446744073709551615 = \"identity\" }",
                "5:9: uniforms.bones: these values do not fit its 6 registers; keys of matrices are their first registers, 3 or 4 apart",
            ),
            (
                "bones = { 2 = [0, 0, \"x\", 0] }",
                "5:15: uniforms.bones[2][2] must be a number, \"0x…\" with f32 bits, \"1/255\", \"inf\", \"-inf\" or \"nan\"",
            ),
            ("bones = [\"identity\", [1, 2]]", "5:22: uniforms.bones[3] must be an array of four numbers"),
            (
                "bones = { 1 = [0, 0, 0, 0] }\nc.1 = [0, 0, 0, 0]",
                "6:7: uniforms.c.1: the file sets a register twice",
            ),
            ("tint = { 2 = [0, 0, 0, 0] }", "5:8: uniforms.tint: these values do not fit its 1 register"),
            ("lit = { 2 = true }", "5:7: uniforms.lit: these values do not fit its 2 registers"),
        ] {
            assert_eq!(error(uniforms), format!("a.test.toml:{expected}"), "{uniforms}");
        }
    }

    #[test]
    fn attributes_may_have_fewer_components() {
        for (given, expected) in [
            ("5", "[5, 0, 0, 1]"),
            ("[5]", "[5, 0, 0, 1]"),
            ("[5, 6]", "[5, 6, 0, 1]"),
            ("[5, 6, 7]", "[5, 6, 7, 1]"),
            ("[5, 6, 7, 8]", "[5, 6, 7, 8]"),
        ] {
            let text =
                format!("[[case]]\nname = \"a\"\nattributes.p = {given}\nexpect.position = {expected}\n");
            let file = of_source(PALETTES, &text).expect("a file");
            assert_eq!(file.cases[0].check("", &file.shader, &Batched).failure, None, "{given}");
        }
        let wrong = of_source(
            PALETTES,
            "[[case]]\nname = \"a\"\nattributes.p = []\nexpect.position = [0, 0, 0, 1]\n",
        );
        let wrong = wrong.map(drop).expect_err("no component");
        assert_eq!(wrong, "a.test.toml:3:16: attributes.p must be a number or an array of one to four");
    }
}
