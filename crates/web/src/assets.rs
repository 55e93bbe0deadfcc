//! The style, the script and the icon: embedded, compressed once, and named by their content, so that a browser keeps
//! each of them for good.

use std::{io::Write, sync::LazyLock};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};

use crate::{extract::Path, handler};

/// Digits of a content's hash in its name.
const DIGITS: usize = 12;

/// One of them.
pub(crate) struct Asset {
    /// Where it is.
    pub(crate) path: String,
    kind: &'static str,
    plain: &'static [u8],
    compressed: Option<Vec<u8>>,
}

/// The style.
pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::of(
        "app",
        "css",
        "text/css; charset=utf-8",
        include_str!("../assets/app.css"),
    )
});
/// The script.
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let kind = "text/javascript; charset=utf-8";
    Asset::of("app", "js", kind, include_str!("../assets/app.js"))
});
/// The script of the pages with passkeys.
pub(crate) static PASSKEYS: LazyLock<Asset> = LazyLock::new(|| {
    let kind = "text/javascript; charset=utf-8";
    Asset::of("passkeys", "js", kind, include_str!("../assets/passkeys.js"))
});
/// The icon.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::of("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")));

impl Asset {
    fn of(name: &str, ending: &str, kind: &'static str, content: &'static str) -> Self {
        let hash = clifford_vault::hash(content);
        let hash = hash.get(..DIGITS).unwrap_or_default();
        Self {
            path: format!("/assets/{name}-{hash}.{ending}"),
            kind,
            plain: content.as_bytes(),
            compressed: compressed(content.as_bytes()),
        }
    }
}

/// The same by gzip; `None`: it cannot be made, and the content goes out as it is.
fn compressed(content: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).ok()?;
    encoder.finish().ok()
}

/// Gives one out.
#[handler]
pub(crate) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let all = [&STYLE, &SCRIPT, &PASSKEYS, &ICON];
    let Some(asset) = all
        .into_iter()
        .find(|asset| asset.path.strip_prefix("/assets/") == Some(&name))
    else {
        // An old page may ask for the name of an old version.
        return (StatusCode::NOT_FOUND, "there is no such file; load the page again").into_response();
    };
    let accepts = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let accepts = accepts.is_some_and(|value| value.split(',').any(|one| one.trim().starts_with("gzip")));
    let packed = asset.compressed.as_deref().filter(|_| accepts);
    let mut response = packed.unwrap_or(asset.plain).to_vec().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, forever);
    if packed.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_are_named_by_their_content_and_small_on_the_wire() {
        let (style, script) = (&*STYLE, &*SCRIPT);
        assert!(style.path.starts_with("/assets/app-") && style.path.ends_with(".css"));
        assert_ne!(style.path, script.path);
        let sent: usize = [style, script, &*PASSKEYS, &*ICON]
            .iter()
            .filter_map(|asset| asset.compressed.as_ref().map(Vec::len))
            .sum();
        assert!(sent > 0 && sent < 20_000, "{sent} bytes");
    }

    #[test]
    fn nothing_of_them_names_another_machine_or_needs_a_lenient_policy() {
        for asset in [&*STYLE, &*SCRIPT, &*PASSKEYS] {
            let text = std::str::from_utf8(asset.plain).unwrap();
            for word in ["http://", "https://", "@import", "url(", "eval(", "innerHTML = "] {
                assert!(!text.contains(word), "{} holds {word}", asset.path);
            }
        }
    }
}
