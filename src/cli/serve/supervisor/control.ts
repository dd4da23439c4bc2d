import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createRunDirectory, removeRunDirectory, SUPERVISOR_SOCKET } from "../../../../db/embedded/run-directory.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Supervisor } from "./supervisor.ts";

/** Replacing workers that finish long streams takes its time; the runtime's types know no such option for such sockets. */
const NO_TIMEOUT: object = { idleTimeout: 0 };

/**
 * Listens on a private socket in the data directory for `sluice status` and `sluice reload`; only this user can connect.
 * Returns what ends it.
 */
export async function startSupervisorControl(
  supervisor: Supervisor,
  dataDir: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const path = join(await createRunDirectory(dataDir), SUPERVISOR_SOCKET);
  const server = Bun.serve({
    unix: path,
    ...NO_TIMEOUT,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/status") return Response.json(supervisor.view());
      if (pathname !== "/reload") return new Response("unknown command", { status: 404 });
      try {
        return Response.json({ replaced: await supervisor.reload() });
      } catch (error) {
        log.error({ error }, "the workers could not be replaced");
        return new Response(error instanceof Error ? error.message : String(error), { status: 500 });
      }
    },
  });
  await chmod(path, 0o600);
  return async () => {
    await server.stop(true);
    await removeRunDirectory(dataDir);
  };
}
