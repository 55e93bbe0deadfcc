//! The images that came with what is asked, for a model that sees them.

use clifford_core::{models::Role, runs::RunKind};
use clifford_store::files::File;
use clifford_tools::seen;

use super::Session;
use crate::run::prompt::{Seen, assemble::Unseen};

/// The most images that are shown at once; the others are files like any.
const MOST: usize = 4;

impl Session<'_> {
    /// The files that the run's model can see. An image is data from outside, so the run is tainted by it. The model
    /// learns which images it is not shown, and why.
    pub(super) async fn see(&mut self, files: &[File]) -> Seen {
        let role = Role::of_run(&self.work.run);
        if self.work.run.kind != RunKind::Coordinator || !self.cx.models.shows_images(role) {
            return Seen::default();
        }
        let is_image = |file: &File| (file.media_type.as_deref()).is_some_and(|kind| kind.starts_with("image/"));
        let mut all = Seen::default();
        let images = files.iter().enumerate().filter(|(_, file)| is_image(file));
        for (number, (place, file)) in images.enumerate() {
            let unseen = |why: String| Unseen {
                place,
                name: file.name.clone(),
                why,
            };
            if number >= MOST {
                all.unseen
                    .push(unseen(format!("comes behind the {MOST} that are shown at once")));
                continue;
            }
            let (db, now) = (&self.cx.db, self.cx.clock.now());
            let content = self.cx.services.files.content(db, file, now).await;
            let image = content.map_err(|error| {
                tracing::info!(file = %file.id, %error, "failed to read an image");
                "could not be read".to_owned()
            });
            match image.and_then(|content| seen(&content.bytes)) {
                Ok(image) => {
                    all.images.push(image);
                    all.shown.push((place, file.name.clone()));
                    self.taint([format!("file {}", file.name)].into());
                }
                Err(error) => {
                    tracing::info!(file = %file.id, error, "image not shown to the model");
                    all.unseen.push(unseen(error));
                }
            }
        }
        all
    }
}
