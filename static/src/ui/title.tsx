import { useEffect } from "react";

/** The tab's title; the page's own name comes first, since tabs are narrow. */
export function useTitle(title: string | null) {
  useEffect(() => {
    document.title = title ? `${title} · LLM Council` : "LLM Council";
  }, [title]);
}
