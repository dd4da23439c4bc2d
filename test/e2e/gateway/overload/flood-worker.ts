/**
 * An upstream and the clients of a flood: `URL MODEL CONNECTIONS SECONDS`. Prints the upstream's address, reads the API key, then
 * calls over all connections at a time, each again as soon as it is answered, and prints how often each status came as JSON. A process
 * of its own, so that its work does not delay the test's calls.
 */
import { connect } from "node:net";
import { chatReply } from "../../../support/gateway/start-upstream.ts";

const [url = "", model = "", connections = "0", seconds = "0"] = process.argv.slice(2);
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: () => Response.json(chatReply()),
});
process.stdout.write(`${upstream.url.href}\n`);
let key = "";
for await (const line of console) {
  key = line;
  break;
}
const { hostname, port, host } = new URL(url);
const body = JSON.stringify({ model, max_tokens: 5, messages: [{ role: "user", content: "hi" }] });
const request =
  `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
  `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

/** Responses come one at a time and whole, with their length. */
function open(): void {
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("connect", () => socket.write(request));
  socket.on("error", () => count("connection failed"));
  socket.on("data", (bytes) => {
    answer += bytes.toString("latin1");
    const head = answer.indexOf("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(answer)?.[1];
    if (head < 0 || answer.length < head + 4 + Number(length)) return;
    const retryAfter = /retry-after: (\d+)/i.exec(answer)?.[1] ?? "";
    count(`${answer.slice(9, 12)} ${retryAfter}`.trim());
    answer = "";
    socket.write(request);
  });
}

for (let opened = 0; opened < Number(connections); opened += 1) open();
await Bun.sleep(Number(seconds) * 1000);
process.stdout.write(JSON.stringify(Object.fromEntries(counts)), () => process.exit(0));
