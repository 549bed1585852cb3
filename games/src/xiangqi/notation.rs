//! Move notations for people: ICCS `H2-E2`, WXF `C2=5`, and Chinese 炮二平五. WXF and Chinese give the
//! piece, its file, its direction, and the distance or target file; files count from the mover's
//! right. The reader accepts a text that matches exactly one legal move.
//!
//! Pieces of one kind on the same file are named front and rear (`+` and `-`, 前 and 后), and the
//! middle of three pawns `.` or 中. With four or five pawns on a file, or several pawns on two
//! files, pawns are numbered from the front, file by file from the right (`a` to `e`, 一 to 五). Two
//! advisors or elephants on a file never move in the same direction and need no such name.

use super::Xiangqi;
use super::square::{Color, FILES, Move, Piece, PieceKind, Square};
use crate::messages;
use crate::rules::{MoveSet, Rules};

/// A notation for moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Both points: `H2-E2`.
    Iccs,
    /// Letters and signs: `C2=5`.
    Wxf,
    /// Chinese characters: 炮二平五. Red's numbers are Chinese, black's are full-width digits.
    Chinese,
}

/// Selects one piece of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceSelector {
    /// The one on this file, counted from the mover's right.
    File(u8),
    /// The front one of several on a file.
    Front,
    /// The middle one of three.
    Middle,
    /// The rear one of several on a file.
    Rear,
    /// The one with this number, from 1.
    Nth(u8),
}

/// The direction of a move, seen by its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Back,
    Level,
}

/// The content of a move text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StyledMove {
    kind: PieceKind,
    selector: PieceSelector,
    direction: Direction,
    number: u8,
}

const RED: [char; 7] = ['帅', '仕', '相', '马', '车', '炮', '兵'];
const BLACK: [char; 7] = ['将', '士', '象', '马', '车', '炮', '卒'];
const LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
const NUMBERS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const WIDE: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const NTHS: [char; 5] = ['a', 'b', 'c', 'd', 'e'];

/// The kind of any sign that stands for it, including traditional characters and old type.
fn kind_of(sign: char) -> Option<PieceKind> {
    Some(match sign {
        '帅' | '将' | '帥' | '將' => PieceKind::King,
        '仕' | '士' => PieceKind::Advisor,
        '相' | '象' => PieceKind::Elephant,
        '马' | '馬' | '傌' => PieceKind::Horse,
        '车' | '車' | '俥' => PieceKind::Rook,
        '炮' | '砲' | '包' => PieceKind::Cannon,
        '兵' | '卒' => PieceKind::Pawn,
        _ => return Piece::from_letter(sign).map(|piece| piece.kind),
    })
}

fn number_of(sign: char) -> Option<u8> {
    let of = |signs: [char; 9]| signs.iter().position(|known| *known == sign);
    let number = match sign {
        '1'..='9' => sign as u8 - b'0',
        _ => of(NUMBERS).or(of(WIDE))? as u8 + 1,
    };
    Some(number)
}

fn selector_of(sign: char) -> Option<PieceSelector> {
    match sign {
        '+' | '前' => Some(PieceSelector::Front),
        '.' | '中' => Some(PieceSelector::Middle),
        '-' | '后' | '後' => Some(PieceSelector::Rear),
        _ => None,
    }
}

fn direction_of(sign: char) -> Option<Direction> {
    match sign {
        '+' | '进' | '進' => Some(Direction::Forward),
        '-' | '退' => Some(Direction::Back),
        '=' | '.' | '平' => Some(Direction::Level),
        _ => None,
    }
}

impl StyledMove {
    fn read(text: &str) -> Option<StyledMove> {
        let mut signs = text.chars();
        let [first, second, direction, number] = std::array::from_fn(|_| signs.next());
        if signs.next().is_some() {
            return None;
        }
        let (first, second) = (first?, second?);
        let nth = |sign| NTHS.iter().position(|known| *known == sign);
        let (kind, selector) = match kind_of(first) {
            Some(kind) => {
                let nth = nth(second).map(|index| PieceSelector::Nth(index as u8 + 1));
                (kind, selector_of(second).or(nth).or(number_of(second).map(PieceSelector::File))?)
            }
            // 前炮; or 一兵, as opposed to 兵一, the pawn on the first file.
            None => {
                let selector = selector_of(first).or(number_of(first).map(PieceSelector::Nth))?;
                (kind_of(second)?, selector)
            }
        };
        Some(StyledMove {
            kind,
            selector,
            direction: direction_of(direction?)?,
            number: number_of(number?)?,
        })
    }

    fn write(self, style: Style, color: Color, out: &mut String) {
        let chinese = style == Style::Chinese;
        let number = |number: u8| {
            let nth = usize::from(number.clamp(1, 9)) - 1;
            match (chinese, color) {
                (false, _) => (b'1' + nth as u8) as char,
                (true, Color::Red) => NUMBERS[nth],
                (true, Color::Black) => WIDE[nth],
            }
        };
        let kind = match (chinese, color) {
            (false, _) => LETTERS[self.kind.index()],
            (true, Color::Red) => RED[self.kind.index()],
            (true, Color::Black) => BLACK[self.kind.index()],
        };
        let pick = |letter: char, sign: char| if chinese { sign } else { letter };
        let selector = match self.selector {
            PieceSelector::File(file) => number(file),
            PieceSelector::Front => pick('+', '前'),
            PieceSelector::Middle => pick('.', '中'),
            PieceSelector::Rear => pick('-', '后'),
            PieceSelector::Nth(nth) => {
                let nth = usize::from(nth.clamp(1, 5)) - 1;
                pick(NTHS[nth], NUMBERS[nth])
            }
        };
        match chinese && !matches!(self.selector, PieceSelector::File(_)) {
            true => out.extend([selector, kind]),
            false => out.extend([kind, selector]),
        }
        out.push(match self.direction {
            Direction::Forward => pick('+', '进'),
            Direction::Back => pick('-', '退'),
            Direction::Level => pick('=', '平'),
        });
        out.push(number(self.number));
    }
}

/// A point's file, counted from the right of a side, from 1.
fn file_for(color: Color, square: Square) -> u8 {
    match color {
        Color::Red => FILES - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// The direction of a move and the number after it.
fn direction_and_number(piece: Piece, mv: Move) -> (Direction, u8) {
    let [from, to] = [mv.from, mv.to].map(|square| piece.color.rank(square.rank()));
    let direction = match to.cmp(&from) {
        std::cmp::Ordering::Greater => Direction::Forward,
        std::cmp::Ordering::Less => Direction::Back,
        std::cmp::Ordering::Equal => Direction::Level,
    };
    let steps = matches!(
        piece.kind,
        PieceKind::King | PieceKind::Rook | PieceKind::Cannon | PieceKind::Pawn
    );
    match steps && direction != Direction::Level {
        true => (direction, from.abs_diff(to)),
        false => (direction, file_for(piece.color, mv.to)),
    }
}

impl Xiangqi {
    /// Appends a legal move in this notation.
    pub(crate) fn write_styled(&self, mv: Move, style: Style, out: &mut String) {
        if style == Style::Iccs {
            let text = format!("{}-{}", mv.from, mv.to);
            return out.push_str(&text.to_ascii_uppercase());
        }
        let Some(piece) = self.piece_at(mv.from) else { return };
        let (direction, number) = direction_and_number(piece, mv);
        let selector = match piece.kind {
            PieceKind::Advisor | PieceKind::Elephant => None,
            _ => self.selectors(piece, mv.from).next(),
        };
        let selector = selector.unwrap_or(PieceSelector::File(file_for(piece.color, mv.from)));
        StyledMove { kind: piece.kind, selector, direction, number }.write(style, piece.color, out);
    }

    /// Reads a legal move in any notation. The error is one sentence that fits after "`text` is
    /// refused: ".
    pub(crate) fn read_styled(&self, text: &str) -> Result<Move, String> {
        if let Some((from, to)) =
            text.split_once('-').filter(|(from, to)| from.len() + to.len() == 4)
        {
            let mv = super::position::read_move(&format!("{from}{to}"));
            if let Ok(mv) = mv {
                return self.refusal_reason(mv).map_or(Ok(mv), Err);
            }
        }
        let Some(styled) = StyledMove::read(text) else {
            return Err(messages::not_a_move(messages::XIANGQI_MOVE_FORM));
        };
        let mut moves = Vec::new();
        self.generate(MoveSet::All, &mut moves);
        moves.retain(|mv| self.matches_styled(*mv, styled));
        match moves[..] {
            [mv] => self.refusal_reason(mv).map_or(Ok(mv), Err),
            [] => Err(messages::NO_MOVE_OF_THIS_NAME.to_owned()),
            [one, two, ..] => Err(messages::ambiguous_move(one, two)),
        }
    }

    fn matches_styled(&self, mv: Move, styled: StyledMove) -> bool {
        let Some(piece) = self.piece_at(mv.from) else { return false };
        piece.kind == styled.kind
            && direction_and_number(piece, mv) == (styled.direction, styled.number)
            && match styled.selector {
                PieceSelector::File(file) => file == file_for(piece.color, mv.from),
                selector => self.selectors(piece, mv.from).any(|name| name == selector),
            }
    }

    /// The selectors that distinguish a piece from others of its kind on its file, the preferred
    /// one first; empty if it is alone.
    fn selectors(&self, piece: Piece, square: Square) -> impl Iterator<Item = PieceSelector> {
        // Sort by file from the right, then from the front.
        let place = |square: Square| {
            (file_for(piece.color, square), u8::MAX - piece.color.rank(square.rank()))
        };
        let mut places: Vec<_> = self.squares(piece).map(place).collect();
        places.sort_unstable();
        let alone = |&(file, _): &(u8, u8)| places.iter().filter(|it| it.0 == file).count() < 2;
        let several: Vec<_> = places.iter().filter(|it| !alone(it)).copied().collect();
        let (file, _) = place(square);
        let on_file: Vec<_> = several.iter().filter(|it| it.0 == file).collect();
        let nth = on_file.iter().position(|it| **it == place(square));
        let number = several.iter().position(|it| *it == place(square));
        let number = number.map(|index| PieceSelector::Nth(index as u8 + 1));
        let end = nth.and_then(|nth| match (nth, on_file.len()) {
            (0, _) => Some(PieceSelector::Front),
            (nth, count) if nth + 1 == count => Some(PieceSelector::Rear),
            (1, 3) => Some(PieceSelector::Middle),
            _ => None,
        });
        let numbered = on_file.len() > 3 || several.len() > on_file.len();
        let selectors = if numbered { [number, end] } else { [end, number] };
        selectors.into_iter().flatten()
    }
}
