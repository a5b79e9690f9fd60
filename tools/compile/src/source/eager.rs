//! Refusal of right operands of `&&` and `||` that change variables.
//! In: a module of naga's GLSL reader. Out: an error at the first such change. Knows no text.
//! The reader computes both operands at all times (drivers.md#naga-eager): only what changes
//! nothing may stand on the right. Its own temporary variables have no names.

use naga::{BinaryOperator, Block, Expression, Function, Handle, Module, Span, Statement, TypeInner};

use super::error::{Kind, Result, at};
use super::loops::{inner, spanned};

/// The changes of a function.
struct Changes<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Functions that change global variables; calls lead to earlier ones.
    known: &'a [bool],
}

/// Checks all functions.
pub(super) fn check(module: &Module, text: &str) -> Result<()> {
    let mut known = Vec::new();
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    for function in module.functions.iter().map(|(_, function)| function).chain(entries) {
        let changes = Changes { module, function, known: &known };
        let mut blocks = vec![&function.body];
        while let Some(block) = blocks.pop() {
            changes.check(block, text)?;
            blocks.extend(block.iter().flat_map(inner));
        }
        let is_known = spanned(&[&function.body]).iter().any(|(one, ..)| changes.is_change(one, false));
        known.push(is_known);
    }
    Ok(())
}

impl Changes<'_> {
    /// Checks what stands between the operands of a block.
    fn check(&self, block: &Block, text: &str) -> Result<()> {
        let all: Vec<(&Statement, Span)> = block.span_iter().map(|(one, span)| (one, *span)).collect();
        let place = |handle: Handle<Expression>| all.iter().position(|(one, _)| makes(one, handle));
        for (handle, expression) in self.function.expressions.iter() {
            let Expression::Binary { op, left, .. } = expression else { continue };
            let word = match op {
                BinaryOperator::LogicalAnd => "&&",
                BinaryOperator::LogicalOr => "||",
                _other => continue,
            };
            let Some(end) = place(handle) else { continue };
            // A constant is made nowhere, and changes nothing.
            let whole = self.function.expressions.get_span(handle).to_range().map_or(0, |range| range.start);
            let (start, after) = place(*left).map_or((0, whole), |start| (start + 1, 0));
            let mut right = all.get(start..end).unwrap_or_default().iter().filter(|(one, span)| {
                let blocks = inner(one);
                let parts = spanned(&blocks);
                span.to_range().is_none_or(|range| range.start >= after)
                    && (self.is_change(one, true) || parts.iter().any(|(one, ..)| self.is_change(one, true)))
            });
            if let Some((_, span)) = right.next() {
                let message =
                    format!("the right operand of `{word}` changes a variable: write an `if` instead");
                return Err(at(Kind::Invalid(message), *span, text));
            }
        }
        Ok(())
    }

    /// Returns whether a statement changes a global variable, or another one with a name.
    fn is_change(&self, statement: &Statement, is_named: bool) -> bool {
        match statement {
            Statement::Store { pointer, .. } => self.is_outer(*pointer, is_named),
            Statement::Call { function, arguments, .. } => {
                let types = self.module.functions[*function].arguments.iter().map(|argument| argument.ty);
                let is_pointer = |ty| matches!(self.module.types[ty].inner, TypeInner::Pointer { .. });
                let mut pointers = types.zip(arguments).filter(|(ty, _)| is_pointer(*ty));
                pointers.any(|(_, pointer)| self.is_outer(*pointer, is_named))
                    || self.known.get(function.index()) == Some(&true)
            }
            _other => false,
        }
    }

    /// Returns whether a pointer leads to a global variable, or to another one with a name.
    fn is_outer(&self, mut pointer: Handle<Expression>, is_named: bool) -> bool {
        loop {
            match &self.function.expressions[pointer] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = *base,
                Expression::LocalVariable(variable) => {
                    return is_named && self.function.local_variables[*variable].name.is_some();
                }
                Expression::FunctionArgument(_) => return is_named,
                _global => return true,
            }
        }
    }
}

/// Returns whether a statement makes the value of an expression.
fn makes(statement: &Statement, handle: Handle<Expression>) -> bool {
    match statement {
        Statement::Emit(range) => range.clone().any(|one| one == handle),
        Statement::Call { result, .. } => *result == Some(handle),
        _other => false,
    }
}
