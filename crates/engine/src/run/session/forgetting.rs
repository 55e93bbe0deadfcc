//! Messages that their authors deleted while a run answers them: later prompts show a neutral word in their place.
//!
//! **What comes in:** the row of each message says when it was deleted. It is read before each question to the model but
//! the first, also by a worker that takes the run over. **What is stored:** nothing; the steps stay as they were
//! recorded. **What goes out:** prompts without those words.

use clifford_core::run::transcript::DELETED;
use clifford_store::messages;

use super::{Gone, Session};

impl Session<'_> {
    /// Takes what was deleted out of the input and the transcript. A run that has made no step begins again instead.
    pub(super) async fn forget_deleted(&mut self) -> Result<(), Gone> {
        if self.state.next_seq == 1 {
            return Ok(());
        }
        let answered = messages::answered_by(&mut self.cx.db.read_local().await?, self.work.run.id).await?;
        if answered.iter().all(|message| !message.is_deleted) {
            return Ok(());
        }
        let (mut input, mut is_changed) = (Vec::new(), false);
        for message in &answered {
            let taken_in = self.state.taken_in.iter().find(|(id, _)| *id == message.id);
            match taken_in.map(|(_, seq)| *seq) {
                Some(seq) if message.is_deleted => self.state.transcript.forget_message(seq),
                Some(_) => {}
                None if message.is_deleted => {
                    is_changed = true;
                    input.push(DELETED);
                }
                None => input.push(&message.text),
            }
        }
        let input = input.join("\n");
        if is_changed && input != self.work.run.input_text {
            self.work.run.input_text = input;
            self.frame = None;
        }
        Ok(())
    }
}
