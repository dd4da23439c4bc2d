import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";

/** Maximum length of a line. */
const MAX_LINE_CHARACTERS = 8 * 1_048_576;

/**
 * Yields the objects of a JSON Lines file while it is read; skips lines without an object. `check` receives each
 * non-blank line with its object or null, and may throw.
 */
export async function* jsonLines(
  response: Pick<Response, "body">,
  check: (line: string, object: JsonObject | null) => void = () => {},
): AsyncGenerator<JsonObject> {
  const read = (line: string): JsonObject | null => {
    const object = recordOf(parseJson(line));
    if (line.trim() !== "") check(line, object);
    return object;
  };
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of response.body ?? []) {
    rest += decoder.decode(piece, { stream: true });
    if (rest.length > MAX_LINE_CHARACTERS && !rest.includes("\n")) {
      check(rest, null);
      rest = "";
    }
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const object = read(rest.slice(0, end));
      rest = rest.slice(end + 1);
      if (object) yield object;
    }
  }
  const last = read(rest);
  if (last) yield last;
}
