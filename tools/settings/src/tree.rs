//! Options and profile as one tree of JSON whose fields have paths, such as `outputs.depth`.
//! In: values of the library, changes. Out: values of the library.

use std::collections::BTreeSet;

use crate::words::did_you_mean;
use serde_json::{Map, Value, from_value, to_value};
use transpica::{Options, Profile};

use crate::spelling::{Change, To};

/// Fields of both; their names differ.
#[derive(Clone, Debug)]
pub struct Tree {
    options: Map<String, Value>,
    profile: Map<String, Value>,
}

/// Converts a struct of the library.
fn fields(value: serde_json::Result<Value>) -> Map<String, Value> {
    match value {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => unreachable!("options and profile are structs, all of whose fields JSON can hold"),
    }
}

/// Returns whether a path is another one or lies below it.
pub fn is_below(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || parent.is_empty() || rest.starts_with('.'))
}

/// Returns whether a field is one of the profile.
pub fn is_of_profile(path: &str) -> bool {
    let first = path.split('.').next().unwrap_or_default();
    fields(to_value(Profile::default())).contains_key(first)
}

impl Default for Tree {
    fn default() -> Self {
        Self::new(&Options::default(), &Profile::default())
    }
}

impl Tree {
    /// Converts options and profile.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        Self { options: fields(to_value(options)), profile: fields(to_value(profile)) }
    }

    /// Returns a field.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let first = parts.next()?;
        let value = self.options.get(first).or_else(|| self.profile.get(first))?;
        parts.try_fold(value, child)
    }

    /// Checks that a field exists.
    pub fn check(&self, path: &str) -> Result<(), String> {
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        let Some(mut value) = self.options.get(first).or_else(|| self.profile.get(first)) else {
            let known: Vec<&str> =
                self.options.keys().chain(self.profile.keys()).map(String::as_str).collect();
            return Err(unknown(path, first, &known));
        };
        for part in parts {
            value = child(value, part).ok_or_else(|| missing(path, part, value))?;
        }
        Ok(())
    }

    /// Finds a field to change.
    fn find(&mut self, path: &str) -> Result<&mut Value, String> {
        self.check(path)?;
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        let place = self.options.get_mut(first).or_else(|| self.profile.get_mut(first));
        let place = place.and_then(|place| {
            parts.try_fold(place, |value, part| match value {
                Value::Object(map) => map.get_mut(part),
                Value::Array(list) => part.parse::<usize>().ok().and_then(|index| list.get_mut(index)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            })
        });
        place.ok_or_else(|| format!("{path} is no field"))
    }

    /// Applies a change.
    pub fn apply(&mut self, change: &Change) -> Result<(), String> {
        let place = self.find(&change.path)?;
        match &change.to {
            To::Value(value) => *place = value.clone(),
            To::Bits { clear, set } => *place = (place.as_u64().unwrap_or_default() & !clear | set).into(),
        }
        Ok(())
    }

    /// Sets a field, with all below it, to its default.
    pub fn reset(&mut self, path: &str) {
        if let (Some(default), Ok(place)) = (Self::default().get(path), self.find(path)) {
            place.clone_from(default);
        }
    }

    /// Takes over the fields that an object of options or of a profile names.
    pub fn merge(&mut self, given: &Value) {
        let Value::Object(given) = given else { return };
        let mut work = vec![(&mut self.options, given), (&mut self.profile, given)];
        while let Some((to, from)) = work.pop() {
            for (key, place) in to.iter_mut() {
                let Some(value) = from.get(key) else { continue };
                // An object with other names is another variant.
                let names = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect());
                let is_struct = match (names(place), names(value)) {
                    (Some(old), Some(new)) => BTreeSet::is_superset(&old, &new),
                    (None, _) | (_, None) => false,
                };
                if !is_struct {
                    place.clone_from(value);
                } else if let (Value::Object(to), Value::Object(from)) = (place, value) {
                    work.push((to, from));
                }
            }
        }
    }

    /// Converts to the library's values.
    pub fn read(self) -> Result<(Options, Profile), String> {
        let text = |error: serde_json::Error| error.to_string();
        let options = from_value(Value::Object(self.options)).map_err(text)?;
        Ok((options, from_value(Value::Object(self.profile)).map_err(text)?))
    }
}

/// Returns a member of an object or an element of a list.
fn child<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(part),
        Value::Array(list) => part.parse::<usize>().ok().and_then(|index| list.get(index)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn missing(path: &str, part: &str, value: &Value) -> String {
    match value {
        Value::Object(map) => unknown(path, part, &map.keys().map(String::as_str).collect::<Vec<_>>()),
        Value::Array(list) if list.is_empty() => format!("{path}: the list is empty, set it as a whole"),
        Value::Array(list) => format!("{path}: `{part}` must be 0 to {}", list.len() - 1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            format!("{path}: there is nothing below, `{part}` is too much")
        }
    }
}

fn unknown(path: &str, part: &str, known: &[&str]) -> String {
    let advice = did_you_mean(part, known.iter().copied());
    let advice = advice.unwrap_or_else(|| format!("the fields are {}", known.join(", ")));
    format!("{path}: `{part}` is unknown, {advice}")
}
