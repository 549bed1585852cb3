//! Makes a pack of a program that speaks a text protocol: asks the program in its jail for its name
//! and its options, and writes the manifest that describes it. Plays nothing, and grants no trust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use sandboard_abi::{Description, GameSpec, Kind, OptionSpec};
use sha2::{Digest, Sha256};

use super::read_pack;
use crate::catalog::{ASSET_BYTES_MAX, Entry};
use crate::loader::Loader;
use crate::manifest::{
    self, CodeFile, FILE_NAME, ManifestAsset, ManifestEngine, ModuleKind, PackLimits, ValueSpec,
    check_version,
};
use sandboard_common::files::{read_regular, write_atomically};
use sandboard_common::suggestions::nearest;
use sandboard_engine::HOST_OPTIONS;
use sandboard_engine_process::external::{IdentifiedOption, ProgramIdentity};
use sandboard_protocols::uci::{CHESS960, CHESS960_OPTION, word_of};
use sandboard_protocols::{Protocol, ProtocolConfig};

/// The folder of the program's files in its pack.
const FILES: &str = "files";
/// The copy of a program in its pack.
const COPY: &str = "program";

/// Options that the host sets itself, or that mean nothing to it, by their names in the protocols.
/// Further options whose names begin with `UCI_` describe the host to the program.
const HOST_OWNED: [&str; 9] = [
    "Threads",
    "MultiPV",
    "Ponder",
    "usemillisec",
    "newgame",
    "batch",
    "debug",
    "Debug Log File",
    "Log File",
];
/// Options whose names begin with `UCI_` and that users set.
const USER_OWNED: [&str; 3] = ["UCI_Elo", "UCI_LimitStrength", VARIANT_OPTION];
/// The option that chooses the game, in programs that play several.
const VARIANT_OPTION: &str = "UCI_Variant";
/// Options with the size of the hash table in MiB, by their names in the protocols.
const HASH_OPTIONS: [&str; 3] = ["Hash", "USI_Hash", "hashsize"];

/// A program of this machine, as its user describes it.
#[derive(Clone, Debug)]
pub struct ProgramSource {
    /// The id of the engine.
    pub id: String,
    /// The name for people; none: that which the program tells.
    pub name: Option<String>,
    /// The absolute path of the program.
    pub program: PathBuf,
    /// Whether the pack has a copy of the program, so that a later build at the same path does not
    /// change the engine.
    pub is_copied: bool,
    /// The game that it plays. Without variants: those that the protocol can express.
    pub game: GameSpec,
    /// The protocol, the notation of moves and the arguments.
    pub protocol: ProtocolConfig,
    /// Its limits; `memory_bytes` also limits the size of its hash table.
    pub limits: PackLimits,
    /// Files that the program finds in its folder, each under its own name.
    pub files: Vec<PathBuf>,
    /// Values of its options that differ from its own, by the names in the protocol or the
    /// manifest, in any case.
    pub values: Vec<(String, String)>,
}

/// Writes the pack of a program into `folder`, and returns its engine. The loader must trust the
/// program, which runs in its jail to tell its options. Err: a file cannot be read, the program
/// cannot run or does not speak the protocol, an option is unknown, or the manifest is invalid.
pub fn write_pack(source: &ProgramSource, loader: &Loader, folder: &Path) -> Result<Entry> {
    let failed = || format!("cannot write the pack {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    let assets = source.files.iter().map(|file| copy_file(file, folder));
    let assets = assets.collect::<Result<Vec<_>>>()?;
    if source.is_copied {
        fs::copy(&source.program, folder.join(COPY)).with_context(failed)?;
    }
    // The program is asked under the limits, the arguments and the files that it will play with.
    let bare = Described::bare(source);
    let entry = write_manifest(source, &bare, &assets, loader, folder)?;
    let identity = loader.identify(&entry).map_err(|fault| {
        let (program, word) = (source.program.display(), source.protocol.protocol.word());
        anyhow!("{program} {fault} (it was started to tell its options by {word})")
    })?;
    let described = Described::by(source, &identity, loader, &entry.sha256)?;
    write_manifest(source, &described, &assets, loader, folder)
}

/// The option of an engine with this name in its manifest or its protocol, in any case.
pub fn option_named<'a>(entry: &'a Entry, name: &str) -> Option<&'a OptionSpec> {
    let config = entry.protocol_config.as_ref();
    entry.options.iter().find(|option| {
        let theirs = config.map_or(&*option.name, |config| config.option_name(&option.name));
        option.name.eq_ignore_ascii_case(name) || theirs.eq_ignore_ascii_case(name)
    })
}

/// Copies a file into the pack.
fn copy_file(file: &Path, folder: &Path) -> Result<ManifestAsset> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| ValueSpec::Word.check(name).is_ok()).ok_or_else(|| {
        anyhow!("{}: the name of a program's file must be a word without blanks", file.display())
    })?;
    let unread = || format!("cannot read {}", file.display());
    let bytes = read_regular(file, ASSET_BYTES_MAX).with_context(unread)?;
    let path = format!("{FILES}/{name}");
    let failed = || format!("cannot write into {}", folder.display());
    fs::create_dir_all(folder.join(FILES)).with_context(failed)?;
    write_atomically(&folder.join(&path), &bytes)?;
    let sha256 = sandboard_common::hex::hex(&Sha256::digest(&bytes));
    Ok(ManifestAsset { name, path, sha256 })
}

/// The content of a manifest, as far as the program decides it.
struct Described {
    description: Description,
    protocol: ProtocolConfig,
}

impl Described {
    /// What is known before the program was asked.
    fn bare(source: &ProgramSource) -> Self {
        let description = Description {
            name: source.name.clone().unwrap_or_default(),
            version: "0".into(),
            games: vec![source.game.clone()],
            ..Description::default()
        };
        Self { description, protocol: source.protocol.clone() }
    }

    /// What the program has sent. Err: an option that the user sets is unknown or has another kind
    /// of value, or the program does not play the game.
    fn by(
        source: &ProgramSource,
        identity: &ProgramIdentity,
        loader: &Loader,
        sha256: &str,
    ) -> Result<Self> {
        let mut protocol = source.protocol.clone();
        let mut options: Vec<OptionSpec> = Vec::new();
        for offered in identity.options.iter().filter(|it| is_for_users(it, protocol.protocol)) {
            let mut spec = offered.spec.clone();
            adapt(&mut spec, &offered.protocol_name, source);
            spec.name = unused_word(&spec.name, &options);
            if !spec.name.eq_ignore_ascii_case(&offered.protocol_name) {
                let names = (spec.name.clone(), offered.protocol_name.clone());
                protocol.option_names.push(names);
            }
            options.push(spec);
        }
        options.truncate(sandboard_abi::limits::OPTIONS);
        set_values(&mut options, &protocol, &source.values)
            .map_err(|reason| anyhow!("{}: {reason}", source.program.display()))?;
        let given = |own: &Option<String>, sent: &str| match own {
            Some(own) => own.clone(),
            None => sent.to_owned(),
        };
        let description = Description {
            name: given(&source.name, &identity.name),
            author: identity.author.clone(),
            version: version_of(identity, sha256),
            games: vec![game_of(source, identity, loader)?],
            options,
            ..Description::default()
        };
        Ok(Self { description, protocol })
    }
}

fn write_manifest(
    source: &ProgramSource,
    described: &Described,
    assets: &[ManifestAsset],
    loader: &Loader,
    folder: &Path,
) -> Result<Entry> {
    let program = source.program.to_string_lossy();
    let engine = ManifestEngine {
        id: &source.id,
        kind: ModuleKind::External,
        code: if source.is_copied { CodeFile::Module(COPY) } else { CodeFile::Program(&program) },
        description: &described.description,
        protocol: Some(&described.protocol),
        assets,
        limits: source.limits,
    };
    let text = manifest::write(&[engine]).context("cannot write a manifest")?;
    write_atomically(&folder.join(FILE_NAME), text.as_bytes())?;
    let entry = read_pack(folder, loader)?.entries.into_iter().next();
    let entry = entry.context("the manifest has no engine")?;
    match entry.faults() {
        [] => Ok(entry),
        faults => bail!(
            "{} cannot be described:{}",
            source.program.display(),
            super::own_manifest::lines(faults.iter())
        ),
    }
}

/// Whether the host sets the option of this name in the protocol, and not the user.
pub fn is_host_option(protocol_name: &str, protocol: Protocol) -> bool {
    let is = |name: &&str| protocol_name.eq_ignore_ascii_case(name);
    let describes_host = protocol_name.to_ascii_uppercase().starts_with("UCI_");
    protocol != Protocol::Sandboard
        && (HOST_OWNED.iter().any(is) || describes_host && !USER_OWNED.iter().any(is))
}

/// Whether users set the option, and a manifest can name it.
fn is_for_users(option: &IdentifiedOption, protocol: Protocol) -> bool {
    let name = &option.protocol_name;
    ValueSpec::Label.check(name).is_ok() && !is_host_option(name, protocol)
}

/// Limits the values of an option to those that make sense for the game and the limits.
fn adapt(spec: &mut OptionSpec, protocol_name: &str, source: &ProgramSource) {
    let is = |name: &str| protocol_name.eq_ignore_ascii_case(name);
    let game = source.game.game.as_str();
    if let Kind::Pick(words) = &spec.kind
        && is(VARIANT_OPTION)
        && words.iter().any(|word| word == game)
    {
        (spec.kind, spec.initial) = (Kind::Pick(vec![game.to_owned()]), game.to_owned());
    }
    let memory_mib = source.limits.memory_bytes.map(|bytes| (bytes >> 20) as i64);
    if let (Kind::Whole(min, max), Some(memory_mib)) = (&spec.kind, memory_mib)
        && HASH_OPTIONS.iter().any(|name| is(name))
    {
        // The program needs memory besides its table.
        let most = (*max).min(memory_mib * 3 / 4).max(*min);
        let initial = spec.initial.parse::<i64>().unwrap_or(*min).min(most);
        (spec.kind, spec.initial) = (Kind::Whole(*min, most), initial.to_string());
    }
}

/// The word, with a number after it if another option or the host has it.
fn unused_word(word: &str, options: &[OptionSpec]) -> String {
    let is_taken = |name: &str| {
        HOST_OPTIONS.contains(&name) || options.iter().any(|option| option.name == name)
    };
    let numbered = (2_u64..).map(|number| format!("{word}-{number}"));
    let mut all = std::iter::once(word.to_owned()).chain(numbered);
    all.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Sets initial values of options. Err: an option is unknown, or does not accept the value.
fn set_values(
    options: &mut [OptionSpec],
    protocol: &ProtocolConfig,
    values: &[(String, String)],
) -> Result<(), String> {
    for (name, value) in values {
        let theirs = |option: &OptionSpec| protocol.option_name(&option.name).to_owned();
        let named = |option: &OptionSpec| {
            option.name.eq_ignore_ascii_case(name) || theirs(option).eq_ignore_ascii_case(name)
        };
        let Some(at) = options.iter().position(named) else {
            let known: Vec<String> = options.iter().map(theirs).collect();
            let hint = match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "the program offers none".to_owned(),
                None => format!("it offers {}", known.join(", ")),
            };
            return Err(format!("unknown option `{name}`; {hint}"));
        };
        let option = &mut options[at];
        option.kind.check(value).map_err(|reason| format!("option `{name}`: {reason}"))?;
        option.initial.clone_from(value);
    }
    Ok(())
}

/// The game with the variants that the program can play.
fn game_of(
    source: &ProgramSource,
    identity: &ProgramIdentity,
    loader: &Loader,
) -> Result<GameSpec> {
    let game = &source.game;
    if !identity.games.is_empty() {
        let own = identity.games.iter().find(|own| own.game == game.game);
        let own = own.ok_or_else(|| {
            let all: Vec<&str> = identity.games.iter().map(|own| own.game.as_str()).collect();
            let (program, game) = (source.program.display(), &game.game);
            anyhow!("{program} does not play {game}, but {}", all.join(", "))
        })?;
        return Ok(if game.variants.is_empty() { own.clone() } else { game.clone() });
    }
    let offers = |name: &str| {
        identity.options.iter().any(|option| option.protocol_name.eq_ignore_ascii_case(name))
    };
    let info = loader.games().find(&game.game).filter(|info| {
        let has_chess960 = info.variants.iter().any(|variant| variant.id == CHESS960);
        has_chess960 && source.protocol.protocol == Protocol::Uci && !offers(CHESS960_OPTION)
    });
    let Some(info) = info.filter(|_| game.variants.is_empty()) else { return Ok(game.clone()) };
    let variants = info.variants.iter().map(|variant| variant.id).filter(|id| *id != CHESS960);
    Ok(GameSpec { game: game.game.clone(), variants: variants.map(str::to_owned).collect() })
}

/// The version that the program tells; or the first word of its name, or else the last, that is a
/// version, the first only with a dot; or else one that is made of its hash.
fn version_of(identity: &ProgramIdentity, sha256: &str) -> String {
    let words: Vec<&str> =
        identity.name.split_whitespace().map(|word| word.trim_start_matches('v')).collect();
    let dotted = words.iter().copied().filter(|word| word.contains('.'));
    let mut sent =
        std::iter::once(identity.version.as_str()).chain(dotted).chain(words.last().copied());
    let valid = sent.find(|text| check_version(text).is_ok());
    valid.map_or_else(|| format!("0+{}", sha256.get(..8).unwrap_or_default()), str::to_owned)
}

/// An id for a program, from the name of its file.
pub fn id_of_program(program: &Path) -> Option<String> {
    word_of(&program.file_stem()?.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(protocol_name: &str, kind: Kind, initial: &str) -> IdentifiedOption {
        let name = word_of(protocol_name).unwrap();
        let initial = initial.to_owned();
        let spec = OptionSpec { name, about: String::new(), kind, initial, tunable: false };
        IdentifiedOption { spec, protocol_name: protocol_name.to_owned() }
    }

    fn source(game: &str, values: &[(&str, &str)]) -> ProgramSource {
        ProgramSource {
            id: "fish".into(),
            name: None,
            program: "/usr/games/fish".into(),
            is_copied: false,
            game: GameSpec { game: game.into(), variants: Vec::new() },
            protocol: ProtocolConfig::default(),
            limits: PackLimits { memory_bytes: Some(64 << 20), ..PackLimits::default() },
            files: Vec::new(),
            values: values.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        }
    }

    fn words(words: &[&str]) -> Kind {
        Kind::Pick(words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// The options of the manifest, as `name[=protocol's name] kind initial`.
    fn check(
        offered: &[IdentifiedOption],
        values: &[(&str, &str)],
        expected: Result<&[&str], &str>,
    ) {
        let identity = ProgramIdentity { options: offered.to_vec(), ..ProgramIdentity::default() };
        let source = source("xiangqi", values);
        let found = Described::by(&source, &identity, &Loader::default(), "0123456789abcdef");
        let shown = found.map_err(|error| error.to_string()).map(|found| {
            let shown = found.description.options.iter().map(|it| {
                let theirs = found.protocol.option_name(&it.name);
                let theirs = if theirs == it.name { String::new() } else { format!("={theirs}") };
                format!("{}{theirs} {:?} {}", it.name, it.kind, it.initial)
            });
            shown.collect::<Vec<_>>()
        });
        let expected = expected.map(|lines| lines.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(shown, expected.map_err(str::to_owned));
    }

    #[test]
    fn options_of_a_program_become_those_of_its_manifest() {
        let hash = || option("Hash", Kind::Whole(1, 33_554_432), "64");
        check(&[hash()], &[], Ok(&["hash Whole(1, 48) 48"]));
        check(&[hash()], &[("Hash", "4")], Ok(&["hash Whole(1, 48) 4"]));
        check(
            &[hash()],
            &[("HASH", "49")],
            Err("/usr/games/fish: option `HASH`: `49` is not a whole number from 1 to 48"),
        );
        let level = || option("Skill Level", Kind::Whole(0, 20), "20");
        check(&[level()], &[], Ok(&["skill-level=Skill Level Whole(0, 20) 20"]));
        for name in ["Skill Level", "skill-level"] {
            check(&[level()], &[(name, "3")], Ok(&["skill-level=Skill Level Whole(0, 20) 3"]));
        }
        check(
            &[level()],
            &[("Skil Level", "3")],
            Err("/usr/games/fish: unknown option `Skil Level`; did you mean `Skill Level`?"),
        );
        check(
            &[],
            &[("x", "3")],
            Err("/usr/games/fish: unknown option `x`; the program offers none"),
        );
        // Options of the host are left out; names that the host has get a number.
        let toggle = |name: &str| option(name, Kind::Toggle, "false");
        let hosts = ["Threads", "multipv", "UCI_Chess960", "Ponder", "UCI_ShowWDL", "newgame"];
        check(&hosts.map(toggle), &[], Ok(&[]));
        check(
            &[toggle("UCI_LimitStrength")],
            &[],
            Ok(&["uci-limitstrength=UCI_LimitStrength Toggle false"]),
        );
        check(
            &[toggle("Name"), toggle("A b"), toggle("a-B")],
            &[],
            Ok(&["name-2=Name Toggle false", "a-b=A b Toggle false", "a-b-2=a-B Toggle false"]),
        );
        // The option that chooses the game has its game.
        let games = |initial| option("UCI_Variant", words(&["chess", "xiangqi"]), initial);
        let of_game = "uci-variant=UCI_Variant Pick([\"xiangqi\"]) xiangqi";
        check(&[games("chess")], &[], Ok(&[of_game]));
        let chess = option("UCI_Variant", words(&["chess"]), "chess");
        check(&[chess], &[], Ok(&["uci-variant=UCI_Variant Pick([\"chess\"]) chess"]));
    }

    #[test]
    fn versions() {
        let check = |name: &str, version: &str, expected: &str| {
            let (name, version) = (name.to_owned(), version.to_owned());
            let identity = ProgramIdentity { name, version, ..ProgramIdentity::default() };
            assert_eq!(version_of(&identity, "0123456789abcdef"), expected);
        };
        check("Stockfish 17.1", "", "17.1");
        check("Rapfi v0.43.01", "", "0.43.01");
        check("Stockfish 17.1", "18", "18");
        check("Stockfish 17", "", "17");
        check("Fairy-Stockfish 11.1 LB 64", "", "11.1");
        check("A.B Fish 64", "", "64");
        check("Pela", "2.0 beta", "0+01234567");
        check("Fish dev-1-2", "", "0+01234567");
        check("", "", "0+01234567");
    }

    #[test]
    fn ids_of_programs() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(id_of_program(Path::new(path)).as_deref(), expected, "{path}");
        };
        check("/usr/games/stockfish", Some("stockfish"));
        check("Pbrain Five_2.exe", Some("pbrain-five-2"));
        check("/opt/!!", None);
    }

    #[test]
    fn a_program_of_the_sandboard_protocol_names_its_games() {
        let game = |id: &str, variants: &[&str]| GameSpec {
            game: id.into(),
            variants: variants.iter().map(|it| (*it).to_owned()).collect(),
        };
        let check = |games: Vec<GameSpec>, expected: Result<GameSpec, &str>| {
            let identity = ProgramIdentity { games, ..ProgramIdentity::default() };
            let found = game_of(&source("xiangqi", &[]), &identity, &Loader::default());
            let found = found.map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned));
        };
        check(Vec::new(), Ok(game("xiangqi", &[])));
        check(vec![game("xiangqi", &["a"])], Ok(game("xiangqi", &["a"])));
        check(vec![game("gomoku", &[])], Err("/usr/games/fish does not play xiangqi, but gomoku"));
    }
}
