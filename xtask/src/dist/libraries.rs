//! Finds the shared libraries that a program needs, as Debian's packages, from the names in its
//! table of dynamic strings.

use anyhow::{Context, Result};

/// The packages that a program depends on, such as `libc6 (>= 2.34)`.
pub(super) fn packages(program: &[u8]) -> Result<Vec<String>> {
    let (major, minor) = glibc_version(program)
        .context("the program names no version of glibc: is it linked with another C library?")?;
    let mut packages = vec![format!("libc6 (>= {major}.{minor})")];
    if strings(program).any(|text| text == b"libgcc_s.so.1") {
        packages.push("libgcc-s1".to_owned());
    }
    Ok(packages)
}

/// The newest version of glibc of which the program uses a symbol.
fn glibc_version(program: &[u8]) -> Option<(u32, u32)> {
    strings(program).filter_map(|text| symbol_version(std::str::from_utf8(text).ok()?)).max()
}

/// Reads `GLIBC_2.34` and `GLIBC_2.2.5`. `GLIBC_PRIVATE` and versions of other libraries are none.
fn symbol_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("GLIBC_")?.split('.').map(|part| part.parse::<u32>());
    let version = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    // A third number is below the precision of Debian's dependency.
    numbers.all(|number| number.is_ok()).then_some(version)
}

/// The parts between zero bytes, as in a table of strings.
fn strings(program: &[u8]) -> impl Iterator<Item = &[u8]> {
    program.split(|byte| *byte == 0).filter(|part| part.len() < 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_symbols_are_read() {
        let check = |text, expected| assert_eq!(symbol_version(text), expected, "{text}");
        check("GLIBC_2.34", Some((2, 34)));
        check("GLIBC_2.2.5", Some((2, 2)));
        check("GLIBC_2.9", Some((2, 9)));
        check("GLIBC_PRIVATE", None);
        check("GLIBC_2", None);
        check("GLIBC_2.", None);
        check("GLIBC_2.x", None);
        check("GLIBC_2.3.x", None);
        check("xGLIBC_2.34", None);
        check("GLIBCXX_3.4", None);
        check("GLIBC_2.34 is required", None);
        check("", None);
    }

    #[test]
    fn the_newest_version_counts_as_a_number() {
        let check = |program: &str, expected: Option<&[&str]>| {
            let found = packages(program.as_bytes()).ok();
            let expected = expected.map(|all| all.iter().map(|name| name.to_string()).collect());
            assert_eq!(found, expected, "{program}");
        };
        check("\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.4\0", Some(&["libc6 (>= 2.34)"]));
        check("\0GLIBC_2.2.5\0", Some(&["libc6 (>= 2.2)"]));
        check(
            "\0libgcc_s.so.1\0GCC_3.0\0libc.so.6\0GLIBC_2.17\0",
            Some(&["libc6 (>= 2.17)", "libgcc-s1"]),
        );
        check("\0libgcc_s.so.12\0GLIBC_2.17\0", Some(&["libc6 (>= 2.17)"]));
        // A message of the program is no name of a symbol.
        check("\0GLIBC_2.17\0needs GLIBC_2.99\0", Some(&["libc6 (>= 2.17)"]));
        check("\0musl\0", None);
    }
}
