/**
 * Parts of a view that are fetched when they are wanted: where that fails, offline or after an update
 * of the server, the rest of the view stays.
 */
import type { ComponentType } from "react";
import { T } from "../i18n/t";

function Missing() {
  return (
    <p className="quiet" role="alert">
      <T
        text="This part of the page could not be loaded. <link>Reload the page</link>."
        parts={{ link: (inner) => <a href={location.pathname + location.search}>{inner}</a> }}
      />
    </p>
  );
}

// Whatever the part takes, these take nothing.
const or = <M extends { default: unknown }>(module: Promise<M>, put: ComponentType) =>
  module.catch(() => ({ default: put }) as unknown as M);

/** The part, or in its place a sentence that it is missing; for `lazy`. */
export const orMissing = <M extends { default: unknown }>(module: Promise<M>) =>
  or(module, Missing);

/** The part, or nothing where nobody misses it. */
export const orNothing = <M extends { default: unknown }>(module: Promise<M>) =>
  or(module, () => null);
