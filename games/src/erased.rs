//! The object-safe form of a game, for hosts: a position, the moves played so far, and undo. Every
//! move is checked before it is played.

use crate::board::Board;
use crate::ending::Ending;
use crate::general::{Actor, Next, Observer, SeatSet, TwoSided};
use crate::info::{GameInfo, Variant};
use crate::opening_names::OpeningName;
use crate::phase::Phase;
use crate::playouts::{PlayoutPlan, Playouts, playouts, playouts_by_text};
use crate::rules::{MoveSet, Refusal, Rules, Seat, SetupError, Side};

/// A game in progress, of any kind. All input is text and is checked; the worst result is a
/// [`Refusal`].
///
/// Moves are played one after another: outcomes of chance, and of several seats that decide at the
/// same time, the lowest first. Hosts ask all seats of such a step before they play the first move.
///
/// Methods with a default suit games whose seats move in turn and see everything
/// ([`Features::NONE`](crate::Features::NONE)).
pub trait DynGame: Send + Sync {
    /// The game's row in the table.
    fn info(&self) -> &'static GameInfo;
    /// The variant, including the actual board size.
    fn variant(&self) -> Variant;
    /// The number of seats of the variant, see [`GameInfo::seats_of`].
    fn seats(&self) -> u8 {
        self.info().seats_of(&self.variant())
    }
    /// The names of the sides of the variant at the start of a game, see [`GameInfo::sides_of`].
    fn sides(&self) -> &'static [&'static str] {
        self.info().sides_of(&self.variant())
    }
    /// Whether two sides play against each other, see [`GameInfo::has_two_sides`].
    fn has_two_sides(&self) -> bool {
        self.info().has_two_sides(&self.variant())
    }
    /// The text of the whole position, with all that is hidden.
    fn position(&self) -> String;
    /// Who moves next.
    fn next(&self) -> Next;
    /// The seat that moves next, the lowest of several; after the end of the game the seat that
    /// would have moved. Seat 0 if there is none.
    fn to_move(&self) -> Seat;
    /// The kind of decision that comes next.
    fn phase(&self) -> Phase;
    /// What the mover must choose outside ordinary play, for people.
    fn prompt(&self) -> Option<String>;
    /// The side of a seat.
    fn side(&self, seat: Seat) -> Side;
    /// The current name of a side, which has a seat in the variant.
    fn side_name(&self, side: Side) -> &'static str;
    /// The result of each seat, or `None` while the game is in progress.
    fn ending(&self) -> Option<Ending>;
    /// The side that has won alone; `None` for a draw, and while the game is in progress.
    fn winner(&self) -> Option<Side> {
        self.ending()?.winner(|seat| self.side(seat))
    }
    /// Whether the game is over.
    fn is_over(&self) -> bool {
        self.ending().is_some()
    }
    /// Appends the legal moves of a seat, separated by one space, in a fixed order; nothing if the
    /// seat is not to move.
    fn write_legal_of(&self, seat: Seat, out: &mut String);
    /// Appends the moves that [`play`](DynGame::play) accepts next, separated by one space, in a
    /// fixed order: outcomes of chance, or the legal moves of the lowest seat to move.
    fn write_legal(&self, out: &mut String) {
        match self.next().first() {
            Some(Actor::Chance) => {
                let outcomes: Vec<String> = self.chance().into_iter().map(|it| it.0).collect();
                out.push_str(&outcomes.join(" "));
            }
            _ => self.write_legal_of(self.to_move(), out),
        }
    }
    /// The outcomes of chance with their weights, see [`GeneralRules::chance`]; none unless chance
    /// is next.
    ///
    /// [`GeneralRules::chance`]: crate::general::GeneralRules::chance
    fn chance(&self) -> Vec<(String, u32)> {
        Vec::new()
    }
    /// The text of the position as an observer sees it.
    fn view(&self, _observer: Observer) -> String {
        self.position()
    }
    /// A move that is legal for the actor in this position, as an observer sees it when its step
    /// is played. `None` if the observer does not notice it.
    fn seen(&self, _observer: Observer, _actor: Actor, mv: &str) -> Option<String> {
        Some(mv.to_owned())
    }
    /// Plays a legal move or a foul of the seat to move, the lowest of several, or an outcome of
    /// chance, and returns its canonical text. A foul ends the game (see [`Rules`], "Fouls"). On
    /// error nothing changes.
    fn play(&mut self, text: &str) -> Result<String, Refusal>;
    /// The canonical text of a move that [`play`](DynGame::play) would accept. Does not play it.
    fn canonical(&self, text: &str) -> Result<String, Refusal>;
    /// The canonical text of a move of this seat, which is to move. Does not play it.
    fn canonical_of(&self, _seat: Seat, text: &str) -> Result<String, Refusal> {
        self.canonical(text)
    }
    /// A move that [`play`](DynGame::play) would accept, in the notation that people write in
    /// files, such as SAN in chess. `None`: the canonical text is that notation, or the move is
    /// refused. Default: `None`.
    fn notation(&self, _text: &str) -> Option<String> {
        None
    }
    /// Takes back up to `plies` moves and returns how many.
    fn take_back(&mut self, plies: usize) -> usize;
    /// The number of moves played since the game was set up.
    fn plies(&self) -> usize;
    /// The moves played since the game was set up, as canonical texts.
    fn moves(&self) -> Vec<String>;
    /// Appends the canonical text of the last move; nothing if no move was played.
    fn write_last_move(&self, out: &mut String);
    /// The board as data, as an observer sees it, with the last move marked and the legal moves of
    /// the seat to move. None: the game has no board data.
    fn board(&self, _observer: Observer) -> Option<Board> {
        None
    }
    /// A text diagram of the board for a terminal, as an observer sees it, with the last move
    /// marked.
    fn diagram(&self, observer: Observer) -> String;
    /// The name of the opening that was played: that of the last position since the set-up that has
    /// one. None: no position on the way has a name.
    fn opening(&self) -> Option<OpeningName> {
        None
    }
    /// Game-specific fields of a `rules` answer: names with JSON texts as values.
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// The number of move sequences of `depth` plies, see [`perft`](crate::perft()).
    fn perft(&self, depth: u32) -> u64;
    /// Plays random games from this position, which does not change. Returns what
    /// [`playouts_by_text`] returns, which is the default.
    fn playouts(&self, plan: &PlayoutPlan) -> Playouts {
        playouts_by_text(self, plan)
    }
    /// The position's hash, see [`Rules::hash`].
    fn hash(&self) -> u64;
    /// A hash that symmetric positions share, see [`Rules::symmetric_hash`].
    fn symmetric_hash(&self) -> u64;
    /// A game that starts in this position, see [`Rules::without_history`].
    fn without_history(&self) -> Box<dyn DynGame>;
    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn DynGame>;
    /// The same position with the turn passed to the other side, without a history, for the
    /// question what that side threatens. `None` if the rules have no null move here, or no text
    /// for the position after it. Such a pass is no move of the game.
    fn after_null_move(&self) -> Option<Box<dyn DynGame>> {
        None
    }
    /// Why the rules can judge this game no more: one sentence without its subject and without a
    /// full stop. Only plugged-in rules can fail. Then moves are refused, and other answers are
    /// empty or the last ones. A bout must check this after it has used the game.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// A [`DynGame`] implemented by typed rules.
#[derive(Clone, Debug)]
pub struct Game<R: Rules> {
    position: R,
    history: Vec<Played<R>>,
}

#[derive(Clone, Debug)]
struct Played<R: Rules> {
    mv: R::Move,
    undo: R::Undo,
}

impl<R: Rules> Game<R> {
    /// A game that starts in this position.
    fn from_position(position: R) -> Self {
        Self { position, history: Vec::new() }
    }

    /// The current position.
    pub fn rules(&self) -> &R {
        &self.position
    }

    fn read(&self, text: &str) -> Result<(R::Move, String), Refusal> {
        let refuse = |reason| Refusal { text: text.to_owned(), reason };
        let mv = self.position.parse_move(text).map_err(refuse)?;
        let mut canonical = String::new();
        self.position.write_move(mv, &mut canonical);
        Ok((mv, canonical))
    }

    /// Sets up a game; the constructor in a game's row ([`GameInfo::new`]).
    pub fn set_up(
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Box<dyn DynGame>, SetupError> {
        let position = match position {
            Some(text) => R::parse_position(variant, text)
                .map_err(|error| SetupError::Position { game: R::INFO.id, error })?,
            None => R::start(variant),
        };
        Ok(Box::new(Self::from_position(position)))
    }
}

/// The result of each seat, or `None` while the game is in progress.
pub(crate) fn ending<R: Rules>(position: &R) -> Option<Ending> {
    let outcome = position.outcome()?;
    let sides = position.side_scores(&outcome);
    let score = |seat| sides[usize::from(R::side(Seat(seat)).0)];
    let scores = (0..R::INFO.seats_of(&position.variant())).map(score).collect();
    Some(Ending { scores, reason: outcome.reason.into() })
}

impl<R: Rules> DynGame for Game<R> {
    fn info(&self) -> &'static GameInfo {
        R::INFO
    }

    fn variant(&self) -> Variant {
        self.position.variant()
    }

    fn position(&self) -> String {
        let mut text = String::new();
        self.position.write_position(&mut text);
        text
    }

    fn next(&self) -> Next {
        match self.position.outcome() {
            None => Next::Seats(SeatSet::one(self.position.to_move())),
            Some(_) => Next::Over,
        }
    }

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn phase(&self) -> Phase {
        self.position.phase()
    }

    fn prompt(&self) -> Option<String> {
        self.position.prompt()
    }

    fn side(&self, seat: Seat) -> Side {
        R::side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.position.side_name(side)
    }

    fn ending(&self) -> Option<Ending> {
        ending(&self.position)
    }

    fn winner(&self) -> Option<Side> {
        self.position.outcome()?.winner
    }

    fn is_over(&self) -> bool {
        self.position.outcome().is_some()
    }

    fn write_legal_of(&self, seat: Seat, out: &mut String) {
        if seat == self.position.to_move() {
            self.write_legal(out);
        }
    }

    fn write_legal(&self, out: &mut String) {
        let mut moves = Vec::new();
        self.position.generate(MoveSet::All, &mut moves);
        let begin = out.len();
        // Estimate: most move texts with their space have at most 4 bytes.
        out.reserve(moves.len() * 4);
        for mv in moves {
            if self.position.is_legal(mv) {
                if out.len() > begin {
                    out.push(' ');
                }
                self.position.write_move(mv, out);
            }
        }
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        let (mv, canonical) = self.read(text)?;
        let undo = self.position.make_parsed(mv);
        self.history.push(Played { mv, undo });
        Ok(canonical)
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        self.read(text).map(|(_, canonical)| canonical)
    }

    fn notation(&self, text: &str) -> Option<String> {
        let (mv, _) = self.read(text).ok()?;
        let mut notation = String::new();
        self.position.write_notation(mv, &mut notation);
        (!notation.is_empty()).then_some(notation)
    }

    fn take_back(&mut self, plies: usize) -> usize {
        let plies = plies.min(self.history.len());
        for played in self.history.drain(self.history.len() - plies..).rev() {
            self.position.unmake(played.undo);
        }
        plies
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    fn moves(&self) -> Vec<String> {
        let mut back = self.clone();
        let mut moves = Vec::with_capacity(self.history.len());
        while !back.history.is_empty() {
            let mut text = String::new();
            back.write_last_move(&mut text);
            moves.push(text);
            back.take_back(1);
        }
        moves.reverse();
        moves
    }

    fn write_last_move(&self, out: &mut String) {
        // A move's text depends on the position before it.
        if let Some(played) = self.history.last() {
            let mut before = self.position.clone();
            before.unmake(played.undo.clone());
            before.write_move(played.mv, out);
        }
    }

    fn board(&self, _observer: Observer) -> Option<Board> {
        self.position.board(self.history.last().map(|played| played.mv))
    }

    fn diagram(&self, _observer: Observer) -> String {
        let mut text = String::new();
        self.position.write_diagram(self.history.last().map(|played| played.mv), &mut text);
        text
    }

    fn opening(&self) -> Option<OpeningName> {
        let mut position = self.position.clone();
        let mut played = self.history.iter().rev();
        loop {
            if let Some(name) = position.opening() {
                return Some(name);
            }
            position.unmake(played.next()?.undo.clone());
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.position.facts()
    }

    fn perft(&self, depth: u32) -> u64 {
        crate::perft(&mut self.position.clone(), depth)
    }

    fn playouts(&self, plan: &PlayoutPlan) -> Playouts {
        playouts(&TwoSided(self.position.clone()), plan)
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn symmetric_hash(&self) -> u64 {
        self.position.symmetric_hash()
    }

    fn without_history(&self) -> Box<dyn DynGame> {
        Box::new(Self::from_position(self.position.without_history()))
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }

    fn after_null_move(&self) -> Option<Box<dyn DynGame>> {
        let mut position = self.position.clone();
        position.make_null()?;
        let mut text = String::new();
        position.write_position(&mut text);
        let passed = R::parse_position(&self.position.variant(), &text).ok()?;
        Some(Box::new(Self::from_position(passed)))
    }
}

#[cfg(test)]
mod tests {
    use crate::GAMES;

    /// `expected` is the position after a null move; `None`: the rules have none here.
    #[track_caller]
    fn check_null_move(game: &str, variant: &str, moves: &str, expected: Option<&str>) {
        let info = GAMES.iter().find(|info| info.id == game).unwrap();
        let mut game = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
        moves.split_whitespace().for_each(|mv| drop(game.play(mv).unwrap()));
        let before = game.position();
        let passed = game.after_null_move();
        assert_eq!(passed.as_ref().map(|passed| passed.position()).as_deref(), expected);
        assert_eq!(game.position(), before);
        if let Some(passed) = passed {
            assert_ne!(passed.side(passed.to_move()), game.side(game.to_move()));
        }
    }

    #[test]
    fn a_null_move_passes_the_turn_where_the_rules_have_one() {
        check_null_move("gomoku", "freestyle-5", "c3", Some("5/5/2x2/5/5 b"));
        let won = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
        check_null_move("gomoku", "freestyle-5", won, None);
        // The first stones are put by an opening procedure.
        check_null_move("gomoku", "swap2-15", "", None);
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1";
        check_null_move("xiangqi", "", "", Some(start));
        // In check.
        check_null_move("xiangqi", "", "h2e2 a9a8 e2e6 a8a9 b2b5 a9a8 b5e5", None);
        check_null_move("reversi", "", "", None);
        check_null_move("bridge", "", "", None);
    }
}
