//! The council for other programs' models: the Model Context Protocol over HTTP, and over standard input and output.

mod adapter;
mod eras;
mod reading;
mod refusals;
mod speaking;
mod stdio;
mod tasks;
mod tools;
mod waiting;
