import { afterAll, describe, expect, test } from "bun:test";
import { createAddressPolicy } from "./address-policy.ts";
import { OutboundError } from "./outbound-error.ts";
import { createResolve } from "./resolve.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const seen: { url: string; host: string | null; authorization: string | null; method: string }[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const url = new URL(request.url);
    seen.push({
      url: url.pathname,
      host: request.headers.get("host"),
      authorization: request.headers.get("authorization"),
      method: request.method,
    });
    if (url.pathname === "/to") return Response.redirect(url.searchParams.get("url") ?? "/", 302);
    if (url.pathname === "/loop") return Response.redirect("/loop", 307);
    if (url.pathname === "/big") return new Response(new Uint8Array(10_000));
    if (url.pathname === "/slow") await Bun.sleep(2_000);
    return Response.json({ ok: true });
  },
});
afterAll(() => server.stop(true));

const failureOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "none";
  } catch (error) {
    return error instanceof OutboundError ? error.failure : `other: ${error}`;
  }
};

describe("addresses that are refused", () => {
  const fetchPublic = createSafeFetch(createAddressPolicy(false), async (name) =>
    name === "mixed.example" ? ["93.184.216.34", "10.0.0.1"] : name === "rebind.example" ? ["127.0.0.1"] : ["fd00::1"],
  );
  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://0.0.0.0/",
    "http://0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/metadata",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001::1]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://user:pass@127.0.0.1/",
    "http://rebind.example/",
    "http://mixed.example/",
    "http://local.example/",
  ])("%s", async (address) => {
    expect(await failureOf(() => fetchPublic(address))).toBe("refused_address");
  });

  test.each(["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://x/", "javascript:1", "data:text/plain,x", "", "//x"])(
    "%s is no address for it",
    async (address) => {
      expect(await failureOf(() => fetchPublic(address))).toBe("bad_address");
    },
  );

  test("the system's own name for loopback is refused after resolution", async () => {
    const fetchSystem = createSafeFetch(createAddressPolicy(false));
    expect(await failureOf(() => fetchSystem(`http://localhost:${server.port}/`))).toBe("refused_address");
  });

  test.each(["http://127.0.0.1:8080", "socks5://127.0.0.1:1080"])(
    "the proxy %s is judged like a target",
    async (proxy) => {
      expect(await failureOf(() => fetchPublic("http://93.184.216.34/", { proxy }))).toBe("refused_address");
    },
  );
});

describe("requests that are made", () => {
  const fetchLocal = createSafeFetch(createAddressPolicy(true), async () => ["127.0.0.1"]);
  const at = (path: string, host = "service.example") => `http://${host}:${server.port}${path}`;

  test("connect to the address that was checked and keep the name in Host", async () => {
    const answer = await fetchLocal(at("/x"));
    expect(answer.status).toBe(200);
    expect(answer.text()).toBe('{"ok":true}');
    expect(seen.at(-1)?.host).toBe(`service.example:${server.port}`);
  });

  test("follow redirects, drop credentials at another origin and turn POST into GET", async () => {
    await fetchLocal(at(`/to?url=${encodeURIComponent(at("/end", "other.example"))}`), {
      method: "POST",
      body: "{}",
      headers: { Authorization: "Bearer secret" },
    });
    expect(seen.at(-2)).toMatchObject({ url: "/to", authorization: "Bearer secret", method: "POST" });
    expect(seen.at(-1)).toMatchObject({ url: "/end", authorization: null, method: "GET" });
  });

  test("check the target of every redirect", async () => {
    const only = (address: string) => address === "127.0.0.1";
    const fetchOne = createSafeFetch({ allowPrivate: false, variable: "", allows: only }, async () => ["127.0.0.1"]);
    const target = encodeURIComponent("http://169.254.169.254/latest/");
    expect(await failureOf(() => fetchOne(at(`/to?url=${target}`)))).toBe("refused_address");
    expect(await failureOf(() => fetchOne(at(`/to?url=${encodeURIComponent("file:///etc/passwd")}`)))).toBe(
      "bad_address",
    );
  });

  test("end at the limits of time, size and redirects", async () => {
    expect(await failureOf(() => fetchLocal(at("/slow"), { timeoutMs: 50 }))).toBe("timeout");
    expect(await failureOf(() => fetchLocal(at("/big"), { maxBytes: 1_000 }))).toBe("too_large");
    expect(await failureOf(() => fetchLocal(at("/loop"), { maxRedirects: 2 }))).toBe("too_many_redirects");
    expect(await failureOf(() => fetchLocal("http://service.example:1/"))).toBe("unreachable");
  });
});

test("a name is resolved again only when its answer is no longer fresh", async () => {
  let now = 0;
  let requests = 0;
  const resolve = createResolve(
    createAddressPolicy(false),
    async () => {
      requests += 1;
      return ["93.184.216.34"];
    },
    () => now,
  );
  await resolve("a.example");
  expect(await resolve("a.example")).toEqual(["93.184.216.34"]);
  now = 16_000;
  await resolve("a.example");
  expect(requests).toBe(2);
});
