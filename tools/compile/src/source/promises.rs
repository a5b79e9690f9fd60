//! Promises about the numbers of a host: the ranges of inputs on which a program is compared with
//! its source.
//! In: names and promises, an interface. Out: a promise for each attribute and uniform.

use transpica::settings::Promise;

use super::error::{Error, Kind, Result};
use super::interface::{Interface, Uniform};

/// Promises by attribute register and by uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Promises {
    /// About v0 to v15.
    pub attributes: [Promise; 16],
    /// About declared uniforms, as the interface lists them.
    pub uniforms: Vec<Promise>,
}

/// Reads the spelling of a promise, as `finite`, `2^10` or `2^-4..2^10`.
///
/// # Errors
/// It is none, or its range is empty.
pub fn promise(text: &str) -> std::result::Result<Promise, String> {
    let found = transpica_settings::spelling::promise(text);
    let is_range = |promise: &Promise| !matches!(*promise, Promise::Between(least, most) if i16::from(least) >= i16::from(most));
    found
        .filter(is_range)
        .ok_or_else(|| "a promise is finite, 2^N or 2^M..2^N, with M below N and N from 0 to 128".into())
}

impl Promises {
    /// No promise.
    pub fn none(interface: &Interface) -> Self {
        let uniforms = vec![Promise::Nothing; interface.uniforms.len()];
        Self { attributes: [Promise::Nothing; 16], uniforms }
    }

    /// Finds what promises are about; the last one counts.
    ///
    /// # Errors
    /// The shader has neither an attribute nor a uniform of this name.
    pub fn new(interface: &Interface, assume: &[(String, Promise)]) -> Result<Self> {
        let mut all = Self::none(interface);
        for (name, promise) in assume {
            let mut found = false;
            for attribute in &interface.attributes {
                if name == "attributes" || *name == attribute.name {
                    (all.attributes[usize::from(attribute.register & 15)], found) = (*promise, true);
                }
            }
            for (uniform, own) in interface.uniforms.iter().zip(&mut all.uniforms) {
                if name == "uniforms" || is_of(uniform, name) {
                    (*own, found) = (*promise, true);
                }
            }
            if !found && name != "uniforms" {
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

/// Returns whether a name is that of a uniform, of its struct variable, or of both.
fn is_of(uniform: &Uniform, name: &str) -> bool {
    let member = uniform.member.as_ref();
    let path =
        |(variable, member): &(String, String)| name == variable || name == format!("{variable}.{member}");
    uniform.name == name || member.is_some_and(path)
}
