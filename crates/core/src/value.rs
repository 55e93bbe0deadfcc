//! Arguments of statements, typed so that both engines take them.

use serde::Serialize;

use crate::{
    clock::Timestamp,
    json_text::{JsonText, to_json},
};

/// One argument. Each kind carries its own NULL, because PostgreSQL wants to know NULLs of what.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// TEXT.
    Text(Option<String>),
    /// BIGINT.
    Int(Option<i64>),
    /// DOUBLE PRECISION.
    Real(Option<f64>),
    /// BOOLEAN.
    Bool(Option<bool>),
}

macro_rules! from {
    ($($from:ty => $variant:ident, $value:ident => $convert:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                Self::$variant(Some($convert))
            }
        }
        impl From<Option<$from>> for Value {
            fn from(value: Option<$from>) -> Self {
                Self::$variant(value.map(|$value| $convert))
            }
        }
    )*};
}

from! {
    String => Text, value => without_nul(value);
    &str => Text, value => without_nul(value.to_owned());
    &String => Text, value => without_nul(value.clone());
    serde_json::Value => Text, value => value.to_string();
    &serde_json::Value => Text, value => value.to_string();
    i64 => Int, value => value;
    u32 => Int, value => i64::from(value);
    u64 => Int, value => i64::try_from(value).unwrap_or(i64::MAX);
    usize => Int, value => i64::try_from(value).unwrap_or(i64::MAX);
    Timestamp => Int, value => value.0;
    f64 => Real, value => value;
    bool => Bool, value => value;
}

impl<T: Serialize> From<JsonText<T>> for Value {
    fn from(value: JsonText<T>) -> Self {
        Self::Text(Some(to_json(&value.0)))
    }
}

impl<T: Serialize> From<Option<JsonText<T>>> for Value {
    fn from(value: Option<JsonText<T>>) -> Self {
        Self::Text(value.map(|value| to_json(&value.0)))
    }
}

/// The arguments of a statement, in the order of its placeholders.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::value::Value::from($value)),*] };
}
pub use args;

/// PostgreSQL takes no NUL in TEXT; models and people write it all the same.
fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "")
    } else {
        text
    }
}
