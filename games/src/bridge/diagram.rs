//! Text diagram of the table for a terminal, and the game-specific facts of a position.

use super::Bridge;
use super::cards::{Card, Compass, Suit, rank_letter};

/// Width of a hand in columns: suit, space, thirteen cards, two spaces.
const WIDTH: usize = 17;

/// Appends the diagram: north at the top, the trick in the middle, the last card in brackets, `>`
/// before the player to move.
pub(super) fn write_diagram(position: &Bridge, last: Option<Card>, out: &mut String) {
    let alone = |of: Compass, out: &mut String| {
        for row in hand(position, of) {
            line(out, ["", &row, ""]);
        }
    };
    alone(Compass::North, out);
    let sides = hand(position, Compass::West).into_iter().zip(hand(position, Compass::East));
    for ((west, east), middle) in sides.zip(trick(position, last)) {
        line(out, [&west, &middle, &east]);
    }
    alone(Compass::South, out);
    write_state(position, last, out);
}

fn line(out: &mut String, columns: [&str; 3]) {
    let [left, middle, right] = columns;
    let line = format!("{left:WIDTH$}{middle:WIDTH$}{right}");
    out.push_str(line.trim_end());
    out.push('\n');
}

/// The name of a hand, and its suits.
fn hand(position: &Bridge, of: Compass) -> [String; 5] {
    let plays = position.table().to_move() == of && !position.is_over();
    let name = format!("{}{}", if plays { "> " } else { "" }, of.name());
    let held = position.table().hand(of);
    let suit = |suit: Suit| {
        let ranks = held.of_suit(suit).iter().map(|card| rank_letter(card.rank()));
        format!("{} {}", suit.letter(), ranks.collect::<String>())
    };
    let [spades, hearts, diamonds, clubs] = Suit::ALL.map(suit);
    [name, spades, hearts, diamonds, clubs]
}

/// The cards of the trick, each on its player's side.
fn trick(position: &Bridge, last: Option<Card>) -> [String; 5] {
    let mut cards = [""; 4].map(str::to_owned);
    let leader = position.table().leader();
    for (place, card) in position.table().trick().enumerate() {
        let marked = last == Some(card);
        let text = if marked { format!("[{card}]") } else { format!(" {card} ") };
        cards[leader.after(place).index()] = text;
    }
    let [north, east, south, west] = cards;
    let beside = format!("{west:8}{east}");
    [String::new(), format!("    {north}"), beside, format!("    {south}"), String::new()]
}

fn write_state(position: &Bridge, last: Option<Card>, out: &mut String) {
    let table = position.table();
    let [ns, ew] = position.tricks_won();
    out.push_str(&match table.strain().trump() {
        Some(trump) => format!("{} are trump", trump.name()),
        None => "no trump".to_owned(),
    });
    let in_trick = table.trick().any(|card| Some(card) == last);
    match last.filter(|_| !in_trick) {
        // The winner of a trick leads to the next one.
        Some(card) => {
            out.push_str(&format!("; {card} ended the trick, which {} won", table.leader().name()));
        }
        None => out.push_str(&format!("; {} leads", table.leader().name())),
    }
    out.push_str(&format!("; tricks: NS {ns}, EW {ew}"));
    if let Some(dd) = position.dd() {
        out.push_str(&format!("; double dummy NS {dd} of {}", position.size()));
    }
    out.push('\n');
}

/// The facts of a position: strain, leader, player to move, trick, tricks won and left, and the
/// double-dummy value if known.
pub(super) fn facts(position: &Bridge) -> Vec<(&'static str, String)> {
    let table = position.table();
    let [ns, ew] = position.tricks_won();
    let cards: Vec<String> = table.trick().map(|card| format!("\"{card}\"")).collect();
    vec![
        ("strain", format!("\"{}\"", table.strain())),
        ("leader", format!("\"{}\"", table.leader().letter())),
        ("plays", format!("\"{}\"", table.to_move().letter())),
        ("trick", format!("[{}]", cards.join(","))),
        ("tricks_won", format!(r#"{{"NS":{ns},"EW":{ew}}}"#)),
        ("tricks_left", table.tricks_left().to_string()),
        ("double_dummy_ns", position.dd().map_or("null".to_owned(), |dd| dd.to_string())),
    ]
}
