//! The files in a cache folder: which are found, refused, removed or ignored.

use std::fs::{OpenOptions, Permissions};
use std::time::Duration;

use tempfile::TempDir;
use wasmtime::Engine;

use super::*;

/// A cache in a temporary folder. Modules are represented by their names.
struct TestCache {
    _parent: TempDir,
    cache: CodeCache,
    engine: Engine,
}

impl TestCache {
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let cache = CodeCache::open(&parent.path().join("cache"), Profile::Everyday).unwrap();
        Self { _parent: parent, cache, engine: Engine::default() }
    }

    /// The folder of all profiles.
    fn parent(&self) -> &Path {
        self.cache.folder.parent().unwrap()
    }

    fn key(&self, module: &str) -> CacheKey {
        self.cache.key(&self.engine, Metering::Deadline, module.as_bytes())
    }

    fn path(&self, module: &str) -> PathBuf {
        self.cache.path(&self.key(module))
    }

    fn put(&self, module: &str, code: &[u8]) {
        self.cache.put(&self.key(module), &CompiledCode::from_compiler(code.to_vec())).unwrap();
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

    /// Sets the time of a file's last use.
    fn set_last_use(&self, module: &str, hours_ago: u64) {
        let time = SystemTime::now() - Duration::from_secs(hours_ago * 3600);
        let file = OpenOptions::new().write(true).open(self.path(module)).unwrap();
        file.set_modified(time).unwrap();
    }
}

#[test]
fn code_is_found_only_under_its_key() {
    let test = TestCache::new();
    assert_eq!(test.get("a"), None);
    test.put("a", b"code of a");
    test.put("b", b"");
    assert_eq!(test.get("a").as_deref(), Some(&b"code of a"[..]));
    assert_eq!(test.get("b").as_deref(), Some(&b""[..]));
    assert_eq!(test.get("c"), None);
    let mut config = wasmtime::Config::new();
    config.consume_fuel(true);
    let other = test.cache.key(&Engine::new(&config).unwrap(), Metering::Deadline, b"a");
    assert!(test.cache.get(&other).is_none());
    assert_eq!(test.names().len(), 2, "{:?}", test.names());
}

#[test]
fn changed_files_are_removed() {
    let test = TestCache::new();
    test.put("a", b"code of a");
    test.put("b", b"code of b");
    let whole = fs::read(test.path("a")).unwrap();
    // Changes a byte in each part of the file, or truncates the file there.
    for at in [0, 8, 12, 44, 52, 60, 92, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        for invalid in [&changed[..], &whole[..at]] {
            fs::write(test.path("a"), invalid).unwrap();
            assert_eq!(test.get("a"), None, "byte {at}");
            assert!(!test.path("a").exists(), "byte {at}");
        }
    }
    // A valid file under another key.
    fs::copy(test.path("b"), test.path("a")).unwrap();
    assert_eq!(test.get("a"), None);
    assert!(!test.path("a").exists());
    fs::write(test.path("a"), &whole).unwrap();
    assert_eq!(test.get("a").as_deref(), Some(&b"code of a"[..]));
}

#[test]
#[cfg(unix)]
fn files_that_this_host_cannot_have_written_are_not_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let test = TestCache::new();
    test.put("a", b"code");
    let aside = test.cache.folder.join("aside");
    let path = test.path("a");
    for (mode, accepted) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
        test.put("a", b"code");
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(test.get("a").is_some(), accepted, "{mode:o}");
        assert_eq!(path.exists(), accepted, "{mode:o}");
    }
    // A link, even to a valid file.
    test.put("a", b"code");
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    assert_eq!(test.get("a"), None);
    assert!(
        path.symlink_metadata().is_err() && aside.exists(),
        "the link is removed, not its target"
    );
    // A pipe without a writer.
    let dir = rustix::fs::CWD;
    rustix::fs::mknodat(dir, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(test.get("a"), None);
    assert!(!path.exists());
    // A folder stays, and nothing can be stored in its place.
    fs::create_dir(&path).unwrap();
    assert_eq!(test.get("a"), None);
    let code = CompiledCode::from_compiler(b"code".to_vec());
    assert!(test.cache.put(&test.key("a"), &code).is_err());
    assert_eq!(test.names().len(), 2, "no unfinished file: {:?}", test.names());
}

#[test]
fn the_least_recently_used_file_is_removed() {
    let test = TestCache::new();
    let code = [7; 1000];
    for (module, hours) in [("a", 5), ("b", 4), ("c", 3)] {
        test.put(module, &code);
        test.set_last_use(module, hours);
    }
    // Reading a file counts as a use.
    assert!(test.get("a").is_some());
    let one = fs::metadata(test.path("a")).unwrap().len();
    let small = TestCache { cache: test.cache.clone().with_max_bytes(3 * one), ..test };
    small.put("d", &code);
    let left = ["a", "b", "c", "d"].map(|module| small.path(module).exists());
    assert_eq!(left, [true, false, true, true]);
    // Code that exceeds the size of the cache removes nothing.
    let long = CompiledCode::from_compiler(vec![0; 4000]);
    let error = small.cache.put(&small.key("e"), &long).unwrap_err().to_string();
    let bytes = 4000 + one - 1000;
    assert_eq!(error, format!("it has {bytes} bytes; the cache holds {}", 3 * one));
    assert_eq!(small.names().len(), 3);
    // Other files in the folder are neither counted nor removed.
    let packs = small.cache.folder.join("packs");
    fs::create_dir(&packs).unwrap();
    fs::write(small.cache.folder.join("notes"), vec![0; 5000]).unwrap();
    small.put("f", &code);
    assert!(packs.exists() && small.cache.folder.join("notes").exists());
    assert_eq!(small.names().len(), 5);
}

#[test]
fn only_unfinished_files_of_killed_hosts_are_removed() {
    let test = TestCache::new();
    test.put("a", b"code");
    let dead = test.cache.folder.join(format!("{UNFINISHED_PREFIX}dead"));
    fs::write(&dead, b"half").unwrap();
    let living = test.cache.create_unfinished().unwrap();
    let again = CodeCache::open(test.parent(), Profile::Everyday).unwrap();
    assert!(!dead.exists());
    assert!(living.path().exists(), "it is being written");
    assert!(again.get(&test.key("a")).is_some());
    let path = living.path().to_owned();
    // Simulates that its host was killed.
    let (file, kept) = living.keep().unwrap();
    drop(file);
    assert_eq!(kept, path);
    CodeCache::open(test.parent(), Profile::Everyday).unwrap();
    assert!(!path.exists());
}
