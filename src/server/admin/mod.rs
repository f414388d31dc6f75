//! For administrators only: one file per resource, named as the file for everybody's own (`budgets.rs`,
//! `admin/budgets.rs`). Never other people's content.

pub(super) mod access;
pub(super) mod analytics;
pub(super) mod audit;
pub(super) mod blocks;
pub(super) mod budgets;
pub(super) mod cache;
pub(super) mod holds;
pub(super) mod providers;
pub(super) mod retention;
pub(super) mod runs;
pub(super) mod search;
pub(super) mod settings;
pub(super) mod usage;
pub(super) mod users;
