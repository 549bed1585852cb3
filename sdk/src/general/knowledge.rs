//! What a player knows of a game in progress.

use sandboard_games::general::{GeneralRules, Observer};
use sandboard_games::{Seat, Variant};

/// What a player knows of a game in progress. A player has one seat; in games of perfect
/// information it may have several seats of one side.
#[derive(Clone, Debug)]
pub struct Knowledge<G> {
    /// The variant, with the size that the setup names.
    pub variant: Variant,
    /// The start position. `None`: the game began in a position that the player does not see
    /// whole; [`start_view`](Self::start_view) is what it sees of it.
    pub start: Option<G>,
    /// The text of the start position as the player sees it; empty for that of the variant.
    pub start_view: String,
    /// The player's seats, at least one.
    pub seats: Vec<Seat>,
    /// The moves and the outcomes of chance since the start, each as the player saw it
    /// ([`GeneralRules::write_seen`]). Those that it did not notice are missing. The moves of a
    /// step are there when the step is complete.
    pub seen: Vec<String>,
    /// The text of the current position as the player sees it ([`GeneralRules::write_view`]).
    pub view: String,
}

impl<G: GeneralRules> Knowledge<G> {
    /// The player as an observer: the first of its seats.
    pub fn observer(&self) -> Observer {
        Observer::Seat(self.seats.first().copied().unwrap_or(Seat(0)))
    }

    /// The first of the player's seats that is to move in a position; `None` if none is.
    pub fn seat_to_move(&self, position: &G) -> Option<Seat> {
        let next = position.next();
        self.seats.iter().copied().find(|seat| next.has_seat(*seat))
    }

    /// Whether the player sees of this position what it sees of the actual one: the view is the
    /// same. Compares no history.
    pub fn fits(&self, position: &G) -> bool {
        let mut view = String::with_capacity(self.view.len());
        position.write_view(self.observer(), &mut view);
        view == self.view
    }
}
