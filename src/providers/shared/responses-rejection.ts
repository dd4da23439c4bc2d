import { isUnknownEndpoint } from "../../formats/openai-chat/errors/unknown-endpoint.ts";
import type { Limitation, Rejection } from "../contract/provider.ts";

/**
 * What a rejection by OpenAI, or a compatible server, reveals about its Responses API: many servers lack it, and OpenAI
 * summarizes reasoning only for verified organizations (https://help.openai.com/en/articles/10910291).
 */
export function onResponsesRejected({ status, error, params }: Rejection): Limitation | null {
  if (params.dialect !== "openai-responses") return null;
  if (isUnknownEndpoint(status, error)) return params.compacts ? "compaction" : "responses";
  return status === 400 && /verified.*reasoning summar/i.test(error.message) ? "reasoning-summaries" : null;
}
