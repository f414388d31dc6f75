import "../../styles/own-data.css";
import { liftHold, placeHold, useHolds } from "../../api/peoples-data";
import { msg, t } from "../../i18n";
import { Decisions } from "../admin/decisions";
import { KnownUsers, usersListId } from "../admin/known-users";
import { timeOf } from "../admin/times";
import { AccessRequests } from "./access-requests";
import { RetentionInProjects } from "./project-retention";
import { Retention } from "./retention";

const holdWords = {
  title: msg("Holds"),
  lead: msg(
    "As long as there is a hold on somebody’s data, nothing of it is deleted for good, neither by them nor by the retention rule.",
  ),
  failed: msg("The holds could not be loaded: {{reason}}"),
  none: msg("There are no holds."),
  form: msg("New hold"),
  hint: msg("For administrators; the user is told only that there is a hold."),
  place: msg("Place hold"),
  notPlaced: msg("Not placed: {{reason}}"),
  unknown: msg("Nobody with this user id has been here."),
  already: msg("There is a hold on this user’s data already."),
  lift: msg("Lift"),
  liftOf: msg("Lift the hold on {{user}}"),
  notLifted: msg("Not lifted: {{message}}"),
  asksLift: {
    title: msg("Lift the hold on {{user}}?"),
    text: msg(
      "What they have deleted, and what is past its time, can then be removed for good, and does not come back with another hold.",
    ),
    cancel: msg("Keep the hold"),
  },
};

function Holds() {
  const holds = useHolds((hold) => ({
    user: hold.user,
    reason: hold.reason,
    facts: t("Placed by {{admin}} on {{time}}", {
      admin: hold.placed_by,
      time: timeOf(hold.placed_at),
    }),
  }));
  return <Decisions words={holdWords} decisions={holds} place={placeHold} lift={liftHold} />;
}

/** How long it is kept, what holds it, and who may look at it. */
export function PeoplesData() {
  return (
    <>
      <KnownUsers />
      <Retention />
      <RetentionInProjects />
      <Holds />
      <AccessRequests list={usersListId} />
    </>
  );
}
