import type { ChannelEntry } from "../channels/entry.ts";
import { proxyOf } from "../channels/proxy-of.ts";
import { parseJson } from "../dialects/json.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { providerOf } from "../providers/registry.ts";
import type { TaskProtocol, TaskReport } from "../providers/tasks/protocol.ts";
import { applyReport } from "./apply-report.ts";
import { type OpenTask, TASK_KINDS, type TaskDeps, type TaskKind } from "./task.ts";
import { claimOpenTasks } from "./task-rows.ts";

export type PollDeps = TaskDeps &
  Readonly<{
    channels: Readonly<{ get(id: number): ChannelEntry | undefined }>;
    /** For the addresses of channels. */
    fetch: SafeFetch;
  }>;

/** Rows that are in memory at a time. */
const CLAIMED_AT_ONCE = 500;
const QUESTIONS_AT_ONCE = 4;
const TIMEOUT_MS = 15_000;
/** Who did not note within this that the upstream took the task never will: its process is gone. */
const SUBMITTED_WITHIN_S = 600;
const DEFAULT_TIMEOUT_S = 3600;

/**
 * Asks all upstreams once how their open tasks stand, many in one question where the protocol can, and brings the tasks to
 * that. Others may poll at the same time: each takes tasks that nobody asked about this round. Resolves with how many
 * tasks changed.
 */
export async function pollTasks(deps: PollDeps): Promise<number> {
  let changed = 0;
  for (const kind of TASK_KINDS) changed += await pollKind(deps, kind);
  return changed;
}

async function pollKind(deps: PollDeps, kind: TaskKind): Promise<number> {
  const before = nowSeconds();
  let changed = 0;
  for (;;) {
    const tasks = await claimOpenTasks(deps.db, kind, { before, now: before, limit: CLAIMED_AT_ONCE });
    const questions = questionsOf(deps, tasks);
    const work = async () => {
      for (let question = questions.pop(); question; question = questions.pop()) {
        const moved = await ask(deps, question);
        changed += moved;
      }
    };
    await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, work));
    if (tasks.length < CLAIMED_AT_ONCE) return changed;
  }
}

/** Tasks to be asked about together; without a channel that knows them there is nobody to ask. */
type Question = Readonly<{
  channel: ChannelEntry | null;
  key: string;
  protocol: TaskProtocol | null;
  tasks: OpenTask[];
}>;

function questionsOf({ channels, vault }: PollDeps, tasks: readonly OpenTask[]): Question[] {
  const groups = Map.groupBy(tasks, ({ channelId, keyHash, action }) => `${channelId}\n${keyHash}\n${action}`);
  return [...groups.values()].flatMap((group) => {
    const [{ channelId, keyHash } = { channelId: 0, keyHash: "" }] = group;
    const channel = channels.get(channelId) ?? null;
    const protocol = (channel && providerOf(channel.type)?.tasks) ?? null;
    const key = channel?.keys.find((candidate) => vault.keyedHash(candidate) === keyHash) ?? channel?.keys[0] ?? "";
    const size = protocol?.mostAtOnce ?? CLAIMED_AT_ONCE;
    return Array.from({ length: Math.ceil(group.length / size) }, (_, at) => ({
      channel,
      key,
      protocol,
      tasks: group.slice(at * size, (at + 1) * size),
    }));
  });
}

async function ask(deps: PollDeps, question: Question): Promise<number> {
  const { channel, protocol, tasks } = question;
  const known = tasks.filter(({ upstreamId }) => upstreamId !== "");
  const reports = channel && protocol && known.length > 0 ? await reportsOf(deps, question, known) : [];
  const byId = new Map(reports.map((report) => [report.upstreamId, report]));
  let changed = 0;
  for (const task of tasks) {
    const report = byId.get(task.upstreamId);
    const isOver = report?.status === "SUCCESS" || report?.status === "FAILURE";
    const told = isOver ? report : (overdue(task, protocol) ?? report);
    try {
      if (told && (await applyReport(deps, task, told))) changed += 1;
    } catch (error) {
      deps.log.warn({ error, kind: task.kind, id: task.id }, "a task could not be brought to what its upstream says");
    }
  }
  return changed;
}

async function reportsOf(deps: PollDeps, question: Question, tasks: OpenTask[]): Promise<TaskReport[]> {
  const { channel, key, protocol } = question;
  const provider = channel && providerOf(channel.type);
  if (!provider || !protocol) return [];
  try {
    const { method, url, body } = protocol.ask(channel, tasks);
    const answer = await deps.fetch(url, {
      method,
      headers: { ...provider.authHeaders(channel, key), ...(body !== "" && { "content-type": "application/json" }) },
      ...(body !== "" && { body }),
      timeoutMs: TIMEOUT_MS,
      proxy: proxyOf(channel),
    });
    if (answer.status === 200) return protocol.readReports(parseJson(answer.text()), tasks);
    deps.log.warn({ channelId: channel.id, status: answer.status }, "an upstream does not tell how its tasks stand");
  } catch (error) {
    deps.log.warn({ error, channelId: channel.id }, "an upstream could not be asked how its tasks stand");
  }
  return [];
}

/** What becomes of a task that its upstream never took, or took too long for; null: it still has time. */
function overdue(task: OpenTask, protocol: TaskProtocol | null): TaskReport | null {
  const age = nowSeconds() - task.createdAt;
  if (task.upstreamId === "" && age > SUBMITTED_WITHIN_S) return failed(task, "the upstream did not take the task");
  const limit = protocol?.timeoutSeconds ?? DEFAULT_TIMEOUT_S;
  return age > limit ? failed(task, "timeout") : null;
}

const failed = ({ upstreamId }: OpenTask, failReason: string): TaskReport => ({
  upstreamId,
  status: "FAILURE",
  progress: "100%",
  failReason,
  startMs: 0,
  finishMs: 0,
});
