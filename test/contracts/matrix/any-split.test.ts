/**
 * Every dialect's stream, cut at every byte, with other line ends, comments, long lines, a missing end or an error: the same
 * steps. Some of the fakes send usage with the last words, some after them.
 */

import { describe, expect, test } from "bun:test";
import type { ProviderCodec } from "../../../src/formats/conversation/codec.ts";
import type { ReplyEvent } from "../../../src/formats/conversation/reply.ts";
import { toEventStream } from "../../../src/gateway/upstream/event-buffer.ts";
import { completeEventsLength, readEvents } from "../../../src/lib/http/sse.ts";
import { textOfBytes } from "../../../src/lib/values/bytes.ts";
import { type Framing, formatFor } from "../../../src/providers/contract/chat.ts";
import { eventStreamToSse } from "../../../src/providers/hosts/bedrock/bedrock.ts";
import { codecOf, providerOf } from "../../../src/providers/registry.ts";
import { counter, meaningOf } from "../../support/formats/fixtures.ts";
import { CANNOT, PROVIDERS, type ProviderName } from "./cells.ts";
import { type Answer, BRUGES, GHENT, USAGE } from "./conversation.ts";
import { upstreams } from "./upstreams/index.ts";

const MAX_EVENT_BYTES = 16 * 1_048_576;

/** These have no bytes to cut: an answer in one piece, and frames of a WebSocket. */
const UNCUT: readonly ProviderName[] = ["palm", "spark"];
const NAMES = (Object.keys(PROVIDERS) as ProviderName[]).filter((name) => !UNCUT.includes(name));

type Decoding = Readonly<{ codec: ProviderCodec; framing: Framing | null }>;

function decodingOf(name: ProviderName): Decoding {
  const { type, model, key } = upstreams[name];
  const provider = providerOf(type);
  if (!provider) throw new Error(`no provider of type ${type}`);
  const own = name === "openai-responses" ? name : formatFor(provider, model, key);
  return { codec: codecOf(own), framing: provider.chat?.streaming.framing ?? null };
}

/** What the pieces mean, read as the relay reads them: whole events at a time, the rest waits. */
async function stepsOf({ codec, framing }: Decoding, pieces: readonly Uint8Array[]): Promise<ReplyEvent[]> {
  const decoder = codec.streamDecoder(counter());
  const steps: ReplyEvent[] = [];
  let held: Uint8Array = new Uint8Array();
  const take = (bytes: Uint8Array) => {
    for (const event of readEvents(textOfBytes(bytes))) steps.push(...decoder.push(event));
  };
  for await (const piece of framing ? eventsOf(pieces, framing) : pieces) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const length = completeEventsLength(held);
    take(held.subarray(0, length));
    held = held.subarray(length);
  }
  take(held);
  return [...steps, ...decoder.end()];
}

async function* eventsOf(pieces: readonly Uint8Array[], framing: Framing): AsyncGenerator<Uint8Array> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  for await (const piece of toEventStream(new Response(body), framing, MAX_EVENT_BYTES) ?? []) yield piece;
}

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.bytes());
const cutAt = (bytes: Buffer, at: number): Buffer[] => [bytes.subarray(0, at), bytes.subarray(at)];

/** The same steps wherever the bytes are cut; `stride`: of the places, each so many. */
async function expectSameCut(
  decoding: Decoding,
  bytes: Buffer,
  expected: readonly ReplyEvent[],
  stride = 1,
): Promise<void> {
  for (let at = 1; at < bytes.length; at += stride) {
    const steps = await stepsOf(decoding, cutAt(bytes, at));
    if (!Bun.deepEquals(steps, expected)) expect({ at, steps }).toEqual({ at, steps: [...expected] });
  }
}

describe.each(NAMES)("a stream of %s", (name) => {
  const fake = upstreams[name];
  const decoding = decodingOf(name);
  const calls = CANNOT[name]?.tools ? [] : CANNOT[name]?.parallel ? [GHENT] : [GHENT, BRUGES];
  const answer: Answer = {
    thought: CANNOT[name]?.reasoning ? "" : "思考 🚢",
    text: "雨 in Gänt 🌧.",
    calls,
    finish: calls.length > 0 ? "tool_calls" : "stop",
    usage: USAGE,
  };
  const meant = {
    text: answer.text,
    thought: answer.thought,
    calls: calls.map((call): [string, unknown] => [call.name, call.input]),
    finish: answer.finish,
  };
  const isText = decoding.framing !== eventStreamToSse;

  test("means the same wherever it is cut", async () => {
    const bytes = await bytesOf(fake.speak(answer, true));
    const expected = await stepsOf(decoding, [bytes]);
    expect(meaningOf(expected)).toEqual(meant as ReturnType<typeof meaningOf>);
    // Frames with checksums are separated by their lengths alone.
    await expectSameCut(decoding, bytes, expected, isText ? 1 : 5);
    expect(
      await stepsOf(
        decoding,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(expected);
  });

  test.if(isText)("with other line ends, and cut", async () => {
    const text = (await bytesOf(fake.speak(answer, true))).toString();
    const expected = await stepsOf(decoding, [Buffer.from(text)]);
    const ends = decoding.framing === null ? ["\r\n", "\r"] : ["\r\n"];
    for (const end of ends) await expectSameCut(decoding, Buffer.from(text.replaceAll("\n", end)), expected, 7);
  });

  test.if(decoding.framing === null)("with comments between and inside its events, and cut", async () => {
    const text = (await bytesOf(fake.speak(answer, true))).toString();
    const expected = await stepsOf(decoding, [Buffer.from(text)]);
    const noted = `: hello\n\n${text.replaceAll("data: ", ': {"error": "none"}\ndata: ').replaceAll("\n\n", "\n\n: ping\n\n")}`;
    await expectSameCut(decoding, Buffer.from(noted), expected, 11);
  });

  test("with a line of two megabytes", async () => {
    const text = "ß雨".repeat(420_000);
    const bytes = await bytesOf(fake.speak({ ...answer, text }, true));
    expect(bytes.length).toBeGreaterThan(2_000_000);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 65_537) pieces.push(bytes.subarray(at, at + 65_537));
    expect(meaningOf(await stepsOf(decoding, pieces)).text === text).toBe(true);
  });

  test.if(isText)("without its last empty line, or its end marker", async () => {
    const text = (await bytesOf(fake.speak(answer, true))).toString();
    const unmarked = text.replace("data: [DONE]\n\n", "");
    for (const cut of [text.trimEnd(), unmarked, unmarked.trimEnd()]) {
      expect(meaningOf(await stepsOf(decoding, [Buffer.from(cut)]))).toEqual(meant as ReturnType<typeof meaningOf>);
    }
  });

  test("that ends in an error, and is cut", async () => {
    const bytes = await bytesOf(fake.breakOff("Wörter", "it fell over"));
    const expected = await stepsOf(decoding, [bytes]);
    expect(meaningOf(expected).text).toBe("Wörter");
    expect(expected.findLast(({ type }) => type === "error")).toMatchObject({ error: { message: "it fell over" } });
    expect(expected.some(({ type }) => type === "finish")).toBe(false);
    await expectSameCut(decoding, bytes, expected);
  });
});
