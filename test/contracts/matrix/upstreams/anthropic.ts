import { EventStreamCodec } from "@smithy/eventstream-codec";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type Answer, events, halves, inPieces, type Sent } from "../conversation.ts";
import { type FakeUpstream, unknownMember } from "./fake.ts";
import { wordsOf } from "./openai-chat.ts";

const MESSAGE = { id: "msg_01Lk", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
const ENDS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as const;

type Block = { start: object; complete: object; deltas: object[] };

/** A call without input has no delta. */
const piecesOf = (input: unknown): string[] => {
  const text = JSON.stringify(input);
  return text === "{}" ? [] : halves(text);
};

function blocksOf({ thought, text, calls }: Answer): Block[] {
  const thinking: Block = {
    start: { type: "thinking", thinking: "", signature: "" },
    complete: { type: "thinking", thinking: thought, signature: "c2lnbmVk" },
    deltas: [
      ...halves(thought).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature: "c2lnbmVk" },
    ],
  };
  const textBlock: Block = {
    start: { type: "text", text: "" },
    complete: { type: "text", text },
    deltas: halves(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
  const called = calls.map(({ name, input }, at): Block => {
    const block = { type: "tool_use", id: `toolu_0${at}`, name };
    return {
      start: { ...block, input: {} },
      complete: { ...block, input },
      deltas: ["", ...piecesOf(input)].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    };
  });
  return [...(thought ? [thinking] : []), ...(text ? [textBlock] : []), ...called];
}

const begin = (usage: object) => ({
  type: "message_start",
  message: { ...MESSAGE, content: [], stop_reason: null, stop_sequence: null, usage },
});

function answerOf(answer: Answer): { complete: object; list: object[] } {
  const { prompt, cached, completion } = answer.usage;
  const input = { input_tokens: prompt - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
  const end = { stop_reason: ENDS[answer.finish], stop_sequence: null };
  const usage = { ...input, output_tokens: completion, service_tier: "standard" };
  const blocks = blocksOf(answer);
  const list = [
    begin({ ...usage, output_tokens: 1 }),
    { type: "ping" },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: end, usage: { output_tokens: completion } },
    { type: "message_stop" },
  ];
  return { complete: { ...MESSAGE, content: blocks.map(({ complete }) => complete), ...end, usage }, list };
}

const broken = (words: string): object[] => [
  begin({ input_tokens: 3, output_tokens: 1 }),
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
];

function read(body: JsonObject): Sent {
  const blocks = recordsOf(body.messages).flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content)).map((block) => ({
      role,
      block,
    })),
  );
  const ofType = (type: string) => blocks.filter(({ block }) => block.type === type).map(({ block }) => block);
  const calls = ofType("tool_use");
  const thinking = recordOf(body.thinking);
  return {
    system: wordsOf(body.system),
    texts: blocks.flatMap(({ role, block }) =>
      role === "user" && block.type === "text" ? [textOf(block.text) ?? ""] : [],
    ),
    images: ofType("image").map(({ source }) => {
      const { type, url, media_type, data } = recordOf(source) ?? {};
      return type === "url" ? `${url}` : `data:${media_type};base64,${data}`;
    }),
    tools: recordsOf(body.tools).map(({ name, input_schema }) => ({ name: textOf(name) ?? "", schema: input_schema })),
    calls: calls.map(({ name, input }) => ({ name: textOf(name) ?? "", input })),
    results: ofType("tool_result").map(({ tool_use_id: id, content }) => ({
      answers: textOf(calls.find((call) => call.id === id)?.name),
      text: wordsOf(content),
    })),
    stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
    schema: recordOf(recordOf(body.output_config)?.format)?.schema ?? null,
    reasoning: thinking?.type === "enabled",
    limit: numberOf(body.max_tokens),
    mustCall: recordOf(body.tool_choice)?.type === "any",
  };
}

const KNOWN =
  "max_tokens system messages temperature top_p top_k stop_sequences tools tool_choice metadata thinking output_config";

/** The rules by which Anthropic answers 400. */
function objection(body: JsonObject, members: string): string | null {
  const messages = recordsOf(body.messages);
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  if (messages.some(({ role }, at) => role === messages[at - 1]?.role)) return "messages: roles must alternate";
  const budget = recordOf(body.thinking)?.budget_tokens;
  if (typeof budget === "number" && budget >= body.max_tokens) return "max_tokens must be greater than budget_tokens";
  return unknownMember(body, `${KNOWN} ${members}`);
}

const refuse = (message: string): Response =>
  Response.json(
    { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" },
    { status: 400 },
  );

/** Anthropic's Messages. */
export const anthropic: FakeUpstream = {
  type: 14,
  model: "claude-sonnet-4-5-20250929",
  key: "sk-ant-upstream",
  isStream: (_path, body) => body.stream === true,
  objection: (path, body) => (path === "/v1/messages" ? objection(body, "model stream service_tier") : "Not found"),
  read,
  speak(answer, streamed) {
    const { complete, list } = answerOf(answer);
    return streamed ? events(list, true) : Response.json(complete);
  },
  refuse,
  breakOff: (words, message) =>
    events([...broken(words), { type: "error", error: { type: "overloaded_error", message } }], true),
};

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => new TextEncoder().encode(text),
);

function frame(kind: Readonly<Record<string, string>>, body: object): Uint8Array {
  const headers = Object.fromEntries(
    Object.entries(kind).map(([name, value]) => [`:${name}`, { type: "string" as const, value }]),
  );
  return codec.encode({ headers, body: new TextEncoder().encode(JSON.stringify(body)) });
}

/** Events as Bedrock frames them. */
export const bedrockEvents = (list: readonly object[]): Response => framed(list.map(chunkFrame));

const chunkFrame = (event: object): Uint8Array =>
  frame(
    { "message-type": "event", "event-type": "chunk" },
    { bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abcd" },
  );

const framed = (frames: readonly Uint8Array[]): Response =>
  inPieces(Buffer.concat(frames), 61, { "content-type": "application/vnd.amazon.eventstream" });

/** Claude on AWS Bedrock: the same messages, in binary frames. */
export const bedrock: FakeUpstream = {
  type: 33,
  model: "claude-sonnet-4-5-20250929",
  key: "bedrock-key|us-east-1",
  isStream: (path) => path.endsWith("/invoke-with-response-stream"),
  objection: (_path, body) =>
    body.anthropic_version === "bedrock-2023-05-31"
      ? objection(body, "anthropic_version anthropic_beta")
      : "anthropic_version: Field required",
  read,
  speak(answer, streamed) {
    const { complete, list } = answerOf(answer);
    return streamed ? framed(list.map(chunkFrame)) : Response.json(complete);
  },
  refuse: (message) => Response.json({ message }, { status: 400 }),
  breakOff: (words, message) =>
    framed([
      ...broken(words).map(chunkFrame),
      frame({ "message-type": "exception", "exception-type": "modelStreamErrorException" }, { message }),
    ]),
};
