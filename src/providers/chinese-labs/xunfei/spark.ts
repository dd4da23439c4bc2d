import { createHmac } from "node:crypto";
import { parseJson, recordOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { chatApi } from "../../contract/chat.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { sparkCodec } from "./codec.ts";

const DEFAULT_BASE_URL = "https://spark-api.xf-yun.com";
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
});
/** Spark's own model names. */
const VERSION_BY_DOMAIN = new Map(
  Object.values(VERSIONS).map(([path, domain]) => [domain.toLowerCase(), [path, domain] as const]),
);

/**
 * The version: from the client's URL, else from the model name (`SparkDesk-v3.5` or Spark's own), else the channel's
 * `other`.
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
    VERSIONS[other.trim().toLowerCase()] ??
    (VERSIONS[DEFAULT_VERSION] as readonly [string, string])
  );
}

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
    const base = (channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/^ws/, "http");
    return base + versionOf(params, channel)[0];
  },
  authHeaders: () => ({}),
  async sign({ url, body }, _channel, key, { nowSeconds }) {
    const { appId, apiSecret, apiKey } = credentialOf(key);
    const { host, pathname } = new URL(url);
    const date = new Date(nowSeconds() * 1000).toUTCString();
    const text = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
    const signature = createHmac("sha256", apiSecret).update(text).digest("base64");
    const origin = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
    const query = new URLSearchParams({ authorization: Buffer.from(origin).toString("base64"), date, host });
    return { url: `${url}?${query}`, body: withCredential(body, appId, pathname) };
  },
  chat: chatApi({
    formats: ["spark"],
    codec: sparkCodec,
    streaming: { mode: () => "always", includesUsage: false, isWebSocket: true },
  }),
};

/** Adds the application id and the domain that belongs to the path. */
function withCredential(body: string, appId: string, path: string): string {
  const frame = recordOf(parseJson(body)) ?? {};
  const domain = Object.values(VERSIONS).find(([known]) => path.endsWith(known))?.[1];
  const parameter = recordOf(frame.parameter) ?? {};
  return JSON.stringify({
    ...frame,
    header: { ...recordOf(frame.header), app_id: appId },
    parameter: { ...parameter, chat: { domain, ...recordOf(parameter.chat) } },
  });
}
