//! Features against those made anew, values against a sum of single weights,
//! and files that are no weights.

use proptest::prelude::*;

use super::*;

/// Plays a game by these choices; `look` sees each position, and whether black moves.
fn random_game(choices: &[u8], mut look: impl FnMut(&Features, Discs, bool)) {
    let start = Discs { own: 1 << 28 | 1 << 35, opponent: 1 << 27 | 1 << 36 };
    let (mut discs, mut black) = (start, true);
    let mut features = Features::new(start.own, start.opponent);
    for &choice in choices {
        look(&features, discs, black);
        let mut moves = bits::moves(discs.own, discs.opponent);
        if moves != 0 {
            for _ in 0..u32::from(choice) % moves.count_ones() {
                moves &= moves - 1;
            }
            let square = moves.trailing_zeros();
            let flipped = bits::flips(square, discs.own, discs.opponent);
            features.play(square, flipped, black);
            discs.own |= flipped | 1 << square;
            discs.opponent &= !flipped;
        }
        (discs, black) = (Discs { own: discs.opponent, opponent: discs.own }, !black);
    }
}

/// A position under one of the eight symmetries.
fn turned(discs: Discs, symmetry: usize) -> Discs {
    let turn = |set: u64| {
        let squares = (0..64u8).filter(|square| set >> square & 1 != 0);
        squares.fold(0, |all, square| all | 1 << shapes::turned(square, symmetry))
    };
    Discs { own: turn(discs.own), opponent: turn(discs.opponent) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn features_are_those_of_the_board(choices in prop::collection::vec(any::<u8>(), 1..70)) {
        random_game(&choices, |features, discs, black| {
            let (b, w) = if black { (discs.own, discs.opponent) } else { (discs.opponent, discs.own) };
            assert_eq!(*features, Features::new(b, w));
        });
    }

    #[test]
    fn values_are_the_same_from_every_side(choices in prop::collection::vec(any::<u8>(), 1..60)) {
        let weights = Weights::own();
        random_game(&choices, |features, discs, black| {
            let value = weights.value(features, discs, black);
            for symmetry in 0..8 {
                let discs = turned(discs, symmetry);
                let features = Features::new(discs.own, discs.opponent);
                assert_eq!(weights.value(&features, discs, true), value, "symmetry {symmetry}");
            }
        });
    }

    #[test]
    fn values_are_sums_of_the_weights_that_count(
        choices in prop::collection::vec(any::<u8>(), 1..60),
        seed: u64,
    ) {
        // All knots alike, so that nothing is mixed; multiples of what a byte tells.
        let mut random = sandboard_sdk::Random::seeded(seed);
        let knot: Vec<f32> = (0..KNOT).map(|_| {
            let q = random.below(65) as f32 * 2.0 - 64.0;
            q * q.abs() / 1024.0 / 4.0
        }).collect();
        let knots = vec![knot; KNOTS.len()];
        let weights = Weights::read(&Weights::write(&knots, &Cuts::default(), seed)).unwrap();
        let classes = of_states();
        random_game(&choices, |features, discs, black| {
            let sum: f32 = indexes(discs, &classes).iter().map(|&i| knots[0][i as usize]).sum();
            let value = weights.value(features, discs, black);
            // Each of 41 weights is off by less than one 128th.
            assert!((value as f32 - sum * 128.0).abs() < 41.0, "{value} for {sum}");
        });
    }
}

#[test]
fn numbers_of_discs_lie_between_knots() {
    let check = |discs, expected| assert_eq!(between(discs), expected, "{discs} discs");
    check(4, (0, 1, 0));
    check(12, (0, 1, 0));
    check(19, (0, 1, 7));
    check(20, (1, 2, 0));
    check(59, (5, 6, 7));
    check(60, (5, 6, 8));
    check(64, (5, 6, 8));
}

/// The reason for which changed bytes are refused.
#[track_caller]
fn check_refused(change: impl FnOnce(&mut Vec<u8>), expected: &str) {
    let mut bytes = include_bytes!("../../weights.bin").to_vec();
    change(&mut bytes);
    let error = Weights::read(&bytes).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn files_are_read_whole_or_refused() {
    check_refused(|bytes| bytes.truncate(100), "100 bytes, where");
    check_refused(|bytes| bytes[0] = b'x', "bytes 0 to 7");
    check_refused(|bytes| bytes[8] = 9, "version 9 at byte 8");
    check_refused(|bytes| bytes[24] ^= 1, "checksum");
    check_refused(|bytes| bytes[FILE - 1] ^= 1, "checksum");
    assert_ne!(Weights::own().seed(), 0, "they say from which seed they come");
}

#[test]
fn figures_of_cuts_come_back_from_a_file() {
    let mut cuts = Cuts::default();
    let cut = Cut { slope: 260, offset: -12, sigma: 300 };
    cuts.set(12, 4, cut);
    let knots = vec![vec![0.0; KNOT]; KNOTS.len()];
    let weights = Weights::read(&Weights::write(&knots, &cuts, 1)).unwrap();
    assert_eq!(weights.cuts().get(12, 60), Some(cut));
    assert_eq!(weights.cuts().get(11, 60), None);
    assert_eq!(weights.cuts().get(2, 60), None);
    assert_eq!(weights.cuts().get(13, 60), None);
    for depth in CUT_DEPTHS {
        assert!(shallow(depth) < depth && shallow(depth) % 2 == depth % 2);
    }
}
