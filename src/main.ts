// Before everything else: a part of the passkeys' library looks for it as soon as it is loaded.
import "reflect-metadata";
import { HELP, parseCommand } from "./cli/arguments.ts";
import { UsageError } from "./cli/control/usage-error.ts";
import { prepareRuntime } from "./lib/runtime/prepare-runtime.ts";
import { commit, SBOM_FILE, version } from "./server/version.ts";

const args = process.argv.slice(2);

try {
  process.exitCode = await run();
} catch (error) {
  const usage = error instanceof UsageError;
  const { sentenceOf } = await import("./cli/control/sentence-of.ts");
  process.stderr.write(`sluice: ${sentenceOf(error)}\n`);
  if (usage) process.stderr.write("See sluice --help\n");
  process.exit(usage ? error.exitCode : 1);
}

/** Runs the command and returns the exit code. What a command needs is loaded only when it is run. */
async function run(): Promise<number> {
  const command = parseCommand(args);
  switch (command.name) {
    case "help":
      process.stdout.write(HELP);
      return 0;
    case "version":
      if (command.check)
        return (await import("./cli/control/check-version.ts")).checkVersion(command.asJson, process.env);
      process.stdout.write(`sluice ${version} (${commit})\n`);
      return 0;
    case "sbom":
      process.stdout.write(await Bun.file(SBOM_FILE).text());
      return 0;
    case "apply":
      return (await import("./cli/remote/apply.ts")).apply(command, process.env);
    case "configuration-schema":
      return (await import("./cli/remote/print-schema.ts")).printSchema();
    case "export":
      return (await import("./cli/remote/export.ts")).exportSite(command, process.env);
    case "connect":
      return (await import("./cli/remote/connect/connect.ts")).connect(command, process.env);
    case "healthcheck":
      return (await import("./cli/control/healthcheck.ts")).healthcheck();
    case "doctor":
      return (await import("./cli/doctor.ts")).doctor();
    case "rotate-encryption-key":
      return (await import("./cli/rotate-encryption-key.ts")).rotateEncryptionKey();
    case "journal":
      return (await import("./cli/control/journal.ts")).journal(command.action, command.asJson);
    case "logs":
      return (await import("./cli/control/move-log.ts")).moveLogRows();
    case "catalog":
      return (await import("./cli/control/catalog.ts")).catalog(command.action, command.asJson);
    case "serve":
      await prepareRuntime(args);
      // At once: what is left of connections to a database that went silent would keep the process alive.
      return process.exit(await (await import("./cli/serve/serve.ts")).serve());
    case "demo":
      return (await import("./cli/demo/demo.ts")).demo();
    case "worker":
      return process.exit(await (await import("./cli/serve/serve.ts")).serveAsWorker(command));
    case "reload":
      return (await import("./cli/serve/ask-supervisor.ts")).reload();
    case "status":
      return (await import("./cli/serve/ask-supervisor.ts")).status(command.asJson);
    case "backup":
      return (await import("./cli/backup.ts")).backup(command.file, command.ofLogs);
    case "restore":
      return (await import("./cli/restore.ts")).restore(command.file, command);
    case "import":
      return (await import("./cli/import-command.ts")).importData(command.from, { ...command, env: process.env });
    case "reset-password":
      return (await import("./cli/reset-password.ts")).resetPassword(command.username);
  }
}
