//! Random teams: whatever roles are given and taken, and whatever is moved and deleted, each person sees what a model of a few lines
//! says that they see.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use super::links::link_for;
use super::{asked, let_in, listed, move_to, project, put_out};
use crate::support::app::TestApp;

const PEOPLE: [&str; 4] = ["ann", "bob", "cid", "dee"];
/// Whom roles are given to; groups are those that people have by turns.
const MEMBERS: [&str; 5] = ["user/bob", "user/cid", "user/dee", "group/red", "group/blue"];
const ROLES: [&str; 3] = ["viewer", "writer", "owner"];

#[derive(Debug, Clone)]
enum Act {
    Give {
        project: usize,
        member: usize,
        role: usize,
    },
    Take {
        project: usize,
        member: usize,
    },
    /// To a project, or out of the one that it is in.
    Move {
        conversation: usize,
        to: Option<usize>,
    },
    Delete {
        conversation: usize,
    },
    Restore {
        conversation: usize,
    },
    /// The groups of a person from now on.
    Regroup {
        person: usize,
        red: bool,
        blue: bool,
    },
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0..2usize, 0..5usize, 0..3usize).prop_map(|(project, member, role)| Act::Give { project, member, role }),
        2 => (0..2usize, 0..5usize).prop_map(|(project, member)| Act::Take { project, member }),
        4 => (0..8usize, proptest::option::weighted(0.8, 0..2usize))
            .prop_map(|(conversation, to)| Act::Move { conversation, to }),
        1 => (0..8usize).prop_map(|conversation| Act::Delete { conversation }),
        1 => (0..8usize).prop_map(|conversation| Act::Restore { conversation }),
        2 => (0..4usize, any::<bool>(), any::<bool>())
            .prop_map(|(person, red, blue)| Act::Regroup { person, red, blue }),
    ];
    proptest::collection::vec(act, 25..40)
}

/// What should be so.
#[derive(Default)]
struct Model {
    /// Of each project by `user/…` and `group/…`: 0 viewer to 2 owner.
    roles: [BTreeMap<String, usize>; 2],
    groups: [Vec<&'static str>; 4],
    /// Where each conversation is; two of each person.
    place: [Option<usize>; 8],
    deleted: [bool; 8],
}

impl Model {
    fn role(&self, project: usize, person: usize) -> Option<usize> {
        let groups = self.groups[person].iter().map(|group| format!("group/{group}"));
        let names = groups.chain([format!("user/{}", PEOPLE[person])]);
        names.filter_map(|name| self.roles[project].get(&name).copied()).max()
    }

    fn sees(&self, project: usize, person: usize) -> Option<Vec<usize>> {
        self.role(project, person)?;
        Some((0..8).filter(|one| self.place[*one] == Some(project) && !self.deleted[*one]).collect())
    }
}

#[tokio::test]
async fn each_person_sees_what_the_roles_say() {
    // The same teams every time: a failure names the step.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for team in 0..3 {
        let acts = acts().new_tree(&mut runner).unwrap().current();
        let app = TestApp::start().await;
        let mut model = Model::default();
        let mut projects = Vec::new();
        for roles in &mut model.roles {
            projects.push(project(&app.user("ann"), json!({"name": "A team's"})).await);
            roles.insert("user/ann".to_owned(), 2);
        }
        let mut links = Vec::new();
        for project in &projects {
            let own = asked(&app.user("ann"), "Why?").await;
            links.push(link_for(&app.user("ann"), &own, project).await);
        }
        let mut conversations = Vec::new();
        for person in PEOPLE {
            conversations.push(app.user(person).conversation().await);
            conversations.push(app.user(person).conversation().await);
        }
        for (step, act) in acts.iter().enumerate() {
            let user = |person: usize, model: &Model| {
                app.user(PEOPLE[person]).with("remote-groups", &model.groups[person].join(","))
            };
            match *act {
                Act::Give { project, member, role } => {
                    let_in(&user(0, &model), &projects[project], MEMBERS[member], ROLES[role]).await;
                    model.roles[project].insert(MEMBERS[member].to_owned(), role);
                }
                Act::Take { project, member } => {
                    let was = model.roles[project].remove(MEMBERS[member]).is_some();
                    let said = put_out(&user(0, &model), &projects[project], MEMBERS[member]).await;
                    assert_eq!(said, if was { 200 } else { 404 }, "team {team}, step {step}: {act:?}");
                }
                Act::Move { conversation, to } => {
                    let person = conversation / 2;
                    let expected = match to.map(|to| model.role(to, person)) {
                        _ if model.deleted[conversation] => 404,
                        _ if model.place[conversation] == to => 200,
                        Some(None) => 422,
                        Some(Some(0)) => 403,
                        Some(Some(_)) | None => 200,
                    };
                    let to_id = to.map(|to| projects[to].as_str());
                    let said = move_to(&user(person, &model), &conversations[conversation], to_id).await;
                    assert_eq!(said, expected, "team {team}, step {step}: {act:?}");
                    if said == 200 {
                        model.place[conversation] = to;
                    }
                }
                Act::Delete { conversation } => {
                    let path = format!("/api/conversations/{}", conversations[conversation]);
                    user(conversation / 2, &model).send("DELETE", &path, None).await;
                    model.deleted[conversation] = true;
                }
                Act::Restore { conversation } => {
                    let path = format!("/api/conversations/{}/restore", conversations[conversation]);
                    user(conversation / 2, &model).post(&path, json!({})).await.ok();
                    model.deleted[conversation] = false;
                }
                Act::Regroup { person, red, blue } => {
                    let groups = [red.then_some("red"), blue.then_some("blue")];
                    model.groups[person] = groups.into_iter().flatten().collect();
                }
            }
            for (person, name) in PEOPLE.iter().enumerate() {
                let user = user(person, &model);
                let mine = user.get("/api/projects").await.ok()["projects"].as_array().unwrap().len();
                let roles = (0..2).filter(|project| model.role(*project, person).is_some()).count();
                assert_eq!(mine, roles, "team {team}, step {step}: {act:?}: the projects of {name}");
                for (place, project) in projects.iter().enumerate() {
                    let seen = match user.get(&format!("/api/projects/{project}")).await.status {
                        404 => None,
                        _ => Some(listed(&user, project).await),
                    };
                    let expected = model.sees(place, person).map(|ones| {
                        let mut ids: Vec<String> =
                            ones.iter().map(|one| conversations[*one].clone()).collect();
                        ids.sort();
                        ids
                    });
                    let seen = seen.map(|mut ids| {
                        ids.sort();
                        ids
                    });
                    assert_eq!(seen, expected, "team {team}, step {step}: {act:?}: {name} in {place}");
                    let said = user.get(&links[place]).await.status;
                    let expected = if seen.is_some() { 200 } else { 404 };
                    assert_eq!(said, expected, "team {team}, step {step}: {act:?}: {name}, link {place}");
                }
            }
        }
        app.close().await;
    }
}
