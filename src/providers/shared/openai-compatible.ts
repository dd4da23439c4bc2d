import { readOpenAiModelList } from "../../formats/openai-chat/model-list.ts";
import { requestsSearch } from "../../formats/tools/web-search.ts";
import { type AddressForms, openaiPath, resolveBase } from "../contract/base-address.ts";
import { type ChatApi, chatApi, type NativeFormat } from "../contract/chat.ts";
import type { ServiceFacts } from "../contract/facts.ts";
import {
  type Balance,
  type Capability,
  isTask,
  type NoListPrice,
  type Provider,
  type ProviderChannel,
} from "../contract/provider.ts";
import { fitRequest, onResponsesRejected } from "./fit-request.ts";

/** A service that speaks OpenAI's API at its own address. */
type OpenAiCompatible = Readonly<{
  type: number;
  name: string;
  owner: string;
  /** Null: the channel must have a base URL. */
  baseUrl: string | null;
  /** Absent: chats only. */
  capabilities?: readonly Capability[];
  keyHint?: string;
  models: readonly string[];
  noListPrice?: NoListPrice;
  /** There is no model list at `/models`. */
  withoutModelList?: boolean;
  /** It rejects `stream_options`. */
  withoutStreamUsage?: boolean;
  /** How it differs from OpenAI; absent: nothing is known about it. */
  facts?: ServiceFacts;
  /** Calls in a format of its own, and their path after the API root; absent: OpenAI's path. */
  native?: Readonly<Partial<Record<Capability, Readonly<{ path?: string; format: NativeFormat }>>>>;
  /** Has OpenAI's files and batches. */
  files?: boolean;
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
  const { facts, native } = service;
  const { search } = facts?.requests ?? {};
  const forms = { root: "/v1", ...facts?.addresses, fallback: service.baseUrl };
  const address = (channel: ProviderChannel) => resolveBase(channel.baseUrl, forms).api;
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
    ...(facts && { facts: search ? { ...facts, chat: { ...facts.chat, webSearch: true } } : facts }),
    prepare: (body, params) => fitRequest(body, params, facts ?? {}),
    ...(service.responses && { onRejected: onResponsesRejected }),
    chat: chatApi({
      formats: service.responses ? ["openai-chat", "openai-responses"] : ["openai-chat"],
      ...(service.responses && { searchesInResponses: () => true }),
      ...(service.runsMcp && {
        runsMcp: (_channel, format, isDeclared) => format === "openai-responses" && isDeclared !== false,
      }),
      ...(service.formatOf && { formatOf: service.formatOf }),
      requestsSearch: (body, model) => requestsSearch(body) || search?.isRequestedBy?.(body, model) === true,
      searchTool: search?.pricedAs ?? null,
      streaming: { includesUsage: !service.withoutStreamUsage },
    }),
    ...(native && {
      nativeFormat: ({ capability }) => (!isTask(capability) && native[capability]?.format) || null,
    }),
    ...(!service.withoutModelList && {
      modelList: { url: (channel: ProviderChannel) => `${address(channel)}/models`, read: readOpenAiModelList },
    }),
    ...(service.files && { files: { url: (channel: ProviderChannel, path: string) => address(channel) + path } }),
    ...(service.balance && { balance: balanceOf(forms, service.balance) }),
  };
}

function balanceOf(
  forms: AddressForms,
  { path, fallbackPath, read, currency }: NonNullable<OpenAiCompatible["balance"]>,
): Balance {
  const urlOf = (suffix: string) => (channel: ProviderChannel) => resolveBase(channel.baseUrl, forms).service + suffix;
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
