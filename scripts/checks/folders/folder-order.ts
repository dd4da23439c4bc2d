import path from "node:path";
import { parseSync } from "oxc-parser";
import { type Findings, isTestFile, readSources, type SourceFile } from "../source.ts";

/**
 * The order inside folders, upper entries first: a file imports, types included, from its own subfolder and from those after
 * it. A folder whose subfolders import nothing of each other needs no line. Files are named where they have a place of their own.
 */
const ORDERS: Readonly<Record<string, string>> = {
  "src/billing": "ledger journal bounds",
  "src/billing/journal": "copy pending rejected apply segments",
  "src/cli": "remote serve control",
  "src/cli/import": "tables coverage expressions",
  "src/console": "accounts channels logs wallet alerts api-keys notifications settings system models http",
  "src/console/accounts": "profile registration security sign-in",
  "src/domain": "system alerts tasks playground models wallet channels api-keys accounts logs notifications",
  "src/domain/accounts": "identity-providers security profile sign-in users organizations registration identity access",
  "src/domain/accounts/organizations": "members budgets policies projects",
  "src/domain/alerts": "conditions leaks",
  "src/domain/channels": "authenticity manage provider-keys prices upstream keys routing status",
  "src/domain/logs": "archive audit sessions list failures usage sinks",
  "src/domain/logs/usage": "series pace totals",
  "src/domain/models/guardrails": "identifiers detect",
  "src/domain/models": "replays routes guardrails mcp catalog experiments",
  "src/domain/models/mcp": "tools openapi sign-ins stdio",
  "src/domain/wallet": "codes orders statements plans invitations payments",
  "src/domain/wallet/orders": "reports automatic",
  "src/domain/wallet/payments": "direct tax",
  "src/domain/wallet/plans": "changes renewal card limits",
  "src/domain/wallet/plans/card": "paypal stripe reports",
  "src/formats": "anthropic gemini-interactions openai-responses openai-chat gemini helpers tools conversation",
  "src/formats/anthropic": "response request",
  "src/formats/gemini": "response request",
  "src/formats/openai-chat": "response request",
  "src/gateway": "endpoints quality pipeline adapters streaming state routing upstream money auth request call",
  "src/gateway/adapters/mcp": "messages chat responses gemini sources",
  "src/gateway/call/guardrails": "servers request answer services",
  "src/gateway/endpoints": "routes realtime stored tasks mcp lookup",
  "src/gateway/endpoints/realtime": "openai live metering filters",
  "src/gateway/state": "evals files references collections responses objects",
  "src/lib": "http limits security outbound redis values runtime",
  "src/lib/values": "json patterns tables",
  "src/providers": "chinese-labs errors hosts media self-hosted labs shared contract",
  "src/server": "outage workers health",
  "src/server/control-plane": "management-mcp api-reference",
  "src/settings": "registry option",
  "ui/features": "system settings accounts notifications wallet channels models api-keys tasks logs alerts playground",
  "ui/features/accounts": "identity-providers organizations profile registration sign-in security users access",
  "ui/features/channels": "list tags quick drawer health cells",
  "ui/features/logs": "failures list archive sessions detail usage overview audit entries",
  "ui/features/logs/sessions": "compare timeline",
  "ui/features/models": "replays experiments routes pricing guardrails mcp page catalog",
  "ui/features/playground": "history panel answer compose chat",
  "ui/features/settings": "panels model-prices page fields",
  "ui/features/system": "shell public-pages first-steps",
  "ui/features/wallet": "codes plans orders",
};

const REASON =
  "a folder's parts import in one direction only, so that each can be read and changed knowing only what is below it. Move what " +
  "both need down, or let the upper one pass it in (scripts/checks/folders/folder-order.ts has the order)";

/** The arrows between the parts of one folder: subfolders, and files that the order names. */
export type FolderArrows = Readonly<{
  folder: string;
  parts: number;
  /** "upper lower" with an import that shows it. */
  arrows: ReadonlyMap<string, string>;
  /** Pairs of parts that import each other. */
  twoWay: readonly string[];
}>;

type Import = Readonly<{ from: string; to: string }>;

/** Checks that the subfolders of every folder of src and of ui/features import each other in one direction. */
export function checkFolderOrder(
  sources: readonly SourceFile[],
  orders: Readonly<Record<string, string>> = ORDERS,
): Findings {
  const found = arrowsOf(sources, orders);
  const problems: string[] = [];
  for (const { folder, arrows } of found) {
    const order = orders[folder]?.split(" ");
    if (!order) {
      if (arrows.size > 0)
        problems.push(`${folder}: its subfolders import each other and have no line in ORDERS; ${REASON}`);
      continue;
    }
    for (const [arrow, example] of arrows) {
      const [from = "", to = ""] = arrow.split(" ");
      const missing = [from, to].find((part) => !order.includes(part));
      if (missing) problems.push(`${folder}/${missing}: has no place in the folder's line in ORDERS`);
      else if (order.indexOf(from) > order.indexOf(to)) problems.push(`${example}: ${from} is below ${to}; ${REASON}`);
    }
  }
  const known = new Set(found.filter(({ arrows }) => arrows.size > 0).map(({ folder }) => folder));
  for (const folder of Object.keys(orders)) if (!known.has(folder)) problems.push(`${folder}: its line is needless`);
  return { problems: [...new Set(problems)].sort() };
}

/** The arrows of every folder with two subfolders or more. */
export function arrowsOf(
  sources: readonly SourceFile[],
  orders: Readonly<Record<string, string>> = ORDERS,
): FolderArrows[] {
  const files = sources.filter((file) => /^(src|ui\/features)\//.test(file.path) && !isTestFile(file.path));
  const imports = files.flatMap(importsOf);
  const parts = new Map<string, Set<string>>();
  for (const { path: file } of files) {
    for (let folder = path.dirname(file); folder.includes("/"); folder = path.dirname(folder)) {
      const parent = path.dirname(folder);
      parts.set(parent, (parts.get(parent) ?? new Set()).add(path.basename(folder)));
    }
  }
  const isHeld = (folder: string) =>
    folder === "ui/features" || folder.startsWith("ui/features/") || folder.startsWith("src/");
  return [...parts]
    .filter(([folder, { size }]) => size > 1 && isHeld(folder))
    .map(([folder, { size }]) => describe(folder, size, imports, orders[folder]?.split(" ") ?? []))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function describe(folder: string, parts: number, imports: readonly Import[], named: readonly string[]): FolderArrows {
  const prefix = `${folder}/`;
  const partOf = (file: string): string | null => {
    if (!file.startsWith(prefix)) return null;
    const [part = "", ...rest] = file.slice(prefix.length).split("/");
    return rest.length > 0 || named.includes(part) ? part : null;
  };
  const arrows = new Map<string, string>();
  for (const { from, to } of imports) {
    const [upper, lower] = [partOf(from), partOf(to)];
    if (upper && lower && upper !== lower) arrows.set(`${upper} ${lower}`, `${from} imports ${to}`);
  }
  const twoWay = [...arrows.keys()].flatMap((arrow) => {
    const [from = "", to = ""] = arrow.split(" ");
    return from < to && arrows.has(`${to} ${from}`) ? [`${from} and ${to}`] : [];
  });
  return { folder, parts, arrows, twoWay };
}

/** Every import, re-export and dynamic import of a file of the project, of types too. */
function importsOf({ path: file, text }: SourceFile): Import[] {
  const { module } = parseSync(file, text);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ from: file, to: path.join(path.dirname(file), specifier) }));
}

if (import.meta.main) {
  for (const { folder, parts, arrows, twoWay } of arrowsOf(readSources()))
    process.stdout.write(
      `${folder}: ${parts} subfolders, ${arrows.size} arrows, ${twoWay.length} two-way ${twoWay.join(", ")}\n`,
    );
}
