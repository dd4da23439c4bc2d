import { charge } from "../../billing/pricing/charge.ts";
import { type CallEnding, NO_USAGE, type Usage, type UsageEvidence } from "../../billing/types.ts";
import type { Reason } from "../../lib/reason.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { countPrompt, countText } from "./count-tokens.ts";
import { hostedTools } from "./hosted-tools.ts";
import type { OutputMeter } from "./output-meter.ts";
import type { Reservation } from "./reserve.ts";

/** What is known about a response when it ends. */
export type Ending = Readonly<{
  ending: CallEnding;
  /** The usage that the upstream reported; null if the gateway must count. */
  reported: Usage | null;
  /** The usage was received after the client had disconnected. */
  drained?: boolean;
  /** The usage was counted by the gateway. */
  counted?: boolean;
  meter: OutputMeter;
  error?: Reason;
}>;

/** A call's usage and cost. */
export type Settlement = Readonly<{
  ended: Ending;
  usage: Usage;
  evidence: UsageEvidence;
  charged: ReturnType<typeof charge>;
}>;

/** Determines the billed usage of a call and its cost: the upstream's usage, or a local count if it reported none. */
export function settle(
  context: GatewayContext,
  call: Call,
  reserved: Reservation,
  ended: Ending,
): Settlement | Promise<Settlement> {
  const billed = usageOf(call, ended);
  return billed instanceof Promise
    ? billed.then((counted) => settlementOf(context, call, reserved, ended, counted))
    : settlementOf(context, call, reserved, ended, billed);
}

/** The billed usage, and where it is from. */
type BilledUsage = Readonly<{ usage: Usage; evidence: UsageEvidence }>;

function settlementOf(
  context: GatewayContext,
  call: Call,
  { prices }: Reservation,
  ended: Ending,
  { usage, evidence }: BilledUsage,
): Settlement {
  const route = call.attempts.route;
  const price = route?.price ?? prices.price;
  const toolCalls = route && hostedTools(call, route, ended.meter, context.catalog());
  const counted = toolCalls ? { ...usage, toolCalls: { ...toolCalls, ...usage.toolCalls } } : usage;
  return { ended, usage, evidence, charged: charge(price, counted, context.prices.quotaPerUnit()) };
}

function usageOf(call: Call, ended: Ending): BilledUsage | Promise<BilledUsage> {
  const { reported, meter } = ended;
  if (!reported) return meter.isEmpty ? { usage: NO_USAGE, evidence: "none" } : estimateUsage(call, meter);
  if (mayBeIncomplete(call, ended)) return atLeastCounted(call, ended, reported);
  return { usage: isFreeReply(call, reported, meter) ? NO_USAGE : reported, evidence: evidenceOf(ended) };
}

/**
 * Whether the reported usage may be incomplete: it arrived before the end, as Anthropic's does, or has no output tokens
 * despite output.
 */
const mayBeIncomplete = (call: Call, { ending, drained, reported, meter }: Ending): boolean => {
  const { capability } = call.endpoint;
  if (capability !== "chat" && capability !== "completions") return false;
  // Checked last, because the meter must decode everything for it.
  return ((ending !== "complete" && !drained) || reported?.completionTokens === 0) && !meter.isEmpty;
};

/** The reported output tokens, or the local count if that is larger. */
async function atLeastCounted(call: Call, ended: Ending, reported: Usage): Promise<BilledUsage> {
  const { text, extraTokens } = ended.meter.countable();
  const came = (await countText(call.summary.model, text)) + extraTokens;
  if (came <= reported.completionTokens) return { usage: reported, evidence: evidenceOf(ended) };
  return { usage: { ...reported, completionTokens: came }, evidence: "estimated" };
}

const evidenceOf = ({ drained, counted }: Ending): UsageEvidence =>
  counted ? "estimated" : drained ? "drained" : "reported";

/** A response without content is free if the endpoint says so; a reported number of output tokens counts as content. */
const isFreeReply = (call: Call, reported: Usage, meter: OutputMeter): boolean =>
  call.endpoint.emptyIsFree && reported.completionTokens === 0 && meter.isEmpty;

async function estimateUsage(call: Call, meter: OutputMeter): Promise<BilledUsage> {
  const { text, extraTokens } = meter.countable();
  const { prompt, summary } = call;
  const [promptTokens, outputTokens] = await Promise.all([
    countPrompt(summary.model, prompt),
    countText(summary.model, text),
  ]);
  const usage = { ...NO_USAGE, promptTokens, completionTokens: outputTokens + extraTokens };
  return { usage, evidence: "estimated" };
}
