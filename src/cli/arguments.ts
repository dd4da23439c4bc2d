import { parseArgs } from "node:util";
import type { CatalogAction } from "../domain/models/catalog/catalog-actions.ts";
import type { JournalAction } from "../domain/system/diagnostics/journal-actions.ts";
import { messageOf } from "../lib/runtime/error-message.ts";
import { UsageError } from "./control/usage-error.ts";
import { parseRemoteCommand, type RemoteCommand } from "./remote/remote-arguments.ts";

export type Command =
  | { name: "serve" }
  | { name: "demo" }
  | WorkerCommand
  | { name: "reload" }
  | { name: "status"; asJson: boolean }
  | { name: "backup"; file: string; ofLogs: boolean }
  | { name: "restore"; file: string; force: boolean; ofLogs: boolean }
  | { name: "import"; from: string; withLogs: boolean; isDry: boolean; balanceUsd: number }
  | { name: "reset-password"; username: string }
  | { name: "healthcheck" }
  | { name: "doctor" }
  | { name: "rotate-encryption-key" }
  | { name: "journal"; action: JournalAction; asJson: boolean }
  | { name: "logs" }
  | { name: "catalog"; action: CatalogAction; asJson: boolean }
  | { name: "sbom" }
  | RemoteCommand
  | { name: "help" }
  | { name: "version"; check: boolean; asJson: boolean };

/** What a supervisor starts: worker `number`, one of `workers` that share `port`. */
export type WorkerCommand = Readonly<{ name: "worker"; number: number; workers: number; port: number }>;

export const HELP = `Sluice: a gateway in front of every AI provider.

Usage: sluice [command]

Commands
  serve                    run the gateway (default)
  demo                     run a gateway with a built-in provider and made-up traffic, to look around; keeps nothing
  status [--json]          show the workers of the gateway on this machine
  reload                   replace its workers one by one without failing a call, also by a new executable
  backup FILE [--logs]     write the whole database to FILE, or that of LOG_DATABASE_URL; works while serving
  restore FILE [--force] [--logs]
                           read FILE into an empty database; --force replaces what is there
  import --from SOURCE [--logs] [--dry-run] [--balance USD]
                           bring users, API keys, channels, codes and options over from one-api, new-api, Veloera,
                           one-hub, done-hub or LiteLLM: SOURCE is a SQLite file, or a mysql:// or postgres:// address; --balance is
                           what accounts of LiteLLM without a total budget begin with (0)
  reset-password USER      give USER a new password, print it, end the user's sessions
  rotate-encryption-key    encrypt every stored secret under a new key; stop the gateway first
  doctor                   look for what is wrong with the installation, and say how to fix it
  journal inspect          show charges that are not in the database, rejected ones and lost processes
  journal list             list charges that are not in the database, with their request ids
  journal set-aside ID     take a pending charge out of the journal, to be looked at: it is among the rejected then
  journal edit ID FIELD VALUE
                           change a field of a rejected charge (its number or request id); a pending one is set aside
  journal replay [ID] [--force]
                           charge rejected records again, each once; --force also those older than the log
  journal acknowledge WHAT end the alarm about a lost process (its id), or about all rejected charges (rejected)
                           (all of them take --json, and work next to a running gateway)
  logs move                bring an existing log to the database that LOG_DATABASE_URL names; works while serving
  catalog update [--from SOURCE] [--only PATTERN] [--apply] [--json]
                           show what prices and facts of models SOURCE would change, and apply it with --apply:
                           models.dev, openrouter, the address of another Sluice, a file, or the address of the
                           settings; prices of your own stay; PATTERN: models such as gpt-*
  catalog undo             take the last update of prices and facts back
  apply FILE… [--dry-run] [--yes] [--prune] [--label LABEL] [--secrets FILE] [--url URL] [--token TOKEN] [--json]
                           make a running site what YAML or JSON files say, as a whole; exit code 2: a dry run found
                           changes; --prune deletes what files of this label made and name no more; --schema prints
                           the JSON schema of the files
  export [--only SECTIONS] [--secrets FILE] [--url URL] [--token TOKEN] [--json]
                           print a running site as such a file; secrets are references, their values go to FILE
  connect AGENT [--url URL] [--model MODEL] [--mcp] [--yes] [--undo]
                           set a coding agent up on this machine: sign in by a code, choose a model, see what changes;
                           --mcp adds the gateway's MCP servers; --undo takes it back with its key; connect --list shows the agents
  version [--check [--json]]
                           print the release; --check asks UPDATE_CHECK_URL for the newest one: exit code 2 if it is newer
  sbom                     print what the executable consists of (CycloneDX, JSON)
  healthcheck              exit 0 when the gateway on this machine is ready

Options
  --help, --version

Environment (all optional)
  HOST, PORT               address to listen on (0.0.0.0, 3000)
  DATA_DIR                 where the embedded database, keys and journal live (./data)
  SLUICE_URL, SLUICE_TOKEN a running gateway, and the token by which apply and export reach it
  DATABASE_URL             Postgres address; without it the embedded database is used
  LOG_DATABASE_URL         another Postgres for log rows and their sums
  REDIS_URL                Redis or Valkey, where replicas count model requests together
  ENCRYPTION_KEY           encrypts secrets at rest; else a key file is made in DATA_DIR
  SESSION_SECRET           signs sessions; else made in DATA_DIR
  DATABASE_URL_FILE, …     a file with the value, for each of the four above
  TRUSTED_PROXIES          addresses or CIDR ranges whose forwarded headers are believed
  ALLOW_PRIVATE_UPSTREAMS  true: channels may live on private and loopback addresses
  WORKERS                  processes that share the port (auto: one a core from four cores on; embedded: 1)
  OFFLINE                  true: asks nobody for releases or models; pages load nothing from other hosts
  LOG_LEVEL, LOG_FORMAT    info; json or pretty
  RELAY_TIMEOUT, STREAMING_TIMEOUT, WRITE_TIMEOUT, SHUTDOWN_TIMEOUT   seconds
`;

/** Parses the arguments after the program's name. Throws UsageError. */
export function parseCommand(args: readonly string[]): Command {
  const remote = args.includes("--help") ? null : parseRemoteCommand(args);
  if (remote) return remote;
  const { values, positionals } = parse(args);
  if (values.help) return { name: "help" };
  if (values.version) return { name: "version", check: values.check, asJson: values.json };
  const [name = "serve", operand, ...rest] = positionals;
  const expectOperands = (count: 0 | 1, what = "") => {
    const input = operand === undefined ? 0 : 1 + rest.length;
    if (input !== count) throw new UsageError(count === 0 ? `${name} takes no argument` : `${name} needs one ${what}`);
  };
  if (values.force && name !== "restore" && !(name === "journal" && operand === "replay")) {
    throw new UsageError("--force goes with restore and journal replay");
  }
  if (values.check && name !== "version") throw new UsageError("--check goes with version");
  if (values.json && name !== "journal" && name !== "status" && name !== "catalog" && !values.check) {
    throw new UsageError("--json goes with journal, status, catalog and version --check");
  }
  if (values.from !== undefined && name !== "import" && name !== "catalog") {
    throw new UsageError("--from goes with import and catalog update");
  }
  if ((values["dry-run"] || values.balance !== undefined) && name !== "import") {
    throw new UsageError("--dry-run and --balance go with import");
  }
  if (values.logs && name !== "import" && name !== "backup" && name !== "restore") {
    throw new UsageError("--logs goes with import, backup and restore");
  }
  if ((values.apply || values.only !== undefined) && name !== "catalog") {
    throw new UsageError("--apply and --only go with catalog update");
  }
  switch (name) {
    case "serve":
    case "demo":
    case "reload":
    case "healthcheck":
    case "sbom":
    case "doctor":
    case "rotate-encryption-key":
    case "help":
      expectOperands(0);
      return { name };
    case "version":
      expectOperands(0);
      return { name, check: values.check, asJson: values.json };
    case "status":
      expectOperands(0);
      return { name, asJson: values.json };
    case "worker":
      return readWorker(operand, rest);
    case "backup":
      expectOperands(1, "FILE");
      return { name, file: operand ?? "", ofLogs: values.logs };
    case "restore":
      expectOperands(1, "FILE");
      return { name, file: operand ?? "", force: values.force, ofLogs: values.logs };
    case "import":
      expectOperands(0);
      if (!values.from)
        throw new UsageError("import needs --from and a SQLite file, or a mysql:// or postgres:// address");
      return {
        ...{ name, from: values.from, withLogs: values.logs, isDry: values["dry-run"] },
        balanceUsd: readDollars(values.balance ?? "0"),
      };
    case "reset-password":
      expectOperands(1, "USER");
      return { name, username: operand ?? "" };
    case "catalog":
      return { name, action: readCatalogCommand(operand, rest, values), asJson: values.json };
    case "logs":
      expectOperands(1, "action: move");
      if (operand !== "move") throw new UsageError("logs needs move");
      return { name };
    case "journal":
      return { name, action: readAction(operand, rest, values.force), asJson: values.json };
    default:
      throw new UsageError(`unknown command: ${name}`);
  }
}

function readDollars(text: string): number {
  const dollars = /^\d{1,9}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(dollars)) throw new UsageError("--balance needs dollars, with at most two decimals");
  return dollars;
}

function readWorker(operand: string | undefined, rest: readonly string[]): Command {
  const [number = 0, workers = 0, port = 0] = [operand, ...rest].map(Number);
  if (process.send && number > 0 && workers > 0 && port > 0) return { name: "worker", number, workers, port };
  throw new UsageError("worker is started by sluice serve alone");
}

type CatalogOptions = Readonly<{ from?: string | undefined; only?: string | undefined; apply: boolean }>;

function readCatalogCommand(
  action: string | undefined,
  rest: readonly string[],
  { from, only, apply }: CatalogOptions,
): CatalogAction {
  if (action === "update" && rest.length === 0) {
    return { action, from: from ?? "settings", document: null, only: only ?? null, applies: apply };
  }
  if (action === "undo" && rest.length === 0 && from === undefined && only === undefined && !apply) return { action };
  throw new UsageError("catalog needs update, with --from, --only or --apply, or undo");
}

function readAction(action: string | undefined, [what, ...rest]: string[], force: boolean): JournalAction {
  const [field, value, ...more] = rest;
  if ((action === "inspect" || action === "list") && what === undefined) return { action };
  if (action === "replay" && field === undefined) return { action, which: what ?? null, force };
  if (action === "edit" && what !== undefined && field !== undefined && value !== undefined && more.length === 0) {
    return { action, what, field, value };
  }
  if ((action === "acknowledge" || action === "set-aside") && what !== undefined && field === undefined) {
    return { action, what };
  }
  throw new UsageError(
    "journal needs inspect, list, replay, set-aside and a request id, edit and ID FIELD VALUE, or acknowledge and the id of a process or the word rejected",
  );
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "v", default: false },
        force: { type: "boolean", default: false },
        from: { type: "string" },
        logs: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        balance: { type: "string" },
        only: { type: "string" },
        apply: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
