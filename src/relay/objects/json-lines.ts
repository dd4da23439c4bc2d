import { type JsonObject, parseJson, recordOf } from "../../dialects/json.ts";

/** Longer lines are no line of a batch. */
const MOST_LINE_CHARACTERS = 8 * 1_048_576;

/** The objects of a file with one on each line, read as they come. */
export async function* jsonLines(response: Pick<Response, "body">): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of response.body ?? []) {
    rest += decoder.decode(piece, { stream: true });
    if (rest.length > MOST_LINE_CHARACTERS && !rest.includes("\n")) rest = "";
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const object = recordOf(parseJson(rest.slice(0, end)));
      rest = rest.slice(end + 1);
      if (object) yield object;
    }
  }
  const last = recordOf(parseJson(rest));
  if (last) yield last;
}
