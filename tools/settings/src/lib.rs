//! Options and profile of the library by paths and texts: the interface for everything that is not
//! Rust.
//!
//! In: paths such as `outputs.depth`, texts such as `-w..w`. Out: values of the library, the rows
//! of a form. Knows no field by itself: [`table`] names the fields, [`spelling`] reads texts,
//! [`tree`] holds the fields as JSON, and the library checks the values.

pub mod form;
pub mod spelling;
pub mod table;
#[cfg(test)]
mod tests;
pub mod tree;

/// The layer below the public API on which this crate relies: its version is pinned.
use transpica::stages::words;

use serde_json::{Value, from_str};
use transpica::host::{OutputMap, varying};
use transpica::settings::{KnownHost, Outputs, Preset, Renderer, preset};
use transpica::{Options, Profile};

use spelling::{Change, Names, is_json, word};
use table::{Form, ROWS, Row, Words};
use tree::Tree;

/// Options and profile that texts change.
///
/// ```
/// use transpica_settings::Settings;
/// let mut settings = Settings::preset("azahar-opengl").expect("a host");
/// settings.set("outputs.depth", "0..w").expect("a value");
/// settings.set("control.bools", "b0=true,b3=specialized").expect("a list");
/// assert_eq!(settings.get("control.bools.specialized").as_deref(), Ok("8"));
/// let error = settings.set("outputs.dept", "raw").expect_err("no such field");
/// assert!(error.ends_with("did you mean `depth`?"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Options.
    pub options: Options,
    /// Profile.
    pub profile: Profile,
}

/// Names of the presets: hosts with their renderers.
pub const PRESETS: &[(&str, KnownHost, Renderer)] = &[
    ("azahar-vulkan", KnownHost::Azahar, Renderer::Vulkan),
    ("azahar-opengl", KnownHost::Azahar, Renderer::OpenGl),
    ("azahar-opengles", KnownHost::Azahar, Renderer::OpenGlEs),
    ("panda3ds-opengl", KnownHost::Panda3ds, Renderer::OpenGl),
    ("panda3ds-opengles", KnownHost::Panda3ds, Renderer::OpenGlEs),
    ("tanuki3ds-opengl", KnownHost::Tanuki3ds, Renderer::OpenGl),
];

impl Settings {
    /// Returns the settings of a known host.
    ///
    /// # Errors
    /// A name that is none of [`PRESETS`].
    pub fn preset(name: &str) -> Result<Self, String> {
        let names: Vec<_> = PRESETS.iter().map(|&(name, host, renderer)| (name, (host, renderer))).collect();
        let (host, renderer) = word(name, &names)?;
        let Preset { options, profile } = preset(host, renderer).ok_or("the host has no such renderer")?;
        Ok(Self { options, profile })
    }

    /// Sets a field, or a part of the tree, to the value of a text. Nothing changes on an error.
    ///
    /// # Errors
    /// A path that does not exist, with the nearest one; a text that is not a value of the field.
    pub fn set(&mut self, path: &str, text: &str) -> Result<(), String> {
        let mut tree = Tree::new(&self.options, &self.profile);
        let names: Names<'_> = &|_, name| Err(format!("`{name}` needs a program to look it up in"));
        tree.get(path)?;
        let blame = |error: String| format!("{path}: {error}");
        for change in changes(path, text, names).map_err(blame)? {
            tree.apply(&change)?;
        }
        (self.options, self.profile) = tree.read().map_err(blame)?;
        Ok(())
    }

    /// Returns the text of a field, or of a part of the tree, which [`set`](Self::set) reads.
    ///
    /// # Errors
    /// A path that does not exist.
    pub fn get(&self, path: &str) -> Result<String, String> {
        let tree = Tree::new(&self.options, &self.profile);
        let value = tree.get(path)?.clone();
        Ok(match choice(path).map_or(value.clone(), |words| shown(words, value)) {
            Value::String(text) if from_str::<Value>(&text).is_err() && !is_json(&text) => text,
            other => other.to_string(),
        })
    }

    /// Checks what no single field says, whatever the program is.
    ///
    /// # Errors
    /// Fields that contradict each other, such as two blocks at one binding or two outputs at one
    /// location.
    pub fn check(&self) -> transpica::Result<()> {
        let Self { options, profile } = self;
        options.check()?;
        profile.check()?;
        profile.bindings.check()?;
        let all = Options { outputs: Outputs { all: true, ..options.outputs }, ..*options };
        varying::check_locations(&varying::outputs(&OutputMap::default(), &all, profile))
    }
}

/// Returns the row of a path that has a spelling; a switch may set what a choice has in full.
fn row(path: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.path() == path && !matches!(row.form, Form::Switch(_)))
}

/// Returns the words of a path.
fn choice(path: &str) -> Option<Words> {
    match row(path)?.form {
        Form::Choice(_, words) => Some(words),
        Form::Switch(_) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => None,
    }
}

/// Returns the word of a value, or the value if it has none.
fn shown(words: Words, value: Value) -> Value {
    let json = value.to_string();
    words.iter().find(|(_, known, _)| *known == json).map_or(value, |(word, ..)| (*word).into())
}

/// Reads the value of a field, or of a part of the tree: spelled as after its flag, JSON, or a
/// string.
///
/// # Errors
/// A text that its row does not take; other values are the library's to check.
pub fn changes(path: &str, text: &str, names: Names<'_>) -> Result<Vec<Change>, String> {
    let json = || Ok(vec![spelling::json(path.into(), text)?]);
    let spelled = match row(path).map(|row| row.form) {
        Some(Form::Choice(_, words)) => {
            let variant = words.iter().find(|(_, json, _)| json.trim_matches('"') == text.trim_matches('"'));
            let words: Vec<_> = words.iter().map(|(word, json, _)| (*word, *json)).collect();
            let json = variant.map_or_else(|| word(text, &words), |(_, json, _)| Ok(json))?;
            return Ok(vec![spelling::json(path.into(), json)?]);
        }
        Some(Form::Spelled(_, _, spelling) | Form::Optional(_, _, spelling)) => spelling(text),
        Some(Form::Named(_, _, spelling)) => spelling(text, names),
        Some(Form::Switch(_)) | None => {
            let is_absent = text == "none" && Tree::default().get(path) == Ok(&Value::Null);
            return if is_absent { Ok(vec![Change::new(path, Value::Null)]) } else { json() };
        }
    };
    match spelled {
        Err(_) if is_json(text) => json(),
        spelled => spelled,
    }
}
