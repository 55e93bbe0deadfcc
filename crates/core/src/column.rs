//! Domain types as columns.

/// Lets a type with `Display` and `TryFrom<String>` be read from a TEXT column of both engines, and be an
/// argument.
macro_rules! text_column {
    ($name:ident) => {
        impl $crate::row::FromCell for $name {
            fn from_cell(cell: $crate::row::Cell<'_>) -> Result<Self, String> {
                let text = <String as $crate::row::FromCell>::from_cell(cell)?;
                Self::try_from(text).map_err(|error| error.to_string())
            }
        }

        impl From<$name> for $crate::value::Value {
            fn from(value: $name) -> Self {
                Self::Text(Some(value.to_string()))
            }
        }

        impl From<Option<$name>> for $crate::value::Value {
            fn from(value: Option<$name>) -> Self {
                Self::Text(value.map(|value| value.to_string()))
            }
        }
    };
}
pub(crate) use text_column;

/// An enum whose variants are words, the same in SQL, JSON and Rust.
macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
            schemars::JsonSchema,
        )]
        // It does not see the names that come out of this macro.
        #[schema(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word that stands for it in SQL and JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{text}` is none of {}", words.join(", "))
                })
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::try_from(text.to_owned())
            }
        }

        $crate::column::text_column!($name);
    };
}
pub(crate) use text_enum;
