//! The options of a browser's two calls, as WebAuthn writes them in JSON (Level 3, §5.1.8 and §5.1.9): a page decodes
//! what is in base64url, and passes them on.

use clifford_store::people::passkeys::CHALLENGE_FOR;
use clifford_vault::passkey::{ALGORITHMS, Site};
use serde::Serialize;

/// The kind of every credential.
const PUBLIC_KEY: &str = "public-key";

/// The options of `navigator.credentials.get()`.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyRequestOptions)]
pub(crate) struct RequestOptions {
    /// The challenge, in base64url.
    challenge: String,
    /// How long it is good, in milliseconds.
    timeout: u64,
    /// The host of this dashboard.
    rp_id: String,
    /// The device checks who uses it.
    user_verification: &'static str,
}

impl RequestOptions {
    pub(super) fn new(site: Site, challenge: String) -> Self {
        Self {
            challenge,
            timeout: timeout(),
            rp_id: site.host,
            user_verification: "required",
        }
    }
}

/// The options of `navigator.credentials.create()`.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyCreationOptions)]
pub(crate) struct CreationOptions {
    /// This dashboard.
    rp: PasskeySite,
    /// The person, as their device is to know them.
    user: PasskeyUser,
    /// The challenge, in base64url.
    challenge: String,
    /// The kinds of keys that are taken, the best first.
    pub_key_cred_params: Vec<PasskeyKeyKind>,
    /// How long the challenge is good, in milliseconds.
    timeout: u64,
    /// The passkeys that the person has: their devices make no second one.
    exclude_credentials: Vec<PasskeyName>,
    /// The abilities that the device must have.
    authenticator_selection: PasskeyDevice,
    /// No proof of the device's make is asked for.
    attestation: &'static str,
}

impl CreationOptions {
    /// For a person by the handle for their device, and their name; `known`: the passkeys that they have.
    pub(super) fn new(site: &Site, challenge: String, (handle, name): (String, &str), known: Vec<String>) -> Self {
        let name = format!("{name} at {}", site.host);
        Self {
            rp: PasskeySite {
                id: site.host.clone(),
                name: "Clifford",
            },
            user: PasskeyUser {
                id: handle,
                display_name: name.clone(),
                name,
            },
            challenge,
            pub_key_cred_params: ALGORITHMS.iter().map(|alg| PasskeyKeyKind::of(*alg)).collect(),
            timeout: timeout(),
            exclude_credentials: known.into_iter().map(PasskeyName::of).collect(),
            authenticator_selection: PasskeyDevice {
                resident_key: "required",
                require_resident_key: true,
                user_verification: "required",
            },
            attestation: "none",
        }
    }
}

fn timeout() -> u64 {
    CHALLENGE_FOR.as_secs() * 1000
}

/// The dashboard, to a browser.
#[derive(Serialize, utoipa::ToSchema)]
struct PasskeySite {
    /// Its host.
    id: String,
    /// Its name.
    name: &'static str,
}

/// A person, to their device.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeyUser {
    /// A name that tells nothing of them, in base64url.
    id: String,
    /// The name that their device shows.
    name: String,
    /// The same.
    display_name: String,
}

/// A kind of key.
#[derive(Serialize, utoipa::ToSchema)]
struct PasskeyKeyKind {
    /// Always `public-key`.
    r#type: &'static str,
    /// Its number at IANA.
    alg: i32,
}

impl PasskeyKeyKind {
    const fn of(alg: i32) -> Self {
        Self {
            r#type: PUBLIC_KEY,
            alg,
        }
    }
}

/// A passkey by the name that its device gave it.
#[derive(Serialize, utoipa::ToSchema)]
struct PasskeyName {
    /// Always `public-key`.
    r#type: &'static str,
    /// The name, in base64url.
    id: String,
}

impl PasskeyName {
    const fn of(id: String) -> Self {
        Self { r#type: PUBLIC_KEY, id }
    }
}

/// The abilities that a device must have.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeyDevice {
    /// It finds the passkey without being told its name.
    resident_key: &'static str,
    /// The same, for older browsers.
    require_resident_key: bool,
    /// It checks who uses it.
    user_verification: &'static str,
}
