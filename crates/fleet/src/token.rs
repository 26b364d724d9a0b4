//! The secret that ranks and coordinator share.

use std::fmt;
use std::io::Read;
use std::path::Path;

use iobound_machine::files::random_number;

/// The secret that ranks and coordinator share. It prints as nothing.
#[derive(Clone)]
pub struct Token(String);

/// The fewest characters of a token: 16 of base64 are 96 bits, beyond guessing over a network.
const LEAST: usize = 16;

/// The most, so that a wrong file is told and not sent.
const MOST: usize = 1_024;

/// A token that can't be taken. It never tells what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// Too short to be a secret, or too long; how many characters it has.
    Length(usize),
    /// A character that is not visible ASCII.
    Character,
    /// The file can't be read, and why.
    File(String),
    /// Others may read the file; its mode.
    Open(u32),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Length(n) => {
                write!(
                    f,
                    "a token has {LEAST} to {MOST} characters, and this one has {n}: `openssl rand -hex 16` makes one"
                )
            }
            TokenError::Character => f.write_str(
                "a token is one line of visible ASCII characters: `openssl rand -hex 16` makes one",
            ),
            TokenError::File(why) => write!(f, "cannot read the token file: {why}"),
            TokenError::Open(mode) => {
                write!(f, "the token file has mode {mode:03o}, and other users can read it: chmod 600")
            }
        }
    }
}

impl std::error::Error for TokenError {}

impl Token {
    /// A token of this text, without white space around it.
    ///
    /// # Errors
    /// Returns an error if the text is not a token of one line.
    pub fn new(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        if !(LEAST..=MOST).contains(&text.len()) {
            return Err(TokenError::Length(text.chars().count()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Character);
        }
        Ok(Token(text.to_string()))
    }

    /// The token in a file that nobody but its owner may read, or that is mounted for this process alone.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, other users may read it, or its text is not a token.
    pub fn read(path: &Path) -> Result<Token, TokenError> {
        let failed = |error: std::io::Error| TokenError::File(format!("{}: {error}", path.display()));
        let file = std::fs::File::open(path).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
            // The group may: Kubernetes mounts a secret with the group of the pod.
            if mode & 0o007 != 0 {
                return Err(TokenError::Open(mode));
            }
        }
        let mut text = String::new();
        file.take(2 * MOST as u64).read_to_string(&mut text).map_err(failed)?;
        Token::new(&text)
    }

    /// One that nobody has seen: 32 hexadecimal digits of the system's entropy.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn drawn() -> std::io::Result<Token> {
        Ok(Token(format!("{:016x}{:016x}", random_number()?, random_number()?)))
    }

    /// Its text, to be handed to a rank over a channel that is secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// True if this is the same; takes as long for a near miss as for a far one.
    pub fn is(&self, other: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), other.as_bytes());
        let differ = own.iter().zip(other).fold(0_u8, |differ, (a, b)| differ | (a ^ b));
        // The comparison may show the length, because that does not show the content.
        std::hint::black_box(differ) == 0 && own.len() == other.len()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
