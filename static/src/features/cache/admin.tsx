import { type CacheUsage, useKeptByAll } from "../../api/cache";
import { msg, t } from "../../i18n";
import { count, duration, money, percent } from "../../ui/format";
import type { Section } from "../admin/sections";
import { Figure } from "../dashboard/figure";
import { Answered, Panel } from "../dashboard/panel";

function Figures({ of }: { of: CacheUsage }) {
  const { entries, users, queries, hits } = of;
  return (
    <dl className="tiles">
      <Figure name={t("Answers kept")} note={t("by people: {{number}}", { number: count(users) })}>
        {count(entries)}
      </Figure>
      <Figure name={t("Questions looked up")}>{count(queries)}</Figure>
      <Figure name={t("Answered with an earlier answer")} note={percent(of.hit_rate, 1)}>
        {count(hits)}
      </Figure>
      <Figure name={t("Cost saved")}>{money(of.cost_saved)}</Figure>
      <Figure name={t("Time saved")}>{duration(of.time_saved)}</Figure>
      <Figure
        name={t("Compared by meaning")}
        note={t("by words: {{number}}", { number: count(of.hash_embedding_entries) })}
      >
        {count(of.api_embedding_entries)}
      </Figure>
    </dl>
  );
}

function Kept() {
  const kept = useKeptByAll();
  return (
    <Panel
      title={t("Reused answers")}
      lead={t(
        "How many answers people keep and reuse. Their questions are private and never shown here. Viewing this is recorded in the audit log.",
      )}
    >
      <Answered query={kept} failed={msg("The figures could not be loaded: {{reason}}")} lines={2}>
        {(figures) => <Figures of={figures} />}
      </Answered>
    </Panel>
  );
}

export const admin: Section = {
  path: "/admin/answers",
  title: msg("Reused answers"),
  View: Kept,
};
