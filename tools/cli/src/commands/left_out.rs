//! Commands that this build leaves out: each takes any argument, and says which feature it needs.

macro_rules! left_out {
    ($feature:literal: $($module:ident $arguments:ident $about:literal,)*) => {$(
        pub mod $module {
            use std::ffi::OsString;

            use crate::arguments::Arguments;
            use crate::report::{Common, Failure};
            use crate::streams::Streams;

            #[derive(clap::Args, Debug)]
            #[command(about = $about)]
            pub struct $arguments {
                /// Ignored
                #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
                arguments: Vec<OsString>,
            }

            impl Arguments for $arguments {
                fn streams(&self) -> Streams<'_> {
                    Streams::default()
                }
            }

            /// Refuses the command.
            pub fn run(_: &$arguments, _: &Common) -> Result<(), Failure> {
                Err(Failure::left_out(stringify!($module), $feature))
            }
        }
    )*};
}

left_out! { "gpu":
    compare Compare "Run programs on interpreter and GPU, and report differences (needs the feature gpu)",
    replay Replay "Draw a recording in three ways and compare the pictures (needs the feature gpu)",
    doctor Doctor "Check an emulator's shader caches on this GPU, and write a report (needs the feature gpu)",
}
