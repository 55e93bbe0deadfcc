//! A client for the fake of OpenAI.

use std::{error::Error, time::Duration};

use clifford_fakes::openai::OpenAiFake;
use clifford_llm::{OpenAi, Provider, ProviderConfig, http_client};

/// How long a connection may take.
pub const CONNECT: Duration = Duration::from_secs(10);

/// A provider called `main` at the fake's address.
pub fn config(fake: &OpenAiFake) -> ProviderConfig {
    config_at(&fake.base_url())
}

/// A provider called `main` at an address.
pub fn config_at(base_url: &str) -> ProviderConfig {
    ProviderConfig::new(Provider {
        base_url: base_url.into(),
        model: "test-model".to_owned(),
        ..Provider::default()
    })
}

/// A client for it.
pub fn client(config: ProviderConfig) -> Result<OpenAi, Box<dyn Error>> {
    Ok(OpenAi::new(config, http_client(CONNECT)?)?)
}
