//! The parts of an address as pages read them: one that cannot be read is answered by a page, never by a bare line.

use std::collections::BTreeMap;

use axum::{
    extract::FromRequestParts,
    http::{Uri, request::Parts},
};
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use super::failure::Failure;

/// The parameters of a page. Those that it does not know are passed over, and of one that stands there twice the last
/// counts.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        read(parts.uri.query().unwrap_or_default())
            .map(Self)
            .ok_or_else(|| Failure::Wrong("The address is not right: something of it cannot be read.".to_owned()))
    }
}

fn read<T: DeserializeOwned>(query: &str) -> Option<T> {
    let last: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(last)
        .finish();
    let uri: Uri = format!("/?{query}").parse().ok()?;
    axum::extract::Query::try_from_uri(&uri).ok().map(|read| read.0)
}

/// The parameters in the path of a page.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = axum::extract::Path::from_request_parts(parts, state).await;
        read.map(|read| Self(read.0)).map_err(|_| Failure::Lost)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Wanted {
        status: String,
        q: String,
    }

    #[test]
    fn a_page_reads_what_it_knows_of_a_query_whatever_else_is_there() {
        for (query, status, q) in [
            ("", "", ""),
            ("status=failed&utm_source=chat", "failed", ""),
            ("status=a&status=failed", "failed", ""),
            ("q=a+b%26c", "", "a b&c"),
            ("q=%ff", "", "\u{fffd}"),
            ("&&=x&q", "", ""),
        ] {
            let expected = Wanted {
                status: status.to_owned(),
                q: q.to_owned(),
            };
            assert_eq!(read(query), Some(expected), "{query}");
        }
    }
}
