//! How an arena looks: as text for a terminal, as a page that can be read anywhere, as CSV. Everything is
//! found in a [`View`](super::View), and in the rows of its games. Reads no file and no clock, counts no
//! result, and believes no name: whatever engines and people called things is made harmless on its way out.

mod columns;
mod csv;
mod html;
mod live;
mod lookup;
mod shown;
mod standings;
mod text;
mod words;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests_csv;
#[cfg(test)]
mod tests_html;
#[cfg(test)]
mod tests_text;

pub use csv::{games_csv, standings_csv};
pub use html::{GAMES_LISTED_MAX, html};
pub use live::live;
pub(crate) use shown::{escaped, visible};
pub use text::text;
