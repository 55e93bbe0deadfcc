//! Numbers, times, texts and ids that look drawn, and are the same each time.

use clifford_core::clock::Timestamp;
use uuid::Uuid;

/// When the first of it was made, in milliseconds.
const BEGAN: i64 = 1_760_000_000_000;
/// Texts that are easily broken on their way.
pub const TEXTS: [&str; 8] = [
    "hello",
    "",
    "two\nlines\r\n\tand a tab",
    "\u{202e}right to left\u{200b}",
    "👩‍👩‍👧‍👦 語言 ñ",
    "'; DROP TABLE messages; --",
    "{\"message\":{}}\\\"",
    "\u{7f}\u{1b}[31m",
];

/// Numbers that look drawn, and are the same each time.
pub struct Draw(u64, i64);

impl Draw {
    pub const fn new(seed: u64) -> Self {
        Self(seed, BEGAN)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    pub fn maybe(&mut self) -> bool {
        self.below(2) == 0
    }

    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        let place = usize::try_from(self.below(u64::try_from(list.len()).expect("few"))).expect("few");
        &list[place]
    }

    pub fn text(&mut self) -> String {
        let times = 1 + usize::from(self.below(40) == 0) * 5_000;
        self.pick(&TEXTS).repeat(times)
    }

    pub fn time(&mut self) -> Timestamp {
        self.1 += i64::try_from(1 + self.below(60_000)).expect("small");
        Timestamp(self.1)
    }

    pub fn id(&mut self) -> Uuid {
        let millis = u64::try_from(self.time().0).expect("positive");
        let mut random = [0; 10];
        random
            .iter_mut()
            .for_each(|byte| *byte = u8::try_from(self.below(256)).expect("a byte"));
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}
