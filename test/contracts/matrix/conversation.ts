/** A request in no format's words: what a client asks for, and what must arrive upstream. */
export type Wish = Readonly<{
  text: string;
  /** Address or data URI. */
  image?: string;
  tools?: boolean;
  /** The conversation so far holds a call and its result. */
  withToolResult?: boolean;
  stop?: readonly string[];
  schema?: boolean;
  reasoning?: boolean;
  /** Most tokens of the answer. */
  limit?: number;
  /** A tool must be called. */
  mustCall?: boolean;
}>;

export type Call = Readonly<{ name: string; input: unknown }>;

/** An answer in no format's words: what an upstream says, and what must come back. */
export type Answer = Readonly<{
  thought: string;
  text: string;
  calls: readonly Call[];
  finish: "stop" | "tool_calls" | "length";
  /** Tokens; `prompt` holds `cached`, `completion` holds the thought's. */
  usage: Readonly<{ prompt: number; cached: number; completion: number }>;
}>;

/** What an upstream understood of a request. */
export type Sent = Readonly<{
  system: string;
  /** Words of the user's turns. */
  texts: readonly string[];
  /** Addresses and data URIs. */
  images: readonly string[];
  tools: readonly Readonly<{ name: string; schema: unknown }>[];
  calls: readonly Call[];
  /** `answers`: the name of the call that the result belongs to; null when it belongs to none. */
  results: readonly Readonly<{ answers: string | null; text: string }>[];
  stop: readonly string[];
  schema: unknown;
  reasoning: boolean;
  limit: number | null;
  mustCall: boolean;
}>;

export const SYSTEM = "Be brief.";
export const RESULT = "rainy, 12 degrees";
export const CALL_ID = "call_Ab12Cd34Ef56";
export const GHENT: Call = { name: "weather", input: { city: "Ghent" } };
export const BRUGES: Call = { name: "weather", input: { city: "Bruges" } };
export const NOWHERE: Call = { name: "weather", input: {} };
export const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, rain: { type: "boolean" } },
  required: ["city", "rain"],
  additionalProperties: false,
};
export const USAGE = { prompt: 20, cached: 5, completion: 9 };

export const PLAIN: Answer = {
  thought: "",
  text: "It rains in Gänt 🌧.",
  calls: [],
  finish: "stop",
  usage: USAGE,
};

/** A text cut in two, also inside a word. */
export const halves = (text: string): string[] => {
  const at = Math.floor(text.length / 2) - 1;
  return [text.slice(0, at), text.slice(at)].filter((half) => half !== "");
};

/** Bytes in pieces that end where nothing ends. */
export function inPieces(bytes: Uint8Array, size: number, headers: Record<string, string>): Response {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pieces.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
  return new Response(body, { headers });
}

/** Server-sent events of objects, named by their type where the format does so. */
export function events(list: readonly object[], named: boolean, ending = ""): Response {
  const text = list.map((data) => {
    const name = named ? `event: ${(data as { type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(data)}\n\n`;
  });
  const bytes = new TextEncoder().encode(text.join("") + ending);
  return inPieces(bytes, 97, { "content-type": "text/event-stream" });
}
