//! Properties of random games and random texts.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::reference::Reference;
use super::{generated, read, text_of, variant};
use crate::rules::{MoveSet, Rules};
use crate::xiangqi::{Move, MoveList, Piece, Square, Style, Xiangqi};

/// Different start positions: the normal one, a crowded middlegame, endgames with few pieces.
const STARTS: [&str; 4] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
    "1Cb2a3/3ka4/b3c4/P1P1R3p/6r2/2P3N2/3r4P/4B4/4Anp2/2BAK2R1 b - - 0 1",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn state_matches_the_reference(
        start in 0..STARTS.len(), choices in vec(any::<Index>(), 0..60),
    ) {
        let mut reference = Reference::read(STARTS[start]);
        let mut game = read(STARTS[start]);
        let mut undos = Vec::new();
        for choice in choices {
            check_position(&game, &reference)?;
            let legal: Vec<String> = reference.legal().into_iter().collect();
            if legal.is_empty() || game.outcome().is_some() {
                break;
            }
            let text = choice.get(&legal);
            let before = game.clone();
            let (mv, undo) = game.play(text).expect("a legal move");
            prop_assert_eq!(before.gives_check(mv), game.in_check(), "{} in {}", text, text_of(&before));
            prop_assert_eq!(before.hash_after(mv), Some(game.hash()), "{} in {}", text, text_of(&before));
            undos.push((before, undo));
            reference = reference.after(text);
            prop_assert_eq!(game.hash(), read(&text_of(&game)).hash());
            prop_assert_eq!(&read(&text_of(&game)), &game);
        }
        for (before, undo) in undos.into_iter().rev() {
            game.unmake(undo);
            prop_assert_eq!(&game, &before);
            prop_assert_eq!(text_of(&game), text_of(&before));
        }
    }

    #[test]
    fn reading_any_text_does_not_panic(text in any::<String>()) {
        check_reading(&text);
    }

    #[test]
    fn reading_nearly_valid_text_does_not_panic(
        text in "[rnbakcpRNBAKCP1-9]{1,9}(/[rnbakcpRNBAKCP1-9]{1,6}){8,10} [wbr] - - [0-9]{0,6} ?[0-9]?( moves( [a-i][0-9][a-i][0-9]){0,3})?",
    ) {
        check_reading(&text);
    }

    #[test]
    fn accepted_move_texts_are_legal(
        start in 0..STARTS.len(),
        text in "[a-i][0-9]-?[a-i][0-9]|[KAEBHNRCPkaehrcp+.-][1-9a-e+.KPRC-][+.=-][1-9]|[前中后一二三炮馬兵车][炮卒兵车一二五][进退平][一五５1-9]",
    ) {
        let game = read(STARTS[start]);
        if let Ok(mv) = game.parse_move(&text) {
            prop_assert!(generated(&game, MoveSet::All).contains(&mv.to_string()));
        }
    }
}

fn check_position(game: &Xiangqi, reference: &Reference) -> Result<(), TestCaseError> {
    let text = text_of(game);
    let fen = text.split(" moves").next().unwrap_or_default();
    let legal = reference.legal();
    let mut found = generated(game, MoveSet::All);
    prop_assert_eq!(game.count_moves(), Some(found.len() as u64));
    prop_assert_eq!(game.has_move(), !legal.is_empty());
    let mut list = MoveList::new();
    game.moves(MoveSet::All, &mut list);
    prop_assert_eq!(list.iter().map(Move::to_string).collect::<Vec<_>>(), found.clone());
    found.sort();
    prop_assert_eq!(found, legal.iter().cloned().collect::<Vec<_>>(), "{}", fen);
    prop_assert_eq!(game.in_check(), reference.in_check(reference.red_moves()));
    let mut mirrored = read(&format!("{} - - 0 1", reference.mirrored().text()));
    prop_assert_eq!(mirrored.symmetric_hash(), game.symmetric_hash());
    // A null move changes only the turn.
    if let Some(undo) = mirrored.make_null() {
        prop_assert_ne!(mirrored.symmetric_hash(), game.symmetric_hash());
        mirrored.unmake(undo);
        prop_assert_eq!(mirrored.symmetric_hash(), game.symmetric_hash());
    }
    check_noisy(game)?;
    check_any_move(game, &list)?;
    check_styles(game)
}

/// Captures, or in check all moves.
fn check_noisy(game: &Xiangqi) -> Result<(), TestCaseError> {
    let mut all = Vec::new();
    game.generate(MoveSet::All, &mut all);
    all.retain(|mv| game.in_check() || game.piece_at(mv.to).is_some());
    let mut noisy = Vec::new();
    game.generate(MoveSet::Noisy, &mut noisy);
    prop_assert_eq!(noisy, all);
    Ok(())
}

/// Compares `is_move` with the legal moves for any two points.
fn check_any_move(game: &Xiangqi, legal: &[Move]) -> Result<(), TestCaseError> {
    for from in Square::all() {
        for mv in Square::all().map(|to| Move { from, to }) {
            prop_assert_eq!(game.is_move(mv), legal.contains(&mv), "{}", mv);
        }
    }
    Ok(())
}

/// Every notation of a move reads back.
fn check_styles(game: &Xiangqi) -> Result<(), TestCaseError> {
    if game.outcome().is_some() {
        return Ok(());
    }
    let mut moves = Vec::new();
    game.generate(MoveSet::All, &mut moves);
    for mv in moves {
        for style in [Style::Iccs, Style::Wxf, Style::Chinese] {
            let mut written = String::new();
            game.write_styled(mv, style, &mut written);
            prop_assert_eq!(game.parse_move(&written), Ok(mv), "{}", written);
        }
    }
    Ok(())
}

fn check_reading(text: &str) {
    let start = Xiangqi::start(&variant());
    if let Ok(mv) = start.parse_move(text) {
        assert!(start.is_move(mv));
    }
    match Xiangqi::parse_position(&variant(), text) {
        Ok(game) => {
            assert_eq!(read(&text_of(&game)), game);
            let of = |piece: Piece| game.squares(piece).count() as u32 == game.count(piece);
            assert!(game.pieces().all(|(piece, _)| of(piece)));
        }
        Err(error) => {
            assert!(!error.0.is_empty());
            assert!(error.0.iter().all(|fault| fault.offset <= text.len()));
        }
    }
}
