/** What the server says of itself: configuration, database, files, sign-in. */
import type { CheckFact } from "../../api/checks";
import { t } from "../../i18n";
import { count, listText, numberFormat, sentence } from "../../ui/format";
import type { Sentences } from "../../ui/said";

const gibibytes = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const bytes = (n: number) =>
  n >= 2 ** 30 ? `${gibibytes(n / 2 ** 30)} GiB` : `${count(Math.floor(n / 2 ** 20))} MiB`;
const space = ({ free_bytes, total_bytes }: { free_bytes: number; total_bytes: number }) => ({
  free: bytes(free_bytes),
  total: bytes(total_bytes),
});
const apart = ({ offset_ms }: { offset_ms: number }) => ({ ms: count(Math.abs(offset_ms)) });

export const findings: Sentences<CheckFact> = {
  configuration_read: () => t("Every setting is known and can be used."),
  notice: ({ notice }) => sentence(notice),
  any_host: () =>
    t(
      "Requests for any host name are answered: set server.allowed_hosts or server.public_url to the name under which people reach this server.",
    ),
  default_provider: ({ provider }) =>
    t("Models named without a provider are asked at {{provider}}.", { provider }),
  all_simulated: () =>
    t("Every model is simulated, so no answer is real: give a provider its key."),
  some_simulated: ({ providers }) =>
    t("The answers of {{providers}} are made up.", {
      providers: listText(providers, "conjunction"),
    }),
  database_reachable: ({ version, local }) =>
    local
      ? t("The server’s own PostgreSQL {{version}} answers.", { version })
      : t("PostgreSQL {{version}} answers.", { version }),
  database_failed: ({ reason }) => sentence(reason),
  database_not_made: () => t("The first start makes the local database."),
  schema_current: ({ version }) =>
    t("The schema is that of this version (migration {{version}}).", { version }),
  schema_empty: () => t("There is no schema yet: the first start makes it."),
  schema_older: ({ version, missing }) =>
    t(
      "The schema is older (migration {{version}}) and lacks {{count, number}} migrations: the next start applies them.",
      { version, count: missing },
    ),
  schema_newer: ({ version }) =>
    t(
      "The schema is newer than this program (migration {{version}}): run the version that made it.",
      { version },
    ),
  schema_changed: ({ version }) =>
    t("Migration {{version}} is not the one that this program has.", { version }),
  schema_broken: ({ version }) =>
    t("Migration {{version}} has begun and not ended: restore a backup.", { version }),
  roles_ready: () => t("The server’s roles are there, and row level security binds them."),
  roles_to_be_made: () => t("The server’s roles are made with the schema."),
  roles_missing: ({ roles }) =>
    t("The database user may not take the roles {{roles}}: a superuser has to grant them.", {
      roles: listText(roles, "conjunction"),
    }),
  roles_unsafe: ({ roles }) =>
    t(
      "The roles {{roles}} may log in, are superusers or bypass row level security: that has to be taken from them.",
      { roles: listText(roles, "conjunction") },
    ),
  tables_unprotected: ({ tables }) =>
    t("Row level security is not forced on the tables {{tables}}: restore them.", {
      tables: listText(tables, "conjunction"),
    }),
  clocks_agree: (fact) => t("Its clock is {{ms}} ms off.", apart(fact)),
  clocks_differ: (fact) =>
    t("Its clock and the server’s differ by {{ms}} ms: set both by NTP.", apart(fact)),
  disk_free: (fact) => t("{{free}} of {{total}} are free in the data directory.", space(fact)),
  disk_low: (fact) =>
    t("Only {{free}} of {{total}} are free in the data directory: make room.", space(fact)),
  no_data_directory: () => t("The first start makes the data directory."),
  disk_unknown: ({ reason }) => t("The data directory cannot be looked at: {{reason}}", { reason }),
  object_store_works: () => t("An object was put into the object store, read and removed."),
  object_store_failed: ({ reason }) =>
    t("Larger files can neither be kept nor read: {{reason}}", { reason }),
  object_store_not_tried: () =>
    t("The object store was not tried: that takes a database with this version’s schema."),
  no_sign_in: ({ reachable }) =>
    reachable
      ? t(
          "Nobody signs in, and others can reach the server: everybody is one user and an administrator.",
        )
      : t("Nobody signs in, and only this machine can reach the server."),
  sign_in_by_proxy: ({ trusted, user_header, groups_header, secret }) => {
    const facts = {
      networks: listText(trusted, "disjunction"),
      user: user_header,
      groups: groups_header,
    };
    return secret
      ? t(
          "A proxy in {{networks}} says who asks, in {{user}} and {{groups}}, and shows a secret.",
          facts,
        )
      : t("A proxy in {{networks}} says who asks, in {{user}} and {{groups}}.", facts);
  },
  no_admins: () => t("Nobody is an administrator: set auth.admin_groups or auth.admin_users."),
  seen_request: ({ peer, trusted, headers, secret }) => {
    const facts = {
      peer: peer ?? t("an unknown address"),
      headers: headers.length > 0 ? listText(headers) : t("none"),
    };
    if (!trusted) {
      return t(
        "Your request came from {{peer}}, whose headers do not count; identity headers: {{headers}}.",
        facts,
      );
    }
    return secret
      ? t(
          "Your request came from {{peer}}, which is trusted, with the secret; identity headers: {{headers}}.",
          facts,
        )
      : t(
          "Your request came from {{peer}}, which is trusted; identity headers: {{headers}}.",
          facts,
        );
  },
};
