//! Options and profile of the library as flags, files and single fields, for every command that
//! translates or runs programs.
//! In: the command line. Out: [`Options`] and [`Profile`].
//! `transpica_settings` lists the flags, reads their values and holds what all of them change.
//! Knows no field by itself.
//!
//! The order: a preset, then the files, then flags and `--set` as they stand; the last one counts.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{Error as ClapError, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, from_slice};
use transpica::{Options, Profile};
use transpica_inspect::symbols::Symbols;
use transpica_settings::spelling::{Change, Names, To, any_name};
use transpica_settings::table::{Form, ROWS, Row};
use transpica_settings::tree::{self, Tree, is_below};
use transpica_settings::{PRESETS, Settings as Values, changes};

use crate::files;
use crate::report::Failure;

/// Fields that a command respects.
pub trait Scope {
    /// Paths of fields without effect, with all below them.
    const WITHOUT: &'static [&'static str];
    /// Explanation for errors.
    const WHY: &'static str;
    /// True if it has a profile, too.
    const HAS_PROFILE: bool;
    /// True if presets of hosts change some field that it respects.
    const HAS_PRESETS: bool = true;
}

/// Modules and texts: everything.
#[derive(Clone, Copy, Debug)]
pub struct ForModules;

impl Scope for ForModules {
    const WITHOUT: &'static [&'static str] = &[];
    const WHY: &'static str = "";
    const HAS_PROFILE: bool = true;
}

/// Intermediate forms: options without a profile.
#[derive(Clone, Copy, Debug)]
pub struct ForForms;

impl Scope for ForForms {
    const WITHOUT: &'static [&'static str] = &[];
    const WHY: &'static str = "intermediate forms have no target";
    const HAS_PROFILE: bool = false;
}

/// Runs: options that raw output registers depend on.
#[derive(Clone, Copy, Debug)]
pub struct ForRuns;

impl Scope for ForRuns {
    const WITHOUT: &'static [&'static str] =
        &["outputs", "input.formats", "control.bools.specialized", "control.ints.specialized"];
    const WHY: &'static str = "runs show raw output registers, and their inputs are floats";
    const HAS_PROFILE: bool = false;
}

/// Known values: bools and ints that never change.
#[derive(Clone, Copy, Debug)]
pub struct ForKnownValues;

impl Scope for ForKnownValues {
    const WITHOUT: &'static [&'static str] = &[
        "arithmetic",
        "outputs",
        "block",
        "input",
        "assume",
        "limits",
        "control.bools.specialized",
        "control.ints.specialized",
        "control.loop_guard",
        "control.permissive",
    ];
    const WHY: &'static str = "every bit of every output stays, for all inputs";
    const HAS_PROFILE: bool = false;
    const HAS_PRESETS: bool = false;
}

/// Returns whether a field has an effect in a scope.
fn takes<S: Scope>(path: &str) -> bool {
    let is_without = S::WITHOUT.iter().any(|parent| is_below(path, parent));
    !is_without && (S::HAS_PROFILE || !tree::is_of_profile(path))
}

/// Settings as given on the command line.
#[derive(Clone, Debug)]
pub struct Settings<S> {
    preset: Option<Values>,
    options: Option<PathBuf>,
    profile: Option<PathBuf>,
    /// In the order of the command line.
    given: Vec<Given>,
    scope: PhantomData<S>,
}

/// The value of a flag.
#[derive(Clone, Debug)]
struct Given {
    path: String,
    text: String,
    /// Changes of fields; registers that it names count as register 0.
    changes: Vec<Change>,
}

impl Given {
    /// Reads a value and has the library check it.
    fn new(path: &str, text: &str) -> Result<Self, String> {
        let changes = changes(path, text, &any_name)?;
        let mut tree = Tree::default();
        changes.iter().try_for_each(|change| tree.apply(change))?;
        tree.read()?;
        Ok(Self { path: path.to_owned(), text: text.to_owned(), changes })
    }
}

/// Settings in the form of the library.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Options.
    pub options: Options,
    /// Profile; the default in scopes without one.
    pub profile: Profile,
    /// True if a depth range was chosen.
    pub has_depth: bool,
}

impl<S: Scope> Settings<S> {
    /// Files that they are read from.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.options.iter().chain(&self.profile)
    }

    /// Returns whether flags change a field, or one below it.
    pub fn changes(&self, path: &str) -> bool {
        self.given.iter().flat_map(|given| &given.changes).any(|change| is_below(&change.path, path))
    }

    /// Reads the files and combines everything, for any program.
    pub fn resolve(&self) -> Result<Resolved, Failure> {
        self.combine(&|_, _| Err("names are for the options of one program".into()))
    }

    /// Reads the files and combines everything, for a program with these names.
    pub fn resolve_for(&self, symbols: &Symbols) -> Result<Resolved, Failure> {
        self.combine(&|bank, name| symbols.registers(bank, name))
    }

    /// Combines everything for each of several programs, by their names. A value that names a
    /// uniform is for those that have it.
    ///
    /// # Errors
    /// A name that no program has.
    pub fn resolve_for_each(
        &self,
        all: &[impl Fn(char, &str) -> Result<Vec<usize>, String>],
    ) -> Result<Vec<Resolved>, Failure> {
        let names = |own: usize, bank, name: &str| {
            let found = all[own](bank, name);
            let is_other = found.is_err() && all.iter().any(|names| names(bank, name).is_ok());
            if is_other { Ok(Vec::new()) } else { found }
        };
        (0..all.len()).map(|own| self.combine(&|bank, name| names(own, bank, name))).collect()
    }

    fn combine(&self, names: Names<'_>) -> Result<Resolved, Failure> {
        let base = self.preset.clone().unwrap_or_default();
        let mut tree = Tree::new(&base.options, &base.profile);
        let mut has_depth = self.preset.is_some() || self.changes("outputs.depth");
        if let Some(path) = &self.options {
            let (options, text) = read(path, |bytes| from_slice::<Options>(bytes), OPTIONS_EXAMPLE)?;
            options.check().map_err(|error| Failure::from_error(path, &error))?;
            has_depth |= text.pointer("/outputs/depth").is_some();
            tree.merge(&text);
        }
        if let Some(path) = &self.profile {
            let (profile, text) = read(path, |bytes| from_slice::<Profile>(bytes), PROFILE_EXAMPLE)?;
            profile.check().map_err(|error| Failure::from_error(path, &error))?;
            tree.merge(&text);
        }
        for given in &self.given {
            let row = ROWS.iter().find(|row| row.path() == given.path);
            let option = row.map_or(&*given.path, |row| row.flag);
            let changes = changes(&given.path, &given.text, names)
                .map_err(|error| Failure::usage(format!("--{option} {error}")))?;
            changes.iter().try_for_each(|change| tree.apply(change)).map_err(Failure::usage)?;
        }
        S::WITHOUT.iter().for_each(|path| tree.reset(path));
        let (options, profile) = tree.read().map_err(Failure::usage)?;
        let profile = if S::HAS_PROFILE { profile } else { Profile::default() };
        let values = Values { options, profile };
        values.check().map_err(|error| Failure::usage(format!("options: {error}")))?;
        let Values { options, profile } = values;
        Ok(Resolved { options, profile, has_depth })
    }
}

const OPTIONS_EXAMPLE: &str =
    "as in { \"outputs\": { \"depth\": \"-w..w\" } }; transpica::Options has all fields";
const PROFILE_EXAMPLE: &str =
    "as in { \"glsl\": { \"version_line\": false } }; transpica::Profile has all fields";

/// Reads a file of settings: its value, and the fields that it names.
fn read<T>(
    path: &Path,
    parse: impl Fn(&[u8]) -> serde_json::Result<T>,
    example: &str,
) -> Result<(T, Value), Failure> {
    let bytes = files::read(path)?;
    let failure =
        |error: serde_json::Error| Failure::new(format!("{}: {error}", path.display())).hint(example);
    Ok((parse(&bytes).map_err(failure)?, from_slice(&bytes).map_err(failure)?))
}

/// Heading of the arguments that are not a single setting.
const SETTINGS: &str = "Settings";

/// `--set`
fn assignment(text: &str) -> Result<Given, String> {
    let (path, value) = text.split_once('=').ok_or("must look like outputs.depth=-w..w")?;
    Given::new(path, value)
}

/// The argument of a row.
fn argument(row: &'static Row, defaults: &Tree) -> Arg {
    let arg = Arg::new(row.flag)
        .long(row.flag)
        .help_heading(row.heading())
        .hide_short_help(!row.is_common())
        .help(row.help);
    // The path begins the first field, which is quick to see.
    let path = row.path();
    let begins = |other: &&Row| other.fields.first().is_some_and(|field| field.starts_with(path));
    let conflicts =
        ROWS.iter().filter(|other| other.flag != row.flag && begins(other) && other.path() == path);
    let arg = arg.conflicts_with_all(conflicts.map(|other| other.flag));
    match row.form {
        Form::Switch(_) => arg.action(ArgAction::SetTrue),
        Form::Choice(name, words) => {
            let default = defaults.get(row.path()).map(Value::to_string).unwrap_or_default();
            let is_default = |json: &str| default == json;
            let default = words.iter().find(|(_, json, _)| is_default(json)).map(|(word, ..)| *word);
            let default = default.map_or(String::new(), |word| format!(" [default: {word}]"));
            let values = words.iter().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
            arg.help(format!("{}{default}", row.help))
                .allow_hyphen_values(true)
                .value_name(name)
                .value_parser(PossibleValuesParser::new(values).try_map(|word| Given::new(row.path(), &word)))
        }
        Form::Spelled(name, ..) | Form::Named(name, ..) => {
            let help = row.help.split(": ").next().unwrap_or(row.help);
            let arg = arg.help(help).long_help(row.help).value_name(name).action(ArgAction::Append);
            arg.value_parser(|text: &str| Given::new(row.path(), text))
        }
        Form::Optional(name, absent, _) => arg
            .value_name(name)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(absent)
            .value_parser(|text: &str| Given::new(row.path(), text)),
    }
}

/// Returns the rows of a scope, which change some field that has an effect.
fn rows<S: Scope>() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| row.fields.iter().any(|path| takes::<S>(path)))
}

impl<S: Scope> Args for Settings<S> {
    fn augment_args(command: Command) -> Command {
        let defaults = Tree::default();
        let arg = |name: &'static str, value: &'static str, help: &'static str| {
            let arg = Arg::new(name).long(name).value_name(value).help(StyledStr::from(help));
            arg.help_heading(SETTINGS).hide_short_help(true)
        };
        let presets = PossibleValuesParser::new(PRESETS.iter().map(|(name, ..)| *name));
        let mut command = command.args(rows::<S>().map(|row| argument(row, &defaults)));
        if S::HAS_PRESETS {
            let help = "Begin with the settings of a known host instead of the defaults";
            command = command.arg(arg("preset", "HOST", help).value_parser(presets));
        }
        let files = clap::value_parser!(PathBuf);
        let help = "Options as JSON, like { \"outputs\": { \"depth\": \"-w..w\" } }";
        command = command.arg(arg("options", "FILE", help).value_parser(files.clone()));
        if S::HAS_PROFILE {
            let help = "Profile of host and driver as JSON, like { \"glsl\": { \"version_line\": false } }";
            command = command.arg(arg("profile", "FILE", help).value_parser(files));
        }
        command.arg(
            arg(
                "set",
                "PATH=VALUE",
                "Set any field of options or profile by its name in JSON, like \
                outputs.depth=-w..w; may be repeated",
            )
            .action(ArgAction::Append)
            .value_parser(assignment),
        )
    }
    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for Settings<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, ClapError> {
        let mut all: Vec<(usize, Given)> = Vec::new();
        for row in rows::<S>() {
            match row.form {
                Form::Switch(json) => {
                    if matches.get_flag(row.flag) {
                        let at = matches.index_of(row.flag).unwrap_or_default();
                        all.extend(Given::new(row.path(), json).ok().map(|given| (at, given)));
                    }
                }
                Form::Choice(..) | Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => {
                    all.extend(values(matches, row.flag));
                }
            }
        }
        all.extend(values(matches, "set"));
        all.sort_by_key(|(at, _)| *at);
        let given: Vec<Given> = all.into_iter().map(|(_, given)| given).collect();
        // Bits that a flag clears have no effect either way.
        let has_effect = |change: &&Change| !matches!(change.to, To::Bits { set: 0, .. });
        let mut changes = given.iter().flat_map(|given| &given.changes).filter(has_effect);
        if let Some(change) = changes.find(|change| !takes::<S>(&change.path)) {
            let why = match change.path.ends_with(".specialized") {
                true => {
                    "only modules have specialization constants; give a value, such as b0=true or i0=3,0,1,0"
                }
                false => S::WHY,
            };
            let text = format!("{} has no effect here: {why}\n", change.path);
            return Err(ClapError::raw(ErrorKind::ArgumentConflict, text));
        }
        let preset = if S::HAS_PRESETS { matches.get_one::<String>("preset") } else { None };
        let file = |name: &str| matches.get_one::<PathBuf>(name).cloned();
        Ok(Self {
            preset: preset.and_then(|name| Values::preset(name).ok()),
            options: file("options"),
            profile: if S::HAS_PROFILE { file("profile") } else { None },
            given,
            scope: PhantomData,
        })
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), ClapError> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Values of an argument with their places on the command line.
fn values(matches: &ArgMatches, flag: &str) -> Vec<(usize, Given)> {
    let places = matches.indices_of(flag).into_iter().flatten();
    let values = matches.get_many::<Given>(flag).into_iter().flatten();
    places.zip(values.cloned()).collect()
}
