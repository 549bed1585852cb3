//! Reads studies: trees of moves with comments and marks, as the analysis board saves them. Checks
//! their form only; the rules check the moves like those of any file.

use sandboard_common::text::quoted;
use sandboard_games::formats::{GameTree, LocationUnit, Mark, TreeFull};
use sandboard_games::{GameInfo, Games};
use serde::Deserialize;

/// The value of the field `format`.
const FORMAT: &str = "sandboard-study";
/// The version of the format.
const VERSION: u32 = 1;

/// Why a study cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The file is not JSON of this form.
    #[error("the study: {0}")]
    Json(#[from] serde_json::Error),
    /// The version is unknown.
    #[error("unknown study version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// No game has this id.
    #[error("unknown game {0}")]
    Game(String),
    /// The game has no such variant.
    #[error("unknown variant {0}")]
    Variant(String),
    /// A move is deeper than a continuation of the move before it.
    #[error("node {node}: depth {depth} is not 1 to {deepest}")]
    Depth {
        /// The number of the node, from 1.
        node: usize,
        /// The depth that the file gives it.
        depth: usize,
        /// The depth of a continuation of the node before it.
        deepest: usize,
    },
    /// A mark is none of the known ones.
    #[error("node {node}: unknown mark {mark}")]
    Mark {
        /// The number of the node, from 1.
        node: usize,
        /// The mark, quoted.
        mark: String,
    },
    /// The study has too many texts.
    #[error(transparent)]
    Full(#[from] TreeFull),
}

/// The first fields of every file of ours.
#[derive(Deserialize)]
struct Head {
    format: String,
}

#[derive(Deserialize)]
struct Study {
    version: u32,
    game: String,
    variant: String,
    #[serde(default)]
    start: Option<String>,
    #[serde(default)]
    names: Vec<Option<String>>,
    #[serde(default)]
    comment: Option<String>,
    nodes: Vec<StudyNode>,
}

#[derive(Deserialize)]
struct StudyNode {
    depth: usize,
    r#move: String,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    mark: Option<String>,
}

/// Whether a file says that it is a study.
pub fn is_study(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Head>(bytes).is_ok_and(|head| head.format == FORMAT)
}

/// The game and the tree of a study. The variant of the tree is one of the game.
pub fn tree_from_study(
    bytes: &[u8],
    games: &Games,
) -> Result<(&'static GameInfo, GameTree), StudyError> {
    let study: Study = serde_json::from_slice(bytes)?;
    if study.version != VERSION {
        return Err(StudyError::Version(study.version));
    }
    let info = games.iter().find(|info| info.id == study.game);
    let info = info.ok_or_else(|| StudyError::Game(quoted(&study.game)))?;
    if info.variant(&study.variant).is_err() {
        return Err(StudyError::Variant(quoted(&study.variant)));
    }
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.variant = Some(study.variant);
    tree.start = study.start;
    tree.names = study.names;
    tree.add_comment(study.comment.as_deref().unwrap_or_default())?;
    for (node, number) in study.nodes.iter().zip(1..) {
        let (depth, deepest) = (node.depth, tree.depth() + 1);
        if !(1..=deepest).contains(&depth) {
            return Err(StudyError::Depth { node: number, depth, deepest });
        }
        tree.add(depth, &node.r#move, 0)?;
        tree.add_comment(node.comment.as_deref().unwrap_or_default())?;
        if let Some(text) = &node.mark {
            let unknown = || StudyError::Mark { node: number, mark: quoted(text) };
            tree.set_mark(Mark::from_text(text).ok_or_else(unknown)?)?;
        }
    }
    Ok((info, tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` is the description of the tree, or the error.
    #[track_caller]
    fn check(fields: &str, nodes: &str, expected: &str) {
        let text =
            format!(r#"{{"format":"sandboard-study","version":1,{fields},"nodes":{nodes}}}"#);
        assert!(is_study(text.as_bytes()), "{text}");
        let found = match tree_from_study(text.as_bytes(), &Games::default()) {
            Ok((info, tree)) => describe(info, &tree),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    fn describe(info: &GameInfo, tree: &GameTree) -> String {
        let mut words = vec![info.id.to_owned(), tree.variant.clone().unwrap_or_default()];
        words.extend(tree.comment.iter().map(|text| format!("{text:?}")));
        words.extend(tree.nodes().map(|node| {
            let mark = tree.mark(node.index).map_or("", Mark::text);
            let comment = node.comment.map_or(String::new(), |text| format!("{text:?}"));
            format!("{}.{}{mark}{comment}", node.depth, node.mv)
        }));
        words.join(" ")
    }

    #[test]
    fn a_study_is_a_tree_with_comments_and_marks() {
        let gomoku = r#""game":"gomoku","variant":"freestyle-15""#;
        check(gomoku, "[]", "gomoku freestyle-15");
        check(
            &format!(r#"{gomoku},"start":null,"names":["Ada",null],"comment":"all","later":1"#),
            r#"[{"depth":1,"move":"h8","mark":"!"},{"depth":2,"move":"h9","comment":"a\nb"},
                {"depth":2,"move":"i9","mark":"?!"},{"depth":1,"move":"a1"}]"#,
            r#"gomoku freestyle-15 "all" 1.h8! 2.h9"a\nb" 2.i9?! 1.a1"#,
        );
        check(gomoku, r#"[{"depth":2,"move":"h8"}]"#, "node 1: depth 2 is not 1 to 1");
        check(gomoku, r#"[{"depth":0,"move":"h8"}]"#, "node 1: depth 0 is not 1 to 1");
        let mark = r#"[{"depth":1,"move":"h8","mark":"+-"}]"#;
        check(gomoku, mark, "node 1: unknown mark `+-`");
        check(r#""game":"go","variant":"""#, "[]", "unknown game `go`");
        check(r#""game":"gomoku","variant":"huge""#, "[]", "unknown variant `huge`");
    }

    #[test]
    fn other_files_are_no_studies() {
        for text in ["", "{}", "[1]", r#"{"format":"sandboard-record","version":1}"#] {
            assert!(!is_study(text.as_bytes()), "{text}");
        }
        let later = r#"{"format":"sandboard-study","version":2,"game":"","variant":"","nodes":[]}"#;
        let error = tree_from_study(later.as_bytes(), &Games::default()).unwrap_err();
        assert_eq!(error.to_string(), "unknown study version 2; this program reads version 1");
    }
}
