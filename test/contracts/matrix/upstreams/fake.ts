import type { JsonObject } from "../../../../src/formats/json.ts";
import type { Answer, Sent } from "../conversation.ts";

export const REFUSAL = "The picture is of no known kind";

/** A provider as far as the matrix needs it: faithful in shapes, strict in what it takes. */
export type FakeUpstream = Readonly<{
  /** Channel-type number. */
  type: number;
  model: string;
  key: string;
  /** A chat is a WebSocket: what it sends is the request, the answer's lines are frames. */
  webSocket?: boolean;
  /** Answers requests other than chats, whose bytes matter; null: it is none of these. */
  otherPaths?(path: string, request: Request): Promise<Response | null>;
  /** The request wants a stream. */
  isStream(path: string, body: JsonObject, headers: Headers): boolean;
  /** What the provider would refuse the request for; null: nothing. */
  objection(path: string, body: JsonObject): string | null;
  read(body: JsonObject): Sent;
  speak(answer: Answer, streamed: boolean): Response;
  /** Status 400 in the provider's words. */
  refuse(message: string): Response;
  /** A stream that ends in an error after its first words. */
  breakOff(words: string, message: string): Response;
}>;

/** The first member that is not in the list, as strict providers complain of it. */
export const unknownMember = (body: JsonObject, known: string): string | null => {
  const names = new Set(known.split(/\s+/));
  const name = Object.keys(body).find((member) => !names.has(member));
  return name === undefined ? null : `Unknown field: ${name}`;
};
