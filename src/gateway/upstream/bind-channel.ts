import type { Attempt } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/upstream-model.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import { takePrice } from "../billing/price-call.ts";
import type { Call } from "../call/call.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { notAnswered } from "./attempt-failure.ts";

/** Begins the record of one try, in the call's list of attempts; `startMs`: milliseconds since the call came. */
export function beginAttempt(call: Call, { channel }: Choice, startMs: number): Attempt {
  const attempt: Attempt = {
    channelId: channel.id,
    channelName: channel.name,
    status: 0,
    startMs: Math.round(startMs),
    firstByteMs: null,
    endMs: 0,
  };
  call.attempts.push(attempt);
  return attempt;
}

/** The kind of upstream behind a channel, where it can serve this kind of request; else null. */
export function providerFor({ admitted }: Call, { type }: ChannelEntry): Provider | null {
  const provider = providerOf(type);
  return provider?.capabilities.includes(admitted.endpoint.capability) ? provider : null;
}

/** Points the call at a channel and key: what it is charged and logged by. Throws AttemptFailure when they can't serve it. */
export function aimCall(call: Call, { channel, key }: Choice): Provider {
  const { candidates, summary } = call.admitted;
  const provider = providerFor(call, channel);
  if (!provider) throw notAnswered(channel, key, "unsupported");
  call.channel = channel;
  call.keyIndex = channel.keys.indexOf(key);
  call.upstreamModel = upstreamModelOf(channel, summary.model, candidates.model);
  takePrice(call);
  return provider;
}
