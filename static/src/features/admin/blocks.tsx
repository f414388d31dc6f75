import { blockUser, unblockUser, useBlocks } from "../../api/admin";
import { msg, t } from "../../i18n";
import { type Begun, Decisions } from "./decisions";
import { timeOf } from "./times";

const words = {
  title: msg("Blocked users"),
  lead: msg(
    "Whoever is blocked can do nothing here, not even with a token. Their runs are stopped, and their scheduled questions wait. What is theirs is kept.",
  ),
  failed: msg("The blocked users could not be loaded: {{reason}}"),
  none: msg("Nobody is blocked."),
  form: msg("Block a user"),
  hint: msg("For administrators; the user is told only that an administrator has blocked them."),
  place: msg("Block"),
  notPlaced: msg("Not blocked: {{reason}}"),
  unknown: msg("This has to be the user id of somebody else who has been here."),
  already: msg("This user is blocked already."),
  lift: msg("Unblock"),
  liftOf: msg("Unblock {{user}}"),
  notLifted: msg("Not unblocked: {{message}}"),
  asksPlace: {
    title: msg("Block {{user}}?"),
    text: msg(
      "Their runs are stopped at once, and the answers that are being written end there. Until somebody unblocks them they can do nothing here.",
    ),
    cancel: msg("Do not block"),
  },
};

/** The users who are blocked, and a way to block one. */
export function Blocks({ begun = null }: { begun?: Begun | null }) {
  const blocks = useBlocks((block) => ({
    user: block.user,
    reason: block.reason,
    facts: t("Blocked by {{admin}} on {{time}}", {
      admin: block.blocked_by,
      time: timeOf(block.blocked_at),
    }),
  }));
  return (
    <Decisions
      words={words}
      decisions={blocks}
      place={blockUser}
      lift={unblockUser}
      begun={begun}
    />
  );
}
