//! `sandboard convert`: between records and the file formats of games. What is
//! typed is read here, files are opened and written; what a file means is asked of
//! the library, and of the rules.

mod files;
mod kind;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use sandboard_games::formats::{GameTree, Told};
use sandboard_games::{GAMES, GameInfo, Variant};
use serde_json::{Value, json};

use super::{game_named, usage};
use crate::arena::OpenFolder;
use crate::convert::{Game, Illegal, from_record, play_through, read_decoded, start_of, to_record};
use crate::counted;
use crate::record::{Record, rfc3339};
use files::Target;
use kind::Kind;

const EXAMPLES: &str = "\
IN and OUT are told by their endings, or by --from and --to; `-` is standard input or output.
Every move is checked by the rules of the game. What OUT cannot hold is left out, and that is
said on standard error; --line and --pick choose what stays.

Examples:
  sandboard convert game.psq game.json            # a record: play --from game.json goes on from it
  sandboard convert game.json game.sgf
  sandboard convert openings.lib openings.sgf     # keeps the variations
  sandboard convert openings.lib line.psq --line 12
  sandboard convert games.txt 'game-%d.psq' --variant standard-15
  sandboard convert games.wtb games.ggf           # reversi: passes are put in
  sandboard convert ARENA 'games/game-%d.sgf'     # all games of an arena
  echo 'h8 i9 j10' | sandboard convert - - --from moves --to sgf";

/// Convert games between records and the file formats of other programs
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub struct Args {
    /// The file to read; `-`: standard input; an arena's folder: all its games; `DIR/pair-000001-1`: one of them
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-`: standard output; with `%d` in its name, a file for each game
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of IN [default: by its ending]
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The format of OUT [default: by its ending]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// The game's id, where several games have files of that format
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, where IN does not say it or says it wrongly: `standard`, `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// Of several games in IN take only this one, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pick: Option<u32>,
    /// Of a game with variations take only this line, counted from 1, the main line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
    /// Leave moves out that the rules refuse, and all that follows on them
    #[arg(long)]
    skip_illegal: bool,
    /// Write over OUT where it is there already
    #[arg(long)]
    force: bool,
    /// Print one JSON line that says what was done
    #[arg(long)]
    json: bool,
}

/// Every format with what it holds, from the table of games.
fn after_help() -> String {
    let mut text =
        "Formats:\n  record     .json        of every game: what play and arena write".to_owned();
    for (info, format) in
        GAMES.iter().flat_map(|info| info.formats.iter().map(move |it| (info, it)))
    {
        let endings: Vec<String> = format.extensions.iter().map(|it| format!(".{it}")).collect();
        let (id, about, endings) = (format.id, format.about, endings.join(" "));
        text += &format!("\n  {id:<10} {endings:<12} of {}: {about}", info.id);
    }
    format!("{text}\n\n{EXAMPLES}")
}

pub fn run(args: &Args) -> Result<()> {
    if args.json && files::is_standard(&args.output) {
        return Err(usage("--json prints to standard output, and so does OUT `-`: name a file"));
    }
    let asked = args.game.as_deref().map(game_named).transpose()?;
    let (from, (info, trees)) = match arena(&args.input)? {
        Some(records) => (Kind::Record, of_records(args, asked, &records)?),
        None => {
            let from = kind::of(&args.input, args.from.as_deref(), "--from", asked)?;
            let bytes = files::read(&args.input)?;
            let variant = variant_for(args, from)?;
            (from, read(&args.input, variant.as_ref(), from, asked, &bytes)?)
        }
    };
    let to = kind::of(&args.output, args.to.as_deref(), "--to", Some(info))?;
    let target = Target::new(&args.output, args.force)?;
    let count = trees.len();
    let chosen = choose(args, count, &to, &target)?;
    let mut done = Vec::new();
    for (tree, number) in trees.into_iter().zip(1..).filter(|(_, number)| chosen.contains(number)) {
        done.push(convert(args, info, &to, (number, count), tree)?);
    }
    let games = done.iter().map(|one| (one.number, one.bytes.as_slice()));
    let written = target.write(games, |games| to.joined(games))?;
    for one in &done {
        for note in &one.notes {
            eprintln!("{}: {note}", one.called);
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
        writeln!(std::io::stdout(), "{line}")?;
    } else if !files::is_standard(&args.output) {
        let mut out = std::io::stdout().lock();
        for file in &written {
            writeln!(out, "{file}")?;
        }
    }
    Ok(())
}

/// The games of a file, by its ending, as the rules see them: of this game and variant; moves that are refused are left
/// out, with all that follows on them, and counted. `flag` names the file in errors.
pub fn games(
    file: &Path,
    flag: &str,
    bytes: &[u8],
    (info, variant): (&'static GameInfo, &Variant),
) -> Result<(Vec<Game>, usize)> {
    let from = kind::of(file, None, flag, Some(info))?;
    let (_, trees) = read(file, Some(variant), from, Some(info), bytes)?;
    let mut left_out = 0;
    let seen = |mut tree: GameTree| {
        let (start, _) = start_of(info, Some(variant), &tree)?;
        left_out += play_through(&mut tree, &start, Illegal::LeftOut)?.left_out;
        Ok(Game { start, tree })
    };
    let games = trees.into_iter().map(seen).collect::<Result<Vec<_>>>();
    Ok((games.with_context(|| file.display().to_string())?, left_out))
}

/// The records of IN where it is an arena, or a game of one: `DIR/pair-000001-1`.
fn arena(input: &Path) -> Result<Option<Vec<Vec<u8>>>> {
    if OpenFolder::is_one(input) {
        let folder = OpenFolder::look(input)?;
        let games = folder.wait(folder.reader().accepted())?;
        let records = games.iter().map(|game| folder.record(&game.game.name()));
        return Ok(Some(records.collect::<Result<_, _>>()?));
    }
    let parent = input.parent().filter(|dir| !input.exists() && OpenFolder::is_one(dir));
    let Some(dir) = parent else { return Ok(None) };
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(vec![OpenFolder::look(dir)?.record(&name)?]))
}

/// The games of these records, which are all of one game.
fn of_records(
    args: &Args,
    asked: Option<&'static GameInfo>,
    records: &[Vec<u8>],
) -> Result<(&'static GameInfo, Vec<GameTree>)> {
    let mut found = None;
    let mut trees = Vec::with_capacity(records.len());
    for record in records {
        let (info, tree) = read(&args.input, None, Kind::Record, asked, record)?;
        found = Some(info);
        trees.extend(tree);
    }
    let name = args.input.display();
    found.map(|info| (info, trees)).ok_or_else(|| anyhow!("{name} has no finished game"))
}

/// The games of IN, before any rule has seen them but those of a record.
fn read(
    input: &Path,
    variant: Option<&Variant>,
    from: Kind,
    asked: Option<&'static GameInfo>,
    bytes: &[u8],
) -> Result<(&'static GameInfo, Vec<GameTree>)> {
    let name = files::name(input, "standard input");
    match from {
        Kind::Record => {
            let record = Record::parse(bytes, sandboard_games::game);
            let record = record.map_err(|error| anyhow!("{name}: {error}"))?;
            let info = game_named(&record.game)?;
            if let Some(asked) = asked.filter(|asked| asked.id != info.id) {
                let reason = format!("{name} is a bout of {}, not of {}", info.id, asked.id);
                return Err(usage(reason));
            }
            Ok((info, vec![from_record(&record)?]))
        }
        Kind::Format(info, format) => {
            let read = format.read.ok_or_else(|| {
                usage(format!("{} is written, not read: take another format", format.id))
            })?;
            let trees = read_decoded(read, format.encoding, bytes, variant);
            Ok((info, trees.map_err(|error| anyhow!("{name}: {error}"))?))
        }
    }
}

/// The variant that is asked for, of the game whose format it is.
fn variant_for(args: &Args, from: Kind) -> Result<Option<Variant>> {
    match from {
        Kind::Record => Ok(None),
        Kind::Format(info, _) => {
            let variant = args.variant.as_deref().map(|text| info.variant(text));
            variant.transpose().map_err(usage)
        }
    }
}

/// Which games are converted, by number from 1.
fn choose(args: &Args, count: usize, to: &Kind, target: &Target) -> Result<RangeInclusive<usize>> {
    match args.pick.map(|pick| pick as usize) {
        Some(pick) if pick > count => {
            let name = files::name(&args.input, "standard input");
            Err(usage(format!("{name} has {}, not {pick}", counted(count, "game"))))
        }
        Some(pick) => Ok(pick..=pick),
        None if count == 1 || to.holds().several || target.is_numbered() => Ok(1..=count),
        None => {
            let name = files::name(&args.input, "standard input");
            Err(usage(format!(
                "{name} has {count} games, and a file of {} holds one: take one with --pick N, or \
                 name OUT with %d, as in game-%d.{}",
                to.id(),
                to.extension()
            )))
        }
    }
}

/// A game that is converted.
struct Done {
    number: usize,
    /// The file it comes from, and which game of several it is.
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
        start_of(info, variant.as_ref(), &tree).map_err(|error| wrong(&error))?;
    let mut notes = Vec::new();
    if let Some(unknown) = unknown {
        let taken = start.variant.text();
        notes.push(format!("its rules, `{unknown}`, are no variant here: taken for {taken}"));
    }
    let lines = tree.lines();
    let line = args.line.map(|line| line as usize);
    // A line that is not wanted need not be legal.
    if line.is_some() || !to.holds().variations && lines > 1 {
        let only = Game { start: start.clone(), tree }.only_line(line.unwrap_or(1) - 1);
        let only = only.ok_or_else(|| {
            usage(format!("{called} has {}: take --line from 1 to {lines}", counted(lines, "line")))
        })?;
        tree = only.tree;
        if lines > 1 {
            let left = counted(lines - 1, "other line");
            notes.push(format!("left out: {left} (--line N takes another, up to {lines})"));
        }
    }
    let illegal = if args.skip_illegal { Illegal::LeftOut } else { Illegal::Refused };
    let found = play_through(&mut tree, &start, illegal).map_err(|error| wrong(&error))?;
    if found.left_out > 0 {
        let moves = counted(found.left_out, "illegal move");
        notes.push(format!("left out: {moves}, and all that followed"));
    }
    if let Some(told) = found.contradicted {
        notes.push(format!("by the rules the game ends otherwise than with {}", result(told)));
    }
    let game = Game { start, tree };
    let left_out = game.left_out(&to.holds());
    if !left_out.is_empty() {
        notes.push(format!("left out: {}", left_out.join(", ")));
    }
    let bytes = match to {
        Kind::Record => {
            let now = rfc3339(SystemTime::now());
            let (record, untold) = to_record(&game, &now).map_err(|error| wrong(&error))?;
            if let Some(told) = untold {
                let told = result(told);
                notes.push(format!("the record is unfinished: its moves do not lead to {told}"));
            }
            record.to_json()
        }
        Kind::Format(_, format) => {
            let written = game.write(format).ok_or_else(|| {
                usage(format!("{} is read, not written: take another format", format.id))
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

/// A result in a file's own words.
fn result(told: Told) -> String {
    match told.winner {
        None => "a draw".to_owned(),
        Some(side) => format!("a win of side {}", side.0),
    }
}
