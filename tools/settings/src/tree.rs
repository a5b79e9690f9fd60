//! Options and profile as one tree of JSON whose fields have paths, such as `outputs.depth`.
//! In: values of the library, changes. Out: values of the library.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::words::did_you_mean;
use serde_json::{Map, Value, from_value, to_value};
use transpica::{Options, Profile};

use crate::spelling::{Change, To};

/// An object with the fields of both, whose names differ.
#[derive(Clone, Debug)]
pub struct Tree(Value);

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
    static PROFILE: LazyLock<Map<String, Value>> = LazyLock::new(|| fields(to_value(Profile::default())));
    PROFILE.contains_key(path.split('.').next().unwrap_or_default())
}

impl Default for Tree {
    fn default() -> Self {
        Self::new(&Options::default(), &Profile::default())
    }
}

impl Tree {
    /// Converts options and profile.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        let mut all = fields(to_value(options));
        all.extend(fields(to_value(profile)));
        Self(all.into())
    }

    /// Returns a field.
    ///
    /// # Errors
    /// A path that does not exist, with the nearest one.
    pub fn get(&self, path: &str) -> Result<&Value, String> {
        path.split('.').try_fold(&self.0, |value, part| {
            value.pointer(&pointer(part)).ok_or_else(|| missing(path, part, value))
        })
    }

    /// Finds a field to change.
    fn find(&mut self, path: &str) -> Result<&mut Value, String> {
        self.get(path)?;
        self.0.pointer_mut(&pointer(path)).ok_or_else(|| format!("{path} is not a field"))
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
        if let (Ok(default), Ok(place)) = (Self::default().get(path), self.find(path)) {
            place.clone_from(default);
        }
    }

    /// Takes over the fields that an object of options or of a profile names.
    pub fn merge(&mut self, given: &Value) {
        let mut work = vec![(&mut self.0, given)];
        while let Some((to, from)) = work.pop() {
            let (Value::Object(to), Value::Object(from)) = (to, from) else { continue };
            for (key, place) in to.iter_mut() {
                let Some(value) = from.get(key) else { continue };
                // An object with other names is another variant.
                let names = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect());
                let is_struct = match (names(place), names(value)) {
                    (Some(old), Some(new)) => BTreeSet::is_superset(&old, &new),
                    (None, _) | (_, None) => false,
                };
                if is_struct {
                    work.push((place, value));
                } else {
                    place.clone_from(value);
                }
            }
        }
    }

    /// Converts to the library's values.
    pub fn read(self) -> Result<(Options, Profile), String> {
        let own = fields(to_value(Profile::default()));
        let (profile, options): (Map<_, _>, Map<_, _>) =
            fields(Ok(self.0)).into_iter().partition(|(name, _)| own.contains_key(name));
        let text = |error: serde_json::Error| error.to_string();
        Ok((from_value(options.into()).map_err(text)?, from_value(profile.into()).map_err(text)?))
    }
}

/// Returns a path as a JSON pointer.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('~', "~0").replace('/', "~1").replace('.', "/"))
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
    format!("{path}: `{part}` is unknown; {advice}")
}
