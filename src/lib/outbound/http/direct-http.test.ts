import { afterEach, expect, test } from "bun:test";
import { until } from "../../testing/until.ts";
import { Stopper } from "../stopper.ts";
import { ConnectionLost } from "./connection.ts";
import { DirectAnswer } from "./direct-answer.ts";
import { createDirectHttp, type DirectHttp } from "./direct-http.ts";
import { originOf } from "./origin.ts";
import type { DirectRequest } from "./request-head.ts";
import { BrokenAnswer } from "./response-head.ts";
import { type ScriptedServer, startScriptedServer, type Visit } from "./scripted-server.ts";

const servers: { stop: () => unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

const SWEEP_MS = 5;
const OK = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

function start(answer: (visit: Visit) => void) {
  const server: ScriptedServer = startScriptedServer(answer);
  servers.push(server);
  const http = createDirectHttp(SWEEP_MS);
  const ask = (body: DirectRequest["body"] = "ask", stopper?: Stopper) => {
    const method = body === null ? "GET" : "POST";
    return send(http, server.port, { method, host: "up.example", path: "/v1", headers: {}, body }, stopper);
  };
  return { server, ask };
}

/** Asks a server on this machine that packs nothing. */
async function send(http: DirectHttp, port: number, request: DirectRequest, stopper = new Stopper()) {
  const answer = await http.send(originOf("127.0.0.1", port, null), request, stopper);
  if (!(answer instanceof DirectAnswer)) throw new Error("the answer was packed");
  return answer;
}

const whole = (text: string) => `${OK}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

test("one connection serves calls one after the other, and as many as there are at the same time", async () => {
  const { server, ask } = start((visit) => visit.write(whole(`answer ${visit.requests}`)));
  expect(await (await ask()).text()).toBe("answer 1");
  expect(await (await ask("水闸")).text()).toBe("answer 2");
  expect(await (await ask(null)).text()).toBe("answer 3");
  expect(server.made()).toBe(1);
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await ask()).text()));
  expect(texts.every((text) => text.startsWith("answer "))).toBe(true);
  expect(server.made()).toBe(20);
});

test("a request arrives as it was sent, however large it is", async () => {
  const arrived: string[] = [];
  const { ask } = start((visit) => {
    arrived.push(visit.received.slice(visit.received.lastIndexOf("\r\n\r\n") + 4));
    visit.write(whole("ok"));
  });
  const small = "a lock lets ships climb";
  const large = "x".repeat(8 * 1024 * 1024);
  for (const body of [small, large, Buffer.from(small), Buffer.from(large)]) expect((await ask(body)).ok).toBe(true);
  expect(arrived).toEqual([small, large, small, large]);
});

test("heads and bodies are understood wherever the network cuts them", async () => {
  const answer = `HTTP/1.1 103 Early\r\nlink: x\r\n\r\n${OK}transfer-encoding: chunked\r\n\r\n5\r\nlocks\r\n0\r\n\r\n`;
  const { ask, server } = start(async (visit) => {
    for (const piece of answer.match(/[\s\S]{1,7}/g) ?? []) {
      visit.write(piece);
      await Bun.sleep(0);
    }
  });
  for (let times = 0; times < 3; times += 1) {
    const reply = await ask();
    expect([reply.status, reply.headers.get("Content-Type"), await reply.text()]).toEqual([200, "text/plain", "locks"]);
  }
  expect(server.made()).toBe(1);
});

test("a body is read as it comes, in the relay's way and in that of streams", async () => {
  const visits: Visit[] = [];
  const { ask } = start((visit) => {
    visits.push(visit);
    visit.write(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n`);
  });
  const reply = await ask();
  expect(Buffer.concat((await reply.readMany()).value).toString()).toBe("first");
  const next = reply.readMany();
  expect(next).toBeInstanceOf(Promise);
  visits[0]?.write("6\r\nsecond\r\n");
  expect(Buffer.concat((await next).value).toString()).toBe("second");
  visits[0]?.write("0\r\n\r\n");
  expect(await reply.readMany()).toEqual({ value: [], done: true });

  const other = await ask();
  visits[1]?.write("0\r\n\r\n");
  expect(await new Response(other.body).text()).toBe("first");
});

test("an answer without a length is over when its connection is; others are broken then", async () => {
  const until = start((visit) => {
    visit.write(`${OK}\r\nall there is`);
    visit.close();
  });
  expect(await (await until.ask()).text()).toBe("all there is");
  for (const begun of [`${OK}content-length: 9\r\n\r\nhalf`, `${OK}transfer-encoding: chunked\r\n\r\n9\r\nhalf`]) {
    const { ask } = start((visit) => {
      visit.write(begun);
      visit.close();
    });
    const reply = await ask();
    expect(Buffer.concat((await reply.readMany()).value).toString()).toBe("half");
    await expect(reply.read()).rejects.toBeInstanceOf(ConnectionLost);
  }
});

test("a connection that was closed while it rested is replaced; one that dies with a call is not", async () => {
  const { server, ask } = start((visit) => {
    visit.write(whole("ok"));
    setTimeout(() => visit.close(), 5);
  });
  await (await ask()).text();
  await until(() => server.open() === 0);
  expect(await (await ask()).text()).toBe("ok");
  expect(server.made()).toBe(2);

  // Closed just when the next request arrives: that request goes over a new connection.
  const racing = start((visit) => (visit.requests === 1 ? visit.write(whole("ok")) : visit.close()));
  await (await racing.ask()).text();
  expect(await (await racing.ask()).text()).toBe("ok");
  expect(racing.server.made()).toBe(2);

  const dying = start((visit) => visit.close());
  await expect(dying.ask()).rejects.toBeInstanceOf(ConnectionLost);
  await until(() => dying.server.open() === 0);
  expect(dying.server.made()).toBe(1);
});

test("a connection is not used again after what nobody asked for, or when the server wants it closed", async () => {
  for (const answer of [
    `${whole("ok")}HTTP/1.1 200 OK\r\n\r\n`,
    whole("ok").replace("\r\n", "\r\nconnection: close\r\n"),
  ]) {
    const { server, ask } = start((visit) => visit.write(answer));
    for (let times = 1; times <= 2; times += 1) {
      expect(await (await ask()).text()).toBe("ok");
      expect(server.made()).toBe(times);
    }
    await until(() => server.open() === 0);
  }
});

test("an answer that comes before the request is sent wholly is taken, and its connection ended", async () => {
  let made = 0;
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        made += 1;
        if (made > 1) return;
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig");
        socket.pause();
      },
    },
  });
  servers.push({ stop: () => server.stop(true) });
  const reply = await send(createDirectHttp(), server.port, {
    method: "POST",
    host: "x",
    path: "/",
    headers: {},
    body: Buffer.alloc(64 * 1024 * 1024),
  });
  expect([reply.status, await reply.text()]).toEqual([413, "big"]);
});

test("a head that is too long for one piece goes out whole, with a body and without", async () => {
  const arrived: string[] = [];
  const { server } = start((visit) => {
    arrived.push(visit.received);
    visit.write(whole("ok"));
  });
  const long = "v".repeat(70_000);
  const common = { host: "x", path: "/v1", headers: { "x-long": long } };
  await send(createDirectHttp(), server.port, { ...common, method: "GET", body: null });
  await send(createDirectHttp(), server.port, { ...common, method: "POST", body: "said" });
  expect(arrived.map((text) => text.includes(`x-long: ${long}\r\n`))).toEqual([true, true]);
  expect(arrived.map((text) => text.slice(text.lastIndexOf("\r\n\r\n") + 4))).toEqual(["", "said"]);
});

test("an exchange that is stopped ends its connection, whatever it waits for", async () => {
  const { server, ask } = start((visit) => {
    if (visit.received.includes("head")) visit.write(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n`);
  });
  const waiting = new Stopper();
  const unanswered = ask("nothing", waiting);
  await until(() => server.open() === 1);
  waiting.stop();
  await expect(unanswered).rejects.toThrow();
  await until(() => server.open() === 0);

  const reading = new Stopper();
  const reply = await ask("head", reading);
  await reply.readMany();
  const next = reply.read();
  reading.stop();
  await expect(next).rejects.toBeInstanceOf(ConnectionLost);
  await until(() => server.open() === 0);

  const stopped = new Stopper();
  stopped.stop();
  await expect(ask("nothing", stopped)).rejects.toThrow();
  const left = await ask("head");
  await left.body.cancel();
  await until(() => server.open() === 0);
});

test("a stop that comes too late does not touch the next call on the same connection", async () => {
  const visits: Visit[] = [];
  const { ask, server } = start((visit) => {
    visits.push(visit);
    if (visit.requests === 1) visit.write(whole("ok"));
  });
  const first = new Stopper();
  await (await ask("one", first)).text();
  const second = ask("two");
  await until(() => visits.length === 2);
  first.stop();
  visits[1]?.write(whole("second"));
  expect(await (await second).text()).toBe("second");
  expect(server.made()).toBe(1);
});

test("a reader that takes nothing holds the sender back", async () => {
  const TOTAL = 64 * 1024 * 1024;
  const block = Buffer.alloc(1024 * 1024, "x");
  let sent = 0;
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(`${OK}content-length: ${TOTAL}\r\n\r\n`);
        fill(socket);
      },
      drain: (socket) => fill(socket),
    },
  });
  function fill(socket: Bun.Socket): void {
    while (sent < TOTAL) {
      const taken = socket.write(block.subarray(0, Math.min(block.length, TOTAL - sent)));
      if (taken <= 0) return;
      sent += taken;
    }
  }
  servers.push({ stop: () => server.stop(true) });
  const reply = await send(createDirectHttp(), server.port, {
    method: "GET",
    host: "x",
    path: "/",
    headers: {},
    body: null,
  });
  let before = -1;
  await until(async () => {
    const still = sent === before;
    before = sent;
    await Bun.sleep(100);
    return still;
  });
  expect(sent).toBeLessThan(TOTAL / 2);
  let read = 0;
  for (let done = false; !done; ) {
    const got = await reply.readMany();
    for (const part of got.value) read += part.length;
    done = got.done;
  }
  expect(read).toBe(TOTAL);
});

test("connections that were at work while others were cleared away are used again", async () => {
  const visits: Visit[] = [];
  const { server, ask } = start((visit) => {
    visits.push(visit);
    visit.write(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n`);
  });
  const reply = await ask();
  await Bun.sleep(20 * SWEEP_MS);
  visits[0]?.write("0\r\n\r\n");
  await reply.text();
  const next = ask();
  await until(() => visits.length === 2);
  visits[1]?.write("0\r\n\r\n");
  await (await next).text();
  expect(server.made()).toBe(1);
});

test("what does not speak HTTP is refused, as is a head without end", async () => {
  for (const answer of ["SSH-2.0-OpenSSH_9\r\n\r\n", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}`]) {
    const { ask, server } = start((visit) => visit.write(answer));
    await expect(ask()).rejects.toBeInstanceOf(BrokenAnswer);
    await until(() => server.made() === 1 && server.open() === 0);
  }
});

test("where nobody listens, the error says so", async () => {
  const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = free;
  free.stop(true);
  const asked = send(createDirectHttp(), port, { method: "GET", host: "x", path: "/", headers: {}, body: null });
  await expect(asked).rejects.toMatchObject({ name: "ConnectionLost", code: "ECONNREFUSED" });
});
