//! Values survive the way into a memory and back, in each encoding, and what a module passes is
//! checked.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use sandboard_abi::{
    Abilities, Barred, Bound, CellOp, Choice, Decision, Description, Ending, GameSpec, Kind, Level,
    Limits, Line, OptionSpec, Score, Setup, Unit, View,
};

use super::memory::{HEAP, Memory};
use crate::canonical::{
    Encoding, FLAT_PARAMS, Guest as _, Lift, Lower, MemoryItem, Value, ValueError,
};
use crate::judge::{Actor, Next, Observer, Phase, Played, PlayoutResults, PositionFault, Turn};

/// Lowers and lifts a value as parameters and within a list, in each encoding.
fn check<T: Lower + Lift + PartialEq + std::fmt::Debug + Clone>(value: T) {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::CompactUtf16] {
        let mut memory = Memory::new(encoding);
        let flat = memory.lower(&(&value, 7u8)).unwrap();
        let expected = <(T, u8)>::LAYOUT.flat;
        let passed = if expected <= FLAT_PARAMS { expected } else { 1 };
        assert_eq!(flat.as_slice().len(), passed);
        assert_eq!(memory.lift::<(T, u8)>(flat.as_slice()), Ok((value.clone(), 7)));

        let list = vec![value.clone(), value.clone()];
        let flat = memory.lower(&(&list,)).unwrap();
        assert_eq!(memory.lift::<(Vec<T>,)>(flat.as_slice()), Ok((list,)));
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9 ]{0,8}", "\\PC{0,6}", "[a-zà-ÿ]{0,6}"]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..4)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Toggle),
        any::<(i64, i64)>().prop_map(|(min, max)| Kind::Whole(min, max)),
        (-1e9..1e9f64, -1e9..1e9f64).prop_map(|(min, max)| Kind::Real(min, max)),
        texts().prop_map(Kind::Pick),
        any::<u32>().prop_map(Kind::Text),
    ]
}

fn line() -> impl Strategy<Value = Line> {
    let bound = prop_oneof![
        Just(Bound::Estimate),
        Just(Bound::AtLeast),
        Just(Bound::AtMost),
        Just(Bound::Exact)
    ];
    let score = (any::<i32>(), bound).prop_map(|(value, bound)| Score { value, bound });
    (any::<u16>(), option::of(score), any::<u32>(), any::<u64>(), any::<u64>(), text()).prop_map(
        |(rank, score, depth, nodes, spent, moves)| Line {
            rank,
            score,
            depth,
            nodes,
            spent,
            moves,
        },
    )
}

fn ending() -> impl Strategy<Value = Ending> {
    (vec(any::<i32>(), 0..5), text()).prop_map(|(scores, reason)| Ending { scores, reason })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn descriptions_survive(
        [id, name, author, version] in [text(), text(), text(), text()],
        games in vec((text(), texts()), 0..3),
        options in vec((text(), text(), kind(), text(), any::<bool>()), 0..4),
        [ponders, helpers, proves] in any::<[bool; 3]>(),
    ) {
        let game = |(game, variants)| GameSpec { game, variants };
        let option = |(name, about, kind, initial, tunable)| {
            OptionSpec { name, about, kind, initial, tunable }
        };
        check(Description {
            id,
            name,
            author,
            version,
            games: games.into_iter().map(game).collect(),
            options: options.into_iter().map(option).collect(),
            abilities: Abilities { ponders, helpers, proves },
        });
    }

    #[test]
    fn setups_survive(
        [game, variant, start, moves] in [text(), text(), text(), text()],
        seats in vec(any::<u8>(), 0..5),
        [seed, memory_bytes, table_slots] in any::<[u64; 3]>(),
        options in vec((text(), text()), 0..3),
        [threads, helper, helpers] in any::<[u16; 3]>(),
    ) {
        check(Setup {
            game, variant, start, moves, seats, seed, options, memory_bytes, threads, helper,
            helpers, table_slots,
        });
    }

    #[test]
    fn limits_survive(
        unit in prop::sample::select(&[Unit::Unlimited, Unit::Wall, Unit::Cpu, Unit::Fuel][..]),
        [call_max, game_left, nodes] in any::<[Option<u64>; 3]>(),
        [increment, grace] in any::<[u64; 2]>(),
        [moves_to_go, depth] in any::<[Option<u32>; 2]>(),
        lines in any::<u16>(),
        others_left in vec(any::<(u8, u64)>(), 0..3),
        draw_offered in any::<bool>(),
        barred in vec((text(), text()), 0..3),
    ) {
        let limits = Limits {
            unit, call_max, game_left, increment, moves_to_go, grace, depth, nodes, lines,
            others_left, draw_offered,
        };
        let barred: Vec<_> =
            barred.into_iter().map(|(r#move, reason)| Barred { r#move, reason }).collect();
        check((limits, barred));
    }

    #[test]
    fn choices_survive(mv in option::of(text()), offers_draw: bool, line in option::of(line())) {
        let decision = mv.map_or(Decision::AcceptDraw, Decision::Play);
        check(Ok::<_, String>(Choice { decision, offers_draw, line: line.clone() }));
        check(Choice { decision: Decision::Resign, offers_draw, line });
    }

    #[test]
    fn views_survive(position in text(), to_move: u8, ending in option::of(ending())) {
        check(Ok::<_, String>(View { position, to_move, ending }));
    }

    #[test]
    fn answers_of_judges_survive(
        seats in vec(any::<u8>(), 0..4),
        seat: u8,
        ending in option::of(ending()),
        mv in text(),
        plies in vec(any::<u32>(), 0..6),
        scores in vec(any::<i32>(), 0..6),
        [decisions, choices] in any::<[u64; 2]>(),
    ) {
        let turn = |next, phase| Turn { next, phase, ending: ending.clone() };
        check(turn(Next::Seats(seats), Phase::Play));
        check(turn(Next::Chance, Phase::Pick));
        check(Ok::<_, Vec<PositionFault>>(turn(Next::Over(seat), Phase::Swap)));
        check(Err::<Turn, _>(vec![PositionFault { offset: seat.into(), reason: mv.clone() }]));
        check((Observer::Seat(seat), Actor::Chance, mv.clone()));
        check((Observer::Everything, Actor::Seat(seat), mv.clone()));
        check(Played { r#move: mv, turn: turn(Next::Over(0), Phase::Announce) });
        let unfinished = plies.clone();
        check(PlayoutResults { plies, scores, unfinished, decisions, choices });
    }
}

#[test]
fn scalars_are_passed_as_core_values() {
    fn check<T: Lower + Lift + PartialEq + std::fmt::Debug>(value: T, expected: u64) {
        let mut memory = Memory::new(Encoding::Utf8);
        let flat = memory.lower(&(&value,)).unwrap();
        assert_eq!(flat.as_slice(), [expected]);
        assert_eq!(memory.lift::<(T,)>(&[expected]), Ok((value,)));
        assert_eq!(memory.calls, [[0u32; 4]; 0]);
    }
    check(200u8, 200);
    check(u16::MAX, 0xffff);
    check(-1i32, 0xffff_ffff);
    check(-1i64, u64::MAX);
    check(1.5f64, 0x3ff8_0000_0000_0000);
    check(true, 1);
    check(CellOp::Add, 2);
    check(Level::Debug, 3);
    check(Abilities { ponders: true, helpers: false, proves: true }, 5);
}

#[test]
fn what_a_module_passes_is_checked() {
    fn check<T: Lift + PartialEq + std::fmt::Debug>(flat: &[u64], expected: Result<T, ValueError>) {
        let mut memory = Memory::new(Encoding::Utf8);
        assert_eq!(memory.lift::<(T,)>(flat).map(|(value,)| value), expected);
    }
    check(&[3], Ok(CellOp::Max));
    check::<CellOp>(&[4], Err(ValueError::InvalidCase(4)));
    check(&[1, 5], Ok(Some(5u8)));
    check::<Option<u8>>(&[2, 5], Err(ValueError::InvalidOption));
    check(&[2, 0, 0], Ok(Decision::AcceptDraw));
    check(&[1, 0, 0], Ok(Err::<u32, _>(String::new())));
    check::<Result<u32, String>>(&[2, 0, 0], Err(ValueError::InvalidResult));
    check::<Decision>(&[3, 0, 0], Err(ValueError::InvalidCase(3)));
    // Bits that do not belong to the type are ignored, as the canonical ABI has it.
    check(&[0x1_0007], Ok(7u8));
    check(&[0x100], Ok(true));
    check(&[0xff], Ok(Abilities { ponders: true, helpers: true, proves: true }));
    // The memory has 65,536 bytes.
    check(&[65_528, 1], Ok(vec![0u64]));
    check::<Vec<u64>>(&[65_528, 2], Err(ValueError::OutOfBounds(MemoryItem::List)));
    check::<Vec<u64>>(&[0, 0xffff_ffff], Err(ValueError::OutOfBounds(MemoryItem::List)));
    check::<Vec<u64>>(&[65_532, 0], Err(ValueError::Misaligned(MemoryItem::List)));
}

#[test]
fn results_in_memory_are_at_an_aligned_address() {
    let check = |address: u32, expected: Result<(), ValueError>| {
        let mut memory = Memory::new(Encoding::Utf8);
        let result = Ok::<_, String>("h8".to_owned());
        let lowered = crate::canonical::lower_result_to(&mut memory, address, &result);
        assert_eq!(lowered, expected);
        if lowered.is_ok() {
            let flat = [u64::from(address)];
            let reader = crate::canonical::Reader::new(memory.memory(), Encoding::Utf8, &flat, 100);
            assert_eq!(reader.result(), Ok(result));
            assert_eq!(memory.calls, [[0, 0, 1, 2]]);
        }
    };
    check(HEAP * 64, Ok(()));
    check(65_524, Ok(()));
    check(HEAP + 2, Err(ValueError::Misaligned(MemoryItem::Target)));
    check(65_528, Err(ValueError::OutOfBounds(MemoryItem::Target)));
}

#[test]
fn values_are_allocated_in_the_order_of_their_fields() {
    let check = |memory: Memory, expected: &[[u32; 4]]| assert_eq!(memory.calls, expected);
    let setup = Setup {
        game: "gomoku".into(),
        variant: "renju".into(),
        start: String::new(),
        moves: "h8 h9".into(),
        seats: vec![0],
        seed: 7,
        options: vec![("depth".into(), "3".into())],
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    };
    let mut memory = Memory::new(Encoding::Utf8);
    memory.lower(&(setup,)).unwrap();
    // The record; its texts and lists; each option, and its two texts.
    let texts = [[0, 0, 1, 6], [0, 0, 1, 5], [0, 0, 1, 0], [0, 0, 1, 5], [0, 0, 1, 1]];
    let options = [[0, 0, 4, 16], [0, 0, 1, 5], [0, 0, 1, 1]];
    check(memory, &[&[[0, 0, 8, 80]][..], &texts, &options].concat());

    let barred = vec![Barred { r#move: "h8".into(), reason: "taken".into() }];
    let limits = Limits { others_left: vec![(1, 5)], ..Limits::default() };
    let mut memory = Memory::new(Encoding::Utf8);
    memory.lower(&(limits, barred)).unwrap();
    let lists = [[0, 0, 8, 16], [0, 0, 4, 16], [0, 0, 1, 2], [0, 0, 1, 5]];
    check(memory, &[&[[0, 0, 8, 112]][..], &lists].concat());
}
