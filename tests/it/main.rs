mod local;
mod store;
mod store_functions;
mod store_setup;
mod support;
