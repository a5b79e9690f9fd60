//! Options and profile of the document, as a form and as changes from the default.
//! In: changes by path. Out: rows of a form; options and profile of the library.

use serde::Serialize;
use serde_json::{Map, Value, from_str, json};
use transpica::GlslVersion;
use transpica::stages::host::{Options, Profile};
use transpica_inspect::settings::spelling::Change;
use transpica_inspect::settings::table::{Form, ROWS, Row};
use transpica_inspect::settings::tree::Tree;

use crate::problem::Problem;

/// Path of the version of GLSL, which is no field of the library's options.
const GLSL_VERSION: &str = "view.glsl_version";

/// Versions of GLSL by name.
const VERSIONS: [(&str, GlslVersion, &str); 12] = [
    ("330", GlslVersion::Core330, "OpenGL 3.3 and later"),
    ("400", GlslVersion::Core400, "OpenGL 4.0 and later"),
    ("410", GlslVersion::Core410, "OpenGL 4.1 and later"),
    ("420", GlslVersion::Core420, "OpenGL 4.2 and later"),
    ("430", GlslVersion::Core430, "OpenGL 4.3 and later"),
    ("440", GlslVersion::Core440, "OpenGL 4.4 and later"),
    ("450", GlslVersion::Vulkan450, "Vulkan"),
    ("450core", GlslVersion::Core450, "OpenGL 4.5 and later"),
    ("460", GlslVersion::Core460, "OpenGL 4.6"),
    ("300es", GlslVersion::Es300, "OpenGL ES 3.0 and later, and WebGL 2"),
    ("310es", GlslVersion::Es310, "OpenGL ES 3.1 and later"),
    ("320es", GlslVersion::Es320, "OpenGL ES 3.2"),
];

/// A word that a setting can have.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Choice {
    value: String,
    help: &'static str,
}

/// A row of the form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    path: String,
    /// Name of the row: of a switch that of the flag, which says what a set one does.
    label: String,
    group: &'static str,
    help: &'static str,
    form: &'static str,
    /// Value of the field that a switch sets, which `help` is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<Value>,
    choices: Vec<Choice>,
    default: Value,
    value: Value,
    changed: bool,
}

/// Settings of a document.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Options of the library.
    pub options: Options,
    /// Profile of the library.
    pub profile: Profile,
    /// Version of GLSL.
    pub version: GlslVersion,
}

impl Default for Settings {
    fn default() -> Self {
        let (options, profile) = (Options::default(), Profile::default());
        Self { options, profile, version: GlslVersion::Vulkan450 }
    }
}

impl Settings {
    /// Returns the rows of the form.
    pub fn form(&self) -> Vec<Setting> {
        let defaults = Tree::new(&Options::default(), &Profile::default());
        let own = Tree::new(&self.options, &self.profile);
        let mut rows: Vec<Setting> = Vec::new();
        // A switch may set a field that a choice has in full.
        let is_choice = |row: &&Row| matches!(row.form, Form::Choice(..));
        for row in ROWS.iter().filter(is_choice).chain(ROWS.iter().filter(|row| !is_choice(row))) {
            for (path, _) in row.fields {
                let path = existing(path, &defaults);
                if rows.iter().any(|known| known.path == path) {
                    continue;
                }
                let field = |tree: &Tree| shown(row, tree.get(&path).cloned().unwrap_or_default());
                let (default, value) = (field(&defaults), field(&own));
                let (form, choices, on) = (form(row, &default), choices(row), switched(row));
                let (group, help, changed) = (row.heading, row.help, default != value);
                let label = if on.is_some() { row.flag.to_owned() } else { path.clone() };
                rows.push(Setting { path, label, group, help, form, on, choices, default, value, changed });
            }
        }
        let order = |row: &Setting| {
            let own = |known: &Row| {
                known.heading == row.group
                    && known.fields.iter().any(|(path, _)| existing(path, &defaults) == row.path)
            };
            ROWS.iter().position(own).map_or(0, |row| row as u64 + 1)
        };
        rows.sort_by_cached_key(order);
        let name = |wanted: GlslVersion| {
            VERSIONS.iter().find(|(_, version, _)| *version == wanted).map_or("", |(name, ..)| name)
        };
        rows.push(Setting {
            path: GLSL_VERSION.into(),
            label: GLSL_VERSION.into(),
            group: "Views",
            help: "Version of the GLSL that is shown",
            form: "choice",
            on: None,
            choices: VERSIONS.iter().map(|(name, _, help)| Choice { value: (*name).into(), help }).collect(),
            default: name(GlslVersion::Vulkan450).into(),
            value: name(self.version).into(),
            changed: self.version != GlslVersion::Vulkan450,
        });
        rows
    }

    /// Replaces all changes from the default.
    ///
    /// # Errors
    /// Each value that the library refuses: nothing changes.
    pub fn configure(&mut self, text: &str) -> Result<(), Vec<Problem>> {
        let wrong = |error: String| vec![Problem::error(error)];
        let changes: Map<String, Value> =
            from_str(text).map_err(|error| wrong(format!("not an object of settings: {error}")))?;
        let mut tree = Tree::new(&Options::default(), &Profile::default());
        let (mut version, mut problems) = (GlslVersion::Vulkan450, Vec::new());
        for (path, value) in &changes {
            let applied = if path == GLSL_VERSION {
                let known = VERSIONS.iter().find(|(name, ..)| value == name);
                known.map(|row| version = row.1).ok_or_else(|| format!("{path}: no such version"))
            } else {
                let change = Change::new(path.as_str(), given(path, value));
                let mut alone = Tree::new(&Options::default(), &Profile::default());
                let checked = alone.apply(&change).and_then(|()| alone.read().map(|_| ()));
                checked.map_err(|error| format!("{path}: {error}")).and_then(|()| tree.apply(&change))
            };
            problems.extend(applied.err().map(Problem::error));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let (options, profile) = tree.read().map_err(wrong)?;
        let checked = options.check().and_then(|()| profile.check());
        checked.map_err(|error| vec![Problem::from(error)])?;
        *self = Self { options, profile, version };
        Ok(())
    }
}

/// Returns the field that a path of the table names: lists and variants stand as a whole.
fn existing(path: &str, defaults: &Tree) -> String {
    let mut path = path.split(".*").next().unwrap_or(path);
    while let (None, Some((parent, _))) = (defaults.get(path), path.rsplit_once('.')) {
        path = parent;
    }
    path.to_owned()
}

/// Returns the text of the value of a choice.
fn word(json: &str) -> String {
    match from_str(json) {
        Ok(Value::String(text)) => text,
        Ok(_) | Err(_) => json.to_owned(),
    }
}

/// Returns a value as the form shows it: of a choice its word on the command line.
fn shown(row: &Row, value: Value) -> Value {
    match row.form {
        Form::Choice(_, words) => {
            let json = value.to_string();
            words.iter().find(|(_, known, _)| *known == json).map_or(value, |(word, ..)| (*word).into())
        }
        Form::Switch(_) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => value,
    }
}

/// Returns the value that a form gave for a field.
fn given(path: &str, value: &Value) -> Value {
    let of_row = |row: &Row| match row.form {
        Form::Choice(_, words) if row.path() == path => {
            let known = words.iter().find(|(name, json, _)| value == name || *value == word(json).as_str());
            known.and_then(|(_, json, _)| from_str(json).ok())
        }
        Form::Choice(..) | Form::Switch(_) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => None,
    };
    ROWS.iter().find_map(of_row).unwrap_or_else(|| value.clone())
}

fn form(row: &Row, default: &Value) -> &'static str {
    match (row.form, default) {
        (Form::Choice(..), _) => "choice",
        (Form::Switch(_), _) => "switch",
        (_, Value::Number(_)) => "number",
        (_, Value::String(_)) => "text",
        (_, Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => "json",
    }
}

fn switched(row: &Row) -> Option<Value> {
    match row.form {
        Form::Switch(json) => from_str(json).ok(),
        Form::Choice(..) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => None,
    }
}

fn choices(row: &Row) -> Vec<Choice> {
    match row.form {
        Form::Choice(_, words) => {
            words.iter().map(|(word, _, help)| Choice { value: (*word).into(), help }).collect()
        }
        Form::Switch(_) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => Vec::new(),
    }
}

/// Returns an answer that lists problems.
pub fn answer(problems: &[Problem]) -> String {
    json!({ "problems": problems }).to_string()
}
