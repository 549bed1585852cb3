//! A bundle that is unpacked into a folder, and the tools of a liar, who changes it and repairs
//! what the change gives away: hashes, results in the index, and tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sandboard_archive::ZipWriter;
use sandboard_bundle::{Bundle, LIMITS};
use sandboard_common::hex::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const FILE_BYTES_MAX: u64 = 1 << 30;

/// An unpacked bundle.
pub(super) struct Unpacked(pub(super) PathBuf);

impl Unpacked {
    /// Unpacks a bundle into a folder.
    pub(super) fn new(bundle: &Path, folder: PathBuf) -> Self {
        let bundle = Bundle::open(bundle).unwrap();
        let mut names = vec!["bundle.json".to_owned()];
        for module in bundle.index.modules.iter().filter(|module| module.published) {
            names.push(format!("modules/{}.wasm", module.sha256));
        }
        for arena in &bundle.index.arenas {
            let openings = arena.setup.openings.iter().map(|it| &it.sha256);
            names.extend(openings.map(|sha256| format!("openings/{sha256}.txt")));
            let game = |name: &String| format!("records/{}/{name}.json", arena.name);
            names.extend(arena.games.iter().map(|it| game(&it.name)));
        }
        // Two arenas may share their openings.
        names.sort();
        names.dedup();
        for name in names {
            let path = folder.join(&name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bundle.read(&name, FILE_BYTES_MAX).unwrap().unwrap()).unwrap();
        }
        Self(folder)
    }

    /// The JSON of a file.
    fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.0.join(name)).unwrap()).unwrap()
    }

    /// Changes the JSON of a file, and nothing else.
    pub(super) fn json(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut value = self.read(name);
        change(&mut value);
        std::fs::write(self.0.join(name), value.to_string()).unwrap();
    }

    /// Changes the index, and nothing else.
    pub(super) fn index(&self, change: impl FnOnce(&mut Value)) {
        self.json("bundle.json", change);
    }

    /// Changes the only arena in the index, and nothing else.
    pub(super) fn arena(&self, change: impl FnOnce(&mut Value)) {
        self.index(|index| change(&mut index["arenas"][0]));
    }

    /// Puts a value at a place of the index, which may be new there.
    pub(super) fn value(&self, place: &str, value: Value) {
        self.index(|index| {
            let (parent, field) = place.rsplit_once('/').unwrap();
            let parent = index.pointer_mut(parent).expect(place);
            match parent.as_array_mut() {
                Some(list) => list[field.parse::<usize>().unwrap()] = value,
                None => parent[field] = value,
            }
        });
    }

    /// The files of all records, in the order of the list of games.
    fn record_files(&self) -> Vec<String> {
        let index = self.read("bundle.json");
        let arena = &index["arenas"][0];
        let games = arena["games"].as_array().unwrap().iter();
        games.map(|game| record_file(&arena["name"], &game["name"])).collect()
    }

    /// Changes the first record that is `wanted`, and repairs the rest.
    #[track_caller]
    pub(super) fn record(&self, wanted: fn(&Value) -> bool, change: impl FnOnce(&mut Value)) {
        let files = self.record_files();
        let found = files.iter().find(|file| wanted(&self.read(file)));
        self.json(found.expect("there is such a game"), change);
        self.repair();
    }

    /// Changes all records, and repairs the rest.
    pub(super) fn records(&self, change: impl Fn(&mut Value)) {
        for file in self.record_files() {
            self.json(&file, &change);
        }
        self.repair();
    }

    /// Changes a player in the setup and in all records, and repairs the rest. The change gets the
    /// player in the setup, then the player in each record.
    pub(super) fn player(
        &self,
        name: &str,
        setup: impl FnOnce(&mut Value),
        record: impl Fn(&mut Value),
    ) {
        self.arena(|arena| setup(named(&mut arena["setup"]["players"], name)));
        self.records(|found| {
            let players = found["players"].as_array_mut().unwrap().iter_mut();
            players.filter(|player| player["name"] == name).for_each(&record);
        });
    }

    /// Removes the games from this number on, their records too, and repairs the rest.
    pub(super) fn cut(&self, from: usize) {
        for file in self.record_files().drain(from..) {
            std::fs::remove_file(self.0.join(file)).unwrap();
        }
        self.arena(|arena| arena["games"].as_array_mut().unwrap().truncate(from));
        self.repair();
    }

    /// Exchanges the records of two games, and repairs the rest.
    pub(super) fn exchange(&self, one: usize, other: usize) {
        let files = self.record_files();
        let (one, other) = (self.0.join(&files[one]), self.0.join(&files[other]));
        let [first, second] = [&one, &other].map(|file| std::fs::read(file).unwrap());
        std::fs::write(one, second).unwrap();
        std::fs::write(other, first).unwrap();
        self.repair();
    }

    /// Gives each game of the list the hash and the result of its record, and counts the table
    /// again.
    pub(super) fn repair(&self) {
        let files = self.record_files();
        let mut totals: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        self.arena(|arena| {
            for (game, file) in arena["games"].as_array_mut().unwrap().iter_mut().zip(files) {
                let record = self.read(&file);
                game["sha256"] = json!(sha256(&self.0.join(file)));
                let Some(half_points) = half_points(&record) else { continue };
                game["half_points"] = json!(half_points);
                game["plies"] = json!(record["plies"].as_array().unwrap().len());
                game["sentence"] = record["result"]["sentence"].clone();
                for (player, points) in
                    record["players"].as_array().unwrap().iter().zip(half_points)
                {
                    let name = player["name"].as_str().unwrap().to_owned();
                    let (total, games) = totals.entry(name).or_default();
                    *total += points;
                    *games += 1;
                }
            }
            let rows = arena["table"].as_array_mut().unwrap();
            for row in rows.iter_mut() {
                let (points, games) =
                    totals.get(row["player"].as_str().unwrap()).unwrap_or(&(0, 0));
                (row["half_points"], row["games"]) = (json!(points), json!(games));
            }
            rank(rows);
        });
    }

    /// Gives a file that is named by its hash these bytes, and its new hash to everything that
    /// names it.
    pub(super) fn replace(&self, folder: &str, sha256_before: &str, bytes: &[u8]) {
        let now = hex(&Sha256::digest(bytes));
        let [before, after] = [sha256_before, now.as_str()].map(|hash| {
            let ending = if folder == "modules" { "wasm" } else { "txt" };
            self.0.join(folder).join(format!("{hash}.{ending}"))
        });
        std::fs::remove_file(before).unwrap();
        std::fs::write(after, bytes).unwrap();
        for name in self.record_files().iter().map(String::as_str).chain(["bundle.json"]) {
            let text = std::fs::read_to_string(self.0.join(name)).unwrap();
            std::fs::write(self.0.join(name), text.replace(sha256_before, &now)).unwrap();
        }
        self.repair();
    }

    /// Gives an arena another name.
    pub(super) fn rename_arena(&self, from: &str, to: &str) {
        let records = self.0.join("records");
        std::fs::rename(records.join(from), records.join(to)).unwrap();
        self.index(|index| {
            let arenas = index["arenas"].as_array_mut().unwrap();
            let arena = arenas.iter_mut().find(|arena| arena["name"] == from).unwrap();
            arena["name"] = json!(to);
        });
    }

    /// The file of the first module of the index.
    pub(super) fn module(&self) -> PathBuf {
        let index = self.read("bundle.json");
        let sha256 = index["modules"][0]["sha256"].as_str().unwrap();
        self.0.join(format!("modules/{sha256}.wasm"))
    }

    /// The module of a player of the arena.
    pub(super) fn module_of(&self, player: &str) -> String {
        let mut index = self.read("bundle.json");
        let player = named(&mut index["arenas"][0]["setup"]["players"], player);
        player["module_sha256"].as_str().unwrap().to_owned()
    }

    /// The hash of the file of openings.
    pub(super) fn openings(&self) -> String {
        let index = self.read("bundle.json");
        index["arenas"][0]["setup"]["openings"]["sha256"].as_str().unwrap().to_owned()
    }

    /// Writes the bundle as a ZIP file.
    pub(super) fn pack(&self, to: &Path) {
        let (mut files, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        let name = |file: &Path| {
            let parts = file.strip_prefix(&self.0).unwrap().components();
            let parts: Vec<_> = parts.map(|part| part.as_os_str().to_str().unwrap()).collect();
            parts.join("/")
        };
        let mut zip = ZipWriter::new(std::fs::File::create(to).unwrap(), LIMITS);
        for file in &files {
            zip.add(&name(file), &std::fs::read(file).unwrap()).unwrap();
        }
        zip.finish().unwrap();
    }
}

fn record_file(arena: &Value, game: &Value) -> String {
    format!("records/{}/{}.json", arena.as_str().unwrap(), game.as_str().unwrap())
}

pub(super) fn sha256(path: &Path) -> String {
    hex(&Sha256::digest(std::fs::read(path).unwrap()))
}

/// The object with this name in a list.
pub(super) fn named<'a>(list: &'a mut Value, name: &str) -> &'a mut Value {
    let mut list = list.as_array_mut().unwrap().iter_mut();
    list.find(|it| it["name"] == name).expect(name)
}

/// The half points of the two players in a record; none: it has no result.
fn half_points(record: &Value) -> Option<[u64; 2]> {
    let seat = |player: usize| record["players"][player]["seats"][0].as_u64();
    let score = |player: usize| record["result"]["scores"][seat(player)? as usize].as_i64();
    Some(match score(0)?.cmp(&score(1)?) {
        std::cmp::Ordering::Less => [0, 2],
        std::cmp::Ordering::Equal => [1, 1],
        std::cmp::Ordering::Greater => [2, 0],
    })
}

/// Sorts the rows of a table, and gives each its place.
pub(super) fn rank(rows: &mut [Value]) {
    let points = |row: &Value| row["half_points"].as_u64().unwrap();
    rows.sort_by_key(|row| std::cmp::Reverse(points(row)));
    let all: Vec<u64> = rows.iter().map(points).collect();
    for row in rows {
        let better = all.iter().filter(|it| **it > points(row)).count();
        row["place"] = json!(better + 1);
    }
}
