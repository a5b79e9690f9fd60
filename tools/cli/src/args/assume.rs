//! `--assume`: promises about the numbers that the host feeds.

use clap::Args;
use transpica::stages::host::{Assume, Promise};

/// Promises of the host.
#[derive(Args, Clone, Debug, Default)]
pub struct Promises {
    /// Rely on what the host feeds, and drop guards of 0 * inf and tests for NaN that it makes
    /// needless: uniforms, attributes, or one of v0 to v15, each no-nan, finite, or below:N for
    /// magnitudes below 2^N; may be repeated, the last one counts
    #[arg(long, value_parser = Assumption::parse, value_name = "WHAT=PROMISE")]
    pub assume: Vec<Assumption>,
}

impl Promises {
    /// Returns the library's promises.
    pub fn assume(&self) -> Assume {
        let mut all = Assume::default();
        for &Assumption { about, promise } in &self.assume {
            match about {
                About::Uniforms => all.uniforms = promise,
                About::Attributes => all.attributes = [promise; 16],
                About::Attribute(register) => all.attributes[register] = promise,
            }
        }
        all
    }
}

/// Subject of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Uniforms,
    Attributes,
    /// v0..v15
    Attribute(usize),
}

/// One value of `--assume`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    about: About,
    promise: Promise,
}

impl Assumption {
    /// Parses one value.
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            "must be like uniforms=no-nan: uniforms, attributes or v0 to v15, and no-nan, finite or below:N"
                .to_string()
        };
        let (about, promise) = text.split_once('=').ok_or_else(wrong)?;
        let about = match about {
            "uniforms" => About::Uniforms,
            "attributes" => About::Attributes,
            register => {
                let number = register.strip_prefix('v').and_then(|number| number.parse().ok());
                About::Attribute(number.filter(|&number| number < 16).ok_or_else(wrong)?)
            }
        };
        let promise = match promise {
            "no-nan" => Promise::NotNan,
            "finite" => Promise::FINITE,
            below => {
                let exponent = below.strip_prefix("below:").and_then(|exponent| exponent.parse().ok());
                Promise::Below(exponent.filter(|&exponent| exponent <= 128).ok_or_else(wrong)?)
            }
        };
        Ok(Self { about, promise })
    }
}
