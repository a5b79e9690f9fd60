//! The source map of a translation: instructions of the program for each line of its module.
//! In: a translation and a target. Out: a JSON document. Knows no file.

use crate::backend::text::Language;
use serde_json::{Value, json};
use transpica::isa::Pc;
use transpica::{Error, GlslVersion, Translation};

use crate::args::Target;
use crate::json::Schema;

/// Returns the source map of a module in a target that
/// [has one](Target::has_source_map).
///
/// # Errors
/// As those of the module.
pub fn text(translated: &Translation, target: Target, version: GlslVersion) -> Result<String, Error> {
    let (member, places) = match target {
        Target::Spirv => ("instructions", translated.placed_spirv()?.places),
        #[cfg(feature = "spirv-asm")]
        Target::SpirvAsm => {
            ("lines", transpica_inspect::spirv::placed_assembly(&translated.placed_spirv()?)?.places)
        }
        Target::Glsl => ("lines", translated.placed_text(Language::Glsl(version))?.places),
        _wgsl => ("lines", translated.placed_text(Language::Wgsl)?.places),
    };
    let addresses = |pcs: &Vec<Pc>| pcs.iter().map(Pc::to_string).collect::<Value>();
    let places: Value = places.iter().map(addresses).collect();
    Ok(Schema::SOURCE_MAP.text(json!({ "target": target.option(), member: places })))
}
