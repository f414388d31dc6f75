//! Tests over real HTTP; one file per behaviour.

mod llm_faults;
mod support;
