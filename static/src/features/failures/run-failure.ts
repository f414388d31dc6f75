/** Why a whole run failed: one plain sentence, and what to do. */
import { msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import { sentence } from "../../ui/format";
import { errorAdvice, errorReason } from "./kinds";

const askAgain = msg("Ask again. If it happens again, tell whoever runs this server.");
const byKind: Record<string, string> = {
  internal: msg("A fault of this server ended the run."),
  abandoned: msg("The run was given up because its server stopped several times."),
  unreadable_plan: msg("This server could not read what the run was to do."),
  picture_gone: msg("A picture of the question is no longer there, so nobody was asked about it."),
  picture_unreadable: msg(
    "A picture of the question could not be read from where files are kept, so nobody was asked about it.",
  ),
};

/** The one kind that every member failed by, if there is one. */
function sharedKind({ answers }: RunState) {
  const first = answers[0]?.result?.error_kind ?? null;
  return answers.every((answer) => answer.result?.error_kind === first) ? first : null;
}

/** `english`: it is what an older server has stored. */
export function runFailure(run: RunState): { what: string; advice: string; english?: boolean } {
  const known = run.errorKind ? byKind[run.errorKind] : undefined;
  if (known) return { what: t(known), advice: t(askAgain) };
  if (run.errorKind === "no_answers") {
    const kind = sharedKind(run);
    return kind
      ? {
          what: t("No model answered: {{reason}}.", { reason: errorReason(kind) }),
          advice: errorAdvice(kind),
        }
      : { what: t("No model answered."), advice: t("Each answer below says why.") };
  }
  if (run.error) return { what: sentence(run.error), advice: t(askAgain), english: true };
  return { what: t("The run failed, and the server did not say why."), advice: t(askAgain) };
}
