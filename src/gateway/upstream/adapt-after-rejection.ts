import type { ReadError } from "../../formats/openai-chat/errors/error.ts";
import type { Ask, Provider } from "../../providers/contract/provider.ts";
import { isBetaRefusal } from "../../providers/shared/hosted-claude.ts";
import type { GatewayContext } from "../call/context.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { isUnknownEndpoint } from "./unknown-endpoint.ts";

/** What an upstream was asked that refused. */
type Asked = Readonly<{
  provider: Provider;
  ask: Ask;
  /** Summaries of thoughts were not known to be refused when it was asked. */
  requestsSummaries: boolean;
}>;

/** Answers whether it learnt something by which the next asking differs: each tells so of a refusal once. */
type Rule = (context: GatewayContext, choice: Choice, asked: Asked, status: number, told: ReadError) => boolean;

/**
 * Whether a refusal was for something that need not have been asked: then it is remembered for calls to come, and the same
 * upstream is to be asked once more.
 */
export const adaptAfterRejection: Rule = (...refusal) => RULES.some((rule) => rule(...refusal));

/** Many servers that imitate OpenAI have no Responses. */
const knowsNoResponses: Rule = ({ withoutResponses }, { channel }, { ask }, status, told) => {
  if (ask.dialect !== "openai-responses" || !isUnknownEndpoint(status, told)) return false;
  withoutResponses.add(channel);
  return true;
};

/** A model refused the betas that its cloud knows: it gets none from now on. */
const refusesBetas: Rule = ({ withoutBetas }, { channel }, { ask }, status, { message }) => {
  const { model, betas = [] } = ask;
  if (ask.refusesBetas !== false || betas.every((name) => name.trim() === "")) return false;
  const models = withoutBetas.get(channel) ?? new Set();
  if (!isBetaRefusal(status, message) || models.has(model)) return false;
  withoutBetas.set(channel, models.add(model));
  return true;
};

/** OpenAI summarises thoughts for organisations alone that it has verified; others are refused for having asked. */
const refusesSummaries: Rule = ({ withoutSummaries }, { channel }, { requestsSummaries }, status, { message }) => {
  if (!requestsSummaries || status !== 400 || !/verified.*reasoning summar/i.test(message)) return false;
  withoutSummaries.add(channel);
  return true;
};

/** A token made of the key may have been revoked before its time. */
const refusesToken: Rule = (_context, { key }, { provider }, status) =>
  status === 401 && provider.forgetToken?.(key) === true;

const RULES: readonly Rule[] = [knowsNoResponses, refusesBetas, refusesSummaries, refusesToken];
