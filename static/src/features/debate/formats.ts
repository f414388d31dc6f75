/** What a question can ask for, and what it is good for. */
import { msg, t } from "../../i18n";
import type { FormatChoice, FormatField } from "../feature";

const ballots: FormatField = {
  kind: "flag",
  field: "format_ballots",
  byDefault: true,
  title: msg("Rank the openings"),
  what: msg("Members rank the openings blind, once; the debate does not depend on it."),
  cost: msg("A call for each member."),
  chip: msg("Openings not ranked"),
};

export const formats: readonly FormatChoice[] = [
  {
    key: "rotation",
    title: msg("Debate in rotation"),
    short: msg("Rotation"),
    good: msg("Each position is criticised by one other member, and defended. To test positions."),
    ask: { mode: "debate", debate_style: "rotation" },
    fields: [
      {
        kind: "flag",
        field: "include_rebuttal",
        byDefault: true,
        title: msg("Rebuttals"),
        what: msg("Everybody answers its critic before the chairman judges."),
        cost: msg("A call for each member."),
        chip: msg("No rebuttals"),
      },
      ballots,
    ],
  },
  {
    key: "all_to_all",
    title: msg("Debate of all with all"),
    short: msg("All with all"),
    good: msg(
      "Everybody criticises every other answer, then revises its own. For hard questions; the longest.",
    ),
    ask: { mode: "debate", debate_style: "all_to_all" },
    alsoOn: ["use_tools", "use_react"],
    fields: [
      {
        kind: "amount",
        field: "debate_rounds",
        byDefault: 2,
        least: 2,
        most: 6,
        title: msg("Turns"),
        what: msg(
          "Two are a critique and a revision after the answers; each further one adds one more.",
        ),
        cost: msg("A call for each member and turn."),
        chip: (turns) => t("{{turns}} turns", { turns }),
      },
      {
        kind: "way",
        field: "debate_names",
        byDefault: "labels",
        values: [
          { value: "labels", text: msg("Labels") },
          { value: "models", text: msg("Models") },
        ],
        title: msg("Known to each other by"),
        what: msg("Models that know whom they face tend to give in to the famous one."),
        chip: msg("Models by name"),
      },
      ballots,
    ],
  },
  {
    key: "arena",
    title: msg("Arena"),
    short: msg("Arena"),
    good: msg("Openings, rebuttals, closing statements. For questions with more than one side."),
    ask: { mode: "arena" },
    fields: [
      {
        kind: "amount",
        field: "arena_rounds",
        byDefault: 3,
        least: 2,
        most: 10,
        title: msg("Rounds"),
        what: msg("Opening and closing statements counted; the others are rebuttals."),
        cost: msg("A call for each member and round."),
        chip: (rounds) => t("{{rounds}} rounds", { rounds }),
      },
      ballots,
    ],
  },
];
