import { parseArgs } from "node:util";
import { messageOf } from "../../lib/runtime/error-message.ts";
import { UsageError } from "../control/usage-error.ts";

/** Where a gateway is, and the token of a super admin or a service account; null: what the environment says. */
export type Site = Readonly<{ url: string | null; token: string | null }>;

export type ApplyCommand = Readonly<{
  name: "apply";
  files: readonly string[];
  site: Site;
  isDry: boolean;
  isConfirmed: boolean;
  prunes: boolean;
  label: string | null;
  /** A file of the values that references to the environment name. */
  secretsFile: string | null;
  asJson: boolean;
}>;

export type ExportCommand = Readonly<{
  name: "export";
  site: Site;
  sections: readonly string[] | null;
  secretsFile: string | null;
  asJson: boolean;
}>;

export type ConnectCommand = Readonly<{
  name: "connect";
  /** Null: only list the agents. */
  agent: string | null;
  site: Site;
  model: string | null;
  /** A key that there is; null: sign in for a new one. */
  key: string | null;
  isConfirmed: boolean;
  /** The agent gets the address of the gateway's MCP servers, too. */
  addsMcp: boolean;
  undoes: boolean;
}>;

export type RemoteCommand = ConnectCommand | ApplyCommand | ExportCommand | Readonly<{ name: "configuration-schema" }>;

const SITE = { url: { type: "string" }, token: { type: "string" } } as const;
/** `apply` ends with 2 where changes are pending, so that wrong arguments are a failure like another. */
const FAILURE = 1;

/** Parses the arguments of a command that reaches a gateway by its address; null: another command. Throws UsageError. */
export function parseRemoteCommand([name, ...args]: readonly string[]): RemoteCommand | null {
  switch (name) {
    case "apply":
      return parseApply(args);
    case "export":
      return parseExport(args);
    case "connect":
      return parseConnect(args);
    default:
      return null;
  }
}

function parseApply(args: readonly string[]): RemoteCommand {
  const { values, positionals } = usage(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...SITE,
        "dry-run": { type: "boolean", default: false },
        yes: { type: "boolean", short: "y", default: false },
        prune: { type: "boolean", default: false },
        label: { type: "string" },
        secrets: { type: "string" },
        json: { type: "boolean", default: false },
        schema: { type: "boolean", default: false },
      },
    }),
  );
  if (values.schema) return { name: "configuration-schema" };
  if (positionals.length === 0) throw new UsageError("apply needs one FILE or more", FAILURE);
  return {
    ...{ name: "apply", files: positionals, site: siteOf(values), isDry: values["dry-run"], isConfirmed: values.yes },
    ...{ prunes: values.prune, label: values.label ?? null, secretsFile: values.secrets ?? null, asJson: values.json },
  };
}

function parseExport(args: readonly string[]): RemoteCommand {
  const { values } = usage(() =>
    parseArgs({
      args: [...args],
      options: {
        ...SITE,
        only: { type: "string" },
        secrets: { type: "string" },
        json: { type: "boolean", default: false },
      },
    }),
  );
  return {
    ...{
      name: "export",
      site: siteOf(values),
      sections: values.only?.split(",").map((section) => section.trim()) ?? null,
    },
    ...{ secretsFile: values.secrets ?? null, asJson: values.json },
  };
}

function parseConnect(args: readonly string[]): RemoteCommand {
  const { values, positionals } = usage(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: SITE.url,
        model: { type: "string" },
        key: { type: "string" },
        yes: { type: "boolean", short: "y", default: false },
        undo: { type: "boolean", default: false },
        mcp: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
      },
    }),
  );
  const [agent, ...others] = positionals;
  if (others.length > 0 || (agent === undefined) !== values.list) {
    throw new UsageError("connect needs one AGENT, or --list", FAILURE);
  }
  return {
    ...{ name: "connect", agent: agent ?? null, site: siteOf({ url: values.url }), model: values.model ?? null },
    ...{ key: values.key ?? null, isConfirmed: values.yes, undoes: values.undo, addsMcp: values.mcp },
  };
}

const siteOf = ({ url, token }: { url?: string | undefined; token?: string | undefined }): Site => ({
  url: url ?? null,
  token: token ?? null,
});

function usage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(messageOf(error), FAILURE);
  }
}
