import { type JsonObject, recordOf, textOf } from "../../json.ts";

/** The id of the container in which a message ran code; null: in none. */
export const containerOf = (message: JsonObject): string | null => textOf(recordOf(message.container)?.id);

/** What is stored beyond a message, as part of its end. */
export const partIdsOf = (container: string | null): { partIds?: readonly string[] } =>
  container === null ? {} : { partIds: [container] };

/** Why Anthropic refused, in a sentence of its own. */
export function explanationOf({ stop_details }: JsonObject): { message?: string } {
  const explanation = textOf(recordOf(stop_details)?.explanation);
  return explanation ? { message: explanation } : {};
}
