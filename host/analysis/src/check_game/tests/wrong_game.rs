//! A game that breaks one property, around a built-in game.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use sandboard_games::board::{Board, Element, Grid};
use sandboard_games::general::{Next, Observer};
use sandboard_games::{
    DynGame, Ending, GameInfo, Phase, PlayoutPlan, Playouts, PositionError, PositionFault, Refusal,
    Seat, SetupError, Side, Variant, VariantInfo, bridge, playouts_by_text, reversi,
};

/// The property that a game breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Nothing,
    /// It begins no game.
    RulesFail,
    /// It begins a game of another size.
    OtherVariant,
    /// A position text gives the start position.
    PositionIgnored,
    /// It refuses its own position texts.
    PositionRefused,
    /// It reads position texts only if the variant names the size.
    SizeRequired,
    /// It plays moves in upper case.
    UpperCasePlayed,
    /// It plays a listed move for every other text.
    AnyTextPlayed,
    /// A refused text changes the position.
    RefusalPlays,
    /// It gives no reason for a refusal.
    NoReason,
    /// It returns moves in upper case.
    UpperCaseReturned,
    /// It lists a move twice.
    Duplicate,
    /// It refuses the move that it lists last, if there are others.
    LastRefused,
    /// A copy is the same game.
    SharedCopy,
    /// A copy does not know the moves so far.
    ForgetfulCopy,
    /// A query for the canonical text of a move plays it.
    CanonicalPlays,
    /// It takes back one ply less than it says.
    UndoTooShort,
    /// It says that it took back one ply less than it did.
    UndoMiscounted,
    /// It does not know the moves so far after an undo.
    UndoForgets,
    /// It counts one move sequence too many.
    Counts,
    /// It gives the higher score to the losing side.
    ScoresSwapped,
    /// Seats of one side have different scores.
    SeatScores,
    /// It returns a score for one seat only.
    OneScore,
    /// It lists moves after the end.
    MovesAfterEnd,
    /// It never has an ending.
    NoEnding,
    /// Its own random games are not those of its list of moves.
    OtherPlayouts,
    /// It begins again instead of ending.
    Endless,
    /// Its diagram depends on the number of games so far.
    UnstableDiagram,
    /// It has a board as data.
    Board,
    /// Its board depends on the number of games so far.
    UnstableBoard,
    /// Its board lists a move that is not legal.
    IllegalOnBoard,
    /// Its board does not list the last legal move.
    MoveNotOnBoard,
    /// It has a board before the first move only.
    BoardAtTimes,
    /// The board of seat 1 has a place twice.
    SeatBoard,
    /// Its list of moves depends on the number of games so far.
    UnstableMoves,
    EmptyDiagram,
    WideDiagram,
    OtherSideNames,
    PromptInPlay,
    OtherLastMove,
    /// The rules fail when a move is played.
    FaultInPlay,
}

/// The number of games so far, for games that depend on it.
static STARTED: AtomicUsize = AtomicUsize::new(0);

struct WrongGame {
    inner: Arc<Mutex<Box<dyn DynGame>>>,
    /// The start position, for games that begin again.
    start: Box<dyn DynGame>,
    wrong: Wrong,
    number: usize,
    has_fault: bool,
    forgets: bool,
}

/// Reversi with this property broken.
pub(super) fn wrong_reversi(wrong: Wrong) -> &'static GameInfo {
    let new = move |variant: &Variant, position: Option<&str>| begin(wrong, variant, position);
    let new: &'static _ = Box::leak(Box::new(new));
    const VARIANTS: &[VariantInfo] = &[VariantInfo {
        id: "standard",
        about: "reversi",
        sizes: reversi::INFO.variants[0].sizes,
        default_size: 8,
        setting: None,
        seats: None,
    }];
    let info = GameInfo { id: "wrong", variants: VARIANTS, new, ..reversi::INFO };
    Box::leak(Box::new(info))
}

/// Bridge whose seats of one side have different scores.
pub(super) fn wrong_bridge() -> &'static GameInfo {
    let new: &'static _ = &|variant: &Variant, position: Option<&str>| {
        let game = (bridge::INFO.new)(variant, position)?;
        Ok(WrongGame::boxed(game, Wrong::SeatScores))
    };
    Box::leak(Box::new(GameInfo { new, ..bridge::INFO }))
}

fn begin(
    wrong: Wrong,
    variant: &Variant,
    position: Option<&str>,
) -> Result<Box<dyn DynGame>, SetupError> {
    let position = match (wrong, position) {
        (Wrong::RulesFail, _) => {
            return Err(SetupError::Judge { game: "wrong", reason: "trapped: no start".into() });
        }
        (Wrong::PositionRefused, Some(_)) => return Err(refused("a new rule")),
        (Wrong::SizeRequired, Some(_)) if variant.size.is_none() => return Err(refused("no size")),
        (Wrong::PositionIgnored, _) => None,
        (_, position) => position,
    };
    let other = Variant { size: Some(6), ..variant.clone() };
    let variant = if wrong == Wrong::OtherVariant { &other } else { variant };
    Ok(WrongGame::boxed((reversi::INFO.new)(variant, position)?, wrong))
}

fn refused(reason: &str) -> SetupError {
    let error = PositionError(vec![PositionFault { offset: 0, reason: reason.into() }]);
    SetupError::Position { game: "wrong", error }
}

impl WrongGame {
    fn boxed(inner: Box<dyn DynGame>, wrong: Wrong) -> Box<dyn DynGame> {
        let (start, inner) = (inner.boxed_clone(), Arc::new(Mutex::new(inner)));
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        Box::new(Self { inner, start, wrong, number, has_fault: false, forgets: false })
    }

    fn game(&self) -> MutexGuard<'_, Box<dyn DynGame>> {
        self.inner.lock().unwrap()
    }

    fn legal(&self) -> Vec<String> {
        let mut line = String::new();
        self.write_legal(&mut line);
        line.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == wrong
    }
}

impl DynGame for WrongGame {
    fn info(&self) -> &'static GameInfo {
        self.game().info()
    }

    fn variant(&self) -> Variant {
        self.game().variant()
    }

    fn position(&self) -> String {
        self.game().position()
    }

    fn next(&self) -> Next {
        self.game().next()
    }

    fn to_move(&self) -> Seat {
        self.game().to_move()
    }

    fn phase(&self) -> Phase {
        self.game().phase()
    }

    fn prompt(&self) -> Option<String> {
        self.is(Wrong::PromptInPlay).then(|| "choose".to_owned())
    }

    fn side(&self, seat: Seat) -> Side {
        self.game().side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        if self.is(Wrong::OtherSideNames) { "green" } else { self.game().side_name(side) }
    }

    fn winner(&self) -> Option<Side> {
        self.game().winner()
    }

    fn ending(&self) -> Option<Ending> {
        let mut ending = self.game().ending().filter(|_| !self.is(Wrong::NoEnding))?;
        match self.wrong {
            Wrong::ScoresSwapped => ending.scores.reverse(),
            Wrong::SeatScores => ending.scores[2] += 1,
            Wrong::OneScore => ending.scores.truncate(1),
            _ => (),
        }
        Some(ending)
    }

    fn write_legal_of(&self, seat: Seat, out: &mut String) {
        let mut line = String::new();
        self.game().write_legal_of(seat, &mut line);
        let mut moves: Vec<&str> = line.split_ascii_whitespace().collect();
        match self.wrong {
            Wrong::Duplicate => moves.extend(moves.first().copied()),
            Wrong::MovesAfterEnd if self.is_over() => moves.push("a1"),
            Wrong::UnstableMoves if self.number % 2 == 1 => moves.reverse(),
            _ => (),
        }
        out.push_str(&moves.join(" "));
    }

    fn playouts(&self, plan: &PlayoutPlan) -> Playouts {
        let mut results = playouts_by_text(self, plan);
        results.choices += u64::from(self.is(Wrong::OtherPlayouts));
        results
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        let listed = self.legal();
        let refuse = |reason: &str| Err(Refusal { text: text.into(), reason: reason.into() });
        match self.wrong {
            Wrong::FaultInPlay => {
                self.has_fault = true;
                return refuse("the rules of the game failed");
            }
            Wrong::LastRefused
                if listed.len() > 1 && listed.last().is_some_and(|mv| mv == text) =>
            {
                return refuse("a new rule");
            }
            Wrong::UpperCasePlayed if text != text.to_lowercase() => {
                return self.game().play(&text.to_lowercase());
            }
            _ => (),
        }
        let played = self.game().play(text);
        match (self.wrong, played) {
            (Wrong::AnyTextPlayed, Err(refusal)) => match listed.first() {
                Some(mv) => self.game().play(mv).map(|_| text.to_owned()),
                None => Err(refusal),
            },
            (Wrong::RefusalPlays, Err(refusal)) => {
                let _ = listed.first().map(|mv| self.game().play(mv));
                Err(refusal)
            }
            (Wrong::NoReason, Err(_)) => refuse(""),
            (Wrong::UpperCaseReturned, Ok(mv)) => Ok(mv.to_uppercase()),
            (Wrong::Endless, Ok(mv)) => {
                let mut game = self.game();
                if game.is_over() {
                    *game = self.start.boxed_clone();
                }
                Ok(mv)
            }
            (_, played) => played,
        }
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        match self.wrong {
            Wrong::CanonicalPlays => self.game().play(text),
            _ => self.game().canonical(text),
        }
    }

    fn take_back(&mut self, plies: usize) -> usize {
        self.forgets = self.is(Wrong::UndoForgets);
        match self.wrong {
            Wrong::UndoTooShort => self.game().take_back(plies - 1) + 1,
            Wrong::UndoMiscounted => self.game().take_back(plies) - 1,
            _ => self.game().take_back(plies),
        }
    }

    fn plies(&self) -> usize {
        self.game().plies()
    }

    fn moves(&self) -> Vec<String> {
        if self.forgets { Vec::new() } else { self.game().moves() }
    }

    fn write_last_move(&self, out: &mut String) {
        match self.wrong {
            Wrong::OtherLastMove => out.push_str("z9"),
            _ => self.game().write_last_move(out),
        }
    }

    fn board(&self, observer: Observer) -> Option<Board> {
        let mut board = Board::of(Grid::square(4, 4));
        let mut moves = self.legal();
        match self.wrong {
            Wrong::Board => (),
            Wrong::UnstableBoard => board.seats_face_each_other = self.number % 2 == 1,
            Wrong::IllegalOnBoard => moves.push("z9".into()),
            Wrong::MoveNotOnBoard => drop(moves.pop()),
            Wrong::BoardAtTimes if self.plies() == 0 => (),
            Wrong::SeatBoard if observer == Observer::Seat(Seat(1)) => {
                board.elements.push(vec![Element::Grid(Grid::square(1, 1))]);
            }
            Wrong::SeatBoard => (),
            _ => return None,
        }
        moves.iter().for_each(|mv| board.add_button(mv, ""));
        Some(board)
    }

    fn diagram(&self, observer: Observer) -> String {
        match self.wrong {
            Wrong::EmptyDiagram => "\n".into(),
            Wrong::WideDiagram => "x".repeat(201),
            Wrong::UnstableDiagram => self.number.to_string(),
            _ => self.game().diagram(observer),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.game().facts()
    }

    fn perft(&self, depth: u32) -> u64 {
        let extra = u64::from(self.is(Wrong::Counts) && depth == 2);
        if depth == 0 || self.is_over() {
            return 1 + extra;
        }
        let after = |mv: &String| {
            let mut after = self.boxed_clone();
            after.play(mv).map_or(0, |_| after.perft(depth - 1))
        };
        self.legal().iter().map(after).sum::<u64>() + extra
    }

    fn hash(&self) -> u64 {
        self.game().hash()
    }

    fn symmetric_hash(&self) -> u64 {
        self.game().symmetric_hash()
    }

    fn without_history(&self) -> Box<dyn DynGame> {
        Self::boxed(self.game().without_history(), self.wrong)
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        let inner = match self.wrong {
            Wrong::SharedCopy => self.inner.clone(),
            _ => Arc::new(Mutex::new(self.game().boxed_clone())),
        };
        Box::new(Self {
            inner,
            start: self.start.boxed_clone(),
            forgets: self.is(Wrong::ForgetfulCopy),
            ..*self
        })
    }

    fn fault(&self) -> Option<String> {
        self.has_fault.then(|| "trapped: out of discs".to_owned())
    }
}
