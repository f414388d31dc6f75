import { Link } from "wouter";
import type { Access } from "../../api/own-data";
import { t } from "../../i18n";
import { Details } from "../../ui/disclosure";
import { exactTimeOf, timeOf } from "../admin/times";

/** How far a request has come. */
export function stateOf(access: Access): string {
  if (access.revoked_at) {
    return t("ended by {{admin}} on {{time}}", {
      admin: access.revoked_by ?? "",
      time: timeOf(access.revoked_at),
    });
  }
  if (!access.expires_at) return t("waits for another administrator");
  return t(access.is_open ? "open until {{time}}" : "over since {{time}}", {
    time: timeOf(access.expires_at),
  });
}

/** Who was let in, why and when. */
export function AccessFacts({ access }: { access: Access }) {
  return (
    <>
      <p className="access-reason" dir="auto">
        {access.reason}
      </p>
      <p className="access-facts">
        {t("Asked for by {{admin}} on {{time}}", {
          admin: access.requested_by,
          time: timeOf(access.requested_at),
        })}
        {access.approved_at &&
          ` · ${t("approved by {{admin}} on {{time}}", {
            admin: access.approved_by ?? "",
            time: timeOf(access.approved_at),
          })}`}
        {` · ${stateOf(access)}`}
      </p>
    </>
  );
}

/** What was read; `linked` where it is the reader's own. */
export function Reads({ access, linked }: { access: Access; linked: boolean }) {
  if (access.reads.length === 0) return <p className="access-facts">{t("Nothing was read.")}</p>;
  return (
    <Details title={t("Read {{count, number}} times", { count: access.reads.length })}>
      {() => (
        <ul className="access-reads">
          {access.reads.map((read) => (
            <li key={`${read.at} ${read.by} ${read.conversation_id ?? ""}`}>
              {exactTimeOf(read.at)} · {read.by} ·{" "}
              {read.conversation_id ? (
                linked ? (
                  <Link href={`/c/${read.conversation_id}`}>{t("a conversation")}</Link>
                ) : (
                  <code>{read.conversation_id}</code>
                )
              ) : (
                t("the list of conversations")
              )}
            </li>
          ))}
        </ul>
      )}
    </Details>
  );
}
