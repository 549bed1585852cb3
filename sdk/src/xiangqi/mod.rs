//! What the search skeleton needs to play xiangqi: [`Order`] proposes moves, tells noisy ones
//! from quiet ones and sees repetitions coming, [`Worth`] values positions. No rule of the
//! game is here.

mod order;
mod shape;
mod tables;
#[cfg(test)]
mod tests;
mod weights;
mod worth;

pub use order::Order;
pub use weights::WEIGHTS;
pub use worth::Worth;

use sandboard_games::xiangqi::Xiangqi;

/// The search for xiangqi; it is mistaken by as much as its levels ask.
pub type XiangqiSearch = crate::Search<Xiangqi, Order, crate::Noisy<Worth>>;
