//! Position texts, with all that is hidden or as an observer sees them.

use sandboard_game_sdk::games::bridge::{Card, Cards, Suit, rank_from_letter};
use sandboard_game_sdk::games::general::Observer;
use sandboard_game_sdk::games::{PositionError, PositionFault};

use super::table::SEATS;
use super::{Direction, Hearts, PACK};

/// Appends a position as an observer sees it.
pub(crate) fn write(game: &Hearts, observer: Observer, out: &mut String) {
    for (seat, hand) in game.dealt.iter().enumerate() {
        match Hearts::sees_hand(observer, seat) {
            true => out.push_str(&hand.to_string()),
            false => out.push_str(&format!("?{}", hand.len())),
        }
        out.push(':');
    }
    // A reader of everything sees the choices of a step that is not complete.
    let rounds = match observer {
        Observer::Everything => usize::MAX,
        Observer::Seat(_) | Observer::Spectator => game.rounds(),
    };
    for (seat, passed) in game.passed.iter().enumerate() {
        out.extend((seat > 0).then_some(','));
        for card in passed.iter().take(rounds) {
            match game.sees_passed(observer, seat) {
                true => out.push_str(&card.to_string()),
                false => out.push('?'),
            }
        }
    }
    out.push(':');
    out.extend(game.first_leader().map(initial));
    out.extend(game.played.iter().map(Card::to_string));
}

/// The letter of a seat.
fn initial(seat: usize) -> char {
    ['s', 'w', 'n', 'e'][seat]
}

/// A part of the text with its byte offset.
#[derive(Clone, Copy)]
struct Part<'a> {
    offset: usize,
    text: &'a str,
}

impl<'a> Part<'a> {
    fn fault(self, reason: impl Into<String>) -> PositionError {
        PositionError(vec![PositionFault { offset: self.offset, reason: reason.into() }])
    }

    /// The pieces between separators.
    fn split(self, separator: char) -> Vec<Part<'a>> {
        let mut offset = self.offset;
        let part = |text: &'a str| {
            let part = Part { offset, text };
            offset += text.len() + separator.len_utf8();
            part
        };
        self.text.split(separator).map(part).collect()
    }

    /// The cards, each with its place.
    fn cards(self) -> Result<Vec<(Part<'a>, Card)>, PositionError> {
        let (mut cards, mut rest) = (Vec::new(), self);
        while !rest.text.is_empty() {
            let length = rest.text.char_indices().nth(2).map_or(rest.text.len(), |(at, _)| at);
            let (text, after) = rest.text.split_at(length);
            let part = Part { offset: rest.offset, text };
            let card = Card::from_text(text);
            cards.push((part, card.ok_or(part.fault("a card is a suit and a rank, such as SQ"))?));
            rest = Part { offset: rest.offset + length, text: after };
        }
        Ok(cards)
    }

    /// A hand in PBN, without a card of `taken`.
    fn hand(self, taken: Cards) -> Result<Cards, PositionError> {
        let suits = self.split('.');
        if suits.len() != Suit::ALL.len() {
            let reason = "a hand has spades, hearts, diamonds and clubs, with `.` between";
            return Err(self.fault(reason));
        }
        let mut hand = Cards::NONE;
        for (suit, ranks) in Suit::ALL.into_iter().zip(suits) {
            for (at, letter) in ranks.text.char_indices() {
                let part = Part { offset: ranks.offset + at, text: ranks.text };
                let card = rank_from_letter(letter).and_then(|rank| Card::new(suit, rank));
                let card = card.ok_or(part.fault("a rank is one of AKQJT98765432"))?;
                if taken.union(hand).contains(card) {
                    return Err(part.fault(format!("the card {card} is there already")));
                }
                hand = hand.with(card);
            }
        }
        Ok(hand)
    }
}

/// Reads the text of a whole position.
pub(crate) fn read(direction: Direction, text: &str) -> Result<Hearts, PositionError> {
    let whole = Part { offset: 0, text };
    let parts = whole.split(':');
    let &[south, west, north, east, passed, play] = &*parts else {
        let reason = "expected four hands, the passed cards and the play, with `:`";
        return Err(whole.fault(reason));
    };
    let mut game = Hearts::of_direction(direction);
    let mut taken = Cards::NONE;
    for (seat, part) in [south, west, north, east].into_iter().enumerate() {
        game.dealt[seat] = part.hand(taken)?;
        taken = taken.union(game.dealt[seat]);
    }
    let dealt = game.count_dealt();
    for (seat, part) in [south, west, north, east].into_iter().enumerate() {
        let expected = (dealt + SEATS - 1 - seat) / SEATS;
        if game.dealt[seat].len() as usize != expected {
            let reason = format!("{dealt} cards are dealt, so that this seat has {expected}");
            return Err(part.fault(reason));
        }
    }
    read_passed(&mut game, passed)?;
    read_play(&mut game, play)?;
    Ok(game)
}

fn read_passed(game: &mut Hearts, passed: Part<'_>) -> Result<(), PositionError> {
    let parts = passed.split(',');
    if parts.len() != SEATS {
        return Err(passed.fault("expected the passed cards of four seats, with `,`"));
    }
    for (seat, part) in parts.iter().enumerate() {
        for (place, card) in part.cards()? {
            if game.count_dealt() < PACK {
                return Err(place.fault("no card is passed before the deal is complete"));
            }
            if game.passed[seat].len() == game.passes() {
                return Err(place.fault(format!("a seat passes {} cards", game.passes())));
            }
            if !game.dealt[seat].contains(card) || game.passed[seat].contains(&card) {
                return Err(place.fault("the seat does not have this card"));
            }
            game.passed[seat].push(card);
        }
    }
    // A game may stand between the choices of a step, which are made in the order of the seats.
    let counts: Vec<usize> = game.passed.iter().map(Vec::len).collect();
    if counts.is_sorted_by(|one, next| one >= next) && counts[0] - counts[SEATS - 1] <= 1 {
        return Ok(());
    }
    Err(passed.fault("the seats pass in turn, so that these numbers of cards do not fit"))
}

fn read_play(game: &mut Hearts, play: Part<'_>) -> Result<(), PositionError> {
    let cards = match game.first_leader().map(initial) {
        None if play.text.is_empty() => return Ok(()),
        None => {
            return Err(play.fault("there is no play before the deal and the pass are complete"));
        }
        Some(leader) => play.text.strip_prefix(leader).ok_or_else(|| {
            play.fault(format!("the seat with the two of clubs leads: expected `{leader}`"))
        })?,
    };
    let cards = Part { offset: play.offset + 1, text: cards };
    for (part, card) in cards.cards()? {
        let table = game.table().filter(|table| !table.is_over());
        let refusal = table.map_or(Some("all tricks are played"), |table| table.refusal(card));
        match refusal {
            Some(reason) => return Err(part.fault(reason)),
            None => game.played.push(card),
        }
    }
    Ok(())
}
