/** What the thread of the embedded engine is told, and what it answers. */
export type WorkerCommand = { op: "start"; dataDir: string; socket: string; fsync: boolean } | { op: "stop" };
export type WorkerReply = { op: "ready" } | { op: "stopped" } | { op: "failed"; message: string };
