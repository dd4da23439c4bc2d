import { charge, estimate } from "../../../billing/pricing/charge.ts";
import { toolPriceOf } from "../../../billing/pricing/price-rules.ts";
import type { Price, UsageRecord } from "../../../billing/types.ts";
import { NO_USAGE } from "../../../formats/conversation/reply.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { identify } from "../../../lib/http/request.ts";
import { integer, multiply, ZERO } from "../../../lib/values/decimal.ts";
import { refusePrice } from "../../auth/policies.ts";
import type { Caller } from "../../call/caller.ts";
import { CLIENT_LEFT } from "../../call/progress.ts";
import type { Choice } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import { costNote, NO_USER_RATIO, payerOf, receiptBudget, storedRow } from "../../money/log-row.ts";
import type { Pricing } from "../../money/price.ts";
import { reserveAmount } from "../../money/reserve.ts";
import type { Arrival } from "../../request/arrival.ts";

/** What these functions work with. */
export type ChargeUseContext = Uses<"billing" | "clientAddress" | "log" | "renewOrganizationBudgets" | "settings"> &
  Pricing;

/** A use of something that the provider charges by the piece. */
export type PaidUse<Result> = Readonly<{
  /** Its name in the price list of tools, which is also the model of its log row. */
  tool: "file_search" | "code_interpreter";
  count: number;
  /** The text of the log row. */
  content(result: Result): string;
}>;

/**
 * Does `work` and charges it at the price of the tool: holds the price before, charges it when the work is done, and
 * releases it when the work fails. The client need not wait for the end. Rejects GatewayError of either.
 */
export async function chargeUse<Result>(
  context: ChargeUseContext,
  caller: Caller,
  { request, server }: Pick<Arrival, "request" | "server">,
  { channel }: Pick<Choice, "channel">,
  use: PaidUse<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { services, prices } = context;
  const { billing, settings, clientAddress } = services;
  const price = priceOf(context, caller, use);
  const unit = prices.quotaPerUnit();
  const upper = estimate(price, { promptTokens: 1, maxOutputTokens: null, defaultOutputTokens: 0 }, unit);
  if (caller.policies) refusePrice(caller.policies, upper);
  const createdAt = nowSeconds();
  const from = performance.now();
  const hold = await reserveAmount(services, caller, upper);
  let result: Result;
  try {
    if (request.signal.aborted) throw CLIENT_LEFT;
    result = await work();
  } catch (error) {
    billing.refund(hold);
    throw error;
  }
  const usage = { ...NO_USAGE, promptTokens: 1 };
  const { quota, receipt } = charge(price, usage, unit);
  const { requestId, recordId } = identify(request);
  const budgets = caller.budgets ?? [];
  const record: UsageRecord = {
    requestId: recordId,
    createdAt,
    ...payerOf(caller),
    modelName: use.tool,
    channelId: channel.id,
    isStream: false,
    failed: false,
    elapsedMs: Math.round(performance.now() - from),
    promptTokens: 0,
    completionTokens: 0,
    quota,
    ip: clientAddress.ip(request, server),
    ...(budgets.length > 0 && { budgets: budgets.map(({ id }) => id) }),
    content: use.content(result),
    other: {
      request_id: requestId,
      usage_evidence: "reported",
      ending: "complete",
      status: 200,
      receipt,
      group_ratio: Number(receipt.groupRatio),
      user_group_ratio: NO_USER_RATIO,
      group: caller.group,
      reserved: hold.amount,
      ...(budgets.length > 0 && { budgets: budgets.map(receiptBudget) }),
      ...costNote(channel, { upstreamModel: use.tool, usage, price, receipt }, unit),
    },
  };
  await billing.settle(hold, storedRow(record, settings));
  return result;
}

/** The price of the tool for the caller's group, for all pieces. */
function priceOf(
  { services, prices }: Uses<"settings"> & Pricing,
  caller: Caller,
  { tool, count }: Pick<PaidUse<never>, "tool" | "count">,
): Price {
  const usd = toolPriceOf(services.settings.values.ToolPrice, tool, "") ?? ZERO;
  return prices.ofTask(caller, tool, multiply(usd, integer(count)));
}
