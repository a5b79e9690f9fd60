//! WGSL and GLSL as one would write them by hand.
//! In: a [`Source`]: a legalised module of the intermediate form, the host interface, options and
//! profile. Out: text that begins with comments naming the source, the program and the entry. Knows
//! neither PICA200 encodings nor control-flow graphs.
//!
//! | file | what it does |
//! |---|---|
//! | [`region`], `carry` | control flow as lines; variables for what constructs yield and loops carry |
//! | `entry`, `operations`, `builder` | attributes, buffers and outputs; one expression for each operation; where each value is found |
//! | `survey`, `inline` | uses, scopes and stores; which expressions are written in place and which get a name, decided once |
//! | `operators` | a row for each operation: operator or function, and how tightly it binds |
//! | `print`, `expressions` | lines and expressions as text |
//! | `declarations`, `names` | types, blocks and buffers; identifiers |
//! | `wgsl`, `glsl` | what sets the languages apart |

mod builder;
mod carry;
mod declarations;
mod draft;
mod entry;
mod expressions;
#[cfg(feature = "glsl")]
pub mod glsl;
mod inline;
mod names;
mod operations;
mod operators;
mod print;
mod region;
mod survey;
#[cfg(all(test, feature = "glsl", feature = "hlsl", feature = "msl"))]
mod tests;
#[cfg(feature = "wgsl")]
mod wgsl;

#[cfg(feature = "glsl")]
pub use glsl::{GlslVersion, glsl};
#[cfg(feature = "wgsl")]
pub use wgsl::wgsl;

pub use super::{Language, write};

use self::builder::Builder;
use self::declarations::Declarations;
use self::draft::Draft;
use self::inline::{Style, plan};
use self::names::Names;
use self::print::{Body, Dialect};
use super::interface::Source;
use crate::error::Result;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
use crate::error::{At, Error, Kind};
use crate::host::{EntryPoint, Interface};
use crate::ir::{Func, Type};

/// The text of a module so far.
struct Writer<'a, D> {
    source: &'a Source<'a>,
    declarations: Declarations,
    names: Names<'a>,
    dialect: D,
    style: Style,
    draft: Draft,
    helpers: Vec<String>,
    out: String,
}

impl<'a, D: Dialect> Writer<'a, D> {
    fn new(
        source: &'a Source<'a>,
        declarations: Declarations,
        mut names: Names<'a>,
        dialect: D,
        style: Style,
    ) -> Self {
        names.unique(super::interface::ENTRY_NAME);
        for global in &declarations.globals {
            if let declarations::Content::Block(name, _) = global.content {
                names.unique(name);
            }
        }
        declarations.globals.iter().for_each(|global| drop(names.unique(global.name)));
        for id in declarations.specialized() {
            names.unique(&crate::host::profile::specialized_name(id));
        }
        let helpers = source.module.helpers.iter();
        let helpers =
            helpers.map(|helper| names.unique(if helper.name.is_empty() { "helper" } else { &helper.name }));
        Self {
            helpers: helpers.collect(),
            draft: Draft::default(),
            out: String::new(),
            source,
            declarations,
            names,
            dialect,
            style,
        }
    }

    /// Writes the helper functions.
    fn helpers(&mut self) -> Result<()> {
        let module = self.source.module;
        for (index, helper) in module.helpers.iter().enumerate() {
            let result = Builder::new(&mut self.draft, self.source, helper).helper()?;
            let name = self.helpers[index].clone();
            let types: Vec<Type> = helper.get(helper.params).iter().map(|&param| helper.ty(param)).collect();
            let wanted = parameter_names(helper);
            let plan = plan(&self.draft, self.source.interface, self.style, &wanted, &self.names, false);
            let names: Vec<&str> = plan.parameters.iter().map(String::as_str).collect();
            D::helper(&mut self.out, &name, &types, &names, result);
            self.body(plan, Some(result));
            self.out.push_str("}\n\n");
        }
        Ok(())
    }

    /// Writes the entry point. `given`: names of parameters that other declarations have given.
    fn entry(&mut self, given: Option<&[String]>) -> Result<()> {
        let source = self.source;
        let (reads, interface) = (self.declarations.reads, source.interface);
        let builder = Builder::new(&mut self.draft, source, &source.module.main);
        match &interface.entry_point {
            EntryPoint::Vertex | EntryPoint::Stage(_) => {
                builder.vertex(reads, &self.declarations.attributes, interface)?;
            }
            EntryPoint::Kernel(kernel) => builder.geometry(kernel)?,
            EntryPoint::Compute { .. } => builder.compute(reads)?,
        }
        let wanted: Vec<String> = match interface.entry_point.is_compute() {
            true => vec!["id".to_owned()],
            false => self.declarations.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        };
        let plan =
            plan(&self.draft, interface, self.style, given.unwrap_or(&wanted), &self.names, given.is_some());
        D::entry(&mut self.out, &self.declarations, &plan.parameters);
        self.body(plan, None);
        self.out.push_str("}\n");
        Ok(())
    }

    fn body(&mut self, plan: inline::Plan, result: Option<Type>) {
        let text = (&mut self.out, &mut self.dialect);
        text.0.reserve(48 * self.draft.lines.len());
        Body::new(text, (&self.draft, plan), &self.declarations, &self.helpers, result).lines();
    }
}

/// The names that the parameters of a helper would like to have.
fn parameter_names(helper: &Func) -> Vec<String> {
    let name = |(index, &param): (usize, &crate::ir::Value)| {
        let data = helper.values[param];
        if data.hint.register == crate::ir::HintRegister::None {
            return ["a", "b", "c", "d"][index % 4].to_owned();
        }
        let mut name = String::new();
        names::write_hinted(&mut name, data.hint, data.ty.kind);
        name
    };
    helper.get(helper.params).iter().enumerate().map(name).collect()
}

/// The comments at the head of every text.
pub(super) fn header(interface: &Interface) -> String {
    use std::fmt::Write;
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
    if !header.is_empty() {
        header.push('\n');
    }
    header
}

/// A name from the input inside a comment, which it must not end or continue on the next line.
fn comment(out: &mut String, name: &str) {
    let harmless = |c: char| if c.is_ascii_graphic() && c != '\\' || c == ' ' { c } else { '?' };
    out.extend(name.chars().map(harmless));
}

/// The error of specialisation constants in a language that has none.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
#[cold]
pub(super) fn unspecialized(target: &'static str) -> Error {
    let what = "specialisation constants here: bake the values or read them from the block".into();
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
