import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createAddressPolicy } from "../address-policy.ts";
import { createResolve } from "../resolve.ts";
import { checkedProxy } from "./proxy.ts";

const resolve = createResolve(createAddressPolicy(true));

/** A SOCKS5 server that wants a name and a password (RFC 1928, RFC 1929) and connects to the loopback whatever the name. */
function startSocks(user: string, password: string) {
  const requests: string[] = [];
  const server = createServer((client) => {
    let step: "greeting" | "login" | "request" | "open" = "greeting";
    client.on("error", () => {});
    client.on("data", (bytes: Buffer) => {
      if (step === "greeting") {
        step = "login";
        client.write(Buffer.from([5, bytes.includes(2, 2) ? 2 : 255]));
      } else if (step === "login") {
        const nameEnd = 2 + (bytes[1] ?? 0);
        const right = bytes.toString("utf8", 2, nameEnd) === user && bytes.toString("utf8", nameEnd + 1) === password;
        step = "request";
        client.write(Buffer.from([1, right ? 0 : 1]));
        if (!right) client.end();
      } else if (step === "request") {
        step = "open";
        const isName = bytes[3] === 3;
        const end = isName ? 5 + (bytes[4] ?? 0) : 8;
        const host = isName ? bytes.toString("utf8", 5, end) : bytes.subarray(4, 8).join(".");
        const port = bytes.readUInt16BE(end);
        requests.push(`${host}:${port}`);
        const target = connect(port, "127.0.0.1", () => {
          client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
          client.pipe(target);
          target.pipe(client);
        });
        target.on("error", () => client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
      }
    });
  });
  return { server, requests: requests };
}

const listen = (server: Server) =>
  new Promise<number>((done) => server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port)));

describe("a SOCKS proxy", () => {
  const { server, requests } = startSocks("ann", "se cret");
  let port = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      Response.json({ path: new URL(request.url).pathname, body: await request.text(), headers: request.headers }),
  });
  const through = (address: string) => checkedProxy(address, resolve);
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(async () => {
    server.close();
    await upstream.stop(true);
  });

  test("carries plain requests, names unresolved, its password kept from the target", async () => {
    const proxy = await through(`socks5://ann:se%20cret@127.0.0.1:${port}`);
    const url = `http://upstream.example:${upstream.port}/v1/models`;
    const answer = await fetch(url, { method: "POST", body: "{}", proxy });
    expect(await answer.json()).toMatchObject({ path: "/v1/models", body: "{}" });
    expect(requests.at(-1)).toBe(`upstream.example:${upstream.port}`);
    const again = (await (await fetch(url, { method: "POST", body: "{}", proxy })).json()) as {
      headers: Record<string, string>;
    };
    expect(again.headers["proxy-authorization"]).toBeUndefined();
  });

  test("carries tunnels", async () => {
    const proxy = new URL(await through(`socks5h://ann:se%20cret@127.0.0.1:${port}`));
    const login = Buffer.from(`${proxy.username}:${proxy.password}`).toString("base64");
    const message = await tunnel(Number(proxy.port), upstream.port ?? 0, `Basic ${login}`);
    expect(message).toStartWith("HTTP/1.1 200 Connection established");
    expect(message).toContain('"path":"/tunnelled"');
  });

  test("serves nobody who does not know the bridge's password", async () => {
    const proxy = new URL(await through(`socks5://ann:se%20cret@127.0.0.1:${port}`));
    expect(await tunnel(Number(proxy.port), upstream.port ?? 0, "Basic Z3Vlc3M6Z3Vlc3M=")).toStartWith("HTTP/1.1 407");
  });

  test("that refuses is an upstream that cannot be reached", async () => {
    const proxy = await through(`socks5://ann:wrong@127.0.0.1:${port}`);
    const answer = await fetch(`http://upstream.example:${upstream.port}/`, { proxy });
    expect(answer.status).toBe(502);
  });

  test("on a private network is refused like any target", async () => {
    const strict = createResolve(createAddressPolicy(false));
    await expect(checkedProxy(`socks5://127.0.0.1:${port}`, strict)).rejects.toMatchObject({
      failure: "refused_address",
    });
    await expect(checkedProxy("socks5://", strict)).rejects.toMatchObject({ failure: "bad_address" });
  });
});

/** Everything sent by a tunnel to the upstream and a request through it. */
function tunnel(bridge: number, port: number, authorization: string): Promise<string> {
  const { promise, resolve: done } = Promise.withResolvers<string>();
  let message = "";
  let sent = false;
  const socket: Socket = connect(bridge, "127.0.0.1", () =>
    socket.write(`CONNECT upstream.example:${port} HTTP/1.1\r\nproxy-authorization: ${authorization}\r\n\r\n`),
  );
  socket.on("data", (bytes) => {
    message += bytes.toString();
    if (sent || !message.startsWith("HTTP/1.1 200")) return;
    sent = true;
    socket.write("GET /tunnelled HTTP/1.1\r\nhost: upstream.example\r\nconnection: close\r\n\r\n");
  });
  socket.on("close", () => done(message));
  return promise;
}
