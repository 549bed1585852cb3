//! `sandboard convert`: converts between records and the file formats of games. Reads the arguments
//! and the files; the library converts and checks the games.

mod files;
mod kind;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::output::error_line;
use anyhow::{Result, anyhow};
use sandboard_games::formats::{GameTree, RecordedResult, SHARED_FORMATS};
use sandboard_games::{GAMES, GameInfo, Games, Variant};
use serde_json::{Value, json};

use super::{game_named, known_games, usage};
use files::Target;
use kind::Kind;
use sandboard_arena::OpenFolder;
use sandboard_arena_plan::GameKey;
pub(crate) use sandboard_bout::convert::ConvertedGame;
use sandboard_bout::convert::{
    IllegalMovePolicy, is_study, play_through, read_decoded, record_from_game, resolve_start,
    tree_from_record, tree_from_study,
};
use sandboard_bout::record::Record;
use sandboard_common::date::rfc3339;
use sandboard_common::text::counted;

const EXAMPLES: &str = "\
The formats of IN and OUT are chosen by their extensions, or by --from and --to; `-` is standard
input or output. The rules of the game check every move. What OUT cannot store is left out, with a
note on standard error; --line and --pick choose what to keep.

Examples:
  sandboard convert game.psq game.json            # a record; continue it with play --from game.json
  sandboard convert game.json game.sgf
  sandboard convert openings.lib openings.sgf     # keeps the variations
  sandboard convert openings.lib line.psq --line 12
  sandboard convert games.txt 'game-%d.psq' --variant standard-15
  sandboard convert games.wtb games.ggf           # reversi: passes are added
  sandboard convert games.pgn 'game-%d.json' --game chess
  sandboard convert ARENA 'games/game-%d.sgf'     # all games of an arena
  echo 'h8 i9 j10' | sandboard convert - - --from moves --to sgf";

/// Convert games between records and the file formats of other programs
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub(crate) struct Args {
    /// The input: a file; `-`: standard input; an arena's folder: all its games;
    /// `DIR/pair-000001-1`: one of them
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The output: a file; `-`: standard output; with `%d` in its name, one file for each game
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of IN [default: by its extension]
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The format of OUT [default: by its extension]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// The game's id, if several games have files in that format
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, if IN does not name it or names a wrong one: `standard`, `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// If IN has several games, take only this one, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pick: Option<u32>,
    /// If a game has variations, take only this line, counted from 1, which is the main line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
    /// Leave out illegal moves, and all moves after them
    #[arg(long)]
    skip_illegal: bool,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    /// Print one JSON line that describes the conversion
    #[arg(long)]
    json: bool,
}

/// The help text with all formats, from the table of games.
fn after_help() -> String {
    let mut text =
        "Formats:\n  record     .json        every game: what play and arena write".to_owned();
    for (info, format) in
        GAMES.iter().flat_map(|info| info.formats.iter().map(move |it| (info, it)))
    {
        let endings: Vec<String> = format.extensions.iter().map(|it| format!(".{it}")).collect();
        let (id, about, endings) = (format.id, format.about, endings.join(" "));
        text += &format!("\n  {id:<10} {endings:<12} {}: {about}", info.id);
    }
    text += "\nPlugged-in games, such as chess, may have these:";
    for format in &SHARED_FORMATS {
        text += &format!("\n  {:<10} .{:<11} {}", format.id, format.extensions[0], format.about);
    }
    format!("{text}\n\n{EXAMPLES}")
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.json && files::is_standard(&args.output) {
        return Err(usage("--json and OUT `-` both print to standard output: name a file"));
    }
    let games = known_games();
    let game = args.game.as_deref().map(|id| game_named(&games, id)).transpose()?;
    let (from, (info, trees)) = match arena(&args.input)? {
        Some(records) => (Kind::Record, of_records(args, &games, game, &records)?),
        None => {
            let from = kind::of(&games, &args.input, args.from.as_deref(), "--from", game)?;
            let bytes = files::read(&args.input)?;
            let variant = variant_for(args, from)?;
            (from, read(&games, &args.input, variant.as_ref(), from, game, &bytes)?)
        }
    };
    let to = kind::of(&games, &args.output, args.to.as_deref(), "--to", Some(info))?;
    let target = Target::new(&args.output, args.force)?;
    let count = trees.len();
    let chosen = choose(args, count, &to, &target)?;
    let mut done = Vec::new();
    for (tree, number) in trees.into_iter().zip(1..).filter(|(_, number)| chosen.contains(number)) {
        done.push(convert(args, info, &to, (number, count), tree)?);
    }
    let games = done.iter().map(|one| (one.number, one.bytes.as_slice()));
    let written = target.write(games, |games| to.join_files(games))?;
    for one in &done {
        for note in &one.notes {
            error_line!("{}: {note}", one.called);
        }
    }
    if args.json {
        let games: Vec<&Value> = done.iter().map(|one| &one.json).collect();
        let line = json!({
            "in": args.input.to_string_lossy(),
            "from": from.id(),
            "to": to.id(),
            "game": info.id,
            "written": written,
            "games": games,
        });
        writeln!(crate::output::stdout(), "{line}")?;
    } else if !files::is_standard(&args.output) {
        let mut out = crate::output::stdout();
        for file in &written {
            writeln!(out, "{file}")?;
        }
    }
    Ok(())
}

/// The games of a file in the format of its extension, checked by the rules of this game and
/// variant, each with its number of illegal moves. Illegal moves and all moves after them are left
/// out. `flag` is the option with the file's name, for errors.
pub(crate) fn games(
    known: &Games,
    file: &Path,
    flag: &str,
    bytes: &[u8],
    (info, variant): (&'static GameInfo, &Variant),
) -> Result<Vec<(ConvertedGame, usize)>> {
    let from = kind::of(known, file, None, flag, Some(info))?;
    let (_, trees) = read(known, file, Some(variant), from, Some(info), bytes)?;
    let seen = |mut tree: GameTree| {
        let (start, _) = resolve_start(info, Some(variant), &tree)?;
        let dropped = play_through(&mut tree, &start, IllegalMovePolicy::Drop)?.dropped;
        Ok((ConvertedGame { start, tree }, dropped))
    };
    let games = trees.into_iter().map(seen).collect::<Result<Vec<_>>>();
    games.map_err(|error| error.context(file.display().to_string()))
}

/// The record of a game of an arena, after the name of the game.
type NamedRecord = (String, Vec<u8>);

/// The records of IN if it is an arena, or one game of an arena: `DIR/pair-000001-1`.
fn arena(input: &Path) -> Result<Option<Vec<NamedRecord>>> {
    if OpenFolder::holds_arena(input) {
        let folder = OpenFolder::open_to_read(input)?;
        let games = folder.wait(folder.reader().accepted())?;
        let records = games.iter().map(|game| {
            let name = game.game.name();
            folder.record(&name).map(|record| (name, record))
        });
        return Ok(Some(records.collect::<Result<_, _>>()?));
    }
    let parent = input.parent().filter(|dir| !input.exists() && OpenFolder::holds_arena(dir));
    let Some(dir) = parent else { return Ok(None) };
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let record = OpenFolder::open_to_read(dir)?.record(&name)?;
    Ok(Some(vec![(name.into_owned(), record)]))
}

/// Adds the name of its arena, and its place there, to a game: the number of its pair, and its
/// number in the pair, both from 1.
pub(crate) fn tag_arena(tree: &mut GameTree, event: &str, key: GameKey) {
    let round = format!("{}.{}", u64::from(key.pair) + 1, u32::from(key.game) + 1);
    tree.tags.extend([("Event", event.to_owned()), ("Round", round)]);
}

/// The games of these records of an arena, which are all of the same game.
fn of_records(
    args: &Args,
    games: &Games,
    game: Option<&'static GameInfo>,
    records: &[NamedRecord],
) -> Result<(&'static GameInfo, Vec<GameTree>)> {
    let mut found = None;
    let mut trees = Vec::with_capacity(records.len());
    // The input is the arena, or a game in it.
    let arena = if args.input.is_dir() { Some(&*args.input) } else { args.input.parent() };
    let event = arena.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    for (name, record) in records {
        let (info, mut tree) = read(games, &args.input, None, Kind::Record, game, record)?;
        if let (Some(key), Some(tree)) = (GameKey::from_name(name), tree.first_mut()) {
            tag_arena(tree, &event, key);
        }
        found = Some(info);
        trees.extend(tree);
    }
    let name = args.input.display();
    found.map(|info| (info, trees)).ok_or_else(|| anyhow!("{name} has no finished game"))
}

/// The games of IN; only those of a record are checked by the rules.
fn read(
    games: &Games,
    input: &Path,
    variant: Option<&Variant>,
    from: Kind,
    game: Option<&'static GameInfo>,
    bytes: &[u8],
) -> Result<(&'static GameInfo, Vec<GameTree>)> {
    let name = files::name(input, "standard input");
    match from {
        Kind::Record if is_study(bytes) => {
            let study = tree_from_study(bytes, games);
            let (info, tree) = study.map_err(|error| anyhow!("{name}: {error}"))?;
            check_game(&name, info, game)?;
            Ok((info, vec![tree]))
        }
        Kind::Record => {
            let record = Record::parse(bytes, games);
            let record = record.map_err(|error| anyhow!("{name}: {error}"))?;
            let info = game_named(games, &record.game)?;
            check_game(&name, info, game)?;
            Ok((info, vec![tree_from_record(&record)?]))
        }
        Kind::Format(info, format) => {
            let read = format.read.ok_or_else(|| {
                usage(format!("format {} can only be written: choose another one", format.id))
            })?;
            let trees = read_decoded(read, format.encoding, bytes, variant);
            Ok((info, trees.map_err(|error| anyhow!("{name}: {error}"))?))
        }
    }
}

/// Refuses a file of another game than that of --game.
fn check_game(name: &str, info: &GameInfo, game: Option<&'static GameInfo>) -> Result<()> {
    match game.filter(|game| game.id != info.id) {
        Some(other) => Err(usage(format!("{name} is a bout of {}, not of {}", info.id, other.id))),
        None => Ok(()),
    }
}

/// The variant of --variant, for the game of the format.
fn variant_for(args: &Args, from: Kind) -> Result<Option<Variant>> {
    match from {
        Kind::Record => Ok(None),
        Kind::Format(info, _) => {
            let variant = args.variant.as_deref().map(|text| info.variant(text));
            variant.transpose().map_err(usage)
        }
    }
}

/// The numbers of the games to convert, from 1.
fn choose(args: &Args, count: usize, to: &Kind, target: &Target) -> Result<RangeInclusive<usize>> {
    match args.pick.map(|pick| pick as usize) {
        Some(pick) if pick > count => {
            let name = files::name(&args.input, "standard input");
            Err(usage(format!("{name} has {}, not {pick}", counted(count, "game"))))
        }
        Some(pick) => Ok(pick..=pick),
        None if count == 1 || to.features().several || target.is_numbered() => Ok(1..=count),
        None => {
            let name = files::name(&args.input, "standard input");
            Err(usage(format!(
                "{name} has {count} games, but a file in the format {} stores only one: choose one \
                 with --pick N, or put %d into the name of OUT, such as game-%d.{}",
                to.id(),
                to.extension()
            )))
        }
    }
}

/// A converted game.
struct Done {
    number: usize,
    /// The input file, and the number of the game if there are several.
    called: String,
    bytes: Vec<u8>,
    notes: Vec<String>,
    json: Value,
}

fn convert(
    args: &Args,
    info: &'static GameInfo,
    to: &Kind,
    (number, count): (usize, usize),
    mut tree: GameTree,
) -> Result<Done> {
    let name = files::name(&args.input, "standard input");
    let called = if count == 1 { name } else { format!("{name}: game {number}") };
    let wrong = |error: &dyn std::fmt::Display| anyhow!("{called}: {error}");
    let variant = args.variant.as_deref().map(|text| info.variant(text)).transpose();
    let variant = variant.map_err(usage)?;
    let (start, unknown) =
        resolve_start(info, variant.as_ref(), &tree).map_err(|error| wrong(&error))?;
    let mut notes = Vec::new();
    if let Some(unknown) = unknown {
        let taken = start.variant.text();
        notes.push(format!("unknown variant `{unknown}`: converted as {taken}"));
    }
    let lines = tree.lines();
    let line = args.line.map(|line| line as usize);
    // Moves of other lines need not be legal.
    if line.is_some() || !to.features().variations && lines > 1 {
        let only = ConvertedGame { start: start.clone(), tree }.extract_line(line.unwrap_or(1) - 1);
        let only = only.ok_or_else(|| {
            usage(format!("{called} has {}: use --line 1 to {lines}", counted(lines, "line")))
        })?;
        tree = only.tree;
        if lines > 1 {
            let left = counted(lines - 1, "other line");
            notes.push(format!("left out: {left} (--line N chooses another, up to {lines})"));
        }
    }
    let illegal = if args.skip_illegal { IllegalMovePolicy::Drop } else { IllegalMovePolicy::Fail };
    let found = play_through(&mut tree, &start, illegal).map_err(|error| wrong(&error))?;
    if found.dropped > 0 {
        let moves = counted(found.dropped, "illegal move");
        notes.push(format!("left out: {moves}, and all moves after them"));
    }
    if let Some(recorded) = found.contradicted {
        notes.push(format!("the result by the rules is not {}", result(recorded)));
    }
    let game = ConvertedGame { start, tree };
    let left_out = game.left_out(&to.features());
    if !left_out.is_empty() {
        notes.push(format!("left out: {}", left_out.join(", ")));
    }
    let bytes = match to {
        Kind::Record => {
            let now = rfc3339(SystemTime::now());
            let (record, unreached) =
                record_from_game(&game, &now).map_err(|error| wrong(&error))?;
            if let Some(recorded) = unreached {
                let recorded = result(recorded);
                notes
                    .push(format!("the record is unfinished: its moves do not lead to {recorded}"));
            }
            record.to_json()
        }
        Kind::Format(_, format) => {
            let written = game.write(format).ok_or_else(|| {
                usage(format!("format {} can only be read: choose another one", format.id))
            })?;
            written.map_err(|error| anyhow!("{called} cannot be written: {error}"))?
        }
    };
    let json = json!({
        "number": number,
        "variant": game.start.variant.text(),
        "moves": game.tree.main_line().count(),
        "lines": game.tree.lines(),
        "names": game.tree.names,
        "notes": notes,
    });
    Ok(Done { number, called, bytes, notes, json })
}

/// A recorded result in words.
fn result(result: RecordedResult) -> String {
    match result.winner {
        None => "a draw".to_owned(),
        Some(side) => format!("a win for side {}", side.0),
    }
}
