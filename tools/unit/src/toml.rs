//! TOML with places: every error has the line and column of what it is about.
//! In: a text. Out: tables, lists, numbers, JSON values. Knows no key.

use serde_json::{Number, Value, json};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use transpica_asm::line_and_column;
use transpica_inspect::state::unknown_word;

use crate::keys::Place;
use crate::shader::Problem;

/// A value with its place.
pub(crate) type Item<'t> = Spanned<DeValue<'t>>;
/// A key with its place.
pub(crate) type Key<'t> = Spanned<DeString<'t>>;

/// A text with its name.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'t> {
    pub name: &'t str,
    pub text: &'t str,
}

impl<'t> Reader<'t> {
    /// Parses the text.
    pub fn parse(self) -> Result<DeTable<'t>, Problem> {
        let table = DeTable::parse(self.text);
        let fail = |error: &toml::de::Error| {
            self.problem(error.span().map_or(0, |span| span.start), error.message())
        };
        Ok(table.map_err(|error| fail(&error))?.into_inner())
    }

    /// Returns line and column of a byte.
    pub fn place(self, start: usize) -> (usize, usize) {
        line_and_column(self.text, start)
    }

    pub fn problem(self, start: usize, message: impl Into<String>) -> Problem {
        let (file, place) = (self.name.to_owned(), Some(self.place(start)));
        Problem { file, place, message: message.into(), option: None }
    }

    /// The error about a value of another type.
    fn wrong<R>(self, item: &Item<'_>, what: &str, wanted: &str) -> Result<R, Problem> {
        Err(self.problem(item.span().start, format!("{what} must be {wanted}")))
    }

    pub fn table<'a>(self, item: &'a Item<'t>, what: &str) -> Result<&'a DeTable<'t>, Problem> {
        item.get_ref().as_table().map_or_else(|| self.wrong(item, what, "a table"), Ok)
    }

    pub fn list<'a>(self, item: &'a Item<'t>, what: &str) -> Result<&'a [Item<'t>], Problem> {
        item.get_ref().as_array().map_or_else(|| self.wrong(item, what, "a list"), |list| Ok(&list[..]))
    }

    pub fn text<'a>(self, item: &'a Item<'t>, what: &str) -> Result<&'a str, Problem> {
        item.get_ref().as_str().map_or_else(|| self.wrong(item, what, "a text"), Ok)
    }

    /// Returns a text, or the texts of a list.
    pub fn texts(self, item: &Item<'t>, what: &str) -> Result<Vec<String>, Problem> {
        match item.get_ref() {
            DeValue::String(text) => Ok(vec![text.to_string()]),
            DeValue::Array(list) => list.iter().map(|item| Ok(self.text(item, what)?.to_owned())).collect(),
            _other => self.wrong(item, what, "a text or a list of texts"),
        }
    }

    pub fn bool(self, item: &Item<'t>, what: &str) -> Result<bool, Problem> {
        item.get_ref().as_bool().map_or_else(|| self.wrong(item, what, "true or false"), Ok)
    }

    /// Returns a number that is not negative.
    pub fn count(self, item: &Item<'t>, what: &str) -> Result<u64, Problem> {
        value(item).as_u64().map_or_else(|| self.wrong(item, what, "a whole number of 0 or more"), Ok)
    }

    /// Returns the numbers of a list of this length.
    pub fn numbers<const N: usize>(self, item: &Item<'t>, what: &str) -> Result<[f32; N], Problem> {
        let number = |item| value(item).as_f64().map(|number| number as f32);
        let numbers = item.get_ref().as_array().and_then(|list| list.iter().map(number).collect());
        let numbers = numbers.and_then(|numbers: Vec<f32>| numbers.try_into().ok());
        numbers.map_or_else(|| self.wrong(item, what, &format!("a list of {N} numbers")), Ok)
    }

    /// Rejects other keys than those of a table.
    pub fn check_keys(self, table: &DeTable<'t>, of: Place, place: &str) -> Result<(), Problem> {
        let known = of.keys();
        let unknown = in_order(table).into_iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        unknown.map_or(Ok(()), |(key, _)| {
            let message = unknown_word(("key", key.get_ref()), &known, place);
            Err(self.problem(key.span().start, message))
        })
    }
}

/// Returns the entries of a table in the order of the file.
pub(crate) fn in_order<'a, 't>(table: &'a DeTable<'t>) -> Vec<(&'a Key<'t>, &'a Item<'t>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Returns the value as JSON has it: infinities and NaN are texts, as in state files.
pub(crate) fn value(item: &Item<'_>) -> Value {
    match item.get_ref() {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix());
            whole.map_or_else(|_| json!(number.to_string()), Value::from)
        }
        DeValue::Float(number) => {
            let value: f64 = number.as_str().parse().unwrap_or(f64::NAN);
            // The others are "nan", "inf" and "-inf".
            Number::from_f64(value).map_or_else(|| value.to_string().to_lowercase().into(), Value::Number)
        }
        DeValue::Boolean(value) => json!(value),
        DeValue::Datetime(time) => json!(time.to_string()),
        DeValue::Array(list) => list.iter().map(value).collect(),
        DeValue::Table(table) => {
            let members = table.iter().map(|(key, item)| (key.get_ref().to_string(), value(item)));
            Value::Object(members.collect())
        }
    }
}
