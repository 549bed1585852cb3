//! Updated features compared with recomputed ones, values compared with the sum of single weights,
//! and invalid files.

use proptest::prelude::*;

use super::*;

/// Plays a game by these choices, and calls `visit` for each position and whether black moves.
fn random_game(choices: &[u8], mut visit: impl FnMut(&Features, Discs, bool)) {
    let start = Discs { own: 1 << 28 | 1 << 35, opponent: 1 << 27 | 1 << 36 };
    let (mut discs, mut black) = (start, true);
    let mut features = Features::new(start.own, start.opponent);
    for &choice in choices {
        visit(&features, discs, black);
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
        squares.fold(0, |all, square| all | 1 << patterns::symmetric_square(square, symmetry))
    };
    Discs { own: turn(discs.own), opponent: turn(discs.opponent) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn updated_features_equal_recomputed_ones(
        choices in prop::collection::vec(any::<u8>(), 1..70),
    ) {
        random_game(&choices, |features, discs, black| {
            let (own, opponent) = (discs.own, discs.opponent);
            let (b, w) = if black { (own, opponent) } else { (opponent, own) };
            assert_eq!(*features, Features::new(b, w));
        });
    }

    #[test]
    fn values_are_the_same_under_all_symmetries(
        choices in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let weights = Weights::built_in();
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
    fn values_are_sums_of_the_applicable_weights(
        choices in prop::collection::vec(any::<u8>(), 1..60),
        seed: u64,
    ) {
        // All knots are equal, so that nothing is interpolated; weights are exact in a byte.
        let mut random = sandboard_sdk::Random::seeded(seed);
        let knot: Vec<f32> = (0..KNOT).map(|_| {
            let q = random.below(65) as f32 * 2.0 - 64.0;
            q * q.abs() / 1024.0 / 4.0
        }).collect();
        let knots = vec![knot; KNOTS.len()];
        let weights = Weights::read(&Weights::write(&knots, &CutTable::default(), seed)).unwrap();
        let classes = classes_of_states();
        random_game(&choices, |features, discs, black| {
            let indices = weight_indices(discs, &classes);
            let sum: f32 = indices.iter().map(|&i| knots[0][i as usize]).sum();
            let value = weights.value(features, discs, black);
            // Each of 41 weights is rounded by less than one 128th.
            assert!((value as f32 - sum * 128.0).abs() < 41.0, "{value} for {sum}");
        });
    }
}

#[test]
fn numbers_of_discs_are_between_knots() {
    let check = |discs, expected| assert_eq!(knots_around(discs), expected, "{discs} discs");
    check(4, (0, 1, 0));
    check(12, (0, 1, 0));
    check(19, (0, 1, 7));
    check(20, (1, 2, 0));
    check(59, (5, 6, 7));
    check(60, (5, 6, 8));
    check(64, (5, 6, 8));
}

/// Checks that changed bytes are refused with this reason.
#[track_caller]
fn check_refused(change: impl FnOnce(&mut Vec<u8>), expected: &str) {
    let mut bytes = include_bytes!("../../weights.bin").to_vec();
    change(&mut bytes);
    let error = Weights::read(&bytes).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn invalid_files_are_refused() {
    check_refused(|bytes| bytes.truncate(100), "100 bytes instead of");
    check_refused(|bytes| bytes[0] = b'x', "bytes 0 to 7");
    check_refused(|bytes| bytes[8] = 9, "version 9 at byte 8");
    check_refused(|bytes| bytes[24] ^= 1, "checksum");
    check_refused(|bytes| bytes[FILE_BYTES - 1] ^= 1, "checksum");
    assert_ne!(Weights::built_in().seed(), 0, "the weights have the seed of their training");
}

#[test]
fn prob_cut_statistics_are_read_as_written() {
    let mut cuts = CutTable::default();
    let cut = CutStatistics { slope: 260, offset: -12, sigma: 300 };
    cuts.set(12, 4, cut);
    let knots = vec![vec![0.0; KNOT]; KNOTS.len()];
    let weights = Weights::read(&Weights::write(&knots, &cuts, 1)).unwrap();
    assert_eq!(weights.cut_table().get(12, 60), Some(cut));
    assert_eq!(weights.cut_table().get(11, 60), None);
    assert_eq!(weights.cut_table().get(2, 60), None);
    assert_eq!(weights.cut_table().get(13, 60), None);
    for depth in CUT_DEPTHS {
        assert!(shallow_depth(depth) < depth && shallow_depth(depth) % 2 == depth % 2);
    }
}
