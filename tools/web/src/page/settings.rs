//! Options and profile of the document, as a form and as changes from the default.
//! In: changes by path. Out: rows of a form; options and profile of the library.

use serde_json::{Map, Value, from_str, json};
use transpica::interp::Settings as Machine;
use transpica::{GlslVersion, Precision};
use transpica_settings::PRESETS;
use transpica_settings::form::{Choice, Setting};

use super::problem::Problem;

/// Path of the version of GLSL, which is not a field of the library's options.
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

/// Settings of a document.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Options and profile of the library.
    pub values: transpica_settings::Settings,
    /// Version of GLSL.
    pub version: GlslVersion,
}

impl Default for Settings {
    fn default() -> Self {
        Self { values: transpica_settings::Settings::default(), version: GlslVersion::Vulkan450 }
    }
}

impl Settings {
    /// Returns the rows of the form.
    pub fn form(&self) -> Vec<Setting> {
        let name = |wanted: GlslVersion| {
            VERSIONS.iter().find(|(_, version, _)| *version == wanted).map_or("", |(name, ..)| name)
        };
        let mut rows = self.values.form();
        rows.push(Setting {
            path: GLSL_VERSION.into(),
            label: "glsl-version".into(),
            group: "Views",
            help: "GLSL version to show",
            form: "choice",
            on: None,
            choices: VERSIONS.iter().map(|(name, _, help)| Choice { value: (*name).into(), help }).collect(),
            default: name(GlslVersion::Vulkan450).into(),
            value: name(self.version).into(),
            changed: self.version != GlslVersion::Vulkan450,
        });
        rows
    }

    /// Returns the settings of the reference machine, which has the console's numbers for
    /// translations by plain arithmetic, too.
    pub fn machine(&self, budget: u64) -> Machine {
        let machine = self.values.options.settings(budget);
        let precision = match machine.precision {
            Precision::Fast => Precision::Exact,
            other @ (Precision::Exact | Precision::F24) => other,
        };
        Machine { precision, ..machine }
    }

    /// Returns the presets: names of hosts, each with its changes from the default.
    pub fn presets() -> Vec<Value> {
        let changes = |name: &str| -> Map<String, Value> {
            let rows = transpica_settings::Settings::preset(name).map(|preset| preset.form());
            let mut rows = rows.unwrap_or_default();
            rows.retain(|row| row.changed);
            // The form also has the parts of a variant.
            let whole: Vec<String> = rows.iter().map(|row| format!("{}.", row.path)).collect();
            rows.retain(|row| !whole.iter().any(|path| row.path.starts_with(path)));
            rows.into_iter().map(|row| (row.path, row.value)).collect()
        };
        PRESETS.iter().map(|(name, ..)| json!({ "name": name, "changes": changes(name) })).collect()
    }

    /// Replaces all changes from the default.
    ///
    /// # Errors
    /// Each value that the library refuses: nothing changes.
    pub fn configure(&mut self, text: &str) -> Result<(), Vec<Problem>> {
        let wrong = |error: String| vec![Problem::error(error)];
        let changes: Map<String, Value> =
            from_str(text).map_err(|error| wrong(format!("not an object of settings: {error}")))?;
        let (mut new, mut problems) = (Self::default(), Vec::new());
        for (path, value) in &changes {
            let applied = if path == GLSL_VERSION {
                let known = VERSIONS.iter().find(|(name, ..)| value == name);
                known.map(|row| new.version = row.1).ok_or_else(|| format!("{path}: no such version"))
            } else {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                new.values.set(path, &text)
            };
            problems.extend(applied.err().map(Problem::error));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        new.values.check().map_err(|error| vec![Problem::from(error)])?;
        *self = new;
        Ok(())
    }
}

/// Returns an answer that lists problems.
pub fn answer(problems: &[Problem]) -> String {
    json!({ "problems": problems }).to_string()
}
