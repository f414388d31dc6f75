import type { Words } from "./messages";

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The colours and the mark are those of base.css and favicon.svg. */
const style = `
  body { display: grid; place-content: center; justify-items: center; min-height: 100dvh; margin: 0; padding: 16px;
    box-sizing: border-box; background: light-dark(#f4f6f2, #121714); color: light-dark(#1a201c, #e7ece7);
    font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; text-align: center; }
  h1 { margin: 16px 0 4px; font: 600 1.5rem/1.3 "Iowan Old Style", "Palatino Linotype", P052, Charter, Georgia, serif; }
  p { max-width: 26rem; margin: 0; color: light-dark(#4f5a52, #a9b5ac); }
  a { display: inline-flex; align-items: center; min-height: 44px; margin-top: 24px; padding: 0 20px; border-radius: 8px;
    background: light-dark(#1f5a41, #8fd0ad); color: light-dark(#ffffff, #0d1f16); font-weight: 600;
    text-decoration: none; }
  a:focus-visible { outline: 2px solid light-dark(#1b64c4, #8ab8ff); outline-offset: 2px; }`;

const mark = `<svg width="64" height="64" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"
  fill="#1f5a41"/><g fill="#f4f6f2"><circle cx="16" cy="7.5" r="2.6"/><circle cx="24.1" cy="13.4" r="2.6"/><circle
  cx="21" cy="22.9" r="2.6"/><circle cx="11" cy="22.9" r="2.6"/><circle cx="7.9" cy="13.4" r="2.6"/></g><circle cx="16"
  cy="16" r="3.2" fill="none" stroke="#f4f6f2" stroke-width="1.6"/></svg>`;

/**
 * Runs in the page: reloads it as soon as something answers. A sign-in in the server's place is an answer, the error of a proxy
 * whose server is away is none.
 */
export function comeBack() {
  const look = () =>
    fetch("/health/live", { cache: "no-store", redirect: "manual" }).then(
      ({ status }) => {
        if (status < 500) location.reload();
      },
      () => undefined,
    );
  addEventListener("online", look);
  setInterval(look, 5_000);
}

/** Says plainly that there is no connection. It is made here, so that no page of anybody's has to be kept. */
export function offlinePage({ lang, colours, offline }: Words): Response {
  const nonce = crypto.randomUUID();
  const page = `<!doctype html><html lang="${escaped(lang)}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${escaped(colours)}">
<title>${escaped(offline.title)} · LLM Council</title><style>:root { color-scheme: ${escaped(colours)} }${style}</style>
</head><body><main>${mark}<h1>${escaped(offline.title)}</h1><p>${escaped(offline.text)}</p>
<a href="">${escaped(offline.again)}</a></main><script nonce="${nonce}">(${comeBack})()</script></body></html>`;
  return new Response(page, {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  });
}
