/** Places that stand empty until something comes that is fetched when it is wanted. */
import type { ReactNode } from "react";
import { create } from "zustand";

export const useSlots = create<{
  /** In the place of everything else, for good. */
  page: ReactNode;
  /** Above whatever page is shown. */
  notice: ReactNode;
}>(() => ({ page: null, notice: null }));
