/** Streams of interactions that break, after each of their events. */
import { afterEach, describe, expect, test } from "bun:test";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chunk, DONE, pacedSse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";
import { interactionEvents } from "./fake-interactions.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODEL = "gemini-3.5-flash";
const STEPS = [
  { type: "thought", signature: "c2lnbmF0dXJl", summary: [{ type: "text", text: "They greet." }] },
  { type: "model_output", content: [{ type: "text", text: "Hello there" }] },
  { type: "function_call", id: "f1", name: "weather", arguments: { city: "Paris" } },
];
const NATIVE = interactionEvents(STEPS);
const CHAT = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "They greet." }),
  chunk({ content: "Hello " }),
  chunk({ content: "there" }),
  chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Paris"}' } }] }),
  chunk({}, {}, "tool_calls"),
  usageChunk(),
  DONE,
];

/** A channel whose stream breaks after `count` events, and a second one whose stream is complete. */
function start(type: number, events: readonly string[], count: number) {
  let calls = 0;
  const arrived = Promise.withResolvers<void>();
  const sent = events.slice(0, count).join("");
  const broken = [...(sent === "" ? [] : [sent, () => arrived.promise]), new Error("broken")];
  const upstream = startUpstream(() => {
    calls += 1;
    return pacedSse(calls === 1 ? broken : events);
  });
  const channel = { type, baseUrl: upstream.url, keys: ["key"], models: [MODEL] };
  const relay = startRelay({
    channels: [
      { ...channel, priority: 1 },
      { ...channel, priority: 0 },
    ],
    options: { ModelRatio: `{"${MODEL}": 2}`, CompletionRatio: `{"${MODEL}": 4}`, RetryTimes: "1" },
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, calls: () => calls, arrived: arrived.resolve };
}

async function read({ relay, arrived }: ReturnType<typeof start>) {
  const response = await relay.post("/v1beta/interactions", { model: MODEL, input: "Hi", stream: true });
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    arrived();
  }
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => recordOf(parseJson(data)) ?? {});
  return { events, types: events.map(({ event_type }) => event_type), text };
}

/** How much of what the model makes is in the first events. */
const hasOutput = (events: readonly string[]): boolean => /They|Hello|weather/.test(events.join(""));

describe.each([
  ["of Google, passed through", 24, NATIVE],
  ["translated from chat completions", 1, CHAT],
] as const)("a stream %s", (_name, type, events) => {
  test("that breaks before its first event is served by the next channel, and charged there", async () => {
    const started = start(type, events, 0);
    const { relay, calls } = started;
    const { types, text } = await read(started);
    expect([calls(), types[0], types.at(-1)]).toEqual([2, "interaction.created", "interaction.completed"]);
    expect(text).not.toContain('"error"');
    expect(await relay.billing.nextRecord()).toMatchObject({ channelId: 2, other: { usage_evidence: "reported" } });
    expect([relay.billing.records.length, relay.billing.openHolds]).toEqual([1, 0]);
  });

  // The end is no longer an interruption once the completed interaction, or the last chunk, has arrived.
  const last = events.length - (type === 24 ? 2 : 3);
  test.each(Array.from({ length: last }, (_, at) => at + 1))(
    "that breaks after event %i ends with an error, and costs what was made",
    async (count) => {
      const started = start(type, events, count);
      const { relay, calls } = started;
      const { types, events: received } = await read(started);
      const made = hasOutput(events.slice(0, count));
      expect(calls()).toBe(1);
      expect(types[0]).toBe("interaction.created");
      expect(received.at(-1)).toMatchObject({ event_type: "error", error: { message: expect.any(String) } });
      expect(types.filter((each) => each === "error")).toHaveLength(1);
      expect(types).not.toContain("interaction.completed");
      await until(() => relay.billing.openHolds === 0);
      const charged = relay.billing.records.filter(({ quota }) => quota > 0);
      expect(charged).toHaveLength(made ? 1 : 0);
      if (made) expect(charged[0]?.other).toMatchObject({ usage_evidence: "estimated", ending: "upstream_failed" });
    },
  );
});
