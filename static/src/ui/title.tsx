import { useEffect } from "react";

let name = document.title;
let mark: string | null = null;

function write() {
  document.title = mark ? `${mark} ${name}` : name;
}

/** The tab's title; the page's own name comes first, since tabs are narrow. */
export function useTitle(title: string | null) {
  useEffect(() => {
    name = title ? `${title} · LLM Council` : "LLM Council";
    write();
  }, [title]);
}

/** A sign before the title, whatever it is called; null takes it away. */
export function setTitleMark(sign: string | null) {
  mark = sign;
  write();
}
