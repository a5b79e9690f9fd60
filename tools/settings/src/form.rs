//! The settings as a form: a row for each field, with its default, its value and what it may be.
//! In: settings. Out: rows, for a page or as JSON.

use serde::Serialize;
use serde_json::{Value, from_str};

use crate::table::{Form, ROWS, Row};
use crate::tree::Tree;
use crate::{Settings, shown};

/// A word that a setting can have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The word.
    pub value: String,
    /// Its meaning.
    pub help: &'static str,
}

/// A row of the form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Path of the field.
    pub path: String,
    /// Flag that sets it, without dashes; with the name of the field if it sets several.
    pub label: String,
    /// Heading.
    pub group: &'static str,
    /// Meaning.
    pub help: &'static str,
    /// `choice`, `switch`, `number`, `text` or `json`.
    pub form: &'static str,
    /// Value of the field that a switch sets, which `help` is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Value>,
    /// Words of a choice.
    pub choices: Vec<Choice>,
    /// Value of the default settings.
    pub default: Value,
    /// Value of these settings.
    pub value: Value,
    /// True if the two differ.
    pub changed: bool,
}

impl Settings {
    /// Returns the rows of the form.
    pub fn form(&self) -> Vec<Setting> {
        let (defaults, own) = (Tree::default(), Tree::new(&self.options, &self.profile));
        let mut rows: Vec<Setting> = Vec::new();
        // A switch may set a field that a choice has in full.
        let is_choice = |row: &&Row| matches!(row.form, Form::Choice(..));
        for row in ROWS.iter().filter(is_choice).chain(ROWS.iter().filter(|row| !is_choice(row))) {
            for path in row.fields {
                let path = existing(path, &defaults);
                if !rows.iter().any(|known| known.path == path) {
                    let value = |tree: &Tree| tree.get(path).cloned().unwrap_or_default();
                    rows.push(setting(row, path, value(&defaults), value(&own)));
                }
            }
        }
        let order = |setting: &Setting| {
            let own = |row: &Row| {
                row.heading() == setting.group
                    && row.fields.iter().any(|path| existing(path, &defaults) == setting.path)
            };
            ROWS.iter().position(own).map_or(0, |row| row as u64 + 1)
        };
        rows.sort_by_cached_key(order);
        rows
    }
}

fn setting(row: &Row, path: &str, default: Value, value: Value) -> Setting {
    let words = match row.form {
        Form::Choice(_, words) => words,
        Form::Switch(_) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => &[],
    };
    let (default, value) = (shown(words, default), shown(words, value));
    let (form, on) = match (row.form, &default) {
        (Form::Choice(..), _) => ("choice", None),
        (Form::Switch(json), _) => ("switch", from_str(json).ok()),
        (_, Value::Number(_)) => ("number", None),
        (_, Value::String(_)) => ("text", None),
        (_, Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => ("json", None),
    };
    let field = path.strip_prefix(row.path()).map(|rest| rest.trim_start_matches('.'));
    let label = format!("{} {}", row.flag, field.unwrap_or_default()).trim_end().to_owned();
    Setting {
        label,
        path: path.to_owned(),
        group: row.heading(),
        help: row.help,
        form,
        on,
        choices: words.iter().map(|(word, _, help)| Choice { value: (*word).into(), help }).collect(),
        changed: default != value,
        default,
        value,
    }
}

/// Returns the field that a path of the table names: lists and variants stand as a whole.
fn existing<'p>(path: &'p str, defaults: &Tree) -> &'p str {
    let mut path = path.split(".*").next().unwrap_or(path);
    while let (Err(_), Some((parent, _))) = (defaults.get(path), path.rsplit_once('.')) {
        path = parent;
    }
    path
}
