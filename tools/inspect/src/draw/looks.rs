//! Values as colors: one table, with the formula for each rasterizer.
//! In: an interpolated value. Out: a color. Infinities and NaN give some color.

use transpica::container::Semantic;

/// `--by`: the shown output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// An output by its semantic.
    Output(Semantic),
    /// o0..o15
    Register(u8),
    /// The normal of the drawn triangles, which no program computes.
    Normal,
}

/// Name of [`By::Normal`].
const NORMAL_NAME: &str = "normal";

/// Names on the command line.
const NAMES: &[(&str, Semantic)] = &[
    ("color", Semantic::Color),
    ("texcoord0", Semantic::Texcoord0),
    ("texcoord1", Semantic::Texcoord1),
    ("texcoord2", Semantic::Texcoord2),
    ("normalquat", Semantic::Quaternion),
    ("view", Semantic::View),
    ("position", Semantic::Position),
];

impl By {
    /// Outputs that are shown if none is chosen: the first that a program has.
    pub const DEFAULT: [Semantic; 4] =
        [Semantic::Color, Semantic::Texcoord0, Semantic::Quaternion, Semantic::Position];

    /// Parses the name of an output.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(&(_, semantic)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Output(semantic));
        }
        if text == NORMAL_NAME {
            return Ok(Self::Normal);
        }
        let register = text.strip_prefix('o').and_then(|number| number.parse().ok());
        register.filter(|&register| register < 16).map(Self::Register).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            format!("must be {}, {NORMAL_NAME} or one of o0 to o15", names.join(", "))
        })
    }

    /// Returns its name.
    pub fn name(self) -> String {
        match self {
            Self::Register(register) => format!("o{register}"),
            Self::Normal => NORMAL_NAME.to_owned(),
            Self::Output(semantic) => {
                let row = NAMES.iter().find(|(_, other)| *other == semantic);
                row.map_or_else(|| semantic.info().name.to_owned(), |(name, _)| (*name).to_owned())
            }
        }
    }

    /// Returns the way to show it.
    pub fn look(self) -> &'static Look {
        match self {
            Self::Output(Semantic::Color) => &COLOR,
            Self::Output(Semantic::Texcoord0 | Semantic::Texcoord1 | Semantic::Texcoord2) => &TEXCOORD,
            Self::Output(Semantic::Quaternion) => &NORMAL,
            Self::Output(Semantic::View) | Self::Normal => &DIRECTION,
            Self::Output(Semantic::Position) => &POSITION,
            Self::Output(Semantic::Texcoord0W | Semantic::Generic) | Self::Register(_) => &NUMBERS,
        }
    }
}

/// A way to show a value.
#[derive(Debug)]
pub struct Look {
    /// The color of a value; components beyond 0..1 are clamped.
    pub color: fn([f32; 4]) -> [f32; 3],
    /// The same as a WGSL expression of the vector `v`.
    pub wgsl: &'static str,
}

/// A color as it is.
static COLOR: Look = Look { color: |[r, g, b, _]| [r, g, b], wgsl: "v.rgb" };

/// Texture coordinates: u in red, v in green, tiles of an eighth.
static TEXCOORD: Look = Look {
    color: |[u, v, ..]| {
        let odd = ((u * 8.0).floor() + (v * 8.0).floor()).abs() % 2.0;
        [u - u.floor(), v - v.floor(), 0.35].map(|x| x * (1.0 - 0.3 * odd))
    },
    wgsl: "vec3f(fract(v.xy), 0.35) * (1.0 - 0.3 * (abs(floor(v.x * 8.0) + floor(v.y * 8.0)) % 2.0))",
};

/// A quaternion by the direction to which it turns z.
static NORMAL: Look = Look {
    color: |[x, y, z, w]| {
        let size = x * x + y * y + z * z + w * w;
        let normal = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), size - 2.0 * (x * x + y * y)];
        normal.map(|component| 0.5 + 0.5 * component / size)
    },
    wgsl: "0.5 + 0.5 * vec3f(2.0 * (v.x * v.z + v.w * v.y), 2.0 * (v.y * v.z - v.w * v.x), \
           dot(v, v) - 2.0 * (v.x * v.x + v.y * v.y)) / dot(v, v)",
};

/// A direction.
static DIRECTION: Look = Look {
    color: |[x, y, z, _]| {
        let length = (x * x + y * y + z * z).sqrt();
        [x, y, z].map(|component| 0.5 + 0.5 * component / length)
    },
    wgsl: "0.5 + 0.5 * v.xyz / length(v.xyz)",
};

/// A clip-space position by its place on the screen and its depth.
static POSITION: Look = Look {
    color: |[x, y, z, w]| [0.5 + 0.5 * x / w, 0.5 + 0.5 * y / w, z / w],
    wgsl: "vec3f(0.5 + 0.5 * v.xy / v.w, v.z / v.w)",
};

/// Any numbers: 0 is gray, infinity white, -infinity black.
static NUMBERS: Look = Look {
    color: |[x, y, z, _]| [x, y, z].map(|component| 0.5 + 0.5 * component / (1.0 + component.abs())),
    wgsl: "0.5 + 0.5 * v.xyz / (1.0 + abs(v.xyz))",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        for (name, semantic) in NAMES {
            assert_eq!(By::parse(name), Ok(By::Output(*semantic)));
            assert_eq!(By::Output(*semantic).name(), *name);
        }
        assert_eq!(By::parse("o15"), Ok(By::Register(15)));
        assert_eq!(By::parse(&By::Normal.name()), Ok(By::Normal));
        for wrong in ["o16", "o", "o-1", "colour", ""] {
            assert!(By::parse(wrong).expect_err("no output").contains("normalquat"), "{wrong}");
        }
    }
}
