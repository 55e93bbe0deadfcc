//! The parts of a database driver that sqlx needs to read domain types from rows: types, values, columns, rows. The
//! rest of the driver is uninhabited, since connections are [`Local`](super::Local)s.

use std::{borrow::Cow, fmt, str::FromStr, sync::Arc, time::Duration};

use sqlx::{
    Arguments, ColumnIndex, ConnectOptions, Connection, Database, Decode, Either, Encode, Error, FromRow,
    IntoArguments, Statement, Transaction, Type, TypeInfo, Value, ValueRef,
    error::BoxDynError,
    query::{Query, QueryAs, QueryScalar},
};
use sqlx_core::{sql_str::SqlStr, transaction::TransactionManager};

/// SQLite in the caller's own thread.
#[derive(Debug)]
pub struct LocalDatabase;

impl Database for LocalDatabase {
    type Connection = Never;
    type TransactionManager = Never;
    type Row = LocalRow;
    type QueryResult = ();
    type Column = LocalColumn;
    type TypeInfo = Kind;
    type Value = LocalValue;
    type ValueRef<'r> = LocalRef<'r>;
    type Arguments = NoArguments;
    type ArgumentBuffer = ();
    type Statement = Never;
    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &[];
}

/// The kind of a value in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Int,
    Real,
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TypeInfo for Kind {
    fn is_null(&self) -> bool {
        *self == Self::Null
    }

    fn name(&self) -> &str {
        match self {
            Self::Null => "NULL",
            Self::Int => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

impl LocalValue {
    fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Int(_) => Kind::Int,
            Self::Real(_) => Kind::Real,
            Self::Text(_) => Kind::Text,
        }
    }
}

impl Value for LocalValue {
    type Database = LocalDatabase;

    fn as_ref(&self) -> LocalRef<'_> {
        LocalRef(self)
    }

    fn type_info(&self) -> Cow<'_, Kind> {
        Cow::Owned(self.kind())
    }

    fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

/// A value of a row, to be decoded.
#[derive(Clone, Copy, Debug)]
pub struct LocalRef<'r>(&'r LocalValue);

impl<'r> ValueRef<'r> for LocalRef<'r> {
    type Database = LocalDatabase;

    fn to_owned(&self) -> LocalValue {
        self.0.clone()
    }

    fn type_info(&self) -> Cow<'_, Kind> {
        Cow::Owned(self.0.kind())
    }

    fn is_null(&self) -> bool {
        *self.0 == LocalValue::Null
    }
}

/// How a type is read: its kind, and the values that it is made of.
macro_rules! read_as {
    ($($type:ty, $kind:ident: $($value:pat => $read:expr),+;)*) => {$(
        impl Type<LocalDatabase> for $type {
            fn type_info() -> Kind {
                Kind::$kind
            }

            fn compatible(kind: &Kind) -> bool {
                *kind == Kind::$kind || (Kind::$kind == Kind::Real && *kind == Kind::Int)
            }
        }

        impl Decode<'_, LocalDatabase> for $type {
            fn decode(value: LocalRef<'_>) -> Result<Self, BoxDynError> {
                match value.0 {
                    $($value => Ok($read),)+
                    other => Err(format!("{} where {} belongs", other.kind(), Kind::$kind).into()),
                }
            }
        }
    )*};
}

read_as! {
    String, Text: LocalValue::Text(text) => text.clone();
    i64, Int: LocalValue::Int(number) => *number;
    bool, Int: LocalValue::Int(number) => *number != 0;
    f64, Real: LocalValue::Real(number) => *number, LocalValue::Int(number) => whole(*number);
}

#[expect(clippy::cast_precision_loss, reason = "as SQLite itself does")]
fn whole(number: i64) -> f64 {
    number as f64
}

/// A column of a row.
#[derive(Clone, Debug)]
pub struct LocalColumn {
    place: usize,
    name: String,
}

impl LocalColumn {
    pub(super) fn new(place: usize, name: &str) -> Self {
        let name = name.to_owned();
        Self { place, name }
    }
}

impl sqlx::Column for LocalColumn {
    type Database = LocalDatabase;

    fn ordinal(&self) -> usize {
        self.place
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn type_info(&self) -> &Kind {
        &Kind::Null
    }
}

/// A row.
#[derive(Clone, Debug)]
pub struct LocalRow {
    pub(super) columns: Arc<[LocalColumn]>,
    pub(super) values: Vec<LocalValue>,
}

impl sqlx::Row for LocalRow {
    type Database = LocalDatabase;

    fn columns(&self) -> &[LocalColumn] {
        &self.columns
    }

    fn try_get_raw<I: ColumnIndex<Self>>(&self, index: I) -> Result<LocalRef<'_>, Error> {
        let index = index.index(self)?;
        let len = self.values.len();
        let value = self.values.get(index);
        value.map(LocalRef).ok_or(Error::ColumnIndexOutOfBounds { index, len })
    }
}

impl ColumnIndex<LocalRow> for usize {
    fn index(&self, _: &LocalRow) -> Result<usize, Error> {
        Ok(*self)
    }
}

impl ColumnIndex<LocalRow> for str {
    fn index(&self, row: &LocalRow) -> Result<usize, Error> {
        let place = row.columns.iter().position(|column| column.name == self);
        place.ok_or_else(|| Error::ColumnNotFound(self.to_owned()))
    }
}

/// Arguments are bound without sqlx.
#[derive(Debug, Default)]
pub struct NoArguments;

impl Arguments for NoArguments {
    type Database = LocalDatabase;

    fn reserve(&mut self, _: usize, _: usize) {}

    fn add<'t, T: Encode<'t, LocalDatabase> + Type<LocalDatabase>>(&mut self, _: T) -> Result<(), BoxDynError> {
        Err("this connection is not sqlx's".into())
    }

    fn len(&self) -> usize {
        0
    }
}

/// The uninhabited type of the unused parts.
#[derive(Clone, Debug)]
pub enum Never {}

impl Connection for Never {
    type Database = LocalDatabase;
    type Options = Self;

    async fn close(self) -> Result<(), Error> {
        match self {}
    }

    async fn close_hard(self) -> Result<(), Error> {
        match self {}
    }

    async fn ping(&mut self) -> Result<(), Error> {
        match *self {}
    }

    async fn begin(&mut self) -> Result<Transaction<'_, LocalDatabase>, Error> {
        match *self {}
    }

    fn shrink_buffers(&mut self) {
        match *self {}
    }

    async fn flush(&mut self) -> Result<(), Error> {
        match *self {}
    }

    fn should_flush(&self) -> bool {
        match *self {}
    }
}

impl FromStr for Never {
    type Err = Error;

    fn from_str(_: &str) -> Result<Self, Error> {
        Err(Error::Configuration("this connection is not sqlx's".into()))
    }
}

impl ConnectOptions for Never {
    type Connection = Self;

    fn from_url(url: &url::Url) -> Result<Self, Error> {
        url.as_str().parse()
    }

    async fn connect(&self) -> Result<Self, Error> {
        match *self {}
    }

    fn log_statements(self, _: log::LevelFilter) -> Self {
        self
    }

    fn log_slow_statements(self, _: log::LevelFilter, _: Duration) -> Self {
        self
    }
}

impl TransactionManager for Never {
    type Database = LocalDatabase;

    async fn begin(conn: &mut Self, _: Option<SqlStr>) -> Result<(), Error> {
        match *conn {}
    }

    async fn commit(conn: &mut Self) -> Result<(), Error> {
        match *conn {}
    }

    async fn rollback(conn: &mut Self) -> Result<(), Error> {
        match *conn {}
    }

    fn start_rollback(conn: &mut Self) {
        match *conn {}
    }

    fn get_transaction_depth(conn: &Self) -> usize {
        match *conn {}
    }
}

impl Statement for Never {
    type Database = LocalDatabase;

    fn into_sql(self) -> SqlStr {
        match self {}
    }

    fn sql(&self) -> &SqlStr {
        match *self {}
    }

    fn parameters(&self) -> Option<Either<&[Kind], usize>> {
        match *self {}
    }

    fn columns(&self) -> &[LocalColumn] {
        match *self {}
    }

    fn query(&self) -> Query<'_, LocalDatabase, NoArguments> {
        match *self {}
    }

    fn query_with<A: IntoArguments<LocalDatabase>>(&self, _: A) -> Query<'_, LocalDatabase, A> {
        match *self {}
    }

    fn query_as<O: for<'r> FromRow<'r, LocalRow>>(&self) -> QueryAs<'_, LocalDatabase, O, NoArguments> {
        match *self {}
    }

    fn query_as_with<'s, O, A>(&'s self, _: A) -> QueryAs<'s, LocalDatabase, O, A>
    where
        O: for<'r> FromRow<'r, LocalRow>,
        A: IntoArguments<LocalDatabase>,
    {
        match *self {}
    }

    fn query_scalar<O>(&self) -> QueryScalar<'_, LocalDatabase, O, NoArguments>
    where
        (O,): for<'r> FromRow<'r, LocalRow>,
    {
        match *self {}
    }

    fn query_scalar_with<'s, O, A>(&'s self, _: A) -> QueryScalar<'s, LocalDatabase, O, A>
    where
        (O,): for<'r> FromRow<'r, LocalRow>,
        A: IntoArguments<LocalDatabase>,
    {
        match *self {}
    }
}
