import { parseJson } from "../../../formats/json.ts";
import type { TaskReport } from "../../../formats/tasks/report.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { signingTools } from "../../../providers/contract/provider.ts";
import type { TaskProtocol, TaskRequest } from "../../../providers/contract/tasks.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../../channels/entry.ts";
import { proxyOf, userAgentOf } from "../../channels/upstream/request-options.ts";
import type { OpenTask } from "../task.ts";

/** Who is asked about tasks. */
export type TaskKeeper = Readonly<{ channel: ChannelEntry; key: string; protocol: TaskProtocol }>;

type Deps = Readonly<{ fetch: SafeFetch; log: Logger }>;

/** Questions that one channel's upstream gets at a time. */
const QUESTIONS_AT_ONCE = 8;
const TIMEOUT_MS = 15_000;
const MEDIA_LIMITS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };
/** An upstream that leaves so many questions in a row open is not asked any more in this round: others wait. */
const MOST_UNANSWERED = 8;
/** So many tasks are cheaper found in their upstream's list than asked about one by one. */
const WORTH_A_LIST = 20;
const MOST_PAGES = 200;
/** Clocks differ, and a task is stored before its upstream receives it. */
const LIST_MARGIN_MS = 3_600_000;

/** Asks upstreams how tasks stand, for one round of all of them. */
export class UpstreamQuestions {
  /** Channel, or channel and key → questions in a row that were not answered. */
  readonly #unanswered = new Map<string, number>();
  readonly #listings = new Map<string, Listing>();

  constructor(private readonly deps: Deps) {}

  /** What a channel's upstream says of these tasks, which one key ordered by one action; those missing from its answer are left out. */
  async about(keeper: TaskKeeper, tasks: readonly OpenTask[]): Promise<Map<string, TaskReport>> {
    const found = new Map<string, TaskReport>();
    const note = (reports: readonly TaskReport[]) => {
      for (const report of reports) found.set(report.upstreamId, report);
    };
    if (tasks.length >= WORTH_A_LIST) note(await this.#listed(keeper, tasks));
    const left = tasks.filter(({ upstreamId }) => !found.has(upstreamId));
    const size = keeper.protocol.mostAtOnce;
    const work = async () => {
      while (left.length > 0) {
        const some = left.splice(0, size);
        const answer = await this.#ask(keeper, keeper.protocol.ask(keeper.channel, some));
        if (answer !== null) note(keeper.protocol.readReports(answer, some));
      }
    };
    await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, work));
    return found;
  }

  /** From the upstream's list of tasks, which is read once a round, as far as it is needed. */
  async #listed(keeper: TaskKeeper, tasks: readonly OpenTask[]): Promise<TaskReport[]> {
    const { list } = keeper.protocol;
    const [{ action } = { action: "" }] = tasks;
    if (!list) return [];
    const name = `${keeper.channel.id}\n${keeper.key}\n${action}`;
    const listing = this.#listings.get(name) ?? new Listing();
    this.#listings.set(name, listing);
    const oldestMs = Math.min(...tasks.map(({ createdAt }) => createdAt)) * 1000 - LIST_MARGIN_MS;
    while (listing.goesOn && listing.reachesMs > oldestMs && tasks.some(({ upstreamId }) => !listing.has(upstreamId))) {
      const answer = await this.#ask(keeper, list.ask(keeper.channel, action, listing.cursor));
      if (answer === null) listing.end();
      else listing.add(list.read(answer, listing.cursor));
    }
    return tasks.flatMap(({ upstreamId }) => listing.get(upstreamId) ?? []);
  }

  /** The answer to a question; null: there is none. */
  async #ask({ channel, key, protocol }: TaskKeeper, { method, url, body }: TaskRequest): Promise<unknown> {
    const upstream = String(channel.id);
    const ofKey = `${upstream}\n${key}`;
    const unanswered = (name: string) => this.#unanswered.get(name) ?? 0;
    if ([upstream, ofKey].some((name) => unanswered(name) >= MOST_UNANSWERED)) return null;
    try {
      const provider = providerOf(channel.type);
      const headers = {
        "user-agent": userAgentOf(channel),
        ...provider?.authHeaders(channel, key),
        ...(body !== "" && { "content-type": "application/json" }),
      };
      const signed = await provider?.sign?.({ url, headers, body }, channel, key, signingTools(this.deps.fetch));
      const answer = await this.deps.fetch(signed?.url ?? url, {
        method,
        headers: { ...headers, ...signed?.headers },
        ...(body !== "" && { body: signed?.body ?? body }),
        ...(protocol.answersWithMedia ? MEDIA_LIMITS : { timeoutMs: TIMEOUT_MS }),
        proxy: proxyOf(channel),
      });
      const { status } = answer;
      const isReport = status === 200 || status === protocol.failureStatus;
      if (isReport || status === 404) for (const name of [upstream, ofKey]) this.#unanswered.delete(name);
      if (isReport) return parseJson(answer.text()) ?? null;
      // What is refused may be this key alone: those of others go on being asked about.
      const silent = status >= 500 ? upstream : ofKey;
      if (status !== 404) this.#unanswered.set(silent, unanswered(silent) + 1);
      this.deps.log.warn({ channelId: channel.id, status }, "an upstream does not report the state of its tasks");
    } catch (error) {
      this.#unanswered.set(upstream, unanswered(upstream) + 1);
      this.deps.log.warn({ error, channelId: channel.id }, "an upstream could not be asked how its tasks stand");
    }
    return null;
  }
}

/** As much of an upstream's list of tasks, newest first, as was read so far. */
class Listing {
  readonly #reports = new Map<string, TaskReport>();
  #pages = 0;
  /** Where the next page begins; null: at the beginning. */
  cursor: string | null = null;
  goesOn = true;
  /** Epoch milliseconds: what is on the pages to come is older. */
  reachesMs = Number.POSITIVE_INFINITY;

  add({ reports, next }: Readonly<{ reports: readonly TaskReport[]; next: string | null }>): void {
    for (const report of reports) this.#reports.set(report.upstreamId, report);
    const begun = reports.flatMap(({ startMs }) => (startMs > 0 ? [startMs] : []));
    if (begun.length > 0) this.reachesMs = Math.max(...begun);
    this.#pages += 1;
    this.cursor = next;
    this.goesOn = next !== null && reports.length > 0 && this.#pages < MOST_PAGES;
  }

  end(): void {
    this.goesOn = false;
  }

  has = (upstreamId: string): boolean => this.#reports.has(upstreamId);
  get = (upstreamId: string): TaskReport | undefined => this.#reports.get(upstreamId);
}
