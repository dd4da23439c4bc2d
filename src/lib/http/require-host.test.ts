import { expect, test } from "bun:test";
import { requireHost } from "./require-host.ts";

/** The first line of the answer to what is sent as it stands, and its body. */
async function send(port: number, head: string): Promise<[string, string]> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_, bytes) {
        text += bytes.toString("latin1");
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (text.includes("\r\n\r\n") && text.split("\r\n\r\n")[1]?.length === length) resolve(text);
      },
    },
  });
  socket.write(`${head}\r\n\r\n`);
  const answer = await promise;
  socket.end();
  return [answer.split("\r\n")[0] ?? "", answer.split("\r\n\r\n")[1] ?? ""];
}

test("probes without a Host header are answered, other requests refused", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: requireHost(async (request) => new Response(new URL(request.url).pathname, { status: 503 })),
  });
  const port = server.port ?? 0;
  expect(await send(port, "GET /readyz HTTP/1.0")).toEqual(["HTTP/1.1 503 Service Unavailable", "/readyz"]);
  expect(await send(port, "GET /healthz?a=b HTTP/1.0")).toEqual(["HTTP/1.1 503 Service Unavailable", "/healthz"]);
  const [status, text] = await send(port, "GET /v1/models HTTP/1.0");
  expect([status, text]).toEqual(["HTTP/1.1 400 Bad Request", "The request has no Host header.\n"]);
  expect(await send(port, "GET /v1/models HTTP/1.1\r\nHost: example.com")).toEqual([
    "HTTP/1.1 503 Service Unavailable",
    "/v1/models",
  ]);
  await server.stop(true);
});

test.each([
  ["GET /v1/models HTTP/1.1\r\nHost: a.test\r\nHost: b.test", "HTTP/1.1 400 Bad Request"],
  ["GET /v1/models HTTP/1.1\r\nHost: a.test, b.test", "HTTP/1.1 400 Bad Request"],
  ["GET /readyz HTTP/1.1\r\nHost: a.test\r\nhost: a.test", "HTTP/1.1 400 Bad Request"],
  ["CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443", "HTTP/1.1 405 Method Not Allowed"],
  ["CONNECT / HTTP/1.1\r\nHost: a.test", "HTTP/1.1 405 Method Not Allowed"],
])("%j is refused", async (head, status) => {
  let handled = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: requireHost(async () => {
      handled += 1;
      return new Response("");
    }),
  });
  expect((await send(server.port ?? 0, head))[0]).toBe(status);
  expect(handled).toBe(0);
  await server.stop(true);
});
