//! How far a command is that works through many things.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, which is hidden where that is no terminal, of so many things called `what`.
pub fn progress(all: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(all);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}  {{msg}}  {{elapsed}} passed");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
