//! The roles that a platform gives to people in a server or group.

use serde::{Deserialize, Serialize};

/// A role of a platform: one of a Discord server, or a standing in a Telegram group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlatformRole {
    /// The platform's id of it.
    pub id: String,
    /// Its name as people see it; empty, if it is not known.
    pub name: String,
}

impl PlatformRole {
    /// A role whose id is its name.
    pub fn word(word: &str) -> Self {
        Self {
            id: word.to_owned(),
            name: word.to_owned(),
        }
    }

    /// Whether it is the one of this id or name, written with or without `@`, in any case of letters.
    pub fn is(&self, written: &str) -> bool {
        let written = written.trim().trim_start_matches('@');
        !written.is_empty() && (self.id == written || self.name.to_lowercase() == written.to_lowercase())
    }
}

/// Whether one of these roles is named.
pub fn any_named(roles: &[PlatformRole], names: &[String]) -> bool {
    names.iter().any(|name| roles.iter().any(|role| role.is(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_named_by_its_id_or_its_name() {
        let role = PlatformRole {
            id: "42".to_owned(),
            name: "Mödërator".to_owned(),
        };
        for written in ["42", "Mödërator", "@mÖDërator", " Mödërator "] {
            assert!(role.is(written), "{written}");
        }
        for written in ["", "@", "4", "Moderator", "Mödërators"] {
            assert!(!role.is(written), "{written}");
        }
        let nameless = PlatformRole {
            name: String::new(),
            ..role
        };
        assert!(!nameless.is("") && nameless.is("42"));
        assert!(any_named(
            &[PlatformRole::word("owner")],
            &["x".to_owned(), "Owner".to_owned()]
        ));
        assert!(!any_named(&[PlatformRole::word("owner")], &[]) && !any_named(&[], &["owner".to_owned()]));
    }
}
