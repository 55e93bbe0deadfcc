//! The verdict on a call where no rule decides: one line a case. Pure.
//!
//! Two questions are asked one after the other. [`profile`]: what is a command of this class to those who are here?
//! [`doubt`]: the run has read words of others; may they have asked for this call?

use super::{
    class::Class,
    reason::Reason,
    rule::{Action, Place},
    trace::{Fault, Grounds},
};

/// The verdict on a class of commands in a place, and its reason.
pub(super) const fn profile(class: Class, place: Place) -> (Action, Reason) {
    match (class, place) {
        (Class::Read, _) => (Action::Allow, Reason::OnlyReads),
        (Class::Write, Place::Private) => (Action::Allow, Reason::ChangesInPrivate),
        (Class::Write, Place::Shared) => (Action::Confirm, Reason::ChangesInShared),
        (Class::Destruct, _) => (Action::Confirm, Reason::Destroys),
        (Class::Sensitive, _) => (Action::Confirm, Reason::Sensitive),
    }
}

/// Why a call of a run that has read words of others is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt<'a> {
    /// It would carry out what nobody outside knows.
    CarriesOut,
    /// Others may have asked for it; what speaks for that, where it is one argument.
    MayBeOthers(Option<&'a Fault>),
}

/// The objection to a call of a run that has read words of others. `carries_out`: it holds something private that its
/// destination has not told itself.
pub(super) const fn doubt(class: Class, carries_out: bool, grounds: &Grounds) -> Option<Doubt<'_>> {
    match (class, carries_out, grounds) {
        (Class::Read, false, _) => None,
        (Class::Read, true, _) => Some(Doubt::CarriesOut),
        // On these grounds its arguments were traced to the last: what they hold is the person's or was announced.
        (Class::Write, _, Grounds::Said | Grounds::Announced | Grounds::Own) => None,
        (_, true, _) => Some(Doubt::CarriesOut),
        (Class::Write | Class::Destruct | Class::Sensitive, false, Grounds::Nothing(fault)) => {
            Some(Doubt::MayBeOthers(Some(fault)))
        }
        (Class::Destruct | Class::Sensitive, false, _) => Some(Doubt::MayBeOthers(None)),
    }
}
