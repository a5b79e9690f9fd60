//! Questions: claims about terms, their texts and the list of those that were proven.
//! In: two functions of the IR, or a function and the specification. Out: a script, unless both
//! sides are the same term. `proven/questions.tsv` is keyed by a hash of the script, so a question
//! counts as proven as long as not one character of it changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use transpica::Precision;
use transpica::stages::ir::Module;
use xxhash_rust::xxh3::xxh3_128;

use transpica_compile::equal::term::{Products, Term, Terms};
use transpica_compile::equal::walk::results;

/// The three precisions.
pub const PRECISIONS: [Precision; 3] = [Precision::Exact, Precision::Fast, Precision::F24];

/// A claim as the script that is satisfiable if and only if it is false.
#[derive(Clone, Debug)]
pub struct Question {
    /// Family, and what is asked.
    pub name: String,
    /// Claims that it joins, each different.
    pub claims: usize,
    /// Functions of the library that it is about, those with equal claims too.
    pub functions: usize,
    /// The script, or `None` if both sides of every claim are one term, which needs no solver.
    pub script: Option<String>,
}

impl Question {
    /// A question about a script.
    pub fn from_script(name: String, script: String) -> Self {
        Self { name, claims: 1, functions: 0, script: Some(script) }
    }

    /// Key of the script in the list of proven questions.
    pub fn key(&self) -> Option<String> {
        self.script.as_ref().map(|script| key(script))
    }
}

/// Equalities of pairs of functions that become one question.
#[derive(Debug)]
pub struct Claims {
    name: String,
    products: Products,
    /// Store of the terms.
    pub terms: Terms,
    /// Each different claim with what it is about.
    all: Vec<(Term, String)>,
    functions: usize,
    /// Most claims of one question.
    pub joined: usize,
}

impl Claims {
    /// None yet.
    pub fn new(name: String, products: Products) -> Self {
        let joined = if products == Products::Lemmas { HARD } else { JOINED };
        Self { name, products, terms: Terms::default(), all: Vec::new(), functions: 0, joined }
    }
    /// Returns the last group, or a new one if that has another name.
    pub fn group(groups: &mut Vec<Self>, name: String, products: Products) -> &mut Self {
        if groups.last().is_none_or(|group| group.name != name) {
            groups.push(Self::new(name, products));
        }
        let last = groups.len() - 1;
        &mut groups[last]
    }

    /// Adds that lanes are equal, possibly except for the signs of zeros.
    pub fn equal(&mut self, label: &str, pairs: &[(Term, Term)], signs_of_zero: bool) {
        self.functions += 1;
        let mut claim = None;
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            let same = self.terms.equal(a, b, signs_of_zero);
            claim = Some(claim.map_or(same, |claim| self.terms.and(claim, same)));
        }
        if let Some(claim) = claim
            && self.all.iter().all(|(known, _)| *known != claim)
        {
            self.all.push((claim, label.to_owned()));
        }
    }

    /// Adds that two functions with the same parameters have equal results.
    ///
    /// # Errors
    /// One of them has something that has no term.
    pub fn same(
        &mut self,
        label: &str,
        [before, after]: [&Module; 2],
        precision: Precision,
        signs_of_zero: bool,
    ) -> Result<(), String> {
        let [before, after] = [before, after].map(|module| results(&self.terms, module, precision));
        let (before, after) = (before?, after?);
        if before.len() != after.len() {
            return Err(format!("{label}: {} results before, {} after", before.len(), after.len()));
        }
        let pairs: Vec<_> = before.into_iter().zip(after).collect();
        self.equal(label, &pairs, signs_of_zero);
        Ok(())
    }

    /// The claims that do not hold for given bits of the variables.
    pub fn refuted(&self, variables: &[u32]) -> Vec<&str> {
        let fails = |(claim, _): &&(Term, String)| self.terms.eval(*claim, variables) == 0;
        self.all.iter().filter(fails).map(|(_, label)| label.as_str()).collect()
    }

    /// All of them as questions of at most [`JOINED`] claims.
    pub fn questions(self) -> Vec<Question> {
        if self.all.is_empty() {
            return vec![Question { name: self.name, claims: 0, functions: self.functions, script: None }];
        }
        let mut questions = Vec::new();
        for (index, chunk) in self.all.chunks(self.joined).enumerate() {
            let (claims, (first, label), terms) = (chunk.len(), &chunk[0], &self.terms);
            let claim = chunk[1..].iter().fold(*first, |all, (claim, _)| terms.and(all, *claim));
            let is_alone = claims == 1 && self.name != *label;
            let end = if is_alone { format!(": {label}") } else { format!(" {}", index + 1) };
            let name = format!("{}{end}", self.name);
            let functions = if index == 0 { self.functions } else { 0 };
            let script = Some(self.terms.script(claim, self.products));
            questions.push(Question { name, claims, functions, script });
        }
        questions
    }
}

/// Most claims of one question.
const JOINED: usize = 100;
/// The same for claims about products, of which solvers decide few together in no less time.
const HARD: usize = 4;

/// Key of a script.
pub fn key(script: &str) -> String {
    format!("{:032x}", xxh3_128(script.as_bytes()))
}

/// Folder of the checked in results.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/smt/proven"))
}

/// A row of the list: what solvers said of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Name of the first question with this script.
    pub name: String,
    /// Solvers that proved it, joined by `+`; `-` and the reason if none did.
    pub solvers: String,
    /// Longest time of them in milliseconds.
    pub time: u32,
}

impl Answer {
    /// Returns whether a solver proved the question.
    pub fn is_proven(&self) -> bool {
        !self.solvers.starts_with('-')
    }
}

/// Reads a list of answers by key.
pub fn answers(text: &str) -> BTreeMap<String, Answer> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let [key, name, solvers, time] = [(); 4].map(|()| cells.next().unwrap_or_default());
        let answer = Answer { name: name.to_owned(), solvers: solvers.to_owned(), time: time.parse().ok()? };
        Some((key.to_owned(), answer))
    });
    rows.collect()
}
