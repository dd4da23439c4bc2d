import { eq } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../../db/schema/gateway/tasks.ts";
import type { OpenTask, TaskDeps } from "../task.ts";
import { viewDrawing, viewSong } from "../task-view.ts";

const TIMEOUT_MS = 5_000;
const LARGEST_ANSWER_BYTES = 65_536;

/**
 * Sends a task that has changed to the address that its client named, in the background and once: who misses it asks. Such
 * an address may be anybody's, so it passes the rules for those of users.
 */
export function tellClient(deps: TaskDeps, task: OpenTask): void {
  tell(deps, task).catch((error: unknown) =>
    deps.log.info({ error, kind: task.kind, id: task.id }, "a task's client could not be told of it"),
  );
}

async function tell(deps: TaskDeps, { kind, id, notifyHook }: OpenTask): Promise<void> {
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
