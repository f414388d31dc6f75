import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { TopHeading } from "../../markdown/top-heading";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { listText, rank, shortName } from "../../ui/format";
import { authorOf } from "./drafts";

/**
 * The answer that the reviewers rank first, word for word: beside a final answer that somebody wrote, so that what
 * became of it can be seen. Nothing where the final answer is a member's own, or nobody was ranked.
 */
export function BestRanked({ run }: { run: RunState }) {
  const [row] = run.aggregate;
  const best = row && run.answers.find(({ seat }) => seat.member === row.member);
  const { result } = run.synthesis;
  if (!row || !best?.text || !result || result.error || authorOf(run) === "member") return null;
  const sharing = run.aggregate.filter(({ place }) => place !== 0 && place === row?.place);
  return (
    <Details title={t("Show the best-ranked answer")}>
      {() => (
        <>
          <p className="quiet">
            {t("{{member}}: average place {{place}}, {{votes}} of {{voters}} first places.", {
              member: shortName(row.member),
              place: rank(row.average_rank),
              votes: rank(row.first_place_votes),
              voters: rank(row.voters),
            })}{" "}
            {sharing.length > 1 &&
              t("{{members}} share the first place.", {
                members: listText(sharing.map(({ member }) => shortName(member))),
              })}
          </p>
          <TopHeading value={4}>
            <Markdown text={best.text} />
          </TopHeading>
        </>
      )}
    </Details>
  );
}
