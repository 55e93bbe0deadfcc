//! Pages of a table's rows: those that a filter lets through, newest first.

use clifford_core::value::Value;

use super::conn::Statement;

/// The question for a page: rows of `select` (which names no condition yet) of which each condition holds that has a
/// value, such as `("status =", …)`. `given` are the arguments of `select`. Ids begin with their time, so the newest
/// come first.
pub(crate) fn ask(
    select: &str,
    given: Vec<Value>,
    conditions: impl IntoIterator<Item = (&'static str, Option<Value>)>,
    limit: u32,
) -> Statement {
    let mut sql = format!("{select} WHERE 1 = 1");
    let mut args = given;
    for (condition, value) in conditions {
        if let Some(value) = value {
            args.push(value);
            sql.push_str(&format!(" AND {condition} ${}", args.len()));
        }
    }
    args.push(limit.into());
    sql.push_str(&format!(" ORDER BY id DESC LIMIT ${}", args.len()));
    (sql, args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_no_condition() {
        let asked = |name: Option<&str>, before: Option<i64>| {
            let conditions = [("name =", name.map(Value::from)), ("id <", before.map(Value::from))];
            let (sql, args) = ask("SELECT id FROM t", Vec::new(), conditions, 7);
            (sql, args.len())
        };
        let all = "SELECT id FROM t WHERE 1 = 1";
        assert_eq!(asked(None, None), (format!("{all} ORDER BY id DESC LIMIT $1"), 1));
        assert_eq!(
            asked(Some("a"), Some(3)),
            (format!("{all} AND name = $1 AND id < $2 ORDER BY id DESC LIMIT $3"), 3)
        );
        assert_eq!(
            asked(None, Some(3)),
            (format!("{all} AND id < $1 ORDER BY id DESC LIMIT $2"), 2)
        );
    }
}
