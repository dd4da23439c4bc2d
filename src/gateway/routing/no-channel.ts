import type { Tier } from "../../domain/channels/routing/routing-index.ts";
import { embedsMedia } from "../../formats/gemini/embedded-contents.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import { UNSUPPORTED } from "../upstream/attempt-failure.ts";
import { providerFor } from "../upstream/route.ts";
import { isOpenRouter } from "./prefer-channels.ts";

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
