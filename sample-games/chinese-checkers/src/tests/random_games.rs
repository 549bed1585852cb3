//! Random games: they end, moves agree with the slow search, and texts read back.

use proptest::prelude::*;
use sandboard_game_sdk::games::splitmix::SplitMix64;

use super::*;

/// Plays a random game to its end.
fn check_game(variant: &str, seed: u64) -> Result<(), TestCaseError> {
    let mut game = arranged(variant, "");
    let mut random = SplitMix64::new(seed);
    while !game.is_over() {
        let moves = legal(&game);
        let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
        if random.below(16) == 0 {
            let expected: Vec<String> = slow::legal_texts(&game).into_iter().collect();
            let mut sorted = texts.clone();
            sorted.sort();
            prop_assert_eq!(sorted, expected);
            check_texts(&game, &moves, &texts)?;
        }
        for seat in (0..game.count).filter(|seat| *seat != game.to_move) {
            let mut others = Vec::new();
            game.generate(Seat(seat), &mut others);
            prop_assert!(others.is_empty());
        }
        let chosen = random.below(moves.len());
        game.play(actor(&game), &moves[chosen]);
        prop_assert!(game.ending().is_some() == game.is_over());
    }
    check_texts(&game, &[], &[])?;
    let ending = game.ending().expect("over");
    prop_assert_eq!(ending.scores.len(), usize::from(game.count));
    prop_assert_eq!(ending.scores.iter().sum::<i32>(), 0);
    prop_assert_eq!(
        game.parse_move(Actor::Seat(Seat(0)), "e14-e13"),
        Err("the game is over".into())
    );
    Ok(())
}

/// The position and its moves read back, and a copy that moves leaves the position as it is.
fn check_texts(
    game: &ChineseCheckers,
    moves: &[Move],
    texts: &[String],
) -> Result<(), TestCaseError> {
    let text = written(game);
    let again = ChineseCheckers::parse_position(&game.variant(), &text);
    prop_assert_eq!(again.as_ref(), Ok(game), "{}", text);
    for (mv, text) in moves.iter().zip(texts) {
        let read = game.parse_move(actor(game), text);
        prop_assert_eq!(read.as_ref(), Ok(mv));
        let mut copy = game.clone();
        copy.play(actor(game), mv);
        prop_assert_ne!(&copy, game);
    }
    prop_assert_eq!(written(game), text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_games_end(seed: u64, variant in 0..4_usize) {
        check_game(INFO.variants[variant].id, seed)?;
    }
}

/// Texts that look like positions and moves, and any others.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof!["[rbgypw0-9/ -]{0,80}", "[a-r][0-9]{1,3}-[a-r][0-9]{1,3}", any::<String>()]
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in texts(), variant in 0..4_usize, at in 0..60_usize) {
        let variant = INFO.variant(INFO.variants[variant].id).expect("a variant");
        let game = ChineseCheckers::start(&variant);
        if let Ok(mv) = game.parse_move(actor(&game), &text) {
            prop_assert_eq!(mv.to_string(), text.clone());
        }
        // The text alone, and in place of the rest of a position.
        let start = written(&game);
        for text in [text.clone(), format!("{}{text}", &start[..at])] {
            match ChineseCheckers::parse_position(&variant, &text) {
                Ok(again) => prop_assert_eq!(written(&again), text),
                Err(error) => {
                    prop_assert!(!error.0.is_empty());
                    prop_assert!(error.0.iter().all(|fault| fault.offset <= text.len()));
                }
            }
        }
    }
}
