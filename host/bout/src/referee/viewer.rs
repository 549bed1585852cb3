//! What may be shown to whom while a bout is in progress. In a game with hidden information,
//! everything that leaves the referee goes through this module, except the record.

use sandboard_engine::Observation;
use sandboard_games::Seat;
use sandboard_games::board::Board;
use sandboard_games::general::Observer;

use super::{Ply, Referee};

/// Who looks at a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A player, by index: sees what its seat sees.
    Player(usize),
    /// A person without a seat.
    Spectator,
    /// Sees everything, such as a reader of the record of a finished bout.
    Everything,
}

impl Ply {
    /// The move as a viewer sees it; none: the viewer does not notice it.
    pub fn text_for(&self, viewer: Viewer) -> Option<&str> {
        let Some(seen) = &self.seen else { return Some(&self.mv) };
        match viewer {
            Viewer::Everything => Some(&self.mv),
            Viewer::Player(player) if player + 1 < seen.len() => seen[player].as_deref(),
            _ => seen.last()?.as_deref(),
        }
    }
}

impl Referee {
    /// The same viewer, or [`Viewer::Everything`] if nothing is hidden from it: the bout is over,
    /// or all seats of the game see the same.
    pub fn widest(&self, viewer: Viewer) -> Viewer {
        match self.result.is_some() || !self.game.info().features.has_views() {
            true => Viewer::Everything,
            false => viewer,
        }
    }

    /// The observer in the rules of the game.
    fn observer(&self, viewer: Viewer) -> Observer {
        match self.widest(viewer) {
            Viewer::Everything => Observer::Everything,
            Viewer::Player(player) => {
                let seat = self.players.get(player).and_then(|it| it.setup.seats.first());
                seat.map_or(Observer::Spectator, |seat| Observer::Seat(Seat(*seat)))
            }
            Viewer::Spectator => Observer::Spectator,
        }
    }

    /// The text of the current position as a viewer sees it.
    pub fn position_for(&self, viewer: Viewer) -> String {
        match self.observer(viewer) {
            Observer::Everything => self.game.position(),
            observer => self.game.view(observer),
        }
    }

    /// The text diagram of the current position as a viewer sees it.
    pub fn diagram_for(&self, viewer: Viewer) -> String {
        self.game.diagram(self.observer(viewer))
    }

    /// The board of the current position as a viewer sees it; none: the game has no board data.
    pub fn board_for(&self, viewer: Viewer) -> Option<Board> {
        self.game.board(self.observer(viewer))
    }

    /// The moves so far as a viewer sees them, without those that it does not notice.
    pub fn moves_for(&self, viewer: Viewer) -> impl Iterator<Item = (&Ply, &str)> {
        let viewer = self.widest(viewer);
        self.plies.iter().filter_map(move |ply| Some((ply, ply.text_for(viewer)?)))
    }

    /// Whether what engines report and log may be shown to this viewer: they know what is hidden
    /// from others.
    pub fn shows_output_to(&self, viewer: Viewer) -> bool {
        self.widest(viewer) == Viewer::Everything
    }

    /// What the seat of a player sees of the current position, in a game with hidden information;
    /// none: it sees everything.
    pub fn observation(&self, player: usize) -> Option<Observation> {
        let seat = self.players.get(player)?.setup.seats.first()?;
        let hides = self.has_hidden_information();
        hides.then(|| Observation::of(self.game.as_ref(), Seat(*seat)))
    }

    /// All observers, in the order of [`Ply::seen`]: the players, then a spectator.
    pub(super) fn observers(&self) -> impl Iterator<Item = Observer> {
        let of = |player: &super::PlayerState| player.setup.seats.first().map(|seat| Seat(*seat));
        let players = self.players.iter().map(move |player| match of(player) {
            Some(seat) => Observer::Seat(seat),
            None => Observer::Spectator,
        });
        players.chain([Observer::Spectator])
    }
}
