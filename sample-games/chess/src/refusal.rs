//! Moves as texts of UCI, and why a move is refused. What is legal, `cozy-chess` decides; this
//! module only finds the reason of a refusal.

use cozy_chess::{
    BitBoard, Board, Color, File, Move as BoardMove, Piece, Rank, Square, get_between_rays,
    get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::{Chess, Move, castled_king, color_name, piece_name};

/// The syntax of moves, for refusals.
pub(crate) const FORM: &str = "a move is two squares, as in e2e4 and e7e8q, or SAN, as in Nf3";

/// A text of UCI: two squares, and the letter of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UciMove {
    from: Square,
    to: Square,
    promotion: Option<char>,
}

/// Reads the form of UCI. None: the text has another form.
pub(crate) fn parse_uci(text: &str) -> Option<UciMove> {
    let (from, to) = (text.get(..2)?.parse().ok()?, text.get(2..4)?.parse().ok()?);
    let mut rest = text.get(4..)?.chars();
    let promotion = rest.next();
    let is_one_letter = promotion.is_none_or(|letter| letter.is_ascii_lowercase());
    (is_one_letter && rest.next().is_none()).then_some(UciMove { from, to, promotion })
}

impl Chess {
    /// The legal move with this text. Err: why there is none.
    pub(crate) fn check_uci(&self, uci: UciMove) -> Result<Move, String> {
        let UciMove { from, to, promotion } = uci;
        let promotion = match promotion.map(Piece::try_from) {
            None => None,
            Some(Ok(Piece::Pawn | Piece::King) | Err(_)) => {
                return Err("a pawn becomes a q, r, b or n".into());
            }
            Some(Ok(piece)) => Some(piece),
        };
        let to = self.castling_rook_of(from, to).unwrap_or(to);
        self.check(BoardMove { from, to, promotion })
    }

    /// The rook of a castling that is written by the squares of the king.
    fn castling_rook_of(&self, from: Square, to: Square) -> Option<Square> {
        let color = self.board.side_to_move();
        let rights = self.board.castle_rights(color);
        let is_castling = !self.chess960 && from == self.board.king(color) && from == home(color);
        let rook = match to.file() {
            File::G => rights.short,
            File::C => rights.long,
            _ => None,
        };
        let rook = rook.filter(|_| is_castling && to.rank() == from.rank())?;
        Some(Square::new(rook, from.rank()))
    }

    /// A move, if it is legal. Err: why it is not.
    pub(crate) fn check(&self, mv: BoardMove) -> Result<Move, String> {
        match self.board.is_legal(mv) {
            true => Ok(mv.into()),
            false => Err(self.reason(mv)),
        }
    }

    /// Why a move is not legal.
    fn reason(&self, mv: BoardMove) -> String {
        let BoardMove { from, to, promotion } = mv;
        let (board, mover) = (&self.board, self.board.side_to_move());
        let Some(piece) = board.piece_on(from) else {
            return format!("there is no piece on {from}");
        };
        let (name, color) = (piece_name(piece), color_name(mover));
        if !board.colors(mover).has(from) {
            let other = color_name(!mover);
            return format!("the {name} on {from} is {other}'s, and {color} moves");
        }
        if piece == Piece::King && promotion.is_none() {
            let rook = board.colored_pieces(mover, Piece::Rook).has(to);
            if rook && to.rank() == from.rank() && Rank::First.relative_to(mover) == from.rank() {
                return self.castling_reason(from, to);
            }
        }
        if board.colors(mover).has(to) {
            return format!(
                "{color}'s own {} is on {to}",
                board.piece_on(to).map_or("", piece_name)
            );
        }
        let unreachable = match piece {
            Piece::Pawn => self.pawn_reason(from, to),
            _ => self.piece_reason(piece, from, to),
        };
        if let Some(reason) = unreachable {
            return reason;
        }
        let is_last = piece == Piece::Pawn && to.rank() == Rank::Eighth.relative_to(mover);
        match promotion {
            None if is_last => "the promotion is missing: add q, r, b or n".into(),
            Some(_) if !is_last => "only a pawn on the last rank becomes another piece".into(),
            _ if piece == Piece::King => format!("the king would be in check on {to}"),
            _ if self.in_check() => "the king is in check, and would stay in it".into(),
            _ => format!("the {name} is pinned: the king would be in check"),
        }
    }

    /// Whether a piece of this kind reaches a square, whatever that means for its king.
    pub(crate) fn reaches(&self, piece: Piece, from: Square, to: Square) -> bool {
        let reason = match piece {
            Piece::Pawn => self.pawn_reason(from, to),
            _ => self.piece_reason(piece, from, to),
        };
        reason.is_none()
    }

    /// Why a piece other than a pawn does not reach a square. None: it does.
    fn piece_reason(&self, piece: Piece, from: Square, to: Square) -> Option<String> {
        let on_empty = |piece| match piece {
            Piece::Knight => get_knight_moves(from),
            Piece::King => get_king_moves(from),
            Piece::Bishop => get_bishop_moves(from, BitBoard::EMPTY),
            Piece::Rook => get_rook_moves(from, BitBoard::EMPTY),
            _ => {
                let straight = get_rook_moves(from, BitBoard::EMPTY);
                straight | get_bishop_moves(from, BitBoard::EMPTY)
            }
        };
        if !on_empty(piece).has(to) {
            return Some(match piece {
                Piece::King if !self.chess960 && is_castling_of_king(from, to) => {
                    self.no_right_reason(to)
                }
                Piece::King if self.chess960 && is_castling_of_king(from, to) => {
                    "castling is written by the squares of the king and of the rook".into()
                }
                _ => format!("a {} does not move from {from} to {to}", piece_name(piece)),
            });
        }
        let between = get_between_rays(from, to) & self.board.occupied();
        let in_the_way = between.next_square()?;
        Some(format!("{in_the_way} is occupied, on the way to {to}"))
    }

    /// Why a pawn does not reach a square. None: it does.
    fn pawn_reason(&self, from: Square, to: Square) -> Option<String> {
        let (board, mover) = (&self.board, self.board.side_to_move());
        let up = if mover == Color::White { 1 } else { -1 };
        let captures = get_pawn_attacks(from, mover);
        if captures.has(to) {
            let is_possible = board.colors(!mover).has(to) || board_en_passant(board) == Some(to);
            let beside = Square::new(to.file(), from.rank());
            let passed = board.colored_pieces(!mover, Piece::Pawn).has(beside)
                && from.rank() == Rank::Fifth.relative_to(mover);
            return match (is_possible, passed) {
                (true, _) => None,
                (false, true) => Some(format!(
                    "{to} is empty, and en passant is possible only at once after the double step"
                )),
                (false, false) => Some(format!("{to} is empty, and a pawn captures diagonally")),
            };
        }
        let one = from.try_offset(0, up)?;
        let is_home = from.rank() == Rank::Second.relative_to(mover);
        let two = one.try_offset(0, up).filter(|_| is_home);
        let blocked = |square: Square| board.occupied().has(square);
        let occupied =
            |square| Some(format!("{square} is occupied, and a pawn captures diagonally"));
        match to {
            _ if to == one && blocked(to) => occupied(to),
            _ if Some(to) == two && blocked(one) => occupied(one),
            _ if Some(to) == two && blocked(to) => occupied(to),
            _ if to == one || Some(to) == two => None,
            _ => Some(format!("a pawn does not move from {from} to {to}")),
        }
    }

    /// Why there is no right to castle to this square of the king.
    pub(crate) fn no_right_reason(&self, to: Square) -> String {
        let color = color_name(self.board.side_to_move());
        let side = if to.file() == File::G { "kingside" } else { "queenside" };
        format!("{color} has no right to castle {side}: its king or that rook has moved")
    }

    /// Why the king cannot castle with its own rook on this square.
    fn castling_reason(&self, king: Square, rook: Square) -> String {
        let (board, mover) = (&self.board, self.board.side_to_move());
        let to = castled_king(king, rook);
        let rights = board.castle_rights(mover);
        if ![rights.short, rights.long].contains(&Some(rook.file())) {
            return self.no_right_reason(to);
        }
        if self.in_check() {
            return "the king is in check, and cannot castle out of it".into();
        }
        let rook_to = Square::new(if to.file() == File::G { File::F } else { File::D }, to.rank());
        let way = get_between_rays(king, to) | to.bitboard();
        let empty = way | get_between_rays(king, rook) | rook_to.bitboard();
        let others = board.occupied() & !king.bitboard() & !rook.bitboard();
        if let Some(square) = (empty & others).next_square() {
            return format!("{square} is occupied, and castling needs it empty");
        }
        let attacked = |square: &Square| is_attacked(board, *square, !mover, others);
        match get_between_rays(king, to).iter().find(attacked) {
            Some(square) => format!("the king cannot castle through check on {square}"),
            None => format!("the king would be in check on {to}"),
        }
    }
}

/// The square of the king at the start of a usual game.
fn home(color: Color) -> Square {
    Square::new(File::E, Rank::First.relative_to(color))
}

/// Whether these squares are those of a castling king in a usual game.
fn is_castling_of_king(from: Square, to: Square) -> bool {
    let at_home = [Color::White, Color::Black].map(home).contains(&from);
    at_home && from.rank() == to.rank() && [File::C, File::G].contains(&to.file())
}

/// The square that a pawn has just passed, whether or not a capture there is legal.
fn board_en_passant(board: &Board) -> Option<Square> {
    Some(Square::new(board.en_passant()?, Rank::Sixth.relative_to(board.side_to_move())))
}

/// Whether a side attacks a square, with these squares occupied.
fn is_attacked(board: &Board, square: Square, by: Color, occupied: BitBoard) -> bool {
    let (queens, own) = (board.pieces(Piece::Queen), board.colors(by));
    let diagonal = get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens);
    let straight = get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens);
    let near = get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | get_pawn_attacks(square, !by) & board.pieces(Piece::Pawn);
    !((diagonal | straight | near) & own).is_empty()
}
