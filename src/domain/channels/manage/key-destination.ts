import { parseJson, recordOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isSecretReference } from "../../../lib/security/secret-references/reference.ts";
import { providerOf } from "../../../providers/registry.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import { type ChannelRow, storedKeysOf } from "../entry.ts";
import type { Actor } from "../operation.ts";
import type { ChannelValues } from "./channel-input.ts";
import { keepsDestination } from "./channel-settings.ts";

/** Whether somebody may see keys of channels in clear, and so send them wherever they like. */
export const mayReadKeys = ({ role = ROLE.user }: Pick<Actor, "role">): boolean => role >= ROLE.root;

type Addressed = Pick<
  ChannelRow,
  "type" | "baseUrl" | "other" | "setting" | "models" | "modelMapping" | "modelPrefix" | "testModel"
>;

/**
 * All that decides where a channel's requests go, and its keys with them: equal texts, equal destinations. Scheme, host and
 * port of the address, a region that is part of the host, the proxy, and any setting that is not known to leave them alone.
 */
export function destinationOf({ type, baseUrl, other, setting, ...models }: Addressed): string {
  const provider = providerOf(type);
  const address = baseUrl || provider?.defaultBaseUrl || "";
  const url = URL.parse(address);
  const redirects = Object.entries(recordOf(parseJson(setting)) ?? {})
    .filter(([name, value]) => !keepsDestination(name) && value !== "" && value !== null && value !== false)
    .map(([name, value]) => [name, name === "proxy" ? proxyAddress(value) : value] as const)
    .toSorted(([one], [next]) => (one < next ? -1 : 1));
  return JSON.stringify([
    type,
    // Another path at the same origin keeps the key; an address that can't be read counts as a whole.
    url ? url.origin : address,
    baseUrl === "" && provider?.hostFromOther ? other : "",
    redirects,
    // A custom channel may have the model within its host.
    url && /[{%]/.test(url.host) ? models : null,
  ]);
}

/** A proxy without the name and password for it. */
function proxyAddress(proxy: unknown): unknown {
  const url = typeof proxy === "string" ? URL.parse(proxy) : null;
  return url ? `${url.protocol}//${url.host}` : proxy;
}

/**
 * Makes sure that a channel's key goes only where it was entered for: whoever may not read keys enters it again with a change
 * of the destination. A reference to a secret manager is entered again in any case, which only super administrators may.
 * Throws OperationError.
 */
export function checkKeyStays(actor: Actor, before: ChannelRow, values: ChannelValues, vault: Vault): void {
  if (values.keyCipher !== undefined || destinationOf(before) === destinationOf({ ...before, ...values })) return;
  if (storedKeysOf(before, vault).some(isSecretReference)) {
    throw new OperationError("channel_reference_required_again");
  }
  if (!mayReadKeys(actor)) throw new OperationError("channel_key_required_again");
}
