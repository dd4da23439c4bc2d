import { UNKNOWN_MODEL } from "../../catalog/catalog.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import { hasGatewayMark } from "../../formats/conversation/signature.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { readUsage } from "../../formats/openai-chat/response/usage.ts";
import {
  compactedResponse,
  compactionItems,
  sealSummary,
  summarizing,
  triggeredResponse,
  triggeredStream,
} from "../../formats/openai-responses/compaction.ts";
import { openaiResponsesCodec } from "../../formats/openai-responses/index.ts";
import { randomId } from "../../lib/http/request.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { spliceTopLevel } from "../../lib/values/json/json-splice.ts";
import type { CallParams, Limitation } from "../../providers/contract/provider.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import { OutputMeter } from "../money/output-meter.ts";
import type { Adapter, CompleteResponse, EncodedRequest } from "../upstream/adapter.ts";
import { adapterLike } from "./views/adapter-like.ts";
import { CompactionView } from "./views/compaction-view.ts";

/** An adapter like `inner` with its own request encoding and complete responses. */
const withOwn = (inner: Adapter, own: Pick<Adapter, "encode" | "readResponse">): Adapter =>
  adapterLike(inner, { synthesizeStream: () => null, ...own });

/** The adapter of a call in whose response the provider may compact the conversation; `keep` receives such items. */
export const watchCompactions = (inner: Adapter, keep: (output: unknown) => void): Adapter => {
  const read = (body: Uint8Array) => keep(recordOf(parseJson(textOfBytes(body)))?.output);
  return {
    ...withOwn(inner, {
      encode: () => inner.encode(),
      readResponse(body, contentType) {
        read(body);
        return inner.readResponse(body, contentType);
      },
    }),
    findBackgroundResponse: (first) => inner.findBackgroundResponse?.(first) ?? null,
    synthesizeStream(body, contentType) {
      read(body);
      return inner.synthesizeStream(body, contentType);
    },
    streamView: () => new CompactionView(inner.streamView(), keep),
  };
};

/**
 * Compacts with the provider's own endpoint: forwards the request with the upstream model name, and returns the
 * response unchanged. `keep` receives the items of the response.
 */
export const nativeCompaction = (
  call: Call,
  { upstreamModel, provider }: Route,
  inner: Adapter,
  limitations: ReadonlySet<Limitation>,
  keep: (output: unknown) => void,
): Adapter =>
  withOwn(inner, {
    async encode() {
      const params: CallParams = {
        capability: "chat",
        dialect: "openai-responses",
        model: upstreamModel,
        requestedModel: call.candidates.model,
        stream: false,
        compacts: true,
        limitations,
      };
      // Applies suffixes in model names, because this endpoint has no member for an effort.
      const model = provider.prepare?.(call.body.json, params)?.model ?? upstreamModel;
      return { ask: { ...params, model }, ...nativeBody(call, model) };
    },
    readResponse(body, contentType) {
      const answer = recordOf(parseJson(textOfBytes(body)));
      if (compactionItems(answer?.output).length === 0) return null;
      keep(answer?.output);
      const meter = new OutputMeter();
      meter.other();
      return { body, contentType, reported: readUsage(answer?.usage), meter };
    },
  });

/** The provider cannot read items that this gateway created: then the input is encoded again. */
function nativeBody(call: Call, model: string): Pick<EncodedRequest, "body" | "dropped"> {
  const { body, isResumed } = call;
  const conversation = isResumed || hasGatewayMark(body.text) ? call.fullConversation?.() : null;
  if (!conversation) return { body: spliceTopLevel(body.text, { model }, body.json), dropped: [] };
  const dropped = new Set<string>();
  const { previous_response_id: _, ...json } = body.json;
  const { previous_response_id: previous } = conversation.extra.members;
  const input = itemsOf(conversation, dropped);
  return {
    body: JSON.stringify({ ...json, ...(previous ? { previous_response_id: previous } : {}), model, input }),
    dropped: [...dropped],
  };
}

/** The call whose response becomes the summary of this call's conversation. */
export function summarizingCall(call: Call): Call {
  const { background: _, ...json } = call.body.json;
  const conversation = summarizing(conversationOf(call));
  const read = () => conversation;
  const body = { ...call.body, json };
  const summary = { ...call.summary, stream: false };
  return { ...call, body, summary, conversation: read, fullConversation: read, isResumed: true };
}

/**
 * Compacts with a summary that the model writes; `inner` is the adapter of the summarizing call. A response without a
 * summary is invalid. `codeOf` makes the code that authenticates the summary when the client sends it back.
 */
export function summarizingCompaction(call: Call, inner: Adapter, codeOf: (summary: string) => string): Adapter {
  const isCompact = call.endpoint.compacts === true;
  const read = (body: Buffer<ArrayBuffer>, contentType: string, isStream: boolean): CompleteResponse | null => {
    const response = inner.readResponse(body, contentType);
    const answer = response && answerOf(response, NO_USAGE);
    const summary = answer && summaryIn(answer);
    if (!summary) return null;
    const sealed = sealSummary({ summary, code: codeOf(summary) });
    const compacted = (usage: Usage): JsonObject => {
      if (!isCompact) return triggeredResponse(answer, sealed, usage);
      const base = { id: randomId("resp_"), createdAt: call.createdAt, usage };
      return compactedResponse(base, conversationOf(call), sealed, itemsOf);
    };
    return {
      body: (usage) => (isStream ? triggeredStream(compacted(usage)) : JSON.stringify(compacted(usage))),
      contentType: isStream ? call.endpoint.codec.streamType : "application/json",
      reported: response.reported,
      meter: response.meter,
    };
  };
  return {
    ...withOwn(inner, { encode: () => inner.encode(), readResponse: (body, type) => read(body, type, false) }),
    gathersStream: true,
    synthesizeStream: (body) => read(body, "application/json", true),
  };
}

/** The response as its client would get it; null if it is not JSON. */
function answerOf({ body }: CompleteResponse, usage: Usage): JsonObject | null {
  const text = typeof body === "function" ? body(usage) : typeof body === "string" ? body : textOfBytes(body);
  return recordOf(parseJson(text));
}

/** Its text; empty if it has none. */
const summaryIn = ({ output }: JsonObject): string =>
  recordsOf(output)
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => recordsOf(content))
    .filter(({ type }) => type === "output_text")
    .map((part) => textOf(part.text) ?? "")
    .join("")
    .trim();

const NO_USAGE = {
  ...{ promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheCreationTokens: 0 },
  ...{ reasoningTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 },
};

const conversationOf = (call: Call): Conversation =>
  call.fullConversation?.() ?? call.endpoint.codec.decodeRequest(call.body.json);

/** The turns as items of OpenAI's Responses API. */
function itemsOf(conversation: Conversation, dropped = new Set<string>()): readonly JsonObject[] {
  const target = { model: "", info: UNKNOWN_MODEL, defaultMaxTokens: 0, newId: randomId };
  return recordsOf(openaiResponsesCodec.encodeRequest(conversation, target, dropped).input);
}
