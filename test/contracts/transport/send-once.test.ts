/** A POST is never sent twice by the transport: RFC 9110, section 9.2.2. Only the call's own retry rules repeat it. */
import { expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { type RawConnection, startRawServer } from "./raw-server.ts";
import { createTestClient, echo } from "./test-client.ts";

/** What a server does with the second request of a connection that served one before. */
const ENDINGS: Readonly<Record<string, (connection: RawConnection) => unknown>> = {
  "closes without a byte": (connection) => connection.end(),
  "resets without a byte": (connection) => connection.reset(),
  "closes after a while": (connection) => setTimeout(() => connection.end(), 50),
  "resets after a while": (connection) => setTimeout(() => connection.reset(), 50),
  "closes within the head": async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\nconte");
    connection.end();
  },
  "resets within the head": async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\nconte");
    setTimeout(() => connection.reset(), 20);
  },
  "closes within the body": async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
    connection.end();
  },
  "closes behind a 100": async (connection) => {
    await connection.write("HTTP/1.1 100 Continue\r\n\r\n");
    connection.end();
  },
};

test.each(Object.entries(ENDINGS))("a server that %s gets each request once", async (_, ending) => {
  let received: string[] = [];
  const server = startRawServer((connection, request) => {
    received.push(request.body);
    if (connection.requests > 1) ending(connection);
    else void connection.write(echo(request));
  });
  const client = createTestClient({ headMs: 20_000 });
  for (const body of ["small", "large ".repeat(500_000)]) {
    received = [];
    expect((await client.fetchText(server.url, "first")).text).toBe("first");
    await expect(client.fetchText(server.url, body)).rejects.toThrow();
    expect(received).toEqual(["first", body]);
  }
  server.stop();
});

test("a server that closes at once, before it could read anything, gets each request once at most", async () => {
  let made = 0;
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        made += 1;
        socket.end();
      },
      data() {},
    },
  });
  await expect(createTestClient().fetchText(`http://127.0.0.1:${server.port}`, "x")).rejects.toThrow();
  expect(made).toBe(1);
  server.stop(true);
});

test("a connection that the server closed while it was idle is replaced without anybody noticing", async () => {
  const server = startRawServer((connection, request) => {
    void connection.write(echo(request)).then(() => setTimeout(() => connection.end(), 10));
  });
  const client = createTestClient({ headMs: 20_000 });
  for (const body of ["first", "second", "third"]) {
    expect((await client.fetchText(server.url, body)).text).toBe(body);
    await Bun.sleep(60);
  }
  expect(server.made()).toBe(3);
  server.stop();
});

test("through the relay a lost request costs one attempt, and is one in the log", async () => {
  let received = 0;
  const server = startRawServer((connection, request) => {
    received += 1;
    if (connection.requests > 1) connection.end();
    else void connection.write(echo({ ...request, body: '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":1}}' }));
  });
  const relay = startRelay({ channels: [{ baseUrl: server.url }] });
  const ask = () => relay.post("/v1/embeddings", { model: "gpt-4o", input: "Hi" });
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(502);
  expect(received).toBe(2);
  const { other } = await relay.billing.nextRecord(2);
  expect(other.admin_info?.use_channel).toEqual(["1"]);
  expect(relay.billing.openHolds).toBe(0);
  await relay.stop();
  server.stop();
});

test.each(["\r\nx-evil: 1", "a\rb", "a\nb", "a\0b"])("a header with %j is never sent", async (value) => {
  let received = 0;
  const server = startRawServer((connection, request) => {
    received += 1;
    void connection.write(echo(request));
  });
  const client = createTestClient();
  const send = (headers: Record<string, string>) => client.send(server.url, "x", client.newExchange(), headers);
  await expect(send({ "x-own": `a${value}b` })).rejects.toThrow(TypeError);
  await expect(send({ [`x-own${value}`]: "b" })).rejects.toThrow(TypeError);
  expect(received).toBe(0);
  server.stop();
});
