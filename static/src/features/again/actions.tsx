import "../../styles/again.css";
import { msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import { sentence, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { MenuButton, type MenuItem } from "../../ui/menu";
import { Notice } from "../../ui/notice";
import { features } from "..";
import type { Format } from "../feature";
import { chairman } from "../one-seat/ask";
import { askedAlone } from "../one-seat/seats";
import { askAgain, useAsking } from "./asking";
import { type Askable, useAskable } from "./context";

function useAt(askable: Askable | null, place: string) {
  const asking = useAsking((state) => (askable ? (state.runs[askable.runId] ?? null) : null));
  return {
    busy: asking !== null && asking.problem === null,
    here: asking?.place === place,
    problem: asking?.place === place ? asking.problem : null,
  };
}

function Refused({ problem }: { problem: { message: string; kind: string } }) {
  return (
    <Notice tone="bad" urgent>
      <strong>{t("Not asked again.")}</strong> {sentence(problem.message)}
    </Notice>
  );
}

/** Asks a member that failed once more; what follows from its answer is asked again too. */
export function AskMember({ member, round }: { member: string; round?: number | undefined }) {
  const askable = useAskable();
  const place = `member ${member} ${round ?? ""}`;
  const again = round === undefined ? { member } : { member, round };
  const { busy, here, problem } = useAt(askable, place);
  if (!askable) return null;
  return (
    <div className="again">
      <button
        type="button"
        className="button"
        aria-label={busy && here ? undefined : t("Try again: {{member}}", { member })}
        aria-disabled={busy}
        onClick={() => askAgain(askable, place, again)}
      >
        <Icon name="redo" />
        {busy && here ? t("Asking…") : t("Try again")}
      </button>
      {problem && <Refused problem={problem} />}
    </div>
  );
}

/** Asks for what is missing, and pays nothing for what is there. */
export function AskMissing({ stopped, quiet = false }: { stopped: boolean; quiet?: boolean }) {
  const askable = useAskable();
  const { busy, here, problem } = useAt(askable, "missing");
  if (!askable) return null;
  return (
    <div className="again">
      <button
        type="button"
        className={quiet ? "quiet-button" : "button"}
        title={t("What is already there is kept and not paid for again.")}
        aria-disabled={busy}
        onClick={() => askAgain(askable, "missing", {})}
      >
        <Icon name="redo" />
        {busy && here
          ? t("Asking…")
          : stopped
            ? t("Go on where it stopped")
            : t("Retry what failed")}
      </button>
      {problem && <Refused problem={problem} />}
    </div>
  );
}

const council = [
  ["stage3", msg("Write the final answer again"), msg("From the same answers and reviews")],
  ["stage2", msg("Review again"), msg("The same answers, new reviews and a new final answer")],
  ["stage1", msg("Ask everybody again"), msg("Everything anew, from the first answer on")],
] as const;

interface MenuProps {
  run: RunState;
  parts?: Format["again"];
}

/** Asks again from a stage on; a seat that alone was asked has only the one. */
export function AskMenu({ run, parts = council }: MenuProps) {
  const askable = useAskable();
  const { busy, here, problem } = useAt(askable, "menu");
  if (!askable) return null;
  const seat = askedAlone({ run, live: null });
  if (seat !== null) {
    return (
      <>
        <button
          type="button"
          className="quiet-button"
          aria-disabled={busy}
          onClick={() => askAgain(askable, "menu", { from: "stage1" })}
        >
          <Icon name="redo" />
          {busy && here
            ? t("Asking…")
            : seat === chairman
              ? t("Ask the chairman again")
              : t("Ask {{member}} again", { member: shortName(seat) })}
        </button>
        {problem && <Refused problem={problem} />}
      </>
    );
  }
  const whole = features.some(({ askedAgainWhole }) => askedAgainWhole?.(run));
  const possible = parts.filter(([from]) => !whole || from === "stage1");
  const items = possible.map(
    ([from, label, hint]): MenuItem => ({
      label: t(label),
      hint: t(hint),
      run: () => askAgain(askable, "menu", { from }),
    }),
  );
  return (
    <>
      <MenuButton className="quiet-button" items={items}>
        <Icon name="redo" />
        {busy && here ? t("Asking…") : t("Ask again…")}
      </MenuButton>
      {problem && <Refused problem={problem} />}
    </>
  );
}
