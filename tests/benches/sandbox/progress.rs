//! Progress bars on the terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar with this name and number of steps; hidden without a terminal.
pub(crate) fn bar(name: &'static str, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}, {eta} left");
    let style = style.expect("the template is valid").progress_chars("=> ");
    ProgressBar::new(steps).with_style(style).with_message(name)
}
