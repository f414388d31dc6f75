//! Everything that is put on a terminal: foreign text made harmless, widths, wrapping, Markdown, colours, frames,
//! tables and figures. Imports nothing of the crate but [`crate::invisible`].
//!
//! What comes from a model, a server or a file goes through [`harmless()`] before anything else. [`markdown()`] does
//! that by itself, panels and tables do it for their titles and headings. Everything is drawn as lines of `ratatui`,
//! which a full-screen program shows as they are and [`ansi::to_string`] turns into text for a stream.

pub mod amounts;
pub mod ansi;
mod harmless;
mod markdown;
mod panel;
mod table;
mod theme;
mod width;
mod wrap;

pub use harmless::{Harmless, harmless, harmless_json, one_line};
pub use markdown::markdown;
pub use panel::{MIN_FRAME_WIDTH, Panel, inner_width, panel};
pub use table::{Column, table};
pub use theme::{Background, Depth, Frames, Theme, is_dumb};
pub use width::{Align, line_width, pad, truncate, truncate_line, width};
pub use wrap::{wrap, wrap_hanging};
