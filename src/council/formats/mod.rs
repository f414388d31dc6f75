//! The ways of deliberating, one file each.

pub mod council;
