//! Random WGSL programs in the subset, of operations that are exact on the machine.
//! In: a seed. Out: a text. What it computes is bounded, so that no product overflows; nothing that
//! it divides or takes a root of, so that source and program agree in each bit.

use fastrand::Rng;

/// Type of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Float(u8),
    Int,
    Bool,
}

use Type::{Bool, Float, Int};

const DECLARATIONS: &str = "
struct Uniforms {
    a: f32, b: vec2f, c: vec3f, d: vec4f, m: mat4x4f, n: mat3x3f,
    list: array<vec4f, 6>, matrices: array<mat3x3f, 3>, count: i32, index: i32,
}
@group(0) @binding(0) var<uniform> u: Uniforms;
struct In { @location(0) p: vec3f, @location(1) q: vec4f, @location(2) k: vec2i, @location(3) r: f32 }
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
";

struct Generator {
    rng: Rng,
    text: String,
    /// Variables in scope, and whether a statement may change them.
    variables: Vec<(String, Type, bool)>,
    names: usize,
    is_helper: bool,
    helpers: usize,
    loops: usize,
    /// Loops of a host that may still come: there are four int uniforms.
    counted: usize,
}

/// A random program.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        rng: Rng::with_seed(seed),
        text: DECLARATIONS.to_string(),
        variables: Vec::new(),
        names: 0,
        is_helper: true,
        helpers: 0,
        loops: 0,
        counted: 2,
    };
    for helper in 0..generator.rng.usize(0..3) {
        generator.variables = vec![("x".into(), Float(3), false), ("y".into(), Float(1), false)];
        generator.text += &format!("fn helper{helper}(x: vec3f, y: f32) -> vec3f {{\n");
        generator.block(3);
        let result = generator.bounded(Float(3));
        generator.text += &format!("return {result};\n}}\n");
        generator.helpers = helper + 1;
    }
    generator.is_helper = false;
    let attributes =
        [("in.p", Float(3)), ("in.q", Float(4)), ("in.r", Float(1)), ("in.k.x", Int), ("in.k.y", Int)];
    generator.variables = attributes.map(|(name, ty)| (name.to_string(), ty, false)).into();
    generator.text += "@vertex fn main(in: In) -> Out {\nvar out: Out;\n";
    // Variables that all blocks change.
    (0..4).for_each(|_| generator.declare());
    generator.block(5);
    let [position, color, uv] = [Float(4), Float(4), Float(2)].map(|ty| generator.bounded(ty));
    generator.text += &format!("out.position = {position};\nout.color = {color};\nout.uv = {uv};\n");
    generator.text + "return out;\n}\n"
}

impl Generator {
    fn block(&mut self, statements: usize) {
        let scope = self.variables.len();
        for _ in 0..self.rng.usize(1..=statements) {
            self.statement(statements - 1);
        }
        self.variables.truncate(scope);
    }

    /// A block whose variables stay.
    fn statement(&mut self, size: usize) {
        match self.rng.u8(0..16) {
            0..5 => self.declare(),
            5..9 => self.assign(),
            9..12 if size > 0 => {
                let condition = self.expression(Bool, 2);
                self.text += &format!("if {condition} {{\n");
                self.block(size);
                if self.rng.bool() {
                    self.text += "} else {\n";
                    self.block(size);
                }
                self.text += "}\n";
            }
            12 | 13 if size > 0 => self.repeat(size),
            14 if size > 0 => self.switch(size),
            15 if self.is_helper && size > 0 => {
                let (condition, result) = (self.expression(Bool, 1), self.bounded(Float(3)));
                self.text += &format!("if {condition} {{ return {result}; }}\n");
            }
            _other => self.assign(),
        }
    }

    fn declare(&mut self) {
        let ty = self.any();
        let value = self.bounded(ty);
        let name = format!("v{}", self.names);
        self.names += 1;
        self.text += &format!("var {name} = {value};\n");
        self.variables.push((name, ty, true));
    }

    fn assign(&mut self) {
        let all: Vec<_> = self.variables.iter().filter(|(_, _, changes)| *changes).cloned().collect();
        if all.is_empty() {
            return self.declare();
        }
        let (name, ty, _) = all[self.rng.usize(0..all.len())].clone();
        match ty {
            Float(lanes @ 2..) if self.rng.u8(0..3) == 0 => {
                let value = self.bounded(Float(1));
                if lanes == 4 && self.rng.bool() {
                    let index = self.small();
                    self.text += &format!("{name}[{index}] = {value};\n");
                } else {
                    let lane = ["x", "y", "z", "w"][self.rng.usize(0..lanes.into())];
                    self.text += &format!("{name}.{lane} = {value};\n");
                }
            }
            Float(_) | Int | Bool => {
                let value = self.bounded(ty);
                self.text += &format!("{name} = {value};\n");
            }
        }
    }

    fn repeat(&mut self, size: usize) {
        let name = format!("n{}", self.names);
        self.names += 1;
        let is_counted = self.counted > 0 && self.loops == 0 && self.rng.bool();
        let limit = if is_counted {
            self.counted -= 1;
            "u.count".to_string()
        } else {
            let most = if self.loops == 0 { 7 } else { 3 };
            self.rng.u8(1..most).to_string()
        };
        self.text += &format!("for (var {name} = 0; {name} < {limit}; {name}++) {{\n");
        let scope = self.variables.len();
        self.variables.push((name, Int, false));
        self.loops += 1;
        self.block(size);
        if self.rng.u8(0..3) == 0 {
            let condition = self.expression(Bool, 1);
            let word = if self.rng.bool() { "break" } else { "continue" };
            self.text += &format!("if {condition} {{ {word}; }}\n");
            self.assign();
        }
        self.loops -= 1;
        self.variables.truncate(scope);
        self.text += "}\n";
    }

    fn switch(&mut self, size: usize) {
        let (selector, scope) = (self.expression(Int, 1), self.variables.len());
        self.text += &format!("switch {selector} {{\ncase 0: {{\n");
        self.block(size);
        self.text += "}\ncase 1, 3: {\n";
        self.block(size);
        if self.rng.bool() {
            let condition = self.expression(Bool, 1);
            self.text += &format!("if {condition} {{ break; }}\n");
            self.assign();
        }
        self.variables.truncate(scope);
        self.text += "}\ndefault: {\n";
        self.block(size);
        self.text += "}\n}\n";
    }

    fn any(&mut self) -> Type {
        match self.rng.u8(0..7) {
            0 => Bool,
            1 => Int,
            lanes => Float(lanes.clamp(1, 5) - 1).max_one(),
        }
    }

    /// An expression whose floats are between -8 and 8.
    fn bounded(&mut self, ty: Type) -> String {
        let value = self.expression(ty, 3);
        match ty {
            Float(1) => format!("clamp({value}, -8.0, 8.0)"),
            Float(lanes) => format!("clamp({value}, vec{lanes}f(-8.0), vec{lanes}f(8.0))"),
            Int => format!("clamp({value}, -99, 99)"),
            Bool => value,
        }
    }

    fn expression(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 || self.rng.u8(0..6) == 0 {
            return self.leaf(ty);
        }
        let next = depth - 1;
        match ty {
            Float(lanes) => self.float(lanes, next),
            Int => {
                let (a, b) = (self.expression(Int, next), self.leaf(Int));
                match self.rng.u8(0..10) {
                    0 | 1 => format!("({a} + {b})"),
                    2 => format!("({a} - {b})"),
                    3 => format!("({a} * {b})"),
                    4 => format!("({a} / {})", self.rng.u8(1..9)),
                    5 => format!("({a} % {})", self.rng.u8(1..9)),
                    6 => format!("min({a}, {b})"),
                    7 => format!("abs({a})"),
                    8 => format!("select({a}, {b}, {})", self.expression(Bool, next)),
                    _other => format!("i32({})", self.bounded(Float(1))),
                }
            }
            Bool => {
                let float = |this: &mut Self, lanes| this.expression(Float(lanes), next);
                let word = ["<", "<=", ">", ">="][self.rng.usize(0..4)];
                match self.rng.u8(0..7) {
                    0 | 1 => format!("({} {word} {})", float(self, 1), float(self, 1)),
                    2 => format!("({} {word} {})", self.expression(Int, next), self.leaf(Int)),
                    3 => format!("({} == {})", self.expression(Int, next), self.leaf(Int)),
                    4 => format!("({} && {})", self.expression(Bool, next), self.expression(Bool, next)),
                    5 => format!("({} || !{})", self.expression(Bool, next), self.expression(Bool, next)),
                    _other => format!("any({} {word} {})", float(self, 3), float(self, 3)),
                }
            }
        }
    }

    fn float(&mut self, lanes: u8, next: usize) -> String {
        let ty = Float(lanes);
        let own = |this: &mut Self| this.expression(ty, next);
        match self.rng.u8(0..20) {
            0 | 1 => format!("({} + {})", own(self), own(self)),
            2 | 3 => format!("({} * {})", own(self), own(self)),
            4 => format!("({} - {})", own(self), self.expression(Float(1), next)),
            5 => format!("-({})", own(self)),
            6 => format!("min({}, {})", own(self), own(self)),
            7 => format!("max({}, {})", own(self), own(self)),
            8 => format!("abs({})", own(self)),
            9 => format!(
                "{}({})",
                ["floor", "fract", "sign", "ceil", "trunc"][self.rng.usize(0..5)],
                own(self)
            ),
            10 => format!("select({}, {}, {})", own(self), own(self), self.expression(Bool, next)),
            11 => format!("step({}, {})", own(self), own(self)),
            12 | 13 => self.composed(lanes, next),
            14 => match lanes {
                1 => format!("dot({}, {})", self.expression(Float(4), next), self.expression(Float(4), next)),
                3 => format!("cross({}, {})", own(self), own(self)),
                4 => format!("(u.m * {})", own(self)),
                _two => format!("{}.zx", self.expression(Float(3), next)),
            },
            15 => match lanes {
                1 => format!("f32({})", self.expression(Int, next)),
                3 => format!("({} * u.n)", own(self)),
                4 => format!("u.list[{}]", self.small()),
                _two => format!("{}.wy", self.expression(Float(4), next)),
            },
            16 => match lanes {
                1 => format!("{}[{}]", self.expression(Float(4), next), self.small()),
                3 => format!("(u.matrices[min({}, 2)] * {})", self.small(), own(self)),
                4 => format!("({} * transpose(u.m))", own(self)),
                _two => format!("vec2f({})", self.expression(Float(1), next)),
            },
            17 if lanes == 3 && self.helpers > 0 => {
                let helper = self.rng.usize(0..self.helpers);
                format!("helper{helper}({}, {})", own(self), self.expression(Float(1), next))
            }
            _other => format!("fma({}, {}, {})", own(self), own(self), own(self)),
        }
    }

    fn composed(&mut self, lanes: u8, next: usize) -> String {
        match lanes {
            1 => format!("{}.y", self.expression(Float(3), next)),
            2 => format!("vec2f({}, {})", self.expression(Float(1), next), self.leaf(Float(1))),
            3 => format!("vec3f({}, {})", self.expression(Float(2), next), self.leaf(Float(1))),
            _four => format!("vec4f({}, {})", self.expression(Float(3), next), self.leaf(Float(1))),
        }
    }

    /// A whole number from 0 to 3.
    fn small(&mut self) -> String {
        match self.rng.u8(0..4) {
            0 => format!("clamp({}, 0, 3)", self.expression(Int, 1)),
            1 if !self.is_helper => "in.k.y".into(),
            2 => "u.index".into(),
            _other => self.rng.u8(0..4).to_string(),
        }
    }

    fn leaf(&mut self, ty: Type) -> String {
        let names: Vec<String> =
            self.variables.iter().filter(|(_, own, _)| *own == ty).map(|(name, ..)| name.clone()).collect();
        if !names.is_empty() && self.rng.u8(0..3) > 0 {
            return names[self.rng.usize(0..names.len())].clone();
        }
        let number = f32::from(self.rng.i8(-16..=16)) / 4.0;
        match (ty, self.rng.bool()) {
            (Float(1), true) => "u.a".into(),
            (Float(2), true) => "u.b".into(),
            (Float(3), true) => "u.c".into(),
            (Float(4), true) => "u.d".into(),
            (Float(1), _) => format!("f32({number:?})"),
            (Float(lanes), _) => format!("vec{lanes}f({number:?})"),
            (Int, true) => "u.index".into(),
            (Int, false) => format!("i32({})", self.rng.u8(0..8)),
            (Bool, _) => {
                if self.rng.bool() {
                    "(u.index > 1)".into()
                } else {
                    "(u.a < 0.5)".into()
                }
            }
        }
    }
}

impl Type {
    fn max_one(self) -> Self {
        match self {
            Float(lanes) => Float(lanes.max(1)),
            other => other,
        }
    }
}
