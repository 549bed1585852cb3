//! What an entrant or an organiser shows to be himself: a text that is drawn, told once, and kept as its hash only.

use sha2::{Digest, Sha256};

/// 160 bits: nobody finds one by trying.
const BYTES: usize = 20;
const PREFIX: &str = "sbt-";

/// A new token. Err: the system gives no random numbers.
pub fn draw() -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", crate::hex(&bytes)))
}

/// What is kept of a token: the SHA-256 of it without blanks around it, in hexadecimal. A token is drawn at random, so that its
/// hash needs no salt and no slowness.
pub fn kept(token: &str) -> String {
    crate::hex(&Sha256::digest(token.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_kept_as_hashes() {
        let [one, other] = [draw().unwrap(), draw().unwrap()];
        assert_ne!(one, other);
        assert!(one.len() == 44 && one.starts_with(PREFIX));
        assert_eq!(kept(&one), kept(&format!(" {one}\n")));
        assert_ne!(kept(&one), kept(&other));
        assert!(!kept(&one).contains(&one[4..]));
    }
}
