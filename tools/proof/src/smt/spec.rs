//! The PICA200's data instructions as terms: the specification, written a second time.
//! In: the components of the sources, after swizzle and negation, and a precision. Out: the
//! components of the destination. Nothing here is taken from the translator.
//! Facts: `reference/pica200.md`, sections 4.1 and 4.2 the operations, 6.4 float24.

use transpica::Precision;

use crate::smt::meaning::uniform;
use crate::smt::term::{Fun, Term, Terms};

/// Limit of LITP's y: 0x7FFF / 0x100.
const LIMIT: f32 = 32767.0 / 256.0;

/// Four components.
pub type Register = [Term; 4];

/// The specification at a precision.
pub struct Spec<'a> {
    /// Store of the terms.
    pub t: &'a mut Terms,
    /// Arithmetic.
    pub precision: Precision,
}

impl Spec<'_> {
    /// Arithmetic replaces sources with |x| < 2^-62 by +0.
    fn source(&mut self, x: Term) -> Term {
        if self.precision != Precision::F24 {
            return x;
        }
        // 2^-62 has the exponent field 65: a smaller magnitude has smaller bits.
        let (bits, magnitude, least) =
            (self.t.apply(Fun::BitsOf, &[x]), self.t.bits(0x7FFF_FFFF), self.t.bits(65 << 23));
        let magnitude = self.t.apply(Fun::BitAnd, &[bits, magnitude]);
        let small = self.t.apply(Fun::BitLess, &[magnitude, least]);
        let zero = self.t.float(0.0);
        self.t.ite(small, zero, x)
    }

    /// After each product and each sum: `bits & 0xFFFFFF80`; |x| ≥ 2^64 gives inf with its sign;
    /// |x| < 2^-62 and −0 give +0; NaN stays NaN.
    fn result(&mut self, x: Term) -> Term {
        if self.precision != Precision::F24 {
            return x;
        }
        let bits = self.t.apply(Fun::BitsOf, &[x]);
        let [sign, kept, limit, infinite] =
            [0x8000_0000, 0xFFFF_FF80, 191 << 23, 0x7F80_0000].map(|bits| self.t.bits(bits));
        let magnitude = self.t.bits(0x7FFF_FFFF);
        let magnitude = self.t.apply(Fun::BitAnd, &[bits, magnitude]);
        let fits = self.t.apply(Fun::BitLess, &[magnitude, limit]);
        let kept = self.t.apply(Fun::BitAnd, &[bits, kept]);
        let sign = self.t.apply(Fun::BitAnd, &[bits, sign]);
        let infinite = self.t.apply(Fun::BitOr, &[sign, infinite]);
        let chosen = self.t.ite(fits, kept, infinite);
        let number = self.t.apply(Fun::FromBits, &[chosen]);
        let number = self.source(number);
        let (nan, is_nan) = (self.t.float(f32::NAN), self.t.apply(Fun::IsNan, &[x]));
        self.t.ite(is_nan, nan, number)
    }

    /// `p = a*b ; if isnan(p) and not isnan(a) and not isnan(b): p = 0`
    fn pmul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.source(a), self.source(b));
        let p = self.t.apply(Fun::Mul, &[a, b]);
        let [p_is, a_is, b_is] = [p, a, b].map(|x| self.t.apply(Fun::IsNan, &[x]));
        let operand = self.t.or(a_is, b_is);
        let neither = self.t.not(operand);
        let condition = self.t.and(p_is, neither);
        let zero = self.t.float(0.0);
        let p = self.t.ite(condition, zero, p);
        self.result(p)
    }

    fn add(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.source(a), self.source(b));
        let sum = self.t.apply(Fun::Add, &[a, b]);
        self.result(sum)
    }

    /// 1/x and 1/sqrt(x), two roundings; +inf for both zeros.
    fn inverse(&mut self, x: Term, is_root: bool) -> Term {
        let x = self.source(x);
        let divisor = if is_root { self.t.apply(Fun::Sqrt, &[x]) } else { x };
        let (one, zero, infinity) = (self.t.float(1.0), self.t.float(0.0), self.t.float(f32::INFINITY));
        let quotient = self.t.apply(Fun::Div, &[one, divisor]);
        let is_zero = self.t.apply(Fun::Equal, &[x, zero]);
        let result = self.t.ite(is_zero, infinity, quotient);
        self.result(result)
    }

    /// `2^x`: NaN for NaN, +inf from 128 on, 0 up to −150.
    fn power(&mut self, x: Term) -> Term {
        let x = self.source(x);
        let [low, high, zero, infinity] =
            [-150.0, 128.0, 0.0, f32::INFINITY].map(|number| self.t.float(number));
        let (above, below) = (self.t.apply(Fun::Less, &[low, x]), self.t.apply(Fun::Less, &[x, high]));
        let is_nan = self.t.apply(Fun::IsNan, &[x]);
        let power = self.t.apply(Fun::Exp2, &[x]);
        let inside = self.t.ite(below, power, infinity);
        let number = self.t.ite(above, inside, zero);
        let result = self.t.ite(is_nan, x, number);
        self.result(result)
    }

    /// `log2(x)`: −inf for both zeros, NaN for negative numbers and NaN, +inf for +inf.
    fn logarithm(&mut self, x: Term) -> Term {
        let x = self.source(x);
        let [zero, nan, infinity, negative] =
            [0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(|number| self.t.float(number));
        let is_zero = self.t.apply(Fun::Equal, &[x, zero]);
        let is_infinite = self.t.apply(Fun::Equal, &[x, infinity]);
        let is_positive = self.t.apply(Fun::Less, &[zero, x]);
        let logarithm = self.t.apply(Fun::Log2, &[x]);
        let result = self.t.ite(is_positive, logarithm, nan);
        let result = self.t.ite(is_infinite, infinity, result);
        let result = self.t.ite(is_zero, negative, result);
        self.result(result)
    }

    fn compare(&mut self, fun: Fun, a: Term, b: Term) -> Term {
        let holds = self.t.apply(fun, &[a, b]);
        let (one, zero) = (self.t.float(1.0), self.t.float(0.0));
        self.t.ite(holds, one, zero)
    }

    /// `(a < b) ? c : d`
    fn choose(&mut self, [a, b]: [Term; 2], [c, d]: [Term; 2]) -> Term {
        let holds = self.t.apply(Fun::Less, &[a, b]);
        self.t.ite(holds, c, d)
    }

    fn litp(&mut self, s: Register) -> Register {
        let (zero, high, low) = (self.t.float(0.0), self.t.float(LIMIT), self.t.float(-LIMIT));
        let [x, w] = [s[0], s[3]].map(|a| self.choose([zero, a], [a, zero]));
        let y = self.choose([s[1], high], [s[1], high]);
        let y = self.choose([low, y], [y, low]);
        [x, y, zero, w]
    }

    /// `c[base]` with an address register that MOVA set from x, 4.6: the register counts modulo
    /// 128, offsets beyond a byte are 0, registers from 96 on are ones.
    pub fn relative(&mut self, base: u32, x: Term) -> Register {
        // The conversion cannot trap: what is clamped is beyond a byte.
        let [low, high, none] = [-1000.0, 1000.0, 0.0].map(|number| self.t.float(number));
        let is_nan = self.t.apply(Fun::IsNan, &[x]);
        let number = self.choose([x, high], [x, high]);
        let number = self.choose([low, number], [number, low]);
        let number = self.t.ite(is_nan, none, number);
        let offset = self.t.apply(Fun::ToInt, &[number]);
        let [first, last, zero, base, wrap, count] =
            [(-128i32).cast_unsigned(), 127, 0, base, 0x7F, 96].map(|bits| self.t.bits(bits));
        let below = self.t.apply(Fun::IntLess, &[offset, first]);
        let above = self.t.apply(Fun::IntLess, &[last, offset]);
        let is_beyond = self.t.or(below, above);
        let offset = self.t.ite(is_beyond, zero, offset);
        let sum = self.t.apply(Fun::BitAdd, &[base, offset]);
        let index = self.t.apply(Fun::BitAnd, &[sum, wrap]);
        let exists = self.t.apply(Fun::BitLess, &[index, count]);
        let one = self.t.float(1.0);
        [0, 1, 2, 3].map(|lane| {
            let component = uniform(self.t, index, lane);
            self.t.ite(exists, component, one)
        })
    }

    /// s1 where a comparison of CMP holds for a component of s1 and s2, else s2. Only `ne` is true
    /// of NaN.
    pub fn compared(&mut self, word: &str, lane: usize, [a, b, _]: &[Register; 3]) -> Register {
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
    pub fn instruction(&mut self, mnemonic: &str, s: &[Register; 3]) -> Register {
        let lanes = [0, 1, 2, 3];
        let dot = |spec: &mut Self, count: usize| {
            let mut total = spec.pmul(s[0][0], s[1][0]);
            for (&a, &b) in s[0].iter().zip(&s[1]).take(count).skip(1) {
                let product = spec.pmul(a, b);
                total = spec.add(total, product);
            }
            total
        };
        match mnemonic {
            "add" => lanes.map(|j| self.add(s[0][j], s[1][j])),
            "mul" => lanes.map(|j| self.pmul(s[0][j], s[1][j])),
            "mad" => lanes.map(|j| {
                let product = self.pmul(s[0][j], s[1][j]);
                self.add(product, s[2][j])
            }),
            "mov" => s[0],
            "flr" => s[0].map(|x| self.t.apply(Fun::Floor, &[x])),
            "sge" => lanes.map(|j| self.compare(Fun::LessEqual, s[1][j], s[0][j])),
            "slt" => lanes.map(|j| self.compare(Fun::Less, s[0][j], s[1][j])),
            "max" => lanes.map(|j| self.choose([s[1][j], s[0][j]], [s[0][j], s[1][j]])),
            "min" => lanes.map(|j| self.choose([s[0][j], s[1][j]], [s[0][j], s[1][j]])),
            "dp3" => [dot(self, 3); 4],
            "dp4" => [dot(self, 4); 4],
            "dph" => {
                let products = dot(self, 3);
                [self.add(products, s[1][3]); 4]
            }
            "dst" => [self.t.float(1.0), self.pmul(s[0][1], s[1][1]), s[0][2], s[1][3]],
            "rcp" => [self.inverse(s[0][0], false); 4],
            "rsq" => [self.inverse(s[0][0], true); 4],
            "ex2" => [self.power(s[0][0]); 4],
            "lg2" => [self.logarithm(s[0][0]); 4],
            "litp" => self.litp(s[0]),
            other => unreachable!("{other} is not a data instruction"),
        }
    }
}

/// The comparisons of CMP that a program can name.
pub const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
