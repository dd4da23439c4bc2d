import type { TaskReport } from "../../../formats/tasks/report.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import type { TaskProtocol } from "../../../providers/contract/tasks.ts";
import { providerOf } from "../../../providers/registry.ts";
import { type ChannelEntry, storedKeyOf } from "../../channels/entry.ts";
import { type OpenTask, TASK_KINDS, type TaskDeps, type TaskKind } from "../task.ts";
import { claimOpenTasks } from "../task-rows.ts";
import { applyReport } from "./apply-report.ts";
import { type TaskKeeper, UpstreamQuestions } from "./query-upstreams.ts";

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
