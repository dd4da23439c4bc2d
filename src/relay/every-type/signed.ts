import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { parseJson, recordOf, recordsOf, textOf } from "../../dialects/json.ts";
import { openaiStream, openaiWhole } from "./compatible.ts";
import {
  ANSWER,
  dataEvents,
  eventStream,
  type FakeType,
  inPieces,
  PIECES,
  REFUSED,
  type Seen,
  USAGE,
} from "./fake-type.ts";
import { claudeEvents, claudeQuestion, claudeWhole, geminiQuestion, geminiStream, geminiWhole } from "./own-formats.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const same = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
const isRecent = (seconds: number) => Math.abs(Date.now() / 1000 - seconds) < 300;

/** TC3-HMAC-SHA256, computed anew from what was received. */
export function tencentObjection({ headers, text, path }: Omit<Seen, "query" | "body">, action: string): string | null {
  const authorization = headers.get("authorization") ?? "";
  const [, id, scope = "", signed = "", signature = ""] =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const timestamp = headers.get("x-tc-timestamp") ?? "";
  if (id !== "secret-id") return "AuthFailure.SecretIdNotFound";
  if (headers.get("x-tc-action") !== action || headers.get("x-tc-version") !== "2023-09-01") return "InvalidAction";
  const day = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
  if (scope !== `${day}/hunyuan/tc3_request` || !isRecent(Number(timestamp))) return "AuthFailure.SignatureExpire";
  const lines = signed.split(";").map((name) => `${name}:${headers.get(name)?.trim().toLowerCase()}\n`);
  const canonical = ["POST", path, "", lines.join(""), signed, sha256(text)].join("\n");
  const key = [day, "hunyuan", "tc3_request"].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    "TC3secret-key",
  );
  const expected = hmac(key, ["TC3-HMAC-SHA256", timestamp, scope, sha256(canonical)].join("\n")).toString("hex");
  return same(expected, signature) ? null : "AuthFailure.SignatureFailure";
}

const tencentUsage = { PromptTokens: USAGE.prompt, CompletionTokens: USAGE.completion, TotalTokens: 29 };

const hunyuan: FakeType = {
  type: 23,
  model: "hunyuan-turbos-latest",
  key: "1250000000|secret-id|secret-key",
  objection: (seen) => tencentObjection(seen, "ChatCompletions"),
  question: ({ Messages }) => textOf(recordsOf(Messages).at(-1)?.Content) ?? "",
  whole: () => {
    const Message = { Role: "assistant", Content: ANSWER };
    const Choices = [{ Index: 0, Message, FinishReason: "stop" }];
    return Response.json({ Response: { RequestId: "r", Id: "h1", Created: 1, Choices, Usage: tencentUsage } });
  },
  stream: () => {
    const event = (Content: string, FinishReason: string) => ({
      Id: "h1",
      Choices: [{ Index: 0, Delta: { Role: "assistant", Content }, FinishReason }],
      Usage: tencentUsage,
    });
    return eventStream(dataEvents([...PIECES.map((piece) => event(piece, "")), event("", "stop")]));
  },
  // With status 200, also where a stream was asked for.
  refusal: {
    status: 400,
    answer: () =>
      Response.json({ Response: { RequestId: "r", Error: { Code: "InvalidParameter", Message: REFUSED } } }),
  },
};

const qianfan: FakeType = {
  type: 15,
  model: "ERNIE-4.0-8K",
  key: "api-key|secret-key",
  objection: ({ path, query, body }) => {
    if (query.get("access_token") !== "24.token") return "Access token invalid";
    if (recordsOf(body.messages).length % 2 === 0) return "the length of messages must be an odd number";
    return path.endsWith("/wenxinworkshop/chat/completions_pro") ? null : `no such page: ${path}`;
  },
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  whole: () =>
    Response.json({
      id: "as-1",
      object: "chat.completion",
      created: 1,
      result: ANSWER,
      is_truncated: false,
      need_clear_history: false,
      usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
    }),
  stream: () =>
    eventStream(
      dataEvents(
        PIECES.map((result, at) => ({
          id: "as-1",
          sentence_id: at,
          is_end: at === PIECES.length - 1,
          result,
          need_clear_history: false,
          // The count of the answer stays behind.
          usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 + at * 4 },
        })),
      ),
    ),
  refusal: { status: 400, answer: () => ({ error_code: 336003, error_msg: REFUSED }) },
  beside: ({ path, query }) => {
    if (path !== "/oauth/2.0/token") return null;
    const isKnown =
      query.get("grant_type") === "client_credentials" &&
      query.get("client_id") === "api-key" &&
      query.get("client_secret") === "secret-key";
    return isKnown
      ? Response.json({ access_token: "24.token", expires_in: 2_592_000 })
      : Response.json({ error: "invalid_client", error_description: "unknown client id" }, { status: 401 });
  },
};

/** A JWT by HS256 whose secret is the key's, with times in milliseconds. */
function zhipuToken(header: string): string | null {
  const [head = "", payload = "", signature = ""] = header.split(".");
  const given = hmac("secret", `${head}.${payload}`).toString("base64url");
  if (!same(given, signature)) return "Authentication failed";
  const claims = recordOf(parseJson(Buffer.from(payload, "base64url").toString())) ?? {};
  const told = recordOf(parseJson(Buffer.from(head, "base64url").toString())) ?? {};
  if (told.alg !== "HS256" || told.sign_type !== "SIGN" || claims.api_key !== "id") return "Authentication failed";
  return Number(claims.exp) > Date.now() && isRecent(Number(claims.timestamp) / 1000) ? null : "token expired";
}

const chatglm: FakeType = {
  type: 16,
  model: "chatglm_turbo",
  key: "id.secret",
  objection: ({ path, headers }) =>
    zhipuToken(headers.get("authorization") ?? "") ??
    (/^\/api\/paas\/v3\/model-api\/chatglm_turbo\/(sse-)?invoke$/.test(path) ? null : `no such page: ${path}`),
  question: ({ prompt }) => textOf(recordsOf(prompt).at(-1)?.content) ?? "",
  whole: () => {
    const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
    const choices = [{ role: "assistant", content: JSON.stringify(ANSWER) }];
    return Response.json({ code: 200, msg: "ok", success: true, data: { request_id: "1", choices, usage } });
  },
  stream: () => {
    const meta = { task_status: "SUCCESS", usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } };
    return eventStream([
      ...PIECES.map((piece) => `event:add\nid:7\ndata:${piece}\n\n`),
      `event:finish\nid:7\ndata:\nmeta:${JSON.stringify(meta)}\n\n`,
    ]);
  },
  refusal: { status: 400, answer: () => ({ code: 1210, msg: REFUSED, success: false }) },
  // The fourth API takes whole keys too.
  beside: ({ path, headers }) =>
    path === "/api/paas/v4/models" && headers.get("authorization") === "Bearer id.secret"
      ? Response.json({ object: "list", data: [{ id: "model-b" }, { id: "model-a" }] })
      : null,
  models: ["model-b", "model-a"],
};

/** The same type's fourth API, which takes the token as OpenAI takes keys. */
export const zhipuFourth: FakeType = {
  ...chatglm,
  model: "glm-4.6",
  objection: ({ path, headers }) =>
    zhipuToken((headers.get("authorization") ?? "").replace(/^Bearer /, "")) ??
    (path === "/api/paas/v4/chat/completions" ? null : `no such page: ${path}`),
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  whole: openaiWhole,
  stream: openaiStream,
  refusal: {
    status: 400,
    answer: () => Response.json({ error: { code: "1210", message: REFUSED } }, { status: 400 }),
  },
};

/** The signature of Spark's address, computed anew from what was received. */
function sparkObjection({ path, query, headers }: Seen): string | null {
  const origin = Buffer.from(query.get("authorization") ?? "", "base64").toString();
  const {
    api_key,
    algorithm,
    headers: signed,
    signature = "",
  } = Object.fromEntries([...origin.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])) as Record<
    string,
    string
  >;
  const date = query.get("date") ?? "";
  if (api_key !== "api-key" || algorithm !== "hmac-sha256" || signed !== "host date request-line")
    return "HMAC signature cannot be verified";
  if (!isRecent(Date.parse(date) / 1000) || query.get("host") !== headers.get("host"))
    return "HMAC signature cannot be verified";
  const text = `host: ${headers.get("host")}\ndate: ${date}\nGET ${path} HTTP/1.1`;
  return same(hmac("api-secret", text).toString("base64"), signature) ? null : "HMAC signature does not match";
}

const spark: FakeType = {
  type: 18,
  model: "SparkDesk-v3.5",
  key: "app|api-secret|api-key",
  objection: (seen) => sparkObjection(seen) ?? (seen.path === "/v3.5/chat" ? null : `no such page: ${seen.path}`),
  question: ({ payload }) => textOf(recordsOf(recordOf(recordOf(payload)?.message)?.text).at(-1)?.content) ?? "",
  frames: ({ header, parameter }) => {
    const isKnown = recordOf(header)?.app_id === "app" && recordOf(recordOf(parameter)?.chat)?.domain === "generalv3.5";
    if (!isKnown) return [{ header: { code: 10015, message: "app or domain unknown", sid: "s", status: 2 } }];
    return PIECES.map((content, seq) => {
      const status = seq === 0 ? 0 : seq === PIECES.length - 1 ? 2 : 1;
      const text = [{ content, role: "assistant", index: 0 }];
      const usage = { text: { question_tokens: 4, prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } };
      return {
        header: { code: 0, message: "Success", sid: "s", status },
        payload: { choices: { status, seq, text }, ...(status === 2 && { usage }) },
      };
    });
  },
  refusal: { status: 400, answer: () => ({ header: { code: 10004, message: REFUSED, sid: "s", status: 2 } }) },
};

/** AWS Signature Version 4, computed anew from what was received. */
function awsObjection({ path, headers, text }: Seen): string | null {
  const authorization = headers.get("authorization") ?? "";
  const [, scope = "", signed = "", signature = ""] =
    /Credential=AKID\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})/.exec(authorization) ?? [];
  const lines = signed.split(";").map((name) => `${name}:${headers.get(name)?.trim()}\n`);
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const canonical = ["POST", encoded, "", lines.join(""), signed, headers.get("x-amz-content-sha256") ?? sha256(text)];
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

const bedrockClaude: FakeType = {
  type: 33,
  model: "claude-sonnet-4-5-20250929",
  key: "AKID|secret|us-east-1",
  objection: (seen) =>
    awsObjection(seen) ??
    (/^\/model\/us\.anthropic\.claude-sonnet-4-5-20250929-v1(:|%3A)0\/invoke(-with-response-stream)?$/.test(seen.path)
      ? null
      : `no such page: ${seen.path}`),
  question: claudeQuestion,
  whole: claudeWhole,
  stream: () =>
    binary(
      claudeEvents.map((event) => frame("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") })),
    ),
  refusal: { status: 400, answer: awsError },
};

const converseUsage = { inputTokens: USAGE.prompt, outputTokens: USAGE.completion, totalTokens: 29 };

const bedrockConverse: FakeType = {
  type: 1007,
  model: "us.amazon.nova-pro-v1:0",
  key: "AKID|secret|us-east-1",
  objection: (seen) =>
    awsObjection(seen) ??
    (/^\/model\/us\.amazon\.nova-pro-v1(:|%3A)0\/converse(-stream)?$/.test(seen.path)
      ? null
      : `no such page: ${seen.path}`),
  question: ({ messages }) => textOf(recordsOf(recordsOf(messages).at(-1)?.content)[0]?.text) ?? "",
  whole: () =>
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

/** Express mode: its key goes as it is. The exchange for service accounts has a test of its own. */
const vertex: FakeType = {
  type: 41,
  model: "gemini-2.5-pro",
  key: "upstream",
  objection: ({ path, headers }) => {
    if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
    return path.startsWith("/v1/publishers/google/models/gemini-2.5-pro:") ? null : `no such page: ${path}`;
  },
  question: geminiQuestion,
  whole: geminiWhole,
  stream: geminiStream,
  refusal: {
    status: 400,
    answer: () =>
      Response.json([{ error: { code: 400, message: REFUSED, status: "INVALID_ARGUMENT" } }], { status: 400 }),
  },
};

const GENERATION = "/api/v1/services/aigc/text-generation/generation";

/** Chats of OpenAI's clients go to the address that imitates it; the test of a connection goes to its own. */
const dashscope: FakeType = {
  type: 17,
  model: "qwen-plus",
  key: "upstream",
  objection: ({ path, headers }) => {
    if (headers.get("authorization") !== "Bearer upstream") return "InvalidApiKey";
    return path === "/compatible-mode/v1/chat/completions" || path === GENERATION ? null : `no such page: ${path}`;
  },
  question: ({ messages, input }) => textOf(recordsOf(messages ?? recordOf(input)?.messages).at(-1)?.content) ?? "",
  whole({ path }) {
    if (path !== GENERATION) return openaiWhole();
    const choices = [{ message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }];
    return Response.json({ output: { choices }, usage: { input_tokens: 20, output_tokens: 9 }, request_id: "r" });
  },
  stream: openaiStream,
  refusal: {
    status: 400,
    answer: () => Response.json({ error: { code: "invalid_parameter_error", message: REFUSED } }, { status: 400 }),
  },
  beside: ({ path }) =>
    path === "/compatible-mode/v1/models" ? Response.json({ data: [{ id: "model-b" }, { id: "model-a" }] }) : null,
  models: ["model-b", "model-a"],
};

/** Services that verify signatures or exchange keys, and those with more than one face. */
export const signedTypes: readonly FakeType[] = [
  hunyuan,
  qianfan,
  chatglm,
  spark,
  bedrockClaude,
  bedrockConverse,
  vertex,
  dashscope,
];
