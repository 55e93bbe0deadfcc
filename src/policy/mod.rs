//! A trial of rules about calls that were made. The rules themselves are in `clifford_core::policy`.
