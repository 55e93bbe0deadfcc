//! The windows of models that are known by their names.
//!
//! A line is what names begin with, and how many tokens a request and its reply may have together. The first line that
//! fits counts. Providers' prefixes (`openai/…`) and variants (`…:free`) do not matter. Windows of open weights are what
//! a service that sells them offers at least; a server of one's own has what it was started with.

/// The party that decides how large a model's window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    /// Its maker, who alone runs it.
    Closed,
    /// The operator of the server.
    Open,
}

use Weights::{Closed, Open};

/// Beginnings of names, windows, and who decides.
pub(super) const MODELS: [(&str, u64, Weights); 104] = [
    // OpenAI.
    ("gpt-5-chat", 128_000, Closed),
    ("gpt-5.1-chat", 128_000, Closed),
    ("gpt-5.2-chat", 128_000, Closed),
    ("gpt-5", 400_000, Closed),
    ("gpt-4.1", 1_047_576, Closed),
    ("gpt-4.5", 128_000, Closed),
    ("gpt-4o", 128_000, Closed),
    ("chatgpt-4o", 128_000, Closed),
    ("gpt-4-turbo", 128_000, Closed),
    ("gpt-4-1106", 128_000, Closed),
    ("gpt-4-0125", 128_000, Closed),
    ("gpt-4-vision", 128_000, Closed),
    ("gpt-4-32k", 32_768, Closed),
    ("gpt-4", 8_192, Closed),
    ("gpt-3.5-turbo-instruct", 4_096, Closed),
    ("gpt-3.5", 16_385, Closed),
    ("gpt-35", 16_385, Closed),
    ("o1-mini", 128_000, Closed),
    ("o1-preview", 128_000, Closed),
    ("o1", 200_000, Closed),
    ("o3", 200_000, Closed),
    ("o4", 200_000, Closed),
    ("codex-mini", 200_000, Closed),
    ("gpt-oss", 131_072, Open),
    // Anthropic.
    ("claude-2.0", 100_000, Closed),
    ("claude-instant", 100_000, Closed),
    ("claude", 200_000, Closed),
    // Google.
    ("gemini-1.0", 32_760, Closed),
    ("gemini-pro-vision", 16_384, Closed),
    ("gemini-1.5-pro", 2_000_000, Closed),
    ("gemini-2.0-flash-thinking", 1_000_000, Closed),
    ("gemini", 1_000_000, Closed),
    ("gemma-3n", 32_768, Open),
    ("gemma-3-1b", 32_768, Open),
    ("gemma3:1b", 32_768, Open),
    ("gemma-3", 131_072, Open),
    ("gemma3", 131_072, Open),
    ("gemma", 8_192, Open),
    // Mistral.
    ("mistral-large", 128_000, Open),
    ("mistral-medium", 128_000, Closed),
    ("mistral-small-2402", 32_000, Closed),
    ("mistral-small-24b-instruct-2501", 32_768, Open),
    ("mistral-small", 128_000, Open),
    ("mistral-saba", 32_768, Closed),
    ("mistral-tiny", 32_000, Closed),
    ("mistral-nemo", 128_000, Open),
    ("open-mistral-nemo", 128_000, Open),
    ("mistral", 32_768, Open),
    ("open-mistral", 32_768, Open),
    ("magistral", 40_000, Open),
    ("ministral", 128_000, Open),
    ("codestral", 256_000, Open),
    ("devstral", 128_000, Open),
    ("pixtral", 128_000, Open),
    ("mixtral-8x22b", 65_536, Open),
    ("open-mixtral-8x22b", 65_536, Open),
    ("mixtral", 32_768, Open),
    ("open-mixtral", 32_768, Open),
    // Meta.
    ("llama-4-scout", 131_072, Open),
    ("llama-4-maverick", 131_072, Open),
    ("llama-4", 131_072, Open),
    ("llama4", 131_072, Open),
    ("llama-3.1", 131_072, Open),
    ("llama-3.2", 131_072, Open),
    ("llama-3.3", 131_072, Open),
    ("llama3.1", 131_072, Open),
    ("llama3.2", 131_072, Open),
    ("llama3.3", 131_072, Open),
    ("meta-llama-3.1", 131_072, Open),
    ("llama-3", 8_192, Open),
    ("llama3", 8_192, Open),
    ("meta-llama-3", 8_192, Open),
    ("llama-2", 4_096, Open),
    ("llama2", 4_096, Open),
    ("codellama", 16_384, Open),
    // Alibaba.
    ("qwen-turbo", 131_072, Closed),
    ("qwen-plus", 131_072, Closed),
    ("qwen-max", 32_768, Closed),
    ("qwen-long", 1_000_000, Closed),
    ("qwen3-coder", 262_144, Open),
    ("qwen3-max", 262_144, Closed),
    ("qwen3-next", 262_144, Open),
    ("qwen3", 40_960, Open),
    ("qwen2.5", 32_768, Open),
    ("qwen-2.5", 32_768, Open),
    ("qwen2", 32_768, Open),
    ("qwq", 32_768, Open),
    ("qwen", 32_768, Open),
    // DeepSeek.
    ("deepseek-r1-distill", 32_768, Open),
    ("deepseek-v3", 131_072, Open),
    ("deepseek", 65_536, Open),
    // Others.
    ("grok-4-fast", 2_000_000, Closed),
    ("grok-4", 256_000, Closed),
    ("grok", 131_072, Closed),
    ("kimi-k2", 131_072, Open),
    ("moonshot-v1-8k", 8_192, Closed),
    ("moonshot-v1-32k", 32_768, Closed),
    ("moonshot-v1-128k", 131_072, Closed),
    ("glm-4", 131_072, Open),
    ("command-a", 256_000, Open),
    ("command-r", 128_000, Open),
    ("phi-3-mini-4k", 4_096, Open),
    ("phi-4", 16_384, Open),
    ("nova-", 128_000, Closed),
];
