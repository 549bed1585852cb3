//! A bout held against perfect play: what each move gave away, and what each side has lost
//! by its own.

use sandboard_games::{Seat, Side};

use super::{ExactError, GoOn, of_game};
use crate::record::{ExactRecord, GameTable, Record};

/// What perfect play says of a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What side 0 has with perfect play from the start, in the game's unit.
    pub value: u32,
    /// What each side had when the bout ended.
    pub taken: [u32; 2],
    /// What the moves of each side gave away, together.
    pub lost: [u32; 2],
    /// What each move gave away.
    pub losses: Vec<u32>,
}

/// Holds the moves of a record against perfect play. None: the game has no exact solver.
pub fn judge(
    record: &Record,
    games: GameTable,
    go_on: GoOn<'_>,
) -> Result<Option<Judged>, ExactError> {
    let Some(row) = of_game(&record.game) else { return Ok(None) };
    let wrong = |error: &dyn std::fmt::Display| ExactError::Wrong(error.to_string());
    let start = record.start(games).map_err(|error| wrong(&error))?;
    let first = start.set_up().map_err(|error| wrong(&error))?;
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    let mut game = first.boxed_clone();
    let mut sides = Vec::with_capacity(moves.len());
    for mv in &moves {
        sides.push(usize::from(game.side(game.to_move()).0 & 1));
        game.play(mv).map_err(|error| wrong(&error))?;
    }
    let (values, taken) = row.with(|solver| {
        Ok::<_, ExactError>((solver.values(&*first, &moves, go_on)?, solver.taken(&*game)?))
    })?;
    let mut judged = Judged {
        value: values.first().copied().unwrap_or(0),
        taken,
        lost: [0, 0],
        losses: Vec::new(),
    };
    for (side, pair) in sides.into_iter().zip(values.windows(2)) {
        // A move can only take from its own side.
        let (before, after) = if side == 0 { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        let loss = before.saturating_sub(after);
        judged.lost[side] += loss;
        judged.losses.push(loss);
    }
    Ok(Some(judged))
}

impl Judged {
    /// Writes it into the record that it is of.
    pub fn enter(&self, record: &mut Record) {
        for (ply, loss) in record.plies.iter_mut().zip(&self.losses) {
            ply.loss = *loss;
        }
        let Judged { value, taken, lost, .. } = *self;
        record.exact = Some(ExactRecord { value, taken, lost });
    }

    /// In what a record says otherwise, if it says anything of it: the first ply, and a sentence.
    pub fn difference(&self, record: &Record) -> Option<(u32, String)> {
        let exact = record.exact.as_ref()?;
        for (index, (ply, loss)) in record.plies.iter().zip(&self.losses).enumerate() {
            if ply.loss != *loss {
                let (mv, told) = (&ply.r#move, ply.loss);
                return Some((
                    index as u32,
                    format!("`{mv}` gave away {loss}, and the record says {told}"),
                ));
            }
        }
        let plies = record.plies.len() as u32;
        let found = [("value", [self.value, 0]), ("taken", self.taken), ("lost", self.lost)];
        let told = [[exact.value, 0], exact.taken, exact.lost];
        for ((name, found), told) in found.into_iter().zip(told) {
            if found != told {
                let text = |both: [u32; 2]| match name {
                    "value" => both[0].to_string(),
                    _ => format!("{} and {}", both[0], both[1]),
                };
                let reason = format!(
                    "`exact.{name}` is {}, and perfect play says {}",
                    text(told),
                    text(found)
                );
                return Some((plies, reason));
            }
        }
        let mark = |text: &String| of_game(&record.game).and_then(|row| row.mark_of(text));
        let mark = record.start.as_ref().and_then(mark).filter(|mark| *mark != self.value)?;
        let value = self.value;
        Some((0, format!("the mark of the start is {mark}, and perfect play says {value}")))
    }
}

/// What a record says of its moves and perfect play, for people; empty where it says nothing.
pub fn mistakes(record: &Record, games: GameTable) -> String {
    use std::fmt::Write;
    let (Some(exact), Some(row)) = (&record.exact, of_game(&record.game)) else {
        return String::new();
    };
    let game = record.start(games).ok().and_then(|start| start.set_up().ok());
    let Some(game) = game else { return String::new() };
    let sides = [0, 1].map(|side| game.side_name(Side(side)));
    let unit = |count: u32| crate::counted(count as usize, row.unit);
    let ([one, other], [a, b]) = (exact.taken, sides);
    let mut text =
        format!("{a} took {}, {b} {other}; with perfect play {a} has {}\n", unit(one), exact.value);
    for (side, name) in sides.into_iter().enumerate() {
        let lost = exact.lost[side];
        if lost == 0 {
            let _ = writeln!(text, "{name} gave nothing away");
            continue;
        }
        let places: Vec<String> = record
            .plies
            .iter()
            .enumerate()
            .filter(|(_, ply)| ply.loss > 0 && usize::from(game.side(Seat(ply.seat)).0) == side)
            .map(|(index, ply)| match ply.loss {
                1 => format!("{}. {}", index + 1, ply.r#move),
                loss => format!("{}. {} ({loss})", index + 1, ply.r#move),
            })
            .collect();
        let _ = writeln!(text, "{name} gave away {}: {}", unit(lost), places.join(", "));
    }
    text
}
