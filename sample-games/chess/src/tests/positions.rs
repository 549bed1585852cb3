//! Position texts, and what is wrong with others.

use super::*;

/// The text that is written for a text that is read.
fn check_written(id: &str, text: &str, expected: &str) {
    let read = position(id, text);
    assert_eq!(position_text(&read), expected, "{text}");
    assert_eq!(position(id, expected), read, "{text}");
}

#[test]
fn position_texts_are_read_back() {
    let same = |id: &str, text: &str| check_written(id, text, text);
    same("standard", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    same("chess960", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    same("standard", "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3");
    same("standard", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 65535");
    same("chess960", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBb - 99 7");
    same("standard", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1 moves a1a2 e8e7");
    same("chess960", "4k3/8/8/8/8/8/8/4K2R w H - 7 9 moves e1h1 e8e7");
}

#[test]
fn position_texts_are_made_canonical() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let check = check_written;
    // Fields at the end may be missing, as in EPD.
    check("standard", &format!("{start} w"), &format!("{start} w - - 0 1"));
    check("standard", &format!("{start} w KQkq -"), &format!("{start} w KQkq - 0 1"));
    check("standard", &format!("  {start}  b  kQ "), &format!("{start} b Qk - 0 1"));
    check("standard", &format!("{start} w HAha - 3 0"), &format!("{start} w KQkq - 3 1"));
    check("standard", "4k3/8/8/8/8/8/8/1111K111 w", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    // A square en passant on which no pawn can capture.
    let far = "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1";
    check("standard", far, "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    let pinned = "8/8/8/8/1R2Pp1k/8/8/4K3 b - e3 0 1";
    check("standard", pinned, "8/8/8/8/1R2Pp1k/8/8/4K3 b - - 0 1");
    // X-FEN: `K` and `Q` are the outermost rooks.
    let rooks = "rr2k1rr/8/8/8/8/8/8/RR2K1RR w";
    check("chess960", &format!("{rooks} KQkq - 0 1"), &format!("{rooks} HAha - 0 1"));
    check("chess960", &format!("{rooks} GQkb - 0 1"), &format!("{rooks} GAhb - 0 1"));
    check(
        "chess960",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    );
}

#[test]
fn moves_are_written_from_the_last_irreversible_one() {
    let check = |id: &str, moves: &str, expected: &str| {
        let played = game(id, "", moves);
        assert_eq!(played.position(), expected, "{moves}");
        assert_eq!(game(id, expected, "").hash(), played.hash());
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let pawn = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    check("standard", "Nf3 Nc6", &format!("{start} w KQkq - 0 1 moves g1f3 b8c6"));
    check("standard", "e4", &format!("{pawn} b KQkq - 0 1"));
    check("chess960", "e4", &format!("{pawn} b HAha - 0 1"));
    check("standard", "e4 Nc6", &format!("{pawn} b KQkq - 0 1 moves b8c6"));
    let italian = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    let moves = "g1f3 b8c6 f1c4 g8f6";
    let check_castling = |id: &str, rights: &str, castling: &str| {
        let expected = format!("{italian} {rights} - 0 2 moves {moves} {castling}");
        check(id, "e4 e5 Nf3 Nc6 Bc4 Nf6 O-O", &expected);
    };
    check_castling("standard", "KQkq", "e1g1");
    check_castling("chess960", "HAha", "e1h1");
}

#[test]
fn start_positions_have_numbers() {
    let check = |number: u32, expected: &str| {
        let start = Chess::start_position(number).unwrap();
        assert!(start.fen().starts_with(&expected.to_ascii_lowercase()), "{}", start.fen());
        assert_eq!(position("chess960", &number.to_string()), start);
    };
    // The ends of Scharnagl's table, and the usual position.
    check(0, "BBQNNRKR");
    check(518, "RNBQKBNR");
    check(959, "RKRNNQBB");
    assert_eq!(position("chess960", ""), Chess::start_position(518).unwrap());
    assert_eq!(position("chess960", "518 moves e2e4"), {
        let mut game = position("chess960", "");
        game.play("e2e4").unwrap();
        game
    });
    let mut texts: Vec<String> =
        (0..960).map(|number| Chess::start_position(number).unwrap().fen()).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 960);
    assert!(Chess::start_position(960).is_none());
}

/// All faults of a text.
fn check_faults(id: &str, text: &str, expected: &[(usize, &str)]) {
    let faults = Chess::parse_position(&variant(id), text).err().map(|error| error.0);
    let faults: Vec<(usize, String)> =
        faults.into_iter().flatten().map(|fault| (fault.offset, fault.reason)).collect();
    let expected: Vec<(usize, String)> =
        expected.iter().map(|(offset, reason)| (*offset, (*reason).to_owned())).collect();
    assert_eq!(faults, expected, "{text}");
}

#[test]
fn faults_of_the_pieces_have_their_place() {
    let check = |text: &str, expected: &[(usize, &str)]| check_faults("standard", text, expected);
    check("", &[(0, "the text is empty; expected the pieces, the side to move and - - 0 1")]);
    check("4k3/8/8/8/8/8/8/4K3", &[(19, "the side to move is missing; expected w or b")]);
    check("4k3/8/8/8/8/8/8/4K3 x", &[(20, "the side to move is neither w nor b")]);
    check("4k3/8/8/8/8/8/4K3 w", &[(0, "7 ranks instead of 8")]);
    check("4k3/8/8/8/8/8/8/8/4K3 w", &[(0, "9 ranks instead of 8")]);
    check("4k2/8/8/8/8/8/8/4K3 w", &[(0, "rank 8 has 7 squares instead of 8")]);
    check("4k3/8/8/8/8/8/9/4K3 w", &[(14, "rank 2 has 9 squares instead of 8")]);
    check("4k3/8/8/8/8/8/8/4K3P w", &[(16, "rank 1 has 9 squares instead of 8")]);
    check("4k3/8/8/x7/8/7é/8/4K3 w", &[(8, "`x` is not a piece"), (14, "`é` is not a piece")]);
    check("4k3/8/8/8/8/8/8/4K2P w", &[(19, "a pawn cannot be on rank 1")]);
    check("4k3/7p/8/8/8/8/7P/4K3 w", &[]);
    check("8/8/8/8/8/8/8/8 b", &[(0, "white has no king"), (0, "black has no king")]);
    check("4k3/8/8/8/8/8/8/4KK2 w", &[(0, "white has 2 kings")]);
    check("4k3/pppppppp/p7/8/8/8/8/4K3 w", &[(0, "black has 9 pawns; at most 8")]);
    check("7k/8/8/8/8/8/NNNNNNNN/NNNNKNNN b", &[]);
    let knights = "7k/8/8/8/8/N7/NNNNNNNN/NNNNKNNN b";
    check(knights, &[(0, "white has 17 pieces; at most 16")]);
    // Several faults, in the order of the text.
    let short = (0, "rank 8 has 7 squares instead of 8");
    check("4k2/8/8/8/8/8/8/4K3 W", &[short, (20, "the side to move is neither w nor b")]);
}

#[test]
fn kings_in_check() {
    let check = |text: &str, expected: &[(usize, &str)]| check_faults("standard", text, expected);
    check("4k3/8/8/8/8/8/8/4K2r w - - 0 1", &[]);
    let moved = [(21, "white is in check while black moves")];
    check("4k3/8/8/8/8/8/8/4K2r b - - 0 1", &moved);
    check("8/8/8/8/8/3k4/4K3/8 w - - 0 1", &[(20, "the kings are beside each other")]);
    check("8/8/8/8/3k4/8/4K3/8 w - - 0 1", &[]);
    let three = "4k3/8/8/4r3/1b6/3n4/8/4K3 w - - 0 1";
    check(three, &[(26, "white is in check by 3 pieces at once")]);
    check("4k3/8/8/4r3/1b6/8/8/4K3 w - - 0 1", &[]);
}

#[test]
fn faults_of_rights_have_their_place() {
    let check = |id: &str, text: &str, expected: &[(usize, &str)]| check_faults(id, text, expected);
    let rooks = "r3k2r/8/8/8/8/8/8/R3K1R1 w ";
    let fault = |rights: &str, at: usize, id: &str, reason: &str| {
        check(id, &format!("{rooks}{rights} - 0 1"), &[(rooks.len() + at, reason)]);
    };
    fault("K", 0, "standard", "white has no rook on h1 to castle with");
    fault("Qkqk", 3, "standard", "this side is named twice");
    fault("Qx", 1, "standard", "castling rights are -, or letters of KQkq");
    fault("QG", 1, "standard", "castling rights are -, or letters of KQkq");
    fault("Qx", 1, "chess960", "castling rights are -, or letters of KQkq or files");
    fault("QF", 1, "chess960", "white has no rook on f1 to castle with");
    fault("KG", 1, "chess960", "this side is named twice");
    check("chess960", &format!("{rooks}KQkq - 0 1"), &[]);
    check("standard", &format!("{rooks}Qkq - 0 1"), &[]);
    let moved = "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1";
    let home = "white cannot castle: its king is on d1, not on e1";
    check("standard", moved, &[(24, home), (25, home)]);
    check("chess960", moved, &[]);
    let away = "4k3/8/8/8/8/8/4K3/R6R w Q - 0 1";
    check("chess960", away, &[(24, "white cannot castle: its king is on e2")]);
    let one_side = "4k3/8/8/8/8/8/8/R3K3 w K - 0 1";
    check("chess960", one_side, &[(23, "white has no rook on that side")]);
}

#[test]
fn faults_of_the_other_fields_have_their_place() {
    let check = |text: &str, expected: &[(usize, &str)]| check_faults("standard", text, expected);
    let en_passant = |pieces: &str, rest: &str, reason: Option<&str>| {
        let text = format!("{pieces} {rest} 0 1");
        let at = text.len() - 6;
        let expected: Vec<(usize, &str)> = reason.map(|reason| (at, reason)).into_iter().collect();
        check(&text, &expected);
    };
    let passed = Some("no pawn of white can have passed e3 with the last move");
    en_passant("4k3/8/8/8/3pP3/8/8/4K3", "b - e3", None);
    en_passant("4k3/8/8/8/3p4/8/8/4K3", "b - e3", passed);
    en_passant("4k3/8/8/8/3pP3/8/4P3/4K3", "b - e3", passed);
    en_passant("4k3/8/8/8/3pP3/4N3/8/4K3", "b - e3", passed);
    let other = Some("no pawn of black can have passed e3 with the last move");
    en_passant("4k3/8/8/8/3pP3/8/8/4K3", "w - e3", other);
    en_passant(
        "4k3/8/8/8/3pP3/8/8/4K3",
        "b - 3e",
        Some("the square en passant is neither - nor a square"),
    );
    let kings = "4k3/8/8/8/8/8/8/4K3 w - -";
    let plies = "the count of plies without a capture or pawn move is not a number from 0 to 100";
    check(&format!("{kings} 100 1"), &[]);
    check(&format!("{kings} 101 1"), &[(kings.len() + 1, plies)]);
    check(&format!("{kings} x 1"), &[(kings.len() + 1, plies)]);
    let number = "the move number is not a number from 0 to 65535";
    check(&format!("{kings} 0 65536"), &[(kings.len() + 3, number)]);
    let more = "only `moves` and moves may follow the move number";
    check(&format!("{kings} 0 1 e1e2"), &[(kings.len() + 5, more)]);
    let text = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1 moves e1d1 e1e2";
    check(text, &[(42, "after 1 moves `e1e2` is refused: there is no piece on e1")]);
    check("518", &[(0, "only the variant chess960 has numbers of start positions")]);
    check_faults("chess960", "960", &[(0, "start positions are 0 to 959")]);
    check_faults("chess960", "99999999999999999999", &[(0, "start positions are 0 to 959")]);
    let long = "8".repeat(70_000);
    check(&long, &[(65_536, "the text has 70000 bytes; at most 65536")]);
}
