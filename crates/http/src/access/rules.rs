//! The one rule: from a token's grant, the operation and the object's owner to a permission or a refusal. Pure.

use serde::Deserialize;

/// On whose behalf a token acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The operator of this Clifford: the token belongs to no person.
    Operator,
    /// A person who is an owner.
    Owner,
    /// Any other person.
    Person,
}

/// The rights of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// On whose behalf.
    pub standing: Standing,
    /// Its scopes.
    pub scopes: Scopes,
}

/// The scopes of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scopes {
    read: bool,
    write: bool,
    admin: bool,
}

impl Scopes {
    /// The scopes of these names; others mean nothing.
    pub(crate) fn of(names: &[String]) -> Self {
        let has = |scope: Scope| names.iter().any(|name| name == scope.as_str());
        Self {
            read: has(Scope::Read),
            write: has(Scope::Write),
            admin: has(Scope::Admin),
        }
    }

    /// Whether they include a scope; `admin` includes the others.
    pub const fn include(self, scope: Scope) -> bool {
        self.admin
            || match scope {
                Scope::Read => self.read,
                Scope::Write => self.write,
                Scope::Admin => false,
            }
    }
}

/// A scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = TokenScope)]
pub(crate) enum Scope {
    /// Looks.
    Read,
    /// Talks to the bot, and changes what it does.
    Write,
    /// Acts as another person, and changes settings.
    Admin,
}

impl Scope {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// The use that a request makes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Reads it.
    See,
    /// Reads what even an operator's `read` does not show: the content of files.
    Open,
    /// Sends a file along, or deletes it.
    Use,
    /// Takes out all of it: an export.
    Export,
    /// Changes it, deletes it, or acts on behalf of its person.
    Change,
    /// Changes what holds for its person: settings, keys, accounts, erasure.
    Configure,
    /// Changes what only an owner decides.
    Administer,
}

/// How an object stands to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It belongs to the caller's person.
    Own,
    /// It belongs to a shared place that the caller's person manages.
    Managed,
    /// It belongs to another person.
    Another,
    /// It belongs to a shared place.
    Shared,
    /// It belongs to nobody, or does not exist.
    Unowned,
    /// It is the bot's own, and everybody knows that it exists.
    Bot,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The caller does not learn that the object exists.
    Hidden,
    /// Only an owner's token, whatever its scopes.
    OwnerOnly,
    /// The token lacks this scope.
    Scope(Scope),
}

/// Whether a token may do this with such an object.
///
/// # Errors
/// How it is refused.
pub(crate) const fn decide(grant: Grant, need: Need, relation: Relation) -> Result<(), Refusal> {
    match required(grant.standing, need, relation) {
        Ok(scope) if grant.scopes.include(scope) => Ok(()),
        // Files of others are hidden from callers who may not open them.
        Ok(Scope::Admin) if matches!(need, Need::Open | Need::Use) => Err(Refusal::Hidden),
        Ok(scope) => Err(Refusal::Scope(scope)),
        Err(refusal) => Err(refusal),
    }
}

/// The scope that it takes.
const fn required(standing: Standing, need: Need, relation: Relation) -> Result<Scope, Refusal> {
    match standing {
        Standing::Person => of_person(need, relation),
        Standing::Owner => Ok(of_owner(need, relation)),
        Standing::Operator => Ok(match (need, relation) {
            // The operator's own account is no person whose settings it would be.
            (Need::Export | Need::Configure, _) => Scope::Admin,
            _ => of_owner(need, relation),
        }),
    }
}

const fn of_person(need: Need, relation: Relation) -> Result<Scope, Refusal> {
    match (relation, need) {
        (Relation::Another | Relation::Shared | Relation::Unowned, _) => Err(Refusal::Hidden),
        (Relation::Bot, _) | (Relation::Own | Relation::Managed, Need::Administer) => Err(Refusal::OwnerOnly),
        (Relation::Own | Relation::Managed, Need::See | Need::Open | Need::Export) => Ok(Scope::Read),
        (Relation::Own | Relation::Managed, Need::Use | Need::Change | Need::Configure) => Ok(Scope::Write),
    }
}

const fn of_owner(need: Need, relation: Relation) -> Scope {
    match (need, relation) {
        (Need::See, _) | (Need::Open | Need::Export, Relation::Own) => Scope::Read,
        (Need::Change, Relation::Own | Relation::Managed | Relation::Shared | Relation::Unowned | Relation::Bot)
        | (Need::Use | Need::Configure, Relation::Own) => Scope::Write,
        _ => Scope::Admin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: [Need; 7] = [
        Need::See,
        Need::Open,
        Need::Use,
        Need::Export,
        Need::Change,
        Need::Configure,
        Need::Administer,
    ];
    const RELATIONS: [Relation; 6] = [
        Relation::Own,
        Relation::Managed,
        Relation::Another,
        Relation::Shared,
        Relation::Unowned,
        Relation::Bot,
    ];

    fn grant(standing: Standing, scopes: &[&str]) -> Grant {
        let scopes: Vec<_> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        Grant {
            standing,
            scopes: Scopes::of(&scopes),
        }
    }

    /// The answers for see, open, use, export, change, configure, administer: `+`, `h`idden, `o`wner only, or the first letter
    /// of the scope that is missing.
    fn row(grant: Grant, relation: Relation) -> String {
        let letter = |need| match decide(grant, need, relation) {
            Ok(()) => '+',
            Err(Refusal::Hidden) => 'h',
            Err(Refusal::OwnerOnly) => 'o',
            Err(Refusal::Scope(Scope::Read)) => 'r',
            Err(Refusal::Scope(Scope::Write)) => 'w',
            Err(Refusal::Scope(Scope::Admin)) => 'a',
        };
        NEEDS.into_iter().map(letter).collect()
    }

    #[test]
    fn each_need_is_met_by_the_standing_the_scopes_and_whose_it_is() {
        use Standing::{Operator, Owner, Person};
        // Own, managed, another's, shared, nobody's, the bot's.
        let table: &[(Standing, &[&str], [&str; 6])] = &[
            (
                Person,
                &[],
                ["rrwrwwo", "rrwrwwo", "hhhhhhh", "hhhhhhh", "hhhhhhh", "ooooooo"],
            ),
            (
                Person,
                &["read"],
                ["++w+wwo", "++w+wwo", "hhhhhhh", "hhhhhhh", "hhhhhhh", "ooooooo"],
            ),
            (
                Person,
                &["write"],
                ["rr+r++o", "rr+r++o", "hhhhhhh", "hhhhhhh", "hhhhhhh", "ooooooo"],
            ),
            (
                Person,
                &["admin"],
                ["++++++o", "++++++o", "hhhhhhh", "hhhhhhh", "hhhhhhh", "ooooooo"],
            ),
            (
                Owner,
                &["read"],
                ["++w+wwa", "+hhawaa", "+hhaaaa", "+hhawaa", "+hhawaa", "+hhawaa"],
            ),
            (
                Owner,
                &["write"],
                ["rr+r++a", "rhha+aa", "rhhaaaa", "rhha+aa", "rhha+aa", "rhha+aa"],
            ),
            (
                Owner,
                &["admin"],
                ["+++++++", "+++++++", "+++++++", "+++++++", "+++++++", "+++++++"],
            ),
            (
                Operator,
                &["read"],
                ["++wawaa", "+hhawaa", "+hhaaaa", "+hhawaa", "+hhawaa", "+hhawaa"],
            ),
            (
                Operator,
                &["write"],
                ["rr+a+aa", "rhha+aa", "rhhaaaa", "rhha+aa", "rhha+aa", "rhha+aa"],
            ),
            (
                Operator,
                &["admin"],
                ["+++++++", "+++++++", "+++++++", "+++++++", "+++++++", "+++++++"],
            ),
        ];
        for (standing, scopes, expected) in table {
            let grant = grant(*standing, scopes);
            let rows = RELATIONS.map(|relation| row(grant, relation));
            assert_eq!(rows, *expected, "{standing:?} {scopes:?}");
        }
    }

    #[test]
    fn no_scope_gives_a_person_what_is_not_theirs() {
        let all = grant(Standing::Person, &["read", "write", "admin"]);
        for relation in [Relation::Another, Relation::Shared, Relation::Unowned] {
            for need in NEEDS {
                assert_eq!(decide(all, need, relation), Err(Refusal::Hidden));
            }
        }
    }

    #[test]
    fn admin_includes_the_other_scopes_and_they_include_nothing() {
        let include = |own: &str| {
            let scopes = Scopes::of(&[own.to_owned()]);
            [Scope::Read, Scope::Write, Scope::Admin].map(|scope| scopes.include(scope))
        };
        for (own, expected) in [
            ("read", [true, false, false]),
            ("write", [false, true, false]),
            ("admin", [true, true, true]),
            ("other", [false, false, false]),
        ] {
            assert_eq!(include(own), expected, "{own}");
        }
    }
}
