import { once } from "node:events";
import { createReadStream } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { writeBackup } from "../../../db/backup/write-backup.ts";
import { CONTROL_SOCKET, findRunDirectory } from "../../../db/embedded/run-directory.ts";
import { resetPassword } from "../../domain/accounts/security/reset-by-email.ts";
import { readCatalogAction, runCatalogAction } from "../../domain/models/catalog/catalog-actions.ts";
import type { DiagnosticsContext } from "../../domain/system/diagnostics/diagnostics-context.ts";
import { readJournalAction, runJournalAction } from "../../domain/system/diagnostics/journal-actions.ts";
import { CHECKS, examine, type Report } from "../../domain/system/diagnostics/run-checks.ts";
import type { Services } from "../../server/services.ts";
import { version } from "../../server/version.ts";
import { sentenceOf } from "./sentence-of.ts";

/**
 * A backup of a large database says nothing for long. The runtime ends such a call after ten seconds, also on sockets of
 * this kind, where its types know no such time and that of a single request cannot be lifted.
 */
const NO_TIMEOUT: object = { idleTimeout: 0 };

/**
 * Listens on a private socket in the data directory for what the command line asks of the process that has the embedded
 * database: nobody else can open it. Only this user can connect. Returns what ends it; a server database needs none.
 */
export async function startControl(services: Services, context: DiagnosticsContext): Promise<() => Promise<void>> {
  const directory = await findRunDirectory(services.config.dataDir);
  if (services.database.kind !== "embedded" || directory === null) return async () => {};
  const path = join(directory, CONTROL_SOCKET);
  const server = Bun.serve({
    unix: path,
    ...NO_TIMEOUT,
    async fetch(request) {
      try {
        return await carryOut(services, context, directory, request);
      } catch (error) {
        services.log.error({ error }, "a command could not be carried out");
        return new Response(sentenceOf(error), { status: 500 });
      }
    },
  });
  await chmod(path, 0o600);
  return async () => {
    await server.stop(true);
    await rm(path, { force: true });
  };
}

async function carryOut(
  services: Services,
  context: DiagnosticsContext,
  directory: string,
  request: Request,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/backup") return sendBackup(services, directory);
  if (pathname === "/reset-password") {
    return new Response(await resetPassword({ ...services, db: services.database.db }, await request.text()));
  }
  if (pathname === "/journal") {
    const action = readJournalAction(await request.text());
    return Response.json(await runJournalAction({ ...services, dataDir: services.config.dataDir }, action));
  }
  if (pathname === "/catalog") {
    const action = readCatalogAction(await request.text());
    return Response.json(await runCatalogAction({ ...services, db: services.database.db }, action));
  }
  if (pathname === "/doctor") {
    const reports: Report[] = [];
    for (const check of CHECKS) reports.push(await examine(context, check, "en"));
    return Response.json(reports);
  }
  return new Response("unknown command", { status: 404 });
}

async function sendBackup(services: Services, directory: string): Promise<Response> {
  // What was charged up to now belongs into the copy.
  await services.billing.flush();
  const spool = join(directory, `backup-${Bun.randomUUIDv7()}`);
  await writeBackup(services.database, spool, { version });
  const stream = createReadStream(spool);
  await once(stream, "open");
  // It lives on until it is read, or until the client gives up.
  await rm(spool);
  return new Response(Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>);
}
