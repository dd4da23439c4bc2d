import { expect, test } from "bun:test";
import { counter, meaningOf } from "../../../test/support/formats/fixtures.ts";
import { completeEventsLength, eventData, splitEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import { openaiChatCodec } from "./index.ts";

/** Decodes a stream whose bytes arrive in chunks; complete events are decoded, the rest waits. */
function arriving(pieces: readonly Uint8Array[]): { steps: ReplyEvent[]; ended: boolean } {
  const decoder = openaiChatCodec.streamDecoder(counter());
  const steps: ReplyEvent[] = [];
  const take = (bytes: Uint8Array) => {
    for (const event of splitEvents(textOfBytes(bytes))) {
      const data = eventData(event);
      if (data !== null) steps.push(...decoder.push({ event: "", data }));
    }
  };
  let held = new Uint8Array();
  for (const piece of pieces) {
    held = new Uint8Array(Buffer.concat([held, piece]));
    const length = completeEventsLength(held);
    take(held.subarray(0, length));
    held = held.subarray(length);
  }
  take(held);
  return { steps: [...steps, ...decoder.end()], ended: decoder.ended };
}

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const usage = { prompt_tokens: 9, completion_tokens: 4 };
const lines = [
  `data: ${chunk({ role: "assistant", content: "<think>思" })}`,
  ": OPENROUTER PROCESSING",
  `data:${chunk({ content: "考</think>\n🐟 ist " })}`,
  `event: message\nid: 7\ndata: ${chunk({ content: "schön" })}`,
  `data: ${chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: '{"ü":' } }] })}`,
  `data: ${chunk({ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }, "stop", { usage })}`,
  "data: [DONE]",
];
const meant = { text: "🐟 ist schön", thought: "思考", calls: [["f", { ü: 1 }]], finish: "tool_calls" };

test.each(["\n", "\r\n", "\r"])("any split of the bytes yields the same events: line ending %j", (end) => {
  const bytes = Buffer.from(lines.map((line) => line.replaceAll("\n", end) + end + end).join(""));
  const complete = arriving([bytes]);
  expect(meaningOf(complete.steps)).toEqual(meant as ReturnType<typeof meaningOf>);
  expect(complete.ended).toBe(true);
  for (let at = 1; at < bytes.length; at += 1) {
    expect(arriving([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(complete);
  }
  expect(arriving([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(complete);
});

test("the last event may lack its blank line, and the end marker may be missing", () => {
  const text = lines.slice(0, -1).join("\n\n");
  const { steps, ended } = arriving([Buffer.from(text)]);
  expect(meaningOf(steps)).toEqual(meant as ReturnType<typeof meaningOf>);
  expect(steps.filter(({ type }) => type === "finish")).toHaveLength(1);
  expect(ended).toBe(false);
});

test("a line of two megabytes", () => {
  const long = "ß".repeat(1_000_000);
  const bytes = Buffer.from(`data: ${chunk({ content: long })}\n\ndata: ${chunk({}, "stop")}\n\n`);
  expect(meaningOf(arriving([bytes.subarray(0, 70_001), bytes.subarray(70_001)]).steps).text).toBe(long);
});

test("an error in the middle is reported once, whatever came before", () => {
  const text = `data: ${chunk({ content: "half" })}\n\ndata: {"error":{"message":"gone","type":"server_error"}}\n\n`;
  const { steps } = arriving([Buffer.from(text)]);
  expect(steps.map(({ type }) => type)).toEqual(["start", "text", "error"]);
});
