//! A client for the fake of OpenAI.

use std::error::Error;

use clifford_fakes::openai::OpenAiFake;
use clifford_llm::{OpenAi, ProviderConfig, Timeouts, http_client};

/// A provider called `main` at the fake's address.
pub fn config(fake: &OpenAiFake) -> ProviderConfig {
    ProviderConfig::new("main", fake.base_url(), "test-model")
}

/// A client for it.
pub fn client(config: ProviderConfig) -> Result<OpenAi, Box<dyn Error>> {
    Ok(OpenAi::new(config, http_client(&Timeouts::default())?)?)
}
