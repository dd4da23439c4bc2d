import { say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Acting } from "../../accounts/organizations/members/acting.ts";
import { withoutKey } from "../keys/keys.ts";
import { fetchModels } from "../upstream/model-list.ts";
import type { ProviderKeyDirectory } from "./directory.ts";
import { noteProviderKey, type ProviderKeyDeps, readProviderKey } from "./save-key.ts";

/** What a test of a key found: the models that the provider lists for it, or why it does not. */
export type KeyTest = Readonly<{ success: boolean; models: readonly string[]; error: string }>;

type Deps = Pick<ProviderKeyDeps, "changes" | "db" | "vault"> &
  Readonly<{ fetch: SafeFetch; providerKeys: Pick<ProviderKeyDirectory, "addressOf"> }>;

/**
 * Asks the provider of a stored key for its models, which costs nothing, and keeps whether it answered. Throws OperationError if the
 * account has no such key.
 */
export async function testProviderKey(deps: Deps, acting: Acting, id: number): Promise<KeyTest> {
  const { type, key } = await readProviderKey(deps, acting, id);
  try {
    const models = await fetchModels(deps.fetch, { type, key, baseUrl: deps.providerKeys.addressOf(type) });
    await noteProviderKey(deps, id, "");
    return { success: true, models, error: "" };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const reason = withoutKey(say(error.code, "en", error.params), key);
    await noteProviderKey(deps, id, reason);
    return { success: false, models: [], error: reason };
  }
}
