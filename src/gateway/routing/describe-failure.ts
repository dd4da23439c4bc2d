import type { Catalog } from "../../catalog/catalog.ts";
import { upstreamModelOf } from "../../domain/channels/upstream/request-options.ts";
import { retiredReason, retirementAt } from "../../domain/channels/upstream/retired-models.ts";
import type { ContextOverflow } from "../../formats/helpers/context-overflow.ts";
import { sayReason } from "../../lib/reason.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { typicalTokens } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { AttemptFailure } from "../upstream/attempt-failure.ts";

/** Adds to an upstream's answer that it does not know a model when it turned the model off, and what follows it. */
export function withRetirement(
  { catalog }: Pick<GatewayContext, "catalog">,
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
