import { EventStreamCodec } from "@smithy/eventstream-codec";
import { recordsOf, textOf } from "../../../../src/formats/json.ts";
import { ANSWER, type FakeType, inPieces, PIECES, REFUSED, type Seen, USAGE } from "./fake-type.ts";
import { claudeEvents, claudeQuestion, claudeReply } from "./native-formats.ts";
import { hmac, same, sha256 } from "./signing.ts";

/** AWS Signature Version 4, recomputed from what was received. */
function awsObjection({ path, headers, text }: Seen): string | null {
  const authorization = headers.get("authorization") ?? "";
  const [, scope = "", signed = "", signature = ""] =
    /Credential=AKID\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})/.exec(authorization) ?? [];
  const lines = signed.split(";").map((name) => `${name}:${headers.get(name)?.trim()}\n`);
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const canonical = ["POST", encoded, "", lines.join(""), signed, sha256(text)];
  const key = [...scope.split("/")].reduce<string | Buffer>((made, part) => hmac(made, part), "AWS4secret");
  const parts = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, sha256(canonical.join("\n"))];
  return same(hmac(key, parts.join("\n")).toString("hex"), signature) ? null : "The request signature does not match";
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);
const frame = (name: string, body: object): Uint8Array =>
  codec.encode({
    headers: {
      ":message-type": { type: "string", value: "event" },
      ":event-type": { type: "string", value: name },
    },
    body: Buffer.from(JSON.stringify(body)),
  });
const binary = (frames: readonly Uint8Array[]) =>
  inPieces(Buffer.concat(frames), "application/vnd.amazon.eventstream", 41);
const awsError = () => Response.json({ message: REFUSED }, { status: 400 });

export const bedrockClaude: FakeType = {
  type: 33,
  model: "claude-sonnet-4-5-20250929",
  key: "AKID|secret|us-east-1",
  objection: (seen) =>
    awsObjection(seen) ??
    (/^\/model\/us\.anthropic\.claude-sonnet-4-5-20250929-v1(:|%3A)0\/invoke(-with-response-stream)?$/.test(seen.path)
      ? null
      : `no such page: ${seen.path}`),
  question: claudeQuestion,
  reply: claudeReply,
  stream: () =>
    binary(
      claudeEvents.map((event) => frame("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") })),
    ),
  refusal: { status: 400, answer: awsError },
};

const converseUsage = { inputTokens: USAGE.prompt, outputTokens: USAGE.completion, totalTokens: 29 };

export const bedrockConverse: FakeType = {
  type: 1007,
  model: "us.amazon.nova-pro-v1:0",
  key: "AKID|secret|us-east-1",
  objection: (seen) =>
    awsObjection(seen) ??
    (/^\/model\/us\.amazon\.nova-pro-v1(:|%3A)0\/converse(-stream)?$/.test(seen.path)
      ? null
      : `no such page: ${seen.path}`),
  question: ({ messages }) => textOf(recordsOf(recordsOf(messages).at(-1)?.content)[0]?.text) ?? "",
  reply: () =>
    Response.json({
      output: { message: { role: "assistant", content: [{ text: ANSWER }] } },
      stopReason: "end_turn",
      usage: converseUsage,
      metrics: { latencyMs: 5 },
    }),
  stream: () =>
    binary([
      frame("messageStart", { role: "assistant", p: "ab" }),
      ...PIECES.map((text) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text }, p: "abc" })),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      frame("messageStop", { stopReason: "end_turn" }),
      frame("metadata", { usage: converseUsage, metrics: { latencyMs: 5 } }),
    ]),
  refusal: { status: 400, answer: awsError },
};
