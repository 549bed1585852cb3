//! A slow and simple reference implementation of bridge: hands are lists of texts, and everything
//! is recomputed from the cards played.

const SEATS: [char; 4] = ['N', 'E', 'S', 'W'];
const SUITS: [char; 4] = ['S', 'H', 'D', 'C'];
const RANKS: &str = "23456789TJQKA";

/// A deal and the cards played on it.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// The hands as dealt.
    dealt: [Vec<String>; 4],
    strain: String,
    leader: usize,
    played: Vec<String>,
}

fn rank(card: &str) -> usize {
    RANKS.find(&card[1..]).expect("a rank")
}

impl Reference {
    /// Reads a position text before the first card.
    pub(super) fn read(text: &str) -> Reference {
        let parts: Vec<&str> = text.split(' ').collect();
        let hand = |place: usize| {
            let text = parts[place].trim_start_matches("N:");
            let suits = SUITS.iter().zip(text.split('.'));
            suits.flat_map(|(suit, ranks)| ranks.chars().map(move |rank| format!("{suit}{rank}")))
        };
        Reference {
            dealt: [0, 1, 2, 3].map(|place| hand(place).collect()),
            strain: parts[4].to_owned(),
            leader: SEATS.iter().position(|seat| parts[5] == seat.to_string()).expect("a seat"),
            played: Vec::new(),
        }
    }

    /// The tricks from the first: leader and cards.
    fn tricks(&self) -> Vec<(usize, &[String])> {
        let mut leader = self.leader;
        let mut tricks = Vec::new();
        for cards in self.played.chunks(4) {
            tricks.push((leader, cards));
            leader = (leader + self.winner(cards)) % 4;
        }
        if self.played.len().is_multiple_of(4) {
            tricks.push((leader, &[][..]));
        }
        tricks
    }

    /// The offset of the winner from the leader, with the cards so far.
    fn winner(&self, cards: &[String]) -> usize {
        let worth = |card: &String| {
            let suit = &card[..1];
            (suit == self.strain, *suit == cards[0][..1], rank(card))
        };
        (0..cards.len()).max_by_key(|place| worth(&cards[*place])).expect("a card")
    }

    pub(super) fn mover(&self) -> usize {
        let (leader, trick) = *self.tricks().last().expect("a trick");
        (leader + trick.len()) % 4
    }

    fn held(&self, seat: usize) -> Vec<&String> {
        self.dealt[seat].iter().filter(|card| !self.played.contains(card)).collect()
    }

    /// The legal cards, suit by suit from the highest.
    pub(super) fn legal(&self) -> Vec<String> {
        let held = self.held(self.mover());
        let trick = self.tricks().last().expect("a trick").1;
        let follows = |card: &&&String| trick.first().is_none_or(|led| led[..1] == card[..1]);
        let following: Vec<&String> = held.iter().filter(follows).copied().collect();
        let mut legal = if following.is_empty() { held } else { following };
        let suit = |card: &str| SUITS.iter().position(|suit| card.starts_with(*suit));
        legal.sort_by_key(|card| (suit(card), RANKS.len() - rank(card)));
        legal.into_iter().cloned().collect()
    }

    pub(super) fn play(&mut self, card: &str) {
        self.played.push(card.to_owned());
    }

    /// Tricks won by NS and EW.
    pub(super) fn won(&self) -> [usize; 2] {
        let mut won = [0, 0];
        for (leader, cards) in self.tricks().into_iter().filter(|(_, cards)| cards.len() == 4) {
            won[(leader + self.winner(cards)) % 2] += 1;
        }
        won
    }

    pub(super) fn text(&self) -> String {
        let hand = |seat: usize| {
            let held = self.held(seat);
            let suit = |suit: &char| {
                let mut ranks: Vec<&str> = held
                    .iter()
                    .filter(|card| card.starts_with(*suit))
                    .map(|card| &card[1..])
                    .collect();
                ranks.sort_by_key(|rank| RANKS.len() - RANKS.find(rank).expect("a rank"));
                ranks.concat()
            };
            SUITS.iter().map(suit).collect::<Vec<_>>().join(".")
        };
        let hands: Vec<String> = (0..4).map(hand).collect();
        let (leader, trick) = *self.tricks().last().expect("a trick");
        let trick = if trick.is_empty() { "-".to_owned() } else { trick.join(",") };
        let won = match self.won() {
            [0, 0] => String::new(),
            [ns, ew] => format!(" won={ns}-{ew}"),
        };
        format!("N:{} {} {} {trick}{won}", hands.join(" "), self.strain, SEATS[leader])
    }
}
