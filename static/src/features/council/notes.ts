/** What went wrong on the way to an answer, above the answer. */
import type { Schemas, Synthesis } from "../../api/types";
import { t } from "../../i18n";
import { listText, shortName } from "../../ui/format";
import { type SaidText, type Sentences, saidList } from "../../ui/said";
import { reasonText } from "../failures/facts";

const sentences: Sentences<Schemas["NoteFact"]> = {
  no_answer: ({ member, reason }) =>
    t("{{member}} gave no answer: {{reason}}.", {
      member: shortName(member),
      reason: reasonText(reason),
    }),
  unfinished_answer: ({ member, reason }) =>
    t("{{member}} did not finish its answer: {{reason}}.", {
      member: shortName(member),
      reason: reasonText(reason),
    }),
  cut_answer: ({ member }) =>
    t("{{member}} did not finish its answer: it is too long and was cut.", {
      member: shortName(member),
    }),
  late: ({ member }) =>
    t("{{member}} answered late: its answer was not reviewed.", { member: shortName(member) }),
  no_review: ({ member, reason }) =>
    t("{{member}} gave no review: {{reason}}.", {
      member: shortName(member),
      reason: reasonText(reason),
    }),
  no_ballot: ({ member }) =>
    t("{{member}}'s review holds no ballot that counts.", { member: shortName(member) }),
  no_final_answer: ({ model, reason }) =>
    t("{{member}} could not write the final answer: {{reason}}.", {
      member: shortName(model),
      reason: reasonText(reason),
    }),
  without_reviews: ({ model }) =>
    t(
      "The reviews did not fit into {{member}}'s context: it wrote from the answers and the ranking.",
      { member: shortName(model) },
    ),
  no_draft: ({ model, label, reason }) =>
    t("{{member}} could not write draft {{label}}: {{reason}}.", {
      member: shortName(model),
      label,
      reason: reasonText(reason),
    }),
  nothing_to_choose: () => t("There was nothing to choose from: nobody was asked to."),
  no_choice: ({ model, reason }) =>
    t("{{model}} could not choose among the drafts: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
  not_asked_again: ({ model, reason }) =>
    t("{{model}} could not be asked again for its choice: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
  choice_unread: ({ model, label }) =>
    t("{{model}}'s choice could not be read: draft {{label}} stands, the first one.", {
      model: shortName(model),
      label,
    }),
  version_cut: ({ model, label }) =>
    t(
      "{{model}}'s own version of the answer broke off at its token limit: draft {{label}} stands as it was written.",
      { model: shortName(model), label },
    ),
  version_not_of_form: ({ model, label }) =>
    t(
      "{{model}}'s own version of the answer is not of the form that the program asked for: draft {{label}} stands as it was written.",
      { model: shortName(model), label },
    ),
  shared_place: ({ members, member }) =>
    t(
      "{{members}} share their place in the ranking: the answer of {{member}}, which is listed first, is taken.",
      { members: listText(members.map(shortName)), member: shortName(member) },
    ),
  not_taken_cut: ({ member }) =>
    t("{{member}}'s answer was cut at its token limit: it is not taken as it is.", {
      member: shortName(member),
    }),
  not_taken_addresses_judges: ({ member }) =>
    t("{{member}}'s answer speaks to its reviewers: it is not taken as it is.", {
      member: shortName(member),
    }),
  nothing_to_take: () => t("No answer can be taken as it is, so the chairman was asked to write."),
  no_ballots: () =>
    t("No ballot counts, so no answer is the first: the chairman was asked to write."),
  left_debate: ({ member, round, reason }) =>
    t("{{member}} was out of the debate from round {{round}} on: {{reason}}.", {
      member: shortName(member),
      round,
      reason: reasonText(reason),
    }),
  debate_ended_early: ({ rounds, planned }) =>
    t(
      "The debate ended after {{rounds}} of {{planned}} rounds: fewer than two speakers were left.",
      {
        rounds,
        planned,
      },
    ),
  nothing_to_answer: ({ rounds, planned }) =>
    t(
      "The debate ended after {{rounds}} of {{planned}} rounds: none of the speakers that were left had been criticised.",
      {
        rounds,
        planned,
      },
    ),
  without_all_of_debate: ({ model, statements }) =>
    t("{{count, number}} statements did not fit into {{model}}'s context.", {
      count: statements,
      model: shortName(model),
    }),
  not_looked_up: ({ query, reason }) =>
    t("The search for “{{query}}” failed, and the answers were written without it: {{reason}}.", {
      query,
      reason: reasonText(reason),
    }),
  part_unanswered: ({ sub_question }) =>
    t("Nobody answered this part: {{part}}", { part: sub_question }),
};

/** The notes of an answer, or of a draft. */
export const notesOf = ({
  notes,
  note_facts,
}: Pick<Synthesis, "notes" | "note_facts">): SaidText[] => saidList(sentences, notes, note_facts);
