//! Reads and writes position texts.

use sandboard_game_sdk::games::{PositionError, PositionFault, Variant};

use super::star::{SIZE, TRIANGLE_HOLES, holes_of_row};
use super::{ChineseCheckers, INFO};

/// The letter of a seat: the first one of its side's name.
fn letter(seat: u8) -> char {
    INFO.sides[usize::from(seat)].chars().next().unwrap_or('?')
}

/// Appends the text of a position.
pub(crate) fn write(game: &ChineseCheckers, out: &mut String) {
    for row in 0..SIZE {
        if row > 0 {
            out.push('/');
        }
        let mut empty = 0;
        for hole in holes_of_row(row) {
            match game.holes[usize::from(hole)] {
                None => empty += 1,
                Some(seat) => {
                    write_empty(&mut empty, out);
                    out.push(letter(seat));
                }
            }
        }
        write_empty(&mut empty, out);
    }
    let to_move = if game.is_over() { '-' } else { letter(game.to_move) };
    out.push_str(&format!(" {to_move} {} ", game.plies));
    match game.arrived.is_empty() {
        true => out.push('-'),
        false => out.extend(game.arrived.iter().map(|seat| letter(*seat))),
    }
}

fn write_empty(empty: &mut u8, out: &mut String) {
    if *empty > 0 {
        out.push_str(&empty.to_string());
    }
    *empty = 0;
}

/// A position text that is being read.
struct Reader {
    game: ChineseCheckers,
    faults: Vec<PositionFault>,
}

/// Reads the text of a position. The error lists all faults of the rows, or of the other parts.
pub(crate) fn read(variant: &Variant, text: &str) -> Result<ChineseCheckers, PositionError> {
    let mut reader = Reader { game: ChineseCheckers::empty(variant), faults: Vec::new() };
    let parts: Vec<&str> = text.split(' ').collect();
    let &[rows, to_move, plies, arrived] = &*parts else {
        reader.fault(0, "expected four parts: the rows, who is to move, plies, who has arrived");
        return Err(PositionError(reader.faults));
    };
    reader.rows(rows);
    reader.check_pieces();
    if reader.faults.is_empty() {
        let offset = rows.len() + 1;
        let offset_of_plies = offset + to_move.len() + 1;
        reader.plies(offset_of_plies, plies);
        reader.arrived(offset_of_plies + plies.len() + 1, arrived);
        reader.player(offset, to_move);
    }
    match reader.faults.is_empty() {
        true => Ok(reader.game),
        false => Err(PositionError(reader.faults)),
    }
}

impl Reader {
    fn fault(&mut self, offset: usize, reason: impl Into<String>) {
        self.faults.push(PositionFault { offset, reason: reason.into() });
    }

    fn seat(&self, text: char) -> Option<u8> {
        (0..self.game.count).find(|seat| letter(*seat) == text)
    }

    fn rows(&mut self, text: &str) {
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != SIZE {
            return self.fault(0, format!("expected {SIZE} rows with `/` between"));
        }
        let mut offset = 0;
        for (index, row) in rows.into_iter().enumerate() {
            self.row(index, offset, row);
            offset += row.len() + 1;
        }
    }

    fn row(&mut self, index: usize, offset: usize, text: &str) {
        let holes = holes_of_row(index);
        let (length, mut used, mut rest) = (holes.len(), 0, text);
        while let Some(first) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
            let at = offset + text.len() - rest.len();
            if digits > 0 {
                let number = &rest[..digits];
                let empty: usize = number.parse().unwrap_or(0);
                if !(1..=length).contains(&empty) || number.starts_with('0') {
                    return self.fault(at, format!("`{number}` is no number of empty holes"));
                }
                used += empty;
                rest = &rest[digits..];
            } else if let Some(seat) = self.seat(first) {
                if let Some(hole) = holes.clone().nth(used) {
                    self.game.holes[usize::from(hole)] = Some(seat);
                }
                used += 1;
                rest = &rest[first.len_utf8()..];
            } else {
                let variant = self.game.variant.id;
                let reason = format!("`{first}` is no piece of the variant `{variant}`");
                return self.fault(at, reason);
            }
        }
        if used != length {
            let row = index + 1;
            self.fault(offset, format!("row {row} has {used} holes in place of {length}"));
        }
    }

    /// Every seat has ten pieces.
    fn check_pieces(&mut self) {
        // The pieces of rows with faults are not known.
        if !self.faults.is_empty() {
            return;
        }
        for seat in 0..self.game.count {
            let found = self.game.holes.iter().filter(|owner| **owner == Some(seat)).count();
            if found != TRIANGLE_HOLES {
                let side = INFO.sides[usize::from(seat)];
                self.fault(0, format!("{side} has {found} pieces in place of {TRIANGLE_HOLES}"));
            }
        }
    }

    fn plies(&mut self, offset: usize, text: &str) {
        let max = self.game.plies_max();
        let plies = text.parse().ok().filter(|plies| *plies <= max);
        match plies.filter(|plies: &u16| plies.to_string() == text) {
            Some(plies) => self.game.plies = plies,
            None => self.fault(offset, format!("expected the number of plies, 0 to {max}")),
        }
    }

    fn arrived(&mut self, offset: usize, text: &str) {
        for (index, letter) in text.char_indices().filter(|_| text != "-") {
            match self.seat(letter).filter(|seat| !self.game.has_arrived(*seat)) {
                Some(seat) => self.game.arrived.push(seat),
                None => {
                    let reason = "expected `-`, or the letter of each player that has arrived";
                    return self.fault(offset + index, reason);
                }
            }
        }
        if text.is_empty() {
            return self.fault(offset, "expected `-`, or the players that have arrived");
        }
        for seat in 0..self.game.count {
            let side = INFO.sides[usize::from(seat)];
            match (self.game.has_full_target(seat), self.game.has_arrived(seat)) {
                (true, false) => {
                    let reason = format!("{side} has arrived: its target triangle is full");
                    self.fault(offset, reason);
                }
                (false, true) if self.game.pieces_in_target(seat)[usize::from(seat)] == 0 => {
                    let reason = format!("{side} has not arrived: no piece is in its target");
                    self.fault(offset, reason);
                }
                _ => (),
            }
        }
    }

    fn player(&mut self, offset: usize, text: &str) {
        let mut letters = text.chars();
        let seat = letters.next().and_then(|letter| self.seat(letter));
        let seat = seat.filter(|_| letters.next().is_none());
        match (self.game.is_over(), seat) {
            (true, _) if text == "-" => (),
            (true, _) => self.fault(offset, "the game is over: expected `-`"),
            (false, Some(seat)) if !self.game.has_arrived(seat) => self.game.to_move = seat,
            (false, _) => {
                self.fault(offset, "expected the letter of a player that has not arrived");
            }
        }
    }
}
