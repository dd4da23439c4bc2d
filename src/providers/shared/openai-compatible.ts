import { readOpenAiModelList } from "../../formats/openai-chat/model-list.ts";
import { requestsSearch } from "../../formats/tools/web-search.ts";
import { type ChatApi, chatApi, type NativeFormat } from "../contract/chat.ts";
import {
  type Balance,
  type Capability,
  isTask,
  type NoListPrice,
  openaiPath,
  type Provider,
  type ProviderChannel,
} from "../contract/provider.ts";
import { applyQuirks, onResponsesRejected, type Quirks } from "./quirks.ts";

/** A service that speaks OpenAI's API at its own address. */
type OpenAiCompatible = Readonly<{
  type: number;
  name: string;
  owner: string;
  /** Null: the channel must have a base URL. */
  baseUrl: string | null;
  /**
   * The path between the base URL and `/chat/completions`; absent: `/v1`. A base URL that already ends with it stays
   * unchanged.
   */
  apiRoot?: string;
  /** Absent: chats only. */
  capabilities?: readonly Capability[];
  keyHint?: string;
  models: readonly string[];
  noListPrice?: NoListPrice;
  /** There is no model list at `/models`. */
  withoutModelList?: boolean;
  /** It rejects `stream_options`. */
  withoutStreamUsage?: boolean;
  quirks?: Quirks;
  /** Calls in a format of its own, and their path after the API root; absent: OpenAI's path. */
  native?: Readonly<Partial<Record<Capability, Readonly<{ path?: string; format: NativeFormat }>>>>;
  /** Has OpenAI's files and batches. */
  files?: boolean;
  /** Takes Anthropic's prompt cache markers. */
  cacheMarkers?: boolean;
  /** Its responses differ from OpenAI's format, so that they are never passed through. */
  nonstandardResponses?: boolean;
  /** Has OpenAI's Responses. */
  responses?: boolean;
  /** Its Responses API connects to the MCP servers of requests. */
  runsMcp?: boolean;
  formatOf?: ChatApi["formatOf"];
  /** Paths after the base URL, and the amount in the response. */
  balance?: Readonly<{ path: string; fallbackPath?: string; read(response: unknown): unknown }> &
    Pick<Balance, "currency">;
  /** Headers in addition to the key. */
  headers?: Readonly<Record<string, string>>;
}>;

/** Defines the provider of an OpenAI-compatible service by its differences. */
export function openAiCompatible(service: OpenAiCompatible): Provider & Readonly<{ chat: ChatApi }> {
  const { quirks = {}, native } = service;
  const address = (channel: ProviderChannel) => addressOf(service, channel);
  return {
    type: service.type,
    name: service.name,
    owner: service.owner,
    defaultBaseUrl: service.baseUrl,
    capabilities: service.capabilities ?? ["chat"],
    keyHint: service.keyHint ?? "sk-…",
    models: service.models,
    ...(service.noListPrice && { noListPrice: service.noListPrice }),
    url: (channel, params) =>
      address(channel) +
      ((!isTask(params.capability) && native?.[params.capability]?.path) || openaiPath(params)) +
      (params.urlTail ?? ""),
    authHeaders: (_channel, key) => ({ ...(key && { authorization: `Bearer ${key}` }), ...service.headers }),
    prepare: (body, params) => applyQuirks(body, params, quirks),
    ...(service.responses && { onRejected: onResponsesRejected }),
    chat: chatApi({
      formats: service.responses ? ["openai-chat", "openai-responses"] : ["openai-chat"],
      ...(service.responses && { searchesInResponses: () => true }),
      ...(service.runsMcp && {
        runsMcp: (_channel, format, isDeclared) => format === "openai-responses" && isDeclared !== false,
      }),
      ...(service.formatOf && { formatOf: service.formatOf }),
      requestsSearch: (body, model) => requestsSearch(body) || quirks.search?.isRequestedBy?.(body, model) === true,
      searchTool: quirks.search?.pricedAs ?? null,
      streaming: { includesUsage: !service.withoutStreamUsage },
      features: {
        webSearch: quirks.search !== undefined,
        cacheMarkers: service.cacheMarkers === true,
        nonstandardResponses: service.nonstandardResponses === true,
      },
    }),
    ...(native && {
      nativeFormat: ({ capability }) => (!isTask(capability) && native[capability]?.format) || null,
    }),
    ...(!service.withoutModelList && {
      modelList: { url: (channel: ProviderChannel) => `${address(channel)}/models`, read: readOpenAiModelList },
    }),
    ...(service.files && { files: { url: (channel: ProviderChannel, path: string) => address(channel) + path } }),
    ...(service.balance && { balance: balanceOf(service, service.balance) }),
  };
}

function addressOf({ baseUrl, apiRoot = "/v1" }: OpenAiCompatible, channel: ProviderChannel): string {
  const address = (channel.baseUrl || baseUrl || "").replace(/\/+$/, "");
  return apiRoot === "" || address.endsWith(apiRoot) ? address : address + apiRoot;
}

function balanceOf(
  service: OpenAiCompatible,
  { path, fallbackPath, read, currency }: NonNullable<OpenAiCompatible["balance"]>,
): Balance {
  const { apiRoot = "/v1" } = service;
  const urlOf = (suffix: string) => (channel: ProviderChannel) =>
    addressOf(service, channel).slice(0, apiRoot === "" ? undefined : -apiRoot.length) + suffix;
  return {
    url: urlOf(path),
    ...(fallbackPath && { fallbackUrl: urlOf(fallbackPath) }),
    read(response) {
      const amount = Number(read(response) ?? Number.NaN);
      return Number.isFinite(amount) ? amount : null;
    },
    ...(currency && { currency }),
  };
}
