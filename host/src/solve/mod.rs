//! Deals and positions of bridge, solved double dummy: what is asked and how files ask it,
//! what is answered and how that is written. Par and file formats are the game's own
//! (`sandboard_games::bridge`), the search is the solver's. Prints nothing, starts no thread.

mod answer;
mod boards;
mod line;
mod read;
mod task;
mod text;
mod values;

pub use answer::{Answer, ByDeclarer, Listed, ParAnswer, Solving, Trace, Unsolved};
pub use line::Wrong;
pub use read::{Format, Item, Items, ReadError, Source, open};
pub use task::{Deal, Named, Played, Position, Task, Wish};
pub use text::text;
pub use values::Values;
