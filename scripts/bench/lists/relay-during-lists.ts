import { createApiKey, createChannel, type Session, setOption } from "../../../test/support/e2e/console-client.ts";
import type { Gateway } from "../../../test/support/processes/gateway.ts";
import { MODELS, WORKLOADS } from "../load/workloads.ts";
import { type Latency, measureAtRate } from "../measure.ts";
import { median } from "../report/statistics.ts";
import { startScript } from "../subjects.ts";
import type { ListProbe } from "./list-times.ts";

/** Milliseconds, medians of rounds. */
type Latencies = Readonly<{ p50Ms: number; p99Ms: number }>;

/** Latency of relayed calls with an empty database, and with a full one while nobody and while somebody reads lists. */
export type DuringLists = Readonly<{ empty: Latencies; alone: Latencies; lists: Latencies; listsRead: number }>;

/** A gateway and its administrator. */
type Site = Readonly<{ gateway: Gateway; root: Session }>;

const LOAD = { perSecond: 100, seconds: 6 } as const;
const WARM_UP_S = 3;
/** Somebody who opens one page after the other. */
const BETWEEN_LISTS_MS = 250;
const RATIOS: Readonly<Record<string, number>> = { [MODELS.json]: 1 };

/**
 * Relays calls at a constant rate, in turns through a gateway with an empty database, through the one with the lists, and
 * through that while somebody opens lists: so many rounds, and more until each list was opened during calls.
 */
export async function measureDuringLists(
  { full, empty }: Readonly<{ full: Site; empty: Site }>,
  probes: readonly ListProbe[],
  rounds: number,
): Promise<DuringLists> {
  const upstream = await startScript("upstream", "load/upstream.ts");
  const url = upstream.subject.target.url.replace(/\/$/, "");
  const targets: Target[] = [];
  try {
    for (const site of [empty, full]) targets.push(await prepare(site, url));
    const [emptyTarget, fullTarget] = targets;
    if (!emptyTarget || !fullTarget) throw new Error("no target");
    const measure = async (target: Target, seconds: number = LOAD.seconds) => {
      const latency = await measureAtRate(target, WORKLOADS.json, { ...LOAD, seconds });
      if (latency.wrong) throw new Error(`${latency.wrong} of ${latency.requests} answers were wrong`);
      return latency;
    };
    for (const target of targets) await measure(target, WARM_UP_S);
    const found: Record<"empty" | "alone" | "lists", Latency[]> = { empty: [], alone: [], lists: [] };
    let listsRead = 0;
    while (found.alone.length < rounds || listsRead < probes.length) {
      found.empty.push(await measure(emptyTarget));
      found.alone.push(await measure(fullTarget));
      const reading = readLists(probes, listsRead);
      found.lists.push(await measure(fullTarget));
      listsRead += await reading.stop();
    }
    const medians = (latencies: readonly Latency[]): Latencies => ({
      p50Ms: median(latencies.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(latencies.map(({ p99Ms }) => p99Ms)),
    });
    return { empty: medians(found.empty), alone: medians(found.alone), lists: medians(found.lists), listsRead };
  } finally {
    // Its upstream is about to go: a later run must not be led to it.
    for (const { root, channelId } of targets) await root.delete(`/api/channel/${channelId}`);
    upstream.stop();
  }
}

type Target = Readonly<{ url: string; key: string; root: Session; channelId: number }>;

/** Makes a channel to the upstream and a key on a site. */
async function prepare({ gateway, root }: Site, upstreamUrl: string): Promise<Target> {
  await setOption(root, "ModelRatio", RATIOS);
  const name = `during-${Date.now()}`;
  const channelId = await createChannel(root, upstreamUrl, [MODELS.json], { name, priority: 1000 });
  const { key } = await createApiKey(root, { name });
  return { url: gateway.url, key, root, channelId };
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
