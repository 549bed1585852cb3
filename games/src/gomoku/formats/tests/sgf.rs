//! SGF case by case: points, trees, escapes and errors.

use super::{check, check_asked, game, written};
use crate::formats::Mark;

#[test]
fn points_are_counted_from_the_top() {
    let corners = "(;GM[4]SZ[15];B[aa];W[oa];B[ao];W[oo];B[hg])";
    check("sgf", corners, "15: a15 o15 a1 o1 h9");
    check("sgf", corners.replace("15", "22"), "22: a22 o22 a8 o8 h16");
    check("sgf", "(;GM[4]SZ[22];B[vv];W[tt])", "22: v1 t3");
    // Without a size, the requested one applies, or else the default.
    check("sgf", "(;;B[aa])", "15: a15");
    check_asked("sgf", "(;;B[aa])", "freestyle-19", "19: a19");
    check_asked("sgf", "(;SZ[7];B[aa])", "freestyle-19", "7: a7");
}

#[test]
fn empty_values_and_tt_are_passes() {
    check("sgf", "(;SZ[15];B[];W[tt];B[aa])", "15: pass pass a15");
    check("sgf", "(;SZ[20];B[tt])", "20: t1");
    assert!(written("sgf", &game("pass a15"), "freestyle-15").contains(";B[];W[aa]"));
}

#[test]
fn variations_are_a_tree() {
    let check = |moves: &str, expected: &str| {
        check("sgf", format!("(;SZ[5]{moves})"), &format!("5: {expected}"));
    };
    check(";B[aa](;W[ba];B[ca])(;W[da](;B[ea])(;B[eb]))", "a5 b5 c5 2.d5 e5 3.e4");
    check("(;B[aa];W[bb])(;B[cc])", "a5 b4 1.c3");
    check(" ; B [ aa ]\n ( ;W[ba] ) ", "a5 b5");
    // Early versions allow lower-case letters in property names.
    check(";Black[aa];White[ba]", "a5 b5");
}

#[test]
fn comments_belong_to_their_nodes() {
    let check = |moves: &str, expected: &str| {
        check("sgf", format!("(;SZ[5]{moves})"), &format!("5: {expected}"));
    };
    check(
        "C[root];C[more];B[aa]C[a];C[b](;W[ba]C[c])(;C[d];W[ca]C[e])",
        "\"root\\nmore\" a5\"a\\nb\" b5\"c\" 2.c5\"d\\ne\"",
    );
    check(";B[aa]C[\\[x\\]\\\\ \\:y\\\nz\r\nq\tt]", "a5\"[x]\\\\ :yz\\nq t\"");
    // A control character becomes a space, escaped or not; trailing spaces are removed.
    check(";B[aa]C[x\\\u{8}y\\\u{8}]", "a5\"x y\"");
    check(";B[aa]LB[bb:no][aa:A1]LB[cc:no]", "a5=A1");
    check(";B[aa]LB[aa:\\:\\]]", "a5=:]");
    check(";B[aa]C[\u{e9}\u{4e94}]", "a5\"\u{e9}\u{4e94}\"");
    let latin = b"(;SZ[5];B[aa]C[\xe9])";
    super::check("sgf", latin, "5: a5\"\u{e9}\"");
}

#[test]
fn the_root_has_the_metadata() {
    check(
        "sgf",
        "junk (no) (;FF[4]GM[4]SZ[15:15]RU[Standard]PB[Ada\nL]PW[]RE[W+Resign]DT[2026];B[aa]) x",
        "15: Standard: Ada L-? Some(1) Resignation a15",
    );
    let result = |text: &str, expected: &str| {
        let gap = if expected.is_empty() { "" } else { " " };
        check("sgf", format!("(;SZ[5]RE[{text}])"), &format!("5:{gap}{expected}"));
    };
    result("B+", "Some(0) Unspecified");
    result("b+R", "Some(0) Resignation");
    result("W+Time", "Some(1) Time");
    result("W+F", "Some(1) Forfeit");
    result("B+5", "Some(0) Unspecified");
    for draw in ["0", "Draw", "B+Draw"] {
        result(draw, "None Unspecified");
    }
    for unknown in ["?", "Void", "", "x+"] {
        result(unknown, "");
    }
}

#[test]
fn start_stones_are_read_as_a_position() {
    let check = |root: &str, expected: &str| {
        check("sgf", format!("(;SZ[5]{root})"), &format!("5: {expected}"));
    };
    check("AB[aa][cc]AW[ea];W[ab]", "<x3o/5/2x2/5/5 w> a4");
    check("AB[aa:ba]AW[ab:cc]AE[bb];B[ee]", "<xx3/o1o2/ooo2/5/5 b> e1");
    check(";AB[aa];W[ee]", "<x4/5/5/5/5 w> e1");
    // The side to move comes from PL, else from the first move, else from the number of stones.
    check("AB[aa]PL[B];B[ee]", "<x4/5/5/5/5 b> e1");
    check("AB[aa]", "<x4/5/5/5/5 w>");
    check("AB[aa]AW[bb]", "<x4/1o3/5/5/5 b>");
    check(";W[aa];B[bb]", "<5/5/5/5/5 w> a5 b4");
    check("PL[B];B[aa]", "a5");
}

#[test]
fn faults_are_reported_with_their_line() {
    let check = |text: &str, expected: &str| check("sgf", text, expected);
    let none = "the file has no game: `(;` is missing";
    check("", &format!("line 1: {none}"));
    check("(\n\n)", &format!("line 3: {none}"));
    check("(;SZ[5]\n;B[aa]", "line 2: the file ends inside a game: `)` is missing");
    check(
        "(;SZ[5]\n;B[aa\n\n",
        "line 2: the file ends inside the value that starts here: `]` is missing",
    );
    check("(;SZ[5]C[\\", "line 1: the file ends inside the value that starts here: `]` is missing");
    check("(;\n;B;W[aa])", "line 2: the property B has no value: `[` is missing");
    check("(;\nFF)", "line 2: the property FF has no value: `[` is missing");
    check("(;GM[1])", "line 1: game `1` is not gomoku, which is GM[4]");
    check(
        "(;\nSZ[4])",
        "line 2: `4` of SZ is not a board size: boards are square, of size 5 to 22",
    );
    check(
        "(;SZ[15:19])",
        "line 1: `15:19` of SZ is not a board size: boards are square, of size 5 to 22",
    );
    check("(;SZ[5];\nB[fa])", "line 2: `fa` of B is not a point: expected two letters a to e");
    check("(;SZ[5];\nB[a])", "line 2: `a` of B is not a point: expected two letters a to e");
    check("(;SZ[5];B[AA])", "line 1: `AA` of B is not a point: expected two letters a to e");
    check("(;SZ[5];B[tt])", "5: pass");
    check("(;SZ[20];B[uu])", "line 1: `uu` of B is not a point: expected two letters a to t");
    check("(;SZ[5]AB[aa:f])", "line 1: `aa:f` of AB is not a point: expected two letters a to e");
    check("(;SZ[5];B[aa]\nB[bb])", "line 2: a second B in one node");
    check("(;SZ[5];B[aa][bb])", "line 1: a second B in one node");
    check("(;SZ[5];B[aa]W[bb])", "line 1: B and W in one node");
    check("(;SZ[5];B[aa];\nB[bb])", "line 2: move 2 is black's, not white's");
    check("(;SZ[5]PL[B];W[aa])", "line 1: move 1 is white's, not black's");
    check("(;SZ[5];B[aa](;W[bb])\n(;B[bb]))", "line 2: move 2 is black's, not white's");
    check("(;SZ[5]PL[x])", "line 1: `x` of PL is neither B nor W");
    check("(;SZ[5];B[aa]\n;AW[bb])", "line 2: AW changes the board after moves");
    check("(;SZ[5](;B[aa])\n;W[bb])", "line 2: a node after the variations of its line");
    check("(;SZ[5](\n))", "line 2: a variation must start with a node: `(;`");
    let sign = "is not a property, a node, or the start or end of a variation";
    check("(;SZ[5]\n=)", &format!("line 2: `=` {sign}"));
    let many = format!("(;AB{}", "[aa]".repeat(1453));
    check(&many, "line 1: more values in one node than a board has points");
}

#[test]
fn deep_and_wide_files_are_handled() {
    let nested = format!("{}{}", "(;".repeat(65_536), ")".repeat(65_536));
    check("sgf", nested, "15:");
    let too_deep = "(;".repeat(1_000_000);
    check("sgf", too_deep, "line 1: too many nested variations");
    let long = format!("(;{}", ";B[aa];W[bb]".repeat(40_000));
    let full = "line 1: the game has too many moves or too many different moves";
    check("sgf", long, full);
    // Many comments on one node are joined without copying each time.
    let comments = format!("(;{};B[aa]{})", ";C[x]".repeat(200_000), ";C[y]".repeat(200_000));
    let found = super::read("sgf", comments.as_bytes(), "").unwrap();
    assert_eq!(found[0].comment.as_ref().map(String::len), Some(399_999));
    assert_eq!(found[0].node(0).unwrap().comment.map(str::len), Some(399_999));
}

#[test]
fn a_tree_is_written_with_its_variations() {
    let mut tree = game("a5 b5 c5");
    tree.names = vec![Some("A]".into()), None];
    tree.add_comment("x:y").unwrap();
    tree.set_mark(Mark::Good).unwrap();
    tree.add(2, "d5", 1).unwrap();
    tree.set_label("A").unwrap();
    tree.add(3, "e5", 1).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        written("sgf", &tree, "standard-5"),
        format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Sandboard:{version}]SZ[5]RU[standard]PB[A\\]]\n;B[aa]\n\
             (;W[ba];B[ca]TE[1]C[x\\:y])\n(;W[da]LB[da:A];B[ea]))\n"
        )
    );
    let mut started = game("a1");
    started.start = Some("x4/1o3/5/5/5 w".into());
    let text = written("sgf", &started, "standard-5");
    assert!(text.contains("AB[aa]AW[bb]PL[W]\n;W[ae])"), "{text}");
    check("sgf", &text, "5: standard: <x4/1o3/5/5/5 w> a1");
    started.start = Some("nothing".into());
    let error = written("sgf", &started, "standard-5");
    assert!(error.starts_with("start position: at byte 0: "), "{error}");
}
