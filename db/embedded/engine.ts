import { connect, type Socket } from "node:net";
import type { WorkerCommand, WorkerReply } from "./messages.ts";

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const PING_MS = 15_000;
/** Far above the longest honest statement (building an index over years of log): longer means that it hangs. */
const HANGS_AFTER_MS = 15 * 60_000;
const RESTART_PAUSE_MS = 1000;

export type EngineOptions = Readonly<{
  engineDir: string;
  /** Path of the unix socket it listens on. */
  socket: string;
  fsync: boolean;
  workerUrl: string;
  /** Hears that the engine crashed or hung, and was started again. */
  onTrouble: (message: string) => void;
}>;

/**
 * The thread of the embedded engine and its guard: an engine that crashed or hangs is ended and started again on the same
 * files, as after a kill; what was under way then fails, later statements work.
 */
export class Engine {
  readonly #options: EngineOptions;
  #worker: Worker | null = null;
  #ready: Promise<void>;
  #client: Socket | null = null;
  #heardAt = 0;
  #guard: Timer | null = null;
  #isStopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#ready = this.#start();
  }

  /** Resolves when it accepts a connection. Rejects with why it does not. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** The driver's connection; there must be only one at a time. */
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
    if (this.#worker) await this.#ask(this.#worker, { op: "stop" }, STOP_TIMEOUT_MS).catch(() => {});
    this.#worker?.terminate();
  }

  async #start(): Promise<void> {
    const { engineDir, socket, fsync, workerUrl } = this.#options;
    const worker = new Worker(workerUrl);
    this.#worker = worker;
    try {
      await this.#ask(worker, { op: "start", dataDir: engineDir, socket, fsync }, START_TIMEOUT_MS);
    } catch (error) {
      worker.terminate();
      throw error;
    }
    this.#heardAt = performance.now();
    this.#guard ??= setInterval(() => this.#check(), PING_MS);
    this.#guard.unref();
  }

  #check(): void {
    if (performance.now() - this.#heardAt > HANGS_AFTER_MS) this.#restart("it hangs");
    else this.#send(this.#worker, { op: "ping" });
  }

  #restart(why: string): void {
    if (this.#isStopping) return;
    this.#options.onTrouble(`the embedded database is started again: ${why}`);
    this.#worker?.terminate();
    this.#worker = null;
    this.#heardAt = performance.now();
    this.#ready = Bun.sleep(RESTART_PAUSE_MS).then(() => this.#start());
    this.#ready.catch((error: Error) => this.#restart(error.message));
    this.#client?.destroy();
  }

  #send(worker: Worker | null, command: WorkerCommand): void {
    worker?.postMessage(command);
  }

  /** Sends a command and resolves when it is done; from then on the worker's own messages are heard. */
  #ask(worker: Worker, command: WorkerCommand, timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
      if (data.op === "ready" || data.op === "stopped") resolve();
      else if (data.op === "failed") reject(new Error(data.message));
      else this.#hear(worker, data);
    };
    worker.onerror = (event) => {
      reject(new Error(event.message));
      this.#hear(worker, { op: "broken", message: event.message });
    };
    this.#send(worker, command);
    return promise.finally(() => clearTimeout(timer));
  }

  #hear(worker: Worker, message: Extract<WorkerReply, { op: "alive" | "broken" }>): void {
    // What an ended worker still says is of no interest; one that fails to start is reported by its promise.
    if (worker !== this.#worker || this.#guard === null) return;
    if (message.op === "broken") this.#restart(message.message);
    else if (message.busyMs < HANGS_AFTER_MS) this.#heardAt = performance.now();
  }
}
