mod store;
mod support;
