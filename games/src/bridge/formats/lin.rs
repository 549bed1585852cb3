//! LIN, the format of Bridge Base Online: a sequence of `key|value|`. A board starts with `qx`, or
//! with the names or the deal of the next board. Hands and names are in the order south, west,
//! north, east. Keys without data on deal, auction and play are skipped.

use super::super::Vulnerability;
use super::super::cards::{Card, Cards, Compass};
use super::super::contract::{AuctionResult, Bid, Call, auction_result, current_contract};
use super::board::{Board, LocatedBoard, complete_hands};
use super::{ReadBoards, hand_by_suits, name, too_many};
use crate::formats::{FormatError, GAMES_MAX, decode, excerpt};

/// Maximum number of calls in an auction.
const MAX_CALLS: usize = 319;
/// The order of hands and names.
const ORDER: [Compass; 4] = [Compass::South, Compass::West, Compass::North, Compass::East];

/// Reads the boards of a file.
pub(super) fn read(bytes: &[u8]) -> ReadBoards {
    let text = decode(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut reader = Reader::default();
    let mut line = 1;
    let mut parts = text.split('|');
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        // A key may be preceded by a line end.
        line += newlines(key);
        if reader.found.len() > GAMES_MAX {
            break;
        }
        let key = key.trim().to_ascii_lowercase();
        reader.add(&key, value, line);
        line += newlines(value);
    }
    reader.finish();
    if reader.found.len() > GAMES_MAX {
        reader.found.truncate(GAMES_MAX);
        reader.found.push(Err(too_many(line)));
    }
    if reader.found.is_empty() {
        let reason = "the file has no deal (`md|`)";
        reader.found.push(Err(FormatError::line(line, reason)));
    }
    reader.found
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[derive(Default)]
struct Reader {
    found: ReadBoards,
    /// The latest names: four of one table, or eight of two.
    names: Vec<Option<String>>,
    event: Option<String>,
    draft: BoardDraft,
}

/// A board while it is read.
#[derive(Default)]
struct BoardDraft {
    /// First line, once the board has started.
    line: Option<usize>,
    deal: Option<[Option<Cards>; 4]>,
    /// Whether it is from the second (closed) room of two tables.
    closed: bool,
    board: Board,
    lines: Vec<usize>,
    claimed: bool,
    /// The first error.
    wrong: Option<FormatError>,
}

impl Reader {
    fn add(&mut self, key: &str, value: &str, line: usize) {
        let next = match key {
            "qx" => true,
            "md" | "pn" => self.draft.deal.is_some(),
            _ => false,
        };
        if next {
            self.finish();
        }
        match key {
            "vg" => self.event = value.split(',').next().and_then(name),
            "pn" => self.names = value.split(',').take(8).map(name).collect(),
            "qx" | "md" => {
                self.draft.line.get_or_insert(line);
            }
            _ => (),
        }
        if let Err(reason) = self.draft.add(key, value, line) {
            self.draft.wrong.get_or_insert(FormatError::line(line, reason));
        }
    }

    fn finish(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        let (Some(line), true) = (draft.line, draft.deal.is_some() || draft.wrong.is_some()) else {
            return;
        };
        let skip = if draft.closed && self.names.len() > 4 { 4 } else { 0 };
        let mut names = [const { None }; 4];
        for (name, of) in self.names.iter().skip(skip).zip(ORDER) {
            names[of.index()].clone_from(name);
        }
        let found = draft.finish(line).map(|mut located| {
            (located.board.names, located.board.event) = (names, self.event.clone());
            located
        });
        self.found.push(found);
    }
}

impl BoardDraft {
    fn add(&mut self, key: &str, value: &str, line: usize) -> Result<(), String> {
        match key {
            "qx" => {
                self.closed = value.trim_start().starts_with(['c', 'C']);
                self.board.number = number(value);
            }
            "ah" => self.board.number = number(value).or(self.board.number),
            "md" => self.read_deal(value.trim())?,
            "sv" => self.board.vulnerability = vulnerability(value.trim())?,
            "mb" => self.read_calls(value)?,
            "pc" => self.read_cards(value, line)?,
            "mc" => {
                let tricks = value.trim().parse().ok().filter(|tricks| *tricks <= 13);
                let wrong = || format!("{} is not a number of tricks", excerpt(value.as_bytes()));
                self.board.result = Some(tricks.ok_or_else(wrong)?);
                self.claimed = true;
            }
            _ => (),
        }
        Ok(())
    }

    /// Reads `3S…,S…,S…,`: the dealer, and the hands from south.
    fn read_deal(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.chars();
        self.board.dealer = match rest.next() {
            Some(digit @ '1'..='4') => Some(ORDER[digit as usize - '1' as usize]),
            _ => {
                return Err(format!(
                    "{} does not start with a dealer, 1 to 4",
                    excerpt(text.as_bytes())
                ));
            }
        };
        let mut hands = [None; 4];
        let mut texts = rest.as_str().split(',');
        for of in ORDER {
            let text = texts.next().map_or("", str::trim);
            let hand = hand_by_suits(text).map_err(|why| format!("{}'s hand: {why}", of.name()))?;
            hands[of.index()] = (!hand.is_empty()).then_some(hand);
        }
        if texts.any(|more| !more.trim().is_empty()) {
            return Err("more than four hands".to_owned());
        }
        self.deal = Some(hands);
        Ok(())
    }

    /// Reads calls, usually one: `p`, `d`, `r`, `1N`; `!` marks an alert.
    fn read_calls(&mut self, text: &str) -> Result<(), String> {
        let mut letters =
            text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '!' | '?' | '-'));
        while let Some(letter) = letters.next() {
            let call = match letter.to_ascii_lowercase() {
                'p' => Some(Call::Pass),
                'd' | 'x' => Some(Call::Double),
                'r' => Some(Call::Redouble),
                level => {
                    let strain = letters.next().unwrap_or(' ');
                    Bid::from_text(&format!("{level}{strain}")).map(Call::Bid)
                }
            };
            let wrong = || format!("{} is not a call", excerpt(text.as_bytes()));
            self.board.auction.push(call.ok_or_else(wrong)?);
            if self.board.auction.len() > MAX_CALLS {
                return Err(format!("more than {MAX_CALLS} calls"));
            }
        }
        Ok(())
    }

    /// Reads cards, usually one: `SJ`.
    fn read_cards(&mut self, text: &str, line: usize) -> Result<(), String> {
        let mut letters = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '!' | '?'));
        while let Some(suit) = letters.next() {
            let rank = letters.next().unwrap_or(' ');
            let wrong = || format!("{} is not a card", excerpt(text.as_bytes()));
            let card = Card::from_text(&format!("{suit}{rank}")).ok_or_else(wrong)?;
            if self.board.play.len() == 52 {
                return Err("more than 52 cards are played".to_owned());
            }
            self.board.play.push(card);
            self.lines.push(line);
        }
        Ok(())
    }

    fn finish(self, line: usize) -> Result<LocatedBoard, FormatError> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let mut board = self.board;
        board.hands = complete_hands(self.deal.unwrap_or_default())
            .map_err(|why| FormatError::line(line, why))?;
        if let Some(dealer) = board.dealer {
            let contract = match auction_result(dealer, &board.auction) {
                None if self.claimed || !board.play.is_empty() => {
                    current_contract(dealer, &board.auction)
                }
                None => None,
                Some(AuctionResult::Contract(contract, declarer)) => Some((contract, declarer)),
                Some(AuctionResult::PassedOut) => {
                    board.passed_out = true;
                    None
                }
            };
            (board.contract, board.declarer) = contract.unzip();
        }
        Ok(LocatedBoard { board, line, lines: self.lines })
    }
}

/// The number at the end of `Board 7` or `o7`.
fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    text[text.len() - digits..].parse().ok()
}

fn vulnerability(text: &str) -> Result<Option<Vulnerability>, String> {
    Ok(Some(match text.to_ascii_lowercase().as_str() {
        "o" | "0" | "-" => Vulnerability::None,
        "n" => Vulnerability::NorthSouth,
        "e" => Vulnerability::EastWest,
        "b" => Vulnerability::Both,
        "" => return Ok(None),
        _ => {
            return Err(format!(
                "{} is not a vulnerability: expected o, n, e or b",
                excerpt(text.as_bytes())
            ));
        }
    }))
}
