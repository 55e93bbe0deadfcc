//! The people of a storm: they speak, but not all at once, and wait for their answers.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{
    evidence::{self, Evidence},
    marks,
    plan::Plan,
    world::{Ears, World},
};

/// A person who has waited so long does not keep others from speaking.
const MOMENT: Duration = Duration::from_secs(15);
/// How often people look up.
const TICK: Duration = Duration::from_millis(20);
/// After so long without a word the database is asked who was told of an error.
const QUIET: Duration = Duration::from_secs(3);
/// After so long without a word nothing more is expected. Longer than any wait of the bot's own.
const PATIENCE: Duration = Duration::from_secs(100);

/// Messages that were sent and not answered yet.
pub struct People {
    ears: Ears,
    open: HashMap<usize, Instant>,
    last_word: Instant,
}

impl People {
    /// Listeners for the bot's messages from now on.
    pub fn new(world: &World) -> Self {
        Self {
            ears: world.ears(),
            open: HashMap::new(),
            last_word: Instant::now(),
        }
    }

    /// Says the next message, once fewer than `most` wait for an answer.
    pub async fn say(&mut self, world: &World, plan: &Plan, number: usize, most: usize) {
        while self.waiting() >= most {
            tokio::time::sleep(TICK).await;
        }
        world.say(plan, number);
        self.open.insert(number, Instant::now());
    }

    fn waiting(&mut self) -> usize {
        self.listen();
        self.open.values().filter(|since| since.elapsed() < MOMENT).count()
    }

    fn listen(&mut self) {
        for text in self.ears.heard() {
            let pieces = marks::pieces(&text);
            if !pieces.is_empty() || evidence::is_error(&text) {
                self.last_word = Instant::now();
            }
            for piece in pieces.iter().filter(|piece| piece.part == piece.of) {
                self.open.remove(&piece.question);
            }
        }
    }

    /// Waits until everybody has an answer or was told of an error, and nothing more is under way; or until nothing
    /// has come for long.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn wait(&mut self, world: &World, database: &str) -> anyhow::Result<()> {
        self.last_word = Instant::now();
        loop {
            self.listen();
            let quiet = self.last_word.elapsed();
            if self.open.is_empty() || quiet > QUIET {
                let evidence = Evidence::of(database).await?;
                for told in evidence.errors().into_iter().flatten() {
                    self.open.remove(&told);
                }
                let done = self.open.is_empty() && evidence.undelivered() == 0 && world.not_taken().is_empty();
                if done || quiet > PATIENCE {
                    return Ok(());
                }
                tokio::time::sleep(QUIET / 6).await;
            }
            tokio::time::sleep(TICK).await;
        }
    }
}
