import { connect, type Socket } from "node:net";
import { type MeasuredResponse, ResponseReader } from "./response-reader.ts";

/** What is sent, and what every answer to it must look like. */
export type Workload = Readonly<{ name: string; path: string; body: string; expect: Expected }>;
type Expected = Readonly<{ events: number }>;

export type Target = Readonly<{ url: string; key: string }>;

export type LoadResult = Readonly<{
  requests: number;
  seconds: number;
  /** Answers that were not 200, incomplete, or short of events. */
  wrong: number;
  /** Milliseconds from sending to the complete answer. */
  latenciesMs: readonly number[];
}>;

/** A keep-alive connection that carries one request at a time. */
class Connection {
  #socket: Socket;
  #reader = new ResponseReader();
  #waiting: PromiseWithResolvers<MeasuredResponse> | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      const response = this.#reader.push(bytes as Buffer);
      if (!response) return;
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.resolve(response);
    });
    const fail = () => this.#waiting?.reject(new Error("the connection was closed"));
    socket.on("error", fail).on("close", fail);
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(new Connection(socket)));
      socket.once("error", reject);
    });
  }

  send(request: Buffer): Promise<MeasuredResponse> {
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Keeps a number of connections busy for a time (closed loop): for throughput and cost, and latency at one connection. */
export async function closedLoop(
  target: Target,
  workload: Workload,
  options: Readonly<{ connections: number; seconds: number; maxRequests?: number }>,
): Promise<LoadResult> {
  const connections = await openAll(target, options.connections);
  const request = requestBytes(target, workload);
  const meter = newMeter(workload);
  const start = performance.now();
  const end = start + options.seconds * 1000;
  let sent = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end && sent < (options.maxRequests ?? Number.POSITIVE_INFINITY)) {
        sent += 1;
        await meter.time(performance.now(), connection.send(request));
      }
    }),
  );
  return finish(connections, meter, start);
}

/**
 * Sends at a constant rate whatever the answers do (open loop); a connection is opened when all are busy. It sleeps in
 * between, since a generator that spins takes one of the processors from those who are measured. So a call leaves up to a
 * millisecond after its time, and latency counts from when it left: it never waits for the answer to another one.
 */
export async function openLoop(
  target: Target,
  workload: Workload,
  options: Readonly<{ perSecond: number; seconds: number }>,
): Promise<LoadResult> {
  const free = await openAll(target, 8);
  const all = [...free];
  const request = requestBytes(target, workload);
  const meter = newMeter(workload);
  const running: Promise<void>[] = [];
  const start = performance.now();
  const total = Math.round(options.perSecond * options.seconds);
  const call = async () => {
    const since = performance.now();
    const connection = free.pop() ?? (await Connection.open(target.url));
    if (!all.includes(connection)) all.push(connection);
    await meter.time(since, connection.send(request));
    free.push(connection);
  };
  for (let index = 0; index < total; index += 1) {
    const earlyMs = start + (index * 1000) / options.perSecond - performance.now();
    if (earlyMs > 0) await Bun.sleep(earlyMs);
    running.push(call());
  }
  await Promise.all(running);
  return finish(all, meter, start);
}

function newMeter({ expect }: Workload) {
  const latenciesMs: number[] = [];
  const counts = { wrong: 0 };
  return {
    latenciesMs,
    counts,
    async time(since: number, response: Promise<MeasuredResponse>): Promise<void> {
      const { status, events } = await response.catch(() => ({ status: 0, events: 0 }));
      latenciesMs.push(performance.now() - since);
      if (status !== 200 || events !== expect.events) counts.wrong += 1;
    },
  };
}

function finish(connections: readonly Connection[], meter: ReturnType<typeof newMeter>, start: number): LoadResult {
  for (const connection of connections) connection.close();
  const { latenciesMs, counts } = meter;
  const seconds = (performance.now() - start) / 1000;
  return { requests: latenciesMs.length, seconds, wrong: counts.wrong, latenciesMs };
}

function openAll(target: Target, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(target.url)));
}

function requestBytes({ url, key }: Target, { path, body }: Workload): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
