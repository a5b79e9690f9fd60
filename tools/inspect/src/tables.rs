//! Every table of a container.
//! In: a parsed file. Out: a JSON value, the source of texts and documents.

use serde_json::{Map, Value, json};
use transpica::stages::container::{ConstantValue, Dvle, ShaderType, Shbin, SymbolBank};
use transpica::stages::isa::Pc;
use transpica::stages::isa::decode::decode;
use transpica::stages::precision::float24;
use transpica_asm::dis::Listing;

use crate::json::{self, ProgramName};

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
