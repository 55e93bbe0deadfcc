//! A rule that debug builds hold every caller to: a statement is given as many values as it has places, and always
//! values of the same types.
//!
//! PostgreSQL prepares a text once a connection, by the number and the types of its first caller's values. It refuses
//! every other caller for as long as the connection lasts, so the defect shows by chance. SQLite takes anything.

use std::{
    collections::HashMap,
    mem::{Discriminant, discriminant},
    sync::{Mutex, PoisonError},
};

use clifford_core::value::Value;

type Types = Vec<Discriminant<Value>>;

/// The types that each text was first given in this process.
#[derive(Default)]
struct Known(Mutex<HashMap<String, Types>>);

impl Known {
    /// The types of the text's first caller, where these are others.
    fn others(&self, sql: &str, args: &[Value]) -> Option<Types> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let types = || args.iter().map(discriminant);
        match known.get(sql) {
            Some(first) if types().eq(first.iter().copied()) => None,
            Some(first) => Some(first.clone()),
            None => {
                known.insert(sql.to_owned(), types().collect());
                None
            }
        }
    }
}

/// Panics in debug builds where a statement is given more or fewer values than it has places, or values of other types
/// than somebody gave it before.
pub(super) fn check(sql: &str, args: &[Value]) {
    if cfg!(debug_assertions) {
        static KNOWN: std::sync::LazyLock<Known> = std::sync::LazyLock::new(Known::default);
        assert!(has_a_place_for_each(sql, args), "{} values for {sql}", args.len());
        if let Some(first) = KNOWN.others(sql, args) {
            let types: Types = args.iter().map(discriminant).collect();
            panic!("values of the types {types:?}, and of {first:?} before, for {sql}");
        }
    }
}

/// Whether a statement takes as many values as it is given.
pub(super) fn has_a_place_for_each(sql: &str, args: &[Value]) -> bool {
    let places = sql.split('$').skip(1).map(|after| {
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        after[..digits].parse().unwrap_or(0)
    });
    // The rows of an import stand behind `?` on SQLite.
    let unnumbered = || sql.matches('?').count();
    places.max().unwrap_or_else(unnumbered) == args.len()
}

#[cfg(test)]
mod tests {
    use clifford_core::value::args;

    use super::*;

    #[test]
    fn a_statement_takes_as_many_values_as_it_has_places() {
        for (sql, values, is_right) in [
            ("DELETE FROM users", args![], true),
            ("DELETE FROM users", args!["a"], false),
            ("DELETE FROM users WHERE id = $1", args!["a"], true),
            ("DELETE FROM users WHERE id = $1", args!["a", "b"], false),
            ("SELECT $2, $1 WHERE $1 = $2", args!["a", "b"], true),
            ("SELECT $10", args!["a"], false),
            ("INSERT INTO users VALUES (?, ?)", args!["a", "b"], true),
            ("INSERT INTO users VALUES (?, ?)", args!["a"], false),
        ] {
            assert_eq!(has_a_place_for_each(sql, &values), is_right, "{sql}");
        }
    }

    #[test]
    fn a_text_is_given_values_of_the_types_of_its_first_caller() {
        let known = Known::default();
        for (sql, values, is_right) in [
            ("SELECT $1", args!["a"], true),
            ("SELECT $1", args![None::<String>], true),
            ("SELECT $1", args![7_i64], false),
            ("SELECT $1", args![None::<i64>], false),
            ("SELECT $1, $2", args![7_i64, true], true),
            ("SELECT $1, $2", args![true, 7_i64], false),
            ("SELECT $1, $2", args![0_i64, false], true),
        ] {
            assert_eq!(known.others(sql, &values).is_none(), is_right, "{sql} {values:?}");
        }
    }
}
