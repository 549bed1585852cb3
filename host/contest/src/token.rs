//! Access tokens of entrants and the organiser, and secrets of invitations: random text that is
//! shown once and stored only as a hash.

use sha2::{Digest, Sha256};

/// 160 bits cannot be guessed.
const BYTES: usize = 20;
const PREFIX: &str = "sbt-";
/// Differs from that of tokens, so that the two are not confused.
const INVITATION_PREFIX: &str = "sbi-";

/// A new random token. Fails if the system gives no random numbers.
pub fn generate() -> Result<String, getrandom::Error> {
    random(PREFIX)
}

/// A new random secret of an invitation. Fails if the system gives no random numbers.
pub fn generate_invitation() -> Result<String, getrandom::Error> {
    random(INVITATION_PREFIX)
}

fn random(prefix: &str) -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{prefix}{}", sandboard_common::hex::hex(&bytes)))
}

/// The stored hash of a token: the SHA-256 of the trimmed text, in hexadecimal. A random token
/// needs no salt and no slow hash.
pub fn hash(token: &str) -> String {
    sandboard_common::hex::hex(&Sha256::digest(token.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_stored_as_hashes() {
        let [one, other] = [generate().unwrap(), generate().unwrap()];
        assert_ne!(one, other);
        assert!(one.len() == 44 && one.starts_with(PREFIX));
        assert_eq!(hash(&one), hash(&format!(" {one}\n")));
        assert_ne!(hash(&one), hash(&other));
        assert!(!hash(&one).contains(&one[4..]));
    }
}
