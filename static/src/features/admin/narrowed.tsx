/** What a list is narrowed down to, in the page's address, so that it stays with a reload, a link, and the way back. */
import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useRef } from "react";
import { t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { useQueryOf } from "../dashboard/use-span";
import { usersListId } from "./known-users";

/** A query parameter of the page’s address, empty where there is none, and the way to write it. */
export function useNarrowed(name: string): [string, (text: string) => void] {
  const [query, write] = useQueryOf();
  const narrow = useCallback(
    (text: string) => {
      const next = new URLSearchParams(query);
      if (text === "") next.delete(name);
      else next.set(name, text);
      write(next);
    },
    [query, write, name],
  );
  return [query.get(name) ?? "", narrow];
}

/** The address of a list narrowed down to one person. */
export const narrowedTo = (path: string, user: string) =>
  `${path}?${new URLSearchParams({ user })}`;

interface Props {
  label: string;
  /** What is shown where nothing is typed. */
  all: string;
  value: string;
  onNarrow: (value: string) => void;
  /** The id of a list of what there is to choose from. */
  list?: string;
  /** The list is narrowed down while one types. */
  live?: boolean;
}

/**
 * What to narrow a list down to. It counts once it has been typed to its end, unless it is `live`: looking at somebody's usage
 * is noted, and nobody looks at "a", "an" and "ann".
 */
export function NarrowField({ label, all, value, onNarrow, list, live = false }: Props) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // It may also come from the address: by a link, or when going back.
  useEffect(() => {
    if (box.current && box.current.value.trim() !== value) box.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = () => {
    clearTimeout(timer.current);
    const typed = box.current?.value.trim() ?? "";
    if (typed !== value) onNarrow(typed);
  };
  /** One that was chosen from the list, or taken away by the box's own cross, is typed to its end. */
  const isWhole = ({ nativeEvent }: FormEvent<HTMLInputElement>) =>
    !(nativeEvent instanceof InputEvent) || nativeEvent.inputType === "insertReplacementText";
  return (
    <p className="narrow-field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={box}
        id={id}
        type="search"
        className="input"
        autoComplete="off"
        spellCheck={false}
        defaultValue={value}
        placeholder={all}
        list={list}
        onInput={(event) => {
          if (isWhole(event)) return take();
          if (!live) return;
          clearTimeout(timer.current);
          timer.current = setTimeout(take, 250);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !isForInputMethod(event.nativeEvent)) take();
        }}
        onBlur={take}
      />
    </p>
  );
}

/** Whose. */
export function UserField(props: Pick<Props, "value" | "onNarrow">) {
  return <NarrowField label={t("User")} all={t("Everybody")} list={usersListId} {...props} />;
}

/** The fields of a list, side by side. */
export const Narrowing = ({ children }: { children: ReactNode }) => (
  <div className="narrowing">{children}</div>
);
