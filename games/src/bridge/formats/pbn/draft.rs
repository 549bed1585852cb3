//! A game of a PBN file while it is read: collects its tags and the words of its sections.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::board::{Board, LocatedBoard, complete_hands};
use super::sections;
use crate::bridge::notation::{Hands, MAX_CARDS, parse_seat, read_deal};
use crate::bridge::{
    AuctionResult, Compass, Contract, Strain, TrickTable, Vulnerability, auction_result,
};
use crate::formats::{FormatError, excerpt};

/// Maximum number of words of a section.
const MAX_SECTION_WORDS: usize = 1024;

/// Length limit of a value, in bytes, because games may inherit values.
const MAX_VALUE_BYTES: usize = 1024;

/// The supported tags.
const KNOWN: [&str; 17] = [
    "Event",
    "Board",
    "West",
    "North",
    "East",
    "South",
    "Dealer",
    "Vulnerable",
    "Deal",
    "Declarer",
    "Contract",
    "Denomination",
    "Result",
    "Auction",
    "Play",
    "OptimumResultTable",
    "DoubleDummyTricks",
];

/// Values of the previous game, for tags with the value `#`.
pub(super) type Inherited<'a> = BTreeMap<&'static str, Cow<'a, str>>;

/// A word of a section, with its line.
pub(super) type Word<'a> = (usize, &'a str);

/// A supported section.
#[derive(Clone, Copy)]
enum Section {
    Auction,
    Play,
    Table,
}

pub(super) struct BoardDraft<'a> {
    line: usize,
    board: Board,
    values: Inherited<'a>,
    hands: Option<Hands>,
    deal_line: usize,
    section: Option<Section>,
    /// The first seat of the auction, and of the columns of the play.
    firsts: [Option<Compass>; 2],
    words: [Vec<Word<'a>>; 3],
    digits: Option<TrickTable>,
    columns: Option<(usize, String)>,
    wrong: Option<FormatError>,
}

/// Whether a value stands for an unknown one.
pub(super) fn is_unknown(value: &str) -> bool {
    matches!(value, "" | "?" | "-")
}

/// Whether a value stands for that of the previous game.
pub(super) fn is_inherited(value: &str) -> bool {
    matches!(value, "#" | "##")
}

impl<'a> BoardDraft<'a> {
    pub(crate) fn new(line: usize) -> Self {
        Self {
            line,
            board: Board::default(),
            values: Inherited::new(),
            hands: None,
            deal_line: line,
            section: None,
            firsts: [None; 2],
            words: Default::default(),
            digits: None,
            columns: None,
            wrong: None,
        }
    }

    /// Records an error, unless there is already one.
    pub(crate) fn wrong(&mut self, line: usize, reason: impl Into<String>) {
        self.wrong.get_or_insert_with(|| FormatError::line(line, reason));
    }

    pub(crate) fn tag(
        &mut self,
        name: &str,
        value: Cow<'a, str>,
        line: usize,
        before: &Inherited<'a>,
    ) {
        self.section = None;
        let Some(name) = KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(name)) else {
            return;
        };
        let value = match &*value {
            value if is_inherited(value) => before.get(name).cloned().unwrap_or_default(),
            _ => value,
        };
        if value.len() > MAX_VALUE_BYTES {
            let reason = format!("{name}: a value of more than {MAX_VALUE_BYTES} bytes");
            return self.wrong(line, reason);
        }
        if self.values.insert(name, value.clone()).is_some() {
            return self
                .wrong(line, format!("{name} occurs twice; separate games by an empty line"));
        }
        if let Err(reason) = self.read(name, value.trim(), line) {
            self.wrong(line, format!("{name}: {reason}"));
        }
    }

    fn read(&mut self, name: &'static str, value: &str, line: usize) -> Result<(), String> {
        let wrong = |what: &str| format!("{} is not {what}", excerpt(value.as_bytes()));
        let seat = || match is_unknown(value) {
            true => Ok(None),
            false => parse_seat(value.trim_start_matches('^'))
                .map(Some)
                .ok_or_else(|| wrong("one of N, E, S and W")),
        };
        let text = || if is_unknown(value) { None } else { super::super::name(value) };
        let board = &mut self.board;
        match name {
            "Event" => board.event = text(),
            "North" => board.names[0] = text(),
            "East" => board.names[1] = text(),
            "South" => board.names[2] = text(),
            "West" => board.names[3] = text(),
            // Board values that are not numbers are ignored.
            "Board" => board.number = value.parse().ok(),
            "Dealer" => board.dealer = seat()?,
            "Vulnerable" => {
                board.vulnerability = Vulnerability::from_text(value);
                if board.vulnerability.is_none() && !is_unknown(value) {
                    return Err(wrong("one of None, NS, EW and All"));
                }
            }
            "Deal" if is_unknown(value) => (),
            "Deal" => {
                self.deal_line = line;
                self.hands = Some(read_deal(value).map_err(|error| error.to_string())?);
            }
            "Declarer" => board.declarer = seat()?,
            "Contract" if value.eq_ignore_ascii_case("pass") => board.passed_out = true,
            "Contract" => {
                board.contract = Contract::from_text(value);
                if board.contract.is_none() && !is_unknown(value) {
                    return Err(wrong("a contract such as 4S, 3NTX or Pass"));
                }
            }
            "Denomination" => {
                board.denomination = Strain::from_text(value);
                if board.denomination.is_none() && !is_unknown(value) {
                    return Err(wrong("one of S, H, D, C and NT"));
                }
            }
            "Result" => board.result = result(value)?,
            "Auction" => {
                self.firsts[0] = seat()?;
                self.section = Some(Section::Auction);
            }
            "Play" => {
                self.firsts[1] = seat()?;
                self.section = Some(Section::Play);
            }
            "OptimumResultTable" => {
                self.columns = Some((line, value.to_owned()));
                self.section = Some(Section::Table);
            }
            "DoubleDummyTricks" if is_unknown(value) => (),
            "DoubleDummyTricks" => self.digits = Some(sections::digits(value)?),
            _ => (),
        }
        Ok(())
    }

    /// Adds a word to the section of the last tag.
    pub(crate) fn word(&mut self, word: &'a str, line: usize) {
        let Some(section) = self.section else { return };
        let words = &mut self.words[section as usize];
        if words.len() == MAX_SECTION_WORDS {
            return self.wrong(line, format!("a section of more than {MAX_SECTION_WORDS} words"));
        }
        words.push((line, word));
    }

    /// The board of a finished game. The next game can inherit its values.
    pub(crate) fn finish(
        mut self,
        inherited: &mut Inherited<'a>,
    ) -> Result<LocatedBoard, FormatError> {
        let lines = self.complete();
        inherited.extend(self.values);
        match self.wrong {
            Some(wrong) => Err(wrong),
            None => Ok(LocatedBoard { board: self.board, line: self.line, lines }),
        }
    }

    /// Combines the values of the tags. Returns the lines of the cards played.
    fn complete(&mut self) -> Vec<usize> {
        if self.wrong.is_some() {
            return Vec::new();
        }
        match self.hands.map(complete_hands) {
            None => self.wrong(self.line, "the game has no Deal"),
            Some(Err(reason)) => self.wrong(self.deal_line, format!("Deal: {reason}")),
            Some(Ok(hands)) => self.board.hands = hands,
        }
        let lines = self.auction().and_then(|()| self.table()).and_then(|()| self.play());
        lines.unwrap_or_else(|wrong| {
            self.wrong.get_or_insert(wrong);
            Vec::new()
        })
    }

    /// Reads the calls. Contract and declarer follow from them unless tags name them.
    fn auction(&mut self) -> Result<(), FormatError> {
        let board = &mut self.board;
        board.auction = sections::calls(&self.words[Section::Auction as usize])?;
        board.dealer = board.dealer.or(self.firsts[0]);
        let Some(dealer) = self.firsts[0].or(board.dealer) else { return Ok(()) };
        match auction_result(dealer, &board.auction) {
            Some(AuctionResult::Contract(contract, declarer)) if !board.passed_out => {
                board.contract = board.contract.or(Some(contract));
                board.declarer = board.declarer.or(Some(declarer));
            }
            Some(AuctionResult::PassedOut) if board.contract.is_none() => board.passed_out = true,
            _ => (),
        }
        Ok(())
    }

    fn table(&mut self) -> Result<(), FormatError> {
        let words = &self.words[Section::Table as usize];
        let stored = match &self.columns {
            Some((_, columns)) if is_unknown(columns) && words.is_empty() => None,
            Some((line, columns)) => Some((*line, sections::table(columns, *line, words)?)),
            None => None,
        };
        self.board.table = match (stored, self.digits) {
            (Some((line, table)), Some(digits)) if table != digits => {
                let reason = "OptimumResultTable and DoubleDummyTricks contradict each other";
                return Err(FormatError::line(line, reason));
            }
            (stored, digits) => stored.map(|(_, table)| table).or(digits),
        };
        Ok(())
    }

    fn play(&mut self) -> Result<Vec<usize>, FormatError> {
        let board = &mut self.board;
        let words = &self.words[Section::Play as usize];
        let Some((line, _)) = words.first() else { return Ok(Vec::new()) };
        // The opening leader is normally in the first column.
        let leader = board.declarer.map(|declarer| declarer.after(1)).or(self.firsts[1]);
        let rows = sections::rows(words)?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let Some((strain, leader)) = board.strain().zip(leader) else {
            let reason = "Play: tricks cannot be followed without Contract and Declarer";
            return Err(FormatError::line(*line, reason));
        };
        let first = self.firsts[1].unwrap_or(leader);
        let (lines, cards) = sections::play(&rows, strain, leader, first)?.into_iter().unzip();
        board.play = cards;
        Ok(lines)
    }
}

/// Reads `10`, `NS 10`, `^10`: the declarer's tricks.
fn result(value: &str) -> Result<Option<u8>, String> {
    if is_unknown(value) {
        return Ok(None);
    }
    let last = value.split_ascii_whitespace().last().unwrap_or_default();
    let tricks = last.trim_start_matches('^').parse().ok().filter(|tricks| *tricks <= MAX_CARDS);
    let wrong = || format!("{} is not a number of tricks", excerpt(value.as_bytes()));
    tricks.map(Some).ok_or_else(wrong)
}
