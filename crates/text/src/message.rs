//! How a sentence finds its words: the area's catalogue in a language, read when it is first needed.

use std::sync::OnceLock;

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};

use crate::Lang;

/// A sentence with its arguments.
pub trait Message {
    /// The area that it is of.
    #[doc(hidden)]
    fn area() -> &'static Area;

    /// Its name in the catalogues.
    #[doc(hidden)]
    fn id(&self) -> &'static str;

    /// Its arguments.
    #[doc(hidden)]
    fn arguments(&self) -> Vec<(&'static str, FluentValue<'_>)>;

    /// Its words in a language.
    fn text(&self, lang: Lang) -> String {
        Self::area().text(lang, self.id(), self.arguments())
    }
}

impl Lang {
    /// A sentence in this language.
    pub fn say(self, message: impl Message) -> String {
        message.text(self)
    }
}

/// A number that is counted: each language has its own forms for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub i64);

macro_rules! counts {
    ($($number:ty)*) => {$(
        impl From<$number> for Count {
            fn from(number: $number) -> Self {
                Self(i64::try_from(number).unwrap_or(i64::MAX))
            }
        }
    )*};
}
counts!(i64 u64 u32 usize);

/// A type of an argument.
pub trait Argument {
    /// It is counted.
    const IS_COUNT: bool;

    /// As Fluent takes it.
    fn value(&self) -> FluentValue<'_>;
}

impl Argument for String {
    const IS_COUNT: bool = false;

    fn value(&self) -> FluentValue<'_> {
        FluentValue::from(self.as_str())
    }
}

impl Argument for Count {
    const IS_COUNT: bool = true;

    fn value(&self) -> FluentValue<'_> {
        FluentValue::from(self.0)
    }
}

/// A sentence as it is declared.
#[derive(Debug)]
pub struct Declared {
    /// Its name in the catalogues.
    pub id: &'static str,
    /// The names of its arguments, each with whether it is counted.
    pub arguments: &'static [(&'static str, bool)],
}

/// Sentences that stand in one file a language.
pub struct Area {
    /// The name of its files.
    pub name: &'static str,
    /// Their texts, in the order of the languages.
    pub sources: [&'static str; Lang::COUNT],
    /// Its sentences.
    pub messages: &'static [Declared],
    read: [OnceLock<FluentBundle<FluentResource>>; Lang::COUNT],
}

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Area").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Area {
    pub(crate) const fn new(
        name: &'static str,
        sources: [&'static str; Lang::COUNT],
        messages: &'static [Declared],
    ) -> Self {
        Self {
            name,
            sources,
            messages,
            read: [const { OnceLock::new() }; Lang::COUNT],
        }
    }

    /// The words of a sentence without arguments, by its name.
    #[cfg(test)]
    pub(crate) fn text_of(&self, lang: Lang, id: &str) -> String {
        self.text(lang, id, Vec::new())
    }

    fn text(&self, lang: Lang, id: &str, arguments: Vec<(&'static str, FluentValue<'_>)>) -> String {
        let arguments: FluentArgs = arguments.into_iter().collect();
        [lang, Lang::English]
            .into_iter()
            .find_map(|lang| self.words(lang, id, &arguments))
            .unwrap_or_else(|| id.to_owned())
    }

    fn words(&self, lang: Lang, id: &str, arguments: &FluentArgs) -> Option<String> {
        let bundle = self.read.get(lang as usize)?.get_or_init(|| self.read(lang));
        let pattern = bundle.get_message(id)?.value()?;
        let text = bundle.format_pattern(pattern, Some(arguments), &mut Vec::new());
        Some(text.into_owned())
    }

    /// Reads a catalogue. Faults in one are left out here, and told by the tests.
    fn read(&self, lang: Lang) -> FluentBundle<FluentResource> {
        let mut bundle = FluentBundle::new_concurrent(vec![lang.code().parse().unwrap_or_default()]);
        // Nothing that is said is shown from right to left.
        bundle.set_use_isolating(false);
        let source = self.sources.get(lang as usize).copied().unwrap_or_default();
        let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(resource, _)| resource);
        let _ = bundle.add_resource(resource);
        bundle
    }
}

/// Declares the sentences of an area: an enum with a variant a sentence.
macro_rules! messages {
    ($(#[$meta:meta])* $name:ident in $area:literal {
        $($(#[$about:meta])* $message:ident $({ $($argument:ident: $kind:ty),+ $(,)? })?,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$about])* $message $({ $($argument: $kind),+ })?,)* }

        impl $crate::message::Message for $name {
            fn area() -> &'static $crate::message::Area {
                use $crate::message::{Area, Declared};
                static AREA: Area = Area::new($area, $crate::lang::catalogues!($area), &[$(Declared {
                    id: stringify!($message),
                    arguments: &[$($(
                        (stringify!($argument), <$kind as $crate::message::Argument>::IS_COUNT)
                    ),+)?],
                }),*]);
                &AREA
            }

            fn id(&self) -> &'static str {
                match self { $(Self::$message $({ $($argument: _),+ })? => stringify!($message),)* }
            }

            fn arguments(&self) -> Vec<(&'static str, fluent_bundle::FluentValue<'_>)> {
                match self {
                    $(Self::$message $({ $($argument),+ })? => vec![
                        $($((stringify!($argument), $crate::message::Argument::value($argument))),+)?
                    ],)*
                }
            }
        }
    };
}
pub(crate) use messages;
