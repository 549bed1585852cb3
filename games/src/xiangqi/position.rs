//! Reads and writes move texts and position texts. Position texts are FEN as used by xiangqi
//! engines, followed by ` moves …`. Reading reports all faults and never panics.

use super::Xiangqi;
use super::board::Board;
use super::square::{Color, FILES, Move, Piece, PieceKind, RANKS, Square};
use crate::fields::fields;
use crate::messages;
use crate::rules::{PositionError, PositionFault, Rules};

/// Longer position texts are rejected unread; there is room for ten thousand moves.
const MAX_TEXT_BYTES: usize = 1 << 16;
/// Maximum number of reported faults of the placement.
const MAX_REPORTED: usize = 16;

/// The pieces at the start of a game.
pub(super) const START_PLACEMENT: &str =
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

/// The board at the start of a game.
pub(super) fn start() -> Board {
    let mut board = Board::new(Color::Red);
    place_pieces(&mut board, 0, START_PLACEMENT, &mut Vec::new());
    board
}

/// Reads a move text. The error is a reason that fits after "`text` is refused: ".
pub(super) fn read_move(text: &str) -> Result<Move, String> {
    let form = messages::XIANGQI_MOVE_FORM;
    let [from_file, from_rank, to_file, to_rank] = match text.as_bytes() {
        [] => return Err(messages::move_is_empty(form)),
        &[a, b, c, d] => [a, b, c, d],
        _ => return Err(messages::not_four_characters(form)),
    };
    let point = |file: u8, rank: u8| {
        let file = file.to_ascii_lowercase();
        if !file.is_ascii_lowercase() || !rank.is_ascii_digit() {
            return Err(form.to_owned());
        }
        let there_is_none = || messages::no_such_file(file as char);
        Square::new(file - b'a', rank - b'0').ok_or_else(there_is_none)
    };
    Ok(Move { from: point(from_file, from_rank)?, to: point(to_file, to_rank)? })
}

/// Appends the position after the last capture, and the moves since then.
pub(super) fn write(game: &Xiangqi, out: &mut String) {
    let mut first = game.clone();
    let mut moves = Vec::new();
    while first.history.len() > game.repetition_start {
        moves.extend(first.last_move().map(|played| played.mv));
        first.retreat();
    }
    write_fen(&first, out);
    if !moves.is_empty() {
        out.push_str(" moves");
    }
    for mv in moves.into_iter().rev() {
        out.push(' ');
        game.write_move(mv, out);
    }
}

/// Appends the position only, without its moves.
pub(super) fn write_fen(game: &Xiangqi, out: &mut String) {
    write_placement(|square| game.piece_at(square), out);
    let side = if game.board.mover == Color::Red { 'w' } else { 'b' };
    out.push_str(&format!(" {side} - - {} {}", game.count, game.number));
}

/// Appends the pieces in FEN.
pub(super) fn write_placement(piece_at: impl Fn(Square) -> Option<Piece>, out: &mut String) {
    for rank in (0..RANKS).rev() {
        let mut empty = 0;
        for square in (0..FILES).filter_map(|file| Square::new(file, rank)) {
            let Some(piece) = piece_at(square) else {
                empty += 1;
                continue;
            };
            write_run(&mut empty, out);
            out.push(piece.letter());
        }
        write_run(&mut empty, out);
        if rank > 0 {
            out.push('/');
        }
    }
}

fn write_run(empty: &mut u8, out: &mut String) {
    if *empty > 0 {
        out.push((b'0' + *empty) as char);
    }
    *empty = 0;
}

/// Reads a position text.
pub(super) fn read(text: &str) -> Result<Xiangqi, PositionError> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("the text has {} bytes; the limit is {MAX_TEXT_BYTES}", text.len());
        return Err(PositionError(vec![PositionFault { offset: MAX_TEXT_BYTES, reason }]));
    }
    let mut faults = Faults(Vec::new());
    let mut parts = fields(text).peekable();
    let Some((placement_at, placement)) = parts.next() else {
        faults.add(0, "the text is empty; expected the pieces, the side to move and - - 0 1");
        return Err(PositionError(faults.0));
    };
    let (side_at, side) = parts.next().unwrap_or((text.len(), ""));
    let mover = match side {
        "w" | "r" => Color::Red,
        "b" => Color::Black,
        "" => {
            faults.add(side_at, "the side to move is missing; expected w or b");
            Color::Red
        }
        _ => {
            faults.add(side_at, "the side to move is neither w nor b");
            Color::Red
        }
    };
    let mut board = Board::new(mover);
    place_pieces(&mut board, placement_at, placement, &mut faults.0);
    let fen: Vec<_> = std::iter::from_fn(|| parts.next_if(|(_, part)| *part != "moves")).collect();
    let (count, number) = read_counters(&fen, &mut faults);
    if faults.0.is_empty() {
        check_kings(&board, side_at, &mut faults);
    }
    if !faults.0.is_empty() {
        faults.0.sort_by_key(|fault| fault.offset);
        return Err(PositionError(faults.0));
    }
    let mut game = Xiangqi::new(board, count, number);
    // Skips the word `moves`.
    parts.next();
    for (at, part) in parts {
        if let Err(refusal) = game.play(part) {
            let reason = format!("after {} moves {refusal}", game.history.len());
            return Err(PositionError(vec![PositionFault { offset: at, reason }]));
        }
    }
    Ok(game)
}

struct Faults(Vec<PositionFault>);

impl Faults {
    fn add(&mut self, at: usize, reason: impl Into<String>) {
        self.0.push(PositionFault { offset: at, reason: reason.into() });
    }
}

/// Reads what follows the side: `- -`, plies since the last capture, the move number.
fn read_counters(parts: &[(usize, &str)], faults: &mut Faults) -> (u16, u32) {
    let dashes = parts.iter().take(2);
    for (at, _) in dashes.filter(|(_, part)| *part != "-") {
        faults.add(*at, "expected two dashes after the side to move");
    }
    let mut number = |nth: usize, default: u16, field: &str| match parts.get(nth) {
        None => default,
        Some((at, part)) => part.parse().unwrap_or_else(|_| {
            faults.add(*at, format!("{field} is not a number from 0 to {}", u16::MAX));
            default
        }),
    };
    let count = number(2, 0, "the count of plies since the last capture");
    let number = number(3, 1, "the move number");
    if let Some((at, _)) = parts.get(4) {
        faults.add(*at, "only `moves` and moves may follow the move number");
    }
    (count, number.max(1).into())
}

/// Places pieces on the board and collects the faults of their text.
fn place_pieces(board: &mut Board, at: usize, placement: &str, faults: &mut Vec<PositionFault>) {
    let mut add = |at: usize, reason: String| {
        if faults.len() < MAX_REPORTED {
            faults.push(PositionFault { offset: at, reason });
        }
    };
    let ranks = placement.split('/').count();
    if ranks != usize::from(RANKS) {
        add(at, format!("{ranks} ranks instead of {RANKS}"));
        return;
    }
    let mut begin = at;
    for (text, rank) in placement.split('/').zip((0..RANKS).rev()) {
        let mut file: usize = 0;
        for (offset, sign) in text.char_indices() {
            let at = begin + offset;
            if let Some(run) = sign.to_digit(10).filter(|run| *run > 0) {
                file += run as usize;
                continue;
            }
            let square = u8::try_from(file).ok().and_then(|file| Square::new(file, rank));
            file += 1;
            match (Piece::from_letter(sign), square) {
                (None, _) => add(at, format!("`{}` is not a piece", sign.escape_debug())),
                (Some(piece), Some(square)) => {
                    let name = format!("{} {}", piece.color.name(), piece.kind.name());
                    if !piece.can_stand(square) {
                        add(at, format!("a {name} cannot be on {square}"));
                    } else if !board.put(piece, square) {
                        add(at, format!("there are more than {} {name}s", piece.kind.most()));
                    }
                }
                // The rank is too long; reported below.
                (Some(_), None) => {}
            }
        }
        if file != usize::from(FILES) {
            add(begin, format!("rank {rank} has {file} points instead of {FILES}"));
        }
        begin += text.len() + 1;
    }
    for color in Color::ALL {
        if board.count(Piece { color, kind: PieceKind::King }) == 0 {
            add(at, format!("{} has no king", color.name()));
        }
    }
}

/// The side that just moved cannot have left its king attacked.
fn check_kings(board: &Board, at: usize, faults: &mut Faults) {
    let opponent = board.mover.other();
    let attackers = board.attackers(opponent, board.king(opponent), Move::NONE);
    if attackers == 0 {
        return;
    }
    let kings = 1 | 1 << 16;
    match attackers & kings == 0 {
        true => {
            let (opponent, mover) = (opponent.name(), board.mover.name());
            faults.add(at, format!("{opponent} is in check while {mover} moves"));
        }
        false => faults.add(at, "the kings face each other with nothing between"),
    }
}
