//! A game of a PBN file that is being read: tag by tag, and word by word in its sections.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::board::{Board, Placed, whole};
use super::sections;
use crate::bridge::notation::{Hands, MOST_CARDS, read_deal, seat};
use crate::bridge::{Compass, Contract, Ending, Strain, TrickTable, Vulnerability, ending};
use crate::formats::{FormatError, shown};

/// No section that is read has more words.
const MOST_WORDS: usize = 1024;

/// No value that is read has more bytes: games may take it over from one another.
const LONGEST_VALUE: usize = 1024;

/// The tags that are read.
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

/// The values of the game before, for those that are `#`.
pub(super) type Inherited<'a> = BTreeMap<&'static str, Cow<'a, str>>;

/// A word of a section and its line.
pub(super) type Word<'a> = (usize, &'a str);

/// A section that is read.
#[derive(Clone, Copy)]
enum Section {
    Auction,
    Play,
    Table,
}

pub(super) struct Draft<'a> {
    line: usize,
    board: Board,
    values: Inherited<'a>,
    hands: Option<Hands>,
    deal_line: usize,
    section: Option<Section>,
    /// Who begins the auction, and whose cards stand first in the play.
    firsts: [Option<Compass>; 2],
    words: [Vec<Word<'a>>; 3],
    digits: Option<TrickTable>,
    columns: Option<(usize, String)>,
    wrong: Option<FormatError>,
}

/// Whether a value says that nothing is known.
pub(super) fn is_unknown(value: &str) -> bool {
    matches!(value, "" | "?" | "-")
}

/// Whether a value stands for that of the game before.
pub(super) fn is_inherited(value: &str) -> bool {
    matches!(value, "#" | "##")
}

impl<'a> Draft<'a> {
    pub fn new(line: usize) -> Self {
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

    /// Something is wrong; the first thing is told.
    pub fn wrong(&mut self, line: usize, reason: impl Into<String>) {
        self.wrong.get_or_insert_with(|| FormatError::line(line, reason));
    }

    pub fn tag(&mut self, name: &str, value: Cow<'a, str>, line: usize, before: &Inherited<'a>) {
        self.section = None;
        let Some(name) = KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(name)) else {
            return;
        };
        let value = match &*value {
            value if is_inherited(value) => before.get(name).cloned().unwrap_or_default(),
            _ => value,
        };
        if value.len() > LONGEST_VALUE {
            let reason = format!("{name}: a value of more than {LONGEST_VALUE} bytes");
            return self.wrong(line, reason);
        }
        if self.values.insert(name, value.clone()).is_some() {
            return self.wrong(line, format!("{name} is there twice; an empty line parts games"));
        }
        if let Err(reason) = self.read(name, value.trim(), line) {
            self.wrong(line, format!("{name}: {reason}"));
        }
    }

    fn read(&mut self, name: &'static str, value: &str, line: usize) -> Result<(), String> {
        let none_of = |what: &str| format!("{} is none of {what}", shown(value.as_bytes()));
        let seat = || match is_unknown(value) {
            true => Ok(None),
            false => seat(value.trim_start_matches('^'))
                .map(Some)
                .ok_or_else(|| none_of("N, E, S and W")),
        };
        let text = || if is_unknown(value) { None } else { super::super::name(value) };
        let board = &mut self.board;
        match name {
            "Event" => board.event = text(),
            "North" => board.names[0] = text(),
            "East" => board.names[1] = text(),
            "South" => board.names[2] = text(),
            "West" => board.names[3] = text(),
            // A number is told as such; what else stands there is no number of ours.
            "Board" => board.number = value.parse().ok(),
            "Dealer" => board.dealer = seat()?,
            "Vulnerable" => {
                board.vulnerability = Vulnerability::of_text(value);
                if board.vulnerability.is_none() && !is_unknown(value) {
                    return Err(none_of("None, NS, EW and All"));
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
                board.contract = Contract::of_text(value);
                if board.contract.is_none() && !is_unknown(value) {
                    return Err(none_of("contracts like 4S, 3NTX or Pass"));
                }
            }
            "Denomination" => {
                board.denomination = Strain::of_text(value);
                if board.denomination.is_none() && !is_unknown(value) {
                    return Err(none_of("S, H, D, C and NT"));
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

    /// A word of the section of the tag that came last.
    pub fn word(&mut self, word: &'a str, line: usize) {
        let Some(section) = self.section else { return };
        let words = &mut self.words[section as usize];
        if words.len() == MOST_WORDS {
            return self.wrong(line, format!("a section of more than {MOST_WORDS} words"));
        }
        words.push((line, word));
    }

    /// The board, once the game has ended; its values go over to the next one.
    pub fn finish(mut self, inherited: &mut Inherited<'a>) -> Result<Placed, FormatError> {
        let lines = self.complete();
        inherited.extend(self.values);
        match self.wrong {
            Some(wrong) => Err(wrong),
            None => Ok(Placed { board: self.board, line: self.line, lines }),
        }
    }

    /// Puts together what the tags said; the lines of the cards that were played.
    fn complete(&mut self) -> Vec<usize> {
        if self.wrong.is_some() {
            return Vec::new();
        }
        match self.hands.map(whole) {
            None => self.wrong(self.line, "the game has no Deal"),
            Some(Err(reason)) => self.wrong(self.deal_line, format!("Deal: {reason}")),
            Some(Ok(hands)) => self.board.hands = hands,
        }
        let told = self.auction().and_then(|()| self.table()).and_then(|()| self.play());
        told.unwrap_or_else(|wrong| {
            self.wrong.get_or_insert(wrong);
            Vec::new()
        })
    }

    /// The calls; contract and declarer follow from them where no tag names them.
    fn auction(&mut self) -> Result<(), FormatError> {
        let board = &mut self.board;
        board.auction = sections::calls(&self.words[Section::Auction as usize])?;
        board.dealer = board.dealer.or(self.firsts[0]);
        let Some(dealer) = self.firsts[0].or(board.dealer) else { return Ok(()) };
        match ending(dealer, &board.auction) {
            Some(Ending::Contract(contract, declarer)) if !board.passed_out => {
                board.contract = board.contract.or(Some(contract));
                board.declarer = board.declarer.or(Some(declarer));
            }
            Some(Ending::PassedOut) if board.contract.is_none() => board.passed_out = true,
            _ => (),
        }
        Ok(())
    }

    fn table(&mut self) -> Result<(), FormatError> {
        let words = &self.words[Section::Table as usize];
        let told = match &self.columns {
            Some((_, columns)) if is_unknown(columns) && words.is_empty() => None,
            Some((line, columns)) => Some((*line, sections::table(columns, *line, words)?)),
            None => None,
        };
        self.board.table = match (told, self.digits) {
            (Some((line, table)), Some(digits)) if table != digits => {
                let reason = "OptimumResultTable and DoubleDummyTricks say different tricks";
                return Err(FormatError::line(line, reason));
            }
            (told, digits) => told.map(|(_, table)| table).or(digits),
        };
        Ok(())
    }

    fn play(&mut self) -> Result<Vec<usize>, FormatError> {
        let board = &mut self.board;
        let words = &self.words[Section::Play as usize];
        let Some((line, _)) = words.first() else { return Ok(Vec::new()) };
        // The one who leads stands first, as a rule.
        let leader = board.declarer.map(|declarer| declarer.after(1)).or(self.firsts[1]);
        let rows = sections::rows(words)?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let Some((strain, leader)) = board.strain().zip(leader) else {
            let reason = "Play: who wins a trick is not known without Contract and Declarer";
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
    let tricks = last.trim_start_matches('^').parse().ok().filter(|tricks| *tricks <= MOST_CARDS);
    let wrong = || format!("{} is no number of tricks", shown(value.as_bytes()));
    tricks.map(Some).ok_or_else(wrong)
}
