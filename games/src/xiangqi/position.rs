//! Move texts and position texts, read and written. Position texts are FEN as xiangqi
//! engines write it, and ` moves …` behind it. Reading says everything that is wrong, and
//! never panics whatever the text.

use super::Xiangqi;
use super::board::Board;
use super::square::{Color, FILES, Kind, Move, Piece, RANKS, Square};
use crate::rules::{PositionError, PositionFault, Rules};
use crate::words::fields;

/// Longer position texts are refused unread; there is room for ten thousand moves.
const LONGEST_TEXT: usize = 1 << 16;
/// So many signs that are none are told of; a text of nothing else is another text.
const MOST_TOLD: usize = 16;

/// The pieces as games begin.
pub(super) const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

/// The board as games begin.
pub(super) fn start() -> Board {
    let mut board = Board::new(Color::Red);
    lay(&mut board, 0, START, &mut Vec::new());
    board
}

/// What move texts look like.
pub(super) const FORM: &str =
    "a move is two points, each a file a to i and a rank 0 to 9, like h2e2";

/// Reads a move text. Err: the reason, which fits behind "`text` is refused: ".
pub(super) fn read_move(text: &str) -> Result<Move, String> {
    let form = FORM;
    let [from_file, from_rank, to_file, to_rank] = match text.as_bytes() {
        [] => return Err(format!("it is empty; {form}")),
        &[a, b, c, d] => [a, b, c, d],
        _ => return Err(format!("it has not four signs; {form}")),
    };
    let point = |file: u8, rank: u8| {
        let file = file.to_ascii_lowercase();
        if !file.is_ascii_lowercase() || !rank.is_ascii_digit() {
            return Err(form.to_owned());
        }
        let there_is_none = || format!("there is no file {}; the files are a to i", file as char);
        Square::new(file - b'a', rank - b'0').ok_or_else(there_is_none)
    };
    Ok(Move { from: point(from_file, from_rank)?, to: point(to_file, to_rank)? })
}

/// Appends the position behind the last capture, and the moves since then.
pub(super) fn write(game: &Xiangqi, out: &mut String) {
    let mut first = game.clone();
    let mut moves = Vec::new();
    while first.history.len() > game.since {
        moves.extend(first.last().map(|made| made.mv));
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

/// Appends the position alone, without the moves that led to it.
pub(super) fn write_fen(game: &Xiangqi, out: &mut String) {
    write_placement(|square| game.piece_at(square), out);
    let side = if game.board.mover == Color::Red { 'w' } else { 'b' };
    out.push_str(&format!(" {side} - - {} {}", game.count, game.number));
}

/// Appends the pieces as position texts have them.
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
    if text.len() > LONGEST_TEXT {
        let reason = format!("a text of {} bytes; none has more than {LONGEST_TEXT}", text.len());
        return Err(PositionError(vec![PositionFault { at: LONGEST_TEXT, reason }]));
    }
    let mut faults = Faults(Vec::new());
    let mut parts = fields(text).peekable();
    let Some((placement_at, placement)) = parts.next() else {
        faults.tell(0, "the text is empty; it should be the pieces, the side to move and - - 0 1");
        return Err(PositionError(faults.0));
    };
    let (side_at, side) = parts.next().unwrap_or((text.len(), ""));
    let mover = match side {
        "w" | "r" => Color::Red,
        "b" => Color::Black,
        "" => {
            faults.tell(side_at, "the side to move is missing; it is w or b");
            Color::Red
        }
        _ => {
            faults.tell(side_at, "the side to move is neither w nor b");
            Color::Red
        }
    };
    let mut board = Board::new(mover);
    lay(&mut board, placement_at, placement, &mut faults.0);
    let fen: Vec<_> = std::iter::from_fn(|| parts.next_if(|(_, part)| *part != "moves")).collect();
    let (count, number) = read_counters(&fen, &mut faults);
    if faults.0.is_empty() {
        check_kings(&board, side_at, &mut faults);
    }
    if !faults.0.is_empty() {
        faults.0.sort_by_key(|fault| fault.at);
        return Err(PositionError(faults.0));
    }
    let mut game = Xiangqi::new(board, count, number);
    // The word itself.
    parts.next();
    for (at, part) in parts {
        if let Err(refusal) = game.play(part) {
            let reason = format!("after {} moves {refusal}", game.history.len());
            return Err(PositionError(vec![PositionFault { at, reason }]));
        }
    }
    Ok(game)
}

struct Faults(Vec<PositionFault>);

impl Faults {
    fn tell(&mut self, at: usize, reason: impl Into<String>) {
        self.0.push(PositionFault { at, reason: reason.into() });
    }
}

/// Reads what stands behind the side: `- -`, plies since the last capture, the move's number.
fn read_counters(parts: &[(usize, &str)], faults: &mut Faults) -> (u16, u32) {
    let dashes = parts.iter().take(2);
    for (at, _) in dashes.filter(|(_, part)| *part != "-") {
        faults.tell(*at, "behind the side to move stand two fields of a dash each");
    }
    let mut number = |nth: usize, usual: u16, what: &str| match parts.get(nth) {
        None => usual,
        Some((at, part)) => part.parse().unwrap_or_else(|_| {
            faults.tell(*at, format!("{what} is no number from 0 to {}", u16::MAX));
            usual
        }),
    };
    let count = number(2, 0, "the count of plies since the last capture");
    let number = number(3, 1, "the number of the move");
    if let Some((at, _)) = parts.get(4) {
        faults.tell(*at, "nothing but `moves` and moves follows on the number of the move");
    }
    (count, number.max(1).into())
}

/// Lays pieces on the board, with everything that is wrong about their text.
fn lay(board: &mut Board, at: usize, placement: &str, faults: &mut Vec<PositionFault>) {
    let mut tell = |at: usize, reason: String| {
        if faults.len() < MOST_TOLD {
            faults.push(PositionFault { at, reason });
        }
    };
    let ranks = placement.split('/').count();
    if ranks != usize::from(RANKS) {
        tell(at, format!("{ranks} ranks between slashes instead of {RANKS}"));
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
            match (Piece::of_letter(sign), square) {
                (None, _) => tell(at, format!("`{}` is no piece", sign.escape_debug())),
                (Some(piece), Some(square)) => {
                    let name = format!("{} {}", piece.color.name(), piece.kind.name());
                    if !piece.can_stand(square) {
                        tell(at, format!("a {name} can never be on {square}"));
                    } else if !board.put(piece, square) {
                        tell(at, format!("there are more than {} {name}s", piece.kind.most()));
                    }
                }
                // The rank is too long, which is told below.
                (Some(_), None) => {}
            }
        }
        if file != usize::from(FILES) {
            tell(begin, format!("rank {rank} has {file} points instead of {FILES}"));
        }
        begin += text.len() + 1;
    }
    for color in Color::ALL {
        if board.count(Piece { color, kind: Kind::King }) == 0 {
            tell(at, format!("{} has no king", color.name()));
        }
    }
}

/// Who has just moved cannot have left its king to be taken.
fn check_kings(board: &Board, at: usize, faults: &mut Faults) {
    let waits = board.mover.other();
    let attackers = board.attackers(waits, board.king(waits), Move::NONE);
    if attackers == 0 {
        return;
    }
    let kings = 1 | 1 << 16;
    match attackers & kings == 0 {
        true => {
            let (waits, mover) = (waits.name(), board.mover.name());
            faults.tell(at, format!("{waits} is in check while {mover} moves"));
        }
        false => faults.tell(at, "the kings face each other with nothing between"),
    }
}
