//! The PICA200's data instructions as terms: the specification, written a second time.
//! In: the components of the sources, after swizzle and negation, and a precision. Out: the
//! components of the destination. Nothing here is taken from the translator.
//! Facts: `reference/pica200.md`, sections 4.1 and 4.2 the operations, 6.4 float24.

use transpica::Precision;

use transpica_compile::equal::meaning::uniform;
use transpica_compile::equal::term::{Fun, Term, Terms};

/// Limit of LITP's y: 0x7FFF / 0x100.
const LIMIT: f32 = 32767.0 / 256.0;

/// Four components.
pub type Register = [Term; 4];

/// The specification at a precision.
pub struct Spec<'a> {
    /// Store of the terms.
    pub t: &'a Terms,
    /// Arithmetic.
    pub precision: Precision,
}

impl Spec<'_> {
    /// Arithmetic replaces sources with |x| < 2^-62 by +0.
    fn source(&self, x: Term) -> Term {
        let t = self.t;
        if self.precision != Precision::F24 {
            return x;
        }
        // 2^-62 has the exponent field 65: a smaller magnitude has smaller bits.
        let magnitude = t.apply(Fun::BitAnd, &[t.apply(Fun::BitsOf, &[x]), t.bits(0x7FFF_FFFF)]);
        t.ite(t.apply(Fun::BitLess, &[magnitude, t.bits(65 << 23)]), t.float(0.0), x)
    }

    /// After each product and each sum: `bits & 0xFFFFFF80`; |x| ≥ 2^64 gives inf with its sign;
    /// |x| < 2^-62 and −0 give +0; NaN stays NaN.
    fn result(&self, x: Term) -> Term {
        let t = self.t;
        if self.precision != Precision::F24 {
            return x;
        }
        let bits = t.apply(Fun::BitsOf, &[x]);
        let magnitude = t.apply(Fun::BitAnd, &[bits, t.bits(0x7FFF_FFFF)]);
        let fits = t.apply(Fun::BitLess, &[magnitude, t.bits(191 << 23)]);
        let kept = t.apply(Fun::BitAnd, &[bits, t.bits(0xFFFF_FF80)]);
        let sign = t.apply(Fun::BitAnd, &[bits, t.bits(0x8000_0000)]);
        let infinite = t.apply(Fun::BitOr, &[sign, t.bits(0x7F80_0000)]);
        let number = self.source(t.apply(Fun::FromBits, &[t.ite(fits, kept, infinite)]));
        t.ite(t.apply(Fun::IsNan, &[x]), t.float(f32::NAN), number)
    }

    /// `p = a*b ; if isnan(p) and not isnan(a) and not isnan(b): p = 0`
    fn pmul(&self, a: Term, b: Term) -> Term {
        let (t, a, b) = (self.t, self.source(a), self.source(b));
        let p = t.apply(Fun::Mul, &[a, b]);
        let [p_is, a_is, b_is] = [p, a, b].map(|x| t.apply(Fun::IsNan, &[x]));
        let neither = t.not(t.or(a_is, b_is));
        self.result(t.ite(t.and(p_is, neither), t.float(0.0), p))
    }

    fn add(&self, a: Term, b: Term) -> Term {
        self.result(self.t.apply(Fun::Add, &[self.source(a), self.source(b)]))
    }

    /// 1/x and 1/sqrt(x), two roundings; +inf for both zeros.
    fn inverse(&self, x: Term, is_root: bool) -> Term {
        let (t, x) = (self.t, self.source(x));
        let divisor = if is_root { t.apply(Fun::Sqrt, &[x]) } else { x };
        let quotient = t.apply(Fun::Div, &[t.float(1.0), divisor]);
        let is_zero = t.apply(Fun::Equal, &[x, t.float(0.0)]);
        self.result(t.ite(is_zero, t.float(f32::INFINITY), quotient))
    }

    /// `2^x` or `log2(x)`, which have no theory.
    fn function(&self, fun: Fun, x: Term) -> Term {
        self.result(self.t.apply(fun, &[self.source(x)]))
    }

    fn compare(&self, fun: Fun, a: Term, b: Term) -> Term {
        self.t.ite(self.t.apply(fun, &[a, b]), self.t.float(1.0), self.t.float(0.0))
    }

    /// `(a < b) ? c : d`
    fn choose(&self, [a, b]: [Term; 2], [c, d]: [Term; 2]) -> Term {
        self.t.ite(self.t.apply(Fun::Less, &[a, b]), c, d)
    }

    fn litp(&self, s: Register) -> Register {
        let (zero, high, low) = (self.t.float(0.0), self.t.float(LIMIT), self.t.float(-LIMIT));
        let [x, w] = [s[0], s[3]].map(|a| self.choose([zero, a], [a, zero]));
        let y = self.choose([s[1], high], [s[1], high]);
        let y = self.choose([low, y], [y, low]);
        [x, y, zero, w]
    }

    /// `c[base]` with an address register that MOVA set from x, 4.6: the register counts modulo
    /// 128, offsets beyond a byte are 0, registers from 96 on are ones.
    pub fn relative(&self, base: u32, x: Term) -> Register {
        let t = self.t;
        // The conversion cannot trap: what is clamped is beyond a byte.
        let [low, high] = [-1000.0, 1000.0].map(|number| t.float(number));
        let is_nan = t.apply(Fun::IsNan, &[x]);
        let number = self.choose([x, high], [x, high]);
        let number = self.choose([low, number], [number, low]);
        let offset = t.apply(Fun::ToInt, &[t.ite(is_nan, t.float(0.0), number)]);
        let below = t.apply(Fun::IntLess, &[offset, t.bits((-128i32).cast_unsigned())]);
        let is_beyond = t.or(below, t.apply(Fun::IntLess, &[t.bits(127), offset]));
        let offset = t.ite(is_beyond, t.bits(0), offset);
        let index = t.apply(Fun::BitAnd, &[t.apply(Fun::BitAdd, &[t.bits(base), offset]), t.bits(0x7F)]);
        let exists = t.apply(Fun::BitLess, &[index, t.bits(96)]);
        [0, 1, 2, 3].map(|lane| t.ite(exists, uniform(t, index, lane), t.float(1.0)))
    }

    /// s1 where a comparison of CMP holds for a component of s1 and s2, else s2. Only `ne` is true
    /// of NaN.
    pub fn compared(&self, word: &str, lane: usize, [a, b, _]: &[Register; 3]) -> Register {
        let (both, exchanged) = ([a[lane], b[lane]], [b[lane], a[lane]]);
        let holds = match word {
            "eq" | "ne" => self.t.apply(Fun::Equal, &both),
            "lt" => self.t.apply(Fun::Less, &both),
            "le" => self.t.apply(Fun::LessEqual, &both),
            "gt" => self.t.apply(Fun::Less, &exchanged),
            _ge => self.t.apply(Fun::LessEqual, &exchanged),
        };
        let holds = if word == "ne" { self.t.not(holds) } else { holds };
        [0, 1, 2, 3].map(|lane| self.t.ite(holds, a[lane], b[lane]))
    }

    /// The destination of an instruction with every component enabled.
    pub fn instruction(&self, mnemonic: &str, s: &[Register; 3]) -> Register {
        let lanes = [0, 1, 2, 3];
        let product = |j: usize| self.pmul(s[0][j], s[1][j]);
        let dot = |count: usize| (1..count).fold(product(0), |total, j| self.add(total, product(j)));
        match mnemonic {
            "add" => lanes.map(|j| self.add(s[0][j], s[1][j])),
            "mul" => lanes.map(product),
            "mad" => lanes.map(|j| self.add(product(j), s[2][j])),
            "mov" => s[0],
            "flr" => s[0].map(|x| self.t.apply(Fun::Floor, &[x])),
            "sge" => lanes.map(|j| self.compare(Fun::LessEqual, s[1][j], s[0][j])),
            "slt" => lanes.map(|j| self.compare(Fun::Less, s[0][j], s[1][j])),
            "max" => lanes.map(|j| self.choose([s[1][j], s[0][j]], [s[0][j], s[1][j]])),
            "min" => lanes.map(|j| self.choose([s[0][j], s[1][j]], [s[0][j], s[1][j]])),
            "dp3" => [dot(3); 4],
            "dp4" => [dot(4); 4],
            "dph" => [self.add(dot(3), s[1][3]); 4],
            "dst" => [self.t.float(1.0), product(1), s[0][2], s[1][3]],
            "rcp" => [self.inverse(s[0][0], false); 4],
            "rsq" => [self.inverse(s[0][0], true); 4],
            "ex2" => [self.function(Fun::Exp2, s[0][0]); 4],
            "lg2" => [self.function(Fun::Log2, s[0][0]); 4],
            "litp" => self.litp(s[0]),
            other => unreachable!("{other} is not a data instruction"),
        }
    }
}

/// The comparisons of CMP that a program can name.
pub const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
