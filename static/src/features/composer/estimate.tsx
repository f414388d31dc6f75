import "../../styles/run";
import "../../styles/estimate.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { nameOf } from "../../api/budget-words";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys } from "../../api/queries";
import type { Ask, BudgetRefusal, BudgetState, Estimate } from "../../api/types";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { count, listText, roughly, shortName } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { aboutFiles } from "../attachments/gone";
import { BudgetFigures, keyOf } from "../budgets/budget-notice";
import { MissingModels } from "../council/missing-models";
import { stageNames } from "../council/stages";
import { useSettled } from "./settled";

interface Props {
  conversationId: string | null;
  /** The question as it would be sent, as JSON. */
  asked: string;
  /** Whether models of this council are played by the server. */
  simulated: boolean;
  /** The question was refused, and the composer says why: that is not said twice. */
  refused: boolean;
}

/** How long typing must pause before the server is asked. */
const pauseMs = 500;

/** The price in a few words; what is not known is said, and not left out. */
export function priceOf(estimate: Estimate, simulated: boolean): string {
  const { text, price } = wordsOf(estimate, simulated);
  return t(text, { price }).replace(/<\/?more>/g, "");
}

/** The price as a text in which `<more>` holds what a phone has no room for. */
function wordsOf({ cost_usd, unknown_price_models }: Estimate, simulated: boolean) {
  const unknown = unknown_price_models.length > 0;
  if (cost_usd === null || cost_usd === undefined) {
    return { text: msg("cost unknown"), price: "" };
  }
  if (cost_usd === 0 && !unknown) {
    return { text: simulated ? msg("free<more> (simulated)</more>") : msg("free"), price: "" };
  }
  const text = unknown
    ? msg("<more>about </more>{{price}} + unknown<more> prices</more>")
    : msg("<more>about </more>{{price}}");
  return { text, price: roughly(cost_usd) };
}

function Stages({ estimate, simulated }: { estimate: Estimate; simulated: boolean }) {
  return (
    <table className="estimate-table">
      <caption className="visually-hidden">{t("Estimated calls and cost by stage")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Stage")}</th>
          <th scope="col">{t("Calls")}</th>
          <th scope="col">{t("Tokens")}</th>
          <th scope="col">{t("Cost")}</th>
        </tr>
      </thead>
      <tbody>
        {stageNames.map(([key, name]) => {
          const stage = estimate.by_stage[key];
          if (!stage) return null;
          const { cost_usd: cost } = stage;
          return (
            <tr key={key}>
              <th scope="row">{t(name)}</th>
              <td>{count(stage.calls)}</td>
              <td>{count(stage.prompt_tokens + stage.completion_tokens)}</td>
              <td>{cost === null || cost === undefined ? t("unknown") : roughly(cost)}</td>
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t("Total")}</th>
          <td>{count(estimate.calls)}</td>
          <td />
          <td>{priceOf(estimate, simulated)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

/** Closes what is open when the pointer or the focus goes elsewhere. */
function useOpenWithin(open: boolean, close: () => void) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const look = (event: Event) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) close();
    };
    document.addEventListener("pointerdown", look);
    document.addEventListener("focusin", look);
    return () => {
      document.removeEventListener("pointerdown", look);
      document.removeEventListener("focusin", look);
    };
  }, [open, close]);
  return place;
}

function Figures({ estimate, simulated }: { estimate: Estimate; simulated: boolean }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const [close] = useState(() => () => setOpen(false));
  const place = useOpenWithin(open, close);
  const id = useId();
  const { text, price } = wordsOf(estimate, simulated);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for the button and what it opened
    <div
      ref={place}
      className="estimate"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        className="quiet-button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span>
          <T
            text={text}
            parts={{ price, more: (inner) => <span className="estimate-more">{inner}</span> }}
          />
          <span className="estimate-more">
            {" · "}
            {t("{{count, number}} calls", { count: estimate.calls })}
          </span>
        </span>
      </button>
      {open && (
        <section id={id} className="estimate-panel" aria-label={t("Estimate")}>
          <Stages estimate={estimate} simulated={simulated} />
          <p className="quiet">
            {t(
              "An estimate made before anything is asked. Where the cost depends on what the models say, it assumes the most expensive case.",
            )}
          </p>
          {estimate.unknown_price_models.length > 0 && (
            <p className="quiet">
              {t("No price is known for {{models}}: not included.", {
                models: listText(estimate.unknown_price_models.map(shortName)),
              })}
            </p>
          )}
        </section>
      )}
    </div>
  );
}

function OverBudget({ refusal: { budget, needed_usd } }: { refusal: BudgetRefusal }) {
  const needs =
    needed_usd === null || needed_usd === undefined
      ? t("What this question would cost is unknown. If you ask it now, it will be refused.")
      : t("This question would cost about {{sum}}. If you ask it now, it will be refused.", {
          sum: roughly(needed_usd),
        });
  return (
    <div className="estimate-note" role="status">
      <Notice tone="warn">
        <strong>{t("Over budget.")}</strong> {needs}
        <BudgetFigures budget={budget} />
      </Notice>
    </div>
  );
}

/** What a budget will have lost with this question. */
function nearly(budget: BudgetState): string {
  const used = budget.spent_usd + budget.reserved_usd;
  return t("{{budget}}: with this question about {{used}} of {{limit}}.", {
    budget: nameOf(budget),
    used: roughly(used),
    limit: roughly(budget.limit_usd),
  });
}

/** What the question in the composer will roughly cost, and what the budgets will say to it. */
export default function EstimateView({ conversationId, asked, simulated, refused }: Props) {
  const settled = useSettled(asked, pauseMs);
  const query = useQuery({
    queryKey: keys.estimate(conversationId, settled ?? ""),
    queryFn: ({ signal }) => api.estimate(conversationId, JSON.parse(settled ?? "") as Ask, signal),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    // What others spend in the meantime counts too; and the key holds a whole question.
    staleTime: 0,
    gcTime: 30_000,
    retry: false,
  });
  if (query.isError) {
    const { attachments } = JSON.parse(settled ?? "{}") as Partial<Ask>;
    const problem = aboutFiles(asProblem(query.error), attachments ?? []);
    // Sending meets it too. A server that is away is told of elsewhere.
    if (problem.kind !== "refused") return null;
    return (
      <p className="estimate-note">{t("No estimate: {{message}}", { message: problem.message })}</p>
    );
  }
  const estimate = query.data;
  if (!estimate) return null;
  return (
    <>
      <Figures estimate={estimate} simulated={simulated} />
      {estimate.missing_models.length > 0 && (
        <div className="estimate-note" role="status">
          <MissingModels models={estimate.missing_models} />
        </div>
      )}
      {estimate.refusal && !refused && <OverBudget refusal={estimate.refusal} />}
      {estimate.nearly_used_up.map((budget) => (
        <p key={keyOf(budget)} className="estimate-note">
          {nearly(budget)}
        </p>
      ))}
    </>
  );
}
