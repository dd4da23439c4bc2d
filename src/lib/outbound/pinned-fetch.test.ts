import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { FetchTarget, fetchPinned } from "./pinned-fetch.ts";

const signal = new AbortController().signal;
const post = (target: string, addresses: readonly string[] | null, proxy?: string) =>
  fetchPinned(new FetchTarget(new URL(target)), addresses, { method: "POST", headers: {}, body: "x", signal, proxy });

describe("addresses", () => {
  const seen: string[] = [];
  let server: Bun.Server<undefined>;
  beforeAll(() => {
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        seen.push(request.headers.get("host") ?? "");
        return new Response("ok");
      },
    });
  });
  afterAll(() => server.stop(true));

  test("the connection goes to the address, the name stays in Host", async () => {
    const url = `http://upstream.invalid:${server.port}/v1`;
    expect(await (await post(url, ["127.0.0.1"])).text()).toBe("ok");
    expect(seen.at(-1)).toBe(`upstream.invalid:${server.port}`);
  });

  test("the next address is tried while no connection can be made, IPv6 too", async () => {
    const url = `http://upstream.invalid:${server.port}/v1`;
    // Nothing listens there.
    expect(await (await post(url, ["127.0.0.2", "::1", "127.0.0.1"])).text()).toBe("ok");
    await expect(post(url, ["127.0.0.2", "127.0.0.3"])).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("no further address is tried once a request was sent", async () => {
    let received = 0;
    const closing = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        received += 1;
        socket.destroy();
      });
    });
    const port = await listen(closing, "0.0.0.0");
    const sent = post(`http://upstream.invalid:${port}/`, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    await expect(sent).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(received).toBe(1);
    closing.close();
  });

  test("a redirect is handed out, never followed", async () => {
    const elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.redirect(server.url.href, 307),
    });
    const before = seen.length;
    const response = await post(elsewhere.url.href, null);
    expect([response.status, seen.length]).toEqual([307, before]);
    await elsewhere.stop(true);
  });
});

describe("TLS", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "sluice-pinned-"));
  const file = (name: string) => path.join(folder, name);
  let server: Bun.Server<undefined>;
  const requests: string[] = [];

  beforeAll(async () => {
    await makeCertificates(folder, ["one.test", "two.test"]);
    const tls = ["one.test", "two.test"].map((serverName) => ({
      serverName,
      key: Bun.file(file(`${serverName}.key`)),
      cert: Bun.file(file(`${serverName}.pem`)),
    }));
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls,
      fetch(request, self) {
        requests.push(request.headers.get("host") ?? "");
        return new Response(`${request.headers.get("host")} ${self.requestIP(request)?.port}`);
      },
    });
  });
  afterAll(() => {
    server.stop(true);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Requests in a process of its own, which trusts what its environment says at its start; a line each. */
  async function request(names: readonly string[], env: Record<string, string>): Promise<string[]> {
    requests.length = 0;
    const script = `
      const { FetchTarget, fetchPinned } = await import(${JSON.stringify(path.join(import.meta.dir, "pinned-fetch.ts"))});
      const signal = new AbortController().signal;
      for (const name of ${JSON.stringify(names)}) {
        const target = new FetchTarget(new URL("https://" + name + ":${server.port}/"));
        try {
          const init = { method: "POST", headers: {}, body: "secret", signal };
          console.log(await (await fetchPinned(target, ["127.0.0.1"], init)).text());
        } catch (error) { console.log(error.code); }
      }
      process.exit(0);`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return (await new Response(child.stdout).text()).trim().split("\n");
  }

  test("connections are reused for their own name alone, though both names share an address", async () => {
    const names = ["one.test", "one.test", "two.test", "two.test", "one.test", "two.test"];
    const lines = await request(names, { NODE_EXTRA_CA_CERTS: file("ca.pem") });
    expect(lines.map((line) => line.split(":")[0] as string)).toEqual(names);
    const ports = new Map(lines.map((line) => [line, 0]));
    expect(ports.size).toBe(2);
  });

  test("nothing is sent to a certificate of another name, or to one that nobody vouches for", async () => {
    const trusted = { NODE_EXTRA_CA_CERTS: file("ca.pem") };
    expect(await request(["one.test", "three.test", "one.test", "three.test"], trusted)).toEqual([
      expect.stringMatching(/^one.test:\d+ \d+$/),
      "ERR_TLS_CERT_ALTNAME_INVALID",
      expect.stringMatching(/^one.test:\d+ \d+$/),
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ]);
    expect(requests.map((host) => host.split(":")[0] as string)).toEqual(["one.test", "one.test"]);
    expect(await request(["one.test"], {})).toEqual(["UNABLE_TO_VERIFY_LEAF_SIGNATURE"]);
    expect(requests).toEqual([]);
  });
});

describe("proxies", () => {
  test("callers with different proxies, or different logins at one, never share a connection; equal ones do", async () => {
    const upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("direct") });
    const proxies = await Promise.all([startProxy("first"), startProxy("second")]);
    const url = `http://upstream.invalid:${upstream.port}/`;
    const addresses = proxies.flatMap(({ port }) => [
      `http://ann:a@127.0.0.1:${port}`,
      `http://bob:b@127.0.0.1:${port}`,
    ]);
    for (let round = 0; round < 3; round += 1) {
      for (const proxy of addresses) {
        const { username, port } = new URL(proxy);
        const [name, login] = (await (await post(url, null, proxy)).text()).split(" ");
        expect([name, login]).toEqual([Number(port) === proxies[0]?.port ? "first" : "second", username]);
      }
      expect(await (await post(`http://127.0.0.1:${upstream.port}/`, null)).text()).toBe("direct");
    }
    // A connection for each login, kept open between the rounds.
    expect(proxies.map(({ logins }) => logins.map((seen) => seen.size))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    for (const { server } of proxies) server.close();
    await upstream.stop(true);
  });

  test("an environment that exempts hosts from proxies does not exempt those that a channel names", async () => {
    const { server, port } = await startProxy("asked");
    process.env.NO_PROXY = "*";
    try {
      const response = await post("http://upstream.invalid/", null, `http://ann:a@127.0.0.1:${port}`);
      expect(await response.text()).toBe("asked ann");
    } finally {
      delete process.env.NO_PROXY;
      server.close();
    }
  });
});

/** An HTTP proxy that answers itself: its name and who logged in. `logins`: who came over each connection. */
async function startProxy(name: string) {
  const logins: Set<string>[] = [];
  const server = createServer((socket) => {
    const seen = new Set<string>();
    logins.push(seen);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const [, basic = ""] = /proxy-authorization: basic (\S+)/i.exec(bytes.toString()) ?? [];
      const login = Buffer.from(basic, "base64").toString().split(":")[0] ?? "";
      seen.add(login);
      const body = `${name} ${login}`;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  return { server, logins, port: await listen(server, "127.0.0.1") };
}

function listen(server: Server, host: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, host, () => {
    const address = server.address();
    resolve(typeof address === "object" && address ? address.port : 0);
  });
  return promise;
}

/** An authority of one's own in `ca.pem`, and a certificate of it for each name. */
async function makeCertificates(folder: string, names: readonly string[]): Promise<void> {
  const run = async (...args: string[]) => {
    const child = Bun.spawn(["openssl", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await run("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test");
  for (const name of names) {
    await Bun.write(path.join(folder, `${name}.ext`), `subjectAltName=DNS:${name}`);
    await run("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    const signs = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", `${name}.ext`];
    await run("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, ...signs);
  }
}
