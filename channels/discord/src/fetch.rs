//! Files that people sent: read from Discord's own hosts and from nowhere else, never more than was asked for.

use bytes::{Bytes, BytesMut};
use clifford_channel::FetchError;
use futures::StreamExt;
use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::json;

use crate::{
    api::{ApiError, Body, Call, unreachable},
    shared::Shared,
};

/// Where Discord keeps what people send.
const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// Reads a file of at most so many bytes.
pub(crate) async fn file(shared: &Shared, address: &str, most: u64) -> Result<Bytes, FetchError> {
    if !is_theirs(address, shared.config.api_url.as_str()) {
        return Err(FetchError::Gone("it is at no address of Discord's".to_owned()));
    }
    let answer = match shared.api.download(address).await {
        // Addresses are good for a day.
        Err(ApiError::Refused(refusal)) if matches!(refusal.status, 403 | 404) => {
            let renewed = renewed(shared, address).await?;
            shared.api.download(&renewed).await
        }
        answer => answer,
    };
    let answer = answer.map_err(refused)?;
    if answer.content_length().is_some_and(|size| size > most) {
        return Err(FetchError::TooLarge);
    }
    let mut pieces = answer.bytes_stream();
    let mut content = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        content.extend_from_slice(&piece.map_err(|error| refused(unreachable(error)))?);
        if u64::try_from(content.len()).unwrap_or(u64::MAX) > most {
            return Err(FetchError::TooLarge);
        }
    }
    Ok(content.freeze())
}

/// The address that a file has now.
async fn renewed(shared: &Shared, address: &str) -> Result<String, FetchError> {
    #[derive(Deserialize)]
    struct Renewed {
        refreshed_urls: Vec<Pair>,
    }
    #[derive(Deserialize)]
    struct Pair {
        refreshed: Option<String>,
    }
    let call = Call::new(Method::POST, "refresh urls", "", "/attachments/refresh-urls".to_owned());
    let call = call.body(Body::Json(json!({"attachment_urls": [address]})));
    let renewed: Renewed = shared.api.call(&call).await.map_err(refused)?;
    let first = renewed.refreshed_urls.into_iter().find_map(|pair| pair.refreshed);
    first
        .filter(|address| is_theirs(address, shared.config.api_url.as_str()))
        .ok_or_else(|| FetchError::Gone("Discord does not have it any more".to_owned()))
}

/// Whether an address is on a host of Discord's, or on the one that the API is set to.
fn is_theirs(address: &str, api_url: &str) -> bool {
    let (Ok(address), Ok(api)) = (Url::parse(address), Url::parse(api_url)) else {
        return false;
    };
    let official = address.scheme() == "https" && address.host_str().is_some_and(|host| HOSTS.contains(&host));
    let plain = address.username().is_empty() && address.password().is_none();
    plain && (official && address.port().is_none() || address.origin() == api.origin())
}

fn refused(error: ApiError) -> FetchError {
    match error {
        ApiError::Limited(wait) => FetchError::Unavailable(format!("it asks to wait {} ms", wait.as_millis())),
        error @ (ApiError::Unreachable(_) | ApiError::Failed(_)) => FetchError::Unavailable(error.to_string()),
        ApiError::Refused(refusal) => FetchError::Gone(format!("Discord does not have it any more ({refusal})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_from_hosts_of_discords_alone() {
        let api = "http://127.0.0.1:4000";
        let cases = [
            ("https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1", true),
            ("https://media.discordapp.net/attachments/1/2/a.png", true),
            ("http://127.0.0.1:4000/attachments/1/2/a.txt", true),
            ("http://cdn.discordapp.com/attachments/1/2/a.txt", false),
            ("https://cdn.discordapp.com:8443/a.txt", false),
            ("https://me:secret@cdn.discordapp.com/a.txt", false),
            ("https://cdn.discordapp.com.example.org/a.txt", false),
            ("http://127.0.0.1:4001/a.txt", false),
            ("http://169.254.169.254/latest/meta-data", false),
            ("file:///etc/hostname", false),
            ("a.txt", false),
        ];
        for (address, expected) in cases {
            assert_eq!(is_theirs(address, api), expected, "{address}");
        }
    }
}
