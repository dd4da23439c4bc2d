type JsonProblem = Readonly<{ line: number; column: number }> | "not-object" | "not-list" | null;

/**
 * Validates text that must be empty or JSON of a given shape; returns the position of the syntax error, or that the
 * shape is wrong.
 */
export function checkJson(text: string, shape: "object" | "list"): JsonProblem {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    if (shape === "list") return Array.isArray(value) ? null : "not-list";
    return value !== null && typeof value === "object" && !Array.isArray(value) ? null : "not-object";
  } catch {
    return placeOf(text, firstInvalid(text));
  }
}

/** The same for an object. */
export const checkJsonObject = (text: string): JsonProblem => checkJson(text, "object");

/** The same JSON, indented by two; the text itself when it is not JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Browsers word their errors differently, so the position is computed: the end of the longest valid prefix. */
function firstInvalid(text: string): number {
  const tokens =
    /\s+|"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;
  const open: string[] = [];
  let expects: "value" | "key" | "colon" | "next" = "value";
  let isFirst = false;
  for (let at = 0; at < text.length; ) {
    tokens.lastIndex = at;
    const token = tokens.exec(text)?.[0];
    if (token === undefined) return at;
    if (token.trim() !== "") {
      const inside = open.at(-1);
      const closes = token === "}" || token === "]";
      if (closes) {
        const fits = inside === (token === "}" ? "{" : "[");
        if (!fits || !(expects === "next" || isFirst)) return at;
        open.pop();
        expects = "next";
      } else if (expects === "value") {
        if (token === "," || token === ":") return at;
        if (token === "{" || token === "[") open.push(token);
        expects = token === "{" ? "key" : token === "[" ? "value" : "next";
      } else if (expects === "key") {
        if (!token.startsWith('"')) return at;
        expects = "colon";
      } else if (expects === "colon") {
        if (token !== ":") return at;
        expects = "value";
      } else {
        if (token !== "," || !inside) return at;
        expects = inside === "{" ? "key" : "value";
      }
      isFirst = token === "{" || token === "[";
    }
    at += token.length;
  }
  return text.length;
}

function placeOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
