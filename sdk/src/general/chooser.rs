//! What an author of an engine for a game of any kind writes: [`GeneralChooser`], with the request
//! and the reply of a move. Nothing here searches or reads a clock.

use sandboard_abi::{Description, Limits, Line};
use sandboard_games::Seat;
use sandboard_games::general::GeneralRules;

use super::determinize::Determinize;
use super::is_mcts::IsMctsResult;
use super::knowledge::Knowledge;
use super::max_n::MaxNResult;
use crate::chooser::{NewGame, ReplyDecision};
use crate::host::Host;
use crate::random::Random;

/// What an author of an engine writes for a game with [`GeneralRules`], such as one with hidden
/// information. Every method but one has a default.
///
/// ```
/// use sandboard_sdk::games::general::GeneralRules;
/// use sandboard_sdk::{GeneralChooser, GeneralReply, GeneralTurn, IsMcts, ReplaySampler};
///
/// /// Searches, in any game.
/// struct Searching<G: GeneralRules>(IsMcts<G>);
///
/// impl<G: GeneralRules> Default for Searching<G> {
///     fn default() -> Self {
///         Self(IsMcts::default())
///     }
/// }
///
/// impl<G: GeneralRules> GeneralChooser for Searching<G> {
///     type Rules = G;
///     type Worlds = ReplaySampler<G>;
///
///     fn next_move(&mut self, turn: &mut GeneralTurn<'_, G>) -> GeneralReply<G> {
///         self.0.run(turn.task(), turn.worlds, turn.random).into()
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is used as an engine, but does not implement `GeneralChooser`",
    label = "`GeneralChooser` is not implemented for `{Self}`",
    note = "write `impl GeneralChooser for {Self}` with `type Rules`, `type Worlds` and \
            `fn next_move(…)`"
)]
pub trait GeneralChooser: Default + Send + 'static {
    /// The game that the engine plays.
    type Rules: GeneralRules;

    /// The sampler of positions that fit what the player knows;
    /// [`ReplaySampler`](super::ReplaySampler) is one for every game.
    type Worlds: Determinize<Self::Rules> + Default + Send;

    /// Chooses a move. [`GeneralTurn::legal_moves`] is empty only if every legal move is barred.
    fn next_move(&mut self, turn: &mut GeneralTurn<'_, Self::Rules>) -> GeneralReply<Self::Rules>;

    /// Changes the engine's description: name, variants, options.
    fn describe(_description: &mut Description) {}

    /// Begins a game. Options arrive as checked texts, see [`NewGame`].
    ///
    /// # Errors
    /// Why the engine cannot play this game; the host reports the text as a fault.
    fn started(&mut self, _game: &NewGame<'_, Knowledge<Self::Rules>>) -> Result<(), String> {
        Ok(())
    }

    /// The player has seen a move or an outcome of chance, the last of [`Knowledge::seen`]. The
    /// view is still that of the last turn.
    fn played(&mut self, _knowledge: &Knowledge<Self::Rules>) {}

    /// The last `plies` moves were taken back. Hosts do so in games of perfect information only.
    fn taken_back(&mut self, _knowledge: &Knowledge<Self::Rules>, _plies: u32) {}
}

/// One request for a move.
pub struct GeneralTurn<'a, G: GeneralRules> {
    /// The seat that chooses.
    pub seat: Seat,
    /// What the player knows: the view, and what it has seen so far.
    pub knowledge: &'a Knowledge<G>,
    /// A position that fits what the player knows; in games of perfect information the actual one.
    /// What it contains beyond [`Knowledge::view`] is one guess of many.
    pub world: &'a G,
    /// Samples further such positions.
    pub worlds: &'a mut dyn Determinize<G>,
    /// What the choice may cost.
    pub limits: &'a Limits,
    /// Moves that must not be chosen: the referee refused them, or the caller excludes them.
    pub barred: &'a [G::Move],
    /// The clock, the log and the other calls of the host.
    pub host: &'a Host,
    /// Random numbers from the game's seed.
    pub random: &'a mut Random,
}

impl<'a, G: GeneralRules> GeneralTurn<'a, G> {
    /// The legal moves of the seat that are not barred, in the game's fixed order.
    pub fn legal_moves(&self) -> Vec<G::Move> {
        self.task().legal_moves()
    }

    /// One of [`legal_moves`](Self::legal_moves), each with the same probability; `None` if there
    /// are none.
    pub fn random_move(&mut self) -> Option<G::Move> {
        let moves = self.legal_moves();
        moves.get(self.random.below(moves.len())).cloned()
    }

    /// The conditions of a search in this turn.
    pub fn task(&self) -> GeneralTask<'a, G> {
        let Self { seat, knowledge, world, limits, barred, host, .. } = *self;
        GeneralTask { seat, knowledge, world, limits, barred, host }
    }
}

/// The conditions of a search: fields of a [`GeneralTurn`], with the same meaning.
#[derive(Debug)]
pub struct GeneralTask<'a, G: GeneralRules> {
    /// The seat that chooses.
    pub seat: Seat,
    /// What the player knows.
    pub knowledge: &'a Knowledge<G>,
    /// A position that fits it; in games of perfect information the actual one.
    pub world: &'a G,
    /// What the search may spend.
    pub limits: &'a Limits,
    /// Moves that must not be chosen.
    pub barred: &'a [G::Move],
    /// The clock, and the receiver of reports.
    pub host: &'a Host,
}

impl<G: GeneralRules> Clone for GeneralTask<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: GeneralRules> Copy for GeneralTask<'_, G> {}

impl<G: GeneralRules> GeneralTask<'_, G> {
    /// The legal moves of the seat that are not barred, in the game's fixed order.
    pub fn legal_moves(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.world.generate(self.seat, &mut moves);
        moves.retain(|mv| !self.barred.contains(mv));
        moves
    }
}

/// The engine's answer to a [`GeneralTurn`].
#[derive(Clone, Debug)]
pub struct GeneralReply<G: GeneralRules> {
    pub(super) decision: ReplyDecision<G::Move>,
    /// Whether the engine offers a draw with the move, in a game of two sides.
    pub offers_draw: bool,
    /// The result of the search behind the decision.
    pub line: Option<Line>,
}

impl<G: GeneralRules> GeneralReply<G> {
    /// Plays this move.
    pub fn play(mv: G::Move) -> Self {
        Self::with_decision(ReplyDecision::Play(mv))
    }

    /// Resigns the game, which only games of two sides allow.
    pub fn resign() -> Self {
        Self::with_decision(ReplyDecision::Resign)
    }

    /// Accepts the opponent's draw offer, which only games of two sides have.
    pub fn accept_draw() -> Self {
        Self::with_decision(ReplyDecision::AcceptDraw)
    }

    /// The same reply with the result of the search behind it.
    pub fn with_line(self, line: Line) -> Self {
        Self { line: Some(line), ..self }
    }

    fn with_decision(decision: ReplyDecision<G::Move>) -> Self {
        Self { decision, offers_draw: false, line: None }
    }

    /// Plays the move that a search found, with its line; resigns if it found none.
    fn of_search(best: Option<G::Move>, line: Line) -> Self {
        best.map_or(Self::resign(), |mv| Self::play(mv).with_line(line))
    }
}

/// Plays the move that the search found, with its line; resigns if it found none.
impl<G: GeneralRules> From<IsMctsResult<G::Move>> for GeneralReply<G> {
    fn from(result: IsMctsResult<G::Move>) -> Self {
        Self::of_search(result.best, result.line)
    }
}

/// Plays the move that the search found, with its line; resigns if it found none.
impl<G: GeneralRules> From<MaxNResult<G::Move>> for GeneralReply<G> {
    fn from(result: MaxNResult<G::Move>) -> Self {
        Self::of_search(result.best, result.line)
    }
}
