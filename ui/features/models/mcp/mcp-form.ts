import type { McpDefinition, McpServerView, SavedServer } from "./mcp-calls.ts";

/** The server has the same list. */
export const AUTHENTICATION = ["none", "key", "client_credentials", "oauth"] as const satisfies readonly NonNullable<
  McpDefinition["auth"]
>[];

export const KINDS = ["http", "openapi", "stdio"] as const satisfies readonly NonNullable<McpDefinition["kind"]>[];

export type McpForm = {
  kind: (typeof KINDS)[number];
  /** JSON of an agent, from which the other fields are filled. */
  paste: string;
  name: string;
  description: string;
  isEnabled: boolean;
  url: string;
  command: string;
  /** One a line. */
  args: string;
  /** Lines of NAME=value; empty: the stored ones stay. */
  environment: string;
  documentUrl: string;
  /** An OpenAPI document, pasted. */
  document: string;
  /** Whether one is stored, which stays unless another is pasted. */
  hasDocument: boolean;
  auth: (typeof AUTHENTICATION)[number];
  secret: string;
  header: string;
  /** The member of the query that has the key. */
  query: string;
  tokenUrl: string;
  /** The authorization server; empty: the one that the server names. */
  issuer: string;
  clientId: string;
  oauthScope: string;
  groups: readonly string[];
  accounts: readonly string[];
  projects: readonly string[];
  keys: readonly string[];
  tools: readonly string[];
  isReadOnly: boolean;
  passesPrompts: boolean;
  passesResources: boolean;
  asksUsers: boolean;
  asksModel: boolean;
  asksRoots: boolean;
  /** Seconds. */
  timeout: string;
  kibibytes: string;
  /** The most tokens of a result; empty: no bound. */
  tokens: string;
  /** Dollars; empty: free. */
  price: string;
};

const [DEFAULT_TIMEOUT_S, DEFAULT_KIB] = ["60", "1024"];
const KIB = 1024;

/** The form of a server; null: a new one. */
export const formOf = (server: McpServerView | null): McpForm => ({
  kind: KINDS.find((kind) => kind === server?.kind) ?? "http",
  paste: "",
  name: server?.name ?? "",
  description: server?.description ?? "",
  isEnabled: server?.enabled ?? true,
  url: server?.url ?? "",
  command: server?.command ?? "",
  args: server?.args?.join("\n") ?? "",
  environment: "",
  documentUrl: server?.document_url ?? "",
  document: "",
  hasDocument: server?.has_document ?? false,
  auth: AUTHENTICATION.find((auth) => auth === server?.auth) ?? "none",
  secret: "",
  header: server?.header ?? "",
  query: server?.query ?? "",
  tokenUrl: server?.token_url ?? "",
  issuer: server?.issuer ?? "",
  clientId: server?.client_id ?? "",
  oauthScope: server?.oauth_scope ?? "",
  groups: server?.groups ?? [],
  accounts: server?.accounts?.map(String) ?? [],
  projects: server?.projects?.map(String) ?? [],
  keys: server?.keys?.map(String) ?? [],
  tools: server?.tools ?? [],
  isReadOnly: server?.read_only ?? false,
  passesPrompts: server?.prompts ?? false,
  passesResources: server?.resources ?? false,
  asksUsers: server?.elicitation ?? false,
  asksModel: server?.sampling ?? false,
  asksRoots: server?.roots ?? false,
  timeout: server?.timeout_ms === undefined ? DEFAULT_TIMEOUT_S : String(Math.round(server.timeout_ms / 1000)),
  kibibytes: server?.max_result_bytes === undefined ? DEFAULT_KIB : String(Math.round(server.max_result_bytes / KIB)),
  tokens: String(server?.max_result_tokens ?? ""),
  price: server?.usd_per_call ?? "",
});

/** What is saved, without what is at its default. */
export const serverOfForm = (form: McpForm): SavedServer => ({
  name: form.name.trim(),
  secret: form.kind === "stdio" ? form.environment : usesSecret(form) ? form.secret : "",
  document: form.kind === "openapi" && !form.documentUrl.trim() ? form.document : "",
  server: {
    ...(form.kind !== "http" && { kind: form.kind }),
    ...(form.kind !== "stdio" && form.url.trim() && { url: form.url.trim() }),
    ...(form.kind === "stdio" && {
      command: form.command.trim(),
      ...(form.args.trim() && { args: form.args.split("\n").filter((argument) => argument !== "") }),
    }),
    ...(form.kind === "openapi" && form.documentUrl.trim() && { document_url: form.documentUrl.trim() }),
    ...(form.description.trim() && { description: form.description.trim() }),
    ...(!form.isEnabled && { enabled: false }),
    ...(form.kind !== "stdio" && authenticationOf(form)),
    ...(form.groups.length > 0 && { groups: form.groups }),
    ...(form.accounts.length > 0 && { accounts: form.accounts.map(Number) }),
    ...(form.projects.length > 0 && { projects: form.projects.map(Number) }),
    ...(form.keys.length > 0 && { keys: form.keys.map(Number) }),
    ...(form.tools.length > 0 && { tools: form.tools }),
    ...(form.isReadOnly && { read_only: true }),
    ...(form.kind !== "openapi" && {
      ...(form.passesPrompts && { prompts: true }),
      ...(form.passesResources && { resources: true }),
      ...(form.asksUsers && { elicitation: true }),
      ...(form.asksModel && { sampling: true }),
      ...(form.asksRoots && { roots: true }),
    }),
    ...(form.timeout !== DEFAULT_TIMEOUT_S && { timeout_ms: Number(form.timeout) * 1000 }),
    ...(form.kibibytes !== DEFAULT_KIB && { max_result_bytes: Number(form.kibibytes) * KIB }),
    ...(form.tokens.trim() && { max_result_tokens: Number(form.tokens) }),
    ...(form.price.trim() && { usd_per_call: form.price.trim() }),
  },
});

/** Where users sign in, the secret is that of an entered client. */
const usesSecret = ({ auth, clientId }: McpForm): boolean =>
  auth !== "none" && (auth !== "oauth" || clientId.trim() !== "");

/** How the gateway authenticates to the server, as it is saved. */
const authenticationOf = (form: McpForm) => ({
  ...(form.auth !== "none" && { auth: form.auth }),
  ...(form.auth === "key" && form.header.trim() && { header: form.header.trim() }),
  ...(form.auth === "key" && !form.header.trim() && form.query.trim() && { query: form.query.trim() }),
  ...(form.auth === "client_credentials" && {
    token_url: form.tokenUrl.trim(),
    client_id: form.clientId.trim(),
    ...(form.oauthScope.trim() && { oauth_scope: form.oauthScope.trim() }),
  }),
  ...(form.auth === "oauth" && {
    ...(form.issuer.trim() && { issuer: form.issuer.trim() }),
    ...(form.clientId.trim() && { client_id: form.clientId.trim() }),
    ...(form.oauthScope.trim() && { oauth_scope: form.oauthScope.trim() }),
  }),
});

const isCount = (text: string, min: number, max: number): boolean =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
const areIds = (list: readonly string[]): boolean => list.every((id) => isCount(id, 1, 2 ** 31 - 1));
const isAddress = (text: string): boolean => /^https?:\/\/[^/]/.test(text.trim());

/** What is wrong with the form, by field; `taken`: the names of other servers. */
export function checkMcpForm(form: McpForm, taken: readonly string[]) {
  const name = form.name.trim();
  const isCommand = form.kind === "stdio";
  const isDocument = form.kind === "openapi";
  const usesOauth = !isCommand && form.auth === "client_credentials";
  const faultIf = <const Fault extends string>(isWrong: boolean, fault: Fault) => (isWrong ? fault : undefined);
  return {
    paste: faultIf(form.paste.trim() !== "" && readAgentJson(form.paste) === null, "paste"),
    name: taken.includes(name)
      ? ("taken" as const)
      : faultIf(!/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(name), "name"),
    command: faultIf(isCommand && form.command.trim() === "", "needed"),
    environment: faultIf(
      isCommand && form.environment.split("\n").some((line) => !/^\s*(#.*)?$|^\s*[A-Za-z_]\w*\s*=/.test(line)),
      "environment",
    ),
    url: faultIf(!isCommand && !isAddress(form.url) && !(isDocument && form.url.trim() === ""), "url"),
    documentUrl: faultIf(isDocument && form.documentUrl.trim() !== "" && !isAddress(form.documentUrl), "url"),
    document: faultIf(
      isDocument && !form.hasDocument && form.documentUrl.trim() === "" && form.document.trim() === "",
      "document",
    ),
    tokenUrl: faultIf(usesOauth && !isAddress(form.tokenUrl), "url"),
    auth: faultIf(isDocument && form.auth === "oauth", "auth"),
    issuer: faultIf(form.auth === "oauth" && form.issuer.trim() !== "" && !isAddress(form.issuer), "url"),
    clientId: faultIf(usesOauth && form.clientId.trim() === "", "needed"),
    timeout: faultIf(!isCount(form.timeout, 1, 600), "timeout"),
    kibibytes: faultIf(!isCount(form.kibibytes, 16, 32_768), "kibibytes"),
    tokens: faultIf(form.tokens.trim() !== "" && !isCount(form.tokens.trim(), 100, 10_000_000), "tokens"),
    price: faultIf(form.price.trim() !== "" && !/^\d{1,6}(?:\.\d{1,10})?$/.test(form.price.trim()), "price"),
    accounts: faultIf(!areIds(form.accounts), "ids"),
    projects: faultIf(!areIds(form.projects), "ids"),
    keys: faultIf(!areIds(form.keys), "ids"),
  };
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;

/**
 * The first server of an agent's settings (`mcpServers` of Claude Code, Cursor, Gemini CLI and others, `servers` of VS Code) as
 * fields of the form; null: there is none.
 */
export function readAgentJson(text: string): Partial<McpForm> | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const settings = recordOf(json);
  const servers = recordOf(settings?.mcpServers) ?? recordOf(settings?.servers) ?? settings;
  for (const [key, value] of Object.entries(servers ?? {})) {
    const server = recordOf(value);
    const name = key
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 32)
      .replace(/^-+|-+$/g, "");
    if (typeof server?.command === "string") return { kind: "stdio", name, ...commandIn(server.command, server) };
    const url = [server?.url, server?.serverUrl, server?.httpUrl].find((address) => typeof address === "string");
    if (typeof url !== "string" || !isAddress(url)) continue;
    return { kind: "http", name, url, ...keyIn(recordOf(server?.headers)) };
  }
  return null;
}

/** A command with its arguments and variables, which are texts. */
function commandIn(command: string, { args, env }: Readonly<Record<string, unknown>>): Partial<McpForm> {
  const list: readonly unknown[] = Array.isArray(args) ? args : [];
  const variables = Object.entries(recordOf(env) ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [`${name}=${value}`] : [],
  );
  const texts = list.filter((argument) => typeof argument === "string");
  return { command, args: texts.join("\n"), environment: variables.join("\n") };
}

/** The key among headers: the first that is a text. */
function keyIn(headers: Readonly<Record<string, unknown>> | null): Partial<McpForm> {
  for (const [header, value] of Object.entries(headers ?? {})) {
    if (typeof value !== "string" || value === "") continue;
    if (header.toLowerCase() !== "authorization") return { auth: "key", header, secret: value };
    return { auth: "key", header: "", secret: value.replace(/^bearer /i, "") };
  }
  return { auth: "none", header: "", secret: "" };
}
