import { useId } from "react";
import { Link } from "wouter";
import { useAudit } from "../../api/admin";
import { msg, t } from "../../i18n";
import { ScrollBox } from "../../ui/scroll-box";
import { Answered, Nothing, Panel } from "../dashboard/panel";
import { actionOf, actionsByName, detailsOf } from "./audit-words";
import { KnownUsers } from "./known-users";
import { More } from "./more";
import { NarrowField, Narrowing, UserField, useNarrowed } from "./narrowed";
import { exactTimeOf } from "./times";

/** Who did what. */
export function Audit() {
  const id = useId();
  const [user, setUser] = useNarrowed("user");
  const [action, setAction] = useNarrowed("action");
  const [target, setTarget] = useNarrowed("target");
  const audit = useAudit({ user, action, target });
  const isWhole = user === "" && action === "" && target === "";
  return (
    <Panel
      title={t("Audit log")}
      lead={t(
        "Who did what, newest first, including when administrators viewed people’s figures. It holds nothing of what was asked or answered.",
      )}
    >
      <KnownUsers />
      <Narrowing>
        <UserField value={user} onNarrow={setUser} />
        <p className="narrow-field">
          <label htmlFor={id}>{t("Action")}</label>
          <select
            id={id}
            className="input"
            value={action}
            onChange={(event) => setAction(event.target.value)}
          >
            <option value="">{t("All actions")}</option>
            {actionsByName(action).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </p>
        <NarrowField
          label={t("Target")}
          all={t("An id, or a user")}
          value={target}
          onNarrow={setTarget}
        />
      </Narrowing>
      <Answered
        query={audit}
        failed={msg("The audit log could not be loaded: {{reason}}")}
        lines={8}
      >
        {({ pages }) => {
          const entries = pages.flat();
          if (entries.length === 0) {
            return (
              <Nothing>
                <p className="quiet">
                  {isWhole ? t("Nothing was noted yet.") : t("No entry matches.")}
                </p>
              </Nothing>
            );
          }
          return (
            <>
              <ScrollBox label={t("Audit log")}>
                <table className="figures-table audit">
                  <caption className="visually-hidden">{t("Audit log, newest first")}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{t("When")}</th>
                      <th scope="col" className="text">
                        {t("Who")}
                      </th>
                      <th scope="col" className="text">
                        {t("Action")}
                      </th>
                      <th scope="col" className="text">
                        {t("Target")}
                      </th>
                      <th scope="col" className="text">
                        {t("With")}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {entries.map((entry) => (
                      <tr key={entry.id}>
                        <th scope="row" className="time">
                          {exactTimeOf(entry.at)}
                        </th>
                        <td className="text">
                          <span className="usage-name">{entry.user}</span>
                        </td>
                        <td className="text" title={entry.action}>
                          {actionOf(entry.action)}
                        </td>
                        <td className="text">
                          {entry.target ? (
                            <Link
                              href={`/admin/audit?${new URLSearchParams({ target: entry.target })}`}
                              title={t("Show only what was done to this")}
                            >
                              <code className="usage-name">{entry.target}</code>
                            </Link>
                          ) : (
                            "–"
                          )}
                        </td>
                        <td className="text details-cell">{detailsOf(entry.details) || "–"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollBox>
              <More
                list={audit}
                shown={t("{{count, number}} entries", { count: entries.length })}
                label={t("Older entries")}
              />
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}
