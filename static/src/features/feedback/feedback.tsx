import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Feedback as Said } from "../../api/types";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { choiceIn } from "../formats";
import { Comment } from "./comment";

type Opinion = Pick<Said, "thumb" | "better" | "comment">;

/** For how long nothing else is taken to have been said since it was read here. */
const freshMs = 60_000;

/** An opinion with a change: only a thumb down has a comment. */
function changed(said: Said | undefined, change: Partial<Opinion>): Opinion {
  const { thumb = null, better = null, comment = null } = { ...said, ...change };
  return { thumb, better, comment: thumb === "down" ? comment : null };
}

interface Saying {
  change: Partial<Opinion>;
  /** What was said so far, as far as it is known here. */
  known: Said | undefined;
  /** It was read long ago: another tab or device may have said more since, which must not be undone. */
  isOld: boolean;
}

/** Says it at once here, and to the server one after the other: the last word is the last one there. */
function useSay(runId: string) {
  const key = keys.feedback(runId);
  const { mutate } = useMutation({
    mutationKey: key,
    scope: { id: key.join(" ") },
    mutationFn: async ({ change, known, isOld }: Saying) => {
      const there = isOld ? await api.feedback(runId) : known;
      const opinion = changed(there, change);
      await (opinion.thumb === null && opinion.better === null
        ? api.withdrawFeedback(runId)
        : api.giveFeedback(runId, opinion));
      return { there, opinion };
    },
    onMutate: ({ change }) => {
      const { data, dataUpdatedAt: updatedAt } = queryClient.getQueryState<Said>(key) ?? {};
      if (!data) return;
      queryClient.setQueryData<Said>(key, { ...data, ...changed(data, change) }, { updatedAt });
    },
    onSuccess: ({ there, opinion }, { known }) => {
      const other = there?.comment;
      if (other && other !== known?.comment && other !== opinion.comment) {
        toast(t("The comment that you wrote elsewhere was removed."), {
          action: { label: t("Undo"), run: () => say({ thumb: "down", comment: other }) },
        });
      }
      // What was said since then is on the page already.
      if (queryClient.isMutating({ mutationKey: key }) > 1) return;
      queryClient.setQueryData<Said>(key, (old) => old && { ...old, ...opinion });
    },
    onError: async (error) => {
      toast(t("Your opinion was not saved: {{message}}", { message: asProblem(error).message }), {
        tone: "bad",
      });
      await queryClient.invalidateQueries({ queryKey: key });
    },
  });
  const say = (change: Partial<Opinion>): void => {
    // As it is now, which may not be drawn yet.
    const state = queryClient.getQueryState<Said>(key);
    const isOld = Date.now() - (state?.dataUpdatedAt ?? 0) > freshMs;
    mutate({ change, known: state?.data, isOld });
  };
  return say;
}

/**
 * Like `useSay`, with a way back where a comment would be lost: a thumb is pressed sooner than a
 * comment is written.
 */
function useSayCarefully(runId: string) {
  const say = useSay(runId);
  return (change: Partial<Opinion>) => {
    const { thumb, comment } = queryClient.getQueryData<Said>(keys.feedback(runId)) ?? {};
    say(change);
    const now = queryClient.getQueryData<Said>(keys.feedback(runId));
    if (!comment || now?.comment) return;
    toast(t("Your comment was removed."), {
      action: { label: t("Undo"), run: () => say({ thumb, comment }) },
    });
  };
}

const nameOf = (better: Said["better"]) =>
  better === null || better === undefined
    ? ""
    : better === "council"
      ? "council"
      : `member ${better.member}`;

/** Whether the final answer was good, and which answer was the best of all. */
export function Feedback({ run, runId }: { run: RunState; runId: string }) {
  const id = useId();
  const say = useSayCarefully(runId);
  const [pressed, setPressed] = useState(false);
  const said = useQuery({
    queryKey: keys.feedback(runId),
    queryFn: () => api.feedback(runId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { thumb = null, better = null, comment = null } = said.data ?? {};
  const members = choiceIn(run).filter((answer) => answer.status === "done");
  return (
    <>
      {/* Its place is kept until it is known what was said: what is below must not move then. */}
      <div className={said.data ? "feedback" : "feedback feedback-wait"}>
        {(["up", "down"] as const).map((way) => (
          <button
            key={way}
            type="button"
            className="icon-button"
            aria-label={way === "up" ? t("Good answer") : t("Bad answer")}
            aria-pressed={thumb === way}
            onClick={() => {
              setPressed(true);
              say({ thumb: thumb === way ? null : way });
            }}
          >
            <Icon name={way === "up" ? "thumb" : "thumbDown"} />
          </button>
        ))}
        {members.length > 1 && (
          <>
            <label htmlFor={id} className="visually-hidden">
              {t("Which answer was the best?")}
            </label>
            <select
              id={id}
              className="chip"
              value={nameOf(better)}
              onChange={({ target: { value } }) =>
                say({
                  better:
                    value === ""
                      ? null
                      : value === "council"
                        ? "council"
                        : { member: value.slice("member ".length) },
                })
              }
            >
              <option value="">{t("Which was best?")}</option>
              <option value="council">{t("The final answer")}</option>
              {members.map(({ seat }) => (
                <option key={seat.member} value={`member ${seat.member}`}>
                  {shortName(seat.member)}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      {thumb === "down" && (
        <Comment
          runId={runId}
          comment={comment}
          isNew={pressed}
          // Whoever writes one sees a thumb down, whatever was pressed elsewhere.
          onSay={(text) => say({ thumb: "down", comment: text })}
        />
      )}
    </>
  );
}
