//! Which parts have been shown, so that none is shown twice.

use std::collections::{HashMap, VecDeque};

use clifford_channel::{DeliveryKey, Receipt};

/// Older parts are forgotten: nobody sends them again in the same process.
const KEPT: usize = 1_000;

/// The receipts of the last parts.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    given: HashMap<DeliveryKey, Receipt>,
    order: VecDeque<DeliveryKey>,
    count: u64,
}

impl Receipts {
    /// The receipt of a part that was shown before.
    pub(crate) fn find(&self, key: &DeliveryKey) -> Option<Receipt> {
        self.given.get(key).cloned()
    }

    /// A receipt for a part that has been shown now.
    pub(crate) fn give(&mut self, session: i64, key: &DeliveryKey) -> Receipt {
        self.count += 1;
        let receipt = Receipt {
            id: format!("{session}-out-{}", self.count),
        };
        self.given.insert(key.clone(), receipt.clone());
        self.order.push_back(key.clone());
        if self.order.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.given.remove(&oldest);
        }
        receipt
    }
}
