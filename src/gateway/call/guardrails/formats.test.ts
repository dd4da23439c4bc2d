import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Options = Readonly<Record<string, string>>;

const MAIL = "ann.lee@example.org";
const IBAN = "DE89 3704 0044 0532 0130 00";
const QUESTION = `Write to ${MAIL} about ${IBAN}, please.`;

type Message = Readonly<{ content: string; tool_calls?: readonly object[] }>;

/** An answer of the upstream as one body, or as a stream of pieces of `size` characters. */
function answered(isStream: boolean, { content, tool_calls: calls }: Message, size: number): Response {
  if (!isStream) {
    const finish_reason = calls ? "tool_calls" : "stop";
    return Response.json(
      chatReply({ choices: [{ index: 0, message: { role: "assistant", content, tool_calls: calls }, finish_reason }] }),
    );
  }
  const pieces: string[] = [chunk({ role: "assistant" })];
  for (let at = 0; at < content.length; at += size) pieces.push(chunk({ content: content.slice(at, at + size) }));
  for (const [index, call] of (calls ?? []).entries()) {
    const { id, function: called } = call as { id: string; function: { name: string; arguments: string } };
    pieces.push(
      chunk({ tool_calls: [{ index, id, type: "function", function: { name: called.name, arguments: "" } }] }),
    );
    for (let at = 0; at < called.arguments.length; at += size)
      pieces.push(chunk({ tool_calls: [{ index, function: { arguments: called.arguments.slice(at, at + size) } }] }));
  }
  return sse(`${pieces.join("")}${chunk({}, {}, calls ? "tool_calls" : "stop")}${usageChunk()}${DONE}`);
}

/** An upstream that repeats the last message it got, calls a tool with it, or says `says`. */
function start(
  options: Options,
  { says, tool = false, size = 3 }: { says?: string; tool?: boolean; size?: number } = {},
) {
  const upstream = startUpstream(({ path, text }) => {
    // It speaks chat completions alone.
    if (!path.endsWith("/chat/completions"))
      return Response.json({ error: { message: "no such URL" } }, { status: 404 });
    const { messages, stream } = JSON.parse(text);
    const { content } = messages.at(-1);
    const last = typeof content === "string" ? content : content.map((part: { text: string }) => part.text).join("");
    const input = JSON.stringify({ to: last, nested: JSON.stringify({ deep: `a "${last}"` }) });
    const calls = tool ? [{ id: "call_1", type: "function", function: { name: "send", arguments: input } }] : undefined;
    const message = { content: says ?? `You reported: ${last}`, ...(calls && { tool_calls: calls }) };
    return answered(stream === true, message, size);
  });
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
}

const rules = (definitions: object): Options => ({ Guardrails: JSON.stringify(definitions) });
const MASKS = rules({ pii: { kind: "personal_data", action: "mask" } });

const TOOL = { name: "send", description: "Sends", parameters: { type: "object", properties: {} } };

/** Each format: where it is called, what is consulted, and the text and the tool input of an answer or a stream. */
const FORMATS = [
  {
    name: "OpenAI Chat",
    path: () => "/v1/chat/completions",
    ask: (text: string, stream: boolean) => ({
      ...{ model: "gpt-4o", stream, messages: [{ role: "user", content: text }] },
      tools: [{ type: "function", function: TOOL }],
    }),
    refuses: (text: string) => ({ text, reason: "content_filter" }),
  },
  {
    name: "Responses",
    path: () => "/v1/responses",
    ask: (text: string, stream: boolean) => ({
      ...{ model: "gpt-4o", stream, input: text, store: false },
      tools: [{ type: "function", ...TOOL }],
    }),
    refuses: (text: string) => ({ text, reason: "content_filter" }),
  },
  {
    name: "Anthropic",
    path: () => "/v1/messages",
    ask: (text: string, stream: boolean) => ({
      ...{ model: "gpt-4o", stream, max_tokens: 100, messages: [{ role: "user", content: text }] },
      tools: [{ name: "send", description: "Sends", input_schema: TOOL.parameters }],
    }),
    refuses: (text: string) => ({ text, reason: "refusal" }),
  },
  {
    name: "Gemini",
    path: (stream: boolean) => `/v1beta/models/gpt-4o:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    ask: (text: string) => ({
      contents: [{ role: "user", parts: [{ text }] }],
      tools: [{ functionDeclarations: [TOOL] }],
    }),
    refuses: (text: string) => ({ text, reason: "SAFETY" }),
  },
] as const;

/** All texts of an answer of any format joined: of the deltas if it is a stream, else of the body. */
function textOf(body: string): { text: string; input: string } {
  const events = body.startsWith("{")
    ? [JSON.parse(body)]
    : body.split("\n").flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []));
  let text = "";
  let input = "";
  for (const event of events) {
    const choice = event.choices?.[0];
    const reported = choice?.delta ?? choice?.message;
    text += reported?.content ?? "";
    for (const call of reported?.tool_calls ?? []) input += call.function?.arguments ?? "";
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.function_call_arguments.delta") input += event.delta;
    if (event.type === "content_block_delta") {
      text += event.delta.text ?? "";
      input += event.delta.partial_json ?? "";
    }
    for (const part of event.content ?? []) {
      text += part.text ?? "";
      if (part.input) input += JSON.stringify(part.input);
    }
    for (const item of event.output ?? []) {
      input += item.arguments ?? "";
      for (const part of item.content ?? []) text += part.text ?? "";
    }
    for (const part of event.candidates?.[0]?.content?.parts ?? []) {
      text += part.text ?? "";
      if (part.functionCall) input += JSON.stringify(part.functionCall.args);
    }
  }
  return { text, input };
}

/** The refusal in an answer of any format, and why it ended. */
function refusalIn(body: string): { text: string; reason: string } {
  const events = body.startsWith("{")
    ? [JSON.parse(body)]
    : body.split("\n").flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []));
  let [text, reason] = ["", ""];
  for (const event of events) {
    const choice = event.choices?.[0];
    text += (choice?.delta ?? choice?.message)?.refusal ?? "";
    const candidate = event.candidates?.[0];
    text += candidate?.finishMessage ?? "";
    const message = event.type === "message_delta" ? event.delta : event;
    text += message.stop_details?.explanation ?? "";
    const response = event.type === "response.incomplete" ? event.response : event;
    for (const item of response.output ?? []) for (const part of item.content ?? []) text += part.refusal ?? "";
    reason =
      choice?.finish_reason ??
      candidate?.finishReason ??
      message.stop_reason ??
      response.incomplete_details?.reason ??
      reason;
  }
  return { text, reason };
}

describe.each([...FORMATS])("$name", ({ path, ask, refuses }) => {
  describe.each([false, true])("streamed: %p", (stream) => {
    test("masks what goes to the provider, and restores it in the answer", async () => {
      const { upstream, relay } = start(MASKS);
      const answer = await relay.post(path(stream), ask(QUESTION, stream));
      expect(answer.status).toBe(200);
      const body = await answer.text();
      expect(textOf(body).text).toBe(`You reported: ${QUESTION}`);
      const sent = upstream.received.at(-1);
      for (const { text } of upstream.received) expect(text).not.toContain(MAIL);
      expect(sent?.text).not.toContain("3704 0044");
      expect(sent?.text).toMatch(/\[EMAIL_[A-Z2-7]{8}\].*\[IBAN_[A-Z2-7]{8}\]/);
      const record = await relay.billing.nextRecord();
      expect(record.other.guardrails?.verdicts).toEqual([
        {
          ...{ name: "pii", kind: "personal_data", phase: "request", action: "mask" },
          found: [
            { type: "EMAIL", count: 1 },
            { type: "IBAN", count: 1 },
          ],
        },
      ]);
      expect(record.other.tags).toEqual(["guardrail:mask", "guardrail:pii"]);
      // (10 + 5 × 4) × 1.25
      expect(record.quota).toBe(38);
      expect(relay.billing.openHolds).toBe(0);
    });

    test("restores values in the inputs of tools, also where JSON is inside of JSON", async () => {
      const { relay } = start(MASKS, { tool: true, says: "" });
      const body = await (await relay.post(path(stream), ask(QUESTION, stream))).text();
      const input = JSON.parse(textOf(body).input);
      expect(input.to).toBe(QUESTION);
      expect(JSON.parse(input.nested)).toEqual({ deep: `a "${QUESTION}"` });
    });

    test("refuses a blocked request before it is sent, and charges nothing", async () => {
      const { upstream, relay } = start(rules({ "no ibans": { kind: "personal_data", personal: ["iban"] } }));
      const answer = await relay.post(path(stream), ask(QUESTION, stream));
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("The guardrail “no ibans” blocks this request.");
      expect(upstream.received).toEqual([]);
      const record = await relay.billing.nextRecord();
      expect(record).toMatchObject({ quota: 0, failed: true });
      expect(record.other.guardrails?.verdicts[0]).toMatchObject({
        action: "block",
        found: [{ type: "IBAN", count: 1 }],
      });
      expect(record.other.tags).toEqual(["guardrail:block", "guardrail:no ibans"]);
      expect(relay.billing.openHolds).toBe(0);
    });

    test("refuses as a model does, where the guardrail says so, and charges nothing", async () => {
      const { upstream, relay } = start(
        rules({ ibans: { kind: "personal_data", personal: ["iban"], refusal: "answer" } }),
      );
      const answer = await relay.post(path(stream), ask(QUESTION, stream));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain(stream ? "text/event-stream" : "application/json");
      expect(refusalIn(await answer.text())).toEqual(refuses("The guardrail “ibans” blocks this request."));
      expect(upstream.received).toEqual([]);
      const record = await relay.billing.nextRecord();
      expect(record).toMatchObject({ quota: 0, failed: true });
      expect(record.other.tags).toEqual(["guardrail:block", "guardrail:ibans"]);
      expect(relay.billing.openHolds).toBe(0);
    });

    test("says in a blocked answer why it ends, where the guardrail says so", async () => {
      const block = { kind: "personal_data", personal: ["card"], phases: ["answer"], refusal: "answer" };
      const { relay } = start(rules({ cards: block }), { says: "The card is 4111 1111 1111 1111, ok?" });
      const body = await (await relay.post(path(stream), ask("Hi", stream))).text();
      expect(body).not.toContain("4111");
      expect(refusalIn(body)).toEqual(refuses("The guardrail “cards” blocks this answer."));
      expect((await relay.billing.nextRecord()).quota).toBe(38);
    });

    test("masks what only the provider knows, and never half of it", async () => {
      const { relay } = start(MASKS, { says: `Ask bob@example.com or 4111 1111 1111 1111.` });
      const body = await (await relay.post(path(stream), ask("Hi", stream))).text();
      expect(textOf(body).text).toMatch(/^Ask \[EMAIL_[A-Z2-7]{8}\] or \[CARD_[A-Z2-7]{8}\]\.$/);
      expect(body).not.toMatch(/bob|4111 ?1111/);
    });

    test("ends an answer at what is blocked; it is charged as the provider charges it", async () => {
      const block = rules({ cards: { kind: "personal_data", personal: ["card"], phases: ["answer"] } });
      const { relay } = start(block, { says: "The card is 4111 1111 1111 1111, ok?" });
      const answer = await relay.post(path(stream), ask("Hi", stream));
      expect(answer.status).toBe(200);
      const body = await answer.text();
      expect(textOf(body).text).toBe("The card is ");
      expect(body).toMatch(/content_filter|refusal|SAFETY|PROHIBITED/);
      const record = await relay.billing.nextRecord();
      expect(record).toMatchObject({ quota: 38, failed: false });
      expect(record.other.guardrails?.verdicts[0]).toMatchObject({ phase: "answer", action: "block" });
    });

    test("shadow mode changes nothing and says what would have happened", async () => {
      const { upstream, relay } = start(rules({ pii: { kind: "personal_data", shadow: true } }));
      const body = await (await relay.post(path(stream), ask(QUESTION, stream))).text();
      expect(textOf(body).text).toBe(`You reported: ${QUESTION}`);
      expect(upstream.received.at(-1)?.text).toContain(MAIL);
      const { guardrails, tags } = (await relay.billing.nextRecord()).other;
      expect(guardrails?.verdicts.map(({ phase, shadow }) => [phase, shadow])).toEqual([
        ["request", true],
        ["answer", true],
      ]);
      expect(tags).toEqual(["guardrail:shadow", "guardrail:pii"]);
    });
  });
});
