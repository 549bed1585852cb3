//! Scores, par and auctions, compared with tables of other programs.

use serde_json::Value;

use crate::bridge::*;

#[test]
fn contracts_score_by_the_laws() {
    let check = |contract: &str, tricks: u8, expected: [i32; 2]| {
        let contract = Contract::from_text(contract).expect("a contract");
        let found = [false, true].map(|vulnerable| score(contract, tricks, vulnerable));
        assert_eq!(found, expected, "{contract} with {tricks}");
    };
    // Part-scores and games; the last is a part-score.
    check("1C", 7, [70, 70]);
    check("1D", 9, [110, 110]);
    check("1H", 7, [80, 80]);
    check("1NT", 7, [90, 90]);
    check("2NT", 8, [120, 120]);
    check("2NT", 9, [150, 150]);
    check("3NT", 9, [400, 600]);
    check("3S", 10, [170, 170]);
    check("4S", 10, [420, 620]);
    check("4D", 10, [130, 130]);
    check("5D", 11, [400, 600]);
    // Slams.
    check("6C", 12, [920, 1370]);
    check("6NT", 13, [1020, 1470]);
    check("7S", 13, [1510, 2210]);
    check("7NT", 13, [1520, 2220]);
    // Doubled into game, and not.
    check("1NTX", 7, [180, 180]);
    check("2DX", 8, [180, 180]);
    check("2HX", 8, [470, 670]);
    check("2HX", 10, [670, 1070]);
    check("1CXX", 7, [230, 230]);
    check("1HXX", 7, [520, 720]);
    check("1NTXX", 8, [760, 1160]);
    check("7NTXX", 13, [2280, 2980]);
    // Undertricks.
    check("4S", 9, [-50, -100]);
    check("4S", 0, [-500, -1000]);
    check("4SX", 9, [-100, -200]);
    check("4SX", 8, [-300, -500]);
    check("4SX", 7, [-500, -800]);
    check("4SX", 6, [-800, -1100]);
    check("7NTX", 0, [-3500, -3800]);
    check("4SXX", 9, [-200, -400]);
    check("4SXX", 6, [-1600, -2200]);
}

fn trick_table(tricks: &Value) -> TrickTable {
    let mut table = TrickTable::default();
    for declarer in Compass::ALL {
        for strain in Strain::ALL {
            let tricks = tricks[declarer.letter().to_string()][strain.index()].as_u64();
            table.set(declarer, strain, tricks.expect("a number") as u8);
        }
    }
    table
}

fn deals(fixture: &str) -> Vec<Value> {
    let fixture: Value = serde_json::from_str(fixture).expect("the fixture is JSON");
    fixture["deals"].as_array().expect("a list").clone()
}

fn vulnerability(name: &str) -> Vulnerability {
    Vulnerability::from_text(name).expect("a vulnerability")
}

/// Compares par for every vulnerability and dealer of every deal. Returns the number of
/// comparisons.
fn check_par(fixture: &str) -> usize {
    let mut checked = 0;
    for deal in deals(fixture) {
        let table = trick_table(&deal["tricks"]);
        for name in ["none", "both", "ns", "ew"] {
            for dealer in Compass::ALL {
                let key = dealer.letter().to_string();
                let found = par(&table, vulnerability(name), dealer);
                let at = format!("{} {name} {key}", deal["id"]);
                assert_eq!(deal["par_ns"][name][&key], found.score_ns, "{at}");
                let listed = deal["par_contracts"][name][&key].as_array().expect("a list");
                let mut listed: Vec<&str> = listed.iter().flat_map(Value::as_str).collect();
                let mut own: Vec<String> =
                    found.contracts.iter().map(|it| it.to_string()).collect();
                listed.sort();
                own.sort();
                assert_eq!(own, listed, "{at}");
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn par_of_random_deals_matches_the_fixture() {
    assert_eq!(check_par(include_str!("../../../../tests/fixtures/bridge/par.json")), 200 * 16);
}

#[test]
fn par_matches_the_fixture_where_the_dealer_matters() {
    let fixture = include_str!("../../../../tests/fixtures/bridge/par_dealer.json");
    assert_eq!(check_par(fixture), 25 * 16);
}

/// Par with either side opening, in the notation of DDS: `["NS 140", "EW -140", "NS:NS 23S", "EW:NS
/// 23S"]`, with all sufficient levels.
#[test]
fn par_by_opening_side_matches_the_fixture() {
    let deals = deals(include_str!("../../../../tests/fixtures/bridge/dds_list100.json"));
    for deal in &deals {
        let table = trick_table(&deal["tricks"]);
        let vulnerability = vulnerability(deal["vul"].as_str().expect("a vulnerability"));
        let sides: Vec<&str> =
            deal["par_sides"].as_array().expect("a list").iter().flat_map(Value::as_str).collect();
        for (side, name) in ["NS", "EW"].into_iter().enumerate() {
            let found = par(&table, vulnerability, Compass::ALL[side]);
            let own = if side == 0 { found.score_ns } else { -found.score_ns };
            assert_eq!(format!("{name} {own}"), sides[side], "{}", deal["id"]);
            let mut listed: Vec<&str> = sides[2 + side]
                .strip_prefix(&format!("{name}:"))
                .expect("a side")
                .split(',')
                .collect();
            let mut contracts: Vec<String> = found.contracts.iter().map(in_words_of_dds).collect();
            listed.sort();
            contracts.sort();
            assert_eq!(contracts, listed, "{}", deal["id"]);
        }
    }
    assert_eq!(deals.len(), 100);
}

fn in_words_of_dds(contract: &ParContract) -> String {
    let bid = contract.contract.bid;
    let levels: String = (bid.level()..=contract.highest_level).map(|it| it.to_string()).collect();
    let strain = bid.strain().text().chars().next().expect("a letter");
    let doubled = contract.contract.doubling.text().to_lowercase();
    format!("{} {levels}{strain}{doubled}", contract.declarers())
}

#[test]
fn a_passed_out_deal_has_no_par_contract() {
    let mut table = TrickTable::default();
    for strain in Strain::ALL {
        for declarer in Compass::ALL {
            table.set(declarer, strain, 6);
        }
    }
    for vulnerability in Vulnerability::ALL {
        for dealer in Compass::ALL {
            let nothing = Par { score_ns: 0, contracts: Vec::new() };
            assert_eq!(par(&table, vulnerability, dealer), nothing);
        }
    }
    // With one more trick for one player there is a contract.
    table.set(Compass::South, Strain::NoTrump, 7);
    let found = par(&table, Vulnerability::Both, Compass::West);
    assert_eq!((found.score_ns, found.contracts[0].to_string()), (90, "1NT-S=".to_owned()));
}

#[test]
fn auctions_end_with_contracts() {
    let check = |dealer: char, calls: &str, expected: &str| {
        let dealer = Compass::from_letter(dealer).expect("a seat");
        let call = |text: &str| match text {
            "p" => Call::Pass,
            "d" => Call::Double,
            "r" => Call::Redouble,
            bid => Call::Bid(Bid::from_text(bid).expect("a bid")),
        };
        let calls: Vec<Call> = calls.split_whitespace().map(call).collect();
        let found = match auction_result(dealer, &calls) {
            None => "-".to_owned(),
            Some(AuctionResult::PassedOut) => "passed".to_owned(),
            Some(AuctionResult::Contract(contract, by)) => format!("{contract} {}", by.letter()),
        };
        assert_eq!(found, expected, "{calls:?}");
    };
    check('N', "", "-");
    check('N', "p p p", "-");
    check('N', "p p p p", "passed");
    check('N', "1N p p p", "1NT N");
    check('N', "1N p p", "-");
    check('S', "p 1H p 4H p p p", "4H W");
    // The declarer is the player of the last bidding side who named the suit first.
    check('N', "1S 2S d p 4S p p p", "4S N");
    check('N', "1S 2C p 3S p p p", "3S W");
    check('N', "1H 1S 2S p 3S p p p", "3S S");
    // Doubles end with the next bid.
    check('E', "1C d 1H p p d p p p", "1HX W");
    check('E', "1C d r 1D p p p", "1D N");
    check('E', "1C d r p p p", "1CXX E");
}

#[test]
fn bids_are_ordered_as_in_an_auction() {
    let bids: Vec<String> = Bid::all().map(|bid| bid.to_string()).collect();
    assert_eq!(bids[..6], ["1C", "1D", "1H", "1S", "1NT", "2C"]);
    assert_eq!((bids.len(), bids[34].as_str()), (Bid::COUNT, "7NT"));
    for (index, bid) in Bid::all().enumerate() {
        assert_eq!((bid.index(), Bid::from_text(&bid.to_string())), (index, Some(bid)));
    }
    assert!(Bid::all().is_sorted());
    for wrong in ["", "1", "0C", "8C", "1X", "C1", "1CC", "11C", "é"] {
        assert_eq!(Bid::from_text(wrong), None, "{wrong}");
    }
    let check = |text: &str, expected: Option<&str>| {
        let found = Contract::from_text(text).map(|contract| contract.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    };
    check("4h", Some("4H"));
    check("3nxx", Some("3NTXX"));
    check("1NTX", Some("1NTX"));
    check("4HXXX", None);
    check("X", None);
    check("Pass", None);
}

#[test]
fn boards_have_their_dealers_and_vulnerability() {
    let found: Vec<String> = (1..=17)
        .map(|number| {
            let vulnerability = Vulnerability::of_board(number).text();
            format!("{}{vulnerability}", dealer_of_board(number).letter())
        })
        .collect();
    assert_eq!(
        found.join(" "),
        "NNone ENS SEW WAll NNS EEW SAll WNone NEW EAll SNone WNS NAll ENone SNS WEW NNone"
    );
    for vulnerability in Vulnerability::ALL {
        assert_eq!(Vulnerability::from_text(vulnerability.text()), Some(vulnerability));
    }
    let others = ["love", "-", "Both", "?", ""].map(Vulnerability::from_text);
    let (none, both) = (Some(Vulnerability::None), Some(Vulnerability::Both));
    assert_eq!(others, [none, none, both, None, None]);
}
