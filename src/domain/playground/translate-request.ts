import { randomUUID } from "node:crypto";
import type { Catalog } from "../../catalog/catalog.ts";
import { anthropicClientCodec } from "../../formats/anthropic/index.ts";
import type { ClientCodec } from "../../formats/conversation/codec.ts";
import { withDescribedFormat } from "../../formats/conversation/conversation.ts";
import { geminiClientCodec } from "../../formats/gemini/index.ts";
import { inClientNames } from "../../formats/helpers/member-names.ts";
import { type JsonObject, textOf } from "../../formats/json.ts";
import { openaiChatClientCodec } from "../../formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../formats/openai-responses/index.ts";
import { codecOf } from "../../providers/registry.ts";

/** The formats in which clients can make a chat call. */
export type CodeFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** The same call in another format. */
export type TranslatedRequest = Readonly<{
  /** The path below the gateway's address. */
  path: string;
  body: JsonObject;
  /** Members of the request that the format has no place for. */
  dropped: readonly string[];
}>;

const DEFAULT_MAX_TOKENS = 4096;

/** The request to write: in a client's format, and for which model where its body does not name it. */
type SourceRequest = Readonly<{ from: CodeFormat; body: JsonObject; model: string }>;

/** Writes a client's request in a format. Throws DecodeError when it is none. */
export function translateRequest(catalog: Catalog, source: SourceRequest, format: CodeFormat): TranslatedRequest {
  const { from, body: request } = source;
  const model = textOf(request.model) ?? source.model;
  const path = pathOf(format, model);
  if (format === from) return { path, body: request, dropped: [] };
  const dropped = new Set<string>();
  const info = catalog.find(model);
  const read = CLIENT_CODECS[from].decodeRequest(request, { model, stream: false });
  const conversation = format.startsWith("openai") ? read : withDescribedFormat(read);
  const target = {
    model,
    info,
    defaultMaxTokens: Math.min(info.output_limit ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS),
    newId: (prefix: string) => `${prefix}${randomUUID().replaceAll("-", "")}`,
  };
  const body = codecOf(format).encodeRequest(conversation, target, dropped);
  return { path, body, dropped: inClientNames(dropped, from, request) };
}

const CLIENT_CODECS: Readonly<Record<CodeFormat, ClientCodec>> = {
  "openai-chat": openaiChatClientCodec,
  "openai-responses": openaiResponsesClientCodec,
  anthropic: anthropicClientCodec,
  gemini: geminiClientCodec,
};

function pathOf(format: CodeFormat, model: string): string {
  switch (format) {
    case "openai-chat":
      return "/v1/chat/completions";
    case "openai-responses":
      return "/v1/responses";
    case "anthropic":
      return "/v1/messages";
    case "gemini":
      return `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
  }
}
