//! JSON documents of commands: the members that each begins with, and one spelling of numbers and
//! of programs.
//! In: a [`Schema`] and members. Out: text. Knows no command.
//! Words and f32 bits are strings of eight hexadecimal digits, `"0x3f800000"`; where people read
//! values, decimal numbers stand beside them. A program is `dvle`, `stage`, `entry`; a register is
//! `"c5"`, `"v0"` or `"o2"`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use transpica::stages::container::{Dvle, ShaderType};

/// Version of this tool, as documents name it.
pub const TOOL: &str = env!("CARGO_PKG_VERSION");

/// Schema of a document. Each is described by a file in `tools/cli/schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Errors and findings of `asm`.
    Asm,
    /// Comparisons of `compare`.
    Compare,
    /// The report of `doctor`.
    Doctor,
    /// Tables of `info`.
    Info,
    /// The manifest that `translate --out-dir` writes.
    Manifest,
    /// Outputs of `run`.
    Run,
    /// Registers that `scan --extract` writes beside code words.
    Registers,
    /// Results of `scan`.
    Scan,
    /// Instructions of a program for each line of its module.
    SourceMap,
    /// Results of `survey`.
    Survey,
    /// The summary of `translate --out-dir`.
    Translate,
    /// Tables of a VBC file.
    Vbc,
}

impl Schema {
    /// Returns its name and version.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asm => "transpica.asm/1",
            Self::Compare => "transpica.compare/1",
            Self::Doctor => "transpica.doctor/1",
            Self::Info => "transpica.info/1",
            Self::Manifest => "transpica.manifest/1",
            Self::Run => "transpica.run/1",
            Self::Registers => "transpica.registers/1",
            Self::Scan => "transpica.scan/1",
            Self::SourceMap => "transpica.source-map/1",
            Self::Survey => "transpica.survey/1",
            Self::Translate => "transpica.translate/1",
            Self::Vbc => "transpica.vbc/1",
        }
    }

    /// Returns a document with `schema` and `tool` in front of these members.
    pub fn document(self, members: Value) -> Map<String, Value> {
        let mut document = Map::new();
        document.insert("schema".into(), self.name().into());
        document.insert("tool".into(), TOOL.into());
        if let Value::Object(members) = members {
            document.extend(members);
        }
        document
    }

    /// Returns the text of a document with these members.
    pub fn text(self, members: Value) -> String {
        serde_json::to_string_pretty(&self.document(members)).unwrap_or_default() + "\n"
    }
}

/// Returns a word, or the bits of an f32.
pub fn word(bits: u32) -> Value {
    json!(format!("{bits:#010x}"))
}

/// Returns an f32 as a decimal number, or the text that state files have for other values.
pub fn decimal(value: f32) -> Value {
    if value.is_nan() {
        return json!("nan");
    }
    if value.is_infinite() {
        return json!(if value > 0.0 { "inf" } else { "-inf" });
    }
    // Shortest digits that give this f32: a conversion to f64 has more.
    json!(format!("{value:?}").parse::<f64>().unwrap_or_default())
}

/// An executable of a file, as documents name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramName {
    /// Number in the file.
    pub dvle: usize,
    /// `vertex` or `geometry`; none if the type is unknown.
    pub stage: Option<String>,
    /// Label of the entry point, or its code word without one.
    pub entry: String,
}

impl ProgramName {
    /// Returns the name of an executable.
    pub fn new(dvle: usize, executable: &Dvle<'_>) -> Self {
        let stage = executable.header.shader_type().map(|shader_type| match shader_type {
            ShaderType::Vertex => "vertex".into(),
            ShaderType::Geometry => "geometry".into(),
        });
        let word = || format!("code word {:#x}", executable.header.main);
        let entry = executable.entry_label().map_or_else(word, |label| label.to_text().into());
        Self { dvle, stage, entry }
    }
}

/// Returns the row of a table about programs: its file, the program unless the row concerns the
/// file, and these members.
pub fn row(file: &str, program: Option<&ProgramName>, members: Value) -> Value {
    let mut row = Map::new();
    row.insert("file".into(), file.into());
    row.insert("dvle".into(), program.map(|program| program.dvle).into());
    row.insert("stage".into(), program.and_then(|program| program.stage.as_deref()).into());
    row.insert("entry".into(), program.map(|program| program.entry.as_str()).into());
    if let Value::Object(members) = members {
        row.extend(members);
    }
    Value::Object(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_has_a_file_with_its_name() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
        let all = [
            Schema::Asm,
            Schema::Compare,
            Schema::Doctor,
            Schema::Info,
            Schema::Manifest,
            Schema::Run,
            Schema::Registers,
            Schema::Scan,
            Schema::SourceMap,
            Schema::Survey,
            Schema::Translate,
            Schema::Vbc,
        ];
        for schema in all {
            let (name, _) =
                schema.name().strip_prefix("transpica.").and_then(|name| name.split_once('/')).expect("both");
            let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a file");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(value["properties"]["schema"]["const"], schema.name());
        }
    }

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(word(0x3F80_0000), "0x3f800000");
        assert_eq!(decimal(0.1).to_string(), "0.1");
        assert_eq!(decimal(-0.0).to_string(), "-0.0");
        assert_eq!(decimal(f32::MIN_POSITIVE).to_string(), "1.1754944e-38");
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(decimal), ["nan", "inf", "-inf"]);
    }

    #[test]
    fn a_document_begins_with_its_schema() {
        let text = Schema::Run.text(json!({ "stage": "vertex" }));
        let start = format!("{{\n  \"schema\": \"transpica.run/1\",\n  \"tool\": \"{TOOL}\",\n  \"stage\"");
        assert!(text.starts_with(&start), "{text}");
    }
}
