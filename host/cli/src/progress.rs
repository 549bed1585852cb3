//! A progress bar for commands that work through many items.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar for `all` items, named `what` in the plural, on standard error; hidden if that
/// is not a terminal.
pub(crate) fn progress(all: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(all);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}  {{msg}}  {{elapsed}} elapsed");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
