//! Why moves are refused, each beside a move that is legal.

use super::*;

/// An empty reason: the move is played.
fn check(id: &str, text: &str, mv: &str, expected: &str) {
    let mut game = game(id, text, "");
    let before = game.position();
    let found = game.play(mv).err().map(|refusal| refusal.reason).unwrap_or_default();
    assert_eq!(found, expected, "{text} {mv}\n{}", game.diagram(Observer::Everything));
    assert_eq!(game.position() == before, !expected.is_empty(), "{text} {mv}");
}

#[test]
fn texts_that_are_no_move() {
    let form = "a move is two squares, as in e2e4 and e7e8q, or SAN, as in Nf3";
    let check = |mv: &str, expected: &str| check("standard", "", mv, expected);
    for text in ["", " ", "e", "e2", "e2e", "e2e4e5", "i2i4", "e0e1", "0000", "Nf9", "é2e4", "e2é4"]
    {
        let expected = if text == "e2" { "white's own pawn is on e2" } else { form };
        check(text, expected);
    }
    for text in ["E2E4", "ne2", "Xf3", "N", "Nf", "=Q", "Q", "x", "O-O-", "o-o", "xe4x", "Nabc3"] {
        check(text, form);
    }
    check("e2e4", "");
}

#[test]
fn pieces_and_squares() {
    let check = |mv: &str, expected: &str| check("standard", "", mv, expected);
    check("e3e4", "there is no piece on e3");
    check("e7e5", "the pawn on e7 is black's, and white moves");
    check("g1f3", "");
    check("g1g3", "a knight does not move from g1 to g3");
    check("g1e2", "white's own pawn is on e2");
    check("e1e1", "white's own king is on e1");
    check("a1a3", "a2 is occupied, on the way to a3");
    check("f1c4", "e2 is occupied, on the way to c4");
    check("d1d4", "d2 is occupied, on the way to d4");
    check("a1b3", "a rook does not move from a1 to b3");
    check("f1f3", "a bishop does not move from f1 to f3");
    check("d1e3", "a queen does not move from d1 to e3");
    check("e1e3", "a king does not move from e1 to e3");
    check("e2e4q", "only a pawn on the last rank becomes another piece");
    check("g1f3q", "only a pawn on the last rank becomes another piece");
}

#[test]
fn pawns() {
    let check = |text: &str, mv: &str, expected: &str| check("standard", text, mv, expected);
    let text = "4k3/8/8/3pP3/4p3/2p1p3/3PP3/4K3 w - d6 0 2";
    check(text, "d2d3", "");
    check(text, "d2d4", "");
    check(text, "d2c3", "");
    check(text, "d2e3", "");
    check(text, "e2e3", "e3 is occupied, and a pawn captures diagonally");
    check(text, "e2e4", "e3 is occupied, and a pawn captures diagonally");
    check(text, "e2d3", "d3 is empty, and a pawn captures diagonally");
    check(text, "e2d2", "white's own pawn is on d2");
    check(text, "e5e7", "a pawn does not move from e5 to e7");
    check(text, "e5e4", "a pawn does not move from e5 to e4");
    check(text, "e5f6", "f6 is empty, and a pawn captures diagonally");
    check(text, "e5d6", "");
    let late = "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2";
    let en_passant = "d6 is empty, and en passant is possible only at once after the double step";
    check(late, "e5d6", en_passant);
    let blocked = "4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 2";
    check(blocked, "e2e4", "e4 is occupied, and a pawn captures diagonally");
    check(blocked, "e2e3", "");
    let black = "4k3/4p3/8/8/8/8/8/4K3 b - - 0 2";
    check(black, "e7e5", "");
    check(black, "e7e6", "");
    check(black, "e7e8", "black's own king is on e8");
    check(black, "e7e4", "a pawn does not move from e7 to e4");
}

#[test]
fn promotions() {
    let check = |mv: &str, expected: &str| {
        check("standard", "3n2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", mv, expected);
    };
    let missing = "the promotion is missing: add q, r, b or n";
    check("e7e8", missing);
    check("e8", missing);
    check("e7d8", missing);
    check("exd8", missing);
    for mv in ["e7e8q", "e7e8n", "e8=R", "e8B", "exd8=Q", "e7d8n", "e7xd8=Q", "e7-e8=Q"] {
        check(mv, "");
    }
    check("e7e8k", "a pawn becomes a q, r, b or n");
    check("e7e8p", "a pawn becomes a q, r, b or n");
    check("e7e8x", "a pawn becomes a q, r, b or n");
    check("e7f8q", "f8 is empty, and a pawn captures diagonally");
    check("Kd2=Q", "only a pawn on the last rank becomes another piece");
}

#[test]
fn the_safety_of_the_king() {
    let check = |text: &str, mv: &str, expected: &str| check("standard", text, mv, expected);
    let pinned = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1";
    check(pinned, "e2c3", "the knight is pinned: the king would be in check");
    check(pinned, "e1d1", "");
    check(pinned, "e1e2", "white's own knight is on e2");
    let pinned_rook = "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1";
    check(pinned_rook, "e2d2", "the rook is pinned: the king would be in check");
    check(pinned_rook, "e2e5", "");
    let checked = "4r1k1/8/8/8/8/8/7R/4K3 w - - 0 1";
    check(checked, "h2h8", "the king is in check, and would stay in it");
    check(checked, "h2e2", "");
    check(checked, "e1e2", "the king would be in check on e2");
    check(checked, "e1d1", "");
    let double = "4r1k1/8/8/8/1b6/8/7R/4K3 w - - 0 1";
    check(double, "h2e2", "the king is in check, and would stay in it");
    check(double, "e1d1", "");
    // Both pawns leave the rank between the king and the rook.
    let hidden = "8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1";
    check(hidden, "e5d6", "the pawn is pinned: the king would be in check");
    check(hidden, "e5e6", "");
}

#[test]
fn castling() {
    let check = |text: &str, mv: &str, expected: &str| check("standard", text, mv, expected);
    let free = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for mv in ["e1g1", "e1c1", "O-O", "O-O-O", "0-0", "0-0-0", "e1h1", "e1a1"] {
        check(free, mv, "");
    }
    let no_right = "white has no right to castle kingside: its king or that rook has moved";
    let queenside = "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1";
    check(queenside, "e1g1", no_right);
    check(queenside, "O-O", no_right);
    check(queenside, "e1h1", no_right);
    check(queenside, "e1c1", "");
    let occupied = "r3k2r/8/8/8/8/8/8/RN2KB1R w KQkq - 0 1";
    check(occupied, "e1g1", "f1 is occupied, and castling needs it empty");
    check(occupied, "O-O-O", "b1 is occupied, and castling needs it empty");
    let checked = "r3k2r/8/8/8/4r3/8/8/R3K2R w KQkq - 0 1";
    check(checked, "e1g1", "the king is in check, and cannot castle out of it");
    let attacked = "r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq - 0 1";
    check(attacked, "e1g1", "the king cannot castle through check on f1");
    check(attacked, "O-O-O", "");
    let target = "r3k2r/8/8/8/6r1/8/8/R3K2R w KQkq - 0 1";
    check(target, "e1g1", "the king would be in check on g1");
    // The rook may pass an attacked square, the king not.
    check("r3k2r/8/8/8/1r6/8/8/R3K2R w KQkq - 0 1", "e1c1", "");
    let queenside = "r3k2r/8/8/8/3r4/8/8/R3K2R w KQkq - 0 1";
    check(queenside, "e1c1", "the king cannot castle through check on d1");
    // Squares of castling without a king at home.
    check("4k3/8/8/8/8/8/4K3/7R w - - 0 1", "e2g2", "a king does not move from e2 to g2");
    check("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", "");
}

#[test]
fn castling_in_chess960() {
    let check = |text: &str, mv: &str, expected: &str| check("chess960", text, mv, expected);
    let text = "4k3/8/8/8/8/8/8/R4KR1 w GA - 0 1";
    for mv in ["f1g1", "O-O", "f1a1", "O-O-O"] {
        check(text, mv, "");
    }
    check(text, "f1c1", "a king does not move from f1 to c1");
    check(text, "f1e1", "");
    let usual = "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1";
    check(usual, "e1h1", "");
    check(usual, "e1g1", "castling is written by the squares of the king and of the rook");
    // Castling would uncover the queen on a1.
    let pinned = "4k3/8/8/8/8/8/8/qRK5 w B - 0 1";
    check(pinned, "c1b1", "the king would be in check on c1");
    check("4k3/8/8/8/8/8/8/bRK5 w B - 0 1", "c1b1", "");
    let between = "4k3/8/8/8/8/8/8/RN3KR1 w GA - 0 1";
    check(between, "f1a1", "b1 is occupied, and castling needs it empty");
    check("4k3/8/8/8/8/8/8/2R2K1R w H - 0 1", "f1c1", {
        "white has no right to castle queenside: its king or that rook has moved"
    });
    let through = "4k3/8/8/8/4r3/8/8/R4KR1 w GA - 0 1";
    check(through, "f1a1", "the king cannot castle through check on e1");
    check(through, "f1g1", "");
}

#[test]
fn san_names_the_reason() {
    let check = |text: &str, mv: &str, expected: &str| check("standard", text, mv, expected);
    check("", "Nf3", "");
    check("", "Ng3", "no knight of white can move to g3");
    check("", "Nbf3", "a knight does not move from b1 to f3");
    check("", "Nd2", "white's own pawn is on d2");
    check("", "Qd3", "d2 is occupied, on the way to d3");
    check("", "e5", "a pawn does not move from e2 to e5");
    check("", "exd3", "d3 is empty, and a pawn captures diagonally");
    check("", "Nxf3", "there is nothing to capture on f3");
    check("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", "Nf3", "white has no such knight");
    check("4k3/8/8/8/8/8/8/1N2KR2 w - - 0 1", "Ngf3", "white has no such knight");
    let knights = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
    check(knights, "Nd2", "it fits several moves: b1d2 and f3d2");
    check(knights, "Nbd2", "");
    check(knights, "N1d2", "");
    check(knights, "Nb1d2", "");
    let pinned = "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1";
    check(pinned, "Nge2", "");
    check(pinned, "Ne2", "");
    check(pinned, "Nce2", "the knight is pinned: the king would be in check");
    check(pinned, "Nd5", "the knight is pinned: the king would be in check");
    // Only UCI writes castling by the square of the rook.
    check("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Kh1", "no king of white can move to h1");
}
