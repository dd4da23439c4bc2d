import { type PollDeps, pollTasks } from "../../domain/tasks/polling/poll-tasks.ts";
import { every } from "./every.ts";

const EVERY_MS = 15_000;

/** Follows drawings, music and videos at their upstreams. Returns what ends it. */
export const startTaskJob = (deps: PollDeps): (() => void) =>
  every(
    EVERY_MS,
    () => pollTasks(deps),
    (error) => deps.log.warn({ error }, "tasks could not be followed"),
  );
