//! Wrong rules, a few for each family, and numbers that show it.
//! In: two functions that a wrong rule takes for equal. Out: whether the interpreter of the IR
//! computes different results for the numbers that a solver found, which `proven/mutants.tsv` has.

use crate::ir::{InputValues, Lanes, eval, parse};
use transpica::Precision;
use transpica::stages::ir::ScalarKind;

use crate::smt::question::{Claims, Question};
use crate::smt::rules::{function, table};
use transpica_compile::equal::term::Products;

/// A wrong rule.
pub struct Mutant {
    /// Family, and what is wrong.
    pub name: &'static str,
    /// Precision in which it is tried.
    pub precision: Precision,
    /// The function before, parameters first.
    pub before: &'static str,
    /// The function that the wrong rule makes of it.
    pub after: &'static str,
}

/// All of them: rows of `mutants.tsv`.
pub fn mutants() -> Vec<Mutant> {
    let rows = table(include_str!("mutants.tsv")).map(|[name, precision, before, after]| {
        let precision = if precision == "f24" { Precision::F24 } else { Precision::Exact };
        Mutant { name, precision, before, after }
    });
    rows.collect()
}

impl Mutant {
    /// Returns whether the wrong rule may change the sign of a zero.
    fn observes_signs(&self) -> bool {
        !self.name.starts_with("helper")
    }

    /// The claim that the rule is right, which is false.
    pub fn question(&self) -> Question {
        let (before, after) = (function(self.before), function(self.after));
        let mut claims = Claims::new(self.name.to_owned(), Products::Exact);
        let added = claims.same(self.name, [&before, &after], self.precision, self.observes_signs());
        debug_assert_eq!(added, Ok(()), "mutants have terms");
        claims.questions().swap_remove(0)
    }

    /// Returns whether the interpreter computes different results for these numbers.
    pub fn is_shown_by(&self, numbers: &[u32]) -> bool {
        let [before, after] = [self.before, self.after].map(|body| interpret(body, self.precision, numbers));
        let same = |(&a, &b): (&u32, &u32)| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            a == b || before.0 && (x.is_nan() && y.is_nan() || !self.observes_signs() && x == y)
        };
        !before.1.iter().zip(&after.1).all(same)
    }
}

/// The first result of a function whose parameters are numbers, by the interpreter of the IR, and
/// whether it has floats.
fn interpret(body: &str, precision: Precision, numbers: &[u32]) -> (bool, Lanes) {
    let (f, mut items, mut next) = (&function(body).main, String::new(), 0);
    for (index, &value) in f.get(f.params).iter().enumerate() {
        let ty = f.ty(value);
        let literal = |bits: &u32| match ty.kind {
            ScalarKind::Bool => (*bits != 0).to_string(),
            ScalarKind::I32 => bits.cast_signed().to_string(),
            ScalarKind::F32 | ScalarKind::U32 => format!("0x{bits:08x}"),
        };
        let end = next + usize::from(ty.lanes);
        let literals: Vec<String> = numbers[next..end].iter().map(literal).collect();
        items += &format!("%{index}: {ty} = const {} ", literals.join(" "));
        next = end;
    }
    let text = format!("func main {{ {items}{} }}", body.split_once(") ").unwrap_or_default().1);
    let module = parse(&text).unwrap_or_else(|error| unreachable!("rows are well formed: {error} in {text}"));
    let results = eval(&module, precision, &InputValues::default(), 1000);
    let lanes = results.unwrap_or_else(|error| unreachable!("mutants end: {error} in {text}"))[0];
    let result = f.body.and_then(|body| f.get(f.regions[body].exit.list()).first());
    (result.is_some_and(|&result| f.ty(result).kind == ScalarKind::F32), lanes)
}

/// Bits of the variables of a model, such as `v0=7f800000,p1=1`.
pub fn numbers(model: &str) -> Vec<u32> {
    let mut bits = vec![0; 16];
    for pair in model.split(',') {
        if let Some((name, value)) = pair.split_once('=')
            && let (Ok(number), Ok(value)) = (name[1..].parse::<usize>(), u32::from_str_radix(value, 16))
        {
            bits[number] = value;
        }
    }
    bits
}
