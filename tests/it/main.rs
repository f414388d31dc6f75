mod local;
mod store;
mod support;
