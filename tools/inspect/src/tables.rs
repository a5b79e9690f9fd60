//! Tables, and every table of a container.
//! In: a parsed file; rows of cells. Out: a JSON value, the source of texts and documents; tables
//! as data and as text.

use std::fmt;

use crate::precision::float24;
use serde::Serialize;
use serde_json::{Value, json};
use transpica::Shbin;
use transpica::container::{ConstantValue, Dvle, ShaderType, SymbolRange};
use transpica::isa::Pc;
use transpica::isa::decode::decode;
use transpica_asm::dis::Listing;

use crate::json::{self, ProgramName};

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The title.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// A text for each column.
    pub cells: Vec<String>,
    /// Addresses of the instructions that it concerns.
    pub pcs: Vec<u16>,
}

impl Table {
    /// Builds a table of rows that concern no instruction.
    pub fn new(title: &str, columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self {
            title: title.into(),
            columns: columns.iter().map(ToString::to_string).collect(),
            rows: rows.into_iter().map(|cells| Row { cells, pcs: Vec::new() }).collect(),
        }
    }

    /// Returns the members of an object that are not lists.
    fn of_members(title: &str, object: &Value) -> Self {
        let members = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_array());
        Self::new(title, &["name", "value"], members.map(|(name, value)| vec![name.clone(), cell(value, "")]))
    }

    /// Returns a list of objects, or `None` for an empty one.
    fn of_list(title: &str, list: &Value) -> Option<Self> {
        let list = list.as_array().filter(|list| !list.is_empty())?;
        let mut columns: Vec<&str> = Vec::new();
        for (name, _) in list.iter().filter_map(Value::as_object).flatten() {
            if !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
        let row = |value: &Value| columns.iter().map(|name| cell(&value[*name], "")).collect();
        let mut table = Self::new(title, &columns, list.iter().map(row));
        for (row, value) in table.rows.iter_mut().zip(list) {
            let hex = value["pc"].as_str().or(value["address"].as_str());
            row.pcs.extend(hex.and_then(|text| u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()));
        }
        Some(table)
    }

    /// Returns the tables of a file.
    pub fn of_file(file: &Shbin<'_>) -> Vec<Self> {
        let all = describe(file);
        let mut tables = vec![Self::of_members("package", &all["package"])];
        for (number, executable) in all["executables"].as_array().into_iter().flatten().enumerate() {
            tables.push(Self::of_members(&format!("program {number}"), executable));
            for name in ["symbols", "outputs", "constants", "labels"] {
                tables.extend(Self::of_list(&format!("program {number}: {name}"), &executable[name]));
            }
        }
        tables.extend(["descriptors", "code"].iter().filter_map(|name| Self::of_list(name, &all[*name])));
        tables
    }
}

impl fmt::Display for Table {
    /// The title, and below it the heads and the rows, indented.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.iter().map(|row| &row.cells);
        let rows: Vec<_> = std::iter::once(&self.columns).chain(rows).map(Vec::as_slice).collect();
        write!(f, "{}\n{}", self.title, aligned(&rows, "  ", |cell| cell.chars().count()))
    }
}

/// Returns rows as lines, in columns that are as wide as needed. `width` is that of a text.
pub fn aligned(rows: &[&[String]], indent: &str, width: impl Fn(&str) -> usize) -> String {
    let count = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let widths: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_owned();
        for (cell, widest) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(2 + widest - width(cell)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns the text of a JSON value; `null` is that of nothing.
pub fn cell(value: &Value, null: &str) -> String {
    match value {
        Value::Null => null.into(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(|value| cell(value, null)).collect::<Vec<_>>().join(" "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Formats `count` registers of a bank: `c8`, `c0..c3`.
pub(crate) fn run(bank: impl fmt::Display, first: u8, count: u8) -> String {
    match count {
        1 => format!("{bank}{first}"),
        _ => format!("{bank}{first}..{bank}{}", first.saturating_add(count.saturating_sub(1))),
    }
}

/// Describes a file: package, executables, operand descriptors, code, warnings.
pub fn describe(file: &Shbin<'_>) -> Value {
    let package = &file.package;
    let descriptors: Vec<u32> = package.descriptors.iter().map(|descriptor| descriptor.bits).collect();
    // Code beyond what instructions can address has no listing.
    let listing = Listing::new(file, None).ok();
    let code: Vec<Value> = package
        .code
        .iter()
        .enumerate()
        .map(|(pc, word)| {
            let at = u16::try_from(pc).ok().map(Pc);
            let line = listing.as_ref().zip(at).and_then(|(listing, at)| listing.line(at));
            let text = line.unwrap_or_else(|| decode(word, &descriptors).to_string());
            let mut row = json!({ "pc": format!("{pc:#x}"), "word": json::word(word), "text": text });
            if let Some((name, line)) = package.source_line(pc) {
                row["line"] = json!(format!("{}:{line}", name.to_text()));
            }
            row
        })
        .collect();
    let table: Vec<Value> = package
        .descriptors
        .iter()
        .enumerate()
        .map(|(index, descriptor)| {
            let bits = transpica::isa::opdesc::Descriptor::unpack(descriptor.bits);
            let sources = bits
                .sources
                .map(|source| format!("{}{}", if source.negate { "-" } else { "+" }, source.swizzle));
            json!({
                "index": index, "word": json::word(descriptor.bits), "mask": bits.mask.to_string(),
                "sources": sources.join(" "), "usage": format!("{:04x}", descriptor.usage),
            })
        })
        .collect();
    let warnings: Vec<Value> = file.warnings().iter().map(|warning| json!(warning.to_string())).collect();
    json!({
        "package": {
            "version": format!("{}.{}", package.version.major, package.version.minor),
            "short_header": package.short_header,
            "code_words": package.code.len(),
            "descriptor_count": package.descriptors.len(),
            "line_count": package.lines.len(),
        },
        "executables": file.executables.iter().enumerate().map(executable).collect::<Vec<_>>(),
        "descriptors": table,
        "code": code,
        "warnings": warnings,
    })
}

fn executable((index, dvle): (usize, &Dvle<'_>)) -> Value {
    let header = &dvle.header;
    let ProgramName { dvle: number, stage, entry } = ProgramName::new(index, dvle);
    let mut fields = json!({ "dvle": number, "stage": stage });
    if stage.is_none() {
        fields["unknown_stage"] = json!(header.kind);
    }
    fields["entry"] = json!(entry);
    fields["offset"] = json!(format!("{:#x}", dvle.start));
    fields["version"] = json!(format!("{}.{}", header.version.major, header.version.minor));
    fields["flags"] = json!(flags(dvle));
    fields["main"] = json!(format!("{:#x}", header.main));
    fields["endmain"] = json!(format!("{:#x}", header.endmain));
    fields["input_mask"] = json!(format!("{:#06x}", header.input_mask));
    fields["output_mask"] = json!(format!("{:#06x}", header.output_mask));
    if header.shader_type() == Some(ShaderType::Geometry) {
        let mode = header.geometry_mode().map(|mode| format!("{mode:?}").to_lowercase());
        fields["geometry_mode"] = json!(mode.as_deref().unwrap_or("unknown"));
        fields["geometry_start"] = json!(header.geometry_start);
        fields["geometry_main_vertices"] = json!(header.geometry_main_vertices);
        fields["geometry_fixed_vertices"] = json!(header.geometry_fixed_vertices);
    }
    fields["symbols"] = symbols(dvle);
    fields["outputs"] = outputs(dvle);
    fields["constants"] = constants(dvle);
    let label = |label: transpica::container::Label| {
        json!({
            "name": dvle.name(label.name).to_text(), "id": format!("{:#x}", label.id),
            "address": format!("{:#x}", label.address), "length": label.length,
        })
    };
    fields["labels"] = dvle.labels.iter().map(label).collect();
    fields
}

fn flags(dvle: &Dvle<'_>) -> String {
    let mut names = Vec::new();
    if dvle.header.merges_output_maps() {
        names.push("merge");
    }
    if dvle.header.is_debug() {
        names.push("debug");
    }
    format!("{:#04x} {}", dvle.header.flags, names.join(" ")).trim_end().to_string()
}

fn symbols(dvle: &Dvle<'_>) -> Value {
    let registers = |symbol: transpica::container::Symbol| match symbol.range() {
        Some(SymbolRange { bank, first, count }) => run(bank, first, count),
        None => format!("no registers ({:#x}..{:#x})", symbol.first, symbol.last),
    };
    dvle.symbols
        .iter()
        .map(|symbol| json!({ "name": dvle.name(symbol.name).to_text(), "registers": registers(symbol) }))
        .collect()
}

fn outputs(dvle: &Dvle<'_>) -> Value {
    dvle.outputs
        .iter()
        .map(|output| {
            let semantic =
                output.semantic().map_or(format!("unknown ({})", output.kind), |s| s.info().name.into());
            let mask = transpica::isa::Mask((output.mask & 15) as u8);
            let register = format!("o{}", output.register);
            json!({ "register": register, "mask": mask.to_string(), "semantic": semantic })
        })
        .collect()
}

fn constants(dvle: &Dvle<'_>) -> Value {
    dvle.constants
        .iter()
        .map(|constant| match constant.value() {
            Some(ConstantValue::Bool { register, value }) => {
                json!({ "register": format!("b{register}"), "value": value })
            }
            Some(ConstantValue::Int { register, value }) => {
                json!({ "register": format!("i{register}"), "value": value })
            }
            Some(ConstantValue::Float { register, value }) => {
                let bits = value.map(float24::to_f32_bits);
                let value = bits.map(|bits| json::decimal(f32::from_bits(bits)));
                json!({ "register": format!("c{register}"), "value": value, "bits": bits.map(json::word) })
            }
            None => {
                let unknown = format!("type {}, register {}", constant.kind, constant.register);
                json!({ "register": null, "unknown": unknown })
            }
        })
        .collect()
}
