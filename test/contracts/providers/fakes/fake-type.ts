import type { JsonObject } from "../../../../src/formats/json.ts";

/** A request as a service sees it. */
export type Seen = Readonly<{
  /** As it stood in the address, still encoded. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  text: string;
  body: JsonObject;
}>;

/** Tokens of every answer. */
export const USAGE = { prompt: 20, completion: 9 };
/** What every service answers; streams cut it inside a word. */
export const PIECES = ["It rains ", "in Gä", "nt 🌧."] as const;
export const ANSWER = PIECES.join("");

/** A channel type's service as far as a plain conversation needs it: it checks address and key as the service does. */
export type FakeType = Readonly<{
  type: number;
  model: string;
  key: string;
  other?: string;
  /** Address of the channel behind the server's own. */
  base?: string;
  /** What the service refuses the request for; null: nothing. */
  objection(seen: Seen): string | null;
  /** The question that arrived. */
  question(body: JsonObject): string;
  reply?(seen: Seen): Response;
  stream?(seen: Seen): Response;
  /** The frames of an answer, where a chat is a WebSocket. */
  frames?(body: JsonObject): readonly object[];
  /** A refusal in the service's own words, with the status that clients receive. */
  refusal: Readonly<{ answer: () => Response | object; status: number }>;
  /** Does not report tokens: they are counted here. */
  silentOnUsage?: boolean;
  /** Requests other than chats: token exchange, lists of models, balances; null: none of these. */
  otherPaths?(seen: Seen): Response | null;
  models?: readonly string[];
  balance?: Readonly<{ amount: number; currency: string }>;
}>;

export const REFUSED = "The question is of no known kind";

/** Events with the given data, in pieces that end where nothing ends. */
export function eventStream(events: readonly string[], size = 53): Response {
  return inPieces(Buffer.from(events.join("")), "text/event-stream", size);
}

/** Bytes cut into pieces of that size. */
export function inPieces(bytes: Uint8Array, contentType: string, size = 53): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)));
      at += size;
    },
  });
  return new Response(body, { headers: { "content-type": contentType } });
}

export const dataEvents = (list: readonly object[]): string[] =>
  list.map((data) => `data: ${JSON.stringify(data)}\n\n`);
