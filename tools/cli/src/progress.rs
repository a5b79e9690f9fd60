//! Work on many files on all cores, with a progress bar.

use std::time::Instant;

#[cfg(feature = "progress")]
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::report::Common;
#[cfg(feature = "progress")]
use crate::terminal::has_unicode;

/// Works on files on all cores. `start` makes what a thread keeps, `more` says
/// what else a detail about all results has.
pub fn on_all_cores<T: Sync, S, R: Send>(
    files: &[T],
    common: &Common,
    start: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
    more: impl Fn(&[R]) -> String,
) -> Vec<R> {
    let begin = Instant::now();
    #[cfg(feature = "progress")]
    let bar = progress(files.len(), "files", common.quiet);
    let work = |state: &mut S, file: &T| {
        let result = work(state, file);
        #[cfg(feature = "progress")]
        bar.inc(1);
        result
    };
    let results: Vec<R> = files.par_iter().map_init(start, work).collect();
    #[cfg(feature = "progress")]
    bar.finish_and_clear();
    let (count, more, threads) = (files.len(), more(&results), rayon::current_num_threads());
    common.detail(format_args!("{count} files{more} in {:?} on {threads} threads", begin.elapsed()));
    results
}

/// Progress bar on standard error, if it is a terminal.
#[cfg(feature = "progress")]
pub fn progress(count: usize, what: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    match ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left")) {
        Ok(style) if !has_unicode() => bar.with_style(style.progress_chars("=> ")),
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
