import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { parseJson } from "../../../../formats/json.ts";
import { ResultTooLargeError } from "../result-too-large.ts";

/** A process to start, and what it may do. */
export type ProcessOptions = Readonly<{
  /** The executable and its arguments; no shell reads them. */
  command: readonly [string, ...string[]];
  environment: Readonly<Record<string, string>>;
  folder: string;
  /** Of one message. */
  maxBytes: number;
  /** Called before the process starts; throws if it may not. */
  admit(transport: StdioTransport): void;
  /** Called once it has ended; `isExpected`: the gateway ended it. */
  ended(transport: StdioTransport, isExpected: boolean): void;
}>;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const [TERM_AFTER_MS, KILL_AFTER_MS] = [1_000, 3_000];
/** Calls under way get this long before the process ends. */
const DRAIN_MS = 30_000;
const MAX_STDERR_LENGTH = 4_096;
const MAX_QUEUED_BYTES = 16 * 1_048_576;
/** Lines on standard output that are no messages: some servers print a greeting. */
const MAX_STRAY_LINES = 1_000;
/** Messages that wait to be delivered, beyond which nothing more is read. */
const MAX_QUEUED_MESSAGES = 100;
const NEWLINE = 10;

/**
 * An MCP server as a process of its own, in messages of a line each. Unlike the SDK's transport it bounds what the process sends and what
 * waits for it, and ends its whole process group. Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the process ended; null: it runs, or the gateway ended it. */
  failure: Error | null = null;
  /** The end of what it wrote to standard error. */
  stderr = "";
  lastUsedMs = Date.now();
  readonly startedMs = Date.now();
  readonly #waiting = new Set<string | number>();
  #child: Child | null = null;
  #parts: Buffer[] = [];
  #size = 0;
  #strayLines = 0;
  #queue: JSONRPCMessage[] = [];
  #isDelivering = false;
  #isClosing = false;
  #closed = Promise.withResolvers<void>();

  constructor(private readonly options: ProcessOptions) {}

  /** It ends, or has ended. */
  get isOver(): boolean {
    return this.#isClosing || this.failure !== null;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  async start(): Promise<void> {
    const { command, environment, folder } = this.options;
    this.options.admit(this);
    const [file, ...args] = command;
    // A process group of its own: whatever the process starts ends with it.
    const child = spawn(file, args, {
      cwd: folder,
      env: { ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#child = child;
    child.stdout.on("data", (part: Buffer) => this.#receive(part));
    child.stderr.on("data", (part: Buffer) => {
      this.stderr = (this.stderr + part.toString()).slice(-MAX_STDERR_LENGTH);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.once("error", (error) => this.#end(error));
    child.once("exit", (code, signal) =>
      this.#end(new Error(`The server's process ended with ${signal ?? `code ${code}`}.`)),
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.failure) throw this.failure ?? new Error("The server's process does not run.");
    this.lastUsedMs = Date.now();
    if ("method" in message && "id" in message) this.#waiting.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.requestId;
      if (typeof id === "string" || typeof id === "number") this.#waiting.delete(id);
    }
    // A process that reads nothing does not fill the memory of this one.
    if (stdin.writableLength > MAX_QUEUED_BYTES) return this.kill(new Error("The server's process reads nothing."));
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the process once its calls are done: closes its input, then SIGTERM, then SIGKILL. Resolves when it has ended. */
  async close(): Promise<void> {
    if (!this.#child || this.#isClosing) return;
    this.#isClosing = true;
    const deadline = Date.now() + DRAIN_MS;
    while (this.#waiting.size > 0 && Date.now() < deadline && this.#child) await Bun.sleep(50);
    this.#child?.stdin.end();
    const timers = [
      setTimeout(() => this.#signal("SIGTERM"), TERM_AFTER_MS),
      setTimeout(() => this.#signal("SIGKILL"), KILL_AFTER_MS),
    ];
    await this.#closed.promise;
    for (const timer of timers) clearTimeout(timer);
  }

  /** Ends the process at once; `reason`: what it did. */
  kill(reason?: Error): void {
    if (reason) this.failure ??= reason;
    this.#isClosing ||= !reason;
    this.#signal("SIGKILL");
  }

  #receive(part: Buffer): void {
    let start = 0;
    for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, start)) {
      this.#parts.push(part.subarray(start, at));
      this.#size += at - start;
      start = at + 1;
      if (this.#isTooLarge()) return;
      const line = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      this.#size = 0;
      this.#read(line);
    }
    this.#parts.push(part.subarray(start));
    this.#size += part.length - start;
    this.#isTooLarge();
  }

  #isTooLarge(): boolean {
    if (this.failure) return true;
    if (this.#size <= this.options.maxBytes) return false;
    this.#parts = [];
    this.kill(new ResultTooLargeError(this.options.maxBytes));
    return true;
  }

  #read(line: string): void {
    if (line.trim() === "") return;
    const { success, data } = JSONRPCMessageSchema.safeParse(parseJson(line));
    if (!success) {
      this.#strayLines += 1;
      if (this.#strayLines > MAX_STRAY_LINES) this.kill(new Error("The server writes what is no message."));
      return;
    }
    if ("id" in data && !("method" in data) && data.id !== undefined) this.#waiting.delete(data.id);
    this.lastUsedMs = Date.now();
    this.#queue.push(data);
    if (this.#queue.length >= MAX_QUEUED_MESSAGES) this.#child?.stdout.pause();
    if (!this.#isDelivering) void this.#deliver();
  }

  /** One after the other: what a notification starts runs before the response that comes with it ends its call. */
  async #deliver(): Promise<void> {
    this.#isDelivering = true;
    for (let message = this.#queue.shift(); message; message = this.#queue.shift()) {
      this.onmessage?.(message);
      if (!("id" in message)) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isDelivering = false;
    this.#child?.stdout.resume();
  }

  #end(reason: Error): void {
    if (!this.#child) return;
    // What it has started and left behind.
    this.#signal("SIGKILL");
    this.#child = null;
    const isExpected = this.#isClosing;
    if (!isExpected) this.failure ??= reason;
    this.options.ended(this, isExpected);
    this.#closed.resolve();
    this.onclose?.();
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  }
}
