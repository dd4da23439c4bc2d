import type { Speed } from "../call/progress.ts";
import type { KeyState } from "../upstream/keys/cool-down.ts";
import type { CallsUnderWay, EndedCalls } from "../upstream/keys/key-traffic.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import type { RoutingMemory } from "./memory.ts";
import type { WaitingHead } from "./routes/busy/call-queues.ts";
import type { HedgeNews } from "./routes/busy/hedges.ts";
import type { ServedBy } from "./scheduler/stickiness.ts";

/** What calls of one worker have shown since its last news. Conversations are hashes in hex. */
export type RoutingNews = Readonly<{
  underWay: CallsUnderWay;
  ended: readonly (readonly [channelId: number, key: string, ended: EndedCalls])[];
  keys: readonly (readonly [channelId: number, key: string, state: KeyState])[];
  speeds: readonly (readonly [channelId: number, model: string, mean: Speed, calls: number])[];
  hedges: readonly HedgeNews[];
  conversations: readonly (readonly [conversation: string, served: ServedBy | null])[];
  models: readonly (readonly [conversation: string, model: string])[];
  /** What waits first for each busy route. */
  waiting: readonly WaitingHead[];
}>;

/** Leads to the other workers of this host. */
export type RoutingLine = Readonly<{
  /** `receive`: called with the news of another worker; null: it has ended. */
  joinRouting(receive: (worker: number, news: RoutingNews | null) => void): void;
  shareRouting(news: RoutingNews): void;
}>;

/** How long another worker goes on without the news. */
export const SHARE_EVERY_MS = 250;

type Memory = Pick<UpstreamTools, "coolDown" | "traffic"> &
  Pick<RoutingMemory, "conversationModels" | "hedges" | "queues" | "speeds" | "stickiness">;
type Sum = { firstTokenMs: number; firstTokens: number; tokensPerSecond: number; rates: number; calls: number };

/** Gathers what calls of this worker show, so that all workers of the host choose channels by the same knowledge. */
export function createWorkerNews() {
  let ended = new Map<string, [number, string, { count: number; failed: number; elapsedMs: number }]>();
  let keys = new Map<string, [number, string, KeyState]>();
  let speeds = new Map<string, [number, string, Sum]>();
  let hedges: HedgeNews[] = [];
  let conversations = new Map<bigint, ServedBy | null>();
  let models = new Map<bigint, string>();
  let wasBusy = false;

  return {
    ended(channelId: number, key: string, { count, failed, elapsedMs }: EndedCalls): void {
      const name = `${channelId} ${key}`;
      const known = ended.get(name)?.[2] ?? { count: 0, failed: 0, elapsedMs: 0 };
      known.count += count;
      known.failed += failed;
      known.elapsedMs += elapsedMs;
      ended.set(name, [channelId, key, known]);
    },
    key(channelId: number, key: string, { failures, until, limitedUntil, allowance }: KeyState): void {
      const name = `${channelId} ${key}`;
      const latest = allowance ?? keys.get(name)?.[2].allowance ?? null;
      keys.set(name, [channelId, key, { failures, until, limitedUntil, allowance: latest }]);
    },
    speed(channelId: number, model: string, { firstTokenMs, tokensPerSecond }: Speed): void {
      const name = `${channelId} ${model}`;
      const known = speeds.get(name)?.[2] ?? {
        firstTokenMs: 0,
        firstTokens: 0,
        tokensPerSecond: 0,
        rates: 0,
        calls: 0,
      };
      known.firstTokenMs += firstTokenMs ?? 0;
      known.firstTokens += Number(firstTokenMs !== null);
      known.tokensPerSecond += tokensPerSecond ?? 0;
      known.rates += Number(tokensPerSecond !== null);
      known.calls += 1;
      speeds.set(name, [channelId, model, known]);
    },
    hedge: (news: HedgeNews): void => void hedges.push(news),
    conversation: (conversation: bigint, served: ServedBy | null): void => void conversations.set(conversation, served),
    model: (conversation: bigint, model: string): void => void models.set(conversation, model),

    /** The news since the last time; null: there is none. `underWay`: calls in progress here, `waiting`: those in queues. */
    take(underWay: CallsUnderWay, waiting: readonly WaitingHead[]): RoutingNews | null {
      const changes = ended.size + keys.size + speeds.size + hedges.length + conversations.size + models.size;
      const isBusy = underWay.length + waiting.length > 0;
      if (changes === 0 && !isBusy && !wasBusy) return null;
      wasBusy = isBusy;
      const news: RoutingNews = {
        ...{ underWay, waiting, hedges, ended: [...ended.values()], keys: [...keys.values()] },
        speeds: [...speeds.values()].map(([channelId, model, sum]) => [channelId, model, meanOf(sum), sum.calls]),
        conversations: [...conversations].map(([conversation, served]) => [hexOf(conversation), served]),
        models: [...models].map(([conversation, model]) => [hexOf(conversation), model]),
      };
      [ended, keys, speeds, hedges] = [new Map(), new Map(), new Map(), []];
      [conversations, models] = [new Map(), new Map()];
      return news;
    },
  };
}

/** Takes over what another worker reports; null: it has ended, and its calls with it. */
export function learnNews(memory: Memory, worker: number, news: RoutingNews | null): void {
  const { traffic, coolDown, speeds, hedges, stickiness, conversationModels, queues } = memory;
  queues.learn(worker, news?.waiting ?? []);
  traffic.learnUnderWay(worker, news?.underWay ?? []);
  if (!news) return;
  for (const ended of news.ended) traffic.learnEnded(...ended);
  for (const key of news.keys) coolDown.learn(...key);
  for (const speed of news.speeds) speeds.learn(...speed);
  for (const hedge of news.hedges) hedges.learn(hedge);
  for (const [conversation, served] of news.conversations) stickiness.learn(numberOf(conversation), served);
  for (const [conversation, model] of news.models) conversationModels.learn(numberOf(conversation), model);
}

const meanOf = ({ firstTokenMs, firstTokens, tokensPerSecond, rates }: Sum): Speed => ({
  firstTokenMs: firstTokens > 0 ? firstTokenMs / firstTokens : null,
  tokensPerSecond: rates > 0 ? tokensPerSecond / rates : null,
});

const hexOf = (conversation: bigint): string => conversation.toString(16);
const numberOf = (hex: string): bigint => BigInt(`0x${hex}`);
