//! The images that came with what is asked, for a model that sees them.

use clifford_llm::Image;

use super::Session;
use crate::{
    roles::Role,
    store::{files::File, runs::RunKind},
    tools::seen,
};

/// The most images that are shown at once; the others are files like any.
const MOST: usize = 4;

impl Session<'_> {
    /// What of these files is shown to the run's model. What stands in an image is data from outside, so the run is
    /// tainted by it; what cannot be had is left out: the run knows of the file all the same.
    pub(super) async fn see(&mut self, files: &[File]) -> Vec<Image> {
        let role = Role::of_run(&self.work.run);
        if self.work.run.kind != RunKind::Coordinator || !self.engine.roles.shows_images(role) {
            return Vec::new();
        }
        let is_image = |file: &&File| (file.media_type.as_deref()).is_some_and(|kind| kind.starts_with("image/"));
        let mut images = Vec::new();
        for file in files.iter().filter(is_image).take(MOST) {
            let (db, now) = (&self.engine.db, self.engine.clock.now());
            let content = self.engine.services.files.content(db, file, now).await;
            let image = content
                .map_err(|error| error.to_string())
                .and_then(|content| seen(&content.bytes));
            match image {
                Ok(image) => {
                    images.push(image);
                    self.taint([format!("file {}", file.name)].into());
                }
                Err(error) => tracing::info!(file = %file.id, error, "an image is not shown to the model"),
            }
        }
        images
    }
}
