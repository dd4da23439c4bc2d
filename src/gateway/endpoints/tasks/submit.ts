import { charge } from "../../../billing/pricing/charge.ts";
import { storedKeyOf } from "../../../domain/channels/entry.ts";
import { proxyOf, userAgentOf } from "../../../domain/channels/upstream/request-options.ts";
import { refuseTask, type Taken } from "../../../domain/tasks/submit-task.ts";
import type { TaskKind } from "../../../domain/tasks/task.ts";
import { NO_USAGE } from "../../../formats/conversation/reply.ts";
import { parseJson } from "../../../formats/json.ts";
import { readError } from "../../../formats/openai-chat/errors.ts";
import type { StreamedBody } from "../../../lib/http/streamed-body.ts";
import type { Provider } from "../../../providers/contract/provider.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseIfClientLeft } from "../../call/progress.ts";
import type { Choice, Route } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import { type CallPrices, priceCall } from "../../money/price.ts";
import { type ReserveContext, reserve } from "../../money/reserve.ts";
import { failCall, recordFailure } from "../../money/settle-call.ts";
import type { EndCallContext } from "../../pipeline/contexts.ts";
import { endCall, failOver } from "../../pipeline/pipeline.ts";
import { toGatewayError } from "../../request/error-response.ts";
import type { RouterContext } from "../../routing/router.ts";
import { RunningAttempt, type UpstreamAttemptContext } from "../../upstream/attempt.ts";
import { noResponse, rejectedByUpstream } from "../../upstream/attempt-failure.ts";
import { readBody, readErrorText } from "../../upstream/exchange.ts";
import { retryAfterIn } from "../../upstream/keys/cool-down.ts";
import { signRequest } from "../../upstream/route.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";

/** What these functions work with. */
export type SubmitContext = EndCallContext &
  RouterContext &
  UpstreamAttemptContext &
  ReserveContext &
  Uses<"tasks"> &
  Pick<UpstreamTools, "signing">;

/** An upstream's response to an order. */
export type SubmitResult<Answer> = Readonly<{
  answer: Answer;
  /** The task's id at the upstream; null: it was not accepted. */
  upstreamId: string | null;
  /** The protocol's code, and the reason of a rejection. */
  code: number;
  reason: string;
}>;

/** An order as sent to the upstream. */
export type UpstreamOrder = Readonly<{
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  body: string | StreamedBody;
}>;

/** Where an order goes: the channel, the key of this attempt, and the upstream's name of the model. */
export type OrderRoute = Pick<Route, "channel" | "key" | "provider" | "upstreamModel">;

/** An order in one protocol. */
export type TaskOrder<Answer> = Readonly<{
  kind: TaskKind;
  /** Stores the task before it is sent; resolves with its row id. */
  store(): Promise<number>;
  /** The order as this channel's upstream expects it; `id` is the task's row. */
  request(route: OrderRoute, id: number): Promise<UpstreamOrder>;
  read(answer: unknown, provider: Provider): SubmitResult<Answer> | null;
  /** Records that the upstream accepted the task. */
  take(id: number, taken: Taken, sent: SubmitResult<Answer>): Promise<void>;
}>;

const SUBMIT_TIMEOUT_MS = 60_000;
/** Tasks are charged per task, not by tokens. */
const ONE_TASK = { ...NO_USAGE, promptTokens: 1 };

/** What an upstream answered to an order, on which route, and the task's row. */
type Submitted<Answer> = Readonly<{ id: number; sent: SubmitResult<Answer>; route: Route }>;

/**
 * Submits a task: reserve → store → try channels → charge → record. The charge is in the journal before the row says
 * that the task was accepted: if the process dies in between, the row stays unaccepted, ends as a failure and refunds
 * the charge. If it rejects (GatewayError), nothing stays held and the row has the reason.
 */
export async function submitTask<Answer>(
  context: SubmitContext,
  call: Call,
  order: TaskOrder<Answer>,
): Promise<Submitted<Answer>> {
  const { db, vault } = context.services.tasks;
  const prices = priceCall(context.prices, call);
  const reserved = await reserve(context, call, prices);
  let id: number | null = null;
  let isCharged = false;
  try {
    await context.userLimits.begin(call);
    if (!context.services.settings.values.LimitRules.isEmpty) await context.limitRules.begin(call);
    const row = await order.store();
    id = row;
    const { sent, route } = await failOver(context, { call, prices }, (_context, _model, choice) =>
      attemptOrder(context, call, prices, choice, order, row),
    );
    const served = { ...call, servedBy: route };
    const channelId = route.channel.id;
    if (sent.upstreamId === null) {
      const { reason, code } = sent;
      isCharged = true;
      recordFailure(
        context,
        served,
        reserved,
        new GatewayError(400, code, reason, { type: "upstream_error" }),
        "refused",
      );
      await refuseTask(db, order.kind, row, { reason, code, channelId });
      return { id: row, sent, route };
    }
    const { quota } = charge(route.price ?? prices.price, ONE_TASK, context.prices.quotaPerUnit());
    isCharged = true;
    await endCall(context, served, reserved, { ending: "complete", reported: ONE_TASK, meter: new OutputMeter() });
    const { upstreamId } = sent;
    const keyHash = vault.keyedHash(storedKeyOf(route.channel, route.key));
    await order.take(row, { upstreamId, channelId, keyHash, quota }, sent);
    return { id: row, sent, route };
  } catch (thrown) {
    // Once charged, the row decides: the task was not accepted, so it fails and is refunded.
    if (isCharged) throw toGatewayError(context, thrown, call.requestId);
    const error = failCall(context, call, reserved, thrown);
    const channelId = call.progress.attempts.latest?.channel.id ?? 0;
    if (id !== null) await refuseTask(db, order.kind, id, { reason: error.reason, code: error.status, channelId });
    throw error;
  }
}

async function attemptOrder<Answer>(
  context: SubmitContext,
  call: Call,
  prices: CallPrices,
  choice: Choice,
  order: TaskOrder<Answer>,
  id: number,
): Promise<Omit<Submitted<Answer>, "id">> {
  const running = new RunningAttempt(context, call, prices, choice, SUBMIT_TIMEOUT_MS);
  try {
    const sent = await sendOrder(context, call, running, order, id);
    running.end(false);
    return { sent, route: running.route };
  } catch (error) {
    throw running.failed(error);
  }
}

async function sendOrder<Answer>(
  context: Uses<"config"> & Pick<UpstreamTools, "signing" | "upstream">,
  call: Call,
  { route, exchange, entry, requestText }: RunningAttempt,
  order: TaskOrder<Answer>,
  id: number,
): Promise<SubmitResult<Answer>> {
  const { channel, key, provider } = route;
  const { url, headers: own, body } = await order.request(route, id);
  const headers = {
    "user-agent": userAgentOf(channel),
    ...provider.authHeaders(channel, key),
    ...own,
    ...(typeof body === "string" && { "content-type": "application/json" }),
  };
  const unsigned = { url, headers, body, webSocket: false, proxy: proxyOf(channel) };
  const outgoing = await signRequest(context, unsigned, route);
  refuseIfClientLeft(call);
  const response = await context.upstream.send(outgoing, exchange);
  entry.status = response.status;
  const text = response.ok
    ? Buffer.from(await readBody(response, exchange, context.services.config)).toString()
    : await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
  entry.firstByteMs = Math.round(call.progress.timing.elapsedMs);
  if (!response.ok) {
    const { status } = response;
    const retryAfter = retryAfterIn(response.headers, Date.now());
    throw rejectedByUpstream(route, { status, error: readError(status, text), retryAfter, requestText });
  }
  const sent = order.read(parseJson(text), provider);
  if (!sent) throw noResponse(channel, key, "broken");
  return sent;
}
