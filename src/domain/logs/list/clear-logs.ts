import { dropLogsInSteps } from "../../../../db/maintenance/partitions.ts";
import { logDatabaseOf } from "../../../../db/server/log-database.ts";
import type { Database } from "../../../../db/types.ts";

/** A line with the progress of clearing the log. */
export type ClearedLine = Readonly<{ deleted: number; done?: true }>;

/**
 * Deletes log rows older than `before` (epoch seconds) while its lines are read: `{"deleted": so far}` a line, the last one
 * with `"done": true`. A reader that leaves stops the deleting, as a failure does. `onEnd` gets the number deleted, also then.
 */
export function clearLogs(
  database: Database,
  before: number,
  onEnd: (deleted: number) => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const steps = dropInSteps(database, before);
  let deleted = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await steps.next().catch(async (error) => {
          await onEnd(deleted);
          throw error;
        });
        if (!done) deleted += value;
        if (done) await onEnd(deleted);
        const line: ClearedLine = { deleted, ...(done && { done: true }) };
        controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        if (done) controller.close();
      },
      async cancel() {
        await steps.return();
        await onEnd(deleted);
      },
    },
    // Nothing is deleted that nobody waits for.
    { highWaterMark: 0 },
  );
}

/** Events stand in both databases, and are counted once. */
async function* dropInSteps(database: Database, before: number): AsyncGenerator<number, void> {
  const logDatabase = logDatabaseOf(database);
  if (logDatabase !== database) for await (const _ of dropLogsInSteps(database, before)) yield 0;
  yield* dropLogsInSteps(logDatabase, before);
}
