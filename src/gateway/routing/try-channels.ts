import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import { refuseIfClientLeft } from "../http/client-presence.ts";
import { AttemptFailure, clientErrorOf, UNSUPPORTED } from "../upstream/attempt-failure.ts";
import { providerFor } from "../upstream/bind-channel.ts";
import { chooseChannel } from "./choose-channel.ts";
import { coolDownMs, isRetryable } from "./retry.ts";
import type { Choice, Tried } from "./scheduler/choose.ts";

/**
 * Tries one channel after the other, as often as the settings say; `attempt` rejects AttemptFailure where another may be
 * tried. Rejects RelayError with what the client is told when none is left.
 */
export async function tryChannels<Result>(
  context: RelayContext,
  call: Call,
  attempt: (choice: Choice) => Promise<Result>,
): Promise<Result> {
  const { caller } = call.admitted;
  const retries = caller.pinnedChannelId === null ? context.services.settings.get("RetryTimes") : 0;
  let tried = call.tried;
  let last: AttemptFailure | null = null;
  for (let left = retries; ; left -= 1) {
    const chosen = chooseChannel(context, call, tried);
    const choice = chosen instanceof Promise ? await chosen : chosen;
    if (!choice) throw last ? toldOf(context, last) : noChannel(call);
    refuseIfClientLeft(call);
    try {
      const answer = await attempt(choice);
      context.coolDown.succeeded(choice.channel.id, choice.key);
      if (call.conversation !== null) context.stickiness.keep(call.conversation, choice);
      return answer;
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      last = error;
      if (call.conversation !== null) context.stickiness.forget(call.conversation);
      tried = note(context, tried, choice, error);
      const mayTry = error.overBudget || isRetryable({ status: error.mappedStatus, channelType: choice.channel.type });
      const again = left > 0 && !call.clientLeft && mayTry;
      if (!again) throw toldOf(context, error);
    }
  }
}

/** Remembers a failure: the channel and key for this call, a cool-down for all, and what health makes of it. */
function note(context: RelayContext, tried: Tried | null, { channel, key }: Choice, failure: AttemptFailure): Tried {
  const all = tried ?? { channels: new Set(), keys: new Map() };
  all.channels.add(channel);
  const keys = all.keys.get(channel.id) ?? new Set();
  // A key that was refused stays refused; after a fault of the network or the server it may be tried again.
  if (failure.answered && failure.status < 500) all.keys.set(channel.id, keys.add(key));
  const isFault = failure.status >= 500;
  if (isFault) context.coolDown.failed(channel.id, key);
  if (failure.status === 429 || (isFault && failure.retryAfter !== null)) {
    context.coolDown.start(channel.id, key, coolDownMs(failure.retryAfter, Date.now()));
  }
  if (failure.answered) context.health.report(channel, key, failure);
  context.metrics.upstreamFailed(channel.id, failure.status);
  return all;
}

/** What the client is told of a failed attempt. */
export const toldOf = ({ services }: RelayContext, failure: AttemptFailure): RelayError =>
  clientErrorOf(failure, services.settings.get("global.hide_upstream_error_enabled"));

/** Nothing could be tried: another kind of request is needed, or another time. */
function noChannel(call: Call): RelayError {
  const { candidates, caller, summary } = call.admitted;
  if (!candidates.tiers.some(({ channels }) => channels.some((channel) => providerFor(call, channel)))) {
    const { status, code, message } = UNSUPPORTED;
    return new RelayError(status, code, message, { type: "upstream_error" });
  }
  return new RelayError(
    503,
    "model_not_available",
    `No channel can serve the model “${summary.model}” in the group “${caller.group}” at the moment.`,
  );
}
