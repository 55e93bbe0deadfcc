//! The statements by which rows are written, many at once.

use std::fmt::Write as _;

use super::Target;
use crate::portable::Kind;

/// How many arguments a statement has at most; SQLite takes 32,766.
const ARGUMENTS: usize = 30_000;
/// The most rows of a statement. To PostgreSQL each statement is a trip.
const ROWS: usize = 64;
const ROWS_OF_POSTGRES: usize = 500;

/// Builds the statements for rows of one kind.
pub(super) struct Statements {
    kind: Kind,
    /// The arguments of a row.
    width: usize,
    names: String,
    /// The values besides the arguments.
    constants: String,
    is_postgres: bool,
    /// The last statement, by its number of rows: all but the last one of a batch are the same.
    last: Option<(usize, String)>,
}

impl Statements {
    pub(super) fn new(kind: Kind, width: usize, target: &Target, is_postgres: bool) -> Self {
        let mut names: Vec<_> = kind.fields().iter().map(|field| kind.column(field)).collect();
        if kind == Kind::File {
            names.push("location");
        }
        let (more, constants) = further(kind, target);
        names.extend(more);
        Self {
            kind,
            width,
            names: names.join(", "),
            constants,
            is_postgres,
            last: None,
        }
    }

    /// The most rows of one statement.
    pub(super) fn most(&self) -> usize {
        let most = if self.is_postgres { ROWS_OF_POSTGRES } else { ROWS };
        (ARGUMENTS / self.width).clamp(1, most)
    }

    /// The statement that inserts so many rows: what is here stays as it is.
    pub(super) fn insert(&mut self, rows: usize) -> &str {
        if self.last.as_ref().is_none_or(|(of, _)| *of != rows) {
            self.last = Some((rows, self.build(rows)));
        }
        self.last.as_ref().map_or("", |(_, sql)| sql)
    }

    fn build(&self, rows: usize) -> String {
        let mut sql = format!("INSERT INTO {} ({}) ", self.kind.table(), self.names);
        // A message of the batch may be left out, because it came by itself meanwhile: its parts are then, too.
        let is_part = self.kind == Kind::Part;
        let (begin, end) = if is_part { ("SELECT ", "") } else { ("(", ")") };
        if !is_part {
            sql.push_str("VALUES ");
        }
        for row in 0..rows {
            let between = match (row, is_part) {
                (0, _) => "",
                (_, true) => " UNION ALL ",
                (_, false) => ", ",
            };
            sql.push_str(between);
            sql.push_str(begin);
            self.values(&mut sql, row * self.width);
            sql.push_str(&self.constants);
            if is_part {
                let message = row * self.width + 1;
                let _ = write!(
                    sql,
                    " WHERE EXISTS (SELECT 1 FROM messages m WHERE m.id = ${message} AND m.direction = 'outbound')"
                );
            }
            sql.push_str(end);
        }
        sql.push_str(" ON CONFLICT DO NOTHING");
        sql
    }

    /// The arguments of a row. SQLite looks up each numbered one by its name among all of them; those without are
    /// counted.
    fn values(&self, sql: &mut String, before: usize) {
        let fields = self.kind.fields();
        let is_counted = !self.is_postgres && !matches!(self.kind, Kind::File | Kind::Part);
        for column in 0..self.width {
            let separator = if column == 0 { "" } else { ", " };
            let place = before + column + 1;
            let field = fields.get(column).copied();
            let _ = match field {
                // A message that came by itself meanwhile has another id; one of elsewhere gets no file by this.
                Some("message_id") if self.kind == Kind::File => {
                    let channel = fields.iter().position(|field| *field == "channel_id").unwrap_or(0);
                    write!(
                        sql,
                        "{separator}(SELECT m.id FROM messages m WHERE m.id = ${place} AND m.channel_id = ${})",
                        before + channel + 1
                    )
                }
                _ if is_counted => write!(sql, "{separator}?"),
                _ => write!(sql, "{separator}${place}"),
            };
        }
    }
}

/// The columns of a kind's table besides those of its records, with their values.
fn further(kind: Kind, target: &Target) -> (Option<&'static str>, String) {
    let now = target.now.0;
    match kind {
        Kind::Channel => (Some("config, updated_at"), format!(", '{{}}', {now}")),
        Kind::Run => (Some("epoch, tainted, updated_at"), format!(", 0, TRUE, {now}")),
        Kind::Message => (Some("attempts"), ", 0".to_owned()),
        Kind::MemoryItem => (Some("own_at"), ", 0".to_owned()),
        Kind::Reminder => (Some("webhook"), ", FALSE".to_owned()),
        _ => (None, String::new()),
    }
}
