import { createApiKey, createChannel, type Session, setOption } from "../../../test/support/e2e/console-client.ts";
import type { Gateway } from "../../../test/support/processes/gateway.ts";
import { MODELS, WORKLOADS } from "../load/workloads.ts";
import { type Latency, measureAtRate } from "../measure.ts";
import { median } from "../report/statistics.ts";
import { startScript } from "../subjects.ts";
import type { ListProbe } from "./list-times.ts";

/** Latency of relayed calls while nobody, and while somebody, reads lists; milliseconds, medians of rounds. */
export type DuringLists = Readonly<{
  aloneP50Ms: number;
  aloneP99Ms: number;
  otherListsP50Ms: number;
  otherListsP99Ms: number;
  listsRead: number;
}>;

const LOAD = { perSecond: 100, seconds: 6 } as const;
const WARM_UP_S = 3;
/** Somebody who opens one page after the other. */
const BETWEEN_LISTS_MS = 250;
const RATIOS: Readonly<Record<string, number>> = { [MODELS.json]: 1 };

/**
 * Relays calls at a constant rate, in turns with and without somebody who opens lists meanwhile: so many rounds, and more
 * until each list was opened during calls.
 */
export async function measureDuringLists(
  gateway: Gateway,
  root: Session,
  probes: readonly ListProbe[],
  rounds: number,
): Promise<DuringLists> {
  const upstream = await startScript("upstream", "load/upstream.ts");
  let channelId: number | null = null;
  try {
    await setOption(root, "ModelRatio", RATIOS);
    const name = `during-${Date.now()}`;
    channelId = await createChannel(root, upstream.subject.target.url.replace(/\/$/, ""), [MODELS.json], {
      name,
      priority: 1000,
    });
    const { key } = await createApiKey(root, { name });
    const target = { url: gateway.url, key };
    const measure = async (seconds: number = LOAD.seconds) => {
      const latency = await measureAtRate(target, WORKLOADS.json, { ...LOAD, seconds });
      if (latency.wrong) throw new Error(`${latency.wrong} of ${latency.requests} answers were wrong`);
      return latency;
    };
    await measure(WARM_UP_S);
    const alone: Latency[] = [];
    const others: Latency[] = [];
    let listsRead = 0;
    while (alone.length < rounds || listsRead < probes.length) {
      alone.push(await measure());
      const reading = readLists(probes, listsRead);
      others.push(await measure());
      listsRead += await reading.stop();
    }
    const of = (latencies: readonly Latency[], which: "p50Ms" | "p99Ms") => median(latencies.map((one) => one[which]));
    return {
      aloneP50Ms: of(alone, "p50Ms"),
      aloneP99Ms: of(alone, "p99Ms"),
      otherListsP50Ms: of(others, "p50Ms"),
      otherListsP99Ms: of(others, "p99Ms"),
      listsRead,
    };
  } finally {
    // Its upstream is about to go: a later run must not be led to it.
    if (channelId !== null) await root.delete(`/api/channel/${channelId}`);
    upstream.stop();
  }
}

/** Opens one list after the other, the first being that at `start`, until stopped; resolves with how many it opened. */
function readLists(probes: readonly ListProbe[], start: number): { stop: () => Promise<number> } {
  let stopped = false;
  const work = (async () => {
    let read = 0;
    while (!stopped) {
      const probe = probes[(start + read) % probes.length];
      if (probe) await probe.session.get(probe.path);
      read += 1;
      await Bun.sleep(BETWEEN_LISTS_MS);
    }
    return read;
  })();
  return {
    stop() {
      stopped = true;
      return work;
    },
  };
}
