import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../../test/support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream } from "../../../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const SAYS = `The card is 4111 1111 1111 1111, and ${"so it goes on and on ".repeat(10)}.`;
const [BEGIN, REST] = [SAYS.slice(0, 20), SAYS.slice(20)];
const CARDS = { kind: "personal_data", personal: ["card"], phases: ["answer"] };

/** Each kind of call: what is asked, an answer and a stream, of an upstream that reports no usage. */
const CALLS = [
  {
    path: "/v1/chat/completions",
    ask: { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] },
    choice: { index: 0, message: { role: "assistant", content: SAYS }, finish_reason: "stop" },
    stream: `${chunk({ content: BEGIN })}${chunk({ content: REST })}${chunk({}, {}, "stop")}${DONE}`,
  },
  {
    path: "/v1/completions",
    ask: { model: "gpt-4o", prompt: "Hi" },
    choice: { index: 0, text: SAYS, finish_reason: "stop" },
    stream: [
      { text: BEGIN, finish_reason: null },
      { text: REST, finish_reason: null },
      { text: "", finish_reason: "stop" },
    ]
      .map((choice) => ({ id: "c", object: "text_completion", model: "gpt-4o", choices: [{ index: 0, ...choice }] }))
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .concat(DONE)
      .join(""),
  },
];

async function recordOf({ path, ask, choice, stream: events }: (typeof CALLS)[number], stream: boolean, rule: object) {
  const upstream = startUpstream(() =>
    stream ? sse(events) : Response.json({ ...chatReply({ choices: [choice] }), usage: undefined }),
  );
  const options = {
    Guardrails: JSON.stringify({ g: rule }),
    LogChatContentEnabled: "true",
    LogContentRedactEnabled: "false",
  };
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options });
  stops.push(upstream.stop, relay.stop);
  const body = await (await relay.post(path, { ...ask, stream })).text();
  return { body, record: await relay.billing.nextRecord() };
}

describe.each(CALLS)("$path", (call) => {
  describe.each([false, true])("streamed: %p", (stream) => {
    test.each([
      [{ ...CARDS, shadow: true }, SAYS],
      [CARDS, SAYS.replace(/4111(?: 1111){3}/, "[CARD]")],
      [{ ...CARDS, action: "mask", restore: false }, SAYS.replace(/4111(?: 1111){3}/, "[CARD]")],
      [{ kind: "json" }, ""],
    ])("what %o hides is charged as it was made, and logged as it was shown", async (rule, logged) => {
      const { body, record } = await recordOf(call, stream, rule);
      expect(body.includes("4111")).toBe("shadow" in rule);
      expect(record.completionTokens).toBe(78);
      expect(record.other.output_content?.replace(/\[CARD_[A-Z2-7]{8}\]/, "[CARD]") ?? "").toBe(logged);
    });
  });
});
