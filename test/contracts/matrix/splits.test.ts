/** However the network cuts an upstream's stream, also inside a character, a line end or a binary frame: the client reads the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { CANNOT, PROVIDERS, type ProviderName } from "./cells.ts";
import { ask, CLIENT_FORMATS, type ClientFormat } from "./client-formats.ts";
import { type Answer, GHENT, USAGE } from "./conversation.ts";
import { readers } from "./read-response.ts";
import { fakeAt, upstreams } from "./upstreams/index.ts";

const ANSWER: Answer = {
  thought: "",
  text: "雨 in Gänt 🌧.",
  calls: [GHENT],
  finish: "tool_calls",
  usage: USAGE,
};
const WISH = { text: "What is the weather in Ghent?", tools: true };

/** Lengths of the pieces, over and over; that every cut is read alike is shown in any-split.test.ts. */
const CUTS: readonly (readonly number[])[] = [[1], [5, 2, 7], [64, 1]];

function inPieces(bytes: Uint8Array, lengths: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    async pull(controller) {
      // Each piece is read by itself, not joined with the next.
      await new Promise(setImmediate);
      const length = lengths[turn++ % lengths.length] ?? 1;
      controller.enqueue(bytes.slice(at, at + length));
      at += length;
      if (at >= bytes.length) controller.close();
    },
  });
}

/** Streams that the network can cut, of services that call tools. */
const CUT = (Object.keys(PROVIDERS) as ProviderName[]).filter(
  (name) => !CANNOT[name]?.tools && !upstreams[name].webSocket,
);

describe.each(CUT)("%s cut anyhow", (name) => {
  const { type, model, key } = upstreams[name];
  let lengths: readonly number[] = [];
  const upstream = startUpstream(async ({ path, text, headers }) => {
    const fake = fakeAt(name, path);
    if (!fake) return new Response("404 page not found", { status: 404 });
    const body = recordOf(parseJson(text)) ?? {};
    const response = fake.speak(ANSWER, fake.isStream(path, body, headers));
    return new Response(inPieces(await response.bytes(), lengths), response);
  });
  let relay: ReturnType<typeof startRelay>;
  beforeAll(() => {
    relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
  });
  afterAll(async () => {
    await relay.stop();
    await upstream.stop();
  });

  const cached = CANNOT[name]?.cached ? 0 : USAGE.cached;
  const clients: readonly ClientFormat[] = CLIENT_FORMATS;
  test.each(clients.flatMap((client) => CUTS.map((cut) => [client, cut.join(" ")] as const)))(
    "for %s, in pieces of %s",
    async (client, cut) => {
      lengths = cut.split(" ").map(Number);
      const { path, body } = ask[client](WISH, model, true);
      const text = await (await relay.post(path, body)).text();
      expect(readers[client].stream(text)).toEqual({ ...ANSWER, usage: { ...USAGE, cached } });
    },
  );
});
