import "../../styles/next-council.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys } from "../../api/queries";
import type { Ask, Config, CouncilMember } from "../../api/types";
import { t } from "../../i18n";
import { Dialog } from "../../ui/dialog";
import { passFocusOn } from "../../ui/focus";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { useModal } from "../../ui/modal";
import { askedOf, useAsking } from "../composer/asked";
import { drafts, useDraft } from "../composer/draft";
import { priceOf } from "../composer/estimate";
import { useSettled } from "../composer/settled";
import { Monogram } from "../council/monogram";
import { ModelPicker } from "../models/model-picker";
import { keptOf, nameOf, nextCouncil } from "./next-council";

/** The fewest members of a run. */
const fewest = 2;

/** How long changes must pause before the server is asked. */
const pauseMs = 300;

/** What is being looked for in the list of models. */
type Wanted = { for: "new" } | { for: "chairman" } | { for: "member"; at: number };

interface PriceProps {
  conversationId: string | null;
  asked: Ask;
  simulated: boolean;
}

/** What a question to this council will roughly cost: the one that is typed, or else a short one. */
function Price({ conversationId, asked, simulated }: PriceProps) {
  const isTyped = asked.content.trim() !== "";
  const body = isTyped ? asked : { ...asked, content: t("What does a question cost?") };
  const settled = useSettled(JSON.stringify(body), pauseMs);
  const { data, error } = useQuery({
    queryKey: keys.estimate(conversationId, settled ?? ""),
    queryFn: ({ signal }) => api.estimate(conversationId, JSON.parse(settled ?? "") as Ask, signal),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 30_000,
    retry: false,
  });
  return (
    <p className="council-price" role="status">
      {error
        ? t("No estimate: {{message}}", { message: asProblem(error).message })
        : data
          ? t(
              isTyped
                ? "Your question: {{price}}, {{count, number}} calls"
                : "A short question: {{price}}, {{count, number}} calls",
              { price: priceOf(data, simulated), count: data.calls },
            )
          : t("Working out the price…")}
    </p>
  );
}

interface SeatProps {
  member: CouncilMember;
  at: number;
  mayLeave: boolean;
  isWanted: boolean;
  onSwap: () => void;
  onRemove: () => void;
}

function Seat({ member, at, mayLeave, isWanted, onSwap, onRemove }: SeatProps) {
  const name = shortName(nameOf(member));
  return (
    <li className={isWanted ? "council-seat council-wanted" : "council-seat"}>
      <Monogram member={nameOf(member)} seat={at} />
      <span className="council-who">
        <strong>{name}</strong>
        <span className="quiet">{member.model}</span>
      </span>
      <button
        type="button"
        className="quiet-button"
        data-swap={at}
        aria-label={t("Swap {{name}}", { name })}
        onClick={onSwap}
      >
        {t("Swap")}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={t("Remove {{name}}", { name })}
        aria-disabled={!mayLeave}
        onClick={(event) => {
          if (!mayLeave) return;
          passFocusOn(event.currentTarget.closest("li"), ".icon-button");
          onRemove();
        }}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function titleOf(wanted: Wanted, members: readonly CouncilMember[]): string {
  if (wanted.for === "new") return t("Add a member");
  if (wanted.for === "chairman") return t("Another chairman");
  const member = members[wanted.at];
  return t("Instead of {{name}}", { name: member ? shortName(nameOf(member)) : "" });
}

interface Props {
  place: string | null;
  /** The project that the question is asked in. */
  project: string | null;
  conversationId: string | null;
  /** The place of the member that it was opened at, which has the focus then. */
  at?: number;
  onClose: () => void;
}

/** Who answers what is asked here, and who writes the answer: swapped, added and removed where one asks. */
export default function CouncilDialog(props: Props) {
  const { draft, config, scene } = useAsking(props.place, props.project);
  if (!scene.config || !config) return null;
  return (
    <Choice
      {...props}
      config={scene.config}
      asked={askedOf(draft, scene)}
      most={config.limits.max_members}
    />
  );
}

function Choice(props: Props & { config: Config; asked: Ask; most: number }) {
  const { place, conversationId, config, asked, most, at, onClose } = props;
  const draft = useDraft(place);
  const { members, chairman, isOther } = nextCouncil(draft, config);
  const dialog = useModal();
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    dialog.current?.querySelector<HTMLElement>(`[data-swap="${at}"]`)?.focus();
  }, [dialog, at]);
  useEffect(() => {
    if (wanted === null) return;
    list.current?.querySelector("input")?.focus();
    list.current?.scrollIntoView({ block: "nearest" });
  }, [wanted]);
  const seat = (next: readonly CouncilMember[]) =>
    drafts.write(place, { models: keptOf(next, config) });
  const stop = () => {
    const back =
      wanted?.for === "member" ? `[data-swap="${wanted.at}"]` : `[data-wants="${wanted?.for}"]`;
    setWanted(null);
    requestAnimationFrame(() => dialog.current?.querySelector<HTMLElement>(back)?.focus());
  };
  const choose = (model: string) => {
    if (wanted?.for === "new") return seat([...members, { model }]);
    if (wanted?.for === "chairman") {
      drafts.write(place, { chairman: model === config.chairman_model ? null : model });
    } else if (wanted) {
      seat(members.with(wanted.at, { model }));
    }
    stop();
  };
  const full = wanted?.for === "new" && members.length >= most;
  return (
    <Dialog
      dialog={dialog}
      className="council-dialog"
      aria-labelledby={`${id}-title`}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
          event.preventDefault();
        }
        if (event.key === "Escape" && wanted) {
          event.preventDefault();
          stop();
        }
      }}
    >
      <header className="council-head">
        <h2 id={`${id}-title`}>{t("Who answers")}</h2>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {t("Done")}
        </button>
      </header>
      <div className="council-body">
        <p className="quiet">
          {t("For what you ask here.")}{" "}
          <Link href="/settings" onClick={() => dialog.current?.close()}>
            {t("Your settings stay as they are.")}
          </Link>
        </p>
        <ul className="council-seats" aria-label={t("Members")}>
          {members.map((member, at) => (
            <Seat
              key={`${member.model} ${member.alias}`}
              member={member}
              at={at}
              mayLeave={members.length > fewest}
              isWanted={wanted?.for === "member" && wanted.at === at}
              onSwap={() => setWanted({ for: "member", at })}
              onRemove={() => {
                setWanted(null);
                seat(members.toSpliced(at, 1));
              }}
            />
          ))}
        </ul>
        {members.length <= fewest && (
          <p className="quiet">{t("A council has at least two members.")}</p>
        )}
        <p className="council-seat council-chairman">
          <span className="council-who">
            <span className="quiet">{t("Chairman")}</span>
            <strong>{shortName(chairman.name)}</strong>
          </span>
          <button
            type="button"
            className="quiet-button"
            data-wants="chairman"
            aria-label={t("Swap the chairman")}
            onClick={() => setWanted({ for: "chairman" })}
          >
            {t("Swap")}
          </button>
        </p>
        <div className="council-ways">
          <button
            type="button"
            className="quiet-button"
            data-wants="new"
            disabled={members.length >= most && wanted?.for !== "new"}
            onClick={() => setWanted({ for: "new" })}
          >
            <Icon name="plus" />
            {t("Add a member")}
          </button>
          {isOther && (
            <button
              type="button"
              className="quiet-button"
              onClick={(event) => {
                passFocusOn(event.currentTarget, "button");
                setWanted(null);
                drafts.write(place, { models: [], chairman: null });
              }}
            >
              <Icon name="redo" />
              {t("Back to my council")}
            </button>
          )}
          <Price
            conversationId={conversationId}
            asked={asked}
            simulated={config.features.simulated}
          />
        </div>
        {wanted && (
          <section ref={list} className="council-list" aria-labelledby={`${id}-wanted`}>
            <header>
              <h3 id={`${id}-wanted`}>{titleOf(wanted, members)}</h3>
              <button type="button" className="quiet-button" onClick={stop}>
                {t("Close the list")}
              </button>
            </header>
            <ModelPicker
              taken={
                wanted.for === "chairman" ? [chairman.model] : members.map(({ model }) => model)
              }
              takenText={wanted.for === "chairman" ? t("the chairman") : t("in the council")}
              again={false}
              full={full}
              fullText={t("The council is full. Remove a member to add another.")}
              onAdd={choose}
            />
          </section>
        )}
      </div>
    </Dialog>
  );
}
