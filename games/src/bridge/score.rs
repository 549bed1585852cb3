//! Duplicate scores of contracts (Laws of Duplicate Bridge, law 77).

use super::cards::{Strain, Suit};
use super::contract::{Contract, Doubling};

/// The score of the declarer's side for a number of tricks, 0 to 13; negative if the contract
/// failed.
///
/// ```
/// use sandboard_games::bridge::{Contract, score};
///
/// let contract = Contract::from_text("4SX").unwrap();
/// assert_eq!(score(contract, 10, true), 790);
/// assert_eq!(score(contract, 8, true), -500);
/// ```
pub fn score(contract: Contract, tricks: u8, vulnerable: bool) -> i32 {
    let (needed, tricks) = (i32::from(contract.bid.tricks()), i32::from(tricks));
    if tricks < needed {
        return -undertricks(needed - tricks, contract.doubling, vulnerable);
    }
    let factor = factor(contract.doubling);
    let level = i32::from(contract.bid.level());
    let (first, further) = trick_scores(contract.bid.strain());
    let odd_tricks = (first + (level - 1) * further) * factor;
    let of_vulnerable = |not: i32, vul: i32| if vulnerable { vul } else { not };
    let game = if odd_tricks >= 100 { of_vulnerable(300, 500) } else { 50 };
    let slam = match level {
        6 => of_vulnerable(500, 750),
        7 => of_vulnerable(1000, 1500),
        _ => 0,
    };
    let (insult, each) = match contract.doubling {
        Doubling::Undoubled => (0, further),
        Doubling::Doubled => (50, of_vulnerable(100, 200)),
        Doubling::Redoubled => (100, of_vulnerable(200, 400)),
    };
    odd_tricks + game + slam + insult + (tricks - needed) * each
}

/// The points of the first trick above six, and of each further one.
fn trick_scores(strain: Strain) -> (i32, i32) {
    match strain {
        Strain::Trump(Suit::Spades | Suit::Hearts) => (30, 30),
        Strain::Trump(Suit::Diamonds | Suit::Clubs) => (20, 20),
        Strain::NoTrump => (40, 30),
    }
}

fn factor(doubling: Doubling) -> i32 {
    match doubling {
        Doubling::Undoubled => 1,
        Doubling::Doubled => 2,
        Doubling::Redoubled => 4,
    }
}

/// The score of the defenders for a number of undertricks.
fn undertricks(missing: i32, doubling: Doubling, vulnerable: bool) -> i32 {
    let doubled = match (vulnerable, missing) {
        // 200 for the first, 300 for each further one.
        (true, _) => 300 * missing - 100,
        // 100 for the first, 200 for the second and third, then 300.
        (false, 1..=3) => 200 * missing - 100,
        (false, _) => 300 * missing - 400,
    };
    match doubling {
        Doubling::Undoubled => missing * if vulnerable { 100 } else { 50 },
        Doubling::Doubled => doubled,
        Doubling::Redoubled => 2 * doubled,
    }
}
