import { useId, useState } from "react";
import {
  chooseRetentionIn,
  type RetentionInProject,
  useRetentionInProjects,
} from "../../api/peoples-data";
import { useProjects } from "../../api/projects";
import { msg, t } from "../../i18n";
import { listText } from "../../ui/format";
import { timeOf } from "../admin/times";
import { Answered, Panel } from "../dashboard/panel";
import { DaysForm } from "./retention";

/** Administrators see only the names of projects that they are in: the others are told apart by their owners. */
function useNameOf() {
  const mine = useProjects().data;
  return ({ project_id, owners, created_at }: RetentionInProject) => {
    const facts = { owners: listText(owners), time: timeOf(created_at) };
    const name = mine?.find(({ id }) => id === project_id)?.name;
    return name === undefined
      ? t("Project of {{owners}}, created on {{time}}", facts)
      : t("{{name}} (of {{owners}}, created on {{time}})", { name, ...facts });
  };
}

const ruleOf = ({ days }: RetentionInProject) =>
  days ? t("{{count, number}} days", { count: days }) : t("Kept until their authors delete them.");

function Rules({ projects }: { projects: readonly RetentionInProject[] }) {
  const select = useId();
  const nameOf = useNameOf();
  const [chosen, setChosen] = useState("");
  const own = projects.filter(({ days }) => (days ?? null) !== null);
  const project = projects.find(({ project_id }) => project_id === chosen);
  if (projects.length === 0) return <p className="quiet">{t("There are no projects.")}</p>;
  return (
    <>
      {own.length === 0 ? (
        <p className="quiet">{t("No project has a rule of its own.")}</p>
      ) : (
        <ul className="access-list">
          {own.map((one) => (
            <li key={one.project_id}>
              <p>
                <strong dir="auto">{nameOf(one)}</strong>
              </p>
              <p>{ruleOf(one)}</p>
              {one.chosen_by && one.since && (
                <p className="access-facts">
                  {t("Chosen by {{admin}} on {{time}}", {
                    admin: one.chosen_by,
                    time: timeOf(one.since),
                  })}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="own-data-form">
        <div className="field">
          <label htmlFor={select}>{t("Project")}</label>
          <select
            id={select}
            className="input"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="">{t("Choose a project")}</option>
            {projects.map((one) => (
              <option key={one.project_id} value={one.project_id}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </div>
      </div>
      {project && (
        <DaysForm
          key={project.project_id}
          name={t("How long conversations in this project are kept")}
          days={project.days ?? null}
          hint={t("0 keeps them until their authors delete them; empty follows the rule for all.")}
          choose={(days) => chooseRetentionIn(project.project_id, days)}
        />
      )}
    </>
  );
}

/** The rules of projects that have one of their own. */
export function RetentionInProjects() {
  const rules = useRetentionInProjects();
  return (
    <Panel
      title={t("How long conversations in projects are kept")}
      lead={t(
        "A project can have a rule of its own instead of the one for all. Everybody in it sees it on its page. A new rule deletes nothing in its first week, nor does a move into another project.",
      )}
    >
      <Answered query={rules} failed={msg("The rules could not be loaded: {{reason}}")} lines={2}>
        {(projects) => <Rules projects={projects} />}
      </Answered>
    </Panel>
  );
}
