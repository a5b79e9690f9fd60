//! Names: identifiers that C and Rust accept, each once.
//! In: names of files, which may contain any byte. Out: identifiers in lower case.

use transpica::Stage;
use transpica_asm::names::snake_case;

/// Names of what bindings contain besides uniforms and attributes.
pub(crate) const RESERVED: &str =
    "attributes buffer vertex places program permutation stride shbin shbin_size file load";

/// Returns the name of a stage.
pub(crate) fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::Geometry => "geometry",
    }
}

#[cfg(test)]
#[test]
fn names_are_taken_once() {
    let mut names = Names::new("");
    assert_eq!(["_1", "1", "-"].map(|name| names.add("in_", name, &[])), ["in_1", "in_1_2", "in_unnamed"]);
    for (name, expected) in
        [("inpos", ""), ("in_pos", ""), ("inPos", ""), ("int", "in_"), ("IN", "in_"), ("pos", "in_")]
    {
        assert_eq!(prefix(name), expected, "{name}");
    }
}

/// Returns what the name of an attribute begins with besides itself: `in_`, which keeps it apart
/// from uniforms and keywords, unless it begins with `in` already.
pub(crate) fn prefix(name: &str) -> &'static str {
    match &*snake_case(name) {
        "in" | "int" | "inline" => "in_",
        name if name.starts_with("in") => "",
        _other => "in_",
    }
}

/// Identifiers that are taken.
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Begins with names that are taken, separated by blanks.
    pub(crate) fn new(taken: &str) -> Self {
        Self(taken.split(' ').map(str::to_owned).collect())
    }

    /// Adds a name, and what is named after it with these endings; if one of them is taken, a name
    /// with a number.
    pub(crate) fn add(&mut self, before: &str, name: &str, endings: &[&str]) -> String {
        let name = snake_case(name);
        let name =
            format!("{before}{}", if before.is_empty() { &name } else { name.trim_start_matches('_') });
        let all = |name: &str| {
            let named = endings.iter().map(|ending| format!("{name}{ending}"));
            std::iter::once(name.to_owned()).chain(named).collect::<Vec<_>>()
        };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        let free = free.find(|name| !all(name).iter().any(|name| self.0.contains(name))).unwrap_or(name);
        self.0.extend(all(&free));
        free
    }
}
