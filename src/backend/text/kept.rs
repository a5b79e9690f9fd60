//! Texts of helper functions, kept in the functions.
//! In: a function that modules share, and its text in one of them. Out: the text in another one,
//! where the same names are free. Knows no lines and no expressions.

use std::any::Any;
use std::iter::successors;

use super::dialect::operators::Helper;
use super::dialect::versions::{GlslVersion, Marks};
use super::module::Module;
use super::names::Names;
use crate::ir::{Def, Func, Kept, Op, Type};

/// What a text depends on besides names: the version of GLSL, and what is marked.
pub type Language = (Option<GlslVersion>, Marks);

/// The text of a function.
pub struct KeptText {
    language: Language,
    pub text: String,
    /// Keys of the names of its scope.
    names: Vec<u64>,
    /// Functions on vectors that it calls.
    pub called: Vec<(Helper, Type)>,
    /// The text in another language.
    next: Kept,
}

impl KeptText {
    pub fn new(language: Language, text: &str, names: Vec<u64>, called: Vec<(Helper, Type)>) -> Self {
        Self { language, text: text.to_owned(), names, called, next: Kept::default() }
    }
}

/// Returns the texts that are kept from a place on.
fn texts(kept: &Kept) -> impl Iterator<Item = &KeptText> {
    fn text(kept: &Kept) -> Option<&KeptText> {
        let any: &dyn Any = &**kept.0.get()?;
        any.downcast_ref()
    }
    successors(text(kept), |known| text(&known.next))
}

/// Keeps a text, unless there is one in its language.
pub fn keep(func: &Func, text: KeptText) {
    if texts(&func.kept).all(|known| known.language != text.language) {
        let last = texts(&func.kept).last().map_or(&func.kept, |last| &last.next);
        // Another thread may have been faster.
        let _ = last.0.set(Box::new(text));
    }
}

impl Module<'_> {
    /// Returns the text of a function that was written for another module, if this one leaves its
    /// names free.
    pub fn kept<'f>(&self, func: &'f Func, language: Language, names: &Names<'_>) -> Option<&'f KeptText> {
        let text = texts(&func.kept).find(|known| known.language == language)?;
        (self.is_plain && names.has_none(&text.names)).then_some(text)
    }

    /// Returns whether the text of a function is the same in all modules with the same names: it
    /// reads nothing but its parameters.
    pub fn is_shared(&self, func: &Func) -> bool {
        let is_member = |helper: u16| self.helpers.get(usize::from(helper)).is_none_or(|f| f.member.is_some());
        let is_local = |op: Op| match op {
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } => false,
            Op::Call { helper, .. } => !is_member(helper),
            _pure => true,
        };
        let mut values = func.values.values().iter();
        let is_local = values.all(|data| if let Def::Op(op) = data.def { is_local(op) } else { true });
        self.is_plain && func.nodes.is_empty() && func.places.is_empty() && is_local
    }
}
