//! Renders an arena: as text for a terminal, as an HTML page, as CSV. The input is a
//! [`View`](sandboard_arena_plan::View) and the rows of its games. Reads no file and no clock, and
//! counts no results. All names and texts of engines and users are sanitized.

mod columns;
mod csv;
mod html;
mod live;
mod lookup;
mod phrases;
mod sanitize;
mod standings;
mod text;

#[cfg(test)]
mod samples;

pub use csv::{games_csv, standings_csv};
pub use html::{GAMES_LISTED_MAX, html};
pub use live::live;
pub use sanitize::{escape_html, sanitize};
pub use text::text;
