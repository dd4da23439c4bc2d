/** An MCP server on standard input and output, which behaves as its first argument says. */
import { spawn } from "node:child_process";

const [, , manner = "good", file = ""] = process.argv;
const write = (text: string) => process.stdout.write(text);
const reply = (id: unknown, result: object) => write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

if (manner === "dies-at-start") process.exit(3);
if (manner === "silent") setInterval(() => {}, 1_000);
if (manner === "garbage") for (let line = 0; ; line += 1) write(`line ${line}\n`);
if (manner === "one-line") {
  const part = "x".repeat(65_536);
  const fill = (): void => void process.stdout.write(part, () => setImmediate(fill));
  fill();
}
if (manner === "greets") write("Welcome to the server!\n\n{not json\n");
if (manner === "deaf") process.stdin.pause();
process.stderr.write(`${manner} has started with ${process.env.SECRET_NAME}\u0007\n`);

/** Leaves a process behind, whose id it writes. */
function fork(): number {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  child.unref();
  return child.pid ?? 0;
}

type Params = Readonly<{ name: string; arguments?: Record<string, unknown>; _meta: { progressToken: unknown } }>;

async function answer(params: Params): Promise<object> {
  const { name, arguments: input = {} } = params;
  switch (name) {
    case "environment":
      return text(JSON.stringify({ env: process.env, cwd: process.cwd(), args: process.argv.slice(2) }));
    case "pid":
      return text(String(process.pid));
    case "die":
      return process.exit(4);
    case "hang":
      return new Promise(() => {});
    case "late":
      await Bun.sleep(2_000);
      return text("late");
    case "progress": {
      const { progressToken } = params._meta;
      const report = (progress: number) =>
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } });
      write(`${report(1)}\n${report(2)}\n`);
      return text("both");
    }
    case "fork":
      return text(String(fork()));
    case "large":
      return text("x".repeat(Number(input.size)));
    case "memory": {
      const parts: Uint8Array[] = [];
      try {
        while (parts.length < 4_000) parts.push(new Uint8Array(1_048_576).fill(1));
      } catch {
        return text(`refused after ${parts.splice(0).length}`);
      }
      return text("took all");
    }
    default:
      return text(`did ${name}`);
  }
}

const TOOLS = ["environment", "pid", "die", "hang", "late", "fork", "large", "memory", "progress"];

async function handle(line: string): Promise<void> {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "stdio-tests", version: "1" };
    reply(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    reply(id, { tools: TOOLS.map((name) => ({ name, inputSchema: { type: "object" } })) });
  } else if (method === "tools/call") reply(id, await answer(params));
}

if (!["silent", "garbage", "one-line", "deaf"].includes(manner)) {
  // One that ignores signals and the end of its input has to be killed.
  if (manner === "stubborn") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1_000);
    if (file !== "") await Bun.write(file, String(process.pid));
  }
  for await (const line of console) void handle(line);
}
