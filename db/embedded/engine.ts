import { connect, type Socket } from "node:net";
import { readPackedSync } from "../../src/lib/runtime/packed-files.ts";
import type { WorkerCommand, WorkerReply } from "./messages.ts";

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const PING_MS = 15_000;
/** Far above the longest honest statement (building an index over years of log): longer means that it hangs. */
const HANGS_AFTER_MS = 15 * 60_000;
const RESTART_PAUSE_MS = 500;

export type EngineOptions = Readonly<{
  engineDir: string;
  /** Path of the unix socket it listens on. */
  socket: string;
  fsync: boolean;
  workerUrl: string;
  /** Called when the engine crashed or hung and is restarted. */
  onTrouble: (message: string) => void;
}>;

/**
 * The thread of the embedded engine and its guard: an engine that crashed or hangs is ended and started again on the same
 * files, as after a kill. What was under way then fails, later statements work.
 */
export class Engine {
  readonly #options: EngineOptions;
  #thread: Thread;
  #ready: Promise<void>;
  #client: Socket | null = null;
  #answeredAt = 0;
  #guard: Timer | null = null;
  #isStopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#thread = this.#newThread();
    this.#ready = this.#start();
  }

  /** Resolves when it accepts a connection. Rejects with why it does not. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** The driver's connection; there is only one at a time. */
  async connect(): Promise<Socket> {
    await this.#ready;
    this.#client?.destroy();
    const socket = connect(this.#options.socket);
    this.#client = socket;
    return new Promise((resolve, reject) => {
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  }

  /** Lets it write what it has and end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#guard) clearInterval(this.#guard);
    await this.#ready.catch(() => {});
    await this.#thread.ask({ op: "stop" }, STOP_TIMEOUT_MS).catch(() => {});
    await this.#thread.end();
  }

  async #start(): Promise<void> {
    const { engineDir, socket, fsync } = this.#options;
    const thread = this.#thread;
    try {
      // Begun first: it is the longer one.
      const compiling = compileProgram();
      const preparing = thread.ask({ op: "prepare", dataDir: engineDir }, START_TIMEOUT_MS);
      const [program] = await Promise.all([compiling, preparing]);
      await thread.ask({ op: "start", dataDir: engineDir, socket, fsync, program }, START_TIMEOUT_MS);
    } catch (error) {
      await thread.end();
      throw error;
    }
    this.#answeredAt = performance.now();
    this.#guard ??= setInterval(() => this.#check(), PING_MS).unref();
    thread.ended.then(() => this.#restart(thread, "it ended by itself"));
  }

  #newThread(): Thread {
    const thread: Thread = new Thread(this.#options.workerUrl, (message) => {
      if (message.op === "broken") this.#restart(thread, message.message);
      else if (message.op === "alive" && message.busyMs < HANGS_AFTER_MS) this.#answeredAt = performance.now();
    });
    return thread;
  }

  #check(): void {
    if (performance.now() - this.#answeredAt > HANGS_AFTER_MS) this.#restart(this.#thread, "it hangs");
    else this.#thread.send({ op: "ping" });
  }

  /** (A thread that fails to start says so by its promise, an earlier one is of no interest.) */
  #restart(thread: Thread, why: string): void {
    if (this.#isStopping || thread !== this.#thread || this.#guard === null) return;
    this.#options.onTrouble(`the embedded database is started again: ${why}`);
    this.#thread = this.#newThread();
    this.#answeredAt = performance.now();
    // Two engines on the same files would destroy them: not before the first has ended.
    this.#ready = thread
      .end()
      .then(() => Bun.sleep(RESTART_PAUSE_MS))
      .then(() => this.#start());
    this.#ready.catch((error: Error) => this.#restart(this.#thread, error.message));
    this.#client?.destroy();
  }
}

let compiled: Promise<WebAssembly.Module> | null = null;

/**
 * The engine's program, compiled once in this process: threads that start later share its code. Other threads compile it, so
 * whoever is going to start an engine begins with this.
 */
export function compileProgram(): Promise<WebAssembly.Module> {
  // Read at once: what is done next may hold this thread up.
  compiled ??= WebAssembly.compile(readPackedSync("pglite.wasm"));
  return compiled;
}

/** A worker that can be asked, and waited for. */
class Thread {
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  #settle: ((reply: WorkerReply) => void) | null = null;

  constructor(url: string, onMessage: (message: WorkerReply) => void) {
    this.#worker = new Worker(url);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#worker.addEventListener("close", () => {
      this.#settle?.({ op: "failed", message: "its thread ended" });
      resolve();
    });
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
      this.#settle?.(data);
      onMessage(data);
    };
    this.#worker.onerror = ({ message }) => {
      this.#settle?.({ op: "failed", message });
      onMessage({ op: "broken", message });
    };
  }

  send(command: WorkerCommand): void {
    this.#worker.postMessage(command);
  }

  /** Sends a command and resolves when it is done. Rejects with why it is not. */
  async ask(command: WorkerCommand, timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    this.#settle = (reply) => {
      if (reply.op === "ready" || reply.op === "stopped") resolve();
      else if (reply.op === "failed" || reply.op === "broken") reject(new Error(reply.message));
    };
    this.send(command);
    await promise.finally(() => {
      clearTimeout(timer);
      this.#settle = null;
    });
  }

  /** Ends it at once. Resolves when it has ended. */
  async end(): Promise<void> {
    this.#worker.terminate();
    await this.ended;
  }
}
