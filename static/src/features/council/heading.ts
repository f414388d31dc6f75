/** What a final answer is: its heading. */
import type { Schemas, Synthesis } from "../../api/types";
import { t } from "../../i18n";
import { count, shortName } from "../../ui/format";
import { type SaidText, type Sentences, say } from "../../ui/said";

type Author = Schemas["Author"];

/** An answer with who wrote it, where it was not simply the chairman. */
function by(answer: string, author: Author | null | undefined): string {
  const sentences: Sentences<Author> = {
    stand_in: () => t("{{answer}}, written by a stand-in for the chairman", { answer }),
    chosen: ({ drafts }) =>
      t("{{answer}}, chosen from {{drafts}} drafts", { answer, drafts: count(drafts) }),
    chosen_by_stand_in: ({ drafts }) =>
      t("{{answer}}, chosen from {{drafts}} drafts by a stand-in for the chairman", {
        answer,
        drafts: count(drafts),
      }),
    nobody_chose: ({ drafts }) =>
      t("{{answer}}, the first of {{drafts}} drafts: nobody could choose", {
        answer,
        drafts: count(drafts),
      }),
    choice_unread: ({ drafts }) =>
      t("{{answer}}, the first of {{drafts}} drafts: no choice could be read", {
        answer,
        drafts: count(drafts),
      }),
    only_draft: ({ drafts }) =>
      t("{{answer}}, by the only one of {{drafts}} chairmen that did not fail", {
        answer,
        drafts: count(drafts),
      }),
  };
  return say(sentences, author) ?? answer;
}

const sentences: Sentences<Schemas["HeadingFact"]> = {
  council: (fact) =>
    fact.by ? by(t("Answer of the council"), fact.by) : t("Final answer of the council"),
  unranked: () => t("Answer of the council, without a ranking"),
  unreviewed: (fact) => by(t("Answer of the council, without peer review"), fact.by),
  some_members: ({ good, asked, by: author }) =>
    by(
      t("Answer of {{good}} of {{asked}} members", { good: count(good), asked: count(asked) }),
      author,
    ),
  one_member: (fact) => by(t("Answer after a single member's reply, without peer review"), fact.by),
  agreed: ({ member }) =>
    t("The council agreed: the answer of {{member}}", { member: shortName(member) }),
  some_agreed: ({ good, asked, member }) =>
    t("The {{good}} of {{asked}} members that answered agreed: the answer of {{member}}", {
      good: count(good),
      asked: count(asked),
      member: shortName(member),
    }),
  selected: ({ member }) =>
    t("Chosen by the ballots: the answer of {{member}}", { member: shortName(member) }),
  some_selected: ({ good, asked, member }) =>
    t(
      "Chosen by the ballots of the {{good}} of {{asked}} members that answered: the answer of {{member}}",
      { good: count(good), asked: count(asked), member: shortName(member) },
    ),
  member_alone: ({ member }) =>
    t("Answer of {{member}} alone, without the council", { member: shortName(member) }),
  chairman_alone: () => t("Answer of the chairman alone, without the council"),
  debate: (fact) => by(t("Answer after the debate"), fact.by),
  part_of_debate: ({ left, asked, by: author }) =>
    by(
      t("Answer after a debate in which {{left}} of {{asked}} speakers stayed to the end", {
        left: count(left),
        asked: count(asked),
      }),
      author,
    ),
  broken_off_debate: (fact) => by(t("Answer after a debate that broke off"), fact.by),
  merged: ({ answered, parts, by: author }) =>
    by(
      answered === parts
        ? t("Answer put together from {{count, number}} parts of the question", { count: parts })
        : t("Answer put together from {{answered}} of {{count, number}} parts of the question", {
            answered: count(answered),
            count: parts,
          }),
      author,
    ),
  no_answer: () => t("No final answer: the chairman and its stand-ins failed"),
  unfinished: () => t("Not finished"),
};

/** The heading of an answer; null where it has none. */
export const headingOf = ({
  heading,
  heading_fact,
}: Pick<Synthesis, "heading" | "heading_fact">): SaidText | null =>
  heading ? { text: heading, said: say(sentences, heading_fact) } : null;
