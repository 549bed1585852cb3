//! Tests of bridge's formats: round trips of boards, games for conversion, arbitrary bytes. The
//! cases of PBN and LIN are in the submodules.

mod lin;
mod pbn;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::bridge::{
    Bid, Call, Compass, Contract, Doubling, INFO, Strain, TrickTable, Vulnerability, write_pbn,
};
use crate::rules::MoveSet;

type Boards = Vec<Result<Board, FormatError>>;

/// The boards of a file, separated by ` | `.
fn describe(boards: Boards) -> String {
    let boards = boards.iter().map(|board| match board {
        Ok(board) => describe_board(board),
        Err(error) => error.to_string(),
    });
    boards.collect::<Vec<_>>().join(" | ")
}

fn describe_board(board: &Board) -> String {
    let mut parts = Vec::new();
    let letter = |of: Compass| of.letter().to_string();
    parts.extend(board.number.map(|number| format!("#{number}")));
    parts.extend(board.event.clone().map(|event| format!("({event})")));
    if board.names.iter().any(Option::is_some) {
        let name = |name: &Option<String>| name.clone().unwrap_or("?".into());
        parts.push(board.names.iter().map(name).collect::<Vec<_>>().join("-"));
    }
    parts.extend(board.dealer.map(letter));
    parts.extend(board.vulnerability.map(|it| it.text().to_owned()));
    parts.push(super::super::notation::hands_text(board.hands));
    let calls: Vec<String> = board.auction.iter().map(Call::to_string).collect();
    parts.extend((!calls.is_empty()).then(|| format!("[{}]", calls.join(" "))));
    parts.extend(board.passed_out.then(|| "passed out".to_owned()));
    parts.extend(board.contract.map(|contract| contract.to_string()));
    parts.extend(board.denomination.map(|strain| format!("in {strain}")));
    parts.extend(board.declarer.map(|by| format!("by {}", by.letter())));
    parts.extend(board.play.iter().map(Card::to_string));
    parts.extend(board.result.map(|tricks| format!("={tricks}")));
    if let Some(table) = board.table {
        let strains =
            |by: Compass| Strain::ALL.map(|strain| format!("{:x}", table.get(by, strain)));
        parts.extend(Compass::ALL.map(|by| strains(by).concat()));
    }
    parts.join(" ")
}

const DEAL: &str = "N:A2... K3... Q4... J5...";

fn variant(text: &str) -> Variant {
    INFO.variant(text).expect("a variant")
}

fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.id == id).expect("a format")
}

/// The games of a file on one line: start, names, moves with their lines.
fn describe_games(id: &str, text: &str) -> String {
    let games = match format(id).read.expect("it is read")(text.as_bytes(), None) {
        Err(error) => return error.to_string(),
        Ok(games) => games,
    };
    let texts = games.iter().map(|game| {
        let mut parts = vec![format!("{}:", game.size.expect("a size"))];
        parts.push(format!("<{}>", game.start.as_deref().expect("a start")));
        parts.extend(game.names.iter().flatten().cloned());
        parts.extend(game.nodes().map(|node| format!("{}@{}", node.mv, node.location)));
        parts.join(" ")
    });
    texts.collect::<Vec<_>>().join(" | ")
}

#[test]
fn games_start_with_strain_and_leader_of_the_contract() {
    let check =
        |text: &str, expected: &str| assert_eq!(describe_games("pbn", text), expected, "{text}");
    let deal = format!("[Deal \"{DEAL}\"]");
    check(
        &format!(
            "[North \"Ada\"]\n{deal}\n[Contract \"1S\"]\n[Declarer \"S\"]\n[Play \"W\"]\nSJ\nSA S3 S4"
        ),
        &format!("2: <{DEAL} S W -> Ada SJ@line 6 SA@line 7 S3@line 7 S4@line 7"),
    );
    let played = format!("{deal}\n[Contract \"1NX\"]\n[Declarer \"E\"]\n");
    check(&played, &format!("2: <{DEAL} NT S ->"));
    // Passed-out deals are skipped; deals with unknown contract are errors.
    let passed = format!("{deal}\n[Contract \"Pass\"]\n");
    check(&format!("{passed}\n{played}\n{passed}"), &format!("2: <{DEAL} NT S ->"));
    check(&passed, "the file has no played deal");
    let unknown = "contract and declarer are missing, so trump and leader are unknown";
    check(&format!("{played}\n{deal}\n"), &format!("line 5: {unknown}"));
    check(&format!("{deal}\n[Contract \"1S\"]\n"), &format!("line 1: {unknown}"));
    check("", "line 1: the file has no game: expected tags such as [Deal \"N:…\"]");
    let lin = "qx|o1|md|3SQ4,SJ5,SA2,SK3|mb|1N|mb|p|mb|p|mb|p|\npc|SK|pc|S4|";
    assert_eq!(describe_games("lin", lin), format!("2: <{DEAL} NT E -> SK@line 2 S4@line 2"));
}

#[test]
fn games_are_written_as_pbn() {
    let check = |variant_text: &str, start: &str, moves: &str, expected: &str| {
        let mut tree = GameTree::new(LocationUnit::Lines);
        tree.start = Some(start.to_owned());
        tree.names = vec![Some("Ada".into()), None, None, Some("Bo".into())];
        for mv in moves.split_whitespace() {
            tree.add(tree.depth() + 1, mv, 1).unwrap();
        }
        let found = format("pbn").write.expect("it is written")(&tree, &variant(variant_text));
        let found =
            found.map_or_else(|error| error.to_string(), |bytes| describe(read_pbn(&bytes)));
        assert_eq!(found, expected, "{start}");
    };
    let start = format!("{DEAL} S W -");
    let head = format!("Ada-?-?-Bo {DEAL} in S by S");
    check("double-dummy", &start, "", &head);
    check("double-dummy-2", &start, "SJ SA S3", &format!("{head} SJ SA S3"));
    let whole = "SJ SA S3 S4 S2 SK SQ S5";
    check("double-dummy", &start, whole, &format!("{head} {whole} =1"));
    check("double-dummy", &format!("{start} dd=1"), "SJ", &format!("{head} SJ"));
    let middle = "pbn can only store deals from the first card; records can store others";
    check("double-dummy", &format!("{start} won=1-0"), "", middle);
    check("double-dummy", "N:A2... K3... Q4... 5... S W SJ", "", middle);
    check("double-dummy", "N:... ... ... ... S W - won=1-0", "", middle);
    check(
        "double-dummy",
        &start,
        "SJ SQ",
        "move 2: `SQ` is refused: north is to play, but SQ is south's",
    );
    check(
        "double-dummy-3",
        &start,
        "",
        "start position: at byte 0: 2 tricks left and 0 won do not make a deal of 3 tricks",
    );
}

fn texts() -> impl Strategy<Value = Option<String>> {
    let text = "[A-Za-z\\[\\]\"\\\\;{}%|é ÿ]{0,12}";
    text.prop_map(|text| one(&text).filter(|text| !["?", "-", "#"].contains(&text.as_str())))
}

fn one(text: &str) -> Option<String> {
    crate::formats::one_line(text)
}

fn contracts() -> impl Strategy<Value = Contract> {
    (any::<Index>(), 0..3usize).prop_map(|(bid, doubling)| Contract {
        bid: *bid.get(&Bid::all().collect::<Vec<_>>()),
        doubling: [Doubling::Undoubled, Doubling::Doubled, Doubling::Redoubled][doubling],
    })
}

prop_compose! {
    /// Boards with all data that PBN can store, and legal play for the contract.
    fn boards()(
        size in 1u8..=13, seed in any::<u64>(), number in prop::option::of(0u32..5000),
        event in texts(), names in [texts(), texts(), texts(), texts()],
        (dealer, vulnerability, declarer) in (0..4usize, 0..4usize, 0..4usize),
        contract in contracts(), result in prop::option::of(0u8..=13),
        choices in vec(any::<Index>(), 0..60),
        calls in vec(prop_oneof![Just(Call::Pass), Just(Call::Double), Just(Call::Redouble),
            contracts().prop_map(|contract| Call::Bid(contract.bid))], 0..12),
        tricks in prop::option::of(vec(0u8..=13, 20)),
    ) -> Board {
        let declarer = Compass::ALL[declarer];
        let mut board = Board {
            number, event, names, dealer: Some(Compass::ALL[dealer]),
            vulnerability: Some(Vulnerability::ALL[vulnerability]),
            hands: Bridge::from_seed(size, seed).table().hands(),
            auction: calls, contract: Some(contract), declarer: Some(declarer), result,
            ..Board::default()
        };
        let mut game = Bridge::from_table(board.opening().expect("it is known")).expect("cards");
        for choice in choices {
            let mut legal = Vec::new();
            game.generate(MoveSet::All, &mut legal);
            if legal.is_empty() {
                break;
            }
            let card = *choice.get(&legal);
            game.make(card);
            board.play.push(card);
        }
        board.table = tricks.map(|tricks| {
            let mut table = TrickTable::default();
            for (at, tricks) in tricks.into_iter().enumerate() {
                table.set(Compass::ALL[at / 5], Strain::ALL[at % 5], tricks);
            }
            table
        });
        board
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boards_round_trip_through_pbn(boards in vec(boards(), 1..4)) {
        let again: Result<Vec<Board>, _> = read_pbn(&write_pbn(&boards)).into_iter().collect();
        prop_assert_eq!(again, Ok(boards));
    }

    /// With any names, a second round trip writes the same bytes.
    #[test]
    fn games_round_trip_through_pbn(
        size in 1u8..=13, seed in any::<u64>(), choices in vec(any::<Index>(), 0..60),
        names in vec("[#?\\-ΩéÃ© a\\\\\"\u{a0}\u{85}]{0,4}", 4),
    ) {
        let mut game = Bridge::from_seed(size, seed);
        let mut tree = GameTree::new(LocationUnit::Lines);
        let mut start = String::new();
        game.write_position(&mut start);
        tree.start = Some(start);
        for choice in choices {
            let mut legal = Vec::new();
            game.generate(MoveSet::All, &mut legal);
            if legal.is_empty() {
                break;
            }
            let card = *choice.get(&legal);
            game.make(card);
            tree.add(tree.depth() + 1, &card.to_string(), 1).unwrap();
        }
        tree.names = names.into_iter().map(Some).collect();
        let (read, write) = (format("pbn").read.unwrap(), format("pbn").write.unwrap());
        let variant = variant("double-dummy");
        let bytes = write(&tree, &variant).expect("it is written");
        let again = read(&bytes, None).expect("it is read");
        prop_assert_eq!(again.len(), 1);
        prop_assert_eq!(&again[0].start, &tree.start);
        let cards = |tree: &GameTree| -> Vec<String> {
            tree.nodes().map(|node| node.mv.to_owned()).collect()
        };
        prop_assert_eq!(cards(&again[0]), cards(&tree));
        prop_assert_eq!(write(&again[0], &variant), Ok(bytes));
    }

    #[test]
    fn any_bytes_are_read_or_give_a_printable_error(
        bytes in vec(any::<u8>(), 0..300),
        pbn in "([\\[\\]\"{};%#\n-]|Deal |Play |Auction |Contract |N:|AKQ|[.23 SHDC*+]){0,60}",
        lin in "((md|pc|mb|qx|pn|mc|sv|ah)\\|[1-4SHDCAKQ2,pdr!N\n]{0,14}\\|){0,8}",
    ) {
        for bytes in [&bytes[..], pbn.as_bytes(), lin.as_bytes()] {
            for found in [read_pbn(bytes), read_lin(bytes)] {
                prop_assert!(!found.is_empty());
                for error in found.into_iter().filter_map(Result::err) {
                    prop_assert!(!error.to_string().chars().any(char::is_control), "{}", error);
                }
            }
        }
    }
}
