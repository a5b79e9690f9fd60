//! The table against the fields of the library; texts against values.

use std::collections::BTreeSet;

use serde_json::to_value;
use transpica::host::RegisterLayout;
use transpica::settings::{AttributeNames, Block, Layout, Varying};

use super::*;
use crate::tree::is_below;

/// Paths of all values that are not objects; an element of a list is `*`.
fn leaves(value: &Value) -> BTreeSet<String> {
    let (mut work, mut leaves) = (vec![(String::new(), value)], BTreeSet::new());
    while let Some((path, value)) = work.pop() {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match value {
            Value::Object(map) => work.extend(map.iter().map(|(name, value)| (below(name), value))),
            // Registers of a bank are alike; numbers are parts of one value.
            Value::Array(list)
                if list.first().is_some_and(|first| !first.is_number() && !first.is_null()) =>
            {
                work.extend(list.first().map(|first| (below("*"), first)));
            }
            Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                leaves.insert(path);
            }
        }
    }
    leaves
}

/// All fields of the library, with those of variants that are not the default.
fn fields_of_the_library() -> BTreeSet<String> {
    let layout = Layout::Custom(RegisterLayout::AZAHAR);
    let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
    let mut profile = Profile { varyings: vec![Varying::default()].into(), ..Profile::default() };
    let mut values = vec![Options::default(), options].into_iter().map(to_value).collect::<Vec<_>>();
    values.push(to_value(&profile));
    profile.glsl.attributes = AttributeNames::Numbered("v".into());
    values.push(to_value(&profile));
    values.iter().flat_map(|value| leaves(value.as_ref().expect("JSON"))).collect()
}

#[test]
fn every_field_of_options_and_profile_has_a_row() {
    let in_table: BTreeSet<String> =
        ROWS.iter().flat_map(|row| row.fields).map(|path| (*path).to_owned()).collect();
    assert_eq!(in_table, fields_of_the_library());
    let names = |value: Value| value.as_object().expect("a struct").keys().cloned().collect::<BTreeSet<_>>();
    let options = names(to_value(Options::default()).expect("JSON"));
    let profile = names(to_value(Profile::default()).expect("JSON"));
    assert!(options.is_disjoint(&profile), "paths must say which of the two is meant");
}

/// Returns the settings with one change.
fn with(path: &str, text: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set(path, text).unwrap_or_else(|error| panic!("{path} = {text}: {error}"));
    settings
}

#[test]
fn every_value_of_a_row_changes_its_fields_and_is_read_back() {
    for row in ROWS {
        let mut untouched: BTreeSet<&str> = row.fields.iter().copied().collect();
        for text in row.values() {
            let settings = with(row.path(), text);
            let mut again = Settings::default();
            let elsewhere = row.fields.iter().filter(|field| !is_below(field, row.path()));
            let elsewhere = elsewhere.map(|field| field.trim_end_matches(".*"));
            for path in elsewhere.chain([row.path()]) {
                again.set(path, &settings.get(path).expect("a field")).expect("its own value");
            }
            assert_eq!(again, settings, "{text}");
            settings.check().unwrap_or_else(|error| panic!("{} = {text}: {error}", row.path()));
            untouched.retain(|field| {
                let get = |settings: &Settings, n: u8| settings.get(&field.replace('*', &n.to_string()));
                (0..16).all(|n| get(&settings, n) == get(&Settings::default(), n))
            });
        }
        assert!(untouched.is_empty(), "no value of --{} changes {untouched:?}", row.flag);
    }
}

#[test]
fn every_word_of_the_table_is_a_value_of_its_field() {
    for row in ROWS {
        let (path, defaults) = (row.path(), Settings::default());
        match row.form {
            Form::Switch(json) => assert_ne!(with(path, json), defaults, "--{} changes nothing", row.flag),
            Form::Choice(_, choices) => {
                let changed = choices.iter().filter(|(word, ..)| with(path, word) != defaults).count();
                assert_eq!(changed + 1, choices.len(), "--{} has one default", row.flag);
                for (word, json, _) in choices {
                    assert_eq!(with(path, word).get(path).as_deref(), Ok(*word));
                    assert_eq!(with(path, word), with(path, json.trim_matches('"')), "{word}");
                    // JSON takes the words, too.
                    let mut tree = Tree::default();
                    tree.apply(&Change::new(path, *word)).expect("a field");
                    let (options, profile) = tree.read().unwrap_or_else(|error| panic!("{word}: {error}"));
                    assert_eq!(Settings { options, profile }, with(path, json), "{word}");
                }
            }
            Form::Spelled(..) | Form::Named(..) | Form::Optional(..) => {}
        }
    }
}

#[test]
fn a_wrong_path_or_value_changes_nothing_and_is_explained() {
    for (path, text, said) in [
        ("output.depth", "raw", "did you mean `outputs`?"),
        ("outputs.dept", "raw", "did you mean `depth`?"),
        ("outputs.depth", "rav", "did you mean `raw`?"),
        ("outputs.depth.x", "raw", "there is nothing below"),
        ("", "raw", "the fields are"),
        ("control.bools", "first=true", "`first` needs a program to look it up in"),
        ("limits.depth", "-1", "limits.depth: invalid value"),
        ("varyings.7.components.0", "Zero", "the list is empty"),
        ("varyings.8.name", "a", "`8` must be 0 to 7"),
        ("varyings", "azahr", "did you mean `azahar`?"),
        ("block.layout", "register", "did you mean `registers`?"),
        ("glsl.uniforms", "{\"block\": 1}", "invalid type"),
        ("varyings", &"[".repeat(10_000), "recursion limit"),
    ] {
        let mut settings = Settings::default();
        let error = settings.set(path, text).expect_err(path);
        assert!(error.contains(said), "{path}: {error}");
        assert_eq!(settings, Settings::default());
    }
    assert!(Settings::preset("azahar-vulcan").is_err_and(|error| error.contains("`azahar-vulkan`?")));
    assert!(
        PRESETS.iter().all(|(name, ..)| Settings::preset(name).is_ok_and(|preset| preset.check().is_ok()))
    );
}

#[test]
fn none_is_the_absence_of_a_value() {
    for (path, text) in [("control.loop_guard", "7"), ("control.ints.baked.2", "[1,2,3,4]")] {
        let mut settings = with(path, text);
        assert_ne!(settings, Settings::default());
        settings.set(path, "none").expect("no value");
        assert_eq!(settings, Settings::default());
    }
}
