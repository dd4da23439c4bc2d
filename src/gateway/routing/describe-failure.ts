import type { Catalog } from "../../catalog/catalog.ts";
import { type Tier, upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import { retiredReason, retirementAt } from "../../domain/channels/upstream/retired-models.ts";
import type { ContextOverflow } from "../../formats/conversation/context-overflow.ts";
import { embedsMedia } from "../../formats/gemini/embedded-contents.ts";
import { sayReason } from "../../lib/reason.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { typicalTokens } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools } from "../call/services.ts";
import { type AttemptFailure, UNSUPPORTED } from "../upstream/attempt-failure.ts";
import { providerFor } from "../upstream/route.ts";
import { isOpenRouter } from "./prefer-channels.ts";

/** Adds to an upstream's answer that it does not know a model when it turned the model off, and what follows it. */
export function withRetirement(
  { catalog }: Pick<CallTools, "catalog">,
  { summary: { model }, candidates }: Pick<Call, "summary" | "candidates">,
  failure: AttemptFailure,
  error: GatewayError,
): GatewayError {
  if (!isUnknownModel(failure)) return error;
  // A name that the operator maps is none of the client's concern.
  const { channel } = failure;
  const upstreamModel = upstreamModelOf(channel, model, candidates.model);
  const retirement = upstreamModel === candidates.model ? retirementAt(catalog(), channel, upstreamModel) : null;
  if (!retirement) return error;
  const reason = `${error.message} ${sayReason(retiredReason(model, retirement), "en")}`;
  return new GatewayError(error.status, error.code, reason, error);
}

/** Providers say it by the status, or by their words with 400: Groq's `model_decommissioned`, Mistral's "Invalid model". */
const isUnknownModel = ({ answered, status, error: { code, message } }: AttemptFailure): boolean =>
  answered && (status === 404 || status === 410 || (status === 400 && UNKNOWN.test(`${code} ${message}`)));

const UNKNOWN =
  /model.{0,120}(?:not.?(?:found|exist|supported|available)|decommission|deprecated|retired|shut.?down|invalid)|(?:invalid|unknown|unsupported|no such).{0,20}model/is;

/** What was sent, as far as it tells how much of it was too much: the model, and the bound of its prompt's tokens. */
export type SentPrompt = Readonly<{ model: string; promptBound: number }>;

/**
 * The overflow with the numbers that the provider did not say: the window of the catalog, and the estimated prompt, which
 * must be more than the window.
 */
export function completeOverflow(
  { input, output, limit }: ContextOverflow,
  catalog: Catalog,
  { model, promptBound }: SentPrompt,
): ContextOverflow {
  const most = limit ?? catalog.find(model).context_window;
  const estimated = most === null ? null : Math.max(Math.round(typicalTokens(promptBound)), most + 1);
  return { input: input ?? estimated, output, limit: most };
}

/** No channel could be tried: the kind of request is unsupported, or the channels are unavailable. */
export function noChannel(call: Call, tiers: readonly Tier[]): GatewayError {
  const { candidates, caller, summary } = call;
  if (call.preferences && tiers.length === 0) {
    const params = { model: summary.model };
    const { openRouterOnly: member } = call.preferences;
    const isForOpenRouter = member !== null && !candidates.tiers.some(({ channels }) => channels.some(isOpenRouter));
    const reason = isForOpenRouter
      ? ({ code: "gateway_openrouter_only", params: { ...params, member } } as const)
      : ({ code: "gateway_no_preferred_channel", params } as const);
    return new GatewayError(404, "no_allowed_provider", reason);
  }
  if (!candidates.tiers.some(({ channels }) => channels.some((channel) => providerFor(call, channel)))) {
    const { status, code, reason } = UNSUPPORTED;
    return new GatewayError(status, code, reason, { type: "upstream_error" });
  }
  const channels = candidates.tiers.flatMap((tier) => tier.channels);
  if (needsMediaEmbeddings(call.endpoint, call.prompt) && !channels.some(({ type }) => providerOf(type)?.embedsMedia)) {
    const reason = { code: "gateway_only_text_embedded", params: { model: summary.model } } as const;
    return new GatewayError(400, "invalid_request", reason, { type: "invalid_request_error", param: "content.parts" });
  }
  return new GatewayError(503, "model_not_available", {
    code: "gateway_no_channel_now",
    params: { model: summary.model, group: caller.group },
  });
}

/** The prompt is longer than any channel takes; `limit`: the longest, in tokens. Clients shorten the conversation and go on. */
export function promptTooLong({ summary: { model } }: Call, tokens: number, limit: number): GatewayError {
  const reason = { code: "gateway_prompt_too_long", params: { model, tokens, limit } } as const;
  const overflow = { input: tokens, output: null, limit };
  const details = { type: "invalid_request_error", isModelLimit: true, overflow };
  return new GatewayError(400, "context_length_exceeded", reason, details);
}

/** Google's format alone has contents with media; whatever else OpenAI's clients list is between them and the upstream. */
export const needsMediaEmbeddings = ({ capability, codec }: Call["endpoint"], prompt: Call["prompt"]): boolean =>
  capability === "embeddings" && codec.dialect === "gemini" && embedsMedia(prompt);
