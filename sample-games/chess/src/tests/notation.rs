//! SAN: written, and read again.

use super::*;

/// The SAN of a move that UCI names; it is read back.
fn check(id: &str, text: &str, uci: &str, expected: &str) {
    let position = position(id, text);
    let mv = position.parse_move(uci).unwrap_or_else(|reason| panic!("{uci}: {reason}"));
    assert_eq!(position.san(mv), expected, "{uci} in {text}");
    assert_eq!(position.parse_san(expected), Ok(mv), "{expected} in {text}");
    assert_eq!(position.parse_move(expected), Ok(mv), "{expected} in {text}");
}

#[test]
fn san_of_moves() {
    let standard = |text: &str, uci: &str, expected: &str| check("standard", text, uci, expected);
    standard("", "e2e4", "e4");
    standard("", "g1f3", "Nf3");
    standard("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5");
    standard("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6");
    standard("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5", "Nxd5");
    standard("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q+");
    standard("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a8=N");
    standard("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r", "axb8=R+");
    standard("6k1/5ppp/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O");
    standard("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+");
    standard("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", "O-O-O");
    standard("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f8", "Qf8#");
    standard("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", "Qf7");
}

#[test]
fn origins_distinguish_pieces() {
    let standard = |text: &str, uci: &str, expected: &str| check("standard", text, uci, expected);
    let files = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
    standard(files, "b1d2", "Nbd2");
    standard(files, "f3d2", "Nfd2");
    let ranks = "R7/4k3/8/8/8/8/8/R3K3 w - - 0 1";
    standard(ranks, "a1a4", "R1a4");
    standard(ranks, "a1b1", "Rb1");
    let both = "8/2k5/8/8/4Q2Q/8/8/K6Q w - - 0 1";
    standard(both, "h4e1", "Qh4e1");
    standard(both, "h1e1", "Q1e1");
    standard(both, "e4e1", "Qee1");
    // A pinned piece needs no distinction.
    standard("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2");
    // Two pawns capture on one square.
    standard("4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", "c4d5", "cxd5");
}

#[test]
fn castling_in_chess960() {
    let chess960 = |text: &str, uci: &str, expected: &str| check("chess960", text, uci, expected);
    let text = "3k4/8/8/8/8/8/8/R4KR1 w GA - 0 1";
    chess960(text, "f1g1", "O-O");
    chess960(text, "f1a1", "O-O-O+");
    chess960(text, "f1e1", "Ke1");
    let beside = "k7/8/8/8/8/8/8/1RK5 w B - 0 1";
    chess960(beside, "c1b1", "O-O-O");
    chess960(beside, "c1d1", "Kd1");
}

#[test]
fn other_spellings_are_read() {
    let check = |text: &str, other: &str, san: &str| {
        let position = position("standard", text);
        let mv = position.parse_san(other).unwrap_or_else(|reason| panic!("{other}: {reason}"));
        assert_eq!(position.san(mv), san, "{other}");
    };
    check("", "Ng1f3", "Nf3");
    check("", "Ngf3+", "Nf3");
    check("", "Ng1-f3!?", "Nf3");
    check("", "e2-e4", "e4");
    check("", "e2e4", "e4");
    check("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8Q", "a8=Q+");
    check("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "Nd5", "Nxd5");
    check("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "ed5", "exd5");
    check("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "0-0", "O-O");
    check("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "0-0-0#", "O-O-O");
}
