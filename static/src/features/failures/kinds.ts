/** What can go wrong with a call to a model, in the reader's language, and what can be done about it. */
import type { ErrorKind } from "../../api/types";
import { msg, t } from "../../i18n";

export const errorTitles: Record<ErrorKind, string> = {
  auth: msg("The provider refused the server’s key"),
  rate_limited: msg("The provider’s limit is used up"),
  overloaded: msg("The provider failed"),
  context_too_long: msg("The question is too long for this model"),
  refused: msg("The provider refused the request"),
  timeout: msg("No answer in time"),
  bad_response: msg("The reply could not be used"),
  budget: msg("A budget is used up"),
  cancelled: msg("Stopped"),
};

const advice: Record<ErrorKind, string> = {
  auth: msg("Whoever runs this server has to check the key that it uses there."),
  rate_limited: msg(
    "Ask again in a while. If it stays like this, whoever runs this server has to raise the limit or add credit.",
  ),
  overloaded: msg(
    "It could not be reached or had a fault of its own. Ask again in a while, or choose another model in the settings.",
  ),
  context_too_long: msg(
    "Ask something shorter, start a new conversation, or choose a model that takes longer texts.",
  ),
  refused: msg(
    "The model may be retired or misspelt, or the provider does not accept the question. Word it differently, or choose another model in the settings.",
  ),
  timeout: msg("Ask again, or choose a faster model in the settings."),
  bad_response: msg(
    "It was empty, cut off or unreadable. Ask again, or choose another model in the settings.",
  ),
  budget: msg("Ask again when it starts anew, or ask an administrator for more."),
  cancelled: msg("It was stopped before it had finished."),
};

const reasons: Record<ErrorKind, string> = {
  auth: msg("the provider refused the server's key"),
  rate_limited: msg("the provider's limit is used up for now"),
  overloaded: msg("the provider failed or could not be reached"),
  context_too_long: msg("the question is too long for this model"),
  refused: msg("the provider refused the request"),
  timeout: msg("no answer came in time"),
  bad_response: msg("the reply was empty, cut off or unreadable"),
  budget: msg("a budget is used up"),
  cancelled: msg("it was stopped"),
};

/** What went wrong, to go on with within a sentence. */
export const errorReason = (kind: ErrorKind) => t(reasons[kind]);

/** What can be done, and by whom. */
export const errorAdvice = (kind: ErrorKind) => t(advice[kind]);
