//! Messages that their authors deleted while a run is at work: later prompts show a neutral word in place of those that
//! it answers, and leave out those that were said before it.
//!
//! **What comes in:** the row of each message says when it was deleted. It is read before each question to the model but
//! the first, also by a worker that takes the run over, which recalls anew. **What is stored:** nothing; the steps stay as they were
//! recorded. **What goes out:** prompts without those words.

use clifford_content::memory::recall::Recalled;
use clifford_core::run::transcript::DELETED;
use clifford_store::messages;

use super::{Gone, Session};

impl Session<'_> {
    /// Takes what was deleted out of the input and the transcript. A run that has made no step begins again instead.
    pub(super) async fn forget_deleted(&mut self) -> Result<(), Gone> {
        if self.state.next_seq == 1 {
            return Ok(());
        }
        let shown = self.recalled.as_ref().map(Recalled::messages).unwrap_or_default();
        let mut conn = self.cx.db.read_local().await?;
        if self.frame.is_some() && messages::is_one_deleted(&mut conn, &shown).await? {
            self.frame = None;
        }
        let answered = messages::answered_by(&mut conn, self.work.run.id).await?;
        drop(conn);
        if answered.iter().all(|message| !message.is_deleted) {
            return Ok(());
        }
        for message in answered.iter().filter(|message| message.is_deleted) {
            match self.state.taken_in.iter().find(|(id, _)| *id == message.id) {
                Some((_, seq)) => self.state.transcript.forget_message(*seq),
                // The input may hold more than messages: the task of a trigger, or other words of the same person.
                None if !message.text.is_empty() && self.work.run.input_text.contains(&message.text) => {
                    self.work.run.input_text = self.work.run.input_text.replacen(&message.text, DELETED, 1);
                    self.frame = None;
                }
                None => {}
            }
        }
        Ok(())
    }
}
