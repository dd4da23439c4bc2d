import { createChanges } from "../../db/changes.ts";
import { openExistingDatabase } from "../../db/connect.ts";
import { createChannelDirectory } from "../domain/channels/directory.ts";
import { createMailer } from "../domain/notifications/mail.ts";
import { checkDisk } from "../domain/system/diagnostics/checks/check-machine.ts";
import { type State, trouble } from "../domain/system/diagnostics/diagnostics-context.ts";
import { CHECKS, examine, type Report, reportOf } from "../domain/system/diagnostics/run-checks.ts";
import { createObjectStore, createResponseStore } from "../gateway/endpoints/create-gateway.ts";
import { createSharedLimits } from "../lib/limits/shared-limits.ts";
import { createAddressPolicy } from "../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../lib/outbound/safe-fetch.ts";
import { reasonOf } from "../lib/reason.ts";
import { createLogger, type Logger } from "../lib/runtime/log.ts";
import { createVault } from "../lib/security/crypto.ts";
import { createSecretReader } from "../lib/security/secret-references/secret-reader.ts";
import { loadSecrets } from "../lib/security/secrets.ts";
import { runBenchmark } from "../server/benchmark/run-benchmark.ts";
import type { Config } from "../server/config.ts";
import { openReads } from "../server/services.ts";
import { createSettings } from "../settings/settings.ts";
import { loadCommandConfig } from "./control/command-config.ts";
import { askGateway, textOf } from "./control/control-client.ts";

const MARKS: Readonly<Record<State, string>> = { ok: "ok  ", warn: "WARN", fail: "FAIL", skip: "-   " };

/**
 * Examines the installation and prints what it finds, with the fix: the running gateway examines itself, and where none
 * runs its data is opened. Returns the exit code: 1 when something fails.
 */
export async function doctor(): Promise<number> {
  const { config } = await loadCommandConfig();
  const reports = (await askServing(config)) ?? (await examineDirectly(config));
  for (const { title, findings } of reports) {
    process.stdout.write(`${title}\n`);
    for (const { state, found, fix } of findings) {
      process.stdout.write(`  ${MARKS[state]} ${found}\n${fix ? `       ${fix}\n` : ""}`);
    }
  }
  return reports.some(({ state }) => state === "fail") ? 1 : 0;
}

async function askServing(config: Config): Promise<Report[] | null> {
  const reply = await askGateway(config.dataDir, "doctor");
  return reply && (JSON.parse(await textOf(reply)) as Report[]);
}

async function examineDirectly(config: Config): Promise<Report[]> {
  const log = createLogger({ ...config, logLevel: "silent" });
  try {
    const database = await openExistingDatabase(config);
    try {
      const vault = createVault(await loadSecrets(config));
      return await examineData({ config, log, vault, database });
    } finally {
      await database.close();
    }
  } catch (error) {
    // Without a database only what lies below it can be looked at.
    const fix = config.databaseUrl === null ? "doctor_fix_database_embedded" : "doctor_fix_database_server";
    const down = trouble("fail", ["doctor_database_down", { reason: reasonOf(error) }], [fix]);
    return [reportOf("database", [down], "en"), reportOf("disk", await checkDisk({ config }), "en")];
  }
}

type Opened = Readonly<{
  config: Config;
  log: Logger;
  vault: ReturnType<typeof createVault>;
  database: Awaited<ReturnType<typeof openExistingDatabase>>;
}>;

async function examineData({ config, log, vault, database }: Opened): Promise<Report[]> {
  const { db } = database;
  const changes = await createChanges(database, (error) => log.error({ error }));
  const settings = await createSettings({ db, changes, vault, log, basePath: config.basePath });
  const secrets = createSecretReader(config.secretManagers);
  const channels = await createChannelDirectory({ db, changes, vault, log, secrets });
  const sharedLimits = config.redisUrl === null ? null : createSharedLimits(config.redisUrl, log);
  const reads = await openReads(config, database, log);
  const policy = createAddressPolicy(config.allowPrivateUpstreams);
  const context = {
    ...{ config, database, reads, settings, vault, channels, sharedLimits },
    fetch: createSafeFetch(policy),
    ownFetch: createSafeFetch(createAddressPolicy(true)),
    mailer: createMailer({ settings, policy, log }),
    benchmark: () =>
      runBenchmark({
        settings,
        responses: createResponseStore(db, log, vault),
        objects: createObjectStore(db),
        tasks: { db, changes, settings, vault, log, hookFetch: createSafeFetch(policy) },
        log,
      }),
    running: null,
  };
  try {
    const reports: Report[] = [];
    for (const check of CHECKS) reports.push(await examine(context, check, "en"));
    return reports;
  } finally {
    await reads.close();
    sharedLimits?.close();
    channels.close();
    settings.close();
    await changes.close();
  }
}
