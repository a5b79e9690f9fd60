//! WGSL and GLSL in the form of hand-written code.
//! In: a [`BackendInput`]: a legalized module of the intermediate form, the host interface and
//! profile. Out: text that begins with comments naming the source, the program and the entry. Knows
//! neither PICA200 encodings nor control-flow graphs.
//!
//! | file | what it does |
//! |---|---|
//! | `region`, `carry` | control flow as lines; variables for what constructs yield and loops carry |
//! | `loops` | loops with one test as `for` and `while` |
//! | `entry`, `operations`, `builder` | attributes, buffers and outputs; one expression for each operation; the view of each value |
//! | `draft` | the function that these build: lines, expressions, operands |
//! | `uses`, `scopes`, `stores`, `inline` | which expressions get a name, decided once |
//! | `labels` | names of expressions that come from no register |
//! | `operators` | a row for each operation: operator or function, and how tightly it binds |
//! | `print`, `expressions` | lines and expressions as text |
//! | `switchless` | a `switch` as tests, for GLSL that has none in loops |
//! | `declarations`, `names` | types, blocks and buffers; identifiers |
//! | `quaternions` | the one stage without a program |
//! | `dialect`, `glsl` | differences of the languages and of the versions of GLSL |

mod builder;
mod carry;
mod declarations;
mod dialect;
mod draft;
mod entry;
mod expressions;
#[cfg(feature = "glsl")]
pub mod glsl;
#[cfg(not(feature = "glsl"))]
#[expect(dead_code, reason = "the writer handles versions, but none is offered")]
mod glsl;
mod inline;
mod labels;
mod loops;
mod names;
mod operations;
mod operators;
mod print;
#[cfg(feature = "glsl")]
mod quaternions;
mod region;
mod scopes;
mod stores;
mod switchless;
#[cfg(all(test, feature = "glsl", feature = "hlsl", feature = "msl"))]
mod tests;
mod uses;

#[cfg(feature = "glsl")]
pub use glsl::{GlslVersion, glsl, glsl_placed};

pub use super::{Language, write};

use std::fmt::Write as _;

use self::builder::Builder;
use self::declarations::{Declarations, VERTEX_OUTPUT};
use self::dialect::{Dialect, Helper};
use self::draft::{Draft, Reader};
use self::inline::Marks;
use self::names::Names;
use self::print::Body;
use super::interface::{BackendInput, ENTRY_NAME, WORKGROUP};
use crate::error::Result;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
use crate::error::{At, Error, Kind};
use crate::host::Interface;
use crate::ir::places::Places;
use crate::ir::{Array, Def, Func, HintRegister, Op, Resource, ScalarKind, Type, Value};
use crate::isa::placed::PlacedText;

/// The module as WGSL.
///
/// ```
/// use transpica::stages::{backend::{BackendInput, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into(), format: Default::default() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///         semantic: None,
///         hooks: Vec::new(),
///     }],
///     ..host::Interface::default()
/// };
/// let (options, profile) = (host::Options::default(), host::Profile::default());
/// let source = BackendInput { module: &module, interface: &interface, limits: &options.limits, profile: &profile };
/// assert_eq!(
///     text::wgsl(&source)?,
///     "struct VertexOutput {
///     @builtin(position) @invariant position: vec4f,
/// }
///
/// @vertex
/// fn main(@location(0) place: vec4f) -> VertexOutput {
///     return VertexOutput(place + place);
/// }
/// "
/// );
/// # Ok::<(), transpica::Error>(())
/// ```
///
/// # Errors
/// [`Kind::Verify`](crate::error::Kind::Verify) where the program is not well-formed or does not
/// fit its interface, [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for entry points and
/// bindings that there are not.
#[cfg(feature = "wgsl")]
pub fn wgsl(source: &BackendInput<'_>) -> Result<String> {
    write_wgsl(source, None)
}

/// As [`wgsl`], with the instructions of the program that each line evaluates values for.
///
/// # Errors
/// As [`wgsl`].
#[cfg(feature = "wgsl")]
pub fn wgsl_placed(source: &BackendInput<'_>) -> Result<PlacedText> {
    let mut trace = Vec::new();
    let text = write_wgsl(source, Some(&mut trace))?;
    Ok(placed(text, &trace, &source.module.main))
}

#[cfg(feature = "wgsl")]
fn write_wgsl(source: &BackendInput<'_>, trace: Option<&mut Trace>) -> Result<String> {
    let (module, names) = Shared::new(source, dialect::WGSL)?;
    let mut out = header(source.interface);
    module.declarations.write_wgsl(&mut out, &module.dialect, source.profile.invariant_position);
    module.functions(&mut out, &names, Marks::Nothing, trace)?;
    Ok(out)
}

/// Places in a text with the values of the main function that are evaluated there.
type Trace = Vec<(usize, Value)>;

/// Returns a text with the instructions of its lines.
fn placed(text: String, trace: &Trace, main: &Func) -> PlacedText {
    let places = Places::new(main);
    PlacedText::new(text, trace.iter().map(|&(offset, value)| (offset, places.of(value))))
}

/// A helper function.
struct Called {
    name: String,
    /// The noun of its results.
    noun: &'static str,
    /// Its argument is an index.
    has_index: bool,
    /// The member of the uniform block that it reads elements of by that index.
    member: Option<usize>,
}

impl Called {
    fn new(helper: &Func, names: &mut Names<'_>) -> Self {
        let name = names.unique(if helper.name.is_empty() { "helper" } else { &helper.name });
        let has_index = matches!(*helper.get(helper.params), [param] if helper.ty(param) == Type::I32);
        let member = helper.values.values().iter().find_map(|data| match data.def {
            Def::Op(Op::ReadAt(Array::Member(member), _)) => Some(member),
            Def::Op(Op::Read(Resource::Member { member, .. })) => Some(member),
            Def::Op(_) | Def::Param | Def::Result | Def::Dead => None,
        });
        let member = member.filter(|_| has_index).map(usize::from);
        Self { name, noun: helper.noun, has_index, member }
    }
}

/// State that all functions of a module share.
struct Shared<'a> {
    source: &'a BackendInput<'a>,
    dialect: Dialect,
    declarations: Declarations,
    /// The helper functions.
    helpers: Vec<Called>,
    /// Names of the functions for elements of named arrays.
    readers: Vec<String>,
    /// Names of the functions on vectors that GLSL lacks.
    lanewise: [String; Helper::ALL.len()],
    /// Name of the variable that remembers a `continue`, in GLSL without `switch`.
    again: String,
}

impl<'a> Shared<'a> {
    /// Builds the declarations of a module and the names of its scope.
    fn new(source: &'a BackendInput<'a>, dialect: Dialect) -> Result<(Self, Names<'static>)> {
        let mut names = Names::new(dialect.reserved);
        // Hosts link by the names of varyings: they are assigned first, so that no other name
        // changes them.
        let mut declarations = Declarations::new(source, &dialect, &mut names)?;
        let lanewise = match dialect.glsl {
            Some(_) => Helper::ALL.map(|(_, name, _)| names.unique(name)),
            None => Default::default(),
        };
        let again = match dialect.glsl {
            Some(version) if !version.row().switches => names.unique("again"),
            Some(_) | None => String::new(),
        };
        // Hosts find the entry point by this name, so no declaration may have it.
        names.unique(ENTRY_NAME);
        // Those of the profile are there already.
        declarations.names().for_each(|name| names.reserve(name));
        declarations.specialized().for_each(|id| drop(names.unique(&id.to_string())));
        declarations.name_offsets(&source.interface.block, &mut names);
        let helpers: Vec<_> =
            source.module.helpers.iter().map(|helper| Called::new(helper, &mut names)).collect();
        let has_readers = helpers.iter().any(|helper| helper.has_index);
        let arrays = declarations.arrays().filter(|_| has_readers);
        let readers = arrays.map(|name| names.unique(&format!("{name}_at"))).collect();
        Ok((Self { source, dialect, declarations, helpers, readers, lanewise, again }, names))
    }

    /// Writes the helper functions and the entry point; returns the functions on vectors that they
    /// call. With a trace, notes what the entry point evaluates.
    fn functions(
        &self,
        out: &mut String,
        names: &Names<'_>,
        marks: Marks,
        mut trace: Option<&mut Trace>,
    ) -> Result<Vec<(Helper, Type)>> {
        let (mut draft, mut called, mut written) = (Draft::default(), Vec::new(), Vec::new());
        let main = &self.source.module.main;
        let helpers = self.source.module.helpers.iter().zip(&self.helpers);
        for (func, name) in helpers.map(|(func, name)| (&**func, Some(&name.name))).chain([(main, None)]) {
            // Functions share the names of the module and may repeat each other's local names.
            let mut scope = names.inner();
            let parameters = match name {
                Some(_) => func
                    .get(func.params)
                    .iter()
                    .enumerate()
                    .map(|(index, &param)| scope.unique(&parameter_name(func, index, param)))
                    .collect(),
                None => self.parameters(&mut scope),
            };
            draft.is_traced = trace.is_some() && name.is_none();
            let builder = Builder::new(&mut draft, self, func, &parameters);
            let result = match name {
                Some(_) => Some(builder.helper()?),
                None => builder.entry().map(|()| None)?,
            };
            for &reader in draft.readers.iter() {
                if !written.contains(&reader) {
                    self.reader(out, reader);
                    written.push(reader);
                }
            }
            let result = match name.zip(result) {
                Some((name, ty)) => {
                    self.helper_head(out, name, func, &parameters, ty);
                    Some(self.dialect.ty(ty))
                }
                None => {
                    self.entry_head(out, &parameters);
                    (!self.declarations.ports.is_empty()).then_some(VERTEX_OUTPUT)
                }
            };
            draft.plan(&mut scope, marks);
            out.reserve(48 * draft.lines.len());
            let (draft, called) = (&draft, &mut called);
            let (open, selectors, skipped) = Default::default();
            let (indent, declared, is_broken) = (1, 0, false);
            let notes = draft.is_traced.then(Vec::new);
            let mut body = Body {
                out,
                module: self,
                draft,
                called,
                result,
                indent,
                declared,
                open,
                selectors,
                is_broken,
                skipped,
                trace: notes,
            };
            body.lines();
            if let (Some(trace), Some(notes)) = (&mut trace, body.trace) {
                let values = notes.into_iter().filter_map(|(at, expr)| Some((at, draft.origin(expr)?)));
                trace.extend(values);
            }
            out.push_str(if name.is_some() { "}\n\n" } else { "}\n" });
        }
        Ok(called)
    }

    /// Returns the names of the parameters of the entry point, or of their globals in GLSL.
    fn parameters(&self, scope: &mut Names<'_>) -> Vec<String> {
        let is_glsl = self.dialect.glsl.is_some();
        // `main` of GLSL has no parameters: attributes and the invocation are globals.
        if self.source.interface.entry_point.is_compute() {
            return vec![if is_glsl { "gl_GlobalInvocationID".to_owned() } else { scope.unique("id") }];
        }
        let names = self.declarations.attributes.iter().map(|attribute| &attribute.name);
        names.map(|name| if is_glsl { name.clone() } else { scope.unique(name) }).collect()
    }

    /// Writes a function for elements of a named array.
    fn reader(&self, out: &mut String, Reader { array, helper }: Reader) {
        let array = usize::from(array);
        let names = (self.readers.get(array), self.declarations.arrays().nth(array));
        let (Some(reader), Some(array)) = names else { return };
        let Some(Called { name: helper, .. }) = self.helpers.get(usize::from(helper)) else { return };
        let index = if array == "index" { "element" } else { "index" };
        let _ = match self.dialect.glsl {
            Some(_) => writeln!(out, "vec4 {reader}(int {index}) {{"),
            None => writeln!(out, "fn {reader}({index}: i32) -> vec4f {{"),
        };
        let _ = writeln!(out, "    return {helper}({array} + {index});\n}}\n");
    }

    /// Writes the line before the body of a helper function.
    fn helper_head(&self, out: &mut String, name: &str, func: &Func, parameters: &[String], result: Type) {
        let result = self.dialect.ty(result);
        out.extend(if self.dialect.glsl.is_some() { [result, " "] } else { ["fn", " "] });
        out.extend([name, "("]);
        for (index, (&param, name)) in func.get(func.params).iter().zip(parameters).enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            self.dialect.pair(out, name, func.ty(param));
        }
        out.extend(if self.dialect.glsl.is_some() { [")", "", ""] } else { [")", " -> ", result] });
        out.push_str(" {\n");
    }

    /// Writes the lines before the body of the entry point.
    fn entry_head(&self, out: &mut String, parameters: &[String]) {
        /// Parameters on the line of the function's name.
        const IN_LINE: usize = 2;
        if self.dialect.glsl.is_some() {
            return out.push_str("void main() {\n");
        }
        // A vertex entry always has a position, so an entry without outputs is a compute one.
        if self.declarations.ports.is_empty() {
            let id = &parameters[0];
            let _ = writeln!(out, "@compute @workgroup_size({WORKGROUP})");
            let _ = writeln!(out, "fn main(@builtin(global_invocation_id) {id}: vec3u) {{");
            return;
        }
        out.push_str("@vertex\nfn main(");
        let [first, other, end] =
            if parameters.len() > IN_LINE { ["\n    ", ",\n    ", ",\n"] } else { ["", ", ", ""] };
        for (index, (attribute, name)) in self.declarations.attributes.iter().zip(parameters).enumerate() {
            out.push_str(if index == 0 { first } else { other });
            let _ = write!(out, "@location({}) ", attribute.register);
            self.dialect.pair(out, name, attribute.ty);
        }
        let _ = writeln!(out, "{end}) -> {VERTEX_OUTPUT} {{");
    }
}

/// Returns the preferred name of a parameter of a helper.
fn parameter_name(helper: &Func, index: usize, param: Value) -> String {
    let data = helper.values[param];
    if data.hint.register == HintRegister::None {
        // Helpers ask for elements by index, and their conditions say where the result is NaN.
        let name = match data.ty.kind {
            ScalarKind::F32 | ScalarKind::U32 => ["a", "b", "c", "d"][index % 4],
            ScalarKind::I32 => "index",
            ScalarKind::Bool => "is_nan",
        };
        return name.to_owned();
    }
    let mut name = String::new();
    names::write_hinted(&mut name, data.hint, data.ty.kind);
    name
}

/// Returns the header comments of a text.
pub(super) fn header(interface: &Interface) -> String {
    let mut header = String::new();
    if !interface.source.is_empty() {
        header.push_str("// source: ");
        comment(&mut header, &interface.source);
        header.push('\n');
    }
    if let Some(index) = interface.executable {
        let _ = writeln!(header, "// program: DVLE {index}");
    }
    let word = interface.entry.map(|entry| format!("code word {:#x}", entry.0));
    let entry = [interface.entry_label.as_deref(), word.as_deref()];
    for (text, before) in entry.into_iter().flatten().zip(["// entry: ", ", "]) {
        header.push_str(before);
        comment(&mut header, text);
    }
    if interface.entry_label.is_some() || word.is_some() {
        header.push('\n');
    }
    let options = interface.options.differences(&interface.folded);
    if !options.is_empty() {
        header.push_str("// options: ");
        comment(&mut header, &options);
        header.push('\n');
    }
    if !header.is_empty() {
        header.push_str(concat!("// translator: transpica ", env!("CARGO_PKG_VERSION"), "\n\n"));
    }
    header
}

/// Writes a name from the input into a comment, so that it neither ends the comment nor continues
/// it on the next line, nor changes the direction of text.
fn comment(out: &mut String, name: &str) {
    let harmless = |c: char| match c {
        '\\' | '\u{2028}' | '\u{2029}' => '?',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '?',
        c if c.is_control() => '?',
        c => c,
    };
    out.extend(name.chars().map(harmless));
}

/// Returns the error of specialization constants in a language without them.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
#[cold]
pub(super) fn unspecialized(target: &'static str) -> Error {
    let what = "specialization constants here: bake the values or read them from the block".into();
    Error::new(Kind::TargetLacks { target, what }, At::Whole)
}

/// Checks that no two bindings are equal, for languages without sets.
#[cfg(any(feature = "glsl", feature = "msl"))]
pub(super) fn no_shared_bindings(target: &'static str, mut bindings: Vec<u32>) -> Result<()> {
    bindings.sort_unstable();
    match bindings.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let what = format!("sets: two blocks have binding {}", pair[0]);
            Err(Error::new(Kind::TargetLacks { target, what }, At::Whole))
        }
    }
}
