//! `llm-council migrate`: the schema, before the servers are started; and what an administrator has to
//! decide before it, which is whose a name is that is not taken as it is any more.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Args;

use super::database;
use super::user_names::{is_taken, listed, shown, unescaped};
use crate::config::Config;
use crate::identity::user;
use crate::store::{self, Db, Sessions, user_names};

/// What an administrator decides about users.
#[derive(Debug, Clone, Default, Args)]
pub struct Decisions {
    /// Only list the users whose names are no longer valid as they are; exits with 1 if there are any.
    #[arg(long, conflicts_with_all = ["rename", "keep"])]
    check: bool,
    /// Give everything of one user another name, which nobody has yet. Stop the servers first.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], action = clap::ArgAction::Append)]
    rename: Vec<String>,
    /// Leave a user's rows under a name that nobody can sign in with.
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,
}

/// Brings the configured database to this version's schema.
///
/// # Errors
/// When there is no configured database, or it cannot be brought there.
pub fn run(config: &Config, decisions: &Decisions) -> anyhow::Result<ExitCode> {
    let is_plain = !decisions.check && decisions.rename.is_empty() && decisions.keep.is_empty();
    ensure!(
        config.database.url.is_some() || !is_plain,
        "no database is configured; the local one is migrated when the server starts"
    );
    tokio::runtime::Runtime::new()?.block_on(async {
        let (options, local) = database::open(config).await?;
        let db = Db::connect_with(options, 2).await?;
        // Works with a pooler in transaction mode and without one.
        db.open(Sessions::Shared);
        let code = if decisions.check { check(&db).await? } else { apply_migrations(&db, decisions).await? };
        db.close().await;
        if let Some(local) = local {
            local.stop().await?;
        }
        Ok(code)
    })
}

async fn check(db: &Db) -> anyhow::Result<ExitCode> {
    let undecided = user_names::undecided(db, is_taken).await?;
    if undecided.is_empty() {
        eprintln!("every user's name is valid");
        return Ok(ExitCode::SUCCESS);
    }
    eprint!("{}", listed(&undecided));
    Ok(ExitCode::FAILURE)
}

async fn apply_migrations(db: &Db, decisions: &Decisions) -> anyhow::Result<ExitCode> {
    let known = user_names::all(db).await?;
    let keeps: Vec<String> = decisions.keep.iter().map(|name| unescaped(name)).collect();
    let names: Vec<String> = decisions.rename.iter().map(|name| unescaped(name)).collect();
    let renames: Vec<(&str, &str)> =
        names.as_chunks().0.iter().map(|[from, to]| (from.as_str(), to.as_str())).collect();
    let mut decided = BTreeSet::new();
    let mut taken = known.clone();
    for from in renames.iter().map(|(from, _)| *from).chain(keeps.iter().map(String::as_str)) {
        ensure!(known.contains(from), "there is no user {}", shown(from));
        ensure!(decided.insert(from), "{} is decided twice", shown(from));
    }
    for (_, to) in &renames {
        let is_name = is_taken(to) && *to != user::LOCAL;
        ensure!(is_name, "{} is no name that somebody can sign in with", shown(to));
        // Two people's conversations cannot be told apart again.
        ensure!(
            taken.insert((*to).to_owned()),
            "there is already a user {}; users are not merged",
            shown(to)
        );
    }
    let open: Vec<String> = user_names::undecided(db, is_taken)
        .await?
        .into_iter()
        .filter(|name| !decided.contains(name.as_str()))
        .collect();
    ensure!(open.is_empty(), "nothing was changed. {}", listed(&open));

    store::migrate(db).await?;
    for (from, to) in &renames {
        user_names::rename(db, from, to).await.with_context(|| format!("cannot rename {}", shown(from)))?;
        eprintln!("{} is {} now", shown(from), shown(to));
    }
    user_names::keep(db, &keeps).await?;
    eprintln!("the database is up to date");
    Ok(ExitCode::SUCCESS)
}
