//! Parsing and writing of budgets, and the errors for invalid ones.

use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: &str) {
    let budget: Budget = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(budget.to_string(), expected, "{text}");
    assert_eq!(expected.parse::<Budget>().as_ref(), Ok(&budget), "{text}");
}

#[test]
fn budgets_are_written_in_canonical_form() {
    check("none", "none");
    check("5s/move", "5s/move");
    check("500ms/move", "500ms/move");
    check("0.5s/move", "500ms/move");
    check("1.5ms/move", "1.5ms/move");
    check("0.001ms/move", "0.001ms/move");
    check("90s/move", "90s/move");
    check("60s", "1m");
    check("3m+2s", "3m+2s");
    check("3m", "3m");
    check("1h+30s", "1h+30s");
    check("40/5m", "40/5m");
    check("40/5m+2s,10s/move", "10s/move,40/5m+2s");
    check("cpu:5s/move", "cpu:5s/move");
    check("cpu:3m+2s", "cpu:3m+2s");
    check("fuel:2e9/move", "fuel:2e9/move");
    check("fuel:2000000000/move", "fuel:2e9/move");
    check("fuel:1.25e3/move", "fuel:1250/move");
    check("fuel:5e10+1e8", "fuel:5e10+1e8");
    check("depth:8", "depth:8");
    check("nodes:1e6", "nodes:1e6");
    check("5s/move, depth:8", "5s/move,depth:8");
    check("nodes:12,depth:1e2,3m", "3m,depth:100,nodes:12");
    check("fuel:1e18", "fuel:1e18");
}

#[test]
fn budgets_have_the_amounts_of_their_text() {
    let budget: Budget = "40/5m+2s,10s/move,depth:7,nodes:9".parse().unwrap();
    assert_eq!(budget.unit(), Unit::Wall);
    assert_eq!(budget.per_move(), Some(10_000_000));
    let game = GameClock { base: 300_000_000, increment: 2_000_000, moves: Some(40) };
    assert_eq!(budget.game_clock(), Some(game));
    assert_eq!((budget.depth(), budget.nodes()), (Some(7), Some(9)));
    assert_eq!("depth:7".parse::<Budget>().unwrap().unit(), Unit::Unlimited);
    assert_eq!(Budget::wall_per_move(5_000_000).to_string(), "5s/move");
    assert_eq!(Budget::wall_per_move(0).to_string(), "0.001ms/move");
}

#[test]
fn errors_name_the_invalid_part_and_the_forms() {
    for (text, part, reason) in [
        ("", "", "empty"),
        ("5s/move,", "5s/move,", "empty"),
        ("none,depth:8", "none,depth:8", "combined"),
        ("depth:0", "depth:0", "zero"),
        ("0s/move", "0s/move", "zero"),
        ("3m+0s", "3m+0s", "zero"),
        ("0/3m", "0/3m", "zero"),
        ("-5s/move", "-5s/move", "not a time"),
        ("depth:-3", "depth:-3", "not a depth"),
        ("depth:1e10", "depth:1e10", "more than"),
        ("depth:2.5", "depth:2.5", "finer than 1"),
        ("5/move", "5/move", "not a time"),
        ("5 s/move", "5 s/move", "not a time"),
        ("5x/move", "5x/move", "not a time"),
        ("s/move", "s/move", "not a time"),
        ("5.s/move", "5.s/move", "not a time"),
        (".5s/move", ".5s/move", "not a time"),
        ("5s/moves", "5s/moves", "not a"),
        ("1e300s/move", "1e300s/move", "more than"),
        ("1e99999s/move", "1e99999s/move", "not a time"),
        ("fuel:1000000000000000001", "fuel:1000000000000000001", "more than"),
        ("9999999999999999999999999999999999s", "9999999999999999999999999999999999s", "30"),
        ("0.0000001s/move", "0.0000001s/move", "finer than a microsecond"),
        ("fuel:5s/move", "fuel:5s/move", "not an amount of fuel"),
        ("gas:5", "gas:5", "`gas:` is not one of"),
        ("5s/move,6s/move", "6s/move", "twice"),
        ("3m,4m", "4m", "twice"),
        ("depth:1,depth:1", "depth:1", "twice"),
        ("5s/move,cpu:3m", "cpu:3m", "one unit"),
        ("3m+2s+1s", "3m+2s+1s", "not a time"),
        ("nodes:\u{1f}", "nodes:\u{1f}", "not a number of nodes"),
        ("é", "é", "not a time"),
    ] {
        let error = text.parse::<Budget>().expect_err(text);
        assert_eq!(error.part, part, "{text}");
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert!(error.to_string().contains("fuel:2e9/move"), "{error}");
    }
}

fn budgets() -> impl Strategy<Value = Budget> {
    let amount =
        || prop_oneof![1..AMOUNT_MAX, 1..5_000u64, (1..900u64).prop_map(|n| n * 60_000_000)];
    let moves = proptest::option::of(1..u32::MAX);
    let game = (amount(), prop_oneof![Just(0), amount()], moves)
        .prop_map(|(base, increment, moves)| GameClock { base, increment, moves });
    let unit = prop_oneof![Just(Unit::Wall), Just(Unit::Cpu), Just(Unit::Fuel)];
    let limits = (
        unit,
        proptest::option::of(amount()),
        proptest::option::of(game),
        proptest::option::of(1..u32::MAX),
        proptest::option::of(amount()),
    );
    limits.prop_map(|(unit, per_move, game, depth, nodes)| {
        let timed = per_move.is_some() || game.is_some();
        let unit = if timed { unit } else { Unit::Unlimited };
        Budget { unit, per_move, game, depth, nodes }
    })
}

proptest! {
    #[test]
    fn a_written_budget_parses_to_the_same_budget(budget in budgets()) {
        prop_assert_eq!(budget.to_string().parse::<Budget>(), Ok(budget));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,20}|[0-9a-z.,:/+-]{0,24}") {
        if let Ok(budget) = text.parse::<Budget>() {
            prop_assert_eq!(budget.to_string().parse::<Budget>(), Ok(budget));
        }
    }
}
