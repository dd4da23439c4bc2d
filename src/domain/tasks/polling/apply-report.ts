import { eq } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../../db/schema/tasks.ts";
import type { TaskReport } from "../../../formats/tasks/report.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { publishPlanAccount } from "../../wallet/plans/limits/overage.ts";
import { refundCharge } from "../refund-charge.ts";
import type { OpenTask, TaskDeps } from "../task.ts";
import { isNews, writeRefund, writeReport } from "../task-rows.ts";
import { viewDrawing, viewSong } from "../task-view.ts";

const TIMEOUT_MS = 5_000;
const LARGEST_ANSWER_BYTES = 65_536;

/**
 * Sends a task that has changed to the address that its client named, in the background and once: who misses it asks. Such
 * an address may be anybody's, so it passes the rules for those of users.
 */
function notifyClient(deps: TaskDeps, task: OpenTask): void {
  callHook(deps, task).catch((error: unknown) =>
    deps.log.info({ error, kind: task.kind, id: task.id }, "a task's client could not be notified"),
  );
}

async function callHook(deps: TaskDeps, { kind, id, notifyHook }: OpenTask): Promise<void> {
  const body = kind === "drawing" ? await readDrawing(deps, id) : await readSong(deps, id);
  if (!body) return;
  await deps.hookFetch(notifyHook, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: LARGEST_ANSWER_BYTES,
    maxRedirects: 0,
  });
}

async function readDrawing(deps: TaskDeps, id: number) {
  const [row] = await deps.db.select().from(drawingTasks).where(eq(drawingTasks.id, id));
  return row && viewDrawing(deps, row);
}

async function readSong({ db }: TaskDeps, id: number) {
  const [row] = await db.select().from(mediaTasks).where(eq(mediaTasks.id, id));
  return row && viewSong(row);
}

/** A charge is in the database long before, if it will ever be: then its absence may be made final. */
const CHARGE_IS_WRITTEN_WITHIN_S = 600;

/**
 * Brings a task to what its upstream says. One that fails gives back its charge in the same transaction, so once whoever
 * is notified how often. Resolves with whether anything changed; a failure whose charge is not written yet waits.
 */
export async function applyReport(deps: TaskDeps, task: OpenTask, report: TaskReport): Promise<boolean> {
  // What is unchanged costs no write; finished parts of a running task are shown as they come.
  if (!isNews(task, report)) return false;
  const changed = report.status === "FAILURE" ? await failTask(deps, task, report) : await write(deps, task, report);
  if (changed && task.notifyHook !== "") notifyClient(deps, task);
  return changed;
}

const write = (deps: TaskDeps, task: OpenTask, report: TaskReport): Promise<boolean> =>
  writeReport(deps.db, task, report, Date.now());

async function failTask({ db, changes }: TaskDeps, task: OpenTask, report: TaskReport): Promise<boolean> {
  const mayVoid = nowSeconds() - task.createdAt > CHARGE_IS_WRITTEN_WITHIN_S;
  const refunded = await db
    .transaction(async (tx) => {
      if (!(await writeReport(tx, task, report, Date.now()))) throw new Undone();
      if (task.chargeId === "") return 0;
      const { chargeId, createdAt, userId, tokenId, channelId, kind, publicId } = task;
      const what = { kind: kind === "drawing" ? kind : "media", name: publicId || `#${task.id}` } as const;
      const back = await refundCharge(tx, { chargeId, createdAt, userId, tokenId, channelId, task: what }, mayVoid);
      if (back === null) throw new Undone();
      await writeRefund(tx, task, back);
      return back;
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return null;
      throw error;
    });
  if (refunded === null) return false;
  // An included call is worth nothing, and comes back all the same.
  if (task.chargeId !== "") {
    // Nothing is lowered: nobody waits until the other processes know.
    await publishPlanAccount({ db, changes: { enforce: changes.publish } }, task.userId);
    if (task.tokenId > 0) await changes.publish("tokens", [task.tokenId]);
  }
  return true;
}

/** Takes a transaction back: the task is over already, or its charge is not written yet. */
class Undone extends Error {
  override name = "Undone";
}
