/** A file as the server takes it. */

/** The characters of a name that a form writes differently: a quotation mark becomes `%22`, and the server keeps it so. */
const changes = /["\r\n]/;

const encoded = (name: string) =>
  encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\uFFFD")).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );

/** The body of a request with one file, under its own name (RFC 5987 can express any). */
export function formWith(file: Blob, name: string): FormData | Blob {
  if (!changes.test(name)) {
    const form = new FormData();
    form.append("file", file, name);
    return form;
  }
  const boundary = `file-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="file"; filename*=UTF-8''${encoded(name)}`,
    "Content-Type: application/octet-stream",
    "",
    "",
  ].join("\r\n");
  return new Blob([head, file, `\r\n--${boundary}--\r\n`], {
    type: `multipart/form-data; boundary=${boundary}`,
  });
}
