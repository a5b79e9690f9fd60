//! Options and profile as documentation and JSON show them: defaults, keys.

use super::*;
use crate::limits::Limits;

/// The parts of a text between commas that no bracket encloses.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let separators = |c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    };
    text.split(separators).map(str::trim).collect()
}

#[test]
fn documented_defaults_are_those_of_the_code() {
    let sources = [
        include_str!("options.rs"),
        include_str!("vertex_input.rs"),
        include_str!("profile.rs"),
        include_str!("../../limits.rs"),
    ];
    let source = sources.concat();
    for value in [
        format!("{:?}", Options::default()),
        format!("{:?}", Arithmetic::default()),
        format!("{:?}", Control::default()),
        format!("{:?}", BoolUniforms::default()),
        format!("{:?}", IntUniforms::default()),
        format!("{:?}", Outputs::default()),
        format!("{:?}", DepthSnap::default()),
        format!("{:?}", Assume::default()),
        format!("{:?}", Block::default()),
        format!("{:?}", VertexInput::default()),
        format!("{:?}", AttributeFormat::default()),
        format!("{:?}", Limits::default()),
        format!("{:?}", Profile::default()),
        format!("{:?}", Binding::default()),
        format!("{:?}", Bindings::default()),
    ] {
        let (name, fields) = value.trim_end_matches(" }").split_once(" { ").expect("a struct");
        // `Bindings` ends in a struct of its own.
        let fields = if name == "Bindings" { format!("{fields} }}") } else { fields.to_string() };
        let (_, body) = source.split_once(&format!("pub struct {name} {{\n")).expect("its declaration");
        for field in parts(&fields) {
            let (field, default) = field.split_once(": ").expect("a field");
            let (before, _) = body.split_once(&format!("pub {field}:")).expect("its declaration");
            let comment: Vec<&str> =
                before.trim_end().lines().rev().map_while(|line| line.trim().strip_prefix("///")).collect();
            let comment: String = comment.into_iter().rev().collect();
            let (_, stated) = comment.split_once("Default: ").unwrap_or_else(|| panic!("{name}::{field}"));
            // Defaults of structs may be described in words.
            let is_described = default.contains(['{', '[']) && !stated.starts_with('`');
            assert!(
                is_described || stated.starts_with(&format!("`{default}`")),
                "{name}::{field} is {default}: {stated}"
            );
        }
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;
    use serde_json::{Value, from_str, from_value, json, to_value};

    /// Pointers to all objects in a value.
    fn objects(value: &Value) -> Vec<String> {
        let mut work = vec![(String::new(), value)];
        let mut objects = Vec::new();
        while let Some((pointer, value)) = work.pop() {
            if let Some(map) = value.as_object() {
                work.extend(map.iter().map(|(key, value)| (format!("{pointer}/{key}"), value)));
                objects.push(pointer);
            } else if let Some(list) = value.as_array() {
                work.extend((0..).zip(list).map(|(n, value)| (format!("{pointer}/{n}"), value)));
            }
        }
        objects
    }

    fn custom() -> Options {
        let layout = Layout::Custom(RegisterLayout::AZAHAR);
        Options { block: Block { layout, ..Block::default() }, ..Options::default() }
    }

    #[test]
    fn a_key_too_many_is_refused_in_every_object() {
        let (options, profile) = (to_value(custom()).unwrap(), to_value(Profile::default()).unwrap());
        let (mut places, mut refused) = (Vec::new(), Vec::new());
        for (whole, is_profile) in [(options, false), (profile, true)] {
            for pointer in objects(&whole) {
                let mut changed = whole.clone();
                changed
                    .pointer_mut(&pointer)
                    .and_then(Value::as_object_mut)
                    .unwrap()
                    .insert("x".into(), json!(0));
                let error = if is_profile {
                    from_value::<Profile>(changed).map(drop)
                } else {
                    from_value::<Options>(changed).map(drop)
                };
                refused.extend(error.is_err().then(|| pointer.clone()));
                places.push(pointer);
            }
        }
        assert_eq!(refused, places);
        assert_eq!(places.len(), 66, "{places:?}");
    }

    #[test]
    fn a_misspelled_key_is_refused_with_its_place_and_the_known_keys() {
        let error =
            from_str::<Options>("{\n  \"outputs\": { \"dept\": \"Raw\" }\n}").unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown field `dept`, expected one of `all`, `depth`, `snap_depth`, `flip_y`, `clip_planes`, `clamp_colors`, \
             `unmapped`, `reverse_ends` at line 2 column 21"
        );
    }

    #[test]
    fn absent_keys_have_their_defaults() {
        for text in [
            "{}",
            r#"{"control":{"bools":{},"ints":{}},"block":{},"outputs":{},"arithmetic":{},"limits":{}}"#,
        ] {
            assert_eq!(from_str::<Options>(text).unwrap(), Options::default(), "{text}");
        }
        let profile = r#"{"bindings":{"host":{"binding":1}}}"#;
        assert_eq!(from_str::<Profile>(profile).unwrap(), Profile::default());
        let options: Options = from_str(r#"{"control":{"bools":{"specialized":4}}}"#).unwrap();
        assert_eq!(options.control.bools, BoolUniforms { specialized: 4, ..BoolUniforms::default() });
    }

    #[test]
    fn a_custom_layout_is_an_object_of_offsets() {
        let text = r#"{"block":{"layout":{"Custom":{"floats":80,"ints":16,"packing":"Words","bools":0}}}}"#;
        assert_eq!(from_str::<Options>(text).unwrap(), custom());
        assert_eq!(from_str::<Options>(&serde_json::to_string(&custom()).unwrap()).unwrap(), custom());
    }

    #[test]
    fn the_documented_json_is_read() {
        let source = include_str!("options.rs");
        let examples = source.split("/// ```json\n").skip(1);
        let examples: Vec<String> = examples
            .map(|example| example.split_once("/// ```").expect("its end").0.replace("///", ""))
            .collect();
        let [layout, options] = &examples[..] else { panic!("{examples:?}") };
        assert_eq!(from_str::<Layout>(layout).unwrap(), custom().block.layout);
        let options: Options = from_str(options).unwrap();
        assert_eq!(options.control.loop_guard, Some(1 << 16));
        assert_eq!(options.outputs.depth, DepthRange::MinusWToW);
    }
}
