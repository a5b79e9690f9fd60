//! Every value of a type, one part changed at a time. The lists below name each field and each
//! variant, and a missing one is a compile error. So a new field or variant cannot be forgotten.

use std::borrow::Cow;

use transpica::geometry::{GeometryInput, GeometrySetup, Topology};
use transpica::host::{IntPacking, OutputMap, RegisterLayout};
use transpica::settings::{
    Arithmetic, Assume, AttributeFormat, AttributeKind, AttributeNames, Binding, Bindings, Block, BlockNames,
    BoolUniforms, ClipPlanes, Control, DepthRange, DepthSnap, FlipY, FloatControls, Functions, GlslOutputs,
    GlslProfile, IntUniforms, Layout, Outputs, Promise, UndefinedValue, Varying, VaryingSource, VertexInput,
};
use transpica::{Limits, Options, Precision, Profile, Setup};

/// A type whose values can be listed.
pub trait Values: Sized {
    /// Returns some value.
    fn some() -> Self;
    /// Returns values that differ from this one in one part, with the name of the part: all
    /// variants, all bits of numbers.
    fn others(&self) -> Vec<(String, Self)>;
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Values for $number {
            fn some() -> Self {
                0
            }
            fn others(&self) -> Vec<(String, Self)> {
                let mut all: Vec<Self> = (0..Self::BITS).map(|bit| 1 << bit).collect();
                all.extend([0, 3, Self::MAX]);
                all.retain(|other| other != self);
                all.into_iter().map(|other| (format!(" = {other}"), other)).collect()
            }
        }
    )* };
}

numbers!(i8 u8 u16 u32);

impl Values for f32 {
    fn some() -> Self {
        0.0
    }
    fn others(&self) -> Vec<(String, Self)> {
        let others = self.to_bits().others().into_iter();
        others.map(|(path, bits)| (path, Self::from_bits(bits))).collect()
    }
}

impl Values for bool {
    fn some() -> Self {
        false
    }
    fn others(&self) -> Vec<(String, Self)> {
        vec![(format!(" = {}", !self), !self)]
    }
}

impl<T: Values> Values for Option<T> {
    fn some() -> Self {
        None
    }
    fn others(&self) -> Vec<(String, Self)> {
        let some = |(path, value)| (format!(".some{path}"), Some(value));
        let mut all: Vec<_> = match self {
            None => vec![(" = some".to_owned(), Some(T::some()))],
            Some(_) => vec![(" = none".to_owned(), None)],
        };
        all.extend(self.as_ref().unwrap_or(&T::some()).others().into_iter().map(some));
        all
    }
}

impl<T: Values + Copy, const N: usize> Values for [T; N] {
    fn some() -> Self {
        [T::some(); N]
    }
    fn others(&self) -> Vec<(String, Self)> {
        let mut all = Vec::new();
        for index in 0..N {
            for (path, value) in self[index].others() {
                let mut changed = *self;
                changed[index] = value;
                all.push((format!("[{index}]{path}"), changed));
            }
        }
        all
    }
}

impl<A: Values + Copy, B: Values + Copy> Values for (A, B) {
    fn some() -> Self {
        (A::some(), B::some())
    }
    fn others(&self) -> Vec<(String, Self)> {
        let mut all: Vec<_> =
            self.0.others().into_iter().map(|(path, a)| (format!(".0{path}"), (a, self.1))).collect();
        all.extend(self.1.others().into_iter().map(|(path, b)| (format!(".1{path}"), (self.0, b))));
        all
    }
}

/// Implements [`Values`] for a struct, by its fields.
macro_rules! fields {
    ($name:ident { $($field:ident)* }) => {
        impl Values for $name {
            fn some() -> Self {
                Self { $($field: Values::some()),* }
            }
            fn others(&self) -> Vec<(String, Self)> {
                let Self { $($field),* } = self;
                let mut all = Vec::new();
                $(for (path, value) in $field.others() {
                    all.push((format!(".{}{path}", stringify!($field)), Self { $field: value, ..self.clone() }));
                })*
                all
            }
        }
    };
}

/// Implements [`Values`] for an enum, by its variants and their fields; a field without a name is
/// `0`.
macro_rules! variants {
    ($name:ident { $($variant:ident { $($field:tt: $bound:ident),* })* }) => {
        impl Values for $name {
            fn some() -> Self {
                [$(Self::$variant { $($field: Values::some()),* }),*][0]
            }
            #[allow(clippy::let_unit_value, clippy::unused_unit, reason = "variants without fields")]
            fn others(&self) -> Vec<(String, Self)> {
                match self {
                    $(Self::$variant { $($field: _),* } => {})*
                }
                let mut all = Vec::new();
                $(
                    let ($($bound,)*) = match *self {
                        Self::$variant { $($field: $bound),* } => ($($bound,)*),
                        _ => ($({ let $bound = Values::some(); $bound },)*),
                    };
                    let variant = Self::$variant { $($field: $bound),* };
                    if variant != *self {
                        all.push((format!(" = {}", stringify!($variant)), variant));
                    }
                    $(for (path, value) in $bound.others() {
                        let $bound = value;
                        let mut changed = variant;
                        if let Self::$variant { $field: place, .. } = &mut changed {
                            *place = $bound;
                        }
                        let name = concat!(stringify!($variant), ".", stringify!($bound));
                        all.push((format!(".{name}{path}"), changed));
                    })*
                )*
                all
            }
        }
    };
}

variants!(Precision { Exact {} Fast {} F24 {} });
variants!(Layout { Symbols {} Registers {} Azahar {} Panda3ds {} Custom { 0: layout } });
fields!(RegisterLayout { floats ints packing bools });
variants!(IntPacking { Words {} Bytes {} });
variants!(DepthRange { ZeroToW {} MinusWToW {} Raw {} });
variants!(FlipY { Never {} Always {} Dynamic {} });
variants!(ClipPlanes { None {} BuiltIn {} Varying {} });
variants!(UndefinedValue { Default {} Zero {} });
fields!(FloatControls { nan subnormals rounding });
variants!(Functions { Portable {} Driver {} });
variants!(AttributeKind { Float {} Int {} Uint {} });
fields!(AttributeFormat { kind components });
fields!(BoolUniforms { baked values specialized });
fields!(IntUniforms { baked specialized });
fields!(Limits {
    code_words descriptors nodes_per_instruction nodes_base depth steps values output_words executables
});
fields!(Arithmetic { precision functions uninitialized });
fields!(Control { bools ints loop_guard permissive });
fields!(DepthSnap { near far });
fields!(Outputs { all depth snap_depth flip_y clip_planes clamp_colors unmapped reverse_ends });
fields!(Block { layout fold_constants padded });
variants!(Promise { Nothing {} NotNan {} Below { 0: exponent } Between { 0: least, 1: exponent } });
fields!(Assume { uniforms results });
fields!(VertexInput { formats promises });
fields!(Options { arithmetic control outputs block input assume limits });

fields!(Binding { set binding });
fields!(Bindings { uniforms host again });
fields!(Profile { spirv_version no_contraction float_controls float_controls2 invariant_position leave_loops_at_head names debug_info bindings varyings glsl });
fields!(Varying { name location components });
variants!(VaryingSource { Code { 0: code } Complement { 0: code } Zero {} One {} });
fields!(GlslProfile { version_line extension_lines entry outputs separable uniforms host again attributes });
variants!(GlslOutputs { Stage {} Globals {} });
fields!(BlockNames { block instance });

impl Values for AttributeNames {
    fn some() -> Self {
        Self::Named(Values::some())
    }
    fn others(&self) -> Vec<(String, Self)> {
        let (Self::Named(text) | Self::Numbered(text)) = self;
        let mut all = vec![match self {
            Self::Named(text) => (" = numbered".to_owned(), Self::Numbered(text.clone())),
            Self::Numbered(text) => (" = named".to_owned(), Self::Named(text.clone())),
        }];
        for (path, text) in text.others() {
            all.push((format!(".named{path}"), Self::Named(text.clone())));
            all.push((format!(".numbered{path}"), Self::Numbered(text)));
        }
        all.retain(|(_, other)| other != self);
        all
    }
}

impl Values for Cow<'static, str> {
    fn some() -> Self {
        "some".into()
    }
    fn others(&self) -> Vec<(String, Self)> {
        let all = [format!("{self}_"), format!("_{self}"), "another".to_owned()];
        let all = all.into_iter().filter(|other| other != self);
        all.map(|other| (format!(" = {other}"), other.into())).collect()
    }
}

impl<T: Values + Clone> Values for Cow<'static, [T]> {
    fn some() -> Self {
        Self::default()
    }
    fn others(&self) -> Vec<(String, Self)> {
        let mut all = vec![(".push".to_owned(), [&self[..], &[T::some()]].concat().into())];
        if !self.is_empty() {
            all.push((".pop".to_owned(), self[1..].to_vec().into()));
        }
        for (index, value) in self.iter().enumerate() {
            for (path, value) in value.others() {
                let mut changed = self.clone();
                changed.to_mut()[index] = value;
                all.push((format!("[{index}]{path}"), changed));
            }
        }
        all
    }
}

variants!(Topology { List {} Strip {} Fan {} Geometry {} });
variants!(GeometryInput {
    Point { inputs: inputs, registers: registers }
    Variable { main: main }
    Fixed { first: first, vertices: vertices, stride: stride }
});
fields!(GeometrySetup { input outputs });
fields!(Setup { vertex_outputs geometry map topology });

impl Values for OutputMap {
    fn some() -> Self {
        Self::default()
    }
    /// Maps of one component each: every code from some registers.
    fn others(&self) -> Vec<(String, Self)> {
        let mut all = Vec::new();
        for (register, component) in [(0, 0), (0, 1), (1, 0), (2, 2), (15, 3)] {
            for code in 0..24 {
                let mut codes = [0x1F; 4];
                codes[component] = code;
                all.push((
                    format!(": {code} is o{register}.{component}"),
                    Self::from_words([(register, codes)]),
                ));
            }
        }
        all.retain(|(_, other)| other != self);
        all
    }
}
