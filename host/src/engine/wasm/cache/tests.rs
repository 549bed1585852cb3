//! What lies in the folder of compiled code, and what comes of it: found again, refused
//! and removed, or left alone.

use std::fs::{OpenOptions, Permissions};
use std::time::Duration;

use tempfile::TempDir;
use wasmtime::Engine;

use super::*;

/// A cache, and keys of modules that are only names here.
struct Shop {
    _parent: TempDir,
    cache: Cache,
    engine: Engine,
}

impl Shop {
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let cache = Cache::open(&parent.path().join("cache")).unwrap();
        Self { _parent: parent, cache, engine: Engine::default() }
    }

    fn key(&self, module: &str) -> Key {
        Key::of(&self.engine, module.as_bytes())
    }

    fn place(&self, module: &str) -> PathBuf {
        self.cache.place(&self.key(module))
    }

    fn put(&self, module: &str, code: &[u8]) {
        self.cache.put(&self.key(module), &Code::compiled(code.to_vec())).unwrap();
    }

    fn get(&self, module: &str) -> Option<Vec<u8>> {
        self.cache.get(&self.key(module)).map(|code| code.bytes().to_vec())
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.cache.folder).unwrap().flatten();
        let mut names: Vec<_> =
            names.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Says that a file was used so long ago.
    fn used(&self, module: &str, hours_ago: u64) {
        let when = SystemTime::now() - Duration::from_secs(hours_ago * 3600);
        let file = OpenOptions::new().write(true).open(self.place(module)).unwrap();
        file.set_modified(when).unwrap();
    }
}

#[test]
fn what_was_put_is_found_again_under_its_key_only() {
    let shop = Shop::new();
    assert_eq!(shop.get("a"), None);
    shop.put("a", b"code of a");
    shop.put("b", b"");
    assert_eq!(shop.get("a").as_deref(), Some(&b"code of a"[..]));
    assert_eq!(shop.get("b").as_deref(), Some(&b""[..]));
    assert_eq!(shop.get("c"), None);
    let mut config = wasmtime::Config::new();
    config.consume_fuel(true);
    let other = Key::of(&Engine::new(&config).unwrap(), b"a");
    assert!(shop.cache.get(&other).is_none());
    assert_eq!(shop.names().len(), 2, "{:?}", shop.names());
}

#[test]
fn what_is_not_as_it_was_written_is_removed() {
    let shop = Shop::new();
    shop.put("a", b"code of a");
    shop.put("b", b"code of b");
    let whole = fs::read(shop.place("a")).unwrap();
    // A byte in each part of the file, and the file cut at each.
    for at in [0, 8, 12, 44, 52, 60, 92, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        for planted in [&changed[..], &whole[..at]] {
            fs::write(shop.place("a"), planted).unwrap();
            assert_eq!(shop.get("a"), None, "byte {at}");
            assert!(!shop.place("a").exists(), "byte {at}");
        }
    }
    // Whole, but another's.
    fs::copy(shop.place("b"), shop.place("a")).unwrap();
    assert_eq!(shop.get("a"), None);
    assert!(!shop.place("a").exists());
    fs::write(shop.place("a"), &whole).unwrap();
    assert_eq!(shop.get("a").as_deref(), Some(&b"code of a"[..]));
}

#[test]
#[cfg(unix)]
fn what_this_host_cannot_have_written_is_not_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let shop = Shop::new();
    shop.put("a", b"code");
    let aside = shop.cache.folder.join("aside");
    let place = shop.place("a");
    for (mode, admitted) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
        shop.put("a", b"code");
        fs::set_permissions(&place, Permissions::from_mode(mode)).unwrap();
        assert_eq!(shop.get("a").is_some(), admitted, "{mode:o}");
        assert_eq!(place.exists(), admitted, "{mode:o}");
    }
    // A link, even to the very file.
    shop.put("a", b"code");
    fs::rename(&place, &aside).unwrap();
    symlink(&aside, &place).unwrap();
    assert_eq!(shop.get("a"), None);
    assert!(place.symlink_metadata().is_err() && aside.exists(), "the link goes, not its target");
    // A pipe that nobody writes into.
    let dir = rustix::fs::CWD;
    rustix::fs::mknodat(dir, &place, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(shop.get("a"), None);
    assert!(!place.exists());
    // A folder stays, and costs only the keeping.
    fs::create_dir(&place).unwrap();
    assert_eq!(shop.get("a"), None);
    let code = Code::compiled(b"code".to_vec());
    assert!(shop.cache.put(&shop.key("a"), &code).is_err());
    assert_eq!(shop.names().len(), 2, "nothing half written: {:?}", shop.names());
}

#[test]
fn what_was_used_longest_ago_makes_room() {
    let shop = Shop::new();
    let code = [7; 1000];
    for (module, hours) in [("a", 5), ("b", 4), ("c", 3)] {
        shop.put(module, &code);
        shop.used(module, hours);
    }
    // Used just now, however long ago it was written.
    assert!(shop.get("a").is_some());
    let one = fs::metadata(shop.place("a")).unwrap().len();
    let small = Shop { cache: shop.cache.clone().with_most_bytes(3 * one), ..shop };
    small.put("d", &code);
    let left = ["a", "b", "c", "d"].map(|module| small.place(module).exists());
    assert_eq!(left, [true, false, true, true]);
    // What is too long by itself takes nothing away.
    let long = Code::compiled(vec![0; 4000]);
    let error = small.cache.put(&small.key("e"), &long).unwrap_err().to_string();
    let bytes = 4000 + one - 1000;
    assert_eq!(error, format!("it has {bytes} bytes; the cache holds {}", 3 * one));
    assert_eq!(small.names().len(), 3);
    // Nothing else in the folder is counted or removed.
    let packs = small.cache.folder.join("packs");
    fs::create_dir(&packs).unwrap();
    fs::write(small.cache.folder.join("notes"), vec![0; 5000]).unwrap();
    small.put("f", &code);
    assert!(packs.exists() && small.cache.folder.join("notes").exists());
    assert_eq!(small.names().len(), 5);
}

#[test]
fn what_a_killed_host_left_is_swept_and_nothing_else() {
    let shop = Shop::new();
    shop.put("a", b"code");
    let dead = shop.cache.folder.join(format!("{UNFINISHED}dead"));
    fs::write(&dead, b"half").unwrap();
    let living = shop.cache.unfinished().unwrap();
    let again = Cache::open(&shop.cache.folder).unwrap();
    assert!(!dead.exists());
    assert!(living.path().exists(), "somebody writes it");
    assert!(again.get(&shop.key("a")).is_some());
    let path = living.path().to_owned();
    // As if its host had been killed.
    let (file, kept) = living.keep().unwrap();
    drop(file);
    assert_eq!(kept, path);
    Cache::open(&shop.cache.folder).unwrap();
    assert!(!path.exists());
}
