//! Solves deals and positions of bridge with the double-dummy solver: the requests and their input
//! formats, the results and their output formats. Par and file formats are part of the game
//! (`sandboard_games::bridge`). Prints nothing and starts no thread.

mod boards;
mod input;
mod json_line;
mod selection;
mod solver;
mod task;
mod text;

pub use input::{DealFormat, DealSource, InputItem, InputItems, ReadError, open};
pub use json_line::TaskError;
pub use selection::ValueSelection;
pub use solver::{ByDeclarer, OrderedMap, ParResult, SolveError, SolveResult, TaskSolver, Trace};
pub use task::{Contract, Deal, Position, SolveRequest, Task, TaskLabel};
pub use text::result_text;
