//! The common part of UCI and UCCI: positions with moves, scores, declarations of options, and
//! searches that may run until the command to stop. Knows no game.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Choice, Kind, Limits, Line, OptionSpec, Unit};

use super::Action;
use super::game_state::{CheckedDecision, GameState};
use sandboard_engine::Fault;

/// A score within this many plies of a won game is a forced result.
const FORCED_PLIES: i32 = 1000;

/// Why no search is started.
pub(super) enum SearchRefusal {
    /// There is no move, for this reason.
    NoMove(String),
    /// Our rules have ended the game, for this reason, because of the position itself. The other
    /// program may still accept a move, so this legal move is answered.
    AnyMove(String, String),
}

/// Why no search can be started; `None`: it can. `refused` is the reason why the last position was
/// refused.
pub(super) fn search_refusal(state: &GameState, refused: Option<&str>) -> Option<SearchRefusal> {
    if let Some(reason) = refused {
        return Some(SearchRefusal::NoMove(format!("no position: {reason}")));
    }
    let reason = format!("the game is over: {}", state.game.ending()?.reason);
    let legal = any_move(state).map(|mv| state.engine_info.dialect.to_program(&mv));
    Some(match legal {
        Some(mv) => SearchRefusal::AnyMove(reason, mv),
        None => SearchRefusal::NoMove(reason),
    })
}

/// The state of the search, and its answer while that waits for the command to stop.
#[derive(Debug, Default)]
pub(super) struct SearchState {
    /// Whether a search is running or its answer is waiting.
    pub(super) is_running: bool,
    /// Whether the answer must wait for the command to stop.
    pub(super) until_stop: bool,
    held_answer: Option<Result<Choice, Fault>>,
    /// Whether the engine is being prepared; other lines wait for that.
    is_preparing: bool,
}

impl SearchState {
    /// Prepares the engine for the current position;
    /// [`engine_prepared`](super::Session::engine_prepared) follows. `None`: there is nothing to
    /// prepare.
    pub(super) fn prepare(&mut self, state: &GameState, refused: Option<&str>) -> Option<Action> {
        if self.is_running || search_refusal(state, refused).is_some() {
            return None;
        }
        self.is_preparing = true;
        Some(Action::Prepare(state.prepare_request()))
    }

    /// Whether a line must wait: for the preparation, or, if it `changes` the game, for the search.
    pub(super) fn must_wait(&self, changes: bool) -> bool {
        self.is_preparing || self.is_running && changes
    }

    /// Ends the preparation; returns whether one was running.
    pub(super) fn end_preparation(&mut self) -> bool {
        std::mem::take(&mut self.is_preparing)
    }

    /// Starts a search; with `until_stop`, its answer waits for the command to stop.
    pub(super) fn begin(&mut self, until_stop: bool) {
        *self = Self { is_running: true, until_stop, ..Self::default() };
    }

    /// Takes the engine's answer; returns it if it need not wait.
    pub(super) fn take_answer(
        &mut self,
        answer: Result<Choice, Fault>,
    ) -> Option<Result<Choice, Fault>> {
        match self.until_stop {
            true => {
                self.held_answer = Some(answer);
                None
            }
            false => {
                self.is_running = false;
                Some(answer)
            }
        }
    }

    /// The input has ended; returns the waiting answer.
    pub(super) fn input_ended(&mut self) -> Option<Result<Choice, Fault>> {
        self.is_running.then(|| self.stop()).flatten()
    }

    /// Handles the command to stop; returns the waiting answer.
    pub(super) fn stop(&mut self) -> Option<Result<Choice, Fault>> {
        self.until_stop = false;
        let held_answer = self.held_answer.take();
        self.is_running &= held_answer.is_none();
        held_answer
    }
}

/// Sets up `fen … moves …` or `startpos moves …`. Err: the reason; nothing has changed.
pub(super) fn position(state: &mut GameState, text: &str) -> Result<(), String> {
    let (place, moves) = match text.split_once(" moves") {
        Some((place, moves)) => (place.trim(), moves),
        None => (text.trim(), ""),
    };
    let variant = state.engine_info.variant.clone();
    let start = match place.split_once(char::is_whitespace) {
        None if place == "startpos" => "",
        Some(("fen", fen)) => fen.trim(),
        _ => return Err(format!("`{place}` is neither `startpos` nor `fen` with a position")),
    };
    let (dialect, before) = (state.engine_info.dialect, state.snapshot());
    state.set_up(&variant, start)?;
    let played = moves.split_ascii_whitespace().try_for_each(|mv| {
        let own = dialect.to_game(mv).ok_or_else(|| format!("`{mv}` is not a move"))?;
        state.restart_if_over();
        state.play(&own).map(drop)
    });
    state.restart_if_over();
    if played.is_err() {
        state.restore(before);
    }
    played
}

/// The words of a command with their values; the words of `alone` have no value.
pub(super) fn word_values<'t>(text: &'t str, alone: &[&str]) -> Vec<(&'t str, &'t str)> {
    let mut words = text.split_ascii_whitespace();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let value = if alone.contains(&word) { "" } else { words.next().unwrap_or_default() };
        found.push((word, value));
    }
    found
}

/// A whole number; a negative one counts as 0.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number.max(0)).ok(),
        Err(_) => None,
    }
}

/// Limits in wall time if a time is given, else without a unit.
pub(super) fn wall_time_limits(call_us: Option<u64>, game_us: Option<u64>, more: Limits) -> Limits {
    let unit = if call_us.or(game_us).is_some() { Unit::Wall } else { Unit::Unlimited };
    Limits { unit, call_max: call_us, game_left: game_us, ..more }
}

/// The legal moves that are not in `only`, which is in the other program's notation.
pub(super) fn moves_except(state: &GameState, only: &[&str]) -> Vec<String> {
    let dialect = state.engine_info.dialect;
    let only: Vec<String> = only.iter().filter_map(|mv| dialect.to_game(mv)).collect();
    let legal = state.legal();
    // If none of the moves is legal, the restriction is ignored.
    if !legal.iter().any(|mv| only.contains(mv)) {
        return Vec::new();
    }
    legal.into_iter().filter(|mv| !only.contains(mv)).collect()
}

/// The plies to a forced result, and whether it is a win; `None`: the score is not forced.
pub(super) fn forced_result(score: i32) -> Option<(i32, bool)> {
    let plies = WIN_SCORE - score.abs();
    (plies <= FORCED_PLIES).then_some((plies.max(0), score > 0))
}

/// The moves of a line in the other program's notation, each after a blank.
pub(super) fn moves_of(state: &GameState, line: &Line) -> String {
    let dialect = state.engine_info.dialect;
    line.moves.split_ascii_whitespace().map(|mv| format!(" {}", dialect.to_program(mv))).collect()
}

/// The declaration of an option: its type, default and range, in UCI's order.
pub(super) fn option_declaration(state: &GameState, spec: &OptionSpec) -> String {
    let initial = match state.value(spec) {
        "" => "<empty>",
        value => value,
    };
    match &spec.kind {
        Kind::Toggle => format!("type check default {initial}"),
        Kind::Whole(min, max) => format!("type spin default {initial} min {min} max {max}"),
        Kind::Pick(words) => {
            let all: String = words.iter().map(|word| format!(" var {word}")).collect();
            format!("type combo default {initial}{all}")
        }
        // These protocols have no type for real numbers.
        Kind::Real(..) | Kind::Text(_) => format!("type string default {initial}"),
    }
}

/// A value as received; `<empty>` stands for an empty text.
pub(super) fn received_value(text: &str) -> &str {
    if text == "<empty>" { "" } else { text }
}

/// A legal move to answer when the engine resigns or accepts a draw.
pub(super) fn any_move(state: &GameState) -> Option<String> {
    state.legal().into_iter().next()
}

/// The decision as a move in the other program's notation, and a remark.
pub(super) fn protocol_move(
    state: &GameState,
    decision: CheckedDecision,
) -> (Option<String>, &'static str) {
    let say = |mv: String| state.engine_info.dialect.to_program(&mv);
    match decision {
        CheckedDecision::Play(mv) => (Some(say(mv)), ""),
        CheckedDecision::Resign => (any_move(state).map(say), "resign"),
        CheckedDecision::AcceptDraw => (any_move(state).map(say), "draw"),
    }
}
