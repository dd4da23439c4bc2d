/**
 * The least that a gateway on this runtime can do, a process of its own: takes a call, sends it on, hands the answer back
 * untouched. What Sluice costs is measured against this. Argument: the upstream's address.
 */
const [upstream = ""] = process.argv.slice(2);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const body = await request.arrayBuffer();
    const headers = { authorization: "Bearer sk-upstream-key", "content-type": "application/json" };
    const reply = await fetch(new URL(pathname, upstream), { method: "POST", headers, body, decompress: false });
    return new Response(reply.body, {
      status: reply.status,
      headers: { "content-type": reply.headers.get("content-type") ?? "" },
    });
  },
});
process.stdout.write(`${server.url.href}\n`);
