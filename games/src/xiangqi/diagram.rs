//! Text diagram of the board for a terminal, and the game-specific facts of a position.

use super::Xiangqi;
use super::square::{FILES, Move, Piece, PieceKind, RANKS, Square};

/// Appends the diagram, red at the bottom: letters as in position texts, upper case for red; `+`
/// for empty palace points; the river between the halves. The target of the last move is in
/// brackets, its origin is a dot.
pub(super) fn write_diagram(game: &Xiangqi, last: Option<Move>, out: &mut String) {
    write_letters(out);
    for rank in (0..RANKS).rev() {
        write_rank(game, rank, last, out);
        if rank == RANKS / 2 {
            out.push_str("   ");
            out.push_str(&"~".repeat(2 * usize::from(FILES) - 1));
            out.push('\n');
        }
    }
    write_letters(out);
}

fn write_letters(out: &mut String) {
    out.push_str("  ");
    for file in 0..FILES {
        out.push(' ');
        out.push((b'a' + file) as char);
    }
    out.push('\n');
}

fn write_rank(game: &Xiangqi, rank: u8, last: Option<Move>, out: &mut String) {
    out.push_str(&format!("{rank:>2}"));
    let mut before = ' ';
    for square in (0..FILES).filter_map(|file| Square::new(file, rank)) {
        let marked = last.is_some_and(|mv| mv.to == square);
        out.push(if marked { '[' } else { before });
        out.push(match game.piece_at(square) {
            Some(piece) => piece.letter(),
            None if last.is_some_and(|mv| mv.from == square) => '.',
            None if is_palace(square) => '+',
            None => '-',
        });
        before = if marked { ']' } else { ' ' };
    }
    out.push_str(before.to_string().trim_end());
    out.push('\n');
}

fn is_palace(square: Square) -> bool {
    super::Color::ALL.iter().any(|&color| Piece { color, kind: PieceKind::King }.can_stand(square))
}

/// The facts of a position: check, counted plies since the last capture, occurrences of the
/// position since then, and the repetition verdict if it were given now.
pub(super) fn facts(game: &Xiangqi) -> Vec<(&'static str, String)> {
    let repeats = game.earlier_occurrences();
    let verdict = game.plies_since_occurrence(repeats).map(|plies| game.judge_cycle(plies));
    let verdict = verdict.map_or("null".to_owned(), |verdict| {
        let loser = match verdict.loser {
            Some(color) => format!(r#""{}""#, color.name()),
            None => "null".to_owned(),
        };
        format!(r#"{{"loser":{loser},"reason":"{}"}}"#, verdict.reason())
    });
    vec![
        ("in_check", game.in_check().to_string()),
        ("plies_since_capture", game.plies_since_capture().to_string()),
        ("occurrences", (repeats + 1).to_string()),
        ("repetition", verdict),
    ]
}
