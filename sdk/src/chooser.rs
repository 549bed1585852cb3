//! What an engine author writes: [`Chooser`], with the request and the reply of a move.
//! Nothing here searches or reads a clock.

use sandboard_abi::{Description, Limits, Line, OptionSpec, Setup};
use sandboard_games::{MoveSet, Rules};

use crate::decisions;
use crate::host::Host;
use crate::ponder;
use crate::random::Random;
use crate::search::SearchResult;
use crate::weights::{Weight, Weights};

/// What an engine author writes. Every method but one has a default.
///
/// ```
/// use sandboard_sdk::games::gomoku::Gomoku;
/// use sandboard_sdk::{Chooser, Reply, Turn};
///
/// /// Plays the first legal move.
/// #[derive(Default)]
/// struct First;
///
/// impl Chooser for First {
///     type Rules = Gomoku;
///
///     fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
///         Reply::play(turn.legal_moves()[0])
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is exported as an engine, but does not implement `Chooser`",
    label = "`Chooser` is not implemented for `{Self}`",
    note = "write `impl Chooser for {Self}` with `type Rules = …;` and `fn next_move(…)`",
    note = "if `{Self}` implements `Engine`, the whole ABI, say so: `export_engine!(engine {Self})`"
)]
pub trait Chooser: Default + Send + 'static {
    /// The game that the engine plays.
    type Rules: Rules;

    /// Chooses a move in a game that is not over.
    ///
    /// [`Turn::legal_moves`] is empty only if every legal move is barred. The position is one of
    /// ordinary play ([`Phase::Play`]). It is not always the game's own position: the defaults of
    /// the methods below call this for positions that a decision leads to.
    ///
    /// [`Phase::Play`]: sandboard_games::Phase::Play
    fn next_move(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules>;

    /// Makes a move that an opening procedure prescribes ([`Phase::Opening`]).
    ///
    /// Default: values the positions that the moves lead to by the scores of
    /// [`next_move`](Self::next_move). While sides may still be exchanged, it picks a move that
    /// leaves both sides about equal, otherwise the best one. Without scores it picks at random.
    ///
    /// [`Phase::Opening`]: sandboard_games::Phase::Opening
    fn opening(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        match turn.position.sides_may_change() {
            true => decisions::decide_fairest(self, turn),
            false => decisions::decide_best(self, turn),
        }
    }

    /// Decides whether sides are exchanged ([`Phase::Swap`]). Default: what is better for the own
    /// side by the scores of [`next_move`](Self::next_move).
    ///
    /// [`Phase::Swap`]: sandboard_games::Phase::Swap
    fn swap(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::decide_best(self, turn)
    }

    /// Announces how many moves will be offered ([`Phase::Announce`]). Default: a third of the
    /// largest number allowed.
    ///
    /// [`Phase::Announce`]: sandboard_games::Phase::Announce
    fn announce(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::announce_few(turn)
    }

    /// Offers one of several moves, of which the opponent picks ([`Phase::Offer`]). Default: the
    /// best move not offered yet, by the scores of [`next_move`](Self::next_move).
    ///
    /// [`Phase::Offer`]: sandboard_games::Phase::Offer
    fn offer(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::decide_best(self, turn)
    }

    /// Picks one of the offered moves ([`Phase::Pick`]). Default: the best for the own side, by the
    /// scores of [`next_move`](Self::next_move).
    ///
    /// [`Phase::Pick`]: sandboard_games::Phase::Pick
    fn pick(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::decide_best(self, turn)
    }

    /// Changes the engine's description: name, variants, options, abilities.
    fn describe(_description: &mut Description) {}

    /// Begins a game. Options arrive as checked texts, see [`NewGame`].
    ///
    /// # Errors
    /// Why the engine cannot play this game; the host reports the text as a fault.
    fn started(&mut self, _game: &NewGame<'_, Self::Rules>) -> Result<(), String> {
        Ok(())
    }

    /// Either side has played `mv`; `position` is the one after it.
    fn played(&mut self, _position: &Self::Rules, _mv: <Self::Rules as Rules>::Move) {}

    /// The last `plies` moves were taken back; `position` is the current one.
    fn taken_back(&mut self, _position: &Self::Rules, _plies: u32) {}

    /// Whether the engine thinks on its opponents' time and helps other instances in this game.
    /// Return false for a level of limited strength: more time would make it stronger.
    fn ponders(&self) -> bool {
        true
    }

    /// Thinks on the opponents' time until `host.left()` is 0; it may return earlier.
    ///
    /// `position` is always one of ordinary play. If the engine's last line predicts the
    /// opponents' moves, it is the position of the engine's own next turn. Otherwise it is the
    /// current position, in which another side is to move. The host ignores reported lines.
    ///
    /// Default: calls [`next_move`](Self::next_move) for that position without limits, so that a
    /// [`Search`](crate::Search) keeps what it finds. It does so only after the engine has read
    /// the clock in some choice, because an engine that never does could not be stopped.
    fn ponder(&mut self, position: &Self::Rules, host: &Host) {
        ponder::ponder_by_choosing(self, position, host);
    }
}

/// One request for a move.
#[derive(Debug)]
pub struct Turn<'a, R: Rules> {
    /// The position in which to choose.
    pub position: &'a R,
    /// What the choice may cost.
    pub limits: &'a Limits,
    /// Moves that must not be chosen: the referee refused them, or the caller excludes them.
    pub barred: &'a [R::Move],
    /// The clock, the log and the other calls of the host.
    pub host: &'a Host,
    /// Random numbers from the game's seed.
    pub random: &'a mut Random,
    pub(crate) moves: &'a mut Vec<R::Move>,
}

impl<R: Rules> Turn<'_, R> {
    /// The legal moves that are not barred, in the game's fixed order.
    pub fn legal_moves(&mut self) -> &[R::Move] {
        self.moves.clear();
        self.position.generate(MoveSet::All, self.moves);
        let (position, barred) = (self.position, self.barred);
        self.moves.retain(|mv| position.is_legal(*mv) && !barred.contains(mv));
        self.moves
    }

    /// The text of the first legal move that is not barred.
    pub(crate) fn first_move(&mut self) -> Option<String> {
        let mv = self.legal_moves().first().copied()?;
        let mut text = String::new();
        self.position.write_move(mv, &mut text);
        Some(text)
    }

    /// One of [`legal_moves`](Self::legal_moves), each with the same probability; `None` if there
    /// are none.
    pub fn random_move(&mut self) -> Option<R::Move> {
        if self.barred.is_empty()
            && let Some(count) =
                self.position.count_moves().and_then(|count| usize::try_from(count).ok())
        {
            // The same random number gives the same move, with or without a list.
            let number = (count > 0).then(|| self.random.below(count))?;
            let mv = self.position.nth_move(number as u64);
            return mv.or_else(|| self.legal_moves().get(number).copied());
        }
        let count = self.legal_moves().len();
        (count > 0).then(|| self.moves[self.random.below(count)])
    }
}

/// The engine's answer to a [`Turn`].
#[derive(Clone, Debug)]
pub struct Reply<R: Rules> {
    pub(crate) decision: ReplyDecision<R::Move>,
    /// Whether the engine offers a draw with the move.
    pub offers_draw: bool,
    /// The result of the search behind the decision.
    pub line: Option<Line>,
}

#[derive(Clone, Debug)]
pub(crate) enum ReplyDecision<M> {
    Play(M),
    Resign,
    AcceptDraw,
}

impl<R: Rules> Reply<R> {
    /// Plays this move.
    pub fn play(mv: R::Move) -> Self {
        Self::with_decision(ReplyDecision::Play(mv))
    }

    /// Resigns the game.
    pub fn resign() -> Self {
        Self::with_decision(ReplyDecision::Resign)
    }

    /// Accepts the opponent's draw offer.
    pub fn accept_draw() -> Self {
        Self::with_decision(ReplyDecision::AcceptDraw)
    }

    /// The same reply with the result of the search behind it.
    pub fn with_line(self, line: Line) -> Self {
        Self { line: Some(line), ..self }
    }

    fn with_decision(decision: ReplyDecision<R::Move>) -> Self {
        Self { decision, offers_draw: false, line: None }
    }
}

/// Plays the move that a search found, with its line; resigns if it found none.
impl<R: Rules> From<SearchResult<R::Move>> for Reply<R> {
    fn from(result: SearchResult<R::Move>) -> Self {
        match result.best {
            Some(mv) => Self::play(mv).with_line(result.line),
            None => Self::resign(),
        }
    }
}

/// A game at its start, as the engine sees it. `P` is its position, or the
/// [`Knowledge`](crate::Knowledge) of a player in a game with hidden information.
#[derive(Debug)]
pub struct NewGame<'a, P> {
    /// The host's setup of the game.
    pub setup: &'a Setup,
    /// The position after the moves already played, or what the player knows of it.
    pub position: &'a P,
    /// The host of the game.
    pub host: &'a Host,
    pub(crate) options: &'a [OptionSpec],
}

impl<P> NewGame<'_, P> {
    /// The value of an option: the one in the setup, otherwise the initial one. Empty if the
    /// engine has no such option.
    pub fn text(&self, name: &str) -> &str {
        let set = self.setup.options.iter().rev().find(|(key, _)| key == name);
        let initial = || self.options.iter().find(|spec| spec.name == name);
        set.map(|(_, value)| value.as_str())
            .or_else(|| initial().map(|spec| spec.initial.as_str()))
            .unwrap_or_default()
    }

    /// The value of a whole-number option; 0 if the engine has no such option.
    pub fn whole(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// Whether an on/off option is on; false if the engine has no such option.
    pub fn toggle(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// Weights with the values of the options of the same names.
    ///
    /// # Errors
    /// The first value that is not a number or out of range, as a text for people.
    pub fn weights(&self, table: &'static [Weight]) -> Result<Weights, String> {
        let mut weights = Weights::new(table);
        for weight in table {
            let value =
                i32::try_from(self.whole(weight.name)).map_err(|error| error.to_string())?;
            weights.set(weight.name, value)?;
        }
        Ok(weights)
    }

    /// The size in bytes that the engine's tables may have: the value of this option, in MiB, but
    /// at most half of the memory that the host admits. Logs a warning when that cap applies.
    pub fn table_bytes(&self, option: &str) -> usize {
        let wanted = usize::try_from(self.whole(option) << 20).unwrap_or(usize::MAX);
        let cap = usize::try_from(self.setup.memory_bytes).unwrap_or(usize::MAX);
        if cap == 0 || wanted <= cap / 2 {
            return wanted;
        }
        let mib = cap / 2 / (1 << 20);
        let text = format!("{option} is {mib}: half of the memory that the host admits");
        self.host.log(sandboard_abi::Level::Warning, &text);
        cap / 2
    }
}
