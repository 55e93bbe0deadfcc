//! Data besides a run's messages and steps: the model that answered, and the progress that a channel sees meanwhile.

use clifford_content::memory::recall;
use clifford_core::{
    places::Mode,
    run::{progress, step::Step},
};
use clifford_store::{
    messages::{self, READERS},
    people::users,
};
use clifford_text::Lang;
use serde_json::Value;

use super::{Gone, Session};

impl Session<'_> {
    /// The metadata of an answer: the people who may read it, if these are fewer than read along; of a direct chat's,
    /// its model and the message that it answers.
    pub(super) async fn metadata(&self) -> Result<Option<Value>, Gone> {
        let mut metadata = serde_json::Map::new();
        if let Some(readers) = self.state.labels.readers_of_answers() {
            metadata.insert(READERS.to_owned(), serde_json::json!(readers));
        }
        if self.work.run.mode != Mode::Chat {
            return Ok((!metadata.is_empty()).then_some(Value::Object(metadata)));
        }
        if let Some((provider, model)) = &self.state.answered_by {
            metadata.insert("provider".to_owned(), provider.as_str().into());
            metadata.insert("model".to_owned(), model.as_str().into());
        }
        if let Some(id) = messages::last_asked(&mut self.cx.db.read().await?, self.work.run.id).await? {
            metadata.insert("replyTo".to_owned(), id.to_string().into());
        }
        Ok(Some(Value::Object(metadata)))
    }

    /// The name of the run's person: by that platform where others read along, since another could reveal an account
    /// that is nobody's business there.
    pub(super) async fn user_name(&self) -> Result<Option<String>, Gone> {
        let Some(user) = &self.work.user else {
            return Ok(None);
        };
        let Some(channel) = self.work.channel.as_ref().filter(|channel| !channel.is_private()) else {
            return Ok(Some(user.name.clone()));
        };
        let identities = users::identities(&mut self.cx.db.read().await?, user.id).await?;
        let names: Vec<_> = (identities.into_iter())
            .filter(|identity| identity.platform == channel.platform)
            .map(|identity| identity.name)
            .collect();
        Ok(recall::name_there(&names, &self.work.run.input_text))
    }

    /// The language of its person is known: what it does meanwhile is shown in it, too.
    pub(super) fn speaks(&mut self, lang: Lang) {
        self.state.lang = lang;
        if let Some(to) = self.work.reply_to() {
            let (run, epoch) = (self.work.run.id, self.work.lease.epoch);
            self.cx.delivery.speaks(to.channel, run, epoch, self.shown_in());
        }
    }

    /// The language of what it does meanwhile: where others read along, that of the place.
    fn shown_in(&self) -> Lang {
        if !self.is_shared() {
            return self.state.lang;
        }
        let own = self.work.user.as_ref().and_then(|user| user.language.as_deref());
        Lang::for_place(self.chosen.words.language.as_deref(), own)
    }

    /// Shows these steps on a channel that shows progress, but for those that it has seen. It must see a step before
    /// any later one shows: as a line, as a message or as a draft.
    pub(super) fn show_progress(&mut self, steps: &[Step]) {
        let from = steps.partition_point(|step| step.seq <= self.shown_through);
        let steps = &steps[from..];
        let Some(last) = steps.last() else { return };
        self.shown_through = last.seq;
        let Some(to) = self.work.reply_to() else { return };
        if let Some(doing) = progress::doing(steps, self.state.iterations, to.platform, self.shown_in()) {
            let doing = self.cx.masker.mask(&doing).into_owned();
            (self.cx.delivery).doing(to.channel, self.work.run.id, self.work.lease.epoch, doing);
        }
        let limits = self.cx.delivery.outbound().limits(to.platform);
        if limits.is_some_and(|limits| limits.shows_progress) {
            for signal in progress::signals(steps, self.state.lang) {
                self.cx.delivery.signal(&to, signal);
            }
        }
    }
}
