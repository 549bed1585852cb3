//! Computes the results of tasks with a solver. The only file of this module that searches.

use sandboard_double_dummy::{DealError, SearchStopped, Solver, TraceError};
use sandboard_games::bridge::{Card, Compass, Par, Strain, Table, TrickTable, Vulnerability, par};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::task::{Contract, Deal, Position, SolveRequest, Task, TaskLabel};

/// The cards of a full hand.
const FULL_HAND: u32 = 13;

/// The result of a task. Values that were not requested are missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SolveResult {
    /// The `id` of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The name of the board in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The deal in PBN, for a board of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<String>,
    /// The tricks of each declarer in S, H, D, C and NT; null if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<ByDeclarer<[Option<u8>; 5]>>,
    /// The tricks of the leader's side after each opening lead, by declarer and strain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads: Option<ByDeclarer<OrderedMap<OrderedMap<u32>>>>,
    /// Par by vulnerability and dealer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub par: Option<OrderedMap<ByDeclarer<ParResult>>>,
    /// The remaining tricks that the side to move wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tricks: Option<u32>,
    /// The same after each legal card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<OrderedMap<u32>>,
    /// The trace of the cards played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// A map that keeps its order in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderedMap<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A map from some or all of the seats N, E, S, W.
pub type ByDeclarer<T> = OrderedMap<T>;

/// Par of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParResult {
    /// The score from the view of North-South.
    pub score: i32,
    /// The contracts with that score, such as `4Sx-NS-1`.
    pub contracts: Vec<String>,
}

/// The value of a deal or position through the cards played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The side that the tricks belong to: `NS` or `EW`, the declarer's side if there is one.
    pub side: &'static str,
    /// The tricks of that side with perfect play: before the first card and after each.
    pub tricks: Vec<u32>,
    pub cards: Vec<String>,
    /// The tricks that each card lost for its own side.
    pub losses: Vec<u32>,
}

/// Why a task has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolveError {
    /// The caller stopped it.
    Stopped,
    /// The task is invalid, with the reason.
    Invalid(String),
}

impl From<SearchStopped> for SolveError {
    fn from(_: SearchStopped) -> Self {
        Self::Stopped
    }
}

/// A solver with its request.
pub struct TaskSolver<'a> {
    /// The solver, which keeps its transposition table between deals.
    pub solver: &'a mut Solver,
    /// What to compute for every deal.
    pub request: &'a SolveRequest,
    /// Returns false to stop the search.
    pub should_continue: &'a dyn Fn() -> bool,
}

impl TaskSolver<'_> {
    /// Solves a task.
    pub fn solve(&mut self, named: &TaskLabel, task: &Task) -> Result<SolveResult, SolveError> {
        let TaskLabel { id, board, deal } = named.clone();
        let answer = SolveResult { id, board, deal, ..SolveResult::default() };
        match task {
            Task::Deal(deal) => self.deal(deal, answer),
            Task::Position(position) => self.position(position, answer),
        }
    }

    fn deal(&mut self, deal: &Deal, answer: SolveResult) -> Result<SolveResult, SolveError> {
        let uneven = deal.hands.iter().any(|hand| hand.len() != FULL_HAND);
        if self.request.par && uneven {
            return Err(SolveError::Invalid(format!(
                "par requires {FULL_HAND} cards in each hand"
            )));
        }
        let table = self.table(deal)?;
        let values = self.request.values;
        let row = |declarer: Compass| {
            Strain::ALL
                .map(|strain| values.has(declarer, strain).then(|| table.get(declarer, strain)))
        };
        let requested = Compass::ALL.into_iter().filter(|declarer| values.has_declarer(*declarer));
        let rows = requested.map(|declarer| (declarer.letter().to_string(), row(declarer)));
        Ok(SolveResult {
            table: Some(OrderedMap(rows.collect())),
            leads: if self.request.cards { Some(self.leads(deal)?) } else { None },
            par: self.request.par.then(|| par_of(&table)),
            trace: self.trace_of(deal)?,
            ..answer
        })
    }

    /// The requested values; the others stay 0.
    fn table(&mut self, deal: &Deal) -> Result<TrickTable, SolveError> {
        let values = self.request.values;
        let wanted = |declarer, strain| values.has(declarer, strain);
        self.solver.values(deal.hands, wanted, self.should_continue).map_err(|error| match error {
            DealError::Stopped => SolveError::Stopped,
            other => SolveError::Invalid(other.to_string()),
        })
    }

    /// The tricks after each opening lead: against the contract that was played, or else for every
    /// requested value.
    fn leads(
        &mut self,
        deal: &Deal,
    ) -> Result<ByDeclarer<OrderedMap<OrderedMap<u32>>>, SolveError> {
        let mut leads = Vec::new();
        for declarer in Compass::ALL {
            let mut of = Vec::new();
            for strain in Strain::ALL {
                let requested = match deal.played {
                    Some(contract) => contract == Contract { declarer, strain },
                    None => self.request.values.has(declarer, strain),
                };
                if requested {
                    let scores =
                        self.solver.scores(&at(deal, declarer, strain)?, self.should_continue)?;
                    of.push((strain.text().to_owned(), listed(&scores)));
                }
            }
            if !of.is_empty() {
                leads.push((declarer.letter().to_string(), OrderedMap(of)));
            }
        }
        Ok(OrderedMap(leads))
    }

    fn trace_of(&mut self, deal: &Deal) -> Result<Option<Trace>, SolveError> {
        let Some(contract) = deal.played.filter(|_| self.request.trace) else { return Ok(None) };
        let table = at(deal, contract.declarer, contract.strain)?;
        self.trace(table, &deal.play, contract.declarer.side()).map(Some)
    }

    fn position(
        &mut self,
        position: &Position,
        answer: SolveResult,
    ) -> Result<SolveResult, SolveError> {
        let mut table = position.table;
        let trace = match self.request.trace {
            true => Some(self.trace(table, &position.moves, table.to_move().side())?),
            false => None,
        };
        play(&mut table, &position.moves)?;
        if table.tricks_left() == 0 {
            return Err(SolveError::Invalid("no tricks are left".to_owned()));
        }
        let scores = self.solver.scores(&table, self.should_continue)?;
        let tricks = scores.iter().map(|(_, tricks)| *tricks).max();
        Ok(SolveResult { tricks, scores: Some(listed(&scores)), trace, ..answer })
    }

    fn trace(&mut self, table: Table, cards: &[Card], side: usize) -> Result<Trace, SolveError> {
        let left = table.tricks_left();
        let mut movers = Vec::with_capacity(cards.len());
        let mut after = table;
        for card in cards {
            movers.push(after.to_move());
            play(&mut after, &[*card]).map_err(|_| at_card(movers.len(), *card, &after))?;
        }
        let of_ns =
            self.solver.trace(&table, cards, self.should_continue).map_err(
                |error| match error {
                    TraceError::Stopped => SolveError::Stopped,
                    other => SolveError::Invalid(other.to_string()),
                },
            )?;
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
fn at(deal: &Deal, declarer: Compass, strain: Strain) -> Result<Table, SolveError> {
    let uneven =
        || SolveError::Invalid("the hands of the deal have different numbers of cards".to_owned());
    deal.table(declarer, strain).ok_or_else(uneven)
}

/// Plays cards. Err: a card is illegal.
fn play(table: &mut Table, cards: &[Card]) -> Result<(), SolveError> {
    for (index, card) in cards.iter().enumerate() {
        if !table.legal().contains(*card) {
            return Err(at_card(index + 1, *card, table));
        }
        table.play(*card);
    }
    Ok(())
}

fn at_card(number: usize, card: Card, table: &Table) -> SolveError {
    let mover = table.to_move();
    let reason = match table.suit_led().filter(|_| table.hand(mover).contains(card)) {
        Some(suit) => format!("{} has {} and must follow suit", mover.name(), suit.name()),
        None => format!("{} is to play and does not have {card}", mover.name()),
    };
    SolveError::Invalid(format!("card {number}, {card}, cannot be played: {reason}"))
}

/// Cards with their tricks, the best first.
fn listed(scores: &[(Card, u32)]) -> OrderedMap<u32> {
    let mut sorted = scores.to_vec();
    sorted.sort_by_key(|(_, tricks)| std::cmp::Reverse(*tricks));
    OrderedMap(sorted.into_iter().map(|(card, tricks)| (card.to_string(), tricks)).collect())
}

/// Par for each vulnerability and dealer.
fn par_of(table: &TrickTable) -> OrderedMap<ByDeclarer<ParResult>> {
    let of = |vulnerable: Vulnerability| {
        let by_dealer = Compass::ALL.map(|dealer| {
            let Par { score_ns, contracts } = par(table, vulnerable, dealer);
            let contracts = contracts.iter().map(ToString::to_string).collect();
            (dealer.letter().to_string(), ParResult { score: score_ns, contracts })
        });
        (vulnerability(vulnerable).to_owned(), OrderedMap(by_dealer.to_vec()))
    };
    OrderedMap(Vulnerability::ALL.map(of).to_vec())
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
