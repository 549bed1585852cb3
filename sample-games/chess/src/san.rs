//! SAN, the algebraic notation of PGN: `Nf3`, `exd8=Q+`, `O-O`.

use cozy_chess::{BitBoard, File, Move as BoardMove, Piece, Rank, Square};
use sandboard_game_sdk::games::{MoveSet, Rules};

use super::refusal::FORM;
use super::{Chess, Move, color_name, is_castling, piece_name};

/// A move in SAN, other than castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SanMove {
    piece: Piece,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    captures: bool,
    to: Square,
    promotion: Option<Piece>,
}

impl Chess {
    /// The text of a legal move in SAN.
    pub fn san(&self, mv: Move) -> String {
        let (board, mover) = (&self.board, self.board.side_to_move());
        let mut text = String::new();
        let piece = board.piece_on(mv.from_square()).unwrap_or(Piece::Pawn);
        if is_castling(board, mv) {
            text.push_str(if mv.to_square().file() > mv.from_square().file() {
                "O-O"
            } else {
                "O-O-O"
            });
        } else {
            let captures = board.colors(!mover).has(mv.to_square())
                || piece == Piece::Pawn && mv.from_square().file() != mv.to_square().file();
            match piece {
                Piece::Pawn if captures => text.push(mv.from_square().file().into()),
                Piece::Pawn => {}
                _ => {
                    text.push(char::from(piece).to_ascii_uppercase());
                    self.write_origin(piece, mv, &mut text);
                }
            }
            text.extend(captures.then_some('x'));
            text.push_str(&mv.to_square().to_string());
            text.extend(
                mv.promotion()
                    .map(|it| ['=', char::from(it).to_ascii_uppercase()])
                    .iter()
                    .flatten(),
            );
        }
        let mut after = self.clone();
        after.make(mv);
        if after.in_check() {
            text.push(if after.any_moves(|_| true) { '+' } else { '#' });
        }
        text
    }

    /// Appends what distinguishes a move from those of other pieces of its kind to the same square:
    /// the file, else the rank, else both.
    fn write_origin(&self, piece: Piece, mv: Move, out: &mut String) {
        let others = BitBoard::from_iter(
            self.legal_from(piece, mv.to_square()).filter(|from| *from != mv.from_square()),
        );
        let from = mv.from_square();
        if others.is_empty() {
            return;
        }
        let same_file = !(others & from.file().bitboard()).is_empty();
        let same_rank = !(others & from.rank().bitboard()).is_empty();
        out.extend((!same_file || same_rank).then(|| char::from(from.file())));
        out.extend(same_file.then(|| char::from(from.rank())));
    }

    /// The squares from which pieces of this kind can move to a square, without castling.
    fn legal_from(&self, piece: Piece, to: Square) -> impl Iterator<Item = Square> {
        let pieces = self.board.colored_pieces(self.board.side_to_move(), piece);
        let mut from = BitBoard::EMPTY;
        if !self.board.colors(self.board.side_to_move()).has(to) {
            self.board.generate_moves_for(pieces, |moves| {
                if moves.to.has(to) {
                    from |= moves.from.bitboard();
                }
                false
            });
        }
        from.into_iter()
    }

    /// Reads a legal move in SAN. Needless origins, missing signs of captures and checks, `0-0`,
    /// and remarks such as `!?` are accepted. The error is one sentence that fits after "`text` is
    /// refused: ".
    pub fn parse_san(&self, text: &str) -> Result<Move, String> {
        let plain = text.trim_end_matches(['+', '#', '!', '?']);
        match plain {
            "O-O" | "0-0" => return self.castle(true),
            "O-O-O" | "0-0-0" => return self.castle(false),
            _ => {}
        }
        let san = parse(plain).ok_or(FORM)?;
        let fits = |from: &Square| {
            san.from_file.is_none_or(|file| file == from.file())
                && san.from_rank.is_none_or(|rank| rank == from.rank())
        };
        let mut moves = Vec::new();
        self.generate(MoveSet::All, &mut moves);
        moves.retain(|mv| {
            self.board.piece_on(mv.from_square()) == Some(san.piece)
                && mv.to_square() == san.to
                && mv.promotion() == san.promotion
                && fits(&mv.from_square())
                && !is_castling(&self.board, *mv)
        });
        match moves[..] {
            [mv] if san.captures && !self.captures(mv) => {
                Err(format!("there is nothing to capture on {}", san.to))
            }
            [mv] => Ok(mv),
            [] => Err(self.san_reason(san, fits)),
            _ => {
                let mut names = moves.iter().map(|mv| BoardMove::from(*mv).to_string());
                let (first, rest) = (names.next().unwrap_or_default(), names.collect::<Vec<_>>());
                Err(format!("it fits several moves: {first} and {}", rest.join(" and ")))
            }
        }
    }

    fn captures(&self, mv: Move) -> bool {
        let is_pawn = self.board.piece_on(mv.from_square()) == Some(Piece::Pawn);
        let diagonal = is_pawn && mv.from_square().file() != mv.to_square().file();
        diagonal || self.board.colors(!self.board.side_to_move()).has(mv.to_square())
    }

    /// Why no piece makes this move.
    fn san_reason(&self, san: SanMove, fits: impl Fn(&Square) -> bool) -> String {
        let mover = self.board.side_to_move();
        let (color, name) = (color_name(mover), piece_name(san.piece));
        let pieces: Vec<Square> =
            self.board.colored_pieces(mover, san.piece).iter().filter(fits).collect();
        let reason = |from: Square| {
            let mv = BoardMove { from, to: san.to, promotion: san.promotion };
            self.check(mv).err()
        };
        // The piece that reaches the square if only one does, by the movement of its kind.
        let can_reach = |from: &&Square| self.reaches(san.piece, **from, san.to);
        let mut reaching = pieces.iter().filter(can_reach);
        match (&pieces[..], reaching.next(), reaching.next()) {
            ([], ..) => Some(format!("{color} has no such {name}")),
            ([from], ..) | (_, Some(from), None) => reason(*from),
            _ => None,
        }
        .unwrap_or_else(|| format!("no {name} of {color} can move to {}", san.to))
    }

    fn castle(&self, kingside: bool) -> Result<Move, String> {
        let mover = self.board.side_to_move();
        let (king, rights) = (self.board.king(mover), self.board.castle_rights(mover));
        let rook = if kingside { rights.short } else { rights.long };
        let Some(rook) = rook else {
            let file = if kingside { File::G } else { File::C };
            return Err(self.no_right_reason(Square::new(file, king.rank())));
        };
        self.check(BoardMove { from: king, to: Square::new(rook, king.rank()), promotion: None })
    }
}

/// Reads the form of SAN, without castling and signs at its end.
fn parse(text: &str) -> Option<SanMove> {
    let mut rest = text;
    let piece = match rest.chars().next()? {
        letter @ ('N' | 'B' | 'R' | 'Q' | 'K') => {
            rest = &rest[1..];
            Piece::try_from(letter.to_ascii_lowercase()).ok()?
        }
        _ => Piece::Pawn,
    };
    let mut promotion = None;
    if let Some(letter @ ('N' | 'B' | 'R' | 'Q')) = rest.chars().last() {
        promotion = Some(Piece::try_from(letter.to_ascii_lowercase()).ok()?);
        rest = &rest[..rest.len() - 1];
        rest = rest.strip_suffix('=').unwrap_or(rest);
    }
    let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to: Square = to.parse().ok()?;
    let (origin, captures) = match origin.strip_suffix('x') {
        Some(origin) => (origin, true),
        None => (origin.strip_suffix('-').unwrap_or(origin), false),
    };
    let mut letters = origin.chars().peekable();
    let from_file = letters.peek().and_then(|letter| File::try_from(*letter).ok());
    letters.next_if(|_| from_file.is_some());
    let from_rank = letters.peek().and_then(|letter| Rank::try_from(*letter).ok());
    letters.next_if(|_| from_rank.is_some());
    // A pawn that does not capture stays on its file.
    let from_file = from_file.or((piece == Piece::Pawn).then_some(to.file()));
    letters.next().is_none().then_some(SanMove {
        piece,
        from_file,
        from_rank,
        captures,
        to,
        promotion,
    })
}
