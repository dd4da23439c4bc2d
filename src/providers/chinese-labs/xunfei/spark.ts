import { createHmac } from "node:crypto";
import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, Tool } from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { REASONING_MEMBERS } from "../../../formats/openai-chat/request/reasoning-setting.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi } from "../../contract/chat.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { bodyJson } from "../../shared/signed-body.ts";

const SUPPORTED_FIELDS = ["max_tokens", "temperature", "top_k", "tools", "user"];
/** Versions whose reasoning has a switch; X1 always reasons. */
const SWITCHABLE = /(^|-)(x1\.5|x2|spark-x)$/i;
const MAX_TOKENS = 32_768;
/** Early versions have no system message. */
const WITHOUT_SYSTEM = /(v1\.1|v2\.1|v3\.1|lite|generalv2|generalv3)(?!\.)(-128K)?$|^SparkDesk$/i;

/**
 * Writes the only frame sent in a Spark chat. Application id and domain are added with the key. Source:
 * https://www.xfyun.cn/doc/spark/Web.html
 */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { sampling, tools, toolChoice, user, reasoning } = conversation;
  const setting = SWITCHABLE.test(target.model) ? reasoning.setting : null;
  const written = setting ? { ...conversation, reasoning: { ...reasoning, setting: null } } : conversation;
  const encoded = setting ? [...SUPPORTED_FIELDS, ...REASONING_MEMBERS] : SUPPORTED_FIELDS;
  recordDropped(encodeChat({ ...written, turns: [] }, target, dropped), encoded, dropped);
  const system = systemText(conversation);
  const lines = flattenTurns(conversation, dropped).map(({ role, text }) => ({ role, content: text }));
  const asTurns = [
    { role: "user", content: system },
    { role: "assistant", content: "Okay" },
  ];
  const before =
    system === null ? [] : WITHOUT_SYSTEM.test(target.model) ? asTurns : [{ role: "system", content: system }];
  const functions = toolChoice?.type === "none" ? [] : tools.flatMap((tool) => functionOf(tool, dropped));
  const { temperature, topK, maxOutputTokens } = sampling;
  return {
    header: compact({ uid: user?.slice(0, 32) }),
    parameter: {
      chat: compact({
        temperature: temperature === null ? null : Math.min(1, Math.max(0.01, temperature)),
        top_k: topK === null ? null : Math.min(6, Math.max(1, topK)),
        max_tokens: maxOutputTokens === null ? null : Math.min(MAX_TOKENS, maxOutputTokens),
        // https://www.xfyun.cn/doc/spark/X1http.html
        thinking: setting && { type: setting.type === "off" ? "disabled" : "enabled" },
      }),
    },
    payload: {
      message: { text: [...before, ...lines] },
      ...(functions.length > 0 && { functions: { text: functions } }),
    },
  };
}

function functionOf(tool: Tool, dropped: Dropped): JsonObject[] {
  if (tool.type !== "function") {
    dropped.add(`tools: ${tool.name}`);
    return [];
  }
  const { name, description, parameters, strict } = tool;
  if (strict) dropped.add("strict");
  return [compact({ name, description, parameters: parameters ?? { type: "object", properties: {} } })];
}

function readFrame(frame: JsonObject): ParsedEvent {
  const { choices, usage } = recordOf(frame.payload) ?? {};
  const header = recordOf(frame.header) ?? {};
  const deltas = recordsOf(recordOf(choices)?.text);
  const last = numberOf(recordOf(choices)?.status) === 2 || numberOf(header.status) === 2;
  const figures = recordOf(recordOf(usage)?.text);
  const chunk = {
    id: header.sid,
    choices: deltas.map((delta) => {
      const call = recordOf(delta.function_call);
      return {
        // Spark numbers the texts within a frame; a response has one choice.
        index: 0,
        delta: {
          content: delta.content,
          reasoning_content: delta.reasoning_content,
          ...(call && { function_call: { name: call.name, arguments: call.arguments } }),
        },
        finish_reason: last ? "stop" : null,
      };
    }),
    usage: figures && { prompt_tokens: figures.prompt_tokens, completion_tokens: figures.completion_tokens },
  };
  return { chunk, last };
}

/** HTTP statuses for Spark's error codes. */
const STATUSES: Readonly<Record<number, readonly number[]>> = {
  400: [10003, 10004, 10005, 10013, 10014, 10019, 10907],
  401: [10313, 11200],
  403: [10015, 10016, 11221],
  429: [10006, 10007, 10008, 11201, 11202, 11203],
};
const BLOCKED: ReadonlySet<number> = new Set([10013, 10014, 10019]);

function decodeError(status: number, body: unknown): ReplyError | null {
  const header = recordOf(recordOf(body)?.header);
  const code = numberOf(header?.code);
  if (code === null) return status >= 400 ? errorOf(status, body) : null;
  if (code === 0) return null;
  const known = Object.entries(STATUSES).find(([, codes]) => codes.includes(code));
  const name = BLOCKED.has(code) ? "content_filter" : String(code);
  return serviceError(known ? Number(known[0]) : 502, name, `${textOf(header?.message) ?? ""} (${code})`.trim());
}

/** Xunfei Spark's chat over a WebSocket: one frame is sent, each frame received is an event. */
export const sparkCodec = chunkedCodec({
  dialect: "spark",
  encodeRequest,
  reader: () => readFrame,
  isAnswer: (body) => recordOf(body.payload) !== null,
  decodeError,
});

const DEFAULT_BASE_URL = "https://spark-api.xf-yun.com";
/** Xunfei's pages print the address of each version. */
const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "",
  printed: [[/\/(v\d(\.\d)?(\/(chat|x1))?|chat(\/[\w-]+)?|x\d)$/, ""]],
};
const DEFAULT_VERSION = "v1.1";

/** Path and domain by version. Source: https://www.xfyun.cn/doc/spark/Web.html */
const VERSIONS = lookupTable<readonly [path: string, domain: string]>({
  "v1.1": ["/v1.1/chat", "lite"],
  "v2.1": ["/v2.1/chat", "generalv2"],
  "v3.1": ["/v3.1/chat", "generalv3"],
  "v3.1-128k": ["/chat/pro-128k", "pro-128k"],
  "v3.5": ["/v3.5/chat", "generalv3.5"],
  "v3.5-32k": ["/chat/max-32k", "max-32k"],
  "v4.0": ["/v4.0/chat", "4.0Ultra"],
  x1: ["/v1/x1", "x1"],
  "x1.5": ["/x2", "spark-x"],
  x2: ["/x2", "spark-x"],
});
/** Spark's own model names. */
const VERSION_BY_DOMAIN = new Map(
  Object.values(VERSIONS).map(([path, domain]) => [domain.toLowerCase(), [path, domain] as const]),
);

/** Versions that came after this list: the service answers whether it has them. */
const NEWER = /^[vx]\d+(\.\d+)?$/;

/**
 * The version: from the client's URL, else from the model name (`SparkDesk-v3.5` or Spark's own), else the channel's
 * `other`. A version that is not known is not replaced by another.
 */
function versionOf(
  { model, requestedVersion = "" }: Pick<CallParams, "model" | "requestedVersion">,
  { other }: ProviderChannel,
): readonly [path: string, domain: string] {
  const [, named = ""] = /^[^-]*spark[^-]*-(.+)$/i.exec(model) ?? [];
  return (
    VERSIONS[requestedVersion.toLowerCase()] ??
    VERSIONS[named.toLowerCase()] ??
    VERSION_BY_DOMAIN.get(model.toLowerCase()) ??
    newerVersion(named.toLowerCase()) ??
    VERSIONS[other.trim().toLowerCase()] ??
    (VERSIONS[DEFAULT_VERSION] as readonly [string, string])
  );
}

const newerVersion = (named: string): readonly [path: string, domain: string] | undefined =>
  NEWER.test(named) ? [named.startsWith("v") ? `/${named}/chat` : `/${named}`, named] : undefined;

/** `appid|apiSecret|apiKey`. */
const credentialOf = (key: string) => {
  const [appId = "", apiSecret = "", apiKey = ""] = key.split("|").map((part) => part.trim());
  return { appId, apiSecret, apiKey };
};

/** Xunfei Spark: a chat is a WebSocket with a signed URL. `other` is the version for models whose name has none. */
export const spark: Provider = {
  type: 18,
  name: "Xunfei Spark",
  owner: "xunfei",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "appid|apiSecret|apiKey",
  // https://www.xfyun.cn/doc/spark/Web.html
  facts: {
    documented: { source: "https://www.xfyun.cn/doc/spark/Web.html", day: "2026-11-29" },
    errors: { context_overflow: [{ code: "10907" }] },
  },
  models: [
    "SparkDesk",
    "SparkDesk-v1.1",
    "SparkDesk-v2.1",
    "SparkDesk-v3.1",
    "SparkDesk-v3.1-128K",
    "SparkDesk-v3.5",
    "SparkDesk-v3.5-32K",
    "SparkDesk-v4.0",
    "SparkDesk-x1",
  ],
  url(channel, params) {
    const base = resolveBase(channel.baseUrl, ADDRESSES).api.replace(/^ws/, "http");
    return base + versionOf(params, channel)[0];
  },
  authHeaders: () => ({}),
  async sign(request, _channel, key, { nowSeconds }) {
    const { url } = request;
    const { appId, apiSecret, apiKey } = credentialOf(key);
    const { host, pathname } = new URL(url);
    const date = new Date(nowSeconds() * 1000).toUTCString();
    const text = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
    const signature = createHmac("sha256", apiSecret).update(text).digest("base64");
    const origin = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
    const query = new URLSearchParams({ authorization: Buffer.from(origin).toString("base64"), date, host });
    return { url: `${url}?${query}`, body: withCredential(bodyJson(request) ?? {}, appId, pathname) };
  },
  chat: chatApi({
    formats: ["spark"],
    codec: sparkCodec,
    streaming: { mode: () => "always", includesUsage: false, isWebSocket: true },
  }),
};

/** Adds the application id and the domain that belongs to the path. */
function withCredential(frame: JsonObject, appId: string, path: string): string {
  const known = Object.values(VERSIONS).find(([end]) => path.endsWith(end));
  const domain = known?.[1] ?? path.split("/").findLast((part) => NEWER.test(part));
  const parameter = recordOf(frame.parameter) ?? {};
  return JSON.stringify({
    ...frame,
    header: { ...recordOf(frame.header), app_id: appId },
    parameter: { ...parameter, chat: { domain, ...recordOf(parameter.chat) } },
  });
}
