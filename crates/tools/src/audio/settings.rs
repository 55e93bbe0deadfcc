//! `[llm.roles.transcription]` and `[llm.roles.speech]`: who writes down what is said, and who speaks answers.

use std::{ops::Deref, time::Duration};

use clifford_vault::{Secret, SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server for voices: OpenAI's, or one that speaks like it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AudioServer {
    /// Where its API begins.
    #[schemars(extend("format" = "http-url"))]
    pub base_url: Url,
    /// Its key. Servers of one's own often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    pub key: Option<SecretSource>,
    /// How long an answer may take.
    #[schemars(range(min = 1, max = 300))]
    pub timeout_seconds: u64,
}

impl Default for AudioServer {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".into(),
            key: None,
            timeout_seconds: 120,
        }
    }
}

impl AudioServer {
    /// Whether it is known to answer nobody without a key: OpenAI does not.
    pub fn needs_key(&self) -> bool {
        let url = reqwest::Url::parse(self.base_url.as_str());
        url.is_ok_and(|url| url.host_str() == Some("api.openai.com"))
    }

    /// How long an answer may take.
    pub(super) const fn within(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }
}

/// The server that writes down what is said: OpenAI's, or one that speaks like it (`/v1/audio/transcriptions`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Transcription {
    /// The server.
    #[serde(flatten)]
    pub server: AudioServer,
    /// The model's name there.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
    /// Price of a minute, for the accounting and for budgets.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minute_price: f64,
    /// The longest recording that is written down, in minutes.
    #[schemars(range(min = 1, max = 600))]
    pub max_audio_minutes: u32,
}

impl Default for Transcription {
    fn default() -> Self {
        Self {
            server: AudioServer::default(),
            model: "whisper-1".to_owned(),
            minute_price: 0.0,
            max_audio_minutes: 10,
        }
    }
}

impl Transcription {
    /// The name under which it is counted.
    pub const PROVIDER: &str = "transcription";

    /// The longest recording, in seconds.
    pub(super) const fn max_seconds(&self) -> u32 {
        self.max_audio_minutes.saturating_mul(60)
    }
}

/// The server that speaks answers: OpenAI's, or one that speaks like it (`/v1/audio/speech`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Speech {
    /// The server.
    #[serde(flatten)]
    pub server: AudioServer,
    /// The model's name there.
    #[schemars(length(min = 1, max = 200))]
    pub model: String,
    /// Name of the voice there.
    #[schemars(length(min = 1, max = 200))]
    pub voice: String,
    /// Price of a million characters, for the accounting and for budgets.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub million_price: f64,
}

impl Default for Speech {
    fn default() -> Self {
        Self {
            server: AudioServer::default(),
            model: "gpt-4o-mini-tts".to_owned(),
            voice: "alloy".to_owned(),
            million_price: 0.0,
        }
    }
}

impl Speech {
    /// The name under which it is counted.
    pub const PROVIDER: &str = "speech";
}

/// A section, and the key that it refers to.
#[derive(Clone, Debug)]
pub struct WithKey<T> {
    /// The section.
    pub section: T,
    /// The key.
    pub key: Option<Secret>,
}

impl<T> Deref for WithKey<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.section
    }
}
