import type { ChannelEntry } from "../channels/entry.ts";
import type { ChannelLive, KeyLive } from "../channels/live.ts";
import type { RelayContext } from "./context.ts";
import type { CoolDown } from "./scheduler/cool-down.ts";
import type { TrafficOfHour } from "./scheduler/key-traffic.ts";

/** How a channel and each of its keys do at the moment, and did in the last hour. */
export function readLive(
  { coolDown, traffic }: Pick<RelayContext, "coolDown" | "traffic">,
  channel: ChannelEntry,
): ChannelLive {
  const hours = channel.keys.map((key) => traffic.of(channel.id, key));
  const keys = channel.keys.map((key, index): KeyLive => {
    const hour = hours[index];
    return { ...coolingOf(coolDown, channel.id, key), inFlight: hour?.inFlight ?? 0, ...summed(hour?.slots ?? []) };
  });
  const slots = (hours[0]?.slots ?? []).map((_, at) => {
    const together = hours.flatMap((hour) => hour.slots[at] ?? []);
    return { count: sumOf(together, "count"), failed: sumOf(together, "failed") };
  });
  return { inFlight: traffic.inFlight(channel.id), ...summed(hours.flatMap((hour) => hour.slots)), slots, keys };
}

/** Whether a key is left alone for a while, and since how many failures. */
export function coolingOf(
  coolDown: CoolDown,
  channelId: number,
  key: string,
): Pick<KeyLive, "isCooling" | "coolingUntil" | "failures"> {
  // Asked first: what is over is forgotten by asking.
  const isCooling = coolDown.isCooling(channelId, key);
  const state = coolDown.stateOf(channelId, key);
  return {
    isCooling,
    coolingUntil: isCooling && state ? Math.ceil(state.until / 1000) : null,
    failures: state?.failures ?? 0,
  };
}

type Slots = TrafficOfHour["slots"];

function summed(slots: Slots): Pick<KeyLive, "calls" | "failed" | "latencyMs"> {
  const [calls, failed] = [sumOf(slots, "count"), sumOf(slots, "failed")];
  const latencyMs = calls > failed ? Math.round(sumOf(slots, "elapsedMs") / (calls - failed)) : null;
  return { calls, failed, latencyMs };
}

const sumOf = (slots: Slots, field: keyof Slots[number]): number => slots.reduce((sum, slot) => sum + slot[field], 0);
