//! Texts of helper functions, kept in the functions.
//! In: a function that modules share, and its text in one of them. Out: the text in another one,
//! where the same names are free. Knows no lines and no expressions.

use std::any::Any;

use super::dialect::operators::Helper;
use super::dialect::versions::{GlslVersion, Marks};
use super::module::{Called, Module};
use super::names::Names;
use crate::ir::{Def, Func, Op, Type};

/// Version of GLSL and marks: with the names, all that a text depends on.
pub type Language = (Option<GlslVersion>, Marks);

/// The text of a function, in the first language that it is written in: few hosts write several.
pub struct KeptText {
    pub language: Language,
    pub text: String,
    /// Keys of the names of its scope.
    pub names: Vec<u64>,
    /// Functions on vectors that it calls.
    pub called: Vec<(Helper, Type)>,
}

impl Module<'_> {
    /// Returns the text of a function that was written for another module, if this one leaves its
    /// names free.
    pub fn kept<'f>(&self, func: &'f Func, language: Language, names: &Names<'_>) -> Option<&'f KeptText> {
        let any: &dyn Any = &**func.kept.0.get()?;
        let is_same = |text: &&KeptText| {
            let is_free = |&key: &u64| !names.has(key);
            self.is_plain && text.language == language && text.names.iter().all(is_free)
        };
        any.downcast_ref::<KeptText>().filter(is_same)
    }

    /// Returns whether the text of a function is the same in all modules with the same names: it
    /// reads nothing but its parameters.
    pub fn is_shared(&self, func: &Func) -> bool {
        let has_member = |called: &Called| called.member.is_some();
        let is_local = |op: Op| match op {
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } => false,
            Op::Call { helper, .. } => !self.helpers.get(usize::from(helper)).is_none_or(has_member),
            _pure => true,
        };
        let mut values = func.values.values().iter();
        let is_local = values.all(|data| if let Def::Op(op) = data.def { is_local(op) } else { true });
        self.is_plain && func.nodes.is_empty() && func.places.is_empty() && is_local
    }
}
