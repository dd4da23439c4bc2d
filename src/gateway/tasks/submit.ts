import { charge } from "../../billing/pricing/charge.ts";
import { NO_USAGE } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { proxyOf } from "../../domain/channels/proxy-of.ts";
import { userAgentOf } from "../../domain/channels/user-agent.ts";
import { refuseTask, type Taken } from "../../domain/tasks/submit-task.ts";
import type { TaskKind } from "../../domain/tasks/task.ts";
import { parseJson } from "../../formats/json.ts";
import { readError } from "../../formats/openai-chat/errors/error.ts";
import type { OutgoingForm } from "../../lib/multipart/form-stream.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { OutputTally } from "../billing/output-meter.ts";
import { reserve } from "../billing/reserve.ts";
import { fail, settle } from "../billing/settle.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import { refuseIfClientLeft } from "../http/client-presence.ts";
import { relayErrorOf } from "../pipeline.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { tryChannels } from "../routing/try-channels.ts";
import { underWatch } from "../upstream/attempt.ts";
import { notAnswered, refusedByUpstream } from "../upstream/attempt-failure.ts";
import { aimCall } from "../upstream/bind-channel.ts";
import { Exchange } from "../upstream/exchange.ts";
import { bodyLimits, readBody, readErrorText } from "../upstream/read-body.ts";

/** What an upstream answered to an order. */
export type Sent<Answer> = Readonly<{
  answer: Answer;
  /** The upstream's name of the task; null: it did not take it. */
  upstreamId: string | null;
  /** The protocol's code, and why the order was refused. */
  code: number;
  reason: string;
}>;

/** An order as it is sent. */
export type Ordered = Readonly<{ url: string; body: string | OutgoingForm }>;

/** An order in the words of one protocol. */
export type TaskOrder<Answer> = Readonly<{
  kind: TaskKind;
  /** Stores the task before its upstream hears of it; its row's id. */
  store(): Promise<number>;
  /** The order as this channel's upstream wants it. */
  request(channel: ChannelEntry, provider: Provider, model: string, id: number): Ordered | Promise<Ordered>;
  read(answer: unknown, provider: Provider): Sent<Answer> | null;
  /** Notes that the upstream took it. */
  take(id: number, taken: Taken, sent: Sent<Answer>): Promise<void>;
}>;

const SUBMIT_TIMEOUT_MS = 60_000;
/** Tasks are charged by themselves, not by tokens. */
const ONE_TASK = { ...NO_USAGE, promptTokens: 1 };

/**
 * Orders a task: reserve → store → try channels → charge → note. The charge is in the journal before the row says that the
 * task was taken: a process that dies between leaves a row that nobody took, which ends as a failure and gives the charge
 * back. Rejects RelayError; then nothing stays held and the row tells why.
 */
export async function submitTask<Answer>(
  context: RelayContext,
  call: Call,
  order: TaskOrder<Answer>,
): Promise<Readonly<{ id: number; sent: Sent<Answer> }>> {
  const { db, vault } = context.services.tasks;
  const reserved = reserve(context, call);
  if (reserved) await reserved;
  let id: number | null = null;
  try {
    context.userLimits.begin(call);
    const row = await order.store();
    id = row;
    const { sent, key } = await tryChannels(context, call, (choice) => attemptOrder(context, call, choice, order, row));
    const channelId = call.channel?.id ?? 0;
    if (sent.upstreamId === null) {
      fail(context, call, new RelayError(400, sent.code, sent.reason, { type: "upstream_error" }), "refused");
      await refuseTask(db, order.kind, row, { reason: sent.reason, code: sent.code, channelId });
      return { id: row, sent };
    }
    const quota = call.price ? charge(call.price, ONE_TASK, context.prices.quotaPerUnit()).quota : 0;
    await settle(context, call, { ending: "complete", reported: ONE_TASK, tally: new OutputTally() });
    const { upstreamId } = sent;
    await order.take(row, { upstreamId, channelId, keyHash: vault.keyedHash(key), quota }, sent);
    return { id: row, sent };
  } catch (error) {
    const told = relayErrorOf(context, call, error);
    // Once it is charged the row alone decides: it was not taken, so it fails and gives the charge back.
    if (call.hold) {
      const ending = call.attempts.length > 0 ? "upstream_failed" : "refused";
      fail(context, call, told, call.clientLeft ? "client_left" : ending);
      const channelId = call.channel?.id ?? 0;
      if (id !== null) await refuseTask(db, order.kind, id, { reason: told.message, code: told.status, channelId });
    }
    throw told;
  }
}

function attemptOrder<Answer>(
  context: RelayContext,
  call: Call,
  choice: Choice,
  order: TaskOrder<Answer>,
  id: number,
): Promise<{ sent: Sent<Answer>; key: string }> {
  const exchange = new Exchange(context.watch, SUBMIT_TIMEOUT_MS);
  return underWatch(context, call, choice, exchange, false, async (entry) => {
    const { channel, key } = choice;
    const provider = aimCall(call, choice);
    const { url, body } = await order.request(channel, provider, call.upstreamModel, id);
    const headers = {
      "user-agent": userAgentOf(channel),
      ...provider.authHeaders(channel, key),
      ...(typeof body === "string" && { "content-type": "application/json" }),
    };
    const outgoing = { url, headers, body, webSocket: false, proxy: proxyOf(channel) };
    refuseIfClientLeft(call);
    const response = await context.upstream.send(outgoing, exchange);
    entry.status = response.status;
    const text = response.ok
      ? Buffer.from(await readBody(response, exchange, bodyLimits(context))).toString()
      : await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
    entry.firstByteMs = Math.round(call.elapsedMs);
    if (!response.ok) {
      const told = readError(response.status, text);
      throw refusedByUpstream(channel, key, response.status, told, response.headers.get("retry-after"));
    }
    const sent = order.read(parseJson(text), provider);
    if (!sent) throw notAnswered(channel, key, "broken");
    return { sent, key };
  });
}
