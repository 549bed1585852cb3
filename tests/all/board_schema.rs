//! Compares docs/board.schema.json with the types of boards in `games`, in both directions: what
//! one of them accepts or refuses, the other does, too.

use std::fs;

use jsonschema::Validator;
use sandboard_games::board::{Board, limits};
use sandboard_tests::root;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/board.schema.json");

fn schema() -> Validator {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{error}"));
    jsonschema::draft202012::new(&schema).unwrap()
}

/// The boards of tests/fixtures/boards with their names, without the wrong ones.
fn samples() -> Vec<(String, Value)> {
    let folder = fs::read_dir(root().join("tests/fixtures/boards")).unwrap();
    let files =
        folder.map(|entry| entry.unwrap().path()).filter(|path| !path.ends_with("wrong.json"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (
            path.file_stem().unwrap().to_string_lossy().into_owned(),
            serde_json::from_str(&text).unwrap(),
        )
    };
    files.map(read).collect()
}

#[test]
fn sample_boards_fit_the_schema_and_the_types() {
    let schema = schema();
    let samples = samples();
    assert!(samples.len() >= 9);
    for (name, json) in samples {
        let faults: Vec<String> = schema.iter_errors(&json).map(|it| it.to_string()).collect();
        assert_eq!(faults, [""; 0], "{name}");
        let board = Board::from_json(&json.to_string()).unwrap_or_else(|it| panic!("{name}: {it}"));
        // The types lose nothing that the schema allows.
        assert_eq!(serde_json::from_str::<Value>(&board.to_json()).unwrap(), json, "{name}");
    }
}

#[test]
fn schema_and_types_have_the_same_limits() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let check = |pointer: &str, expected: usize| {
        assert_eq!(schema.pointer(pointer), Some(&expected.into()), "{pointer}");
    };
    check("/properties/elements/maxItems", limits::ELEMENTS);
    check("/properties/elements/items/maxItems", limits::ELEMENTS);
    check("/properties/pieces/maxItems", limits::PIECES);
    check("/properties/highlights/maxItems", limits::HIGHLIGHTS);
    check("/properties/moves/maxItems", limits::MOVES);
    check("/$defs/place/maxLength", limits::ID_CHARS);
    check("/$defs/label/maxLength", limits::LABEL_CHARS);
    check("/$defs/text/properties/text/maxLength", limits::TEXT_CHARS);
    check("/$defs/highlight/properties/places/maxItems", limits::PLACES);
    for line in ["track", "reserve", "cards"] {
        let field = |field: &str| format!("/$defs/{line}/properties/{field}");
        check(&field("name/maxLength"), limits::NAME_CHARS);
        check(&field("owner/maximum"), limits::SEAT.into());
        check(&field("places/maxItems"), limits::GRID_SIDE);
        check(&field("labels/maxItems"), limits::GRID_SIDE);
    }
    let grid = |field: &str| format!("/$defs/grid/properties/{field}");
    check(&grid("rows/maxItems"), limits::GRID_SIDE);
    check(&grid("rows/items/maxItems"), limits::GRID_SIDE);
    check(&grid("column_labels/maxItems"), limits::GRID_SIDE);
    check(&grid("row_labels/maxItems"), limits::GRID_SIDE);
    check(&grid("fills/maxItems"), limits::HIGHLIGHTS);
    check(&grid("fills/items/properties/places/maxItems"), limits::PLACES);
    check(&grid("lines/maxItems"), limits::LINES);
    let piece = |field: &str| format!("/$defs/piece/{field}");
    check(&piece("properties/count/maximum"), limits::PIECE_COUNT.into());
    check(&piece("properties/name/maxLength"), limits::NAME_CHARS);
    check(&piece("properties/text/maxLength"), limits::PATH_CHARS);
    check(&piece("allOf/0/else/properties/text/maxLength"), limits::PIECE_TEXT_CHARS);
    check("/$defs/move/properties/places/maxItems", limits::MOVE_PLACES);
    check("/$defs/move/properties/label/maxLength", limits::NAME_CHARS);
    check("/$defs/move/properties/move/maxLength", limits::MOVE_BYTES);
}

#[test]
fn examples_of_the_page_are_valid() {
    let page = fs::read_to_string(root().join("docs/board.md")).unwrap();
    let blocks: Vec<&str> = page.split("```json\n").skip(1).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        let text = block.split("```").next().unwrap();
        assert!(schema().is_valid(&serde_json::from_str(text).unwrap()), "{text}");
        let board = Board::from_json(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(check(&board), Ok(()), "{text}");
    }
    // The picture of the page is that of a sample.
    let sample =
        fs::read_to_string(root().join("tests/fixtures/boards/connect-four.json")).unwrap();
    assert!(page.contains(&Board::from_json(&sample).unwrap().diagram()));
}

#[test]
fn wrong_boards_are_refused_by_both() {
    let schema = schema();
    let text = fs::read_to_string(root().join("tests/fixtures/boards/wrong.json")).unwrap();
    for row in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        let board = &row["board"];
        let by_types = Board::from_json(&board.to_string()).and_then(|board| board.check("a"));
        assert!(by_types.is_err(), "{row}");
        assert_eq!(schema.is_valid(board), row["by_schema"] == false, "{row}");
    }
}

/// The board with one member of an object left out, replaced by a value of another type, or added,
/// for each object in it.
fn variations(board: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for pointer in pointers(board) {
        let mut add = |value: Option<Value>| {
            let mut changed = board.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            match (changed.pointer_mut(parent), value) {
                (Some(Value::Object(object)), None) => drop(object.remove(name)),
                (Some(Value::Object(object)), Some(value)) => {
                    object.insert(name.to_owned(), value);
                }
                (Some(Value::Array(items)), value) => {
                    let index: usize = name.parse().unwrap();
                    match value {
                        None => drop(items.remove(index)),
                        Some(value) => items[index] = value,
                    }
                }
                _ => unreachable!("a pointer names a member"),
            }
            all.push(changed);
        };
        add(None);
        for value in [Value::Null, true.into(), 7.into(), "z".into(), Value::Array(vec![])] {
            add(Some(value));
        }
        add(Some(serde_json::json!({})));
    }
    all
}

/// The pointers of all values inside a value.
fn pointers(value: &Value) -> Vec<String> {
    let inside = |name: &str, value: &Value| {
        let below = pointers(value).into_iter().map(move |it| format!("/{name}{it}"));
        [format!("/{name}")].into_iter().chain(below).collect::<Vec<_>>()
    };
    match value {
        Value::Object(object) => object.iter().flat_map(|(name, it)| inside(name, it)).collect(),
        Value::Array(items) => {
            // The items of a list are alike: a few of them are enough.
            let first = items.iter().enumerate().take(3);
            first.flat_map(|(index, it)| inside(&index.to_string(), it)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn schema_and_types_agree_about_every_small_change() {
    let schema = schema();
    let (mut valid, mut invalid) = (0, 0);
    for (name, json) in samples() {
        for changed in variations(&json) {
            let by_schema = schema.is_valid(&changed);
            match Board::from_json(&changed.to_string()) {
                // What only the types know: names of places, and the number of labels.
                Ok(board) if by_schema => {
                    valid += 1;
                    let Err(error) = check(&board) else { continue };
                    let known = ["which does not exist", "two places are", "labels for the"];
                    assert!(known.iter().any(|part| error.contains(part)), "{name}: {error}");
                }
                Ok(board) => {
                    invalid += 1;
                    assert!(check(&board).is_err(), "{name}: only the schema refuses {changed}");
                }
                Err(error) => {
                    invalid += 1;
                    assert!(!by_schema, "{name}: only the types refuse {changed}: {error}");
                }
            }
        }
    }
    assert!(valid > 100 && invalid > 1000, "{valid} valid, {invalid} not");
}

/// Checks a board whose moves are all legal.
fn check(board: &Board) -> Result<(), String> {
    let moves: Vec<&str> = board.moves.iter().map(|entry| entry.mv.as_str()).collect();
    board.check(&moves.join(" "))
}
