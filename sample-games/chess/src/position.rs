//! Position texts: FEN, followed by ` moves …`. Reading reports all faults and never panics.

use cozy_chess::{
    Board, BoardBuilder, BoardBuilderError, CastleRights, Color, File, Piece, Rank, Square,
    get_king_moves,
};
use sandboard_game_sdk::games::{PositionError, PositionFault, Rules};

use super::{Chess, START_POSITIONS, Undo, color_name};

/// Longer position texts are rejected unread; there is room for ten thousand moves.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// The most faults of the pieces that are reported.
const FAULTS_MAX: usize = 16;
/// The most pieces of a side, and the most pawns.
const PIECES_MAX: usize = 16;
const PAWNS_MAX: usize = 8;

/// Appends the position after the last capture, pawn move or null move, and the moves since then.
pub(crate) fn write(game: &Chess, out: &mut String) {
    let mut first = game.clone();
    let moves: Vec<_> = game.repeatable().filter_map(|played| played.mv).collect();
    moves.iter().for_each(|_| first.unmake(Undo(())));
    first.write_fen(out);
    if !moves.is_empty() {
        out.push_str(" moves");
    }
    for mv in moves.into_iter().rev() {
        out.push(' ');
        first.write_move(mv, out);
        first.make(mv);
    }
}

/// The letter of a piece in FEN.
fn letter_on(game: &Chess, square: Square) -> Option<char> {
    let (board, white) = (game.board(), Color::White);
    let letter = char::from(board.piece_on(square)?);
    Some(if board.colors(white).has(square) { letter.to_ascii_uppercase() } else { letter })
}

impl Chess {
    /// The position as FEN, without the moves that led to it. Its first four fields are those of
    /// EPD.
    pub fn fen(&self) -> String {
        let mut text = String::new();
        self.write_fen(&mut text);
        text
    }

    fn write_fen(&self, out: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match letter_on(self, Square::new(file, rank)) {
                    None => empty += 1,
                    Some(letter) => {
                        write_run(&mut empty, out);
                        out.push(letter);
                    }
                }
            }
            write_run(&mut empty, out);
            out.extend((rank != Rank::First).then_some('/'));
        }
        out.push(' ');
        out.push(self.board.side_to_move().into());
        out.push(' ');
        self.write_castling(out);
        let square = self.en_passant().map_or("-".into(), |square| square.to_string());
        let (plies, number) = (self.board.halfmove_clock(), self.board.fullmove_number());
        out.push_str(&format!(" {square} {plies} {number}"));
    }

    fn write_castling(&self, out: &mut String) {
        let begin = out.len();
        for color in Color::ALL {
            let rights = self.board.castle_rights(color);
            for (file, letter) in [(rights.short, 'k'), (rights.long, 'q')] {
                let Some(file) = file else { continue };
                let letter = if self.chess960 { file.into() } else { letter };
                out.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
        out.extend((out.len() == begin).then_some('-'));
    }
}

fn write_run(empty: &mut u8, out: &mut String) {
    out.extend((*empty > 0).then(|| char::from(b'0' + *empty)));
    *empty = 0;
}

/// The faults of a text so far.
#[derive(Default)]
struct Faults(Vec<PositionFault>);

impl Faults {
    fn add(&mut self, offset: usize, reason: impl Into<String>) {
        self.0.push(PositionFault { offset, reason: reason.into() });
    }

    /// Err: there are some.
    fn check(&mut self) -> Result<(), PositionError> {
        if self.0.is_empty() { Ok(()) } else { Err(self.error()) }
    }

    /// The faults so far and one more, as an error.
    fn with(&mut self, offset: usize, reason: impl Into<String>) -> PositionError {
        self.add(offset, reason);
        self.error()
    }

    fn error(&mut self) -> PositionError {
        self.0.sort_by_key(|fault| fault.offset);
        PositionError(std::mem::take(&mut self.0))
    }
}

/// A word of the text, and its offset.
type Field<'a> = (usize, &'a str);

/// The words of a text.
fn fields(text: &str) -> impl Iterator<Item = Field<'_>> {
    let words = text.split_ascii_whitespace();
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Reads a position text.
pub(crate) fn read(chess960: bool, text: &str) -> Result<Chess, PositionError> {
    let mut faults = Faults::default();
    if text.len() > TEXT_BYTES_MAX {
        let reason = format!("the text has {} bytes; at most {TEXT_BYTES_MAX}", text.len());
        return Err(faults.with(TEXT_BYTES_MAX, reason));
    }
    let mut parts = fields(text).peekable();
    let fen: Vec<Field<'_>> =
        std::iter::from_fn(|| parts.next_if(|(_, part)| *part != "moves")).collect();
    let mut game = match fen[..] {
        [(at, number)] if is_number(number) => read_number(chess960, at, number, &mut faults),
        _ => read_fen(chess960, text.len(), &fen, &mut faults),
    }?;
    // Skips the word `moves`.
    parts.next();
    for (at, part) in parts {
        if let Err(refusal) = game.play(part) {
            return Err(faults.with(at, format!("after {} moves {refusal}", game.history.len())));
        }
    }
    Ok(game)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads the number of a start position.
fn read_number(
    chess960: bool,
    at: usize,
    number: &str,
    faults: &mut Faults,
) -> Result<Chess, PositionError> {
    match number.parse().ok().and_then(Chess::start_position) {
        Some(start) if chess960 => Ok(start),
        Some(_) => Err(faults.with(at, "only the variant chess960 has numbers of start positions")),
        None => Err(faults.with(at, format!("start positions are 0 to {}", START_POSITIONS - 1))),
    }
}

/// Reads the fields of a FEN. Fields after the side to move may be missing.
fn read_fen(
    chess960: bool,
    length: usize,
    fen: &[Field<'_>],
    faults: &mut Faults,
) -> Result<Chess, PositionError> {
    let Some(&(placement_at, placement)) = fen.first() else {
        let reason = "the text is empty; expected the pieces, the side to move and - - 0 1";
        return Err(faults.with(0, reason));
    };
    let field = |index: usize| fen.get(index).copied();
    let mut builder = BoardBuilder::empty();
    place_pieces(&mut builder, placement_at, placement, faults);
    let (side_at, side) = field(1).unwrap_or((length, ""));
    match side {
        "w" => {}
        "b" => builder.side_to_move = Color::Black,
        "" => faults.add(side_at, "the side to move is missing; expected w or b"),
        _ => faults.add(side_at, "the side to move is neither w nor b"),
    }
    let mut number = |index: usize, default: u16, range: (u16, u16), name: &str| {
        let Some((at, word)) = field(index) else { return default };
        let (least, most) = range;
        let number = word.parse().ok().filter(|number| (least..=most).contains(number));
        number.unwrap_or_else(|| {
            faults.add(at, format!("{name} is not a number from {least} to {most}"));
            default
        })
    };
    let plies = number(4, 0, (0, 100), "the count of plies without a capture or pawn move");
    builder.halfmove_clock = u8::try_from(plies).unwrap_or(0);
    builder.fullmove_number = number(5, 1, (0, u16::MAX), "the move number").max(1);
    if let Some((at, _)) = field(6) {
        faults.add(at, "only `moves` and moves may follow the move number");
    }
    faults.check()?;
    let board = build(&builder, side_at, faults)?;
    if let Some((at, word)) = field(2).filter(|(_, word)| *word != "-") {
        read_castling(&mut builder, &board, chess960, at, word, faults);
    }
    let board = match field(3).filter(|(_, word)| *word != "-") {
        Some((at, word)) => read_en_passant(builder, at, word, faults),
        None => builder.build().ok(),
    };
    faults.check()?;
    let board = board.ok_or_else(|| faults.with(placement_at, "there is no such position"))?;
    Ok(Chess::new(chess960, board))
}

/// Places the pieces on the board and collects the faults of their text.
fn place_pieces(builder: &mut BoardBuilder, at: usize, placement: &str, faults: &mut Faults) {
    let ranks = placement.split('/').count();
    if ranks != Rank::NUM {
        faults.add(at, format!("{ranks} ranks instead of {}", Rank::NUM));
        return;
    }
    let mut begin = at;
    for (text, rank) in placement.split('/').zip(Rank::ALL.into_iter().rev()) {
        let mut column = 0;
        for (offset, sign) in text.char_indices() {
            if let Some(run) = sign.to_digit(10).filter(|run| *run > 0) {
                column += run as usize;
                continue;
            }
            let file = File::try_index(column);
            column += 1;
            match (Piece::try_from(sign.to_ascii_lowercase()), file) {
                (Err(_), _) if faults.0.len() < FAULTS_MAX => {
                    let sign = sign.escape_debug();
                    faults.add(begin + offset, format!("`{sign}` is not a piece"));
                }
                (Ok(piece), Some(file)) => {
                    let color = [Color::Black, Color::White][usize::from(sign.is_uppercase())];
                    let is_last = [Rank::First, Rank::Eighth].contains(&rank);
                    if piece == Piece::Pawn && is_last && faults.0.len() < FAULTS_MAX {
                        faults.add(begin + offset, format!("a pawn cannot be on rank {rank}"));
                    }
                    *builder.square_mut(Square::new(file, rank)) = Some((piece, color));
                }
                // The rank is too long; reported below. Or there are many faults.
                (Ok(_), None) | (Err(_), _) => {}
            }
        }
        if column != File::NUM {
            faults.add(begin, format!("rank {rank} has {column} squares instead of {}", File::NUM));
        }
        begin += text.len() + 1;
    }
    check_numbers(builder, at, faults);
}

/// Each side has one king, and not more pieces than a game begins with.
fn check_numbers(builder: &BoardBuilder, at: usize, faults: &mut Faults) {
    for color in Color::ALL {
        let pieces = || builder.board.iter().flatten().filter(|(_, it)| *it == color);
        let count = |piece| pieces().filter(|(it, _)| *it == piece).count();
        let name = color_name(color);
        match count(Piece::King) {
            0 => faults.add(at, format!("{name} has no king")),
            1 => {}
            kings => faults.add(at, format!("{name} has {kings} kings")),
        }
        let (pawns, all) = (count(Piece::Pawn), pieces().count());
        if pawns > PAWNS_MAX {
            faults.add(at, format!("{name} has {pawns} pawns; at most {PAWNS_MAX}"));
        }
        if all > PIECES_MAX {
            faults.add(at, format!("{name} has {all} pieces; at most {PIECES_MAX}"));
        }
    }
}

/// The board without rights, once the pieces themselves are in order.
fn build(builder: &BoardBuilder, at: usize, faults: &mut Faults) -> Result<Board, PositionError> {
    let mover = builder.side_to_move;
    match builder.build() {
        Ok(board) if get_king_moves(board.king(mover)).has(board.king(!mover)) => {
            Err(faults.with(at, "the kings are beside each other"))
        }
        // No move attacks a king with three pieces.
        Ok(board) if board.checkers().len() > 2 => {
            let (name, pieces) = (color_name(mover), board.checkers().len());
            Err(faults.with(at, format!("{name} is in check by {pieces} pieces at once")))
        }
        Ok(board) => Ok(board),
        Err(_) => {
            let (mover, other) = (color_name(mover), color_name(!mover));
            Err(faults.with(at, format!("{other} is in check while {mover} moves")))
        }
    }
}

/// Reads castling rights: `K` and `Q` mean the outermost rook of that side, a file the rook on it.
fn read_castling(
    builder: &mut BoardBuilder,
    board: &Board,
    chess960: bool,
    at: usize,
    word: &str,
    faults: &mut Faults,
) {
    for (offset, letter) in word.char_indices() {
        let color = [Color::Black, Color::White][usize::from(letter.is_uppercase())];
        match castling_rook(board, chess960, color, letter.to_ascii_lowercase()) {
            Err(reason) => faults.add(at + offset, reason),
            Ok(rook) => {
                let CastleRights { short, long } = builder.castle_rights_mut(color);
                let right = if rook > board.king(color).file() { short } else { long };
                match right.replace(rook) {
                    None => {}
                    Some(_) => faults.add(at + offset, "this side is named twice"),
                }
            }
        }
    }
}

/// The file of the rook that a letter of the castling rights means.
fn castling_rook(
    board: &Board,
    chess960: bool,
    color: Color,
    letter: char,
) -> Result<File, String> {
    let king = board.king(color);
    let (name, home) = (color_name(color), Rank::First.relative_to(color));
    let rooks = board.colored_pieces(color, Piece::Rook) & home.bitboard();
    if king.rank() != home {
        return Err(format!("{name} cannot castle: its king is on {king}"));
    }
    if !chess960 && king.file() != File::E {
        let home = Square::new(File::E, home);
        return Err(format!("{name} cannot castle: its king is on {king}, not on {home}"));
    }
    let outermost = |kingside: bool| {
        let mut files = rooks.iter().map(Square::file);
        match kingside {
            true => files.filter(|file| *file > king.file()).last(),
            false => files.find(|file| *file < king.file()),
        }
    };
    let file = match letter {
        'k' if chess960 => outermost(true).ok_or(format!("{name} has no rook on that side"))?,
        'q' if chess960 => outermost(false).ok_or(format!("{name} has no rook on that side"))?,
        'k' => File::H,
        'q' => File::A,
        'a' | 'h' => File::try_from(letter).map_err(|error| error.to_string())?,
        'b'..='g' if chess960 => File::try_from(letter).map_err(|error| error.to_string())?,
        _ if chess960 => return Err("castling rights are -, or letters of KQkq or files".into()),
        _ => return Err("castling rights are -, or letters of KQkq".into()),
    };
    let square = Square::new(file, home);
    match rooks.has(square) {
        true => Ok(file),
        false => Err(format!("{name} has no rook on {square} to castle with")),
    }
}

/// The board with the square that a pawn has just passed.
fn read_en_passant(
    mut builder: BoardBuilder,
    at: usize,
    word: &str,
    faults: &mut Faults,
) -> Option<Board> {
    builder.en_passant = word.parse().ok();
    let Some(square) = builder.en_passant else {
        faults.add(at, "the square en passant is neither - nor a square");
        return None;
    };
    let board = builder.build();
    if let Err(BoardBuilderError::InvalidEnPassant) = board {
        let other = color_name(!builder.side_to_move);
        faults.add(at, format!("no pawn of {other} can have passed {square} with the last move"));
    }
    board.ok()
}
