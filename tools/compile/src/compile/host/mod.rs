//! Code of the host: the registers of a shader, computed from its declared uniforms.
//! In: an [`Interface`](crate::source::Interface). Out: a C header and a Rust module, each without
//! dependencies. Knows no GPU and no file system.
//!
//! `operations.rs` has the text of each operation in both languages, `helpers.rs` the functions
//! that those call, `code.rs` makes statements of them, `c.rs` and `rust.rs` declare types around
//! these. Semantics: `source/math.rs`, each operation rounded to f32.

mod c;
mod code;
mod helpers;
mod operations;
mod rust;

use transpica_asm::names::snake_case;

use super::Compiled;
use crate::source::Interface;
use crate::source::interface::{Layout, Uniform};

/// Names that neither language lets us use, or that the code uses itself: keywords of C11, C++17
/// and Rust, types and functions of C's library, macros of compilers.
const RESERVED: &str = "\
    abstract alignas alignof and and_eq as asm async auto await become bitand bitor bool box break case catch \
    char char16_t char32_t class compl const const_cast constexpr continue crate decltype default delete do \
    double dyn dynamic_cast else enum explicit export extern false final float fn for friend gen goto if impl \
    in inline int let linux long loop macro match mod move mut mutable namespace new noexcept not not_eq \
    nullptr operator or or_eq out override priv private protected pub ref register reinterpret_cast restrict \
    return self short signed sizeof static static_assert static_cast struct super switch template this \
    thread_local throw trait true try type typedef typeid typename typeof uniforms union unix unsafe unsigned \
    unsized use using virtual void volatile wchar_t where while xor xor_eq yield \
    int32_t uint8_t uint16_t uint32_t memcpy memset \
    acosf asinf atan2f atanf ceilf cosf coshf exp2f expf fabsf floorf fmaxf fminf log2f logf nearbyintf powf \
    sinf sinhf sqrtf tanf tanhf truncf";

impl Compiled {
    /// Writes a C header for C11 and C++17: `struct NAME_uniforms` with the declared uniforms,
    /// `struct NAME_registers`, and `NAME_update`, which computes the registers. `NAME_apply` sends
    /// them to the vertex unit where `citro3d.h` is found; `TRANSPICA_PLAIN` leaves it out.
    ///
    /// Results have the bits of [`Interface::registers`](crate::source::Interface::registers), but
    /// for the sign of a zero of `min` and `max`, the payload of NaN, and up to 4 ulp of functions
    /// of the C library such as `sinf` and `powf`. A compiler that fuses products and sums needs
    /// `-ffp-contract=off` for that; the console has no such instruction.
    ///
    /// ```
    /// use transpica_compile::compile::compile;
    /// use transpica_compile::source::{Language, Options, read};
    /// let text = "@group(0) @binding(0) var<uniform> model: mat3x3f;
    ///     @vertex fn main(@location(0) place: vec3f) -> @builtin(position) vec4f {
    ///         return vec4f(transpose(model) * place, determinant(model));
    ///     }";
    /// let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
    /// let compiled = compile(&source, &Options::of(Language::Wgsl)).expect("in the subset");
    /// let header = compiled.host_c("hero");
    /// assert!(header.contains("float model[3][4];"), "{header}");
    /// assert!(header.contains("void hero_update(const struct hero_uniforms *in,"), "{header}");
    /// ```
    pub fn host_c(&self, name: &str) -> String {
        c::header(&self.interface, &snake_case(name))
    }

    /// Writes a Rust module with `Uniforms`, `Registers` and `update`, as [`Self::host_c`] does.
    ///
    /// ```
    /// use transpica_compile::compile::compile;
    /// use transpica_compile::source::{Language, Options, read};
    /// let text = "@group(0) @binding(0) var<uniform> size: f32;
    ///     @vertex fn main(@location(0) place: vec4f) -> @builtin(position) vec4f {
    ///         return place * sqrt(size);
    ///     }";
    /// let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
    /// let compiled = compile(&source, &Options::of(Language::Wgsl)).expect("in the subset");
    /// let module = compiled.host_rust();
    /// assert!(module.contains("pub fn update(uniforms: &Uniforms) -> Registers"), "{module}");
    /// assert!(module.contains("f32::sqrt(uniforms.size)"), "{module}");
    /// ```
    pub fn host_rust(&self) -> String {
        rust::module(&self.interface)
    }
}

/// Names of a scope, each once.
struct Names(Vec<String>);

impl Names {
    fn new() -> Self {
        Self(RESERVED.split(' ').map(str::to_owned).collect())
    }

    /// Returns a name as an identifier that is free.
    fn add(&mut self, name: &str) -> String {
        let plain = snake_case(name);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut all = std::iter::once(plain.clone()).chain(numbered);
        let name = all.find(|name| !self.0.contains(name)).unwrap_or(plain);
        self.0.push(name.clone());
        name
    }
}

/// Uniforms with names that both languages accept.
fn renamed(uniforms: &[Uniform]) -> Vec<Uniform> {
    let mut names = Names::new();
    let renamed = |uniform: &Uniform| Uniform {
        name: names.add(&uniform.name),
        member: None,
        layout: renamed_members(&uniform.layout),
        register: uniform.register,
    };
    uniforms.iter().map(renamed).collect()
}

/// Types have a limit of depth.
fn renamed_members(layout: &Layout) -> Layout {
    match layout {
        Layout::Leaf(shape) => Layout::Leaf(*shape),
        Layout::Array(element, count) => Layout::Array(Box::new(renamed_members(element)), *count),
        Layout::Struct(members) => {
            let mut names = Names::new();
            let member = |(name, member): &(String, Layout)| (names.add(name), renamed_members(member));
            Layout::Struct(members.iter().map(member).collect())
        }
    }
}

/// Registers of a uniform, for comments.
fn place(interface: &Interface, index: usize) -> String {
    let Uniform { register, layout, .. } = &interface.uniforms[index];
    match (register, layout.registers()) {
        (None, _) => match interface.decided_by(index) {
            all if all.is_empty() => "Read by the host only.".into(),
            all => format!("Read by the host, for {}.", all.join(", ")),
        },
        (Some(first), 1) => format!("In c{first}."),
        (Some(first), count) => format!("In c{first} to c{}.", usize::from(*first) + count - 1),
    }
}
