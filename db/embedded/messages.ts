/** Messages to the thread of the embedded engine. */
export type WorkerCommand =
  /** Reads what a start needs, and makes the files of a first one; answered with `ready`. */
  | { op: "prepare"; dataDir: string }
  | { op: "start"; dataDir: string; socket: string; fsync: boolean; program: WebAssembly.Module }
  | { op: "ping" }
  | { op: "stop" };

/**
 * Messages from it. `failed`: it could not start or stop. `alive` answers a ping, with the milliseconds that the statement
 * under way has taken so far. `broken`: the engine itself has crashed and will answer nothing more.
 */
export type WorkerReply =
  | { op: "ready" }
  | { op: "stopped" }
  | { op: "failed"; message: string }
  | { op: "alive"; busyMs: number }
  | { op: "broken"; message: string };
