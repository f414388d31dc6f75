/** The test document says, as the page does, that it is one in standards mode: KaTeX warns about every other. */
Object.defineProperty(document, "compatMode", { value: "CSS1Compat" });
