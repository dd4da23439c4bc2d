import { createDeadlineWheel } from "../../../src/gateway/call/progress.ts";
import { Exchange, readBody, readErrorText } from "../../../src/gateway/upstream/exchange.ts";
import { createUpstream } from "../../../src/gateway/upstream/upstream.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import type { RawRequest } from "./raw-server.ts";

const watch = createDeadlineWheel();

/** The relay's upstream client under limits of a test. */
export function createTestClient({ headMs = 400, idleMs = 400, maxBytes = 4_000_000, maxConnections = 1_000 } = {}) {
  const upstream = createUpstream(createAddressPolicy(true), { usesEnvironmentProxy: false, maxConnections });
  const newExchange = () => new Exchange(watch, headMs);
  const send = (
    url: string,
    body: string | Uint8Array<ArrayBuffer>,
    exchange = newExchange(),
    headers: Record<string, string> = {},
  ) => upstream.send({ url, headers, body, proxy: "" }, exchange);
  return {
    newExchange,
    send,
    /** Sends and reads the whole response as the relay does. Rejects what the relay would take for a failed attempt. */
    async fetchText(url: string, body: string, exchange = newExchange()): Promise<{ status: number; text: string }> {
      try {
        const response = await send(url, body, exchange);
        const { status } = response;
        if (!response.ok) return { status, text: await readErrorText(response, exchange, idleMs) };
        const limits = { maxResponseBodyBytes: maxBytes, streamingTimeoutMs: idleMs };
        return { status, text: Buffer.from(await readBody(response, exchange, limits)).toString() };
      } catch (error) {
        exchange.end();
        throw error;
      }
    },
  };
}

/** A well-formed response that repeats what was sent, by which a client knows that it got its own. */
export const echo = ({ body }: RawRequest): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Works through `jobs`, `workers` at a time; each worker is made by `start`. */
export async function runAll<Job>(
  jobs: readonly Job[],
  workers: number,
  start: () => { run(job: Job): Promise<void>; stop?(): void },
): Promise<void> {
  let next = 0;
  const work = async () => {
    const worker = start();
    try {
      for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) await worker.run(job);
    } finally {
      worker.stop?.();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}
