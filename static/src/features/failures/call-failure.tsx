import type { ReactNode } from "react";
import type { ErrorKind } from "../../api/types";
import { t } from "../../i18n";
import { Details } from "../../ui/disclosure";
import { sentence } from "../../ui/format";
import { gapsOf } from "../council/heading";
import { errorAdvice, errorTitles } from "./kinds";

const wentOn = "stopped: the council went on without it after {{answers}}";
const unfinished = "stopped before it was finished";
const skipped = "skipped: the council was told to go on without it";

/** Why a call was stopped, where the server says more than that it was. */
function stoppedText(text: string): string {
  if (text === skipped) return t("The council went on without it, as was asked for.");
  const answers = gapsOf(wentOn, text)?.answers;
  if (answers === undefined) return errorAdvice("cancelled");
  const count = Number.parseInt(answers, 10) || 1;
  return t("The council went on without it after {{count, number}} answers.", { count });
}

interface Props {
  kind: ErrorKind | null | undefined;
  /** What the server has noted; null as long as nothing is known. */
  text: string | null | undefined;
  /** The heading where the kind is unknown. */
  otherwise: string;
  /** Left out where something above has said it. */
  titled?: boolean;
  /** It was too long; what is there is not all. */
  cut?: boolean;
  children?: ReactNode;
}

/** What went wrong with a call and what to do about it. What was noted word for word is folded. */
export function CallFailure({
  kind,
  text,
  otherwise,
  titled = true,
  cut = false,
  children,
}: Props) {
  const own = kind === "budget" && text ? sentence(text) : null;
  const says =
    own ?? (kind === "cancelled" ? stoppedText(text ?? "") : kind ? errorAdvice(kind) : null);
  const isTooLong = cut && kind === "bad_response";
  const hasDetails =
    text && text !== unfinished && kind !== "budget" && kind !== "cancelled" && text !== says;
  return (
    <div className="failure">
      {titled && (
        <strong>
          {isTooLong
            ? t("The answer is too long and was cut")
            : kind
              ? t(errorTitles[kind])
              : otherwise}
        </strong>
      )}
      {isTooLong ? (
        <p>{t("Ask for a shorter one, or choose another model in the settings.")}</p>
      ) : (
        says && <p>{says}</p>
      )}
      {hasDetails && (
        <Details title={t("What the server noted")}>
          {() => (
            <p className="failure-said" lang="en">
              {sentence(text)}
            </p>
          )}
        </Details>
      )}
      {children}
    </div>
  );
}
