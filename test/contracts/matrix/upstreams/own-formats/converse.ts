import { EventStreamCodec } from "@smithy/eventstream-codec";
import {
  type JsonObject,
  listOf,
  numberOf,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
} from "../../../../../src/formats/json.ts";
import { type Answer, halves, inPieces, type Sent } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";

const ENDS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as const;

const usageOf = ({ usage }: Answer) => ({
  inputTokens: usage.prompt - usage.cached,
  outputTokens: usage.completion,
  totalTokens: usage.prompt - usage.cached + usage.completion,
  cacheReadInputTokens: usage.cached,
  cacheWriteInputTokens: 0,
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function frame(kind: Readonly<Record<string, string>>, body: object): Uint8Array {
  const headers = Object.fromEntries(
    Object.entries(kind).map(([name, value]) => [`:${name}`, { type: "string" as const, value }]),
  );
  return codec.encode({ headers, body: Buffer.from(JSON.stringify(body)) });
}
const event = (name: string, body: object) =>
  frame({ "message-type": "event", "event-type": name }, { ...body, p: "abcd" });
const framed = (frames: readonly Uint8Array[]): Response =>
  inPieces(Buffer.concat(frames), 59, { "content-type": "application/vnd.amazon.eventstream" });

function speak(answer: Answer, streamed: boolean): Response {
  const { thought, text, calls, finish } = answer;
  const uses = calls.map(({ name, input }, at) => ({ toolUseId: `tooluse_${at}`, name, input }));
  if (!streamed) {
    const content = [
      ...(thought ? [{ reasoningContent: { reasoningText: { text: thought } } }] : []),
      ...(text ? [{ text }] : []),
      ...uses.map((toolUse) => ({ toolUse })),
    ];
    const message = { role: "assistant", content };
    return Response.json({
      output: { message },
      stopReason: ENDS[finish],
      usage: usageOf(answer),
      metrics: { latencyMs: 3 },
    });
  }
  const deltas = [
    ...halves(thought).map((piece) => ({ reasoningContent: { text: piece } })),
    ...halves(text).map((piece) => ({ text: piece })),
  ];
  const called = uses.flatMap(({ toolUseId, name, input }, at) => {
    const contentBlockIndex = at + 2;
    return [
      event("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } }),
      ...halves(JSON.stringify(input)).map((piece) =>
        event("contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input: piece } } }),
      ),
      event("contentBlockStop", { contentBlockIndex }),
    ];
  });
  return framed([
    event("messageStart", { role: "assistant" }),
    // Texts have no start of their own.
    ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex: "text" in delta ? 1 : 0, delta })),
    ...called,
    event("messageStop", { stopReason: ENDS[finish] }),
    event("metadata", { usage: usageOf(answer), metrics: { latencyMs: 3 } }),
  ]);
}

const SMALL_USAGE = { inputTokens: 5, outputTokens: 3, totalTokens: 8 };

/** A short answer that ends for the given reason. */
export function converseEnding(text: string, stopReason: string, streamed: boolean): Response {
  const message = { role: "assistant", content: [{ text }] };
  if (!streamed) return Response.json({ output: { message }, stopReason, usage: SMALL_USAGE });
  return framed([
    event("messageStart", { role: "assistant" }),
    event("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
    event("messageStop", { stopReason }),
    event("metadata", { usage: SMALL_USAGE }),
  ]);
}

function read(body: JsonObject): Sent {
  const messages = recordsOf(body.messages).map(({ role, content }) => ({ role, blocks: recordsOf(content) }));
  const blocks = messages.flatMap((message) => message.blocks);
  const user = messages.filter(({ role }) => role === "user");
  const uses = blocks.flatMap(({ toolUse }) => listOf(recordOf(toolUse)));
  const config = recordOf(body.toolConfig);
  const inference = recordOf(body.inferenceConfig);
  return {
    system: recordsOf(body.system)
      .flatMap(({ text }) => textOf(text) ?? [])
      .join("\n"),
    texts: user.flatMap((message) => message.blocks.flatMap(({ text }) => textOf(text) ?? [])),
    images: user.flatMap((message) =>
      message.blocks.flatMap(({ image }) => {
        const { format, source } = recordOf(image) ?? {};
        const bytes = textOf(recordOf(source)?.bytes);
        return bytes === null ? [] : [`data:image/${format};base64,${bytes}`];
      }),
    ),
    tools: recordsOf(config?.tools).map(({ toolSpec }) => {
      const { name, inputSchema } = recordOf(toolSpec) ?? {};
      return { name: textOf(name) ?? "", schema: recordOf(inputSchema)?.json };
    }),
    calls: uses.map(({ name, input }) => ({ name: textOf(name) ?? "", input })),
    results: blocks.flatMap(({ toolResult }) => {
      const result = recordOf(toolResult);
      if (!result) return [];
      const use = uses.find(({ toolUseId }) => toolUseId === result.toolUseId);
      const text = recordsOf(result.content)
        .flatMap((part) => textOf(part.text) ?? [])
        .join("");
      return [{ answers: textOf(use?.name), text }];
    }),
    stop: Array.isArray(inference?.stopSequences) ? inference.stopSequences.map(String) : [],
    schema: schemaOf(body),
    reasoning: typeof recordOf(body.additionalModelRequestFields)?.reasoning_effort === "string",
    limit: numberOf(inference?.maxTokens),
    mustCall: recordOf(recordOf(config?.toolChoice)?.any) !== null,
  };
}

/** The schema of the answer, which is sent as text. */
function schemaOf(body: JsonObject): unknown {
  const { type, structure } = recordOf(recordOf(body.outputConfig)?.textFormat) ?? {};
  const text = textOf(recordOf(recordOf(structure)?.jsonSchema)?.schema);
  return type === "json_schema" && text !== null ? parseJson(text) : null;
}

const KNOWN = `messages system inferenceConfig toolConfig outputConfig additionalModelRequestFields serviceTier
  requestMetadata`;

/** Every family on AWS Bedrock, by its Converse: binary frames named by what they hold. */
export const converse: FakeUpstream = {
  type: 1007,
  model: "openai.gpt-oss-120b-1:0",
  key: "bedrock-key|us-east-1",
  isStream: (path) => path.endsWith("/converse-stream"),
  objection: (path, body) =>
    /\/converse(-stream)?$/.test(path) ? unknownMember(body, KNOWN) : `No such page: ${path}`,
  read,
  speak,
  refuse: (message) => Response.json({ message }, { status: 400 }),
  breakOff: (words, message) =>
    framed([
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: words } }),
      frame({ "message-type": "exception", "exception-type": "modelStreamErrorException" }, { message }),
    ]),
};
