//! How far a part has come, on the terminal while it runs.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of so many steps, called `name`; nothing where there is no terminal.
pub fn bar(name: &'static str, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}, {eta} left");
    let style = style.expect("the template is one").progress_chars("=> ");
    ProgressBar::new(steps).with_style(style).with_message(name)
}
