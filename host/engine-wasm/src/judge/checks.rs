//! Checks the answers of a judge, apart from what depends on the game's description. Each error is
//! a sentence without its subject, such as "returned a move with 70 bytes; at most 64".

use std::collections::BTreeSet;

use sandboard_abi::limits;
use sandboard_common::text::{is_hidden, quoted};
use sandboard_games::general::{Next, SeatSet};
use sandboard_games::{Phase, PlayoutPlan, Playouts, Seat};

use sandboard_component::judge as types;

/// The longest position text, list of legal moves and diagram, in bytes.
const TEXT_BYTES: usize = limits::LINE_BYTES;
/// The longest reason of an ending, in bytes.
const REASON_BYTES: usize = 80;

/// The most outcomes of chance in one position.
const OUTCOMES_MAX: usize = 10_000;

/// The largest score of a seat, so that sums of scores do not overflow.
pub(super) const SCORE_MAX: u32 = 1_000_000_000;

/// What a judge says about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) next: Next,
    /// The lowest seat to move, or the seat that would have moved after the end; none before a
    /// move of chance.
    pub(super) to_move: Option<Seat>,
    pub(super) phase: Phase,
    /// The scores of all seats, and the reason.
    pub(super) ending: Option<(Vec<i32>, String)>,
}

pub(super) fn answer(turn: types::Turn) -> Result<Answer, String> {
    let phase = match turn.phase {
        types::Phase::Play => Phase::Play,
        types::Phase::Opening => Phase::Opening,
        types::Phase::Swap => Phase::Swap,
        types::Phase::Announce => Phase::Announce,
        types::Phase::Offer => Phase::Offer,
        types::Phase::Pick => Phase::Pick,
    };
    let ending = turn.ending.map(|ending| {
        let reason = text_of(ending.reason, "a reason", REASON_BYTES)?;
        Ok::<_, String>((ending.scores, reason))
    });
    let (next, to_move) = match turn.next {
        types::Next::Seats(seats) => {
            let seats = seat_set(&seats)?;
            (Next::Seats(seats), seats.iter().next())
        }
        types::Next::Chance => (Next::Chance, None),
        types::Next::Over(seat) => (Next::Over, Some(Seat(seat))),
    };
    match (next, &ending) {
        (Next::Over, None) => Err("ended the game without a result".into()),
        (Next::Seats(_) | Next::Chance, Some(_)) => {
            Err("returned a result, but the game is not over".into())
        }
        _ => Ok(Answer { next, to_move, phase, ending: ending.transpose()? }),
    }
}

/// The seats of a list in ascending order.
fn seat_set(seats: &[u8]) -> Result<SeatSet, String> {
    if seats.is_empty() {
        return Err("named no seat to move".into());
    }
    if let Some(seat) = seats.iter().find(|seat| usize::from(**seat) >= limits::SEATS) {
        return Err(format!("named seat {seat} to move; a game has at most {}", limits::SEATS));
    }
    match seats.is_sorted_by(|one, other| one < other) {
        true => Ok(seats.iter().copied().map(Seat).collect()),
        false => Err(format!("named the seats {seats:?} to move, which are not in order")),
    }
}

/// The results of random games with this number of seats, as the plan wants them.
pub(super) fn playouts(
    results: types::PlayoutResults,
    seats: u8,
    plan: &PlayoutPlan,
) -> Result<Playouts, String> {
    let types::PlayoutResults { plies, scores, unfinished, decisions, choices } = results;
    let games = plan.games as usize;
    let plies_sum: u64 = plies.iter().map(|plies| u64::from(*plies)).sum();
    let is_plan = plies.len() == games
        && scores.len() == games * usize::from(seats)
        && plies.iter().all(|plies| *plies <= plan.plies_max)
        && unfinished.is_sorted_by(|one, other| one < other)
        && unfinished.iter().all(|index| *index < plan.games)
        && decisions <= plies_sum;
    if !is_plan {
        return Err(format!("returned results that are not those of {games} random games"));
    }
    if let Some(score) = scores.iter().find(|score| score.unsigned_abs() > SCORE_MAX) {
        return Err(format!("returned the score {score}; the limit is {SCORE_MAX}"));
    }
    Ok(Playouts { plies, scores, unfinished, decisions, choices })
}

/// Outcomes of chance: each a valid move that differs from the others, with a weight.
pub(super) fn outcomes(outcomes: Vec<types::Outcome>) -> Result<Vec<(String, u32)>, String> {
    if outcomes.is_empty() {
        return Err("left the next move to chance, but returned no outcome".into());
    }
    if outcomes.len() > OUTCOMES_MAX {
        let found = outcomes.len();
        return Err(format!("returned {found} outcomes of chance; at most {OUTCOMES_MAX}"));
    }
    let mut seen = BTreeSet::new();
    for types::Outcome { r#move: mv, weight } in &outcomes {
        if *weight == 0 {
            return Err(format!("returned the outcome {} with the weight 0", quoted(mv)));
        }
        if !seen.insert(mv) {
            return Err(format!("returned the outcome {} twice", quoted(mv)));
        }
    }
    let checked = |outcome: types::Outcome| Ok((move_text(outcome.r#move)?, outcome.weight));
    outcomes.into_iter().map(checked).collect()
}

/// A short text of one line.
pub(super) fn label(text: String, what: &str) -> Result<String, String> {
    text_of(text, what, limits::ID_BYTES)
}

pub(super) fn position(text: String) -> Result<String, String> {
    text_of(text, "a position", TEXT_BYTES)
}

/// A position as an observer sees it.
pub(super) fn view(text: String) -> Result<String, String> {
    text_of(text, "a view", TEXT_BYTES)
}

pub(super) fn move_text(text: String) -> Result<String, String> {
    let text = text_of(text, "a move", limits::MOVE_BYTES)?;
    match text.contains(char::is_whitespace) {
        true => Err(format!("returned the move {}, which has white space", quoted(&text))),
        false => Ok(text),
    }
}

/// A line of moves: each valid, with one space between two of them.
pub(super) fn legal_moves(line: String) -> Result<String, String> {
    if line.is_empty() {
        return Ok(line);
    }
    let line = text_of(line, "a list of moves", TEXT_BYTES)?;
    for mv in line.split(' ') {
        // The text is copied only for the message.
        if mv.is_empty() || mv.len() > limits::MOVE_BYTES || mv.contains(char::is_whitespace) {
            move_text(mv.to_owned())?;
        }
    }
    Ok(line)
}

/// A text diagram: visible lines, each with a line feed.
pub(super) fn diagram(text: &str) -> Result<String, String> {
    check_length(text, "a diagram", TEXT_BYTES)?;
    text.lines().try_for_each(|line| check_visible(line, "a diagram"))?;
    Ok(text.lines().flat_map(|line| [line, "\n"]).collect())
}

/// The text, if it is not empty, short enough and visible.
fn text_of(text: String, what: &str, max_bytes: usize) -> Result<String, String> {
    if text.is_empty() {
        return Err(format!("returned {what} without a text"));
    }
    check_length(&text, what, max_bytes)?;
    check_visible(&text, what)?;
    Ok(text)
}

pub(super) fn check_visible(text: &str, what: &str) -> Result<(), String> {
    match text.chars().find(|&letter| is_hidden(letter)) {
        Some(letter) => Err(format!("returned {what} with the character {letter:?}")),
        None => Ok(()),
    }
}

fn check_length(text: &str, what: &str, max_bytes: usize) -> Result<(), String> {
    match text.len() > max_bytes {
        true => Err(format!("returned {what} with {} bytes; at most {max_bytes}", text.len())),
        false => Ok(()),
    }
}
