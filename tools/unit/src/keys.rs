//! Keys of test files: the one table that the parser checks and editors offer.
//! In: the table of a file that a key stands in. Out: the keys that it may have. Knows no value.

/// A table in a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The file.
    File,
    /// Choices for a source in a shading language.
    Compile,
    /// A case of a vertex program.
    Vertex,
    /// A case of a geometry program.
    Geometry,
    /// A case with another program.
    Equal,
    /// A case with a picture.
    Picture,
    /// A row of a case.
    Row,
    /// An expected value with a tolerance.
    Near,
    /// An expected triangle.
    Triangle,
    /// A matrix.
    Matrix,
}

macro_rules! keys {
    ($($group:ident $name:literal [$($place:ident)*] $value:literal;)*) => {
        /// The keys, in the order in which messages list them, with the tables that may have them
        /// and their values.
        pub(crate) const KEYS: &[(&str, &[Place], &str)] = &[$(($name, &[$(Place::$place),*], $value)),*];
        /// The heading of each key in the manual.
        const GROUPS: &[&str] = &[$(stringify!($group)),*];
    };
}
keys! {
    Sources "shader" [File] "a source or container, or a list of sources; by default `NAME.v.pica` and `NAME.g.pica`, `NAME.shbin`, or `NAME.wgsl` or `.vert`";
    Sources "compile" [File] "choices for a source in a shading language, as the options of `transpica compile`: `entry`, `output-as`, `scaled`, `assume`";
    Sources "entry" [Compile] "the entry point";
    Sources "output-as" [Compile] "semantics by the names or locations of outputs: `{ vTint = \"color\" }`";
    Sources "scaled" [Compile] "attributes of bytes that stand for 0 to 1";
    Sources "assume" [Compile] "promises about attributes and uniforms, for the vertices that compare the program with its source: `{ position = \"2^10\", uniforms = \"2^-4..2^10\", tint = \"finite\" }`, the largest absolute value or the least and the largest";
    Sources "lint" [File] "`\"deny\"`: findings of lint fail";
    Cases "name" [Vertex Geometry Equal Picture Row] "its name, required for a case and unique among them";
    Cases "program" [Vertex Geometry Equal] "`\"vertex\"`, `\"geometry\"` or the number of a DVLE";
    Inputs "uniforms" [File Vertex Geometry Equal Picture Row] "by name, or by register: `c.4 = [1, 0, 0, 0]`, `i`, `b`";
    Inputs "attributes" [File Vertex Row] "by name, or `v0`: one to four numbers, others of (0, 0, 0, 1)";
    Expectations "expect" [Vertex Row] "outputs by semantics, as `position` and `texcoord0`, or `o0`";
    Cases "rows" [Vertex] "runs with values on top of the case's";
    Inputs "invocations" [Geometry] "for a geometry program: a table of v registers, and of delivered uniforms in `c`, for each";
    Expectations "triangles" [Geometry] "a list of three vertices with expected outputs for each, or `{ vertices = […], inverted = true }`";
    Expectations "calls" [Vertex Geometry] "procedures that must run";
    Expectations "instructions" [Vertex Geometry] "maximum number of instructions of a vertex or an invocation";
    Comparisons "equal" [Equal] "a source or container, or a list of sources, whose program computes the same; bools and ints of the case's `uniforms` are known; what hosts of two shaders compute must be written alike";
    Inputs "budget" [Vertex Geometry] "limit after which a run counts as endless, by default 2^20";
    Comparisons "picture" [Picture] "the name of a `.png` file, which `--bless` writes";
    Comparisons "mesh" [Picture] "a mesh to draw: `\"quad\"`, `\"cube\"`, `\"sphere\"`, `\"lathe\"` or `\"hills\"`, by default `\"lathe\"`";
    Comparisons "differing" [Picture] "maximum number of pixels that may differ, by default 0";
    Cases "case" [File] "a list of cases: `[[case]]` begins each";
    Expectations "near" [Near] "the expected components";
    Expectations "ulp" [Near] "maximum distance in representable floats";
    Expectations "epsilon" [Near] "maximum absolute difference";
    Expectations "vertices" [Triangle] "its three vertices";
    Expectations "inverted" [Triangle] "whether its winding is reversed";
    Inputs "look_at" [Matrix] "`[eye, target, up]`";
    Inputs "ortho" [Matrix] "`[left, right, bottom, top, near, far]`, with the depth of `perspective`";
    Inputs "perspective" [Matrix] "`[degrees upwards, ratio of width to height, near, far]`: z is from -w at the near plane to 0 at the far one, as on the console, or as a source in a shading language writes it";
    Inputs "product" [Matrix] "a list of matrices";
    Inputs "rotate" [Matrix] "`[x, y, z, degrees]` around an axis";
    Inputs "scale" [Matrix] "`[x, y, z]`";
    Inputs "translate" [Matrix] "`[x, y, z]`";
}

/// The headings of the manual.
const HEADINGS: [&str; 5] = ["Sources", "Cases", "Inputs", "Expectations", "Comparisons"];

/// A test file for `shaders/textured.v.pica`.
const EXAMPLE: &str = r#"[uniforms]
projection = { perspective = [60, 1.6, 0.1, 100] }
modelView = "identity"
texScale = [1, 1, 0, 0]

[[case]]
name = "colors of bytes"
attributes = { incol = [255, 0, 51, 255] }
expect = { color = { near = [1, 0, 0.2, 1], epsilon = 1e-5 } }
rows = [{}, { name = "dark", attributes = { incol = [0, 0, 0, 0] }, expect = { color = [0, 0, 0, 0] } }]

[[case]]
name = "the near plane has a depth of -w"
attributes = { inpos = [0, 0, -0.1, 1] }
expect = { position = { near = [0, 0, -0.1, 0.1], epsilon = 1e-7 }, texcoord0 = [0, "_"] }
"#;

/// Returns the page of a subject: for `test-files` all keys with their values, under headings, and
/// an example; else what the keys of this name take.
pub fn manual(subject: &str) -> Option<String> {
    let lines = |is_own: &dyn Fn(&str, &str) -> bool| -> String {
        let own = KEYS.iter().zip(GROUPS).filter(|((name, ..), group)| is_own(name, group));
        own.map(|((name, of, value), _)| format!("  {name} ({}): {value}\n", tables(of))).collect()
    };
    if subject != "test-files" {
        let own = lines(&|name, _| name == subject);
        return (!own.is_empty()).then(|| format!("A key of test files:\n{own}"));
    }
    let section = |heading: &&str| format!("{heading}:\n{}\n", lines(&|_, group| group == *heading));
    let sections: String = HEADINGS.iter().map(section).collect();
    Some(format!("{sections}Example, as textured.test.toml beside textured.v.pica:\n\n{EXAMPLE}"))
}

/// The tables that may have a key.
fn tables(of: &[Place]) -> String {
    let mut names: Vec<&str> = of.iter().map(|place| place.name()).collect();
    names.dedup();
    names.join(", ")
}

impl Place {
    /// Its name in the manual: every case is one.
    fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Compile => "compile",
            Self::Vertex | Self::Geometry | Self::Equal | Self::Picture => "case",
            Self::Row => "row",
            Self::Near => "value of expect",
            Self::Triangle => "triangle",
            Self::Matrix => "matrix",
        }
    }

    /// Returns the keys that the table may have.
    pub fn keys(self) -> Vec<&'static str> {
        KEYS.iter().filter(|(_, of, _)| of.contains(&self)).map(|&(name, ..)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use transpica_inspect::draw::mesh::BuiltIn;

    use super::*;
    use crate::{Cpu, Problem, TestFile};

    #[test]
    fn the_example_of_manual_and_guide_passes() {
        let files = |name: &str| match std::fs::read(format!("../../shaders/{name}")) {
            Ok(bytes) if name == "textured.v.pica" => Ok((name.to_owned(), bytes)),
            _others => Err(Problem::default()),
        };
        let file = TestFile::with("textured.test.toml", EXAMPLE, &files).expect("a file");
        for case in &file.cases {
            assert_eq!(case.check("", &file.shader, &Cpu).failure, None);
        }
        let guide = include_str!("lib.rs").replace("//! ", "").replace("//!\n", "\n");
        assert!(guide.contains(&format!("```toml\n{EXAMPLE}```")), "{guide}");
        assert!(manual("test-files").is_some_and(|page| page.ends_with(EXAMPLE)));
    }

    #[test]
    fn the_manual_has_every_key_under_its_heading() {
        let text = manual("test-files").expect("a page");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(lines.len(), KEYS.len());
        assert!(KEYS.iter().all(|(name, ..)| manual(name).is_some()) && manual("key").is_none());
        let near = "A key of test files:\n  near (value of expect): the expected components\n";
        assert_eq!(manual("near").as_deref(), Some(near));
        // Meshes by all of their names.
        let mesh = manual("mesh").expect("a page");
        assert!(BuiltIn::ALL.iter().all(|(name, _)| mesh.contains(&format!("`\"{name}\"`"))), "{mesh}");
        let sections: Vec<&str> = text.split("\n\n").collect();
        for (heading, line) in [
            ("Sources:", "  assume (compile): promises"),
            ("Inputs:", "  uniforms (file, case, row): by name"),
            ("Expectations:", "  near (value of expect): "),
            ("Comparisons:", "  mesh (case): "),
        ] {
            let section = sections.iter().find(|section| section.starts_with(heading)).expect("a heading");
            assert!(section.contains(&format!("\n{line}")), "{section}");
        }
    }

    #[test]
    fn the_guide_has_every_key_with_its_value() {
        let guide = include_str!("lib.rs");
        let described = [Place::File, Place::Vertex, Place::Geometry, Place::Equal, Place::Row];
        for (name, of, value) in KEYS {
            let row = guide.lines().find(|line| line.starts_with(&format!("//! | `{name}` |")));
            let has_row = *name != "case" && described.iter().any(|place| of.contains(place));
            assert_eq!(row.is_some(), has_row, "{name}");
            assert!(row.is_none_or(|row| row.ends_with(&format!("| {value} |"))), "{name}: {row:?}");
            assert!(has_row || guide.contains(name), "{name}");
        }
    }
}
