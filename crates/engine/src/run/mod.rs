//! Carrying a run out: its prompt, the model, what it decides, and what of that is shown while it grows.

pub mod answering;
pub mod cancel;
pub mod commit;
pub mod draft;
pub mod events;
pub mod masked;
pub mod perform;
pub mod prompt;
pub mod session;
pub mod tool_payer;
pub mod unpaid;
pub mod unread;
