//! Makes a Debian package: an `ar` archive of `debian-binary`, `control.tar.gz` and `data.tar.gz`
//! (deb(5)). Runs no program of Debian, so that it works on every Linux.

use anyhow::{Context, Result, ensure};
use md5::{Digest, Md5};

use super::archive::{Mode, Tree};

const MAGIC: &[u8] = b"!<arch>\n";
const MEMBER_END: &[u8] = b"`\n";
/// The bytes of the header before each member.
const HEADER_BYTES: usize = 60;

/// The fields of a package that are not the same for every version.
pub(super) struct Package<'a> {
    pub version: &'a str,
    /// The packages that the program needs, such as `libc6 (>= 2.34)`.
    pub depends: &'a [String],
    /// In seconds since 1970.
    pub mtime: u64,
}

impl Package<'_> {
    /// The package with these files, whose paths are relative to `/`.
    pub(super) fn build(&self, files: &Tree) -> Result<Vec<u8>> {
        let mut control = Tree::default();
        control.add("control", Mode::Data, self.control(files))?;
        control.add("md5sums", Mode::Data, md5sums(files))?;
        let members = [
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", control.tar_gz("./", self.mtime)?),
            ("data.tar.gz", files.tar_gz("./", self.mtime)?),
        ];
        write_ar(&members, self.mtime)
    }

    fn control(&self, files: &Tree) -> String {
        // Each file takes whole KiB, as in dpkg-gencontrol.
        let kib: usize = files.iter().map(|(_, file)| file.bytes.len().div_ceil(1024)).sum();
        format!(
            "Package: sandboard\n\
             Version: {}\n\
             Architecture: amd64\n\
             Maintainer: The Sandboard developers\n\
             Installed-Size: {kib}\n\
             Depends: {}\n\
             Section: games\n\
             Priority: optional\n\
             Description: arena for engines that play board and card games\n \
             Plays engines for gomoku, reversi, xiangqi and bridge against each other\n \
             and against people, in the browser or at the terminal. Engines are\n \
             WebAssembly components in a sandbox, native libraries or programs in\n \
             jailed processes.\n",
            self.version,
            self.depends.join(", ")
        )
    }
}

/// The sums that `dpkg --verify` compares, one line for each file.
fn md5sums(files: &Tree) -> String {
    let line = |(path, file): (&str, &super::archive::File)| {
        format!("{}  {path}\n", super::hex(&Md5::digest(&file.bytes)))
    };
    files.iter().map(line).collect()
}

fn write_ar(members: &[(&str, Vec<u8>)], mtime: u64) -> Result<Vec<u8>> {
    let mut ar = MAGIC.to_vec();
    for (name, bytes) in members {
        // Name, time, user, group, mode, size.
        let header =
            format!("{name:<16}{mtime:<12}{:<6}{:<6}{:<8}{:<10}", 0, 0, "100644", bytes.len());
        ensure!(
            header.len() + MEMBER_END.len() == HEADER_BYTES,
            "`{name}` with {} bytes does not fit into an ar archive",
            bytes.len()
        );
        ar.extend_from_slice(header.as_bytes());
        ar.extend_from_slice(MEMBER_END);
        ar.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            ar.push(b'\n');
        }
    }
    Ok(ar)
}

/// The members of an `ar` archive, by name, in their order.
pub(super) fn read_ar(ar: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut rest = ar.strip_prefix(MAGIC).context("it is no ar archive")?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let at = ar.len() - rest.len();
        let broken = || format!("the ar archive is damaged at byte {at}");
        let (header, after) = rest.split_at_checked(HEADER_BYTES).with_context(broken)?;
        ensure!(header.ends_with(MEMBER_END), broken());
        let field = |range: std::ops::Range<usize>| {
            std::str::from_utf8(&header[range]).map(str::trim_end).with_context(broken)
        };
        let size: usize = field(48..58)?.parse().with_context(broken)?;
        let (bytes, after) = after.split_at_checked(size).with_context(broken)?;
        members.push((field(0..16)?.to_owned(), bytes.to_vec()));
        rest = after.get(size % 2..).unwrap_or_default();
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use sandboard_builder::command::{is_on_path, stdout_of};

    use super::super::archive::read_tar_gz;
    use super::*;

    fn example() -> Vec<u8> {
        let mut files = Tree::default();
        files.add("usr/bin/sandboard", Mode::Program, "program").expect("added");
        files
            .add("usr/share/doc/sandboard/README.md", Mode::Data, vec![b'x'; 1025])
            .expect("added");
        let depends = ["libc6 (>= 2.34)".to_owned(), "libgcc-s1".to_owned()];
        let package = Package { version: "1.2.3", depends: &depends, mtime: 1_700_000_000 };
        package.build(&files).expect("a package")
    }

    #[test]
    fn a_package_has_three_members() {
        let members = read_ar(&example()).expect("an archive");
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
        assert_eq!(members[0].1, b"2.0\n");
        let check = |member: usize, path: &str, mode: u32, expected: &str| {
            let entries = read_tar_gz(&members[member].1).expect("an archive");
            let entry = entries.iter().find(|entry| entry.path == path).expect("an entry");
            assert_eq!(entry.mode, mode, "{path}");
            let text = String::from_utf8_lossy(&entry.bytes);
            assert!(text.contains(expected), "{path}: {text}");
        };
        check(2, "./", 0o755, "");
        check(2, "./usr/bin/", 0o755, "");
        check(2, "./usr/bin/sandboard", 0o755, "program");
        check(2, "./usr/share/doc/sandboard/README.md", 0o644, "xxx");
        for line in [
            "Package: sandboard\n",
            "\nVersion: 1.2.3\n",
            "\nArchitecture: amd64\n",
            // 1 KiB and 2 KiB.
            "\nInstalled-Size: 3\n",
            "\nDepends: libc6 (>= 2.34), libgcc-s1\n",
            "\n Plays engines",
            "\n jailed processes.\n",
        ] {
            check(1, "./control", 0o644, line);
        }
        // `printf program | md5sum`
        check(1, "./md5sums", 0o644, "a9c449d4fa44e9e5a41c574ae55ce4d9  usr/bin/sandboard\n");
    }

    #[test]
    fn dpkg_reads_the_package_where_it_is_installed() {
        if !is_on_path("dpkg-deb") {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("example.deb");
        std::fs::write(&file, example()).expect("written");
        let check = |option: &str, expected: &[&str]| {
            let text = stdout_of(Command::new("dpkg-deb").arg(option).arg(&file));
            let text = text.expect("dpkg-deb reads the package");
            for part in expected {
                assert!(text.contains(part), "{part} is not in {text}");
            }
        };
        check("--info", &["Package: sandboard", "Version: 1.2.3", "libc6 (>= 2.34)"]);
        check(
            "--contents",
            &["-rwxr-xr-x root/root", "./usr/bin/sandboard", "-rw-r--r-- root/root"],
        );
    }

    #[test]
    fn ar_archives_are_read_back() {
        let check = |members: &[(&str, &str)]| {
            let members: Vec<(&str, Vec<u8>)> =
                members.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect();
            let ar = write_ar(&members, 5).expect("an archive");
            assert_eq!(ar.len() % 2, 0);
            let read = read_ar(&ar).expect("readable");
            let read: Vec<(&str, Vec<u8>)> =
                read.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
            assert_eq!(read, members);
        };
        check(&[]);
        check(&[("odd", "1"), ("even", "12"), ("empty", ""), ("last", "123")]);
    }

    #[test]
    fn a_header_has_its_fields_in_the_columns_of_ar() {
        let ar = write_ar(&[("name", b"12345".to_vec())], 1_700_000_000).expect("an archive");
        // ar(5): name 16, time 12, user 6, group 6, mode 8, size 10 columns.
        let expected = "!<arch>\nname            1700000000  0     0     100644  5         `\n\
                        12345\n";
        assert_eq!(String::from_utf8_lossy(&ar), expected);
    }

    #[test]
    fn damaged_ar_archives_are_errors() {
        let whole = write_ar(&[("name", b"1234".to_vec())], 5).expect("an archive");
        let check = |bytes: &[u8], expected: &str| {
            let error = read_ar(bytes).expect_err("damaged").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(b"", "no ar archive");
        check(b"!<arch>", "no ar archive");
        check(&whole[..30], "damaged at byte 8");
        check(&whole[..whole.len() - 1], "damaged at byte 8");
        check(&[&whole[..], b"x"].concat(), "damaged at byte 72");
        let mut other_end = whole.clone();
        other_end[8 + HEADER_BYTES - 1] = b'x';
        check(&other_end, "damaged at byte 8");
        let long = write_ar(&[("a name that is too long", Vec::new())], 5);
        assert!(long.is_err());
    }
}
