//! What the observers of a game know, for tests that nothing hidden leaks.

use std::collections::BTreeMap;

use super::{Actor, GeneralRules, Next, Observer};
use crate::rules::Seat;

/// What each observer of a game knows: how moves looked, and the views between them. Two games that
/// differ only in what an observer may not know have the same transcript for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcripts {
    /// By observer: each seat in order, and last a spectator.
    texts: Vec<(Observer, String)>,
}

/// The moves of an actor with their weights; those of a seat have the weight 1.
pub type Choices<M> = (Actor, Vec<(M, u32)>);

/// The actors of the next step, each with its moves; none after the end.
pub fn step<G: GeneralRules>(position: &G) -> Vec<Choices<G::Move>> {
    match position.next() {
        Next::Over => Vec::new(),
        Next::Chance => {
            let mut outcomes = Vec::new();
            position.chance(&mut outcomes);
            vec![(Actor::Chance, outcomes)]
        }
        Next::Seats(seats) => {
            let of = |seat| {
                let mut moves = Vec::new();
                position.generate(seat, &mut moves);
                (Actor::Seat(seat), moves.into_iter().map(|mv| (mv, 1)).collect())
            };
            seats.iter().map(of).collect()
        }
    }
}

impl Transcripts {
    /// The transcripts of a game that begins in this position: one view.
    pub fn new<G: GeneralRules>(position: &G) -> Self {
        let seats = (0..position.seats()).map(|seat| Observer::Seat(Seat(seat)));
        let texts = seats.chain([Observer::Spectator]).map(|it| (it, String::new())).collect();
        let mut transcripts = Self { texts };
        transcripts.add_views(position);
        transcripts
    }

    fn add_views<G: GeneralRules>(&mut self, position: &G) {
        for (observer, text) in &mut self.texts {
            text.push_str(" [");
            position.write_view(*observer, text);
            text.push(']');
        }
    }

    /// What an observer knows: moves, and views in brackets. Empty for [`Observer::Everything`].
    pub fn of(&self, observer: Observer) -> &str {
        let found = self.texts.iter().find(|(other, _)| *other == observer);
        found.map_or("", |(_, text)| text)
    }

    /// All observers with what they know.
    pub fn iter(&self) -> impl Iterator<Item = (Observer, &str)> {
        self.texts.iter().map(|(observer, text)| (*observer, text.as_str()))
    }

    /// Plays the moves of one step, in the order of the seats.
    pub fn play<G: GeneralRules>(&mut self, position: &mut G, moves: &[(Actor, G::Move)]) {
        for (observer, text) in &mut self.texts {
            for (actor, mv) in moves {
                let before = text.len();
                text.push(' ');
                position.write_seen(*observer, *actor, mv, text);
                if text.len() == before + 1 {
                    text.pop();
                }
            }
        }
        moves.iter().for_each(|(actor, mv)| position.play(*actor, mv));
        self.add_views(position);
    }
}

/// Legal moves of seats by what the seats knew, to find a game that leaks through them: a seat that
/// knows the same must have the same legal moves.
#[derive(Clone, Debug, Default)]
pub struct LegalMoves {
    /// The moves by seat and transcript.
    known: BTreeMap<(u8, String), String>,
}

impl LegalMoves {
    /// Adds the legal moves of the seats to move. Err: a seat has other moves than in an earlier
    /// position in which it knew the same; the message says which.
    pub fn add<G: GeneralRules>(
        &mut self,
        position: &G,
        known: &Transcripts,
    ) -> Result<(), String> {
        for seat in position.next().seats().iter() {
            let mut moves = Vec::new();
            position.generate(seat, &mut moves);
            let mut line = String::new();
            for mv in &moves {
                line.push(' ');
                position.write_move(Actor::Seat(seat), mv, &mut line);
            }
            let transcript = known.of(Observer::Seat(seat));
            let before = self.known.entry((seat.0, transcript.to_owned()));
            let before = before.or_insert_with(|| line.clone());
            if *before != line {
                return Err(format!(
                    "seat {} knows{transcript}, and has the legal moves{before}, or{line}",
                    seat.0
                ));
            }
        }
        Ok(())
    }
}
