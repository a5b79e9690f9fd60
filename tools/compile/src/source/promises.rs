//! Promises about the numbers of a host: the ranges of inputs on which a program is compared with
//! its source.
//! In: names and promises, an interface. Out: a promise for each attribute and uniform.

use transpica::settings::Promise;

use super::Scalar;
use super::error::{Error, Kind, Result};
use super::interface::{Interface, Uniform};

/// Promises by attribute register and by uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Promises {
    /// About v0 to v15.
    pub attributes: [Promise; 16],
    /// About the floats and the whole numbers of declared uniforms, as the interface lists them.
    pub uniforms: Vec<[Promise; 2]>,
}

/// Reads the spelling of a promise, as `finite`, `2^10` or `2^-4..2^10`.
///
/// # Errors
/// It gives no range, or an empty one.
pub fn promise(text: &str) -> std::result::Result<Promise, String> {
    let found = transpica_settings::spelling::promise(text);
    let is_range = |promise: &Promise| match *promise {
        Promise::Nothing | Promise::NotNan => false,
        Promise::Below(_) => true,
        Promise::Between(least, most) => i16::from(least) < i16::from(most),
    };
    found.filter(is_range).ok_or_else(|| {
        "a promise gives a range: finite, 2^N, below:N or 2^M..2^N, with N from 0 to 128, M from -128, M below N".into()
    })
}

impl Promises {
    /// No promise.
    pub fn none(interface: &Interface) -> Self {
        let uniforms = vec![[Promise::Nothing; 2]; interface.uniforms.len()];
        Self { attributes: [Promise::Nothing; 16], uniforms }
    }

    /// Finds what promises are about; the last one counts. Those about all attributes or uniforms
    /// are about floats: indices stay small.
    ///
    /// # Errors
    /// The shader has neither an attribute nor a uniform of this name, or it has no range.
    pub fn new(interface: &Interface, assume: &[(String, Promise)]) -> Result<Self> {
        let mut all = Self::none(interface);
        for (name, promise) in assume {
            let mut found = name == "attributes" || name == "uniforms";
            for attribute in &interface.attributes {
                let (scalar, is_scaled) = (attribute.shape.scalar, attribute.is_scaled);
                let is_named = *name == attribute.name;
                if is_named {
                    check(name, scalar, is_scaled, *promise)?;
                }
                if is_named || name == "attributes" && scalar == Scalar::Float {
                    (all.attributes[usize::from(attribute.register & 15)], found) = (*promise, true);
                }
            }
            for (uniform, own) in interface.uniforms.iter().zip(&mut all.uniforms) {
                if name == "uniforms" {
                    own[0] = *promise;
                } else if is_of(uniform, name) {
                    for (_, shape) in uniform.layout.leaves() {
                        check(name, shape.scalar, false, *promise)?;
                    }
                    (*own, found) = ([*promise; 2], true);
                }
            }
            if !found {
                let attributes = interface.attributes.iter().map(|one| &one.name);
                let known =
                    attributes.chain(interface.uniforms.iter().map(|one| &one.name)).cloned().collect();
                let what = "attribute or uniform";
                return Err(Error { kind: Kind::Unknown { what, name: name.clone(), known }, at: None });
            }
        }
        Ok(all)
    }
}

/// Checks that numbers of this kind have a range that a promise can give.
fn check(name: &str, scalar: Scalar, is_scaled: bool, promise: Promise) -> Result<()> {
    let why = match (scalar, promise) {
        (Scalar::Float, _) if is_scaled => "its bytes stand for 0 to 1",
        (Scalar::Bool, _) => "a bool has no range",
        (Scalar::Int | Scalar::Uint, Promise::Between(24.., _)) => "whole numbers are below 2^24",
        _other => return Ok(()),
    };
    Err(Error { kind: Kind::Promise { name: name.to_owned(), why }, at: None })
}

/// Returns whether a name is that of a uniform, of its struct variable, or of both.
fn is_of(uniform: &Uniform, name: &str) -> bool {
    let member = uniform.member.as_ref();
    let path =
        |(variable, member): &(String, String)| name == variable || name == format!("{variable}.{member}");
    uniform.name == name || member.is_some_and(path)
}
