/**
 * Development: the server restarts when its sources change, the console is replaced in the open page.
 * PORT (3000) is the console's address; the server itself listens one above.
 */
import { runtimeSettings } from "../../src/lib/runtime/prepare-runtime.ts";
import index from "../../ui/index.html";
import { createProxy } from "./dev-proxy.ts";
import { ensureSeed } from "./seed.ts";

const port = Number(process.env.PORT ?? 3000);
const serverPort = port + 1;
const STOP_MS = 1500;

await ensureSeed();
const server = Bun.spawn([process.execPath, "--watch", "--no-clear-screen", "src/main.ts", "serve"], {
  env: {
    ALLOW_PRIVATE_UPSTREAMS: "true",
    LOG_FORMAT: "pretty",
    // Set here, or the server would replace its process to set them, and the watcher with it.
    ...runtimeSettings(process.env),
    ...process.env,
    PORT: String(serverPort),
  },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    server.kill(signal);
    // The server ends, but its watcher stays and waits for changes: it gets time for the first, then it is ended too.
    await Promise.race([server.exited, Bun.sleep(STOP_MS)]);
    server.kill("SIGKILL");
    process.exit(0);
  });
}

const forward = createProxy(`http://127.0.0.1:${serverPort}`);
// The page must be among the routes that Bun.serve starts with: only these are replaced while open.
const site = Bun.serve({
  port,
  idleTimeout: 0,
  development: { hmr: true, console: true },
  routes: {
    "/api/*": forward,
    "/v1/*": forward,
    "/v1beta/*": forward,
    "/pg/*": forward,
    "/healthz": forward,
    "/readyz": forward,
    "/metrics": forward,
    "/docs": forward,
    "/docs/*": forward,
    "/*": index,
  },
});
process.stdout.write(`console ${site.url.href}  server http://127.0.0.1:${serverPort}/\n`);
