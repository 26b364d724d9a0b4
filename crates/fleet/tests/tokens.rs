//! What is a secret, and where it may lie.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a token lies in a file")]

use std::os::unix::fs::PermissionsExt;

use iobound_fleet::{Token, TokenError};

#[test]
fn a_token_is_a_line_of_visible_characters_that_nobody_guesses() {
    assert!(Token::new(" 0123456789abcdef\n").unwrap().is("0123456789abcdef"));
    assert_eq!(Token::new("0123456789abcde").unwrap_err(), TokenError::Length(15));
    assert_eq!(Token::new("").unwrap_err(), TokenError::Length(0));
    assert_eq!(Token::new("0123456789 abcdef").unwrap_err(), TokenError::Character);
    let drawn = [Token::drawn().unwrap(), Token::drawn().unwrap()];
    assert!(drawn[0].reveal().len() == 32 && !drawn[0].is(drawn[1].reveal()));
}

#[test]
fn a_file_that_others_may_read_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    assert!(matches!(Token::read(&path), Err(TokenError::File(_))));
    std::fs::write(&path, "0123456789abcdef\n").unwrap();
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    assert_eq!(Token::read(&path).unwrap_err(), TokenError::Open(0o644));
    for allowed in [0o600, 0o400, 0o640] {
        mode(allowed);
        assert!(Token::read(&path).unwrap().is("0123456789abcdef"));
    }
}
