//! The languages of the catalogues, and which of them a reader gets.

macro_rules! languages {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// A language of the catalogues.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Lang {
            $($(#[$doc])* $name,)*
        }

        impl Lang {
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// Every language, English first.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its code (ISO 639-1), and the name of its directory.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }
        }
    };
}

languages! {
    /// The language where no other is known.
    #[default]
    English = "en",
    /// German.
    German = "de",
    /// Spanish.
    Spanish = "es",
    /// French.
    French = "fr",
    /// Portuguese, as in Brazil.
    Portuguese = "pt",
    /// Russian.
    Russian = "ru",
    /// Chinese, simplified.
    Chinese = "zh",
    /// Japanese.
    Japanese = "ja",
}

/// The catalogues of an area, in the order of [`Lang::ALL`].
macro_rules! catalogues {
    ($area:literal) => {
        $crate::lang::catalogues!($area: "en" "de" "es" "fr" "pt" "ru" "zh" "ja")
    };
    ($area:literal: $($code:literal)*) => {
        [$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/catalogues/", $code, "/", $area, ".ftl"))),*]
    };
}
pub(crate) use catalogues;

impl Lang {
    /// The language of a tag as people and platforms write it: `de`, `pt-BR`, `zh-hans`, `en_US.UTF-8`. `None`: there is no
    /// catalogue of it.
    pub fn of(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next()?.trim();
        let of_code = |lang: &&Self| lang.code().eq_ignore_ascii_case(primary);
        Self::ALL.iter().find(of_code).copied()
    }

    /// The language that a person reads: their own (the one that they set, else the one that their platform tells),
    /// else that of the place, else English.
    pub fn for_reader(person: Option<&str>, place: Option<&str>) -> Self {
        [person, place]
            .into_iter()
            .flatten()
            .find_map(Self::of)
            .unwrap_or_default()
    }

    /// The language of everybody in a shared place: the place's, else that of the person who gave cause to it.
    pub fn for_place(place: Option<&str>, person: Option<&str>) -> Self {
        Self::for_reader(place, person)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_people_and_platforms_name_a_language() {
        for (tag, expected) in [
            ("en", Some(Lang::English)),
            ("en-GB", Some(Lang::English)),
            ("DE", Some(Lang::German)),
            ("de_DE.UTF-8", Some(Lang::German)),
            ("es-419", Some(Lang::Spanish)),
            ("fr-CA", Some(Lang::French)),
            ("pt-BR", Some(Lang::Portuguese)),
            ("ru", Some(Lang::Russian)),
            ("zh-hans", Some(Lang::Chinese)),
            ("zh-TW", Some(Lang::Chinese)),
            ("ja", Some(Lang::Japanese)),
            ("it", None),
            ("den", None),
            ("", None),
        ] {
            assert_eq!(Lang::of(tag), expected, "{tag}");
        }
    }

    #[test]
    fn a_person_reads_their_own_language_and_everybody_that_of_the_place() {
        for (person, place, reader, everybody) in [
            (Some("de"), Some("fr"), Lang::German, Lang::French),
            (None, Some("fr"), Lang::French, Lang::French),
            (Some("de"), None, Lang::German, Lang::German),
            (Some("it"), Some("fr"), Lang::French, Lang::French),
            (Some("it"), None, Lang::English, Lang::English),
            (None, None, Lang::English, Lang::English),
        ] {
            assert_eq!(Lang::for_reader(person, place), reader, "{person:?} {place:?}");
            assert_eq!(Lang::for_place(place, person), everybody, "{person:?} {place:?}");
        }
    }
}
