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
    ($($name:literal [$($place:ident)*] $value:literal;)*) => {
        /// The keys, in the order in which messages list them, with the tables that may have them
        /// and their values.
        pub(crate) const KEYS: &[(&str, &[Place], &str)] = &[$(($name, &[$(Place::$place),*], $value)),*];
    };
}
keys! {
    "shader" [File] "a source or container, or a list of sources; by default `NAME.v.pica` and `NAME.g.pica`, `NAME.shbin`, or `NAME.wgsl` or `.vert`";
    "compile" [File] "choices for a source in a shading language, as the options of `transpica compile`: `entry`, `output-as`, `scaled`";
    "entry" [Compile] "the entry point";
    "output-as" [Compile] "semantics by the names or locations of outputs: `{ vTint = \"color\" }`";
    "scaled" [Compile] "attributes of bytes that stand for 0 to 1";
    "lint" [File] "`\"deny\"`: findings of lint fail";
    "name" [Vertex Geometry Equal Picture Row] "its name, required for a case and unique among them";
    "program" [Vertex Geometry Equal] "`\"vertex\"`, `\"geometry\"` or the number of a DVLE";
    "uniforms" [File Vertex Geometry Equal Picture Row] "by name, or by register: `c.4 = [1, 0, 0, 0]`, `i`, `b`";
    "attributes" [File Vertex Row] "by name, or `v0`: one to four components, as in a buffer; the others are those of (0, 0, 0, 1)";
    "expect" [Vertex Row] "outputs by semantics, as `position` and `texcoord0`, or `o0`";
    "rows" [Vertex] "runs with values on top of the case's";
    "invocations" [Geometry] "for a geometry program: a table of v registers, and of delivered uniforms in `c`, for each";
    "triangles" [Geometry] "a list of three vertices with expected outputs for each, or `{ vertices = […], inverted = true }`";
    "calls" [Vertex Geometry] "procedures that must run";
    "instructions" [Vertex Geometry] "maximum number of instructions of a vertex or an invocation";
    "equal" [Equal] "a source or container, or a list of sources, whose program computes the same; bools and ints of the case's `uniforms` are known";
    "budget" [Vertex Geometry] "limit after which a run counts as endless, by default 2^20";
    "picture" [Picture] "the name of a `.png` file, which `--bless` writes";
    "mesh" [Picture] "the name of a mesh to draw, by default `\"lathe\"`";
    "differing" [Picture] "maximum number of pixels that may differ, by default 0";
    "case" [File] "a list of cases: `[[case]]` begins each";
    "near" [Near] "the expected components";
    "ulp" [Near] "maximum distance in representable floats";
    "epsilon" [Near] "maximum absolute difference";
    "vertices" [Triangle] "its three vertices";
    "inverted" [Triangle] "whether its winding is reversed";
    "look_at" [Matrix] "`[eye, target, up]`";
    "ortho" [Matrix] "`[left, right, bottom, top, near, far]`";
    "perspective" [Matrix] "`[degrees upwards, ratio of width to height, near, far]`";
    "product" [Matrix] "a list of matrices";
    "rotate" [Matrix] "`[x, y, z, degrees]` around an axis";
    "scale" [Matrix] "`[x, y, z]`";
    "translate" [Matrix] "`[x, y, z]`";
}

/// Returns the keys of a test file with their values, a line for each.
pub fn manual() -> String {
    let line = |(name, _, value): &(&str, &[Place], &str)| format!("{name}: {value}\n");
    KEYS.iter().map(line).collect()
}

impl Place {
    /// Returns the keys that the table may have.
    pub fn keys(self) -> Vec<&'static str> {
        KEYS.iter().filter(|(_, of, _)| of.contains(&self)).map(|&(name, ..)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
