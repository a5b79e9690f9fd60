//! The printer of the languages that are not left to naga: text as one would write it by hand.
//! In: a `naga::Module` from [`naga_ir`](crate::backend::naga_ir) and a [`Dialect`]. Out: text that computes the same. Must not
//! know the IR. Modules from elsewhere are refused where they contain what ours never do.
//!
//! Why not naga's writers: they give a variable to every load and every call (`let _e12 = …`), enclose every operation in
//! parentheses, and make names unique over the whole module. Here a load, a call or an operation is written where it is used,
//! if it is used once, in the loop it stands in, and the line stays short ([`choice`]); parentheses stand where precedence asks
//! for them ([`expressions`]); variables are declared where they are first set ([`plan`], [`statements`]).
//!
//! What differs between the languages is in the dialects: declarations, signatures, switches, and the expressions that they
//! spell in ways of their own.

mod choice;
pub mod expressions;
mod names;
mod plan;
pub mod statements;

use naga::{ArraySize, Expression, Function, Handle, LocalVariable, ScalarKind, SwitchCase, TypeInner};

pub use self::expressions::Level;
pub use self::names::Names;
pub use self::plan::Plan;
pub use self::statements::Body;
use crate::error::{At, Error, Kind, Result};

/// What has a name in a function.
#[derive(Clone, Copy)]
pub enum Holder {
    /// The value of an expression, which never changes.
    Value(Handle<Expression>),
    /// A variable that has its first value at once.
    Filled(Handle<LocalVariable>),
    /// A variable that is stored later.
    Empty(Handle<LocalVariable>),
}

/// What sets a language apart.
pub trait Dialect: Sized {
    /// The language, for errors.
    const NAME: &'static str;
    /// What stands around the condition of an `if`.
    const CONDITION: [&'static str; 2];
    /// How a loop begins.
    const LOOP: &'static str;
    /// Whether arrays are copied out of a block to be used more than once.
    const COPIES_ARRAYS: bool;
    /// Whether numbers need the letter of their type where nothing else says it.
    const TYPED_LITERALS: bool;
    /// The least integer, of which there is no literal: it would be the opposite of one that is too large.
    const LEAST_INT: &'static str;
    /// Whether the last of several arguments may have a comma.
    const COMMA_ENDS: bool;
    /// How tightly an argument must hold together that others follow.
    const ARGUMENT: Level;

    /// Whether no identifier may be this word.
    fn is_reserved(name: &str) -> bool;
    /// The name of a scalar type; abstract types do not occur.
    fn scalar(kind: ScalarKind) -> &'static str;
    /// The name of a vector type.
    fn vector(size: u8, kind: ScalarKind) -> String;
    /// The name of an array of what has this name; without a length as long as its buffer.
    fn array(base: &str, length: Option<u32>) -> String;
    /// Whether arithmetic on floats is only done as written where it makes a variable that is marked.
    fn marks_exact(&self) -> bool;
    /// The names of a function's arguments, where they were given before.
    fn arguments(&self, function: &Function) -> Option<Vec<String>>;

    /// The line before the body of a function.
    fn signature(writer: &mut Writer<'_, Self>, function: &Function, name: &str, plan: &Plan) -> Result<()>;
    /// The beginning of a declaration, up to the name, or to the type where that follows it and no value does.
    fn declaration(body: &mut Body<'_, '_, Self>, holder: Holder) -> Result<()>;
    /// What a loop begins with that nothing leaves.
    fn endless(body: &mut Body<'_, '_, Self>) -> Result<()>;
    /// Sets the outputs of the entry from what it returns; false where that is a value like another.
    fn outputs(body: &mut Body<'_, '_, Self>, value: Handle<Expression>) -> Result<bool>;
    /// A `switch`. Cases that go on in the next are empty.
    fn switch<'a>(
        body: &mut Body<'_, 'a, Self>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<()>;
    /// Writes an expression that the language spells in a way of its own; false where it does not.
    fn own(body: &mut Body<'_, '_, Self>, expr: Handle<Expression>, level: Level) -> Result<bool>;
}

/// The error for a module that is not ours.
#[cold]
pub fn foreign(language: &str, what: impl std::fmt::Display) -> Error {
    let text = format!("{language} writer: {what} is nothing that this library makes");
    Error::new(Kind::Backend(text), At::Whole)
}

/// The text so far, and the names that all functions see.
pub struct Writer<'a, D> {
    pub module: &'a naga::Module,
    pub dialect: D,
    pub out: String,
    /// Names that functions may not give again.
    pub global_names: Names,
    /// Names by index of the type; empty for types that cannot be named.
    pub types: Vec<String>,
    /// Names of the members by index of the type.
    pub members: Vec<Vec<String>>,
    pub globals: Vec<String>,
    pub overrides: Vec<String>,
    pub functions: Vec<String>,
}

impl<'a, D: Dialect> Writer<'a, D> {
    /// A writer that goes on after `out` and gives none of the names that are there.
    pub fn new(module: &'a naga::Module, dialect: D, mut names: Names, out: String) -> Self {
        for entry in &module.entry_points {
            names.unique(&entry.name);
        }
        let mut give = |name: Option<&str>, other: &str| names.unique(name.unwrap_or(other));
        let mut types: Vec<String> = Vec::with_capacity(module.types.len());
        for (_, ty) in module.types.iter() {
            let name = match &ty.inner {
                TypeInner::Struct { .. } => give(ty.name.as_deref(), "Struct"),
                TypeInner::Scalar(scalar) => D::scalar(scalar.kind).to_owned(),
                TypeInner::Vector { size, scalar } => D::vector(*size as u8, scalar.kind),
                TypeInner::Array { base, size, .. } => match (types.get(base.index()), size) {
                    (Some(base), ArraySize::Constant(length)) => D::array(base, Some(length.get())),
                    (Some(base), ArraySize::Dynamic) => D::array(base, None),
                    (None, _) | (_, ArraySize::Pending(_)) => String::new(),
                },
                _ => String::new(),
            };
            types.push(name);
        }
        let members = module.types.iter().map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, .. } => member_names::<D>(members),
            _ => Vec::new(),
        });
        let members = members.collect();
        let globals = module
            .global_variables
            .iter()
            .map(|(_, global)| give(global.name.as_deref(), "global"))
            .collect();
        let overrides =
            module.overrides.iter().map(|(_, constant)| give(constant.name.as_deref(), "setting")).collect();
        let functions =
            module.functions.iter().map(|(_, function)| give(function.name.as_deref(), "helper")).collect();
        Self { module, dialect, out, global_names: names, types, members, globals, overrides, functions }
    }

    /// Writes all functions but the entry points.
    pub fn helpers(&mut self) -> Result<()> {
        for (handle, function) in self.module.functions.iter() {
            let name = self.functions[handle.index()].clone();
            self.function(function, &name)?;
            self.out.push('\n');
        }
        Ok(())
    }

    /// Writes a type: `vec4f`, `array<vec4f, 4>`, `VertexOutput`.
    pub fn ty(&mut self, ty: Handle<naga::Type>) -> Result<()> {
        let name = &self.types[ty.index()];
        if name.is_empty() {
            return Err(foreign(D::NAME, format_args!("the type {:?}", self.module.types[ty].inner)));
        }
        self.out.push_str(name);
        Ok(())
    }

    /// The value of a specialisation constant, as text.
    pub fn setting(&self, constant: &naga::Override) -> Result<String> {
        let init = constant.init.map(|init| &self.module.global_expressions[init]);
        match init {
            Some(Expression::Literal(naga::Literal::Bool(value))) => Ok(value.to_string()),
            Some(Expression::Literal(naga::Literal::I32(value))) => Ok(value.to_string()),
            _ => Err(foreign(D::NAME, "the value of an override")),
        }
    }
}

/// The names of a struct's members.
fn member_names<D: Dialect>(members: &[naga::StructMember]) -> Vec<String> {
    let mut names = Names::new(D::is_reserved);
    members.iter().map(|member| names.unique(member.name.as_deref().unwrap_or("member"))).collect()
}
