import { UNKNOWN_MODEL } from "../../catalog/catalog.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import { hasGatewayMark } from "../../formats/conversation/signature.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { readUsage } from "../../formats/openai-chat/response/usage.ts";
import {
  compactedResponse,
  compactionItems,
  sealSummary,
  summarizing,
} from "../../formats/openai-responses/compaction.ts";
import { openaiResponsesCodec } from "../../formats/openai-responses/index.ts";
import { randomId } from "../../lib/http/request-id.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { spliceTopLevel } from "../../lib/values/json-splice.ts";
import type { CallParams, Limitation } from "../../providers/contract/provider.ts";
import { OutputMeter } from "../billing/output-meter.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../upstream/bind-channel.ts";
import type { Adapter, CompleteResponse, EncodedRequest } from "./adapter.ts";

/** An adapter that works as `inner` does but for its request and its complete responses. */
const withOwn = (inner: Adapter, own: Pick<Adapter, "encode" | "readResponse">): Adapter => ({
  findError: (body) => inner.findError(body),
  findStreamError: (block) => inner.findStreamError(block),
  startsResponse: (block) => inner.startsResponse(block),
  statusOf: (error) => inner.statusOf(error),
  readError: (status, body) => inner.readError(status, body),
  synthesizeStream: () => null,
  streamView: () => inner.streamView(),
  ...own,
});

/**
 * Compacts by the provider's own call: the request goes as it came but for the model, its response comes back as it is.
 * `keep` gets the items of the response.
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
      // Models are named with suffixes for efforts here, which this call has no other member for.
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

/** What was made here means nothing to the provider: then the input is encoded again. */
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

/** The call whose response is the summary of this call's conversation. */
export function summarizingCall(call: Call): Call {
  const { background: _, ...json } = call.body.json;
  const conversation = summarizing(conversationOf(call));
  const read = () => conversation;
  return { ...call, body: { ...call.body, json }, conversation: read, fullConversation: read, isResumed: true };
}

/**
 * Compacts by a summary that the model itself writes; `inner` is the adapter of the summarizing call. A response without a
 * summary is none. `codeOf` makes the code that the summary is recognized by when it comes back.
 */
export const summarizingCompaction = (call: Call, inner: Adapter, codeOf: (summary: string) => string): Adapter =>
  withOwn(inner, {
    encode: () => inner.encode(),
    readResponse(body, contentType) {
      const response = inner.readResponse(body, contentType);
      const summary = response && summaryIn(response);
      if (!summary) return null;
      const sealed = sealSummary({ summary, code: codeOf(summary) });
      const { reported, meter } = response;
      return {
        body: (usage) => {
          const base = { id: randomId("resp_"), createdAt: call.createdAt, usage };
          return JSON.stringify(compactedResponse(base, conversationOf(call), sealed, itemsOf));
        },
        contentType: "application/json",
        reported,
        meter,
      };
    },
  });

/** What the complete response says; empty: nothing, or not in words. */
function summaryIn({ body }: CompleteResponse): string {
  const text = typeof body === "function" ? body(NO_USAGE) : typeof body === "string" ? body : textOfBytes(body);
  return recordsOf(recordOf(parseJson(text))?.output)
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => recordsOf(content))
    .filter(({ type }) => type === "output_text")
    .map((part) => textOf(part.text) ?? "")
    .join("")
    .trim();
}

const NO_USAGE = {
  ...{ promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheCreationTokens: 0 },
  ...{ reasoningTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 },
};

const conversationOf = (call: Call): Conversation =>
  call.fullConversation?.() ?? call.endpoint.codec.decodeRequest(call.body.json);

/** The turns as items of OpenAI's Responses. */
function itemsOf(conversation: Conversation, dropped = new Set<string>()): readonly JsonObject[] {
  const target = { model: "", info: UNKNOWN_MODEL, defaultMaxTokens: 0, newId: randomId };
  return recordsOf(openaiResponsesCodec.encodeRequest(conversation, target, dropped).input);
}
