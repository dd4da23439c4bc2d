/** What came of the calls of one scenario. */
export type LoadResult = Readonly<{
  calls: number;
  /** Request ids of complete answers. */
  delivered: readonly string[];
  /** How many calls failed, by status or kind of failure. */
  failures: ReadonlyMap<string, number>;
  /** Milliseconds until the answer of a call that is not streamed was complete: all but the slowest hundredth. */
  p99Ms: number;
}>;

export const MODELS = { plain: "gpt-4o", streamed: "paced-10-20" } as const;
const STREAMED_SHARE = 0.4;
const TICK_MS = 20;
const CALL_TIMEOUT_MS = 30_000;

/** Begins so many calls a second, however long their answers take, until `stop`: a third party does not wait either. */
export function startLoad(url: string, key: string, callsASecond: number) {
  const run = `cluster-${Bun.randomUUIDv7().slice(-8)}`;
  const delivered: string[] = [];
  const failures = new Map<string, number>();
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  const began = performance.now();
  let calls = 0;
  const begin = async (id: string) => {
    const isStreamed = Math.random() < STREAMED_SHARE;
    const start = performance.now();
    const outcome = await call(url, key, id, isStreamed);
    if (outcome !== "delivered") failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
    else {
      delivered.push(id);
      if (!isStreamed) times.push(performance.now() - start);
    }
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * callsASecond;
    while (calls < due) {
      calls += 1;
      const running = begin(`${run}-${calls}`).finally(() => open.delete(running));
      open.add(running);
    }
  }, TICK_MS);
  return {
    /** Resolves when every call that was begun has ended. */
    async stop(): Promise<LoadResult> {
      clearInterval(timer);
      await Promise.all(open);
      const sorted = times.sort((a, b) => a - b);
      return { calls, delivered, failures, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
    },
  };
}

/** "delivered", or what went wrong. */
async function call(url: string, key: string, id: string, isStreamed: boolean): Promise<string> {
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-request-id": id },
      body: JSON.stringify({
        model: isStreamed ? MODELS.streamed : MODELS.plain,
        stream: isStreamed,
        messages: [{ role: "user", content: "hello there" }],
      }),
    });
    const text = await answer.text();
    if (answer.status !== 200) return `${answer.status} ${reasonIn(text)}`;
    const isComplete = isStreamed
      ? text.trimEnd().endsWith("data: [DONE]") && !text.includes('{"error"')
      : text.includes('"usage"');
    return isComplete ? "delivered" : "broken off";
  } catch (error) {
    return error instanceof DOMException ? "no answer in time" : "no connection";
  }
}

/** The message of an error as the gateway says it; a proxy's own page has none. */
function reasonIn(text: string): string {
  return /"message":"([^"]{0,60})/.exec(text)?.[1] ?? "from the proxy";
}
