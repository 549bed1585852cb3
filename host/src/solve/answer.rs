//! From what is asked to what is answered, with one solver. The only file here that searches.

use sandboard_double_dummy::{DealError, Solver, Stopped, TraceError};
use sandboard_games::bridge::{Card, Compass, Par, Strain, Table, TrickTable, Vulnerability, par};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::task::{Deal, Named, Played, Position, Task, Wish};

/// Cards in a hand that bids are made with.
const FULL: u32 = 13;

/// What is answered; what was not asked for is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// As the line had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The name of the board in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The deal of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<String>,
    /// Tricks of each declarer in S, H, D, C and NT; null where they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<ByDeclarer<[Option<u8>; 5]>>,
    /// What each opening lead comes to, for the leader's side: by declarer and strain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads: Option<ByDeclarer<Listed<Listed<u32>>>>,
    /// By vulnerability and dealer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub par: Option<Listed<ByDeclarer<ParAnswer>>>,
    /// What the side to move wins of what is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tricks: Option<u32>,
    /// The same after each card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Listed<u32>>,
    /// The hand as it was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// Something by name, in its own order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Listed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Something for each seat, N, E, S, W; for some of them, perhaps.
pub type ByDeclarer<T> = Listed<T>;

/// Par of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParAnswer {
    /// From North-South's view.
    pub score: i32,
    /// The contracts that it is the score of: `4Sx-NS-1`.
    pub contracts: Vec<String>,
}

/// A hand as it was played, card by card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Whose tricks are told: `NS` or `EW`, the declarer's side where there is one.
    pub side: &'static str,
    /// What it has in the end with perfect play, before the first card and after each.
    pub tricks: Vec<u32>,
    /// The cards.
    pub cards: Vec<String>,
    /// What each card gave away of its own side's tricks.
    pub losses: Vec<u32>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// Somebody had enough of it.
    Stopped,
    /// It cannot be: why.
    Wrong(String),
}

impl From<Stopped> for Unsolved {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// A solver with what is asked of it.
pub struct Solving<'a> {
    /// Keeps from one deal to the next what is of use.
    pub solver: &'a mut Solver,
    /// What is asked of every deal.
    pub wish: &'a Wish,
    /// Whether to go on.
    pub go_on: &'a dyn Fn() -> bool,
}

impl Solving<'_> {
    /// The answer to a task.
    pub fn answer(&mut self, named: &Named, task: &Task) -> Result<Answer, Unsolved> {
        let Named { id, board, deal } = named.clone();
        let answer = Answer { id, board, deal, ..Answer::default() };
        match task {
            Task::Deal(deal) => self.deal(deal, answer),
            Task::Position(position) => self.position(position, answer),
        }
    }

    fn deal(&mut self, deal: &Deal, answer: Answer) -> Result<Answer, Unsolved> {
        let uneven = deal.hands.iter().any(|hand| hand.len() != FULL);
        if self.wish.par && uneven {
            return Err(Unsolved::Wrong(format!("par is of deals with {FULL} cards in each hand")));
        }
        let table = self.table(deal)?;
        let values = self.wish.values;
        let row = |declarer: Compass| {
            Strain::ALL
                .map(|strain| values.has(declarer, strain).then(|| table.get(declarer, strain)))
        };
        let asked = Compass::ALL.into_iter().filter(|declarer| values.has_declarer(*declarer));
        let rows = asked.map(|declarer| (declarer.letter().to_string(), row(declarer)));
        Ok(Answer {
            table: Some(Listed(rows.collect())),
            leads: if self.wish.cards { Some(self.leads(deal)?) } else { None },
            par: self.wish.par.then(|| par_of(&table)),
            trace: self.trace_of(deal)?,
            ..answer
        })
    }

    /// The values that are asked for; the others stay 0.
    fn table(&mut self, deal: &Deal) -> Result<TrickTable, Unsolved> {
        let values = self.wish.values;
        let wanted = |declarer, strain| values.has(declarer, strain);
        self.solver.values(deal.hands, wanted, self.go_on).map_err(|error| match error {
            DealError::Stopped => Unsolved::Stopped,
            other => Unsolved::Wrong(other.to_string()),
        })
    }

    /// What each opening lead comes to: against the contract that was played, else for every
    /// value that is asked for.
    fn leads(&mut self, deal: &Deal) -> Result<ByDeclarer<Listed<Listed<u32>>>, Unsolved> {
        let mut leads = Vec::new();
        for declarer in Compass::ALL {
            let mut of = Vec::new();
            for strain in Strain::ALL {
                let asked = match deal.played {
                    Some(contract) => contract == Played { declarer, strain },
                    None => self.wish.values.has(declarer, strain),
                };
                if asked {
                    let scores = self.solver.scores(&at(deal, declarer, strain)?, self.go_on)?;
                    of.push((strain.text().to_owned(), listed(&scores)));
                }
            }
            if !of.is_empty() {
                leads.push((declarer.letter().to_string(), Listed(of)));
            }
        }
        Ok(Listed(leads))
    }

    fn trace_of(&mut self, deal: &Deal) -> Result<Option<Trace>, Unsolved> {
        let Some(contract) = deal.played.filter(|_| self.wish.trace) else { return Ok(None) };
        let table = at(deal, contract.declarer, contract.strain)?;
        self.trace(table, &deal.play, contract.declarer.side()).map(Some)
    }

    fn position(&mut self, position: &Position, answer: Answer) -> Result<Answer, Unsolved> {
        let mut table = position.table;
        let trace = match self.wish.trace {
            true => Some(self.trace(table, &position.moves, table.to_move().side())?),
            false => None,
        };
        play(&mut table, &position.moves)?;
        if table.tricks_left() == 0 {
            return Err(Unsolved::Wrong("no trick is left to be solved".to_owned()));
        }
        let scores = self.solver.scores(&table, self.go_on)?;
        let tricks = scores.iter().map(|(_, tricks)| *tricks).max();
        Ok(Answer { tricks, scores: Some(listed(&scores)), trace, ..answer })
    }

    fn trace(&mut self, table: Table, cards: &[Card], side: usize) -> Result<Trace, Unsolved> {
        let left = table.tricks_left();
        let mut movers = Vec::with_capacity(cards.len());
        let mut after = table;
        for card in cards {
            movers.push(after.to_move());
            play(&mut after, &[*card]).map_err(|_| at_card(movers.len(), *card, &after))?;
        }
        let of_ns = self.solver.trace(&table, cards, self.go_on).map_err(|error| match error {
            TraceError::Stopped => Unsolved::Stopped,
            other => Unsolved::Wrong(other.to_string()),
        })?;
        let losses = movers.iter().zip(of_ns.windows(2)).map(|(mover, pair)| {
            let (before, after) =
                if mover.side() == 0 { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
            before.saturating_sub(after)
        });
        Ok(Trace {
            losses: losses.collect(),
            side: ["NS", "EW"][side & 1],
            tricks: of_ns.into_iter().map(|ns| if side == 0 { ns } else { left - ns }).collect(),
            cards: cards.iter().map(Card::to_string).collect(),
        })
    }
}

/// The table before the opening lead.
fn at(deal: &Deal, declarer: Compass, strain: Strain) -> Result<Table, Unsolved> {
    let uneven =
        || Unsolved::Wrong("the hands of the deal are not of as many cards each".to_owned());
    deal.table(declarer, strain).ok_or_else(uneven)
}

/// Plays cards if they can be.
fn play(table: &mut Table, cards: &[Card]) -> Result<(), Unsolved> {
    for (index, card) in cards.iter().enumerate() {
        if !table.legal().contains(*card) {
            return Err(at_card(index + 1, *card, table));
        }
        table.play(*card);
    }
    Ok(())
}

fn at_card(number: usize, card: Card, table: &Table) -> Unsolved {
    let mover = table.to_move();
    let reason = match table.suit_led().filter(|_| table.hand(mover).contains(card)) {
        Some(suit) => format!("{} has {} and must follow suit", mover.name(), suit.name()),
        None => format!("{} is to play and has no {card}", mover.name()),
    };
    Unsolved::Wrong(format!("card {number}, {card}, cannot be played: {reason}"))
}

/// Cards by what they come to, the best first.
fn listed(scores: &[(Card, u32)]) -> Listed<u32> {
    let mut sorted = scores.to_vec();
    sorted.sort_by_key(|(_, tricks)| std::cmp::Reverse(*tricks));
    Listed(sorted.into_iter().map(|(card, tricks)| (card.to_string(), tricks)).collect())
}

/// Par for each vulnerability and dealer.
fn par_of(table: &TrickTable) -> Listed<ByDeclarer<ParAnswer>> {
    let of = |vulnerable: Vulnerability| {
        let by_dealer = Compass::ALL.map(|dealer| {
            let Par { score_ns, contracts } = par(table, vulnerable, dealer);
            let contracts = contracts.iter().map(ToString::to_string).collect();
            (dealer.letter().to_string(), ParAnswer { score: score_ns, contracts })
        });
        (vulnerability(vulnerable).to_owned(), Listed(by_dealer.to_vec()))
    };
    Listed(Vulnerability::ALL.map(of).to_vec())
}

/// The name of a vulnerability in answers.
pub(super) fn vulnerability(of: Vulnerability) -> &'static str {
    match of {
        Vulnerability::None => "none",
        Vulnerability::Both => "both",
        Vulnerability::NorthSouth => "ns",
        Vulnerability::EastWest => "ew",
    }
}
