//! Tests of the script `host/cli/container/run`, with programs that stand for podman and docker.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Prints its name and arguments in one line, and says whether the files of the build are there.
const TOOL: &str = r#"#!/bin/sh
echo "$(basename "$0") $*"
if [ "$1" = build ]; then
  for folder in "$@"; do :; done
  cat "$folder/sandboard.tar.gz"
  grep --count ^USER "$folder/Containerfile"
fi
"#;
/// A docker without its daemon.
const STOPPED: &str = "#!/bin/sh\n[ \"$1\" != info ]\n";
/// What the script itself uses.
const UTILITIES: [&str; 7] = ["basename", "cat", "cp", "dirname", "grep", "mktemp", "rm"];

/// The exit code and the output of the script, with these programs on the search path. `RELEASE`
/// among the arguments is a release.
fn run(programs: &[(&str, &str)], base: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bin");
    std::fs::create_dir(&path).expect("created");
    for name in UTILITIES {
        let places = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(name));
        let found = places.iter().find(|file| file.exists()).expect("a utility of every system");
        std::os::unix::fs::symlink(found, path.join(name)).expect("linked");
    }
    for (name, text) in programs {
        let file = path.join(name);
        std::fs::write(&file, text).expect("written");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
    }
    let release = folder.path().join("release.tar.gz");
    std::fs::write(&release, "release\n").expect("written");
    let script = crate::workspace::own_root().join("host/cli/container/run");
    let mut command = Command::new("/bin/sh");
    command.arg(script).env("PATH", &path).env("BASE", base).env_remove("PORT");
    for argument in arguments {
        match *argument {
            "RELEASE" => command.arg(&release),
            other => command.arg(other),
        };
    }
    let output = command.output().expect("sh runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn an_image_is_built_from_the_release_and_run() {
    let check = |programs: &[&str], base: &str, arguments: &[&str], expected: &[&str]| {
        let programs: Vec<(&str, &str)> = programs.iter().map(|name| (*name, TOOL)).collect();
        let (code, text) = run(&programs, base, arguments);
        assert_eq!(code, Some(0), "{text}");
        for part in expected {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    };
    let built = "release\n1\n";
    check(&["podman"], "", &["RELEASE"], &["podman build --tag sandboard ", built, "podman run "]);
    check(&["docker"], "", &["RELEASE"], &["docker build --tag sandboard ", built, "docker run "]);
    check(&["podman", "docker"], "", &["RELEASE"], &["podman build", "podman run"]);
    check(&["podman"], "debian:x", &["RELEASE"], &["build --build-arg BASE=debian:x --tag"]);
    check(
        &["podman"],
        "",
        &["RELEASE", "doctor", "--json"],
        &[
            "--publish 127.0.0.1:8000:8000",
            "--volume sandboard:/data",
            "no-new-privileges",
            "--cap-drop ALL",
            "sandboard doctor --json\n",
        ],
    );
}

#[test]
fn what_is_missing_is_said() {
    let check = |programs: &[(&str, &str)], arguments: &[&str], code: i32, expected: &str| {
        let (found, text) = run(programs, "", arguments);
        assert_eq!(found, Some(code), "{text}");
        assert!(text.contains(expected), "{expected} is not in {text}");
    };
    check(&[], &["RELEASE"], 1, "neither podman nor docker is installed");
    check(&[("docker", STOPPED)], &["RELEASE"], 1, "its daemon does not answer");
    check(&[("podman", TOOL)], &["absent.tar.gz"], 1, "there is no file absent.tar.gz");
    check(&[("podman", TOOL)], &[], 2, "usage: run RELEASE.tar.gz");
    check(&[], &["--help"], 0, "usage: run RELEASE.tar.gz");
    let fails = "#!/bin/sh\necho the build failed\nexit 7\n";
    check(&[("podman", fails)], &["RELEASE"], 7, "the build failed");
}
