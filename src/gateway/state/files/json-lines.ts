import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";

/** Longer lines are no line of a batch. */
const MOST_LINE_CHARACTERS = 8 * 1_048_576;

/**
 * The objects of a file with one on each line, read as they come; lines that are none are passed over. `check` sees each line
 * that is not blank, its object or null, and throws where the file is not to be used.
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
    if (rest.length > MOST_LINE_CHARACTERS && !rest.includes("\n")) {
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
