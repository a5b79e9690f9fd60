//! Results of the comparison of a program, for `compare` and `doctor`.
//! In: a verdict, or an error. Out: a class with its names, texts, the driver as JSON.

use serde_json::{Value, json};
use transpica::Error;
use transpica_gpu::compare::{CompareError, Outcome, Verdict};
use transpica_gpu::{GpuError, Report};

/// Summary of a comparison, in the order of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Equal,
    Different,
    /// The library or the interpreter rejects the program.
    Refused,
    /// The driver rejects one of its modules.
    Rejected,
    /// The driver left invocations early.
    CutShort,
    Nothing,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 6] =
        [Self::Equal, Self::Different, Self::Refused, Self::Rejected, Self::CutShort, Self::Nothing];
    /// Returns its name in reports of caches, and mark and verdict in tables of comparisons.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Equal => ["equal", "ok  ", "agrees"],
            Self::Different => ["different", "FAIL", "differs"],
            Self::Refused => ["refused", "FAIL", "failed"],
            Self::Rejected => ["rejected by the driver", "FAIL", "failed"],
            Self::CutShort => ["cut short by the driver", "FAIL", "failed"],
            Self::Nothing => ["nothing to compare", "none", "nothing"],
        }
    }
    /// Returns its name in reports of caches.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }
    /// Returns the four letters at the start of a row of `compare`.
    pub fn mark(self) -> &'static str {
        self.names()[1]
    }
    /// Returns the verdict in JSON of `compare`.
    pub fn verdict(self) -> &'static str {
        self.names()[2]
    }
    /// Returns whether it makes a command fail that is not strict.
    pub fn fails(self) -> bool {
        self.mark() == "FAIL"
    }
}

/// The reason why a program was not compared.
#[derive(Debug)]
pub struct Fault {
    pub class: Class,
    pub text: String,
}

impl From<CompareError> for Fault {
    fn from(error: CompareError) -> Self {
        let class = match &error {
            CompareError::Program(_) => Class::Refused,
            CompareError::Gpu(GpuError::TooLong { .. }) => Class::CutShort,
            CompareError::Gpu(_) => Class::Rejected,
        };
        Self { class, text: error.to_string() }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        CompareError::Program(error).into()
    }
}

/// Result of a program.
pub type Checked = Result<Verdict, Fault>;

/// Returns the class of a result, and the reason if nothing was compared.
pub fn classify(checked: &Checked) -> (Class, Option<String>) {
    match checked.as_ref().map(Verdict::outcome) {
        Ok(Outcome::Agrees) => (Class::Equal, None),
        Ok(Outcome::Differs) => (Class::Different, None),
        Ok(Outcome::Nothing(reason)) => (Class::Nothing, Some(reason.to_string())),
        Err(Fault { class, text }) => (*class, Some(text.clone())),
    }
}

/// Lists counts that are not zero.
pub fn counted(counts: impl IntoIterator<Item = (usize, &'static str)>) -> String {
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// The driver report as JSON.
pub fn driver(report: &Report) -> Value {
    let Report { adapter, has_passthrough, known_as, route, float_controls, measured } = report;
    let measured = measured.iter().map(|m| {
        json!({
            "instruction": m.name, "differing": m.differing, "worst_ulp": m.worst_ulp, "other_class": m.other_class,
            "subnormal": m.subnormal, "flushed": m.flushed,
        })
    });
    json!({
        "adapter": adapter.name, "type": format!("{:?}", adapter.device_type), "backend": format!("{:?}", adapter.backend),
        "vendor": adapter.vendor, "device": adapter.device, "driver": adapter.driver, "driver_info": adapter.driver_info,
        "known_as": known_as, "passthrough": has_passthrough, "route": route.name(),
        "float_controls": float_controls, "by_the_letter": float_controls.exactness(), "measured": measured.collect::<Vec<_>>(),
    })
}
