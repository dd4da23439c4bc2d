/** A backend of the balancer, by its address. */
type Backend = { url: string; isReady: boolean };

export type Balancer = Readonly<{
  url: string;
  /** How many backends take calls at the moment. */
  readyCount: () => number;
  /** Puts another address in the place of a backend; it takes calls once it is ready. */
  replace: (from: string, to: string) => void;
  stop: () => Promise<void>;
}>;

const CHECK_MS = 200;

/**
 * A round-robin load balancer that asks /readyz of each backend five times a second, as Kubernetes or HAProxy do, and never
 * repeats a request: what fails at a backend fails at the client.
 */
export function startBalancer(urls: readonly string[]): Balancer {
  const backends: Backend[] = urls.map((url) => ({ url, isReady: false }));
  let turn = 0;
  const check = async (backend: Backend) => {
    const { url } = backend;
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (backend.url === url) backend.isReady = isReady;
  };
  const timer = setInterval(() => void Promise.all(backends.map(check)), CHECK_MS);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const ready = backends.filter(({ isReady }) => isReady);
      turn += 1;
      const backend = ready[turn % Math.max(1, ready.length)];
      if (!backend) return new Response("no backend is ready", { status: 502 });
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("host");
      headers.delete("accept-encoding");
      try {
        const body = request.body ? await request.text() : undefined;
        const answer = await fetch(backend.url + pathname + search, {
          method: request.method,
          headers,
          ...(body !== undefined && { body }),
        });
        return new Response(answer.body, { status: answer.status, headers: answer.headers });
      } catch (error) {
        return new Response(`${backend.url}: ${error}`, { status: 502 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    readyCount: () => backends.filter(({ isReady }) => isReady).length,
    replace(from, to) {
      const backend = backends.find(({ url }) => url === from);
      if (!backend) throw new Error(`${from} is no backend`);
      backend.isReady = false;
      backend.url = to;
    },
    async stop() {
      clearInterval(timer);
      await server.stop(true);
    },
  };
}
