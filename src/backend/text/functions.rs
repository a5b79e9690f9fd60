//! The functions of a module as text: heads, bodies by `print`, readers of arrays.
//! In: a module. Out: text, with the values that each place evaluates. Knows no lines and no
//! expressions.

use super::build::Builder;
use super::declarations::VERTEX_OUTPUT;
use super::dialect::operators::Helper;
use super::dialect::versions::Marks;
use super::draft::{Draft, Expr, Reader};
use super::kept::KeptText;
use super::module::{Called, Module};
use super::names::{Names, Word, hinted, is_identifier};
use super::print::Body;
use super::put::put;
use crate::backend::interface::WORKGROUP;
use crate::error::Result;
use crate::interface::Interface;
use crate::ir::places::Places;
use crate::ir::{Func, HintRegister, ScalarKind, Type, Value};
use crate::program::isa::placed::PlacedText;

/// Places in a text with the values of the main function that are evaluated there.
pub type Trace = Vec<(usize, Value)>;

/// Returns a text with the instructions of its lines.
pub fn placed(text: String, trace: &Trace, main: &Func) -> PlacedText {
    let places = Places::new(main);
    PlacedText::new(text, trace.iter().map(|&(offset, value)| (offset, places.get(value))))
}

impl Module<'_> {
    /// Writes the helper functions and the entry point; returns the functions on vectors that they
    /// call. With a trace, notes what the entry point evaluates.
    pub fn functions(
        &self,
        out: &mut String,
        names: &Names<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Result<Vec<(Helper, Type)>> {
        let (mut called, mut written) = (Vec::<(Helper, Type)>::new(), Vec::new());
        let marks = if self.source.profile.no_contraction { self.dialect.marks } else { Marks::Nothing };
        let main = &self.source.module.main;
        let helpers = || self.source.module.helpers.iter().zip(&self.helpers);
        let functions = || helpers().map(|(func, name)| (&**func, Some(&*name.name))).chain([(main, None)]);
        // Functions share the names of the module and may repeat each other's local names.
        let mut scope = names.inner();
        // Lines have some dozens of characters.
        out.reserve(40 * functions().map(|(func, _)| func.values.len()).sum::<usize>());
        let (mut draft, words) = self.draft();
        for (func, name) in functions() {
            let language = (self.dialect.version, marks);
            if let (Some(_), Some(kept)) = (name, self.kept(func, language, names)) {
                out.push_str(&kept.text);
                called.extend_from_slice(&kept.called);
                continue;
            }
            // Most values have no name.
            scope.begin(func.values.len() / 4);
            let (start, mut own) = (out.len(), Vec::new());
            let parameters = match name {
                Some(_) => {
                    let params = (0..).zip(func.get(func.params));
                    params.map(|(index, &param)| scope.unique(parameter_name(func, index, param))).collect()
                }
                None => self.parameters(&mut scope),
            };
            draft.begin(self.helpers.len(), words, trace.is_some() && name.is_none());
            let builder = Builder::new(&mut draft, self, func, &parameters);
            let result = match name {
                Some(_) => Some(builder.helper()?),
                None => builder.entry().map(|()| None)?,
            };
            draft.fault.take().map_or(Ok(()), Err)?;
            for &reader in draft.readers.iter() {
                if !written.contains(&reader) {
                    self.reader(out, reader);
                    written.push(reader);
                }
            }
            let result = self.begin(out, func, name.zip(result), &parameters);
            draft.plan(&mut scope, marks);
            let evaluated = Body::write(out, self, &draft, &mut own, result);
            trace.iter_mut().for_each(|trace| self.note(&draft, &evaluated, trace));
            out.push_str(if name.is_some() { "}\n\n" } else { "}\n" });
            called.extend_from_slice(&own);
            if name.is_some() && !scope.is_met && self.is_shared(func) {
                let (text, names) = (out[start..].to_owned(), scope.keys());
                // Another thread may have been faster.
                let _ = func.kept.0.set(Box::new(KeptText { language, text, names, called: own }));
            }
        }
        Ok(called)
    }

    /// Returns a draft that has the helpers as its first functions, and the end of their words.
    fn draft(&self) -> (Draft, u32) {
        let mut draft = Draft::new(self.source.module.main.values.len());
        for helper in &self.helpers {
            let array = helper.member.and_then(|member| self.declarations.members.get(member));
            let array = array.map_or(Word::NONE, |array| draft.word(array));
            draft.call(&helper.name, helper.noun, array);
        }
        draft.words.is_clean = self.is_clean();
        let words = draft.words.end();
        (draft, words)
    }

    /// Returns whether all names of the interface are identifiers without an underscore at the end.
    fn is_clean(&self) -> bool {
        let Interface { outputs, attributes, block, .. } = self.source.interface;
        let outputs = outputs.iter().map(|output| &output.name);
        let attributes = attributes.iter().map(|attribute| &attribute.name);
        let names = outputs.chain(attributes).chain(block.names.iter().map(|array| &array.name));
        let mut names = names.chain(&self.declarations.members);
        names.all(|name| is_identifier(name.as_bytes()) && !name.ends_with('_'))
    }

    /// Writes the head of a function; returns the type that its end returns.
    fn begin(
        &self,
        out: &mut String,
        func: &Func,
        helper: Option<(&str, Type)>,
        parameters: &[String],
    ) -> Option<&'static str> {
        let Some((name, ty)) = helper else {
            self.entry_head(out, parameters);
            return (!self.declarations.ports.is_empty()).then_some(VERTEX_OUTPUT);
        };
        let types = func.get(func.params).iter().map(|&param| func.ty(param));
        let pairs: Vec<_> = parameters.iter().map(String::as_str).zip(types).collect();
        self.head(out, name, &pairs, ty);
        Some(self.dialect.ty(ty))
    }

    /// Notes the values of written expressions.
    fn note(&self, draft: &Draft, written: &[(usize, Expr)], trace: &mut Trace) {
        for &(at, expr) in written {
            let Some(value) = draft.origin(expr) else { continue };
            trace.push((at, value));
            // The expression of a product evaluates all its lanes.
            let products = self.declarations.products.iter();
            let lanes = products.filter(|product| product.first == value).flat_map(|product| product.dots);
            trace.extend(lanes.flatten().map(|lane| (at, lane)));
        }
    }

    /// Returns the names of the parameters of the entry point, or of their globals in GLSL.
    fn parameters(&self, scope: &mut Names<'_>) -> Vec<String> {
        let has_globals = self.dialect.has_globals;
        if self.source.interface.entry_point.is_compute() {
            return vec![if has_globals { "gl_GlobalInvocationID".to_owned() } else { scope.unique("id") }];
        }
        let names = self.declarations.attributes.iter().map(|attribute| &attribute.name);
        names.map(|name| if has_globals { name.clone() } else { scope.unique(name) }).collect()
    }

    /// Writes a function for elements of a named array.
    fn reader(&self, out: &mut String, Reader { array, helper }: Reader) {
        let array = usize::from(array);
        let names = (self.readers.get(array), self.declarations.offsets.get(array));
        let (Some(reader), Some((array, _))) = names else { return };
        let Some(Called { name: helper, .. }) = self.helpers.get(usize::from(helper)) else { return };
        let index = if array == "index" { "element" } else { "index" };
        self.head(out, reader, &[(index, Type::I32)], Type::F32X4);
        put!(out, "    return ", helper.as_ref(), "(", array, " + ", index, ");\n}\n\n");
    }

    /// Writes the line before the body of a function.
    fn head(&self, out: &mut String, name: &str, parameters: &[(&str, Type)], result: Type) {
        let result = self.dialect.ty(result);
        let is_type_first = self.dialect.is_type_first;
        out.extend([if is_type_first { result } else { "fn" }, " ", name, "("]);
        for (index, &(name, ty)) in parameters.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            self.dialect.pair(out, name, ty);
        }
        out.extend(if is_type_first { [")", "", ""] } else { [")", " -> ", result] });
        out.push_str(" {\n");
    }

    /// Writes the lines before the body of the entry point.
    fn entry_head(&self, out: &mut String, parameters: &[String]) {
        /// Parameters on the line of the function's name.
        const IN_LINE: usize = 2;
        if self.dialect.has_globals {
            return out.extend(["void ", &self.source.profile.glsl.entry, "() {\n"]);
        }
        // A vertex entry always has a position, so an entry without outputs is a compute one.
        if self.declarations.ports.is_empty() {
            let id = &parameters[0];
            put!(out, "@compute @workgroup_size(", WORKGROUP, ")\n");
            return put!(out, "fn main(@builtin(global_invocation_id) ", id, ": vec3u) {\n");
        }
        out.push_str("@vertex\nfn main(");
        let [first, other, end] =
            if parameters.len() > IN_LINE { ["\n    ", ",\n    ", ",\n"] } else { ["", ", ", ""] };
        for (index, (attribute, name)) in self.declarations.attributes.iter().zip(parameters).enumerate() {
            out.push_str(if index == 0 { first } else { other });
            put!(out, "@location(", attribute.register, ") ");
            self.dialect.pair(out, name, attribute.ty);
        }
        put!(out, end, ") -> ", VERTEX_OUTPUT, " {\n");
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
    hinted(&mut name, data.hint, data.ty.kind, "");
    name
}
