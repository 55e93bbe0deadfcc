//! Rows of a database as the types see them that are read from them: cells by the names of their columns. The store
//! knows the rows of either engine.

pub use clifford_derive::FromRow;

use crate::{clock::Timestamp, json_text::JsonText};

/// The value of a column of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'r> {
    /// There is none.
    Null,
    /// A whole number; SQLite keeps `true` and `false` as such.
    Int(i64),
    /// A number.
    Real(f64),
    /// PostgreSQL's `true` and `false`.
    Bool(bool),
    /// A text.
    Text(&'r str),
}

/// A row of the answer to a query.
pub trait Row {
    /// The value of a column.
    ///
    /// # Errors
    /// There is no such column, or none of its values is read here.
    fn named(&self, column: &str) -> Result<Cell<'_>, RowError>;

    /// The value at a place, counted from 0.
    ///
    /// # Errors
    /// As of [`named`](Row::named).
    fn nth(&self, place: usize) -> Result<Cell<'_>, RowError>;
}

/// A row that holds something else than what is read from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column `{column}`: {reason}")]
pub struct RowError {
    column: String,
    reason: String,
}

impl RowError {
    /// An error of a column: why.
    pub fn new(column: impl ToString, reason: impl ToString) -> Self {
        let (column, reason) = (column.to_string(), reason.to_string());
        Self { column, reason }
    }
}

/// A type that can be read from a row: `#[derive(FromRow)]` reads each field from the column of its name; a tuple is read
/// by places.
pub trait FromRow: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The row lacks a column, or a value is of another kind.
    fn from_row(row: &dyn Row) -> Result<Self, RowError>;
}

/// A type that can be read from a column.
pub trait FromCell: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The value is of another kind.
    fn from_cell(cell: Cell<'_>) -> Result<Self, String>;
}

/// Reads a column of a row.
///
/// # Errors
/// The row lacks it, or its value is of another kind.
pub fn column<T: FromCell>(row: &dyn Row, name: &str) -> Result<T, RowError> {
    T::from_cell(row.named(name)?).map_err(|reason| RowError::new(name, reason))
}

macro_rules! cells {
    ($($type:ty, $wanted:literal: $($cell:pat => $read:expr),+;)*) => {$(
        impl FromCell for $type {
            fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
                match cell {
                    $($cell => Ok($read),)+
                    other => Err(format!("{} where {} belongs", other.kind(), $wanted)),
                }
            }
        }
    )*};
}

cells! {
    String, "a text": Cell::Text(text) => text.to_owned();
    i64, "a whole number": Cell::Int(number) => number;
    bool, "true or false": Cell::Bool(truth) => truth, Cell::Int(number) => number != 0;
    f64, "a number": Cell::Real(number) => number, Cell::Int(number) => whole(number);
}

impl Cell<'_> {
    fn kind(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "a whole number",
            Self::Real(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Text(_) => "a text",
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "as databases do")]
fn whole(number: i64) -> f64 {
    number as f64
}

impl FromCell for u32 {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let number = i64::from_cell(cell)?;
        Self::try_from(number).map_err(|_| format!("{number} where a small number belongs"))
    }
}

impl FromCell for Timestamp {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        i64::from_cell(cell).map(Self)
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        if cell == Cell::Null {
            return Ok(None);
        }
        T::from_cell(cell).map(Some)
    }
}

impl<T: serde::de::DeserializeOwned> FromCell for JsonText<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        match cell {
            Cell::Text(text) => serde_json::from_str(text).map(Self).map_err(|error| error.to_string()),
            other => Err(format!("{} where JSON belongs", other.kind())),
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:literal),+))*) => {$(
        impl<$($name: FromCell),+> FromRow for ($($name,)+) {
            fn from_row(row: &dyn Row) -> Result<Self, RowError> {
                Ok(($($name::from_cell(row.nth($place)?).map_err(|reason| RowError::new($place, reason))?,)+))
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Cells(Vec<(&'static str, Cell<'static>)>);

    impl Row for Cells {
        fn named(&self, column: &str) -> Result<Cell<'_>, RowError> {
            let found = self.0.iter().find(|(name, _)| *name == column);
            found
                .map(|(_, cell)| *cell)
                .ok_or_else(|| RowError::new(column, "it is missing"))
        }

        fn nth(&self, place: usize) -> Result<Cell<'_>, RowError> {
            let found = self.0.get(place);
            found
                .map(|(_, cell)| *cell)
                .ok_or_else(|| RowError::new(place, "it is missing"))
        }
    }

    #[derive(Debug, PartialEq, FromRow)]
    struct Inner {
        level: u32,
        at: Option<Timestamp>,
    }

    #[derive(Debug, PartialEq, FromRow)]
    struct Outer<T> {
        #[row(rename = "the_name")]
        name: String,
        #[row(flatten)]
        inner: T,
        pinned: bool,
        list: JsonText<Vec<i64>>,
    }

    fn cells() -> Cells {
        Cells(vec![
            ("the_name", Cell::Text("Ada")),
            ("level", Cell::Int(2)),
            ("at", Cell::Null),
            ("pinned", Cell::Int(1)),
            ("list", Cell::Text("[1, 2]")),
        ])
    }

    #[test]
    fn a_struct_is_read_by_names_and_a_tuple_by_places() {
        let read = Outer::<Inner>::from_row(&cells());
        let inner = Inner { level: 2, at: None };
        let outer = Outer {
            name: "Ada".to_owned(),
            inner,
            pinned: true,
            list: JsonText(vec![1, 2]),
        };
        assert_eq!(read, Ok(outer));
        let read = <(String, f64, Option<i64>)>::from_row(&cells());
        assert_eq!(read, Ok(("Ada".to_owned(), 2.0, None)));
    }

    #[test]
    fn an_error_names_the_column_and_both_kinds() {
        let cases: [(usize, Option<Cell<'static>>, &str); 5] = [
            (
                0,
                Some(Cell::Int(7)),
                "column `the_name`: a whole number where a text belongs",
            ),
            (
                1,
                Some(Cell::Int(-1)),
                "column `level`: -1 where a small number belongs",
            ),
            (
                3,
                Some(Cell::Null),
                "column `pinned`: nothing where true or false belongs",
            ),
            (4, Some(Cell::Real(0.5)), "column `list`: a number where JSON belongs"),
            (2, None, "column `at`: it is missing"),
        ];
        for (place, cell, told) in cases {
            let mut row = cells();
            match cell {
                Some(cell) => row.0[place].1 = cell,
                None => drop(row.0.remove(place)),
            }
            let error = Outer::<Inner>::from_row(&row).expect_err(told);
            assert_eq!(error.to_string(), told);
        }
    }
}
