import { parseJson } from "../../../formats/json.ts";
import type { TaskReport } from "../../../formats/tasks/report.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { signingTools } from "../../../providers/contract/provider.ts";
import type { TaskProtocol, TaskRequest } from "../../../providers/contract/tasks.ts";
import { providerOf } from "../../../providers/registry.ts";
import { type ChannelEntry, storedKeyOf } from "../../channels/entry.ts";
import { proxyOf, userAgentOf } from "../../channels/upstream/request-options.ts";
import { type OpenTask, TASK_KINDS, type TaskDeps, type TaskKind } from "../task.ts";
import { claimOpenTasks } from "../task-rows.ts";
import { applyReport } from "./apply-report.ts";

export type PollDeps = TaskDeps &
  Readonly<{
    channels: Readonly<{ get(id: number): ChannelEntry | undefined }>;
    /** For the addresses of channels. */
    fetch: SafeFetch;
  }>;

/** Rows that are in memory at a time. */
const CLAIMED_AT_ONCE = 500;
/** Who did not note within this that the upstream took the task never will: its process is gone. */
const SUBMITTED_WITHIN_S = 600;
const DEFAULT_TIMEOUT_S = 3600;

/**
 * Asks all upstreams once how their open tasks stand, side by side, many tasks in one question where the protocol can, and
 * brings the tasks to that. Others may poll at the same time: each takes tasks that nobody asked about this round.
 * Resolves with how many tasks changed. Where tasks of one kind could not be followed, those of the other were all the same:
 * rejects after both, with an AggregateError.
 */
export async function pollTasks(deps: PollDeps): Promise<number> {
  const questions = new UpstreamQuestions(deps);
  const ended = await Promise.allSettled(TASK_KINDS.map((kind) => pollKind(deps, kind, questions)));
  const errors = ended.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (errors.length > 0) throw new AggregateError(errors, "not all tasks could be followed");
  return ended.reduce((sum, end) => sum + (end.status === "fulfilled" ? end.value : 0), 0);
}

async function pollKind(deps: PollDeps, kind: TaskKind, questions: UpstreamQuestions): Promise<number> {
  const before = nowSeconds();
  let changed = 0;
  for (;;) {
    const tasks = await claimOpenTasks(deps.db, kind, { before, now: before, limit: CLAIMED_AT_ONCE });
    const byChannel = Map.groupBy(tasks, ({ channelId }) => channelId);
    const moved = await Promise.all([...byChannel.values()].map((some) => pollChannel(deps, some, questions)));
    changed += moved.reduce((sum, count) => sum + count, 0);
    if (tasks.length < CLAIMED_AT_ONCE) return changed;
  }
}

/** Brings tasks of one channel to what its upstream says; those of each key and action are asked about together. */
async function pollChannel(deps: PollDeps, tasks: readonly OpenTask[], questions: UpstreamQuestions): Promise<number> {
  let changed = 0;
  for (const some of Map.groupBy(tasks, ({ keyHash, action }) => `${keyHash}\n${action}`).values()) {
    const keeper = keeperOf(deps, some);
    const known = some.filter(({ upstreamId }) => upstreamId !== "");
    const reports = keeper && known.length > 0 ? await questions.about(keeper, known) : null;
    for (const task of some) {
      const report = reports?.get(task.upstreamId);
      const isOver = report?.status === "SUCCESS" || report?.status === "FAILURE";
      const reported = isOver ? report : (overdue(task, keeper?.protocol) ?? report);
      try {
        if (reported && (await applyReport(deps, task, reported))) changed += 1;
      } catch (error) {
        deps.log.warn({ error, kind: task.kind, id: task.id }, "a task could not be brought to what its upstream says");
      }
    }
  }
  return changed;
}

/** Who knows these tasks; null: their channel is gone. */
function keeperOf({ channels, vault }: PollDeps, [task]: readonly OpenTask[]): TaskKeeper | null {
  const channel = channels.get(task?.channelId ?? 0);
  const protocol = channel && providerOf(channel.type)?.tasks;
  if (!protocol) return null;
  const key =
    channel.keys.find((candidate) => vault.keyedHash(storedKeyOf(channel, candidate)) === task?.keyHash) ??
    channel.keys[0] ??
    "";
  return { channel, key, protocol };
}

/** What becomes of a task that its upstream never took, or took too long for; null: it still has time. */
function overdue(task: OpenTask, protocol: TaskProtocol | undefined): TaskReport | null {
  const age = nowSeconds() - task.createdAt;
  if (task.upstreamId === "" && age > SUBMITTED_WITHIN_S) return failed(task, { code: "why_task_not_taken" });
  const limit = protocol?.timeoutSeconds ?? DEFAULT_TIMEOUT_S;
  return age > limit ? failed(task, { code: "why_task_timeout" }) : null;
}

const failed = ({ upstreamId }: OpenTask, failReason: Reason): TaskReport => ({
  upstreamId,
  status: "FAILURE",
  progress: "100%",
  failReason,
  startMs: 0,
  finishMs: 0,
});

/** Who is asked about tasks. */
type TaskKeeper = Readonly<{ channel: ChannelEntry; key: string; protocol: TaskProtocol }>;

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
class UpstreamQuestions {
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
