//! Valid requests that conflict with the present state.

use actix_web::http::StatusCode;
use serde_json::json;

use super::{Problem, RETRY_AFTER_SECONDS};
use crate::council::budget::Usd;
use crate::id::RunId;
use crate::store::schedules::OverScheduled;

/// Why there is no link.
#[derive(Debug, Clone, Copy)]
pub enum NotToShare {
    BeingWritten,
    Empty,
    /// There are this many links already.
    TooMany(i64),
}

/// Why a project refuses something.
#[derive(Debug, Clone, Copy)]
pub enum NotInProject {
    /// There would be no person left who owns it by name.
    LastOwner,
    /// The person who wants to leave is a member only by a group.
    ByGroup,
    /// It has so many members already.
    TooManyMembers(i64),
    /// This many projects are owned already.
    TooManyProjects(i64),
    /// It has so many files already.
    TooManyFiles(usize),
    /// What is to be copied is not there yet.
    BeingWritten,
    NothingToCopy,
}

impl Problem {
    /// 403: a conversation of one's own in a project in which one may not write, or no longer.
    #[must_use]
    pub fn not_a_writer() -> Self {
        let detail = "this conversation is in a project in which you may not write; take it out of the project to go on with it";
        let mut problem = Self::forbidden(detail);
        problem.0.kind = "not-a-writer";
        problem
    }

    /// 402: a schedule has a budget of its own.
    #[must_use]
    pub fn over_scheduled(over: OverScheduled) -> Self {
        let OverScheduled { budget_usd, spent_usd, needed_usd } = over;
        let needed = match needed_usd {
            Some(needed) => format!("the question would cost about {}", Usd(needed)),
            None => "what the question would cost is unknown".to_owned(),
        };
        let (budget, spent) = (Usd(budget_usd), Usd(spent_usd));
        let detail = format!(
            "the budget of this schedule is {budget} in a calendar month, and {spent} is spent; {needed}"
        );
        let title = "The budget of the schedule is reached";
        let mut problem = Self::new(StatusCode::PAYMENT_REQUIRED, "schedule-budget-reached", title, detail);
        let more = [
            ("limit_usd", json!(budget_usd)),
            ("spent_usd", json!(spent_usd)),
            ("needed_usd", json!(needed_usd)),
        ];
        problem.0.more.extend(more.map(|(name, value)| (name.to_owned(), value)));
        problem
    }

    /// 412: the page that sends the request belongs to another user.
    #[must_use]
    pub fn another_user() -> Self {
        let detail = "the page that sent this request belongs to another user than the one who is signed in now; \
                      reload it";
        Self::new(StatusCode::PRECONDITION_FAILED, "another-user", "Somebody else is signed in", detail)
    }

    /// 409: all that is stored of the caller is being erased.
    #[must_use]
    pub fn erasing() -> Self {
        let detail = "everything that is stored of you is being deleted, as you have asked for; once that is over you can \
                      begin anew";
        let mut problem =
            Self::new(StatusCode::CONFLICT, "erasure-under-way", "Your data is being deleted", detail);
        problem.0.retry_after = Some(RETRY_AFTER_SECONDS);
        problem
    }

    /// 403: an administrator wants nothing to be done in the caller's name.
    #[must_use]
    pub fn blocked() -> Self {
        let detail = "an administrator of this server has blocked you; what is yours is kept: ask them";
        Self::new(StatusCode::FORBIDDEN, "blocked", "You are blocked", detail)
    }

    /// 409: a hold keeps the data, whoever wants it deleted.
    #[must_use]
    pub fn held() -> Self {
        let detail = "an administrator has placed a hold on your data: it is kept until the hold is lifted, and nothing of \
                      it is deleted for good; ask your administrator";
        Self::new(StatusCode::CONFLICT, "held", "There is a hold on this data", detail)
    }

    /// 409: a rule of holds or of access that is in the way.
    #[must_use]
    pub fn in_the_way(detail: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "in-the-way", "This is not possible now", detail)
    }

    /// 409: the run has to be over first.
    #[must_use]
    pub fn not_over(run: RunId) -> Self {
        let detail = "this run is under way; wait for its end or stop it";
        let mut problem = Self::new(StatusCode::CONFLICT, "run-under-way", "A run is under way", detail);
        problem.0.more.insert("run_id".into(), json!(run));
        problem
    }

    /// Names a run that was begun before the conflict, and that goes on.
    #[must_use]
    pub fn with_run(mut self, run: RunId) -> Self {
        self.0.more.insert("run_id".into(), json!(run));
        self
    }

    /// 409: there is nothing to share, or not yet.
    #[must_use]
    pub fn not_to_share(why: NotToShare) -> Self {
        let (kind, detail) = match why {
            NotToShare::BeingWritten => {
                ("being-written", "an answer is being written; share it when that is there".to_owned())
            }
            NotToShare::Empty => {
                ("nothing-to-share", "nothing was asked here yet, so there is nothing to share".to_owned())
            }
            NotToShare::TooMany(most) => (
                "too-many-links",
                format!("{most} of your links are active already; withdraw one that nobody needs"),
            ),
        };
        Self::new(StatusCode::CONFLICT, kind, "This cannot be shared now", &detail)
    }

    /// 409: a rule of projects that is in the way.
    #[must_use]
    pub fn not_in_project(why: NotInProject) -> Self {
        let (kind, detail) = match why {
            NotInProject::LastOwner => (
                "last-owner",
                "nobody else owns this project by name; make somebody else an owner first".to_owned(),
            ),
            NotInProject::ByGroup => (
                "by-group",
                "you are in this project by a group alone; who leaves the group leaves the project"
                    .to_owned(),
            ),
            NotInProject::TooManyMembers(most) => (
                "too-many-members",
                format!("a project has {most} members at most; add a group in the place of many people"),
            ),
            NotInProject::TooManyProjects(most) => (
                "too-many-projects",
                format!("you own {most} projects, as many as there can be; delete one, or hand one over"),
            ),
            NotInProject::TooManyFiles(most) => (
                "too-many-files",
                format!("a project has {most} files at most; remove one that is not needed"),
            ),
            NotInProject::BeingWritten => {
                ("answer-under-way", "an answer is being written; copy it when that is there".to_owned())
            }
            NotInProject::NothingToCopy => {
                ("nothing-to-copy", "nothing was asked here yet, so there is nothing to copy".to_owned())
            }
        };
        Self::new(StatusCode::CONFLICT, kind, "This is not possible in the project now", &detail)
    }

    /// 409: it has been changed since it was read.
    #[must_use]
    pub fn changed_meanwhile(version: i32) -> Self {
        let detail = format!(
            "this was changed meanwhile and is at version {version} now; read it again before you change it"
        );
        let mut problem = Self::new(StatusCode::CONFLICT, "changed-meanwhile", "Changed meanwhile", detail);
        problem.0.more.insert("version".into(), json!(version));
        problem
    }

    /// 409: as many folders as one person may have.
    #[must_use]
    pub fn too_many_folders(most: i64) -> Self {
        let detail =
            format!("you have {most} folders, as many as there can be; delete one that you no longer need");
        Self::new(StatusCode::CONFLICT, "too-many-folders", "There can be no more folders", detail)
    }

    /// 409: as much as one person may have in the library.
    #[must_use]
    pub fn library_full(most: i64) -> Self {
        let detail = format!(
            "you have {most} prompts and rubrics, as many as there can be; delete one that nobody needs"
        );
        Self::new(StatusCode::CONFLICT, "library-full", "The library takes no more", detail)
    }

    /// 502: a model that was asked for a draft gave none.
    #[must_use]
    pub fn no_draft(model: &str, reason: &str) -> Self {
        let detail = format!("{model} drafted nothing: {reason}; try again, or write it yourself");
        let mut problem = Self::new(StatusCode::BAD_GATEWAY, "no-draft", "No draft", detail);
        problem.0.more.insert("model".into(), json!(model));
        problem
    }

    /// 409: one check of the providers is enough at a time.
    #[must_use]
    pub fn check_under_way() -> Self {
        let detail = "the providers are being checked already; wait for the end of that check";
        Self::new(StatusCode::CONFLICT, "check-under-way", "A check is under way", detail)
    }

    /// 409: nobody waits for this member.
    #[must_use]
    pub fn not_awaited(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-awaited", "This member is not being waited for", why)
    }

    /// 409: this member is not asked again in its run, or not now.
    #[must_use]
    pub fn not_retried(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-retried", "This member cannot be asked again now", why)
    }

    /// 409: nothing can be added to this question, or not any more.
    #[must_use]
    pub fn not_correctable(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-correctable", "Nothing can be added to this question", why)
    }

    /// 409: only what is deleted, and not at work, can be purged.
    #[must_use]
    pub fn not_to_purge(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-to-purge", "This conversation cannot be purged now", why)
    }

    /// 409: no earlier answer is offered.
    #[must_use]
    pub fn not_offered(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-offered", "No earlier answer is offered", why)
    }
}
