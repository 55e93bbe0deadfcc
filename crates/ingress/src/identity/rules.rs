//! Codes: their form, how often one may be tried, and which person may become part of which. Pure rules.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
};
use rand::CryptoRng;

/// How long a code is good.
pub const GOOD_FOR: Duration = Duration::from_secs(10 * 60);
/// The characters of a code.
const CODE_LENGTH: usize = 8;
/// How often an account may try to enter a code within [`WITHIN`].
pub const TRIES: usize = 5;
/// The time in which tries are counted.
pub const WITHIN: Duration = Duration::from_secs(60 * 60);

/// A new code.
pub fn code(rng: &mut impl CryptoRng) -> String {
    clifford_vault::code(CODE_LENGTH, rng)
}

/// The hash of a code as it is stored, however a person typed it: case, spaces and dashes do not matter.
pub fn hash(typed: &str) -> String {
    let plain: String = typed
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}'))
        .flat_map(char::to_uppercase)
        .collect();
    clifford_vault::hash(&plain)
}

/// When an account that tried at these moments (newest first) may try again, if not at once.
pub(crate) fn may_try_at(tries: &[Timestamp]) -> Option<Timestamp> {
    tries.get(TRIES - 1).map(|oldest| oldest.after(WITHIN))
}

/// Whether an account may become part of the person who made a code: never of one who may do less. Else a stranger
/// could talk an owner into entering a code, and be the owner.
pub(crate) const fn may_become_part(maker: UserRole, entering: UserRole) -> bool {
    rank(entering) <= rank(maker)
}

const fn rank(role: UserRole) -> u8 {
    match role {
        UserRole::Stranger => 0,
        UserRole::Member => 1,
        UserRole::Owner => 2,
    }
}

/// The maker of a code, once the other person is part of them.
pub fn joined(maker: &User, entering: &User) -> User {
    let filled = |text: &str| !text.trim().is_empty();
    let name = if filled(&maker.name) { maker } else { entering };
    // A choice of one of them counts more than a platform's word about the other.
    let is_better = match (&maker.language, &entering.language) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(_), Some(_)) => entering.language_set && !maker.language_set,
    };
    let language = if is_better { entering } else { maker };
    User {
        id: maker.id,
        name: name.name.clone(),
        role: if rank(entering.role) > rank(maker.role) {
            entering.role
        } else {
            maker.role
        },
        language: language.language.clone(),
        language_set: language.language_set,
        time_zone: maker.time_zone.clone().or_else(|| entering.time_zone.clone()),
    }
}

/// The rights of an account after it is parted from a person: the account that was there first stays the owner.
pub const fn parted(role: UserRole, is_first: bool) -> UserRole {
    match role {
        UserRole::Owner if is_first => UserRole::Owner,
        UserRole::Owner | UserRole::Member => UserRole::Member,
        UserRole::Stranger => UserRole::Stranger,
    }
}

/// The rights of the other accounts of a person after one was parted.
pub(crate) const fn role_after_unlink(role: UserRole, is_first: bool) -> UserRole {
    match role {
        UserRole::Owner if is_first => UserRole::Member,
        role => role,
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::id::UserId;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn user(name: &str, role: UserRole, language: Option<&str>, time_zone: Option<&str>) -> User {
        User {
            id: UserId::new(),
            name: name.into(),
            role,
            language: language.map(str::to_owned),
            language_set: false,
            time_zone: time_zone.map(str::to_owned),
        }
    }

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let code = code(&mut StdRng::seed_from_u64(7));
        assert_eq!(code.len(), 8);
        let (head, tail) = code.split_at(4);
        for typed in [
            code.clone(),
            code.to_lowercase(),
            format!(" {head} {tail}\n"),
            format!("{head}-{tail}"),
            format!("{}–{}", head.to_lowercase(), tail),
        ] {
            assert_eq!(hash(&typed), clifford_vault::hash(&code), "{typed:?}");
        }
        assert_ne!(hash(head), hash(&code));
    }

    #[test]
    fn the_sixth_try_waits_until_the_first_of_five_is_an_hour_old() {
        let minutes = |minutes: &[i64]| -> Vec<_> { minutes.iter().map(|at| Timestamp(at * 60_000)).collect() };
        for (tries, again) in [
            (minutes(&[]), None),
            (minutes(&[9, 8, 7, 6]), None),
            (minutes(&[9, 8, 7, 6, 5]), Some(Timestamp(65 * 60_000))),
            (minutes(&[9, 8, 7, 6, 5, 4]), Some(Timestamp(65 * 60_000))),
        ] {
            assert_eq!(may_try_at(&tries), again, "{tries:?}");
        }
    }

    #[test]
    fn nobody_becomes_part_of_one_who_may_do_less() {
        use UserRole::{Member, Owner, Stranger};
        for (maker, entering, expected) in [
            (Owner, Owner, true),
            (Owner, Member, true),
            (Owner, Stranger, true),
            (Member, Owner, false),
            (Member, Member, true),
            (Member, Stranger, true),
            (Stranger, Owner, false),
            (Stranger, Member, false),
            (Stranger, Stranger, true),
        ] {
            assert_eq!(may_become_part(maker, entering), expected, "{maker} {entering}");
        }
    }

    #[test]
    fn the_maker_stays_and_what_is_not_known_of_them_comes_from_the_other() {
        let maker = user("Ada", UserRole::Member, None, Some("Europe/Berlin"));
        let other = user("ada_l", UserRole::Owner, Some("en"), Some("UTC"));
        let expected = User {
            role: UserRole::Owner,
            language: Some("en".into()),
            ..maker.clone()
        };
        assert_eq!(joined(&maker, &other), expected);
        let chosen = |user: &User| User {
            language_set: true,
            ..user.clone()
        };
        let german = User {
            language: Some("de".into()),
            ..maker.clone()
        };
        for (maker, other, language) in [
            (german.clone(), other.clone(), ("de", false)),
            (german.clone(), chosen(&other), ("en", true)),
            (chosen(&german), chosen(&other), ("de", true)),
        ] {
            let joined = joined(&maker, &other);
            assert_eq!(
                (joined.language.as_deref(), joined.language_set),
                (Some(language.0), language.1)
            );
        }
        let nameless = User {
            name: " ".into(),
            ..maker
        };
        assert_eq!(joined(&nameless, &other).name, "ada_l");
    }

    #[test]
    fn of_an_owners_accounts_the_first_stays_the_owner() {
        use UserRole::{Member, Owner, Stranger};
        for (role, is_first, expected) in [
            (Owner, true, (Owner, Member)),
            (Owner, false, (Member, Owner)),
            (Member, true, (Member, Member)),
            (Member, false, (Member, Member)),
            (Stranger, true, (Stranger, Stranger)),
        ] {
            assert_eq!(
                (parted(role, is_first), role_after_unlink(role, is_first)),
                expected,
                "{role} {is_first}"
            );
        }
    }
}
