//! Identifiers for names of files: valid in WGSL, GLSL, HLSL and MSL, and unique.
//! In: names of arbitrary bytes. Out: identifiers that no target renames. Knows no file and no
//! layout.
//! Facts: the keyword lists of the four language specifications; WGSL and GLSL reserve double
//! underscores, GLSL `gl_`.

/// Maximum characters of an identifier. A damaged file could name a symbol with all its bytes.
const LONGEST: usize = 200;

/// Returns an identifier similar to `name` for which `taken` is false. A name without any usable
/// character becomes `invented`.
pub(crate) fn from_file(
    name: &[u8],
    invented: impl FnOnce() -> String,
    taken: impl Fn(&str) -> bool,
) -> String {
    let plain = identifier(name);
    unique(if plain.is_empty() { invented() } else { plain }, taken)
}

/// Returns `plain`, an identifier. If it is a keyword or taken, returns the first of `plain_a`,
/// `plain_b`, … that is free.
pub(crate) fn unique(plain: String, taken: impl Fn(&str) -> bool) -> String {
    let free = |name: &str| !is_keyword(name) && !taken(name);
    if free(&plain) {
        return plain;
    }
    // There are far fewer names than suffixes, so one is free.
    let mut suffixed = (0..usize::MAX).map(|index| format!("{plain}_{}", letters(index)));
    suffixed.find(|name| free(name)).unwrap_or(plain)
}

/// Returns the suffix of an index: `a`, `b`, …, `z`, `aa`, `ab`, ….
fn letters(mut index: usize) -> String {
    let mut reversed = Vec::new();
    loop {
        reversed.push(char::from(b'a' + (index % 26) as u8)); // Range: below 26.
        match (index / 26).checked_sub(1) {
            Some(rest) => index = rest,
            None => return reversed.into_iter().rev().collect(),
        }
    }
}

/// Appends letters and digits of a name, and an underscore for each run of other characters: WGSL
/// and GLSL reserve names with two in a row.
pub(crate) fn push_identifier(out: &mut String, name: &[u8]) {
    for &byte in name {
        match byte {
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ if out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
}

/// Returns a name as an identifier without an underscore at its end; empty if no character is
/// usable.
pub(crate) fn identifier(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len().min(LONGEST) + 2);
    if name.first().is_some_and(u8::is_ascii_digit) || name.starts_with(b"gl_") {
        out.push_str("n_");
    }
    push_identifier(&mut out, &name[..name.len().min(LONGEST)]);
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// Returns whether a target language rejects variables of this name.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORD_FILTER.may_have(name) && KEYWORDS.binary_search(&name).is_ok()
        || matches!(
            name.as_bytes().first().map(u8::to_ascii_lowercase),
            Some(b'a' | b'd' | b'p' | b't' | b'v')
        ) && name.len() <= LONGEST_ANY_CASE
            && HLSL_ANY_CASE.iter().any(|word| word.eq_ignore_ascii_case(name))
        || is_shaped_type(name)
}

const KEYWORD_FILTER: WordFilter<128> = WordFilter::new(KEYWORDS);

/// Bit filter that rejects most names without a search in a list: each word of it sets its bit.
pub(crate) struct WordFilter<const N: usize>([u64; N]);

impl<const N: usize> WordFilter<N> {
    pub(crate) const fn new(words: &[&str]) -> Self {
        let mut bits = [0; N];
        let mut index = 0;
        while index < words.len() {
            let bit = Self::bit(words[index].as_bytes());
            bits[bit / 64] |= 1 << (bit % 64);
            index += 1;
        }
        Self(bits)
    }

    /// Returns whether the list may have a name.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let bit = Self::bit(name.as_bytes());
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Returns the bit of a name: a hash of its length and three of its characters.
    const fn bit(name: &[u8]) -> usize {
        match name {
            [] => 0,
            [first, .., last] => {
                let middle = name[name.len() / 2] as usize;
                (name.len() * 1021 + *first as usize * 31 + middle * 257 + *last as usize * 67) % (N * 64)
            }
            [only] => *only as usize % (N * 64),
        }
    }
}

/// Returns whether the name is a scalar type with a vector or matrix shape: `vec4`, `mat4x3`,
/// `float3`, `half2x2`, `vec3f`.
fn is_shaped_type(name: &str) -> bool {
    if !matches!(name.as_bytes().last(), Some(b'1'..=b'4' | b'f' | b'h' | b'i' | b'u')) {
        return false;
    }
    let size = |byte: &u8| (b'1'..=b'4').contains(byte);
    let letters = name.bytes().rev().take_while(|byte| matches!(byte, b'f' | b'h' | b'i' | b'u')).count();
    let shapeless = &name[..name.len() - letters];
    let is_shape = |name: &str, stems: &[&str]| {
        let bytes = name.as_bytes();
        let stem = match bytes {
            [stem @ .., a, b'x', b] if size(a) && size(b) => stem.len(),
            [stem @ .., a] if size(a) => stem.len(),
            _ => return false,
        };
        stems.contains(&&name[..stem])
    };
    is_shape(shapeless, &WGSL_STEMS) || is_shape(name, &STEMS)
}

/// Stems of WGSL shapes, which may end in a letter for the scalar type.
const WGSL_STEMS: [&str; 2] = ["vec", "mat"];
/// Stems of all other shapes.
#[rustfmt::skip]
const STEMS: [&str; 24] = [
    "bool", "bvec", "char", "dmat", "double", "dvec", "dword", "fixed", "float", "fvec", "half",
    "hvec", "int", "ivec", "long", "min16float", "min16int", "min16uint", "short", "uchar", "uint",
    "ulong", "ushort", "uvec",
];
/// HLSL keywords in any letter case.
#[rustfmt::skip]
const HLSL_ANY_CASE: [&str; 9] = [
    "asm", "decl", "pass", "technique", "texture1d", "texture2d", "texture3d", "texturecube",
    "vertexshader",
];

/// Maximum characters of one of them.
const LONGEST_ANY_CASE: usize = 12;

/// Keywords of the four languages, sorted.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "AppendStructuredBuffer", "BlendState", "Buffer", "ByteAddressBuffer", "CompileShader", "ComputeShader",
    "ConsumeStructuredBuffer", "DefaultConstructible", "DepthStencilState", "DepthStencilView",
    "DomainShader", "GeometryShader", "Hullshader", "INFINITY", "InputPatch", "LineStream", "M_PI_F", "NAN",
    "NDEBUG", "NULL", "OutputPatch", "PixelShader", "PointStream", "RWBuffer", "RWByteAddressBuffer",
    "RWStructuredBuffer", "RWTexture1D", "RWTexture1DArray", "RWTexture2D", "RWTexture2DArray",
    "RWTexture3D", "RasterizerState", "RenderTargetView", "SamplerComparisonState", "SamplerState", "Self",
    "StructuredBuffer", "Texture1D", "Texture1DArray", "Texture2D", "Texture2DArray", "Texture2DMS",
    "Texture2DMSArray", "Texture3D", "TextureCube", "TextureCubeArray", "TriangleStream", "VertexShader",
    "abs", "abstract", "access", "acos", "active", "alias", "alignas", "alignof", "all", "and", "and_eq",
    "any", "array", "as", "as_type", "asin", "asm", "asm_fragment", "assert", "async", "atan", "atomic",
    "atomic_bool", "atomic_float", "atomic_int", "atomic_uint", "attribute", "auto", "await", "become",
    "bfloat", "binding_array", "bitand", "bitcast", "bitor", "bool", "break", "buffer", "case", "cast",
    "catch", "cbuffer", "ceil", "centroid", "char", "char16_t", "char32_t", "clamp", "class", "clip",
    "co_await", "co_return", "co_yield", "coherent", "column_major", "common", "compile", "compile_fragment",
    "compl", "concept", "const", "const_assert", "const_cast", "constant", "consteval", "constexpr",
    "constinit", "continue", "continuing", "cos", "crate", "cross", "ddx", "ddy", "debugger", "decltype",
    "default", "degrees", "delete", "demote", "demote_to_helper", "depth2d", "depth2d_array", "depth2d_ms",
    "depth2d_ms_array", "depthcube", "depthcube_array", "determinant", "device", "diagnostic", "discard",
    "distance", "do", "dot", "double", "dword", "dynamic_cast", "else", "enable", "enum", "exp", "explicit",
    "export", "extends", "extern", "external", "f16", "f32", "faceforward", "fallthrough", "false", "filter",
    "final", "finally", "fixed", "flat", "float", "float16_t", "float32_t", "float64_t", "floor", "fmod",
    "fn", "for", "frac", "fract", "fragment", "friend", "from", "fxgroup", "get", "globallycoherent", "goto",
    "groupshared", "half", "highp", "i32", "if", "iimage1D", "iimage1DArray", "iimage2D", "iimage2DArray",
    "iimage2DMS", "iimage2DMSArray", "iimage2DRect", "iimage3D", "iimageBuffer", "iimageCube",
    "iimageCubeArray", "image1D", "image1DArray", "image2D", "image2DArray", "image2DMS", "image2DMSArray",
    "image2DRect", "image3D", "imageBuffer", "imageCube", "imageCubeArray", "impl", "implements", "import",
    "in", "indices", "inline", "inout", "input", "instanceof", "int", "int16_t", "int32_t", "int64_t",
    "int8_t", "interface", "intptr_t", "invariant", "inverse", "inversesqrt", "isampler1D",
    "isampler1DArray", "isampler2D", "isampler2DArray", "isampler2DMS", "isampler2DMSArray",
    "isampler2DRect", "isampler3D", "isamplerBuffer", "isamplerCube", "isamplerCubeArray", "isfinite",
    "isinf", "isnan", "isubpassInput", "kernel", "layout", "ldexp", "length", "lerp", "let", "line",
    "lineadj", "linear", "lit", "log", "long", "loop", "lowp", "macro", "macro_rules", "main", "match",
    "matrix", "max", "mediump", "mesh", "meta", "metal", "min", "min10float", "min12int", "min16float",
    "min16int", "min16uint", "mix", "mod", "modf", "module", "move", "mul", "mut", "mutable", "namespace",
    "new", "nil", "noexcept", "noinline", "nointerpolation", "noise", "non_coherent", "noncoherent",
    "noperspective", "normalize", "not", "not_eq", "null", "nullptr", "object", "object_data", "of",
    "operator", "or", "or_eq", "out", "output", "override", "package", "packed_float2", "packed_float3",
    "packed_float4", "packoffset", "partial", "partition", "pass", "patch", "payload", "pixelfragment",
    "point", "pointadj", "pow", "precise", "precision", "premerge", "primitives", "priv", "private",
    "protected", "ptr", "ptrdiff_t", "pub", "public", "radians", "ray_data", "raypayload", "rcp", "read",
    "read_write", "readonly", "ref", "reflect", "refract", "regardless", "register", "reinterpret_cast",
    "require", "requires", "resource", "restrict", "return", "row_major", "rsqrt", "sample", "sampler",
    "sampler1D", "sampler1DArray", "sampler1DArrayShadow", "sampler1DShadow", "sampler2D", "sampler2DArray",
    "sampler2DArrayShadow", "sampler2DMS", "sampler2DMSArray", "sampler2DRect", "sampler2DRectShadow",
    "sampler2DShadow", "sampler3D", "sampler3DRect", "samplerBuffer", "samplerCube", "samplerCubeArray",
    "samplerCubeArrayShadow", "samplerCubeShadow", "sampler_comparison", "sampler_state", "saturate",
    "select", "self", "set", "shared", "short", "sign", "signed", "sin", "size_t", "sizeof", "smooth",
    "smoothstep", "snorm", "sqrt", "stateblock", "stateblock_state", "static", "static_assert",
    "static_cast", "std", "step", "string", "struct", "subpassInput", "subpassInputMS", "subroutine",
    "super", "superp", "switch", "tan", "target", "tbuffer", "technique", "technique10", "technique11",
    "template", "tex1D", "tex2D", "tex3D", "texCUBE", "texelFetch", "texture", "texture1D", "texture1d",
    "texture1d_array", "texture2D", "texture2d", "texture2d_array", "texture2d_ms", "texture2d_ms_array",
    "texture3D", "texture3d", "textureCube", "texture_1d", "texture_2d", "texture_2d_array", "texture_3d",
    "texture_buffer", "texture_cube", "texture_cube_array", "texture_depth_2d", "texture_depth_2d_array",
    "texture_depth_cube", "texture_depth_cube_array", "texture_external", "texture_multisampled_2d",
    "texture_storage_1d", "texture_storage_2d", "texture_storage_2d_array", "texture_storage_3d",
    "texturecube", "texturecube_array", "this", "thread", "thread_local", "threadgroup",
    "threadgroup_imageblock", "throw", "trait", "transpose", "triangle", "triangleadj", "true", "try",
    "type", "typedef", "typeid", "typename", "typeof", "u32", "uchar", "uimage1D", "uimage1DArray",
    "uimage2D", "uimage2DArray", "uimage2DMS", "uimage2DMSArray", "uimage2DRect", "uimage3D", "uimageBuffer",
    "uimageCube", "uimageCubeArray", "uint", "uint16_t", "uint32_t", "uint64_t", "uint8", "uint8_t",
    "uintptr_t", "ulong", "uniform", "union", "unless", "unorm", "unsafe", "unsigned", "unsized",
    "usampler1D", "usampler1DArray", "usampler2D", "usampler2DArray", "usampler2DMS", "usampler2DMSArray",
    "usampler2DRect", "usampler3D", "usamplerBuffer", "usamplerCube", "usamplerCubeArray", "use", "ushort",
    "using", "usubpassInput", "var", "varying", "vec", "vector", "vertex", "vertexfragment", "vertices",
    "virtual", "visible", "void", "volatile", "wchar_t", "wgsl", "where", "while", "with", "write",
    "writeonly", "xor", "xor_eq", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, taken: &[&str]) -> String {
        from_file(name.as_bytes(), || "invented".into(), |name| taken.contains(&name))
    }

    fn rename(name: &str) -> String {
        given(name, &[])
    }

    #[test]
    fn every_name_becomes_an_identifier() {
        for (name, expected) in [
            ("projection", "projection"),
            ("light.color", "light_color"),
            ("a$b", "a_b"),
            ("a..b__c", "a_b_c"),
            ("tail_", "tail"),
            ("_hidden", "_hidden"),
            ("3d", "n_3d"),
            ("gl_Position", "n_gl_Position"),
            ("bones2", "bones2"),
            ("\u{e4}\u{f6}", "invented"),
            ("", "invented"),
            ("___", "invented"),
        ] {
            assert_eq!(rename(name), expected, "{name}");
        }
        assert_eq!(rename(&"a".repeat(5000)).len(), LONGEST);
    }

    #[test]
    fn keywords_and_types_of_any_target_get_a_letter() {
        for name in [
            "matrix",
            "sample",
            "vec4",
            "vec3f",
            "mat4x4",
            "float4x3",
            "half2",
            "texture",
            "Texture2D",
            "PASS",
            "let",
            "fn",
            "kernel",
            "uint3",
            "min16float2",
        ] {
            assert_eq!(rename(name), format!("{name}_a"));
        }
        for name in ["color4", "light1", "vec5", "scale", "modelView", "bone1x2", "mat", "vec"] {
            let expected = if name == "vec" { "vec_a".into() } else { name.to_string() };
            assert_eq!(rename(name), expected);
        }
    }

    #[test]
    fn equal_names_get_letters() {
        assert_eq!(given("m", &["m"]), "m_a");
        assert_eq!(given("m", &["m", "m_a", "m_b"]), "m_c");
        assert_eq!(given("let", &["let_a"]), "let_b");
        assert_eq!((letters(0), letters(25), letters(26), letters(701), letters(702)), {
            let text = |s: &str| s.to_string();
            (text("a"), text("z"), text("aa"), text("zz"), text("aaa"))
        });
    }

    #[test]
    fn keywords_are_sorted_and_include_those_of_wgsl() {
        assert!(KEYWORDS.is_sorted());
        assert!(KEYWORDS.iter().all(|word| is_keyword(word)));
        // Text asks for no reserved word that begins like the name of a register.
        let is_register = |word: &&str| matches!(word.as_bytes(), [b'o' | b'r', b'0'..=b'9', ..]);
        assert_eq!(KEYWORDS.iter().chain(&STEMS).chain(&HLSL_ANY_CASE).find(|word| is_register(word)), None);
        #[cfg(feature = "wgsl")]
        for word in naga::keywords::wgsl::RESERVED {
            assert!(is_keyword(word), "{word}");
        }
    }
}
