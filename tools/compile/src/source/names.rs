//! Names of what the host computes.
//! In: nodes of its graph. Out: identifiers from the source: those of `let`s and variables, else of
//! the function and the uniforms that take part. Knows no registers.

use naga::BinaryOperator;

use super::host::{Node, NodeId};
use super::lower::Lowering;

/// Nodes that are visited for a name.
const VISITED: usize = 64;
/// Words of a name.
const WORDS: usize = 3;

impl Lowering<'_> {
    /// Names of the first uniforms that a node reads.
    fn words(&self, node: NodeId) -> Vec<String> {
        let mut words = Vec::new();
        let mut work = vec![node];
        for _ in 0..VISITED {
            let Some(node) = work.pop() else { break };
            match self.host.node(node) {
                Node::Uniform(part) => {
                    let name = &self.interface.uniforms[part.uniform].name;
                    if !words.contains(name) && words.len() < WORDS {
                        words.push(name.clone());
                    }
                }
                other => work.extend(other.operands().into_iter().rev()),
            }
        }
        words
    }

    /// `scale` for `let scale = ..`, `normalize_light`, `view_model`.
    pub(super) fn derived_name(&self, node: NodeId) -> Option<String> {
        if let Some(name) = self.names.get(&node) {
            return Some(name.clone());
        }
        let mut words = self.words(node);
        if let Node::Math(fun, _) = self.host.node(node) {
            words.insert(0, format!("{fun:?}").to_ascii_lowercase());
        }
        (words.len() > 1).then(|| words.join("_"))
    }

    /// `lit` for a test of it, `kind_2` for `kind == 2`, `time_test` for others.
    pub(super) fn flag_name(&self, node: NodeId) -> Option<String> {
        if let Some(name) = self.names.get(&node) {
            return Some(name.clone());
        }
        let is_uniform = |node: NodeId| matches!(self.host.node(node), Node::Uniform(_));
        let name = self.words(node).into_iter().next()?;
        Some(match self.host.node(node) {
            Node::Uniform(_) => name,
            Node::Binary(BinaryOperator::NotEqual, a, _) | Node::Convert(a) if is_uniform(*a) => name,
            Node::Binary(BinaryOperator::Equal, a, b) if is_uniform(*a) => {
                let value = self.host.constant(*b).and_then(super::Data::whole);
                value.map_or_else(|| format!("{name}_test"), |value| format!("{name}_{value}"))
            }
            _other => format!("{name}_test"),
        })
    }

    /// `count_rounds` for rounds that `count` decides.
    pub(super) fn rounds_name(&self, node: NodeId) -> String {
        match self.words(node).first() {
            Some(name) => format!("{name}_rounds"),
            None => format!("rounds{}", self.interface.counts.len()),
        }
    }

    /// Makes the names of all registers identifiers, each once. A uniform that only the host reads
    /// shares its name with the test of it.
    pub(super) fn rename(&mut self) {
        let interface = &mut self.interface;
        let mut taken: Vec<String> = Vec::new();
        let mut own = Vec::new();
        for uniform in &mut interface.uniforms {
            uniform.name =
                unique(&identifier(&uniform.name), |name| taken.iter().chain(&own).any(|one| one == name));
            if uniform.register.is_some() { &mut taken } else { &mut own }.push(uniform.name.clone());
        }
        for derived in &mut interface.derived {
            derived.name =
                unique(&identifier(&derived.name), |name| taken.iter().chain(&own).any(|one| one == name));
            taken.push(derived.name.clone());
        }
        let others = (interface.flags.iter_mut().map(|one| &mut one.name))
            .chain(interface.counts.iter_mut().map(|one| &mut one.name));
        for name in others {
            *name = unique(&identifier(name), |candidate| taken.iter().any(|one| one == candidate));
            taken.push(name.clone());
        }
    }
}

/// An identifier from a name of a source: naga allows letters of all languages.
fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let mut text: String = name.chars().map(letter).collect();
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        text.insert(0, '_');
    }
    text
}

pub(super) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut candidate = name.to_string();
    let mut number = 2;
    while taken(&candidate) {
        candidate = format!("{name}{number}");
        number += 1;
    }
    candidate
}
