/**
 * What an option of the council may have on this page. A feature is a folder with all of it, and a line
 * in the list (`list.ts`); everything but its name and its title, which are in `start.ts`, may be left out.
 *
 * Four more files of the folder are found by their names, because they come with the part of the page
 * that shows them and not with the first load:
 *
 * - `feature.ts` exports `feature` (`Feature`): what it has in a run;
 * - `about.tsx` exports `about` (`About`): what the option does and costs;
 * - `settings.tsx` exports `settings` (`SettingsPart`): what is set for it beforehand;
 * - `admin.tsx` exports `admin` (`Section` of `admin/sections.ts`): what administrators are told of it.
 */
import type { ComponentType, ReactNode } from "react";
import type { FieldError } from "../api/problem";
import type {
  Again,
  AskFields,
  Config,
  ConfigChange,
  Preset,
  Searched,
  Seat,
  Stage,
} from "../api/types";
import type { RunFeature } from "../run/feature";
import type { AnswerState, CallStatus, RunState } from "../run/state";

/** What is known of it before a run has it (`start.ts` of its folder, a line in `list.ts`). */
export interface FeatureStart {
  /** That of its folder, of its slice of the run and of its part of the settings (`/settings#…`). */
  readonly name: string;
  /** What people call it: a text of the catalogue. */
  readonly title: string;
  /** Its switch among the options of a question. */
  readonly option?: Option;
  /** Its choice among a few ways, among the options of a question. */
  readonly way?: OneWay;
  /** What is written or chosen for it, among the options of a question. */
  readonly written?: WrittenOption;
  /** How a question asks for its formats. */
  readonly formats?: readonly FormatChoice[];
  /** A page of its own. */
  readonly page?: { readonly path: string; readonly View: ComponentType };
}

export interface Feature extends FeatureStart, RunFeature {
  /** The stage that it adds to a run. */
  readonly stage?: FeatureStage;
  /** What goes on, in a sentence to be read out; null while it is not this feature's turn. */
  readonly describe?: (run: RunState) => string | null;
  /**
   * Who writes the final answer, where it is not one chairman: several at once, or nobody, because it
   * is a member's own. Null where this feature does not change it.
   */
  readonly author?: (run: RunState) => "several" | "member" | null;
  /** The text it has put in the final answer's place last; null as long as there is none. */
  readonly revision?: (run: RunState) => string | null;
  /** The question as it reads where it is asked anew, where that is not as it was asked. */
  readonly askedAnew?: (question: string, run: RunState) => string;
  /** Whether only the whole of a run can be asked again: what it shows was asked in another one. */
  readonly askedAgainWhole?: (run: RunState) => boolean;
  /** In place of an answer's text, where the answer has a form of its own; null where it has not. */
  readonly answerBody?: (answer: AnswerState) => ReactNode;
  /** What it says of an answer among the facts on its card, which stand there while the answer is folded. */
  readonly answerFact?: (answer: AnswerState) => string | null;
  /** Words for the head of the answers; null for none. */
  readonly answersSummary?: (run: RunState) => string | null;
  /** What it shows within the sections that every run has; nothing where there is nothing to say. */
  readonly notes?: Partial<Record<NotePlace, ComponentType<{ run: RunState }>>>;
  /** The format that it is, where it is one. */
  readonly format?: Format;
  /** A section of its own, below the final answer. */
  readonly section?: Section<object>;
  /** What it puts around a whole run: what texts and cards in it ask it for, wherever they stand. */
  readonly Around?: ComponentType<{ run: RunState; children: ReactNode }>;
  /** What it shows on a member's card, above the text. */
  readonly CardNote?: ComponentType<CardNoteProps>;
  /** What it shows on a reviewer's card. */
  readonly ReviewNote?: ComponentType<ReviewNoteProps>;
  /** What it adds to what is copied, as Markdown: to the whole run, or to the final answer alone. */
  readonly copied?: (run: RunState, what: "all" | "final") => readonly string[];
}

/**
 * At the head of a run, above the final answer's text, below it, before the answers, before the reviews, or below
 * the ranking.
 */
export type NotePlace = "head" | "final" | "verdict" | "answers" | "reviews" | "ranking";

/** What a member has said in a run, as far as every format has it. */
export interface MemberText {
  readonly seat: Seat;
  readonly status: CallStatus;
  readonly text: string;
  readonly result: (Searched & { readonly simulated?: boolean }) | null;
}

export interface ReviewNoteProps {
  seat: Seat;
}

export interface CardNoteProps {
  said: MemberText;
  /** In which round it speaks; null in a council. */
  round: number | null;
}

/** Another way of deliberating than the council's: what stands in the place of answers and reviews. */
export interface Format {
  readonly isIn: (run: RunState) => boolean;
  /** The stages that only it has, in order, and what they are called where no run is at hand. */
  readonly stages: readonly { readonly key: Stage; readonly title: string }[];
  /** What a stage is called in this run; null for its usual name. */
  readonly stageName: (run: RunState, key: Stage) => string | null;
  readonly texts: (run: RunState) => readonly MemberText[];
  /** What the chairman does before its first word: a text of the catalogue. */
  readonly reading: string;
  /** The texts among which a reader may choose the best; none where that cannot be said. */
  readonly toChooseFrom?: (run: RunState) => readonly MemberText[];
  /** What the reviews are, where it has any: texts of the catalogue. */
  readonly reviews?: { readonly title: string; readonly lead: string };
  /** From where on it can be asked again: stage, label, hint. */
  readonly again: readonly (readonly [NonNullable<Again["from"]>, string, string])[];
  readonly Body: ComponentType<{ run: RunState; latest: boolean }>;
  /** The section as Markdown, in parts. */
  readonly markdown: (run: RunState) => string[];
}

/** `State` is what it shows: the feature's slice of the run. */
export interface Section<State extends object> {
  /** Null where the run has nothing of it: there is no section then. */
  of(run: RunState): State | null;
  /** What stands in its head while it is folded. */
  summary(state: State): ReactNode;
  /** By which links find it (`showSection`). */
  readonly id?: (run: RunState) => string;
  /** Whether it is open by itself, until a reader folds it. */
  isOpen?(state: State, run: RunState): boolean;
  /** What it opens to: to be loaded when it is (`lazy`). */
  Panel(props: PanelProps<State>): ReactNode;
}

export interface PanelProps<State> {
  state: State;
  run: RunState;
  /** The final answer as it stood before this feature came to it. */
  before: string;
}

export interface FeatureStage {
  /** The server's name of it: in costs and estimates, and as the phase of a run that is in it. */
  readonly key: Stage;
  /**
   * Before the answers; between the reviews and the final answer; or after that, which is a draft as long
   * as this goes on.
   */
  readonly place: "first" | "middle" | "last";
  /** Whether the run has it: the timeline shows it from then on. */
  readonly isIn: (run: RunState) => boolean;
  /** How far it has come; nothing where it has no parts. */
  readonly detail?: (run: RunState) => string;
}

type Request = AskFields;
type GeneralNumber = "quorum" | "straggler_grace_ms" | "reviews_per_answer" | "verbosity";

/** The fields of a request that switch an option on or off. */
export type Toggle = Extract<keyof Request, `use_${string}`>;
/** The fields that take an amount. */
export type Amount = Exclude<
  {
    [Field in keyof Request]-?: Request[Field] extends number | null | undefined ? Field : never;
  }[keyof Request],
  GeneralNumber
>;

/** The fields that choose one of a few ways. */
export type Way = Exclude<
  {
    [Field in keyof Request]-?: Request[Field] extends string | null | undefined
      ? string extends NonNullable<Request[Field]>
        ? never
        : Field
      : never;
  }[keyof Request],
  undefined
>;

/** The fields that take a text, or the place where one is. */
export type Written = Exclude<
  {
    [Field in keyof Request]-?: "text" extends keyof NonNullable<Request[Field]> ? Field : never;
  }[keyof Request],
  undefined
>;

/** The fields that choose a format. */
export type FormatName = "mode" | Extract<keyof Request, `${string}_style`>;

/** The fields that only formats read, true or false. */
export type Flag = Exclude<
  {
    [Field in keyof Request]-?: Request[Field] extends boolean | null | undefined ? Field : never;
  }[keyof Request],
  Toggle | "new_conversation" | "count_self_votes" | undefined
>;

/** What more can be chosen of a format: the request's field, and what it takes. */
export type FormatField = {
  readonly title: string;
  /** What it does, and what it costs: texts of the catalogue. */
  readonly what: string;
  readonly cost?: string;
} & (
  | {
      readonly kind: "flag";
      readonly field: Flag;
      readonly byDefault: boolean;
      /** What its chip says where it is not as by default. */
      readonly chip: string;
    }
  | {
      readonly kind: "amount";
      readonly field: Amount;
      readonly byDefault: number;
      readonly least: number;
      readonly most: number;
      readonly chip: (amount: number) => string;
    }
  | {
      readonly kind: "way";
      readonly field: Way;
      readonly byDefault: string;
      readonly values: readonly { readonly value: string; readonly text: string }[];
      readonly chip: string;
    }
);

/** A format that a question can ask for. */
export interface FormatChoice {
  readonly key: string;
  /** Texts of the catalogue: its name, and what it is good for in a sentence. */
  readonly title: string;
  readonly good: string;
  /** The name in a word or two that stand in it. */
  readonly short: string;
  /** What of a request asks for it. */
  readonly ask: Readonly<Partial<Record<FormatName, string>>>;
  /** The council may answer after all: its options count then. */
  readonly mayBeCouncil?: true;
  /** Options that are on in it where nobody says otherwise, and that are off by themselves elsewhere. */
  readonly alsoOn?: readonly Toggle[];
  readonly fields?: readonly FormatField[];
}

/** What was chosen for a run, under the request's names. */
export type Choices = { [Field in FormatName]?: string } & { [Field in Flag]?: boolean } & {
  [Field in Toggle]?: boolean;
} & { [Field in Amount]?: number } & {
  [Field in Way]?: NonNullable<Request[Field]>;
} & {
  /** Null is none, whatever would be there by default. */
  [Field in Written]?: NonNullable<Request[Field]> | null;
} & {
  /** How many must have answered before the reviews begin; null is all. */
  quorum: number | null;
  straggler_grace_ms: number;
  /** How many of the reviewers review; null is all. */
  reviews_per_answer: number | null;
  /** 0 nothing, 1 stages, 2 models as well, 3 everything. */
  verbosity: number;
};

export interface Option {
  /** The request's field that switches it on. */
  readonly field: Toggle;
  /** Which part of a run it changes. */
  readonly group: "answers" | "reviews" | "final";
  /** It is on where nobody says otherwise. */
  readonly byDefault?: true;
  /** It is no matter of the council alone. */
  readonly everyFormat?: true;
  /** How much of it: the request's field, and the numbers it takes. */
  readonly amount?: {
    readonly field: Amount;
    readonly byDefault: number;
    readonly least: number;
    readonly most: number;
    /** Numbers between the whole ones too. */
    readonly fraction?: true;
  };
  /** Which of a few ways it is done while it is on: the request's field, and what it takes. */
  readonly way?: {
    readonly field: Way;
    /** What this page asks for where nobody has said. */
    readonly byDefault: string;
    /** What the server takes where a request says nothing. */
    readonly byServer: string;
    readonly values: readonly string[];
  };
  /** What its chip says when it differs from the default; the title where this is left out. */
  readonly chip?: (choices: Choices) => string;
  /** Why this council cannot use it, which its part of the settings mends; null where it can. */
  readonly obstacle?: (config: Config) => string | null;
  /** The obstacle is for the server's operator to remove, in no part of the settings. */
  readonly isForServer?: true;
  /**
   * It chooses who answers, which only one option can do: the first in the list that is on keeps the
   * later ones from doing so, for the reason (a text of the catalogue) given here.
   */
  readonly choosesMembers?: string | true;
}

/** Which of a few ways something is done. */
export interface OneWay<Field extends Way = Way> {
  /** The request's field. */
  readonly field: Field;
  /** Which part of a run it changes. */
  readonly group: Option["group"];
  /** It is no matter of the council alone. */
  readonly everyFormat?: true;
  readonly byDefault: NonNullable<Request[Field]>;
  readonly values: readonly {
    readonly value: NonNullable<Request[Field]>;
    /** What its button says, and its chip where that has no words of its own: a text of the catalogue. */
    readonly text: string;
    readonly chip?: string;
    /** Why the other options of the group then have nothing to do, if so: a text of the catalogue. */
    readonly alone?: string;
  }[];
  /**
   * What the council's settings, or a preset's alone, say under an older name; undefined for nothing. Default options
   * that name the field win, so the settings' form always sends it.
   */
  readonly ofSettings?: (
    config: Config,
    preset: Preset | null,
  ) => NonNullable<Request[Field]> | undefined;
}

/** Something that is written for a question, or chosen among what was written before. */
export interface WrittenOption<Field extends Written = Written> {
  /** The request's field. */
  readonly field: Field;
  /** Which part of a run it changes. */
  readonly group: Option["group"];
  /** It is no matter of the council alone. */
  readonly everyFormat?: true;
  /** What somebody has kept of it; undefined for what is nothing of the kind. */
  readonly read: (kept: unknown) => NonNullable<Request[Field]> | undefined;
  /** What asks for none, where there is one by default. */
  readonly none: NonNullable<Request[Field]>;
  /** Whether it was written for one question alone, and goes with it. */
  readonly once: (value: NonNullable<Request[Field]>) => boolean;
  readonly chip: (value: NonNullable<Request[Field]>) => string;
}

/** What the list of options says of one. */
export interface About {
  /** What it does, and what it roughly costs with this council. */
  readonly tell: (choices: Choices, config: Config | undefined) => { what: string; cost: string };
  /** What more can be chosen while it is on; of what is written, where that is done. */
  readonly More?: ComponentType<MoreProps>;
}

export interface MoreProps {
  choices: Choices;
  /** The question that is typed, where one is. */
  question?: string;
  onChange: (change: Partial<Choices>) => void;
}

/** Notes what is wrong with a field, under the server's name of it. */
export type Say = (field: string, message: string) => void;

export interface SettingsProps<Draft> {
  draft: Draft;
  errors: readonly FieldError[];
  /** The most models a list may have. */
  most: number;
  /** The council's own models, near at hand for every list. */
  council: readonly string[];
  onChange(change: Partial<Draft>): void;
}

/**
 * A feature's part of the council's form. `Draft` is what is edited there: each of its fields is an
 * edit of its own when the settings change elsewhere meanwhile.
 */
export interface SettingsPart<Draft extends object> {
  draftOf(config: Config): Draft;
  /** What of it is sent. */
  changeOf(draft: Draft): ConfigChange;
  /** What of the settings the options of the form depend on, as it would be once this is saved. */
  configOf?(draft: Draft): Partial<Config>;
  /** What the server would refuse, said while it is typed. */
  problems?(draft: Draft, most: number, say: Say): void;
  /** What it is for. */
  lead(most: number): string;
  Fields(props: SettingsProps<Draft>): ReactNode;
}
