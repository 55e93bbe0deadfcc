//! The size of a model's context window: set, known or learned, in this order of trust.

mod known;

use std::{
    net::IpAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Url;
use tokio::time::Instant;

use self::known::{MODELS, Weights};

/// The window assumed for a server in the own network, which is mostly one of one's own.
const ASSUMED_HERE: u64 = 8_000;
/// The window assumed for any other.
const ASSUMED_ELSEWHERE: u64 = 32_000;
/// The smallest window that is learned from a refusal that names none.
const SMALLEST: u64 = 1_024;
/// How long such a refusal holds back what is tried: it may have been an exception.
const CEILING: Duration = Duration::from_secs(3600);

/// How many tokens a model of this name holds at an address, as far as that is known by its name alone.
#[must_use]
pub fn known_window(base_url: &str, model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let (_, tokens, weights) = MODELS.iter().find(|(begins, _, _)| name.starts_with(begins))?;
    // An operator of open weights chooses the window by their memory.
    (*weights == Weights::Closed || !is_own_network(base_url)).then_some(*tokens)
}

/// How many tokens are assumed where nothing is known.
#[must_use]
pub fn assumed_window(base_url: &str) -> u64 {
    if is_own_network(base_url) {
        ASSUMED_HERE
    } else {
        ASSUMED_ELSEWHERE
    }
}

/// Whether a server stands in the own network: on this machine, at a private address, or under a name that only means
/// something here.
#[must_use]
pub fn is_own_network(base_url: &str) -> bool {
    let Ok(url) = Url::parse(base_url.trim()) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [first, second, ..] = address.octets();
            // 100.64.0.0/10 is what private networks over the internet use.
            let is_shared = first == 100 && (64..128).contains(&second);
            address.is_loopback() || address.is_private() || address.is_link_local() || is_shared
        }
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            let suffixes = [".local", ".localhost", ".lan", ".internal", ".home.arpa", ".home"];
            !host.contains('.') || suffixes.iter().any(|suffix| host.ends_with(suffix))
        }
    }
}

/// Where the knowledge of a window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The configuration.
    Configured,
    /// The model's name.
    Known,
    /// The provider's own list.
    Listed,
    /// A refusal that named it.
    Refused,
    /// Nowhere.
    Assumed,
}

/// The window of one model at one provider, shared by all of its callers.
#[derive(Debug)]
pub struct Window {
    configured: Option<u64>,
    known: Option<u64>,
    assumed: u64,
    told: Mutex<Told>,
    /// Somebody needed it.
    wanted: AtomicBool,
}

/// The windows that providers reported.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    listed: Option<Learned>,
    refused: Option<Learned>,
    /// The size that no longer went through, and until when that counts.
    ceiling: Option<(u64, Instant)>,
}

/// A number of tokens that a provider told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The number.
    pub tokens: u64,
    /// Its place among all that was learned of the window: the larger is the newer.
    pub order: u64,
}

impl Told {
    fn next(&self) -> u64 {
        let newest = self.listed.into_iter().chain(self.refused).map(|learned| learned.order);
        newest.max().unwrap_or_default() + 1
    }

    /// The newer of the list's window and the refusal's.
    fn newest(&self) -> Option<(u64, WindowSource)> {
        match (self.listed, self.refused) {
            (Some(listed), Some(refused)) if listed.order > refused.order => {
                Some((listed.tokens, WindowSource::Listed))
            }
            (_, Some(refused)) => Some((refused.tokens, WindowSource::Refused)),
            (Some(listed), None) => Some((listed.tokens, WindowSource::Listed)),
            (None, None) => None,
        }
    }

    fn ceiling(&self) -> Option<u64> {
        let (ceiling, until) = self.ceiling?;
        (Instant::now() < until).then_some(ceiling)
    }
}

impl Window {
    /// Of a model of this name at this address, where so many tokens are set for it.
    #[must_use]
    pub fn new(base_url: &str, model: &str, configured: Option<u64>) -> Self {
        Self {
            configured,
            known: known_window(base_url, model),
            assumed: assumed_window(base_url),
            told: Mutex::default(),
            wanted: AtomicBool::new(false),
        }
    }

    /// How many tokens a request and its reply may have together.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let told = *self.told();
        let (tokens, _) = self.trusted(&told);
        told.ceiling().map_or(tokens, |ceiling| tokens.min(ceiling))
    }

    /// The same for a request that is about to be made. From then on it is worth asking the server for it.
    #[must_use]
    pub fn needed(&self) -> u64 {
        self.wanted.store(true, Ordering::Relaxed);
        self.tokens()
    }

    /// Whether it is worth asking the server for it: somebody needed it, and it is neither set nor known, or a refusal
    /// named less.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        let is_sure = || matches!(self.source(), WindowSource::Configured | WindowSource::Known);
        self.wanted.load(Ordering::Relaxed) && !is_sure()
    }

    /// The window from a list, and the one from a refusal.
    #[must_use]
    pub fn learned(&self) -> (Option<Learned>, Option<Learned>) {
        let told = self.told();
        (told.listed, told.refused)
    }

    /// Where that is known from.
    #[must_use]
    pub fn source(&self) -> WindowSource {
        let told = *self.told();
        self.trusted(&told).1
    }

    /// A configured or known window goes before a reported one, unless a refusal named less since.
    fn trusted(&self, told: &Told) -> (u64, WindowSource) {
        let sure = (self.configured.map(|tokens| (tokens, WindowSource::Configured)))
            .or(self.known.map(|tokens| (tokens, WindowSource::Known)));
        match (sure, told.newest()) {
            (Some(sure), Some(refused)) if refused.1 == WindowSource::Refused && refused.0 < sure.0 => refused,
            (Some(sure), _) => sure,
            (None, Some(newest)) => newest,
            (None, None) => (self.assumed, WindowSource::Assumed),
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        // Nothing in here can be half done.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The provider's list tells so many. The same number again is no news: the list of a server may not know what that
    /// was started with.
    pub fn list(&self, tokens: u64) {
        let mut told = self.told();
        if told.listed.is_none_or(|listed| listed.tokens != tokens) {
            let order = told.next();
            told.listed = Some(Learned { tokens, order });
        }
    }

    /// A refusal named so many.
    pub fn refuse(&self, tokens: u64) {
        let mut told = self.told();
        if told.newest() != Some((tokens, WindowSource::Refused)) {
            let order = told.next();
            told.refused = Some(Learned { tokens, order });
        }
    }

    /// A request of about so many tokens was refused as too long, and nobody said how long it may be: less goes through,
    /// perhaps. That counts for an hour.
    pub fn lower(&self, asked: u64) {
        let ceiling = (asked / 8 * 7).max(SMALLEST);
        let mut told = self.told();
        if told.ceiling().is_none_or(|now| ceiling < now) {
            told.ceiling = Some((ceiling, Instant::now() + CEILING));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "http://127.0.0.1:8080/v1";
    const ELSEWHERE: &str = "https://api.example.com/v1";

    #[test]
    fn a_model_is_known_by_its_name_whoever_sells_it() {
        let cases = [
            ("gpt-4o-mini", Some(128_000)),
            ("openai/gpt-4o", Some(128_000)),
            ("gpt-4.1-nano", Some(1_047_576)),
            ("gpt-4", Some(8_192)),
            ("gpt-5-mini", Some(400_000)),
            ("gpt-5-chat-latest", Some(128_000)),
            ("o3-mini", Some(200_000)),
            ("o4-mini-2025-04-16", Some(200_000)),
            ("claude-haiku-4-5", Some(200_000)),
            ("anthropic/claude-3.5-sonnet:beta", Some(200_000)),
            ("Meta-Llama-3.1-8B-Instruct", Some(131_072)),
            ("meta-llama/llama-3.3-70b-instruct:free", Some(131_072)),
            ("qwen2.5:7b", Some(32_768)),
            ("mistral-large-latest", Some(128_000)),
            ("gemma-2-9b-it", Some(8_192)),
            ("deepseek-chat", Some(65_536)),
            ("test-model", None),
            ("", None),
        ];
        for (model, expected) in cases {
            assert_eq!(known_window(ELSEWHERE, model), expected, "{model}");
        }
    }

    #[test]
    fn open_weights_on_a_server_of_ones_own_have_what_it_was_started_with() {
        assert_eq!(known_window(HERE, "qwen2.5:7b"), None);
        assert_eq!(known_window(HERE, "gpt-4o"), Some(128_000));
    }

    #[test]
    fn a_line_of_the_table_is_hidden_by_none_before_it() {
        for (place, (begins, ..)) in MODELS.iter().enumerate() {
            let hides = MODELS[..place].iter().find(|(earlier, ..)| begins.starts_with(earlier));
            assert_eq!(hides, None, "{begins}");
        }
    }

    #[test]
    fn the_own_network_is_known_by_its_addresses_and_names() {
        let own = [
            "http://localhost:11434/v1",
            "http://127.0.0.1:8080",
            "http://[::1]:8080/v1",
            "http://10.1.2.3/v1",
            "http://172.20.0.2/v1",
            "http://192.168.1.7:1234",
            "http://169.254.1.1",
            "http://100.101.102.103/v1",
            "http://[fd00::1]/v1",
            "http://[fe80::1]/v1",
            "http://[::ffff:192.168.0.1]/v1",
            "http://[::ffff:100.64.0.1]/v1",
            "http://ollama:11434/v1",
            "http://box.local/v1",
            "http://box.lan./v1",
            "http://user:word@host.docker.internal/v1",
        ];
        for url in own {
            assert!(is_own_network(url), "{url}");
        }
        for url in [
            "https://api.openai.com/v1",
            "http://8.8.8.8/v1",
            "http://172.32.0.1",
            "https://local.example.com",
            "",
        ] {
            assert!(!is_own_network(url), "{url}");
        }
    }

    #[test]
    fn what_is_set_goes_before_what_is_known_told_and_assumed() {
        let of = |base_url, model, configured| Window::new(base_url, model, configured);
        let told = |window: &Window| (window.tokens(), window.source());
        assert_eq!(told(&of(HERE, "x", None)), (8_000, WindowSource::Assumed));
        assert_eq!(told(&of(ELSEWHERE, "x", None)), (32_000, WindowSource::Assumed));
        assert_eq!(told(&of(ELSEWHERE, "gpt-4o", None)), (128_000, WindowSource::Known));
        assert_eq!(
            told(&of(ELSEWHERE, "gpt-4o", Some(9_000))),
            (9_000, WindowSource::Configured)
        );
        let window = of(HERE, "x", None);
        window.list(16_384);
        assert_eq!(told(&window), (16_384, WindowSource::Listed));
        window.refuse(4_096);
        assert_eq!(told(&window), (4_096, WindowSource::Refused));
        // A refusal is more than a setting only where that was too much.
        let window = of(HERE, "x", Some(8_192));
        window.refuse(16_384);
        assert_eq!(told(&window), (8_192, WindowSource::Configured));
        window.refuse(4_096);
        assert_eq!(told(&window), (4_096, WindowSource::Refused));
    }

    #[test]
    fn of_a_list_and_a_refusal_the_newer_is_believed() {
        // The window told (a list's number or a refusal's), and the window believed then.
        let (list, refuse) = (Window::list as fn(&Window, u64), Window::refuse as fn(&Window, u64));
        let steps = [
            (refuse, 4_096, 4_096),
            // The server was started anew.
            (list, 32_768, 32_768),
            // It takes less than its list tells, and goes on telling that.
            (refuse, 4_096, 4_096),
            (list, 32_768, 4_096),
            (refuse, 4_096, 4_096),
            (list, 16_384, 16_384),
        ];
        let window = Window::new(HERE, "x", None);
        for (tell, tokens, expected) in steps {
            tell(&window, tokens);
            assert_eq!(window.tokens(), expected, "{tokens}");
        }
        // A setting that was too much counts again.
        let window = Window::new(HERE, "x", Some(8_192));
        assert_eq!((window.needed(), window.is_wanted()), (8_192, false));
        window.refuse(4_096);
        assert_eq!((window.needed(), window.is_wanted()), (4_096, true));
        window.list(32_768);
        assert_eq!((window.needed(), window.is_wanted()), (8_192, false));
    }

    #[test]
    fn what_was_told_last_is_the_newest_and_the_same_again_is_no_news() {
        let window = Window::new(HERE, "x", None);
        assert_eq!(window.learned(), (None, None));
        let learned = |tokens, order| Some(Learned { tokens, order });
        window.list(8_192);
        window.list(8_192);
        window.refuse(4_096);
        window.refuse(4_096);
        assert_eq!(window.learned(), (learned(8_192, 1), learned(4_096, 2)));
        window.list(16_384);
        window.refuse(4_096);
        assert_eq!(window.learned(), (learned(16_384, 3), learned(4_096, 4)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_without_a_number_counts_for_an_hour() {
        let window = Window::new(ELSEWHERE, "x", None);
        window.lower(16_000);
        tokio::time::advance(CEILING / 2).await;
        window.lower(14_000);
        tokio::time::advance(CEILING / 2).await;
        assert_eq!(window.tokens(), 12_250);
        tokio::time::advance(CEILING / 2).await;
        assert_eq!(window.tokens(), 32_000);
        window.lower(30_000);
        assert_eq!(window.tokens(), 26_250);
    }

    #[test]
    fn a_refusal_without_a_number_lowers_what_is_tried_next() {
        let window = Window::new(ELSEWHERE, "x", None);
        window.lower(16_000);
        assert_eq!(window.tokens(), 14_000);
        window.lower(30_000);
        assert_eq!(window.tokens(), 14_000);
        window.lower(14_000);
        assert_eq!(window.tokens(), 12_250);
        window.lower(8);
        assert_eq!(window.tokens(), 1_024);
    }
}
