//! Comparison of a record with perfect play: what each move and each side gave away. Uses the
//! solvers after the bout; no result depends on it.

mod solved_end;

use sandboard_games::{Games, Seat, Side};

use crate::record::{PerfectPlayRecord, Record};
use crate::solver::{ContinueCheck, SolverError, solved_game};
use crate::start::StartPosition;

pub use solved_end::{SolvedEndCheck, check_solved_end};

/// The moves of a bout compared with perfect play, in the game's unit (tricks).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfectPlayReport {
    /// The total of side 0 with perfect play on both sides from the start.
    value: u32,
    /// What each side had when the bout ended.
    taken: [u32; 2],
    /// What the moves of each side gave away: the sums of its `losses`.
    pub lost: [u32; 2],
    /// What each move gave away.
    losses: Vec<u32>,
}

/// Compares the moves of a record with perfect play. None: no solver solves the game.
pub fn evaluate(
    record: &Record,
    games: &Games,
    keep_going: ContinueCheck<'_>,
) -> Result<Option<PerfectPlayReport>, SolverError> {
    if solved_game(&record.game).is_none() {
        return Ok(None);
    }
    let start =
        record.start_position(games).map_err(|error| SolverError::Invalid(error.to_string()))?;
    evaluate_from(&start, record, keep_going)
}

/// As [`evaluate`], for a record of a bout that began in this position.
pub(crate) fn evaluate_from(
    start: &StartPosition,
    record: &Record,
    keep_going: ContinueCheck<'_>,
) -> Result<Option<PerfectPlayReport>, SolverError> {
    let Some(row) = solved_game(&record.game) else { return Ok(None) };
    let invalid = |error: &dyn std::fmt::Display| SolverError::Invalid(error.to_string());
    let first = start.set_up().map_err(|error| invalid(&error))?;
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    let mut game = first.boxed_clone();
    let mut sides = Vec::with_capacity(moves.len());
    for mv in &moves {
        sides.push(usize::from(game.side(game.to_move()).0 & 1));
        game.play(mv).map_err(|error| invalid(&error))?;
    }
    let (values, taken) = row.with_solver(|solver| {
        let values = solver.values(&*first, &moves, keep_going)?;
        Ok::<_, SolverError>((values, solver.taken(&*game)?))
    })?;
    let mut report = PerfectPlayReport {
        value: values.first().copied().unwrap_or(0),
        taken,
        lost: [0, 0],
        losses: Vec::new(),
    };
    for (side, pair) in sides.into_iter().zip(values.windows(2)) {
        // `values` are totals of side 0: a move of side 0 can only lower them, one of side 1 only
        // raise them.
        let (before, after) = if side == 0 { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        let loss = before.saturating_sub(after);
        report.lost[side] += loss;
        report.losses.push(loss);
    }
    Ok(Some(report))
}

impl PerfectPlayReport {
    /// Writes the report into the record from which it was computed.
    pub(crate) fn write_to(&self, record: &mut Record) {
        for (ply, loss) in record.plies.iter_mut().zip(&self.losses) {
            ply.loss = *loss;
        }
        let Self { value, taken, lost, .. } = *self;
        record.perfect_play = Some(PerfectPlayRecord { value, taken, lost });
    }

    /// The first difference from what a record contains: its ply, and a sentence. None: there is
    /// no difference, or the record has no `perfect_play`.
    pub fn difference(&self, record: &Record) -> Option<(u32, String)> {
        let recorded = record.perfect_play.as_ref()?;
        for (index, (ply, loss)) in record.plies.iter().zip(&self.losses).enumerate() {
            if ply.loss != *loss {
                let (mv, recorded) = (&ply.r#move, ply.loss);
                let reason = format!("`{mv}` gave away {loss}, but the record has {recorded}");
                return Some((index as u32, reason));
            }
        }
        let plies = record.plies.len() as u32;
        let fields = [
            ("value", [recorded.value, 0], [self.value, 0]),
            ("taken", recorded.taken, self.taken),
            ("lost", recorded.lost, self.lost),
        ];
        for (name, recorded, found) in fields {
            if found != recorded {
                let text = |both: [u32; 2]| match name {
                    "value" => both[0].to_string(),
                    _ => format!("{} and {}", both[0], both[1]),
                };
                let (recorded, found) = (text(recorded), text(found));
                let reason =
                    format!("`perfect_play.{name}` is {recorded}, but perfect play gives {found}");
                return Some((plies, reason));
            }
        }
        let mark = |text: &String| solved_game(&record.game).and_then(|row| row.read_mark(text));
        let mark = record.start.as_ref().and_then(mark).filter(|mark| *mark != self.value)?;
        let value = self.value;
        Some((0, format!("the mark of the start is {mark}, but perfect play gives {value}")))
    }
}

/// The comparison with perfect play that a record contains, in words; empty: it contains none.
pub fn describe_mistakes(record: &Record, games: &Games) -> String {
    use std::fmt::Write;
    let (Some(perfect_play), Some(row)) = (&record.perfect_play, solved_game(&record.game)) else {
        return String::new();
    };
    let game = record.start_position(games).ok().and_then(|start| start.set_up().ok());
    let Some(game) = game else { return String::new() };
    let sides = [0, 1].map(|side| game.side_name(Side(side)));
    let unit = |count: u32| sandboard_common::text::counted(count as usize, row.unit);
    let ([one, other], [a, b]) = (perfect_play.taken, sides);
    let mut text = format!(
        "{a} took {}, {b} {other}; with perfect play {a} has {}\n",
        unit(one),
        perfect_play.value
    );
    for (side, name) in sides.into_iter().enumerate() {
        let lost = perfect_play.lost[side];
        if lost == 0 {
            let _ = writeln!(text, "{name} gave nothing away");
            continue;
        }
        let mistakes: Vec<String> = record
            .plies
            .iter()
            .enumerate()
            .filter(|(_, ply)| {
                ply.loss > 0
                    && ply.seat.is_some_and(|seat| game.side(Seat(seat)) == Side(side as u8))
            })
            .map(|(index, ply)| match ply.loss {
                1 => format!("{}. {}", index + 1, ply.r#move),
                loss => format!("{}. {} ({loss})", index + 1, ply.r#move),
            })
            .collect();
        let _ = writeln!(text, "{name} gave away {}: {}", unit(lost), mistakes.join(", "));
    }
    text
}
