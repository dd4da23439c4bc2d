import type { Tx } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { writeOrganizationLog } from "../accounts/organizations/operation.ts";
import { type ApiKeyRow, type ApiKeyView, viewApiKey } from "./api-key-view.ts";
import type { Owner } from "./operation.ts";

/** What happens to keys, as the audit log of an organization names it. */
type KeyChange = "created" | "changed" | "rotated" | "deleted";

const ACTIONS = { created: "create", changed: "update", rotated: "update", deleted: "delete" } as const;
/** So many characters of the names of keys that are created together. */
const MOST_CHARACTERS = 500;
/** What is secret, or says nothing of the change. */
const LEFT_OUT = ["key", "used_quota", "accessed_time", "user_id", "created_by", "created_time"] as const;

/** Writes into an organization's log that a member created keys; people's own keys are not logged. */
export async function logCreatedKeys(tx: Tx, owner: Owner, rows: readonly ApiKeyRow[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  const after = { key_id: rows.map(({ id }) => id).join(", "), names: names.join(", ").slice(0, MOST_CHARACTERS) };
  await log(tx, owner, "created", { ...after, projectId: rows[0]?.projectId ?? null }, { after });
}

/** Writes into an organization's log what a member changed of a key; people's own keys are not logged. */
export async function logKeyChange(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  before: ApiKeyRow,
  after: ApiKeyRow,
): Promise<void> {
  const change = after.deletedAt !== null ? "deleted" : after.keyHash !== before.keyHash ? "rotated" : "changed";
  const fields = { before: fieldsOf(before, vault), after: fieldsOf(after, vault) };
  const differing = Object.keys(fields.after).filter((name) => fields.before[name] !== fields.after[name]);
  if (change === "changed" && differing.length === 0) return;
  const pick = (values: Readonly<Record<string, unknown>>) => ({
    key_id: before.id,
    ...Object.fromEntries(differing.map((name) => [name, values[name]])),
  });
  const { name: names, projectId } = after;
  await log(tx, owner, change, { names, projectId }, { before: pick(fields.before), after: pick(fields.after) });
}

async function log(
  tx: Tx,
  { id, member }: Owner,
  change: KeyChange,
  { names, projectId }: Readonly<{ names: string; projectId: number | null }>,
  values: Readonly<{ before?: Record<string, unknown>; after: Record<string, unknown> }>,
): Promise<void> {
  if (!member) return;
  await writeOrganizationLog(tx, id, member, {
    content: `${member.username} ${change} the API key ${names}`,
    note: { code: `organization_key_${change}`, params: { by: member.username, name: names } },
    action: ACTIONS[change],
    projectId,
    ...values,
  });
}

function fieldsOf(row: ApiKeyRow, vault: Vault): Record<string, unknown> {
  const fields: Partial<ApiKeyView> = { ...viewApiKey(row, vault, false) };
  for (const name of LEFT_OUT) delete fields[name];
  return fields;
}
