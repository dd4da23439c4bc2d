import type { ChannelLive, KeyLive } from "../../domain/channels/current-state.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { CoolDown } from "../upstream/keys/cool-down.ts";
import type { TrafficOfHour } from "../upstream/keys/key-traffic.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";

/** The current state of a channel and its keys, with the traffic of the last hour. */
export function readLive(
  { coolDown, traffic }: Pick<UpstreamTools, "coolDown" | "traffic">,
  channel: ChannelEntry,
): ChannelLive {
  const total = { calls: 0, failed: 0, elapsedMs: 0 };
  let slots: readonly Readonly<{ count: number; failed: number }>[] = [];
  const keys = channel.keys.map((key): KeyLive => {
    const hour = traffic.of(channel.id, key);
    const sum = sumOf(hour.slots);
    total.calls += sum.calls;
    total.failed += sum.failed;
    total.elapsedMs += sum.elapsedMs;
    slots = slots.length === 0 ? hour.slots.map(countsOf) : slots.map((slot, at) => addSlot(slot, hour.slots[at]));
    return { ...coolingOf(coolDown, channel.id, key), inFlight: hour.inFlight, ...figuresOf(sum) };
  });
  return { inFlight: traffic.inFlight(channel.id), ...figuresOf(total), slots, keys };
}

/** Whether a key is cooling down, and after how many failures. */
export function coolingOf(
  coolDown: CoolDown,
  channelId: number,
  key: string,
): Pick<KeyLive, "isCooling" | "coolingUntil" | "failures"> {
  // Checked first, because this clears an expired entry.
  const isCooling = coolDown.isCooling(channelId, key);
  const state = coolDown.stateOf(channelId, key);
  return {
    isCooling,
    coolingUntil: isCooling && state ? Math.ceil(state.until / 1000) : null,
    failures: state?.failures ?? 0,
  };
}

type Slot = TrafficOfHour["slots"][number];
type Sum = { calls: number; failed: number; elapsedMs: number };

/** Sums in one pass, because thousands of channels are read at a time. */
function sumOf(slots: readonly Slot[]): Sum {
  const sum = { calls: 0, failed: 0, elapsedMs: 0 };
  for (const { count, failed, elapsedMs } of slots) {
    sum.calls += count;
    sum.failed += failed;
    sum.elapsedMs += elapsedMs;
  }
  return sum;
}

const countsOf = ({ count, failed }: Slot) => ({ count, failed });

const addSlot = (slot: Readonly<{ count: number; failed: number }>, more: Slot | undefined) => ({
  count: slot.count + (more?.count ?? 0),
  failed: slot.failed + (more?.failed ?? 0),
});

const figuresOf = ({ calls, failed, elapsedMs }: Sum): Pick<KeyLive, "calls" | "failed" | "latencyMs"> => ({
  calls,
  failed,
  latencyMs: calls > failed ? Math.round(elapsedMs / (calls - failed)) : null,
});
