//! How people write moves: ICCS `H2-E2`, WXF `C2=5`, and Chinese 炮二平五. The last two tell
//! the piece, the file that it stands on, its way, and how far or to which file it goes;
//! files count from the mover's right. Reading takes what only one legal move is called.
//!
//! Pieces of a kind that stand on one file are told apart as front and rear (`+` and `-`,
//! 前 and 后), of three pawns the middle one (`.`, 中); of four or five, or where two files
//! have several, pawns are numbered from the front, file by file from the right (`a` to `e`,
//! 一 to 五). Two advisors or elephants on a file never go the same way and need none of it.

use super::Xiangqi;
use super::square::{Color, FILES, Kind, Move, Piece, Square};
use crate::rules::{Generate, Rules};

/// A way of writing moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Both points: `H2-E2`.
    Iccs,
    /// Letters and signs: `C2=5`.
    Wxf,
    /// Chinese signs: 炮二平五; red's numbers are Chinese ones, black's full-width digits.
    Chinese,
}

/// Which piece of a kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The one on this file, counted from the mover's right.
    File(u8),
    /// The front one of several on a file.
    Front,
    /// The middle one of three.
    Middle,
    /// The last one.
    Rear,
    /// The one with this number, from 1.
    Nth(u8),
}

/// Where to it goes, as its side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
    Level,
}

/// What a text says of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words {
    kind: Kind,
    which: Which,
    way: Way,
    number: u8,
}

const RED: [char; 7] = ['帅', '仕', '相', '马', '车', '炮', '兵'];
const BLACK: [char; 7] = ['将', '士', '象', '马', '车', '炮', '卒'];
const LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
const NUMBERS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const WIDE: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const NTHS: [char; 5] = ['a', 'b', 'c', 'd', 'e'];

/// A kind by any sign that stands for it, traditional ones and those of old type too.
fn kind_of(sign: char) -> Option<Kind> {
    Some(match sign {
        '帅' | '将' | '帥' | '將' => Kind::King,
        '仕' | '士' => Kind::Advisor,
        '相' | '象' => Kind::Elephant,
        '马' | '馬' | '傌' => Kind::Horse,
        '车' | '車' | '俥' => Kind::Rook,
        '炮' | '砲' | '包' => Kind::Cannon,
        '兵' | '卒' => Kind::Pawn,
        _ => return Piece::of_letter(sign).map(|piece| piece.kind),
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

fn which_of(sign: char) -> Option<Which> {
    match sign {
        '+' | '前' => Some(Which::Front),
        '.' | '中' => Some(Which::Middle),
        '-' | '后' | '後' => Some(Which::Rear),
        _ => None,
    }
}

fn way_of(sign: char) -> Option<Way> {
    match sign {
        '+' | '进' | '進' => Some(Way::Forward),
        '-' | '退' => Some(Way::Back),
        '=' | '.' | '平' => Some(Way::Level),
        _ => None,
    }
}

impl Words {
    fn read(text: &str) -> Option<Words> {
        let mut signs = text.chars();
        let [first, second, way, number] = std::array::from_fn(|_| signs.next());
        if signs.next().is_some() {
            return None;
        }
        let (first, second) = (first?, second?);
        let nth = |sign| NTHS.iter().position(|known| *known == sign);
        let (kind, which) = match kind_of(first) {
            Some(kind) => {
                let nth = nth(second).map(|index| Which::Nth(index as u8 + 1));
                (kind, which_of(second).or(nth).or(number_of(second).map(Which::File))?)
            }
            // 前炮, and 一兵 where 兵一 is the one on the first file.
            None => {
                let which = which_of(first).or(number_of(first).map(Which::Nth))?;
                (kind_of(second)?, which)
            }
        };
        Some(Words { kind, which, way: way_of(way?)?, number: number_of(number?)? })
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
        let which = match self.which {
            Which::File(file) => number(file),
            Which::Front => pick('+', '前'),
            Which::Middle => pick('.', '中'),
            Which::Rear => pick('-', '后'),
            Which::Nth(nth) => {
                let nth = usize::from(nth.clamp(1, 5)) - 1;
                pick(NTHS[nth], NUMBERS[nth])
            }
        };
        match chinese && !matches!(self.which, Which::File(_)) {
            true => out.extend([which, kind]),
            false => out.extend([kind, which]),
        }
        out.push(match self.way {
            Way::Forward => pick('+', '进'),
            Way::Back => pick('-', '退'),
            Way::Level => pick('=', '平'),
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

/// What a piece does: its way and the number behind it.
fn way_and_number(piece: Piece, mv: Move) -> (Way, u8) {
    let [from, to] = [mv.from, mv.to].map(|square| piece.color.rank(square.rank()));
    let way = match to.cmp(&from) {
        std::cmp::Ordering::Greater => Way::Forward,
        std::cmp::Ordering::Less => Way::Back,
        std::cmp::Ordering::Equal => Way::Level,
    };
    let steps = matches!(piece.kind, Kind::King | Kind::Rook | Kind::Cannon | Kind::Pawn);
    match steps && way != Way::Level {
        true => (way, from.abs_diff(to)),
        false => (way, file_for(piece.color, mv.to)),
    }
}

impl Xiangqi {
    /// Appends a legal move in this style.
    pub fn write_styled(&self, mv: Move, style: Style, out: &mut String) {
        if style == Style::Iccs {
            let text = format!("{}-{}", mv.from, mv.to);
            return out.push_str(&text.to_ascii_uppercase());
        }
        let Some(piece) = self.piece_at(mv.from) else { return };
        let (way, number) = way_and_number(piece, mv);
        let which = match piece.kind {
            Kind::Advisor | Kind::Elephant => None,
            _ => self.names(piece, mv.from).next(),
        };
        let which = which.unwrap_or(Which::File(file_for(piece.color, mv.from)));
        Words { kind: piece.kind, which, way, number }.write(style, piece.color, out);
    }

    /// Reads a legal move in any style. Err: the reason, which fits behind
    /// "`text` is refused: ".
    pub fn read_styled(&self, text: &str) -> Result<Move, String> {
        if let Some((from, to)) =
            text.split_once('-').filter(|(from, to)| from.len() + to.len() == 4)
        {
            let mv = super::position::read_move(&format!("{from}{to}"));
            if let Ok(mv) = mv {
                return self.why_not(mv).map_or(Ok(mv), Err);
            }
        }
        let Some(words) = Words::read(text) else {
            return Err(format!("it is no move; {}", super::position::FORM));
        };
        let mut moves = Vec::new();
        self.generate(Generate::All, &mut moves);
        moves.retain(|mv| self.is_called(*mv, words));
        match moves[..] {
            [mv] => self.why_not(mv).map_or(Ok(mv), Err),
            [] => Err("no legal move is called that".to_owned()),
            [one, two, ..] => Err(format!("{one} and {two} are both called that")),
        }
    }

    fn is_called(&self, mv: Move, words: Words) -> bool {
        let Some(piece) = self.piece_at(mv.from) else { return false };
        piece.kind == words.kind
            && way_and_number(piece, mv) == (words.way, words.number)
            && match words.which {
                Which::File(file) => file == file_for(piece.color, mv.from),
                which => self.names(piece, mv.from).any(|name| name == which),
            }
    }

    /// What tells a piece from others of its kind on its file, the usual name first; nothing
    /// where it is alone.
    fn names(&self, piece: Piece, square: Square) -> impl Iterator<Item = Which> {
        // From the right, and on a file from the front.
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
        let number = number.map(|index| Which::Nth(index as u8 + 1));
        let end = nth.and_then(|nth| match (nth, on_file.len()) {
            (0, _) => Some(Which::Front),
            (nth, count) if nth + 1 == count => Some(Which::Rear),
            (1, 3) => Some(Which::Middle),
            _ => None,
        });
        let numbered = on_file.len() > 3 || several.len() > on_file.len();
        let names = if numbered { [number, end] } else { [end, number] };
        names.into_iter().flatten()
    }
}
