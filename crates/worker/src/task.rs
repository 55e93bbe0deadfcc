//! The tasks of worker processes, and their replies.

use serde::{Deserialize, Serialize};

/// The most characters of an excerpt.
const MOST_CHARS: usize = 20_000;

/// Work for a worker process. The text that it works on is the body of the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// The value of the expression in the body.
    Expression {
        /// How long the calculator may think, in milliseconds.
        max_ms: u64,
    },
    /// All text of the HTML in the body.
    PageText {
        /// The part of the text.
        window: Window,
    },
    /// The article of the HTML in the body, as Markdown, with its links.
    Article {
        /// The page's address.
        url: String,
        /// The part of the text.
        window: Window,
    },
    /// The image in the body, in a size that models look at.
    Image,
    /// The text of the document in the body.
    Document,
    /// The picture of a page of the PDF in the body.
    PageImage {
        /// The page, counted from 1.
        page: u32,
    },
}

impl Task {
    /// Its kind, as a label of metrics.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Expression { .. } => "expression",
            Self::PageText { .. } => "page_text",
            Self::Article { .. } => "article",
            Self::Image => "image",
            Self::Document => "document",
            Self::PageImage { .. } => "page_image",
        }
    }
}

/// A part of a text, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first character.
    pub offset: usize,
    /// How many, at most.
    pub max_chars: usize,
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// An expression's value.
    Value {
        /// As the calculator writes it.
        value: String,
    },
    /// A page's text.
    PageText(PageText),
    /// A page's article.
    Article(Article),
    /// An image.
    Image {
        /// Made smaller; `None`: it may stay as it is.
        reduced: Option<Reduced>,
    },
    /// A document's text.
    Document(Document),
    /// The body cannot be worked on.
    Rejected {
        /// Why.
        reason: String,
    },
}

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The text.
    pub text: String,
    /// There is more of it.
    pub is_cut: bool,
}

/// An image that was made smaller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduced {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Its format.
    pub media_type: String,
    /// Its content.
    #[serde(with = "base64_text")]
    pub content: Vec<u8>,
}

/// Bytes as Base64: a list of numbers would be three times as long.
mod base64_text {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        STANDARD.decode(&*text).map_err(D::Error::custom)
    }
}

/// The title of a page, and a part of its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// On one line.
    pub title: String,
    /// Where the page sends its readers by itself, as it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// The part.
    pub excerpt: Excerpt,
}

/// The article of a page as Markdown; of a page that has none, all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Article {
    /// The page's metadata.
    pub about: About,
    /// The part of the text.
    pub excerpt: Excerpt,
    /// The first links of the article.
    pub links: Vec<Link>,
}

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The page's text.
    pub text: String,
    /// Where it leads.
    pub url: String,
}

/// The metadata of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its title.
    pub title: String,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// The site's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// When it was published, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The page's own description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A part of a text, and where the next one begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The part.
    pub text: String,
    /// How many characters the whole text has.
    pub total_chars: usize,
    /// Where the next part begins; `None`: this is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// The part of a text that a window shows, 20,000 characters at most.
pub fn excerpt(text: &str, window: Window) -> Excerpt {
    let most = window.max_chars.min(MOST_CHARS);
    let total_chars = text.chars().count();
    let end = window.offset.saturating_add(most);
    Excerpt {
        text: text.chars().skip(window.offset).take(most).collect(),
        total_chars,
        next_offset: (end < total_chars).then_some(end),
    }
}

#[cfg(test)]
mod tests {
    use clifford_telemetry::measures::WORKER_TASKS;

    use super::*;

    #[test]
    fn metrics_know_every_kind() {
        let window = || Window {
            offset: 0,
            max_chars: 1,
        };
        let tasks = [
            Task::Expression { max_ms: 1 },
            Task::PageText { window: window() },
            Task::Article {
                url: String::new(),
                window: window(),
            },
            Task::Image,
            Task::Document,
            Task::PageImage { page: 1 },
        ];
        assert_eq!(tasks.map(|task| task.kind()), WORKER_TASKS);
    }

    #[test]
    fn a_long_text_is_told_piece_by_piece() {
        let piece = |offset, max_chars| excerpt("größer", Window { offset, max_chars });
        let told = |text: &str, next_offset| Excerpt {
            text: text.to_owned(),
            total_chars: 6,
            next_offset,
        };
        assert_eq!(piece(0, 4), told("größ", Some(4)));
        assert_eq!(piece(4, 4), told("er", None));
        assert_eq!(piece(2, 4), told("ößer", None));
        assert_eq!(piece(9, 4), told("", None));
        assert_eq!(piece(usize::MAX, usize::MAX), told("", None));
    }

    #[test]
    fn no_excerpt_is_longer_than_a_reply_may_be() {
        let long = "x".repeat(MOST_CHARS + 1);
        let window = Window {
            offset: 0,
            max_chars: usize::MAX,
        };
        let found = excerpt(&long, window);
        assert_eq!((found.text.len(), found.next_offset), (MOST_CHARS, Some(MOST_CHARS)));
    }
}
