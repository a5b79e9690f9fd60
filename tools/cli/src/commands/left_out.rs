//! Commands that this build leaves out: each takes any argument, and says which feature it needs.

macro_rules! left_out {
    ($feature:literal: $($module:ident $arguments:ident $about:literal,)*) => {$(
        #[cfg(not(feature = $feature))]
        pub mod $module {
            use std::ffi::OsString;

            use crate::arguments::Arguments;
            use crate::report::Failure;

            #[derive(clap::Args, Debug)]
            #[command(about = concat!($about, " (needs the feature ", $feature, ")"))]
            #[command(after_help = concat!(
                "This build leaves the command out: build it with all features, cargo install --path tools/cli, or add --features ",
                $feature, " to your command.",
            ))]
            pub struct $arguments {
                /// Not read
                #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
                arguments: Vec<OsString>,
            }

            impl Arguments for $arguments {}

            /// Refuses the command.
            pub fn run<T>(_: &$arguments, _: T) -> Result<(), Failure> {
                Err(Failure::left_out(stringify!($module), $feature))
            }
        }
    )*};
}

left_out! { "compile":
    compile Compile "Compile a vertex shader in WGSL, GLSL or SPIR-V for the console",
    equal Equal "Tell whether two programs compute the same",
    optimize Optimize "Make a program shorter, with a proof",
}
left_out! { "draw":
    draw Draw "Draw a mesh with a program, to a PNG file",
}
left_out! { "gpu":
    compare Compare "Run programs on interpreter and GPU, and report differences",
    lint Lint "Check the command lists of a recording for what hangs a console",
    replay Replay "Draw a recording in three ways and compare the pictures",
    doctor Doctor "Check an emulator's shader caches on this GPU, and write a report",
}
left_out! { "packages":
    completions Completions "Print the completion script of a shell",
    man Man "Print the manual page, or write a page for each command",
}
left_out! { "test":
    lsp Lsp "Serve editors: problems, help, completion, names, formatting",
    test Test "Run test files, and show what caused a wrong output",
}
