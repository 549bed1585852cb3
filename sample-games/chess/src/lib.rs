//! Chess by the rules of FIDE, and Chess960. The moves come from the crate `cozy-chess`.
//!
//! A move is written as in UCI: `e2e4`, `e7e8q`. Castling is the move of the king, `e1g1`; in the
//! variant `chess960` it is the square of the king and that of its rook, `e1h1`. SAN (`Nf3`,
//! `O-O`, `exd8=Q+`) is read, too. A position text is FEN, in `chess960` with the files of the
//! rooks that can castle (`HAha`). The moves since the last capture or pawn move follow it after
//! ` moves`, because repetition needs them. In `chess960`, the number of a start position, 0 to
//! 959, is also a position text.
//!
//! The third occurrence of a position, 50 moves of each side without a capture or pawn move, and
//! material that cannot give mate end the game at once, as in matches between engines.
#![forbid(unsafe_code)]

mod board;
mod ending;
mod moves;
mod position;
mod refusal;
mod san;

use std::fmt;

pub use cozy_chess;
use cozy_chess::{
    Board, Color, File, Move as BoardMove, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
};
pub use moves::Move;
use sandboard_game_sdk::games::{
    self, GameInfo, MoveSet, Outcome, PositionError, Rules, Seat, Side, Variant, VariantInfo,
};

const STANDARD: &str = "standard";
const CHESS960: &str = "chess960";
/// The number of Chess960 start positions, and that of the usual start position.
const START_POSITIONS: u32 = 960;
const USUAL_START: u32 = 518;

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo {
    adjudicates: true,
    ..GameInfo::of::<Chess>(
        "chess",
        "Chess",
        &["white", "black"],
        &[
            VariantInfo::of_one_size(
                STANDARD,
                "the rules of FIDE; threefold repetition and fifty moves end the game",
            ),
            VariantInfo::of_one_size(
                CHESS960,
                "one of 960 start positions, which the position text selects",
            ),
        ],
        "UCI, e2e4 or e7e8q; castling e1g1, in chess960 e1h1; SAN is read too: Nf3",
    )
};

/// A position of chess, with the moves played since it was set up.
///
/// # Equality
/// Two positions are equal if variant, pieces, side to move, castling rights, a possible capture en
/// passant and the plies without a capture or pawn move are equal, and the same positions occurred
/// in these plies. The number of the move is ignored.
#[derive(Clone)]
pub struct Chess {
    board: Board,
    chess960: bool,
    /// The hash of the position: equal for positions that are equal in the sense of repetition.
    key: u64,
    /// Every move since the position was set up.
    history: Vec<Played>,
}

/// A position that was left by a move.
#[derive(Clone)]
struct Played {
    before: Board,
    key: u64,
    /// None: a null move.
    mv: Option<Move>,
}

/// Takes back one move of [`Chess`]. Empty, because the position stores the history.
#[derive(Clone, Copy, Debug)]
pub struct Undo(());

impl Chess {
    fn new(chess960: bool, board: Board) -> Self {
        let key = key(&board);
        Self { board, chess960, key, history: Vec::new() }
    }

    /// The start position of Chess960 with this number by Scharnagl, from 0 to 959; 518 is the
    /// usual one. None: there is no such number.
    pub fn start_position(number: u32) -> Option<Self> {
        (number < START_POSITIONS).then(|| Self::new(true, Board::chess960_startpos(number)))
    }

    /// The pieces, rights and counters, for searches and evaluations. The board has a square en
    /// passant after each double step of a pawn, [`en_passant`](Self::en_passant) only if a pawn
    /// can capture there.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether the variant is Chess960.
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// How often this position has occurred, this time included, as far as the moves since it was
    /// set up show.
    pub fn occurrences(&self) -> usize {
        // The same side is to move every other ply, and a piece needs two moves to return.
        let earlier = self.repeatable().skip(3).step_by(2);
        1 + earlier.filter(|played| played.key == self.key).count()
    }

    /// The positions that may be repeated, the last one first: those since the last capture, pawn
    /// move or null move.
    fn repeatable(&self) -> impl Iterator<Item = &Played> {
        let plies = self.board.halfmove_clock().into();
        self.history.iter().rev().take(plies).take_while(|played| played.mv.is_some())
    }

    /// The square on which the side to move can capture en passant.
    pub fn en_passant(&self) -> Option<Square> {
        en_passant(&self.board)
    }

    /// Calls a function for the legal moves of each piece, until it returns true.
    fn any_moves(&self, stop: impl FnMut(PieceMoves) -> bool) -> bool {
        self.board.generate_moves(stop)
    }

    /// Whether a legal move is a capture, or makes a queen.
    fn is_noisy(&self, mv: BoardMove) -> bool {
        let color = self.board.side_to_move();
        let is_en_passant =
            || self.board.piece_on(mv.from) == Some(Piece::Pawn) && mv.from.file() != mv.to.file();
        self.board.colors(!color).has(mv.to)
            || mv.promotion == Some(Piece::Queen)
            || is_en_passant()
    }
}

/// Whether a move of the side to move is castling: the king moves to the square of its own rook.
fn is_castling(board: &Board, mv: Move) -> bool {
    board.colors(board.side_to_move()).has(mv.to_square())
}

/// The square of the king after castling with the rook on this square.
fn castled_king(king: Square, rook: Square) -> Square {
    let file = if king.file() < rook.file() { File::G } else { File::C };
    Square::new(file, king.rank())
}

fn en_passant(board: &Board) -> Option<Square> {
    let color = board.side_to_move();
    let square = Square::new(board.en_passant()?, Rank::Sixth.relative_to(color));
    let pawns = get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn);
    board.generate_moves_for(pawns, |moves| moves.to.has(square)).then_some(square)
}

/// A hash that counts the square en passant only if a pawn can capture there (FIDE, article 9.2.3).
fn key(board: &Board) -> u64 {
    match en_passant(board) {
        Some(_) => board.hash(),
        None => board.hash_without_ep(),
    }
}

/// Whether two positions are the same in the sense of repetition. `Board::same_position` is not
/// used: it takes a queen or a bishop beside the pawn for one that captures en passant.
fn is_same(one: &Board, other: &Board) -> bool {
    one.side_to_move() == other.side_to_move()
        && Color::ALL.into_iter().all(|color| one.colors(color) == other.colors(color))
        && Piece::ALL.into_iter().all(|piece| one.pieces(piece) == other.pieces(piece))
        && Color::ALL
            .into_iter()
            .all(|color| one.castle_rights(color) == other.castle_rights(color))
        && en_passant(one) == en_passant(other)
}

impl fmt::Debug for Chess {
    /// The position text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_position(&mut text);
        write!(f, "{} {text}", self.variant().id)
    }
}

impl Eq for Chess {}

impl PartialEq for Chess {
    fn eq(&self, other: &Self) -> bool {
        let keys = |game: &Self| game.repeatable().map(|played| played.key).collect::<Vec<_>>();
        self.chess960 == other.chess960
            && self.board.halfmove_clock() == other.board.halfmove_clock()
            && is_same(&self.board, &other.board)
            && keys(self) == keys(other)
    }
}

impl Rules for Chess {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self::new(variant.id == CHESS960, Board::chess960_startpos(USUAL_START))
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        position::read(variant.id == CHESS960, text)
    }

    fn write_position(&self, out: &mut String) {
        position::write(self, out);
    }

    /// Resets repetition and the plies without a capture or pawn move.
    fn without_history(&self) -> Self {
        let mut board = self.board.clone();
        board.set_halfmove_clock(0);
        Self::new(self.chess960, board)
    }

    fn variant(&self) -> Variant {
        let id = if self.chess960 { CHESS960 } else { STANDARD };
        Variant { id, size: None, setting: None }
    }

    fn to_move(&self) -> Seat {
        Seat(self.board.side_to_move() as u8)
    }

    /// Noisy moves are captures and promotions to a queen, and in check all moves.
    fn generate(&self, set: MoveSet, out: &mut Vec<Move>) {
        let all = set == MoveSet::All || self.in_check();
        self.any_moves(|moves| {
            let wanted = moves.into_iter().filter(|mv| all || self.is_noisy(*mv));
            out.extend(wanted.map(Move::from));
            false
        });
    }

    fn count_moves(&self) -> Option<u64> {
        let mut count = 0;
        self.any_moves(|moves| {
            count += moves.len() as u64;
            false
        });
        Some(count)
    }

    fn nth_move(&self, number: u64) -> Option<Move> {
        let (mut left, mut found) = (usize::try_from(number).ok()?, None);
        self.any_moves(|moves| {
            found = moves.into_iter().nth(left);
            left = left.saturating_sub(moves.len());
            found.is_some()
        });
        found.map(Move::from)
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        if let Some(outcome) = self.outcome() {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        match refusal::parse_uci(text) {
            Some(uci) => self.check_uci(uci),
            None => self.parse_san(text),
        }
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        let mut mv = BoardMove::from(mv);
        if !self.chess960 && is_castling(&self.board, mv.into()) {
            mv.to = castled_king(mv.from, mv.to);
        }
        out.push_str(&mv.to_string());
    }

    fn write_notation(&self, mv: Move, out: &mut String) {
        out.push_str(&self.san(mv));
    }

    fn make(&mut self, mv: Move) -> Undo {
        let before = self.board.clone();
        self.board.play_unchecked(mv.into());
        self.history.push(Played { before, key: self.key, mv: Some(mv) });
        self.key = key(&self.board);
        Undo(())
    }

    fn unmake(&mut self, _undo: Undo) {
        if let Some(Played { before, key, .. }) = self.history.pop() {
            (self.board, self.key) = (before, key);
        }
    }

    /// A side in check cannot pass. Positions before a null move do not count for repetition.
    fn make_null(&mut self) -> Option<Undo> {
        let after = self.board.null_move()?;
        let before = std::mem::replace(&mut self.board, after);
        self.history.push(Played { before, key: self.key, mv: None });
        self.key = key(&self.board);
        Some(Undo(()))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.ending()
    }

    fn hash(&self) -> u64 {
        self.key
    }

    fn board(&self, last: Option<Move>) -> Option<games::board::Board> {
        Some(board::of(self, last))
    }
}

/// The name of a colour.
fn color_name(color: Color) -> &'static str {
    INFO.sides[color as usize]
}

/// The side of a colour.
fn side_of(color: Color) -> Side {
    Side(color as u8)
}

/// The name of a kind of piece.
fn piece_name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_game!(Chess);

#[cfg(test)]
mod tests;
