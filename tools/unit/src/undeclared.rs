//! Without the feature `source` no shader is compiled: none declares names.

use std::path::Path;

use toml::de::DeTable;
use transpica::isa::Uniforms;
use transpica_inspect::state::Set;
use transpica_inspect::symbols::Symbols;

use crate::shader::{Choices, Lowered, Problem};
use crate::toml::{Item, Reader};

/// Names of a source, of which there is none.
#[derive(Clone, Debug)]
pub(crate) enum Declared {}

/// Values for it.
pub(crate) struct Values<'a>(&'a Declared);

pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

pub(crate) fn is_source(_path: &Path) -> bool {
    false
}

pub(crate) fn check_role(_name: &str) -> Result<(), String> {
    Ok(())
}

pub(crate) fn check_promise(_text: &str) -> Result<(), String> {
    Ok(())
}

pub(crate) fn compile(_: &str, _: &[u8], _: &Choices) -> Option<Result<Lowered, Problem>> {
    None
}

impl Declared {
    pub fn computed_otherwise(&self, _: &Self, _: impl Fn(char, usize) -> usize) -> Vec<String> {
        match *self {}
    }
    pub fn takes(&self, _key: &str, _item: &Item<'_>) -> bool {
        match *self {}
    }
    pub fn line(&self, _number: u32) -> Option<&str> {
        match *self {}
    }
    pub fn attribute(&self, _name: &str) -> Option<String> {
        match *self {}
    }
    pub fn output(&self, _name: &str) -> Option<usize> {
        match *self {}
    }
    pub fn register(&self, _register: &str) -> Option<(String, bool)> {
        match *self {}
    }
    pub fn names(&self) -> [Vec<(String, String)>; 3] {
        match *self {}
    }
}

impl<'a> Values<'a> {
    pub fn new<'t>(it: &'a Declared, _: (Reader<'t>, &Symbols), _: &[&DeTable<'t>]) -> Result<Self, Problem> {
        match *it {}
    }
    pub fn onto(&self, _: &mut Uniforms, _: bool, _: usize) -> Option<Set> {
        match *self.0 {}
    }
}
