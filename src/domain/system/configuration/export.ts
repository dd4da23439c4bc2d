import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Applier } from "./apply.ts";
import { isSame, replaceAt, tellApart, valueAt } from "./difference.ts";
import type { ConfigurationDocument, KindName } from "./document.ts";
import type { Entry, Kind, Scope, SecretPath, Stored } from "./kind.ts";
import { KINDS } from "./kinds/index.ts";
import { type ConfigurationDeps, inTransaction } from "./transaction.ts";

/** The site as a document; secrets are references to the environment, with their values only where they were asked for. */
export type Exported = Readonly<{
  document: ConfigurationDocument;
  /** Variables that the references name → their values; null: not to be seen. */
  secrets: Readonly<Record<string, string | null>>;
}>;

type Choice = Readonly<{ withSecrets: boolean; sections: readonly KindName[] | null }>;

/**
 * Writes what the site has as files would say it: the named sections, or all that the rights allow. Rejects OperationError where
 * the right of a named one is missing.
 */
export function exportConfiguration(
  deps: ConfigurationDeps,
  { actor, rights }: Applier,
  { withSecrets, sections }: Choice,
): Promise<Exported> {
  return inTransaction(deps, actor, async (scope) => {
    const secrets = new Map<string, string>();
    const document: Record<string, unknown> = {};
    for (const use of KINDS) {
      await use(async (kind) => {
        const { section, right } = kind;
        if (sections && !sections.includes(section)) return;
        if (rights && !rights.has(right)) {
          if (sections === null) return;
          throw new OperationError("right_missing", { right }, { status: 403 });
        }
        const written = await writeSection(kind, scope, secrets);
        if (written !== null) document[section] = written;
      });
    }
    const note = { code: withSecrets ? "configuration_exported_with_secrets" : "configuration_exported" } as const;
    const content = `Exported the configuration ${withSecrets ? "with" : "without"} secrets`;
    await writeManagementLog(scope.db, actor, content, { note, action: "read" });
    const shown = [...secrets].map(([name, value]) => [name, withSecrets ? value : null]);
    return { result: { document, secrets: Object.fromEntries(shown) }, keeps: true };
  });
}

async function writeSection<E>(kind: Kind<E>, scope: Scope, secrets: Map<string, string>): Promise<unknown> {
  const { stored } = await kind.open(scope, []);
  const named = [...tellApart(stored)].filter(([, { isInitial }]) => !isInitial);
  if (named.length === 0) return null;
  const entries = named.map(([name, resource]) => [name, writeEntry(kind, name, resource, secrets)] as const);
  if (!kind.toValue) return entries.map(([, entry]) => entry);
  const values = entries.map(([name, entry]) => [name, kind.toValue?.(entry)] as const);
  return Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeEntry<E>(kind: Kind<E>, name: string, { entry, name: own }: Stored, secrets: Map<string, string>): Entry {
  const paths = kind.secretsOf(entry, own);
  const shown = replaceAt(escapeReferences(entry), paths, (path) => {
    const variable = freeName(secrets, variableOf(kind.section, name, path));
    secrets.set(variable, String(valueAt(entry, path)));
    return `\${env:${variable}}`;
  });
  const fields = Object.entries(shown).filter(
    ([field, value]) => value !== undefined && !isSame(value, kind.defaults[field]),
  );
  return Object.fromEntries(fields);
}

/** `SLUICE_CHANNELS_OPENAI_KEY`. */
const variableOf = (section: string, name: string, path: SecretPath): string =>
  ["SLUICE", section, name, ...path.filter((part) => part !== "config" && part !== "value")]
    .join("_")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/_$/, "")
    .toUpperCase();

function freeName(taken: ReadonlyMap<string, string>, name: string): string {
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? name : `${name}_${count}`;
    if (!taken.has(free)) return free;
  }
}

/** Texts that look like references are none. */
function escapeReferences(entry: Entry): Entry {
  const escaped = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(/\$\{(?=env:|file:)/g, "$$$${");
    if (Array.isArray(value)) return value.map(escaped);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, escaped(item)]));
  };
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, escaped(value)]));
}
