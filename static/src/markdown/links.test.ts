import { describe, expect, it } from "vitest";
import { realPlace } from "./links";

const place = (href: string, text: string) => realPlace(new URL(href), text);

describe("a link", () => {
  it("whose text names the place it goes to, or none, says nothing more", () => {
    expect(place("https://example.org/a", "the documentation")).toBeNull();
    expect(place("https://example.org/a", "https://example.org/a")).toBeNull();
    expect(place("https://www.example.org/a", "example.org")).toBeNull();
    expect(place("https://example.org/", "See www.example.org")).toBeNull();
    expect(place("mailto:a@example.org", "a@example.org")).toBeNull();
  });

  it("names the place where its text names another", () => {
    expect(place("https://evil.example/x", "https://bank.example")).toBe("evil.example");
    expect(place("https://evil.example/x", "Visit bank.example now")).toBe("evil.example");
    expect(place("https://bank.example.evil.example/", "bank.example")).toBe(
      "bank.example.evil.example",
    );
    expect(place("mailto:thief@evil.example", "help@bank.example")).toBe("thief@evil.example");
  });

  it("names the place where it could be mistaken for another", () => {
    expect(place("https://bank.example@evil.example/", "here")).toBe("evil.example");
    expect(place("https://xn--pple-43d.example/", "here")).toBe("xn--pple-43d.example");
    expect(place("https://аpple.example/", "apple.example")).toBe("xn--pple-43d.example");
    expect(place("https://evil.example/", "\u202Eelpmaxe.knab\u202C")).toBe("evil.example");
    expect(place("https://evil.example/", "ba\u200Bnk.example")).toBe("evil.example");
  });
});
