//! State that all functions of a module share.
//! In: a [`BackendInput`] and a dialect. Out: declarations, and the names of functions. Knows no
//! lines and no expressions.

use std::borrow::Cow;
use std::sync::Arc;

use super::declarations::Declarations;
use super::dialect::Dialect;
use super::dialect::operators::Helper;
use super::names::{Names, is_identifier, key};
use crate::backend::interface::{BackendInput, ENTRY_NAME};
use crate::error::{At, Error, Kind, Result};
use crate::ir::{Array, Def, Func, Op, Resource, Type};
use crate::support::fields::SpecId;

/// A helper function.
pub struct Called {
    pub name: Cow<'static, str>,
    /// The noun of its results.
    pub noun: &'static str,
    /// Its argument is an index.
    pub has_index: bool,
    /// The member of the uniform block that it reads elements of by that index.
    pub member: Option<usize>,
}

impl Called {
    fn new(helper: &Func, names: &mut Names<'_>) -> Self {
        let name = match &helper.name {
            // Names of ours are identifiers that no language reserves.
            Cow::Borrowed(name) if names.insert(key(name)) => Cow::Borrowed(*name),
            name if is_identifier(name.as_bytes()) && names.take(name).is_none() => name.clone(),
            name => names.unique(if name.is_empty() { "helper" } else { name }).into(),
        };
        let has_index = matches!(*helper.get(helper.params), [param] if helper.ty(param) == Type::I32);
        let mut values = helper.values.values().iter().filter(|_| has_index);
        let member = values.find_map(|data| match data.def {
            Def::Op(Op::ReadAt(Array::Member(member), _)) => Some(member.into()),
            Def::Op(Op::Read(Resource::Member { member, .. })) => Some(member.into()),
            Def::Op(_) | Def::Param | Def::Result | Def::Dead => None,
        });
        Self { name, noun: helper.noun, has_index, member }
    }
}

/// State that all functions of a module share.
pub struct Module<'a> {
    pub source: &'a BackendInput<'a>,
    pub dialect: Dialect,
    pub declarations: Declarations,
    /// The helper functions.
    pub helpers: Vec<Called>,
    /// Names of the functions for elements of named arrays.
    pub readers: Vec<String>,
    /// Names of the functions on vectors that GLSL lacks.
    pub lanewise: [String; Helper::ALL.len()],
    /// All these have the names that they would have in any module.
    pub is_plain: bool,
    /// Name of the variable that remembers a `continue`, in GLSL without `switch`.
    pub again: String,
}

impl<'a> Module<'a> {
    /// Builds the declarations of a module and the names of its scope.
    pub fn new(source: &'a BackendInput<'a>, dialect: Dialect) -> Result<(Self, Names<'static>)> {
        let mut names = Names::new(dialect.reserved);
        names.reserve(source.module.helpers.len() + 2 * source.interface.block.names.len() + 16);
        // Hosts link by the names of varyings: they are assigned first, so that no other name
        // changes them.
        let mut declarations = Declarations::new(source, &dialect, &mut names)?;
        let mut lanewise: [String; Helper::ALL.len()] = Default::default();
        if !dialect.takes_vectors {
            lanewise = Helper::ALL.map(|(_, name, _)| names.unique(name));
        }
        let again = if dialect.switches { String::new() } else { names.unique("again") };
        // Hosts find the entry point by its name, so no declaration may have it.
        let entry = if dialect.has_globals { &source.profile.glsl.entry } else { ENTRY_NAME };
        if entry != ENTRY_NAME {
            names.exact(entry)?;
        }
        names.unique(ENTRY_NAME);
        // The profile's are there already.
        declarations.names().for_each(|name| _ = names.insert(key(name)));
        SpecId::of_mask(declarations.reads.specialized).for_each(|id| drop(names.unique(id.to_string())));
        declarations.name_offsets(&source.interface.block, &mut names);
        let helpers: Vec<_> =
            source.module.helpers.iter().map(|helper| Called::new(helper, &mut names)).collect();
        let has_readers = helpers.iter().any(|helper| helper.has_index);
        let arrays = declarations.offsets.iter().filter(|_| has_readers);
        let readers = arrays.map(|(name, _)| names.unique([name, "_at"].concat())).collect();
        let has_name = |(called, helper): (&Called, &Arc<Func>)| called.name == helper.name;
        let is_plain = helpers.iter().zip(&source.module.helpers).all(has_name)
            && lanewise.iter().zip(Helper::ALL).all(|(name, (_, plain, _))| name.is_empty() || name == plain);
        Ok((Self { source, dialect, declarations, helpers, readers, lanewise, is_plain, again }, names))
    }
}

/// Returns the error of a language that cannot express something.
#[cold]
pub fn lacks(target: &'static str, what: impl Into<String>) -> Error {
    Error::new(Kind::TargetLacks { target, what: what.into() }, At::Whole)
}

/// Returns the error of specialization constants in a language without them.
pub fn unspecialized(target: &'static str) -> Error {
    lacks(target, "specialization constants here: bake the values or read them from the block")
}

/// Checks that no two bindings are equal, for languages without sets.
pub fn no_shared_bindings(target: &'static str, mut bindings: Vec<u32>) -> Result<()> {
    bindings.sort_unstable();
    match bindings.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(lacks(target, format!("sets: two blocks have binding {}", pair[0]))),
    }
}
