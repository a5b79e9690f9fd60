//! Messages of naga in words of the source.
//! In: an error of naga's readers or its validator. Out: an [`Error`] at the innermost place that
//! is known: texts and types stand for the numbers of naga's tables.

use naga::common::wgsl::TypeContext;
use naga::front::glsl::{self, ErrorKind};
use naga::front::{Typifier, wgsl};
use naga::proc::ResolveContext;
use naga::valid::ValidationError;
use naga::{Expression, Function, Handle, Module, Span, Statement, WithSpan};

use super::error::{BOOLS, Error, Kind, TEXTURES, at, entry_span, find, find_name};
use super::loops::spanned;
use super::read::Source;

/// Letters of an expression that a message quotes.
const QUOTED: usize = 40;
/// Ends of what stands before the number of a type.
const TYPES: [&str; 6] = ["return type ", "the type ", "The type ", "met by ", "of type ", "has a type "];

/// The error of naga's reader of WGSL, which has no place for what its tables number.
pub(super) fn of_wgsl(error: &wgsl::ParseError, text: &str) -> Error {
    let message = error.message().replace("`{Abstract", "`Abstract").replace("}` to", "` to");
    let index = message.split(' ').nth(1).unwrap_or_default();
    let known = error.labels().map(|(span, _)| span).find(Span::is_defined);
    let span = known.or_else(|| find(text, &[format!("[{index}]"), "@vertex".into()]));
    at(Kind::Syntax(without_structures(message, "an index")), span.unwrap_or_default(), text)
}

/// The error of naga's reader of GLSL.
pub(super) fn of_glsl(error: &glsl::Error, text: &str) -> Error {
    let mut span = error.meta;
    let found = span.to_range().and_then(|range| text.get(range)).unwrap_or_default();
    let message = error.kind.to_string();
    let unknown = message.strip_prefix("Unknown function '").and_then(|rest| rest.strip_suffix('\''));
    let kind = match (&error.kind, unknown, message.split_once(", found ")) {
        (ErrorKind::UnknownVariable(name), ..) if name.starts_with("gl_") => {
            Kind::BuiltIn(format!("input {name}"))
        }
        (ErrorKind::PreprocessorError(_), ..) if message.contains("64Bit") => {
            let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            let long = words.find(|word| word.starts_with(char::is_numeric) && word.ends_with(['l', 'L']));
            span = long.and_then(|word| find_name(text, 0, word)).unwrap_or(span);
            Kind::Format("64 bits".into())
        }
        (_, Some(name), _) if name.starts_with("tex") => Kind::Resource(TEXTURES.into()),
        (_, Some(name), _) => {
            let start = span.to_range().map_or(0, |range| range.end);
            let later = if is_defined(text, start, name) { "; declare it before it is used" } else { "" };
            Kind::Syntax(format!("no function `{name}` takes these arguments{later}"))
        }
        (ErrorKind::PreprocessorError(_), ..) if message.contains("UnknownDirective") => {
            Kind::Syntax("this directive is unknown: `#include` is, too, so write one text".into())
        }
        (ErrorKind::UnsupportedMatrixWithTwoRowsInStd140 { columns }, ..) => Kind::Syntax(format!(
            "a uniform cannot be a matrix of two rows: declare a vec2 for each of the {columns} columns"
        )),
        (ErrorKind::SemanticError(_), ..) if message.starts_with("Can't lookup field") => Kind::Syntax(
            format!("{message}; a column of a matrix is stored as a whole or lane by lane, `m[0][1]`"),
        ),
        (ErrorKind::InvalidToken(..), _, Some((expected, _))) => {
            Kind::Syntax(format!("{expected}, not `{found}`"))
        }
        _other => Kind::Syntax(without_structures(message.clone(), &format!("`{found}`"))),
    };
    at(kind, span, text)
}

/// Returns whether a text defines a function after a place.
fn is_defined(text: &str, start: usize, name: &str) -> bool {
    let after = find_name(text, start, name).and_then(Span::to_range).and_then(|range| text.get(range.end..));
    let rest = after.filter(|rest| rest.trim_start().starts_with('('));
    rest.and_then(|rest| rest.split_once(')')).is_some_and(|(_, body)| body.trim_start().starts_with('{'))
}

/// A message, or another one if it has structures of naga.
fn without_structures(message: String, found: &str) -> String {
    let is_plain = !message.contains(" { ") && numbered(&message).is_none();
    if is_plain { message } else { format!("{found} or a part of it does not fit here") }
}

/// The error of naga's validator.
pub(super) fn of_validator(error: &WithSpan<ValidationError>, Source { module, text, .. }: &Source) -> Error {
    let (function, head) = match error.as_inner() {
        ValidationError::Function { handle, .. } => (Some(&module.functions[*handle]), Span::UNDEFINED),
        ValidationError::EntryPoint { name, .. } => {
            let entry = module.entry_points.iter().find(|entry| entry.name == *name);
            (entry.map(|entry| &entry.function), entry_span(text, name))
        }
        _other => (None, Span::UNDEFINED),
    };
    let words = Words { module, function, text };
    let span = words.place(error).unwrap_or(head);
    let inner: &dyn std::error::Error = error.as_inner();
    let causes = std::iter::successors(Some(inner), |cause| cause.source());
    let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    if message.contains("HOST_SHAREABLE") || message.contains("not host-shareable") {
        let types = module.types.iter().map(|(ty, _)| module.types.get_span(ty));
        let mut ranges = types.chain([span]).filter_map(Span::to_range);
        let bool = ranges.find_map(|range| find_name(text.get(..range.end)?, range.start, "bool"));
        return at(Kind::Resource(BOOLS.into()), bool.unwrap_or(span), text);
    }
    // The place says in which function and expression.
    let last = words.readable(message.rsplit(" is invalid: ").next().unwrap_or_default());
    let last = if last.starts_with("Composing ") {
        format!("{last}: give a matrix its columns, `mat2(v.xy, v.zw)`")
    } else {
        last
    };
    let found = words.quoted(span).map_or("a value".into(), |text| format!("`{text}`"));
    at(Kind::Invalid(without_structures(last, &found)), span, text)
}

/// Words for the numbers in messages about a function or a module.
struct Words<'a> {
    module: &'a Module,
    function: Option<&'a Function>,
    text: &'a str,
}

impl Words<'_> {
    /// The shortest place in the body of the function, else its head, or the statement that returns
    /// an argument, whose own place is its declaration.
    fn place(&self, error: &WithSpan<ValidationError>) -> Option<Span> {
        let range = |span: Span| span.to_range().unwrap_or_default();
        let body = self.function.map_or(Vec::new(), |function| spanned(&[&function.body]));
        let first = body.iter().map(|(_, span, _)| range(*span).start).filter(|&start| start > 0).min();
        let is_head = |span| first.is_some_and(|first| range(span).start < first);
        // The head is short, and is the place only if there is no other.
        let rank = |span: Span, label: &str| {
            (is_head(span), label.starts_with("naga::ir::Function ["), range(span).len())
        };
        let best = error.spans().min_by_key(|(span, label)| rank(*span, label)).map(|(span, _)| *span)?;
        let is_use = |(statement, ..): &&(&Statement, Span, usize)| match (statement, self.function) {
            (Statement::Return { value: Some(value) }, Some(function)) => {
                is_head(best) && function.expressions.get_span(*value) == best
            }
            // A uniform has the place of its declaration.
            (Statement::Store { pointer, .. }, Some(function)) => {
                function.expressions.get_span(*pointer) == best
            }
            _other => false,
        };
        Some(body.iter().find(is_use).map_or(best, |(_, span, _)| *span))
    }

    /// A message with words in place of numbers.
    fn readable(&self, message: &str) -> String {
        let (mut text, mut rest) = (String::new(), message);
        while let Some((before, number, after)) = numbered(rest) {
            let bare = before.strip_suffix("Some(");
            text += bare.unwrap_or(before);
            text += &self.name(&text, number).unwrap_or_else(|| "a value".into());
            rest = after.strip_prefix(')').filter(|_| bare.is_some()).unwrap_or(after);
            // The name has the type.
            if rest.starts_with(" (of type ") {
                rest = rest.find(") and ").or(rest.rfind(')')).map_or("", |end| &rest[end + 1..]);
            }
        }
        let text = (text + rest).replace("`return` expression None", "value of a missing `return`");
        text.replace("declared return type None", "function, which returns none")
    }

    /// The word for a number after a text: a type, or an expression and its type.
    fn name(&self, before: &str, number: usize) -> Option<String> {
        let types = &self.module.types;
        if TYPES.iter().any(|end| before.ends_with(end)) {
            return types.iter().nth(number).map(|(handle, _)| types.type_to_string(handle));
        }
        let function = self.function?;
        let (handle, expression) = function.expressions.iter().nth(number)?;
        let read = if let Expression::Load { pointer } = expression { *pointer } else { handle };
        let quoted = match &function.expressions[read] {
            Expression::LocalVariable(variable) => function.local_variables[*variable].name.clone(),
            _other => self.quoted(function.expressions.get_span(handle)),
        };
        let kind = self.kind(function, handle)?;
        Some(quoted.map_or(format!("a value of {kind}"), |quoted| format!("`{quoted}` ({kind})")))
    }

    /// The text of a place, if it is short. Swizzles of GLSL begin at the dot.
    fn quoted(&self, span: Span) -> Option<String> {
        let mut range = span.to_range()?;
        if self.text.get(range.clone())?.starts_with('.') {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            range.start = self.text[..range.start].trim_end_matches(is_part).len();
        }
        let text = self.text.get(range)?;
        let text = text.strip_prefix("Block_").unwrap_or(text);
        (text.len() <= QUOTED && !text.contains('\n')).then(|| text.into())
    }

    /// The type of an expression, or of what a pointer leads to.
    fn kind(&self, function: &Function, handle: Handle<Expression>) -> Option<String> {
        let Function { local_variables, arguments, expressions, .. } = function;
        let (mut all, types) = (Typifier::new(), &self.module.types);
        let context = ResolveContext::with_locals(self.module, local_variables, arguments);
        all.grow(handle, expressions, &context).ok()?;
        let pointed = all.get(handle, types).pointer_base_type();
        Some(types.type_resolution_to_string(pointed.as_ref().unwrap_or(&all[handle])))
    }
}

/// The parts around the first number of naga's tables in a message, as in `The type of [12]`.
fn numbered(message: &str) -> Option<(&str, usize, &str)> {
    message.match_indices('[').find_map(|(start, _)| {
        let before = &message[..start];
        let (number, after) = message[start + 1..].split_once(']')?;
        let is_element = before.ends_with(char::is_alphanumeric) || before.ends_with("Argument ");
        Some((before, number.parse().ok().filter(|_| !is_element)?, after))
    })
}
