import { useState } from "react";
import { Link } from "wouter";
import { useUsers } from "../../api/admin";
import { useUser } from "../../api/queries";
import { msg, t } from "../../i18n";
import { ScrollBox } from "../../ui/scroll-box";
import { Answered, Nothing, Panel } from "../dashboard/panel";
import { Blocks } from "./blocks";
import type { Begun } from "./decisions";
import { KnownUsers } from "./known-users";
import { More } from "./more";
import { NarrowField, Narrowing, narrowedTo, useNarrowed } from "./narrowed";
import { timeOf } from "./times";

/** The lists that can be narrowed down to a person. */
const ways: readonly (readonly [string, string])[] = [
  ["/admin", msg("Usage")],
  ["/admin/runs", msg("Runs")],
  ["/admin/audit", msg("Audit log")],
];

function Everyone({ onBlock }: { onBlock: (user: string) => void }) {
  const me = useUser().data?.id;
  const [search, setSearch] = useNarrowed("search");
  const users = useUsers(search);
  return (
    <Panel
      title={t("Users")}
      lead={t(
        "Everybody who has signed in so far, with the names and addresses that the proxy last sent.",
      )}
    >
      <Narrowing>
        <NarrowField
          label={t("Search")}
          all={t("User id, name or email")}
          value={search}
          onNarrow={setSearch}
          live
        />
      </Narrowing>
      <Answered query={users} failed={msg("The users could not be loaded: {{reason}}")} lines={6}>
        {({ pages }) => {
          const rows = new Map(pages.flat().map((user) => [user.id, user]));
          if (rows.size === 0) {
            return (
              <Nothing>
                <p className="quiet">{t("No user matches.")}</p>
              </Nothing>
            );
          }
          return (
            <>
              <ScrollBox label={t("Users")}>
                <table className="figures-table">
                  <caption className="visually-hidden">{t("Users of this server")}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{t("User")}</th>
                      <th scope="col" className="text">
                        {t("Name")}
                      </th>
                      <th scope="col" className="text">
                        {t("Email")}
                      </th>
                      <th scope="col" className="text">
                        {t("Groups")}
                      </th>
                      <th scope="col">{t("First visit")}</th>
                      <th scope="col">{t("Last visit")}</th>
                      <th scope="col" className="text">
                        {t("Actions")}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {[...rows.values()].map((user) => (
                      <tr key={user.id}>
                        <th scope="row">
                          <span className="usage-name">{user.id}</span>
                          {user.is_admin && <span className="run-why"> {t("administrator")}</span>}
                          {user.blocked_at && (
                            <span className="run-why" title={timeOf(user.blocked_at)}>
                              {" "}
                              {t("blocked")}
                            </span>
                          )}
                        </th>
                        <td className="text">{user.name ?? "–"}</td>
                        <td className="text">{user.email ?? "–"}</td>
                        <td className="text">{user.groups.join(", ") || "–"}</td>
                        <td>{timeOf(user.created_at)}</td>
                        <td>{timeOf(user.last_seen_at)}</td>
                        <td className="text">
                          <ul className="row-links">
                            {ways.map(([path, name]) => (
                              <li key={path}>
                                <Link
                                  href={narrowedTo(path, user.id)}
                                  aria-label={t("{{part}} of {{user}}", {
                                    part: t(name),
                                    user: user.id,
                                  })}
                                >
                                  {t(name)}
                                </Link>
                              </li>
                            ))}
                            {user.id !== me && !user.blocked_at && (
                              <li>
                                <button
                                  type="button"
                                  className="quiet-button"
                                  aria-label={t("Block {{user}}…", { user: user.id })}
                                  onClick={() => onBlock(user.id)}
                                >
                                  {t("Block…")}
                                </button>
                              </li>
                            )}
                          </ul>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollBox>
              <More
                list={users}
                shown={t("{{count, number}} users", { count: rows.size })}
                label={t("More users")}
              />
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}

/** Everybody who was here, and who of them may do nothing here any more. */
export function Users() {
  const [begun, setBegun] = useState<Begun | null>(null);
  return (
    <>
      <KnownUsers />
      <Everyone onBlock={(user) => setBegun({ user })} />
      <Blocks begun={begun} />
    </>
  );
}
