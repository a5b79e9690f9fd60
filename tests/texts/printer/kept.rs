//! Texts of helper functions that modules share are kept in the functions: they are the texts that
//! any module would have written.

use transpica::stages::backend::BackendInput;
use transpica::stages::backend::text::{GlslVersion, Language, write};
use transpica::stages::ir::Module;
use transpica::{Options, Profile};

use super::interface;

const SOURCE: &str = "func scaled(%0: f32, %1: f32) { %2: f32 = mul %0 %1 %3: f32 = add %2 %1 yield %3 }
    func main {
      %0: f32x4 = input v0
      %1: f32 = shuffle %0.x
      %2: f32 = call 0(%1, %1)
      %3: f32x4 = shuffle %2.x %2.x %2.x %2.x
      yield %3 }";

fn text(module: &Module, language: Language, profile: &Profile) -> String {
    let (interface, options) = (interface(module), Options::default());
    let limits = &options.limits;
    let source = BackendInput { module, interface: &interface, limits, profile, debug_source: None };
    write(&source, language).expect("a text")
}

#[test]
fn a_kept_text_gives_way_to_names_languages_and_marks() {
    let shared = transpica_proof::ir::parse(SOURCE).expect("a module");
    let glsl = Language::Glsl(GlslVersion::Vulkan450);
    let named = |entry: &str| {
        let mut profile = Profile::default();
        profile.glsl.entry = entry.to_owned().into();
        profile
    };
    let unmarked = Profile { no_contraction: false, ..Profile::default() };
    let es = Language::Glsl(GlslVersion::Es300);
    // The function has these names: for its result, a parameter and itself.
    let collisions = ["sum", "a", "scaled"].map(named);
    let plain = Profile::default();
    let cases = [(glsl, &plain), (glsl, &plain), (Language::Wgsl, &plain), (es, &plain), (glsl, &unmarked)];
    let mut texts = Vec::new();
    for (language, profile) in cases.into_iter().chain(collisions.iter().map(|profile| (glsl, profile))) {
        let fresh = transpica_proof::ir::parse(SOURCE).expect("a module");
        let kept = text(&shared, language, profile);
        assert_eq!(kept, text(&fresh, language, profile));
        texts.push(kept);
    }
    assert_eq!(texts[0], texts[1]);
    texts.dedup();
    assert_eq!(texts.len(), 7, "{texts:#?}");
}
