//! Tests of the shared format code: trees compared with a linked reference tree, and texts.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A tree with these depths; move texts are `m0`, `m1`, ….
fn tree(depths: &[usize]) -> GameTree {
    let mut tree = GameTree::new(LocationUnit::Bytes);
    for (index, depth) in depths.iter().enumerate() {
        tree.add(*depth, &format!("m{index}"), index * 2).unwrap();
    }
    tree
}

fn names<'a>(nodes: impl Iterator<Item = Node<'a>>) -> Vec<usize> {
    nodes.map(|node| node.mv[1..].parse().unwrap()).collect()
}

#[test]
fn depths_determine_the_lines() {
    let check = |depths: &[usize], main: &[usize], lines: &[&[usize]]| {
        let tree = tree(depths);
        assert_eq!(names(tree.main_line()), main, "{depths:?}");
        assert_eq!(tree.lines(), lines.len(), "{depths:?}");
        for (number, line) in lines.iter().enumerate() {
            let only = tree.extract_line(number).unwrap();
            assert_eq!(names(only.nodes()), *line, "{depths:?}, line {number}");
            assert_eq!(only.lines(), 1);
        }
        assert_eq!(tree.extract_line(lines.len()), None, "{depths:?}");
    };
    check(&[], &[], &[]);
    check(&[1], &[0], &[&[0]]);
    check(&[1, 2, 3], &[0, 1, 2], &[&[0, 1, 2]]);
    check(&[1, 2, 2], &[0, 1], &[&[0, 1], &[0, 2]]);
    check(&[1, 1], &[0], &[&[0], &[1]]);
    check(&[1, 2, 3, 2, 3, 3, 1], &[0, 1, 2], &[&[0, 1, 2], &[0, 3, 4], &[0, 3, 5], &[6]]);
    // A gap is closed: no move is deeper than a child of the previous move.
    check(&[5, 9, 0], &[0, 1], &[&[0, 1], &[2]]);
}

#[test]
fn evaluations_and_times_are_comments() {
    let check = |score: i32, depth: u32, expected: &str| {
        assert_eq!(Evaluation { score, depth }.text(), expected);
    };
    check(35, 12, "+0.35/12");
    check(-1204, 3, "-12.04/3");
    check(0, 0, "+0.00");
    // Five moves of the winner and four of the loser; the smallest win, and the near miss.
    check(29_991, 12, "+M5/12");
    check(-29_990, 1, "-M5/1");
    check(30_000, 1, "+M0/1");
    check(29_000, 1, "+M500/1");
    check(28_999, 1, "+289.99/1");
    check(i32::MIN, 1, "-M0/1");

    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.add(1, "a1", 0).unwrap();
    tree.set_used_ms(1205);
    tree.set_evaluation(Evaluation { score: -7, depth: 4 });
    tree.add_comment("a threat").unwrap();
    tree.set_label("A").unwrap();
    tree.set_mark(Mark::Good).unwrap();
    tree.add(2, "b2", 0).unwrap();
    tree.set_used_ms(30);
    tree.add(3, "c3", 0).unwrap();
    let evaluations: Vec<_> = tree.nodes().map(|it| it.evaluation.map(|it| it.score)).collect();
    assert_eq!(evaluations, [Some(-7), None, None]);
    let commented = tree.with_measurements_as_comments().unwrap();
    let comments: Vec<_> = commented.nodes().map(|it| it.comment).collect();
    assert_eq!(comments, [Some("-0.07/4 1.205s a threat"), Some("0.030s"), None]);
    let first = commented.node(0).unwrap();
    assert_eq!((first.mv, first.label, commented.mark(0)), ("a1", Some("A"), Some(Mark::Good)));
    assert_eq!((first.used_ms, first.evaluation), (None, None));
    // A part of the game keeps them.
    assert_eq!(tree.extract_line(0).unwrap(), tree);
}

#[test]
fn moves_can_come_before_a_game() {
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.start = Some("after".into());
    tree.add(1, "c3", 0).unwrap();
    tree.set_used_ms(30);
    tree.add(2, "d4", 0).unwrap();
    tree.add_comment("well").unwrap();
    tree.add(1, "a1", 0).unwrap();
    let longer = tree.with_moves_before(&["a1", "b2"], None).unwrap();
    let nodes: Vec<_> =
        longer.nodes().map(|it| (it.depth, it.mv, it.used_ms, it.comment)).collect();
    let expected = [
        (1, "a1", None, None),
        (2, "b2", None, None),
        (3, "c3", Some(30), None),
        (4, "d4", None, Some("well")),
        (3, "a1", None, None),
    ];
    assert_eq!((nodes.as_slice(), longer.start.as_ref()), (&expected[..], None));
    assert_eq!(tree.with_moves_before(&[], tree.start.clone()).unwrap(), tree);
}

#[test]
fn texts_belong_to_their_moves() {
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.add_comment(" the whole \n").unwrap();
    tree.add_comment("").unwrap();
    tree.add_comment("of it").unwrap();
    tree.set_label("nowhere").unwrap();
    tree.add(1, "a1", 7).unwrap();
    tree.add_comment("one").unwrap();
    tree.set_label("A").unwrap();
    tree.set_mark(Mark::Dubious).unwrap();
    tree.set_mark(Mark::Good).unwrap();
    tree.add_comment("more").unwrap();
    tree.add(2, "b2", 8).unwrap();
    tree.set_used_ms(30);
    tree.add(2, "c3", 9).unwrap();
    tree.add_comment("last").unwrap();
    assert_eq!(tree.comment.as_deref(), Some("the whole\nof it"));
    assert_eq!(tree.annotation_counts(), [3, 1, 1]);
    let annotations: Vec<_> =
        tree.nodes().map(|it| (it.mv, it.comment, it.label, it.used_ms)).collect();
    assert_eq!(
        annotations,
        [
            ("a1", Some("one\nmore"), Some("A"), None),
            ("b2", None, None, Some(30)),
            ("c3", Some("last"), None, None)
        ]
    );
    assert_eq!(tree.node(1).unwrap().location, Location::Line(8));
    assert_eq!(tree.node(3), None);

    let marks = |tree: &GameTree| (0..3).map(|index| tree.mark(index)).collect::<Vec<_>>();
    assert_eq!((marks(&tree), tree.mark_count()), (vec![Some(Mark::Dubious), None, None], 1));

    let only = tree.extract_line(1).unwrap();
    assert_eq!(marks(&only), [Some(Mark::Dubious), None, None]);
    let annotations: Vec<_> = only.nodes().map(|it| (it.mv, it.comment, it.location)).collect();
    let expected =
        [("a1", Some("one\nmore"), Location::Line(7)), ("c3", Some("last"), Location::Line(9))];
    assert_eq!(annotations, expected);
    assert_eq!(only.annotation_counts(), [3, 1, 0]);
    assert_eq!(only.comment, tree.comment);
}

#[test]
fn a_tree_rejects_moves_before_its_counters_overflow() {
    let mut deep = GameTree::new(LocationUnit::Lines);
    for depth in 1..=65_535 {
        deep.add(depth, "a1", 1).unwrap();
    }
    assert_eq!(deep.add(65_536, "a1", 1), Err(TreeFull));
    assert_eq!(deep.add(65_535, "a1", 1), Ok(()));
    let mut wide = GameTree::new(LocationUnit::Lines);
    for number in 0..=65_535 {
        wide.add(1, &number.to_string(), 1).unwrap();
    }
    assert_eq!(wide.add(1, "another", 1), Err(TreeFull));
    assert_eq!(wide.add(1, "65535", 1), Ok(()));
}

/// Reference tree with links: the parent of each move.
fn parents(depths: &[usize]) -> Vec<Option<usize>> {
    let mut last = BTreeMap::new();
    let mut deepest = 0;
    let mut parents = Vec::new();
    for (index, depth) in depths.iter().enumerate() {
        let depth = (*depth).clamp(1, deepest + 1);
        parents.push(last.get(&(depth - 1)).copied());
        last.insert(depth, index);
        deepest = depth;
    }
    parents
}

fn path(parents: &[Option<usize>], leaf: usize) -> Vec<usize> {
    let mut path = vec![leaf];
    while let Some(parent) = parents[path[path.len() - 1]] {
        path.push(parent);
    }
    path.reverse();
    path
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_equals_a_linked_reference_tree(depths in vec(0usize..6, 0..40), removed in any::<u64>()) {
        let (tree, parents) = (tree(&depths), parents(&depths));
        let leaves: Vec<usize> =
            (0..parents.len()).filter(|it| !parents.contains(&Some(*it))).collect();
        prop_assert_eq!(tree.lines(), leaves.len());
        for (line, leaf) in leaves.iter().enumerate() {
            let only = tree.extract_line(line).unwrap();
            prop_assert_eq!(names(only.nodes()), path(&parents, *leaf));
        }
        let later = |index: usize| parents[index + 1..].contains(&parents[index]);
        let have: Vec<bool> = (0..parents.len()).map(later).collect();
        prop_assert_eq!(tree.have_later_siblings(), have);

        let out = |index: usize| removed >> index & 1 == 1;
        let kept: Vec<usize> =
            (0..parents.len()).filter(|it| !path(&parents, *it).into_iter().any(out)).collect();
        let without = tree.without_moves(out);
        prop_assert_eq!(names(without.nodes()), kept.clone());
        for node in without.nodes() {
            let number: usize = node.mv[1..].parse().unwrap();
            prop_assert_eq!(node.depth, path(&parents, number).len());
        }
    }

    #[test]
    fn quoted_excerpts_are_printable(bytes in vec(any::<u8>(), 0..200)) {
        let excerpt = excerpt(&bytes);
        prop_assert!(excerpt.len() < 400 && !excerpt.chars().any(char::is_control), "{excerpt}");
        let line = one_line(&decode(&bytes)).unwrap_or_default();
        prop_assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn lines_end_with_lf_or_crlf() {
    let check = |text: &[u8], expected: &[&str]| {
        let found: Vec<_> = lines(text).map(|(_, line)| decode(line).into_owned()).collect();
        assert_eq!(found, expected);
    };
    check(b"a\nb\r\n\nc", &["a", "b", "", "c"]);
    check(b"", &[""]);
    check("\u{feff}a\u{e9}".as_bytes(), &["a\u{e9}"]);
    check(b"a\xe9", &["a\u{e9}"]);
}
