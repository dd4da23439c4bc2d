import type { Adapter, Target } from "./adapters/adapter.ts";

const PAUSE_MS = 20;
const CALL_MS = 30_000;

export type Clients = Readonly<{
  /** Ids of complete answers so far. */
  delivered: readonly (string | null)[];
  /** Calls that got an error or a broken answer, or none. */
  failed(): number;
  /** What the first of them got; null: there is none. */
  firstFailure(): string | null;
  /** Lets calls that are under way end, and makes no more. */
  stop(): Promise<void>;
}>;

/** Calls the gateway all the time, by so many clients at once; every other answer is a stream. No call is repeated. */
export function startClients(url: string, target: Target, idOf: Adapter["idOf"], count: number): Clients {
  const delivered: (string | null)[] = [];
  let failed = 0;
  let firstFailure: string | null = null;
  let isOver = false;
  const fail = (why: string) => {
    failed += 1;
    firstFailure ??= why;
  };
  const call = async (stream: boolean): Promise<void> => {
    try {
      const answer = await fetch(url + target.path, {
        method: "POST",
        headers: { ...target.headers, "content-type": "application/json" },
        body: JSON.stringify({
          model: target.model,
          messages: [{ role: "user", content: "hello" }],
          ...(stream && { stream, stream_options: { include_usage: true } }),
        }),
        signal: AbortSignal.timeout(CALL_MS),
      });
      const text = await answer.text();
      const isComplete = stream ? text.trimEnd().endsWith("data: [DONE]") : text.trimEnd().endsWith("}");
      if (answer.status === 200 && isComplete && !text.includes('"error"')) delivered.push(idOf(answer.headers, text));
      else fail(`${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      fail(String(error));
    }
  };
  const client = async (first: number) => {
    for (let at = first; !isOver; at += 1) {
      const before = failed;
      await call(at % 2 === 0);
      // One that is down refuses at once.
      if (failed > before) await Bun.sleep(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: count }, (_, at) => client(at));
  return {
    delivered,
    failed: () => failed,
    firstFailure: () => firstFailure,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}
