//! `transpica info`: every table of a container. One JSON description is the source of the text,
//! too, so that both agree.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use transpica::dis::Listing;
use transpica::stages::container::{ConstantValue, Dvle, ShaderType, Shbin, SymbolBank};
use transpica::stages::isa::Pc;
use transpica::stages::isa::decode::decode;
use transpica::stages::precision::float24;
use transpica_containers::vbc::Vbc;

use super::{Input, lint, vbc};
use crate::args::{Common, Denied};
use crate::files;
use crate::json::{self, ProgramName, Schema};
use crate::report::Failure;

/// Prints the description; `lint` holds the denied rules if findings are requested.
pub fn run(
    file: &Path,
    lint: Option<&[Denied]>,
    json: bool,
    output: Option<&Path>,
    common: &Common,
) -> Result<(), Failure> {
    let input = Input::read(file)?;
    if Vbc::is_start(&input.bytes) {
        let text = text(&input, vbc::describe(&input)?, json.then_some(Schema::Vbc));
        return files::write(output, text.as_bytes());
    }
    let start = Instant::now();
    let container = input.parse()?;
    common.detail(format_args!(
        "{}: {} bytes, read in {:?}",
        file.display(),
        input.bytes.len(),
        start.elapsed()
    ));
    let mut value = describe(&container);
    let mut rules = Vec::new();
    if lint.is_some() {
        for index in 0..container.executables.len() {
            let (found, _) = lint::findings(&container, index).map_err(|error| Failure::at(file, &error))?;
            value["executables"][index]["lint"] = found.iter().map(lint::describe).collect();
            rules.extend(found.iter().map(|finding| finding.rule));
        }
    }
    files::write(output, text(&input, value, json.then_some(Schema::Info)).as_bytes())?;
    lint::check(&rules, lint.unwrap_or_default())
}

/// Returns a description as JSON of a schema, or as tables.
fn text(input: &Input, value: Value, schema: Option<Schema>) -> String {
    if let Some(schema) = schema {
        return schema.text(value);
    }
    let mut text = format!("{}: {} bytes\n", input.path.display(), input.bytes.len());
    section(&mut text, &value, 0);
    text
}

fn describe(file: &Shbin<'_>) -> Value {
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
            let bits = transpica::stages::isa::opdesc::Descriptor::unpack(descriptor.bits);
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
    let mut fields = Map::new();
    fields.insert("dvle".into(), json!(number));
    fields.insert("stage".into(), json!(stage));
    if stage.is_none() {
        fields.insert("unknown_stage".into(), json!(header.kind));
    }
    fields.insert("entry".into(), json!(entry));
    fields.insert("offset".into(), json!(format!("{:#x}", dvle.start)));
    fields.insert("version".into(), json!(format!("{}.{}", header.version.major, header.version.minor)));
    fields.insert("flags".into(), json!(flags(dvle)));
    fields.insert("main".into(), json!(format!("{:#x}", header.main)));
    fields.insert("endmain".into(), json!(format!("{:#x}", header.endmain)));
    fields.insert("input_mask".into(), json!(format!("{:#06x}", header.input_mask)));
    fields.insert("output_mask".into(), json!(format!("{:#06x}", header.output_mask)));
    if header.shader_type() == Some(ShaderType::Geometry) {
        let mode =
            header.geometry_mode().map_or("unknown".to_string(), |mode| format!("{mode:?}").to_lowercase());
        fields.insert("geometry_mode".into(), json!(mode));
        fields.insert("geometry_start".into(), json!(header.geometry_start));
        fields.insert("geometry_main_vertices".into(), json!(header.geometry_main_vertices));
        fields.insert("geometry_fixed_vertices".into(), json!(header.geometry_fixed_vertices));
    }
    fields.insert("symbols".into(), symbols(dvle));
    fields.insert("outputs".into(), outputs(dvle));
    fields.insert("constants".into(), constants(dvle));
    let label = |label: transpica::stages::container::Label| {
        json!({
            "name": dvle.name(label.name).to_text(), "id": format!("{:#x}", label.id),
            "address": format!("{:#x}", label.address), "length": label.length,
        })
    };
    fields.insert("labels".into(), dvle.labels.iter().map(label).collect());
    Value::Object(fields)
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
    let registers = |symbol: transpica::stages::container::Symbol| match symbol.range() {
        Some(range) => {
            let letter = match range.bank {
                SymbolBank::Input => 'v',
                SymbolBank::Float => 'c',
                SymbolBank::Int => 'i',
                SymbolBank::Bool => 'b',
            };
            match range.count {
                1 => format!("{letter}{}", range.first),
                count => format!("{letter}{}..{letter}{}", range.first, range.first + count - 1),
            }
        }
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
            let mask = transpica::stages::isa::Mask((output.mask & 15) as u8);
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

/// Members without a line or a column in the text: it has the number of an executable as a title,
/// and values without their bits.
const NOT_IN_TEXT: [&str; 2] = ["dvle", "bits"];

/// Prints an object as `key: value` lines, and tables of flat rows in columns. The nesting is that
/// of [`describe`].
fn section(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let Some(map) = value.as_object() else { return };
    for (key, value) in map.iter().filter(|(key, _)| !NOT_IN_TEXT.contains(&key.as_str())) {
        match value {
            Value::Object(_) => {
                let _ = writeln!(text, "{indent}{key}");
                section(text, value, depth + 1);
            }
            Value::Array(rows) if rows.is_empty() => {
                let _ = writeln!(text, "{indent}{key}: none");
            }
            Value::Array(rows) if key == "executables" => {
                for (index, row) in rows.iter().enumerate() {
                    let _ = writeln!(text, "{indent}dvle {index}");
                    section(text, row, depth + 1);
                }
            }
            Value::Array(rows) => {
                let _ = writeln!(text, "{indent}{key}");
                table(text, rows, depth + 1);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let _ = writeln!(text, "{indent}{key}: {}", plain(value));
            }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

fn table(text: &mut String, rows: &[Value], depth: usize) {
    let cells = |row: &Value| match row.as_object() {
        Some(map) => {
            let shown = map.iter().filter(|(key, _)| !NOT_IN_TEXT.contains(&key.as_str()));
            shown.map(|(_, value)| plain(value)).collect::<Vec<_>>()
        }
        None => vec![plain(row)],
    };
    let all: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let columns = all.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in &all {
        let mut line = "  ".repeat(depth);
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
